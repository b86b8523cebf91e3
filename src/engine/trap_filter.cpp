#include <madrigal/engine/trap_filter.hpp>

#include <madrigal/wire/trap.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace madrigal::engine {
namespace {

/// The port that the details of a trap name; 0 where they name none.
std::uint8_t port_of(notice const& told) noexcept
{
    auto const details = decode_trap(told);
    if (!details)
        return 0;
    if (auto const* const threshold = std::get_if<threshold_trap>(&*details))
        return threshold->port_number;
    if (auto const* const bad_key = std::get_if<switch_bad_p_key_trap>(&*details))
        return bad_key->port_number;
    return 0;
}

/// What makes two traps alike, as a number.
std::uint64_t key_of(lid source, notice const& told) noexcept
{
    return std::uint64_t{source.value()} << 32U | std::uint64_t{told.trap_number} << 16U |
           std::uint64_t{port_of(told)} << 1U | std::uint64_t{told.is_generic};
}

/// Whether two traps that are alike also tell the same.
bool tell_the_same(notice one, notice const& other) noexcept
{
    one.notice_count = other.notice_count;
    one.notice_toggle = other.notice_toggle;
    return one == other;
}

} // namespace

trap_filter::trap_filter(trap_filter_options const& options)
    : options_{options}, heard_{options.sources}, rates_{options.sources}, total_{options.total, options.burst}
{
    options_.window = std::max(options_.window, duration{std::chrono::milliseconds{1}}); // a window must end
}

time_point trap_filter::not_before(time_point now) noexcept
{
    return last_now_ = std::max(last_now_, now);
}

bool trap_filter::may_pass(time_point now, lid source) noexcept
{
    auto* own = rates_.find(source.value());
    if (own == nullptr) {
        if (rates_.full())
            (void)rates_.take_oldest();
        own = &rates_.add(source.value(), {rate_limit{options_.per_source, options_.burst_per_source}});
    } else {
        rates_.renew(source.value());
    }
    return own->limit.allow(now) && total_.allow(now);
}

void trap_filter::forget_what_is_over(time_point now) noexcept
{
    while (!heard_.empty() && heard_.oldest().window_ends <= now && !heard_.oldest().holds)
        (void)heard_.take_oldest();
}

void trap_filter::remember(std::uint64_t key, heard what) noexcept
{
    if (heard_.full() && heard_.take_oldest().holds) {
        --held_;
        ++counters_.forgotten;
    }
    held_ += what.holds ? 1 : 0;
    (void)heard_.add(key, what);
}

trap_verdict trap_filter::on_trap(time_point now, lid source, notice const& told) noexcept
{
    now = not_before(now);
    forget_what_is_over(now);
    auto const key = key_of(source, told);
    if (auto* const before = heard_.find(key)) {
        counters_.replaced += before->holds && !tell_the_same(before->last.told, told) ? 1 : 0;
        before->last = {source, told};
        held_ += before->holds ? 0 : 1;
        before->holds = true;
        ++counters_.duplicates;
        return trap_verdict::duplicate;
    }
    bool const passes = may_pass(now, source);
    remember(key, {.window_ends = now + options_.window, .holds = !passes, .last = {source, told}});
    ++(passes ? counters_.delivered : counters_.flooded);
    return passes ? trap_verdict::deliver : trap_verdict::flooded;
}

std::optional<sourced_trap> trap_filter::next_due(time_point now) noexcept
{
    now = not_before(now);
    while (!heard_.empty() && heard_.oldest().window_ends <= now) {
        auto const key = heard_.oldest_key();
        auto one = heard_.take_oldest();
        if (!one.holds)
            continue;
        --held_;
        one.window_ends = now + options_.window;
        one.holds = !may_pass(now, one.last.source); // it may have to wait for another window
        auto const due = one.last;
        bool const passes = !one.holds;
        remember(key, one);
        if (passes) {
            ++counters_.delivered;
            return due;
        }
    }
    return std::nullopt;
}

} // namespace madrigal::engine
