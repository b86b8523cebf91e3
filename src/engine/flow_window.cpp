#include <madrigal/engine/flow_window.hpp>

#include <cmath>
#include <utility>

namespace madrigal::engine {

namespace {

constexpr unsigned largest = 65'536;        // so that nothing below overflows
constexpr unsigned whole = 1024;            // what shares are parts of
constexpr unsigned tolerated_share = 32;    // besides what links lose by themselves
constexpr unsigned most_of_links = 3 * 128; // a full queue may lose more than this of both a window and half of it
constexpr unsigned windows_in_round = 2;    // of outcomes: answers may overtake each other by so much
constexpr unsigned windows_in_trial = 8;    // of places, at least; while it doubles one is enough
constexpr unsigned patience = 32;           // clogged trials that only links explain
constexpr unsigned enough_to_pass = 32;     // places in a trial, at least
constexpr unsigned enough_to_fail = 256;    // or to compare: what a few have lost by chance looks like a full queue

} // namespace

flow_window::flow_window(window_options options) noexcept : options_{options}
{
    options_.minimum = std::clamp(options_.minimum, 1U, largest);
    options_.maximum = std::clamp(options_.maximum, options_.minimum, largest);
    size_ =
        options_.adaptive ? std::clamp(options_.size, options_.minimum, options_.maximum) : std::max(options_.size, 1U);
}

void flow_window::forget(round taken_in) noexcept
{
    --of(taken_in).sent;
    --flight_;
}

void flow_window::answered(round taken_in, unsigned lost) noexcept
{
    if (lost == 0 && taken_in != no_round && !is_recent(taken_in))
        lost_ -= std::min(lost_, 1U);        // it was only slow
    if (lost != 0 || !is_recent(taken_in)) { // it was missing, or will be; one of those lost was the first transmission
        resends_lost_ += std::max(lost, 1U) - 1;
        ++resends_answered_;
    }
    count(taken_in, lost == 0);
}

void flow_window::count(round taken_in, bool in_time) noexcept
{
    if (!is_recent(taken_in))
        return;
    auto& in = of(taken_in);
    ++(in_time ? in.answered : in.lost);
    --flight_;
    if (++outcomes_ >= windows_in_round * size_)
        end_round();
}

void flow_window::end_round() noexcept
{
    outcomes_ = 0;
    if (previous_.counts) {
        sent_ += previous_.sent;
        lost_ += previous_.sent - previous_.answered;
    }
    flight_ -= previous_.open();
    previous_ = current_;
    current_ = {};
    ++round_;
    judge();
}

/// A comparison needs nothing for chance: where it errs, it is made again.
unsigned flow_window::tolerated(unsigned sent) const noexcept
{
    auto const share = before_ != 0 ? before_share_ / 2 : own_share_ + tolerated_share;
    auto const by_chance = before_ != 0 ? 1U : static_cast<unsigned>(std::sqrt(static_cast<double>(sent)));
    return sent * share / whole + by_chance;
}

void flow_window::judge() noexcept
{
    bool const doubles = caution_ == 0 && before_ == 0 && size_ < options_.maximum;
    auto const enough =
        std::max(before_ != 0 ? enough_to_fail : enough_to_pass, (doubles ? 1 : windows_in_trial) * size_);
    if (lost_ > tolerated(std::max({sent_, enough, enough_to_fail})))
        fail();
    else if (sent_ != 0 && sent_ >= enough && lost_ <= tolerated(sent_))
        pass();
    else
        return;
    sent_ = lost_ = resends_lost_ = resends_answered_ = 0;
    was_full_ = free() == 0;
}

void flow_window::pass() noexcept
{
    auto const share = lost_ * whole / sent_;
    if (share < own_share_)
        own_share_ -= (own_share_ - share + 3) / 4;
    bool const is_clogged = missing() > size_ / 4;
    bool const resends_fail = resends_lost_ > resends_answered_ / 2 + size_ / 16;
    bool const grew = std::exchange(has_grown_, false);
    if (before_ != 0) { // half the window has lost at most half as much
        before_ = 0;
        caution_ = patience;
    } else if (is_clogged && (resends_fail || (grew && caution_ != 0))) {
        resize(size_ - size_ / 4);
        caution_ = patience;
    } else if (is_clogged && caution_ != 0) {
        if (resends_answered_ > size_ / 8)
            --caution_;
    } else if (was_full_ && size_ < options_.maximum) {
        has_grown_ = true;
        resize(size_ + (caution_ != 0 ? std::max(size_ / 8, 1U) : size_));
    }
}

void flow_window::fail() noexcept
{
    auto const share = lost_ * whole / sent_;
    has_grown_ = false;
    if (before_ != 0 && share <= most_of_links) { // half the window has lost more than half as much
        own_share_ = share;
        resize(before_);
        before_ = 0;
    } else if (size_ == options_.minimum) { // nothing to compare with
        own_share_ = std::min(share, most_of_links);
        before_ = 0;
    } else if (share <= most_of_links) {
        before_ = size_;
        before_share_ = share;
        resize(size_ / 2);
    } else {
        before_ = 0;
        caution_ = patience;
        resize(size_ / 2);
    }
}

void flow_window::resize(unsigned size) noexcept
{
    size = std::clamp(size, options_.minimum, options_.maximum);
    if (size != size_)
        previous_.counts = false; // its places were taken under another one
    size_ = size;
}

} // namespace madrigal::engine
