#include "fabric/sa_transaction.hpp"

#include "fabric/redirection.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace madrigal::detail {
namespace {

/// Of a busy peer: so many equal intervals come before those that grow.
constexpr unsigned equal_busy_intervals = 4;
/// How often one question turns to somebody else because nobody has answered.
constexpr unsigned turn_limit = 2;

} // namespace

sa_transaction::sa_transaction(
    std::shared_ptr<sa_core> of, sa_question const& what, std::shared_ptr<sa_record_reader> reader)
    : of_{std::move(of)}, what_{what}, reader_{std::move(reader)}, busy_interval_{of_->options().busy_interval}
{}

asio::awaitable<result<received_mad>> sa_transaction::ask(raw_mad const& asked, request_options const& how) const
{
    if (!reader_) {
        auto whole = co_await of_->over().async_request(asked, how, as_result);
        co_return whole;
    }
    reader_->begin_again();
    auto const take = [reader = reader_](std::span<std::byte const> headers, std::span<std::byte const> data) {
        reader->take(headers, data);
    };
    raw_message const message{asked.to, asked.bytes};
    auto headers = co_await of_->over().async_stream(message, how, take, as_result);
    co_return headers;
}

asio::awaitable<error> sa_transaction::run(received_mad& answer)
{
    sa_places::place held;
    if (of_->places().waiting() >= of_->options().queue_limit)
        co_return errc::queue_full;
    bool const has_place = co_await of_->places().take(of_->on().time(), held);
    if (!has_place)
        co_return error{asio::error::operation_aborted};
    auto why = co_await run_at_once(answer);
    co_return why;
}

asio::awaitable<error> sa_transaction::run_at_once(received_mad& answer)
{
    if (auto const total = what_.how.total.value_or(of_->options().total); total.count() != 0) {
        auto const now = of_->now();
        deadline_ = total < std::chrono::floor<std::chrono::milliseconds>(never - now) ? now + total : never;
    }
    for (;;) {
        if (of_->closed())
            co_return errc::agent_closed;
        // Perhaps just when its turn had come.
        auto const cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none)
            co_return error{asio::error::operation_aborted};
        if (auto failed = aim(); failed.code())
            co_return failed;
        auto const how = terms();
        if (!how)
            co_return explain(errc::timeout);
        auto const asked = make_mad();
        auto got = co_await ask(asked, *how);
        if (!got) {
            bool const has_begun = reader_ && reader_->count() != 0; // whose records nobody can take back
            if (got.error() == errc::timeout && !has_begun && turn_elsewhere())
                continue;
            co_return explain(got.error().code());
        }
        answer = std::move(got).value();
        error why;
        bool const refused = reader_ && !reader_->refusal().empty();
        switch (judge(refused ? reader_->refusal() : answer.bytes(), why)) {
        case verdict::good: co_return error{};
        case verdict::failed: co_return why;
        case verdict::redirected: break;
        case verdict::busy: {
            auto const again = after_busy();
            if (!again)
                co_return explain(why.code(), fmt::format(", asked {} times", busy_));
            auto const waked = co_await of_->sleep(*again);
            if (waked == waking::cancelled)
                co_return error{asio::error::operation_aborted};
            break;
        }
        }
    }
}

error sa_transaction::aim()
{
    auto const seen = of_->look_at_port();
    if (!seen)
        return seen.error();
    subnet_ = seen.value();
    to_.reset();
    if (!subnet_.base_lid.is_unicast())
        return {errc::no_subnet_manager,
            fmt::format("{} has LID {} (has a subnet manager configured it?)", of_->name(), subnet_.base_lid.value())};
    if (!subnet_.sm_lid.is_unicast())
        return {errc::no_subnet_manager,
            fmt::format("{} has SM LID {} (is a subnet manager running?)", of_->name(), subnet_.sm_lid.value())};
    auto const& known = of_->redirection();
    redirected_ = known && known->from_sm == subnet_.sm_lid;
    to_ = redirected_ ? known->to : destination{subnet_.sm_lid}.with_sl(subnet_.sm_sl);
    return {};
}

raw_mad sa_transaction::make_mad() const noexcept
{
    raw_mad made{*to_, {}};
    sa_request const request{.method_of_mad = what_.ask,
        .sm_key = what_.how.sm_key.value_or(of_->options().sm_key),
        .attribute_modifier = what_.modifier};
    build_sa_request(made.bytes, request, what_.attribute_id, what_.component_mask);
    std::copy(what_.data.begin(), what_.data.end(), made.bytes.begin() + sa_data_offset);
    return made;
}

std::optional<request_options> sa_transaction::terms() const noexcept
{
    auto const& usual = of_->options();
    // The kernel's clock runs until a table is complete. One that the runtime puts together has the answer's first
    // segment as its answer.
    bool const whole_transfer = what_.ask == method::get_table && !usual.user_rmpp;
    request_options how{.timeout = what_.how.timeout.value_or(whole_transfer ? usual.table_timeout : usual.timeout),
        .retries = what_.how.retries.value_or(whole_transfer ? usual.table_retries : usual.retries),
        .total = std::nullopt,
        .doubling = !whole_transfer};
    if (deadline_ != never) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - of_->now());
        if (left.count() <= 0)
            return std::nullopt;
        how.total = left;
    }
    return how;
}

sa_transaction::verdict sa_transaction::judge(std::span<std::byte const> answer, error& why)
{
    if (!sa_view::from(answer)) {
        why = explain(errc::malformed_answer, fmt::format(": an answer of {} bytes", answer.size()));
        return verdict::failed;
    }
    mad_view const mad{answer};
    auto const status = mad.status();
    if ((status & mad_status::redirect_required) != 0)
        return follow(mad, why);
    if ((status & mad_status::busy) != 0) {
        ++busy_;
        ++of_->counters().busy;
        why = make_mad_status(management_class::subnet_administration, status);
        return verdict::busy;
    }
    if (status != 0) {
        why = explain(make_mad_status(management_class::subnet_administration, status));
        return verdict::failed;
    }
    if (mad.method() != response_to(what_.ask)) {
        why = explain(errc::malformed_answer, fmt::format(": an answer with method {}", to_string(mad.method())));
        return verdict::failed;
    }
    if (what_.attribute_id == attribute_id::class_port_info)
        learn(mad);
    return verdict::good;
}

sa_transaction::verdict sa_transaction::follow(mad_view mad, error& why)
{
    auto const info = mad.attribute<class_port_info>();
    auto const to = info ? redirected_destination(*info, of_->on()) : result<destination>{errc::malformed_answer};
    if (!to) {
        why = explain(to.error().code(), to.error().context().empty() ? "" : ": " + to.error().context());
        return verdict::failed;
    }
    if (++hops_ > sa_redirection_limit) {
        of_->set_redirection(std::nullopt);
        why = explain(errc::too_many_redirections, fmt::format(", which answers with redirection {}", hops_));
        return verdict::failed;
    }
    of_->set_redirection(sa_redirection{subnet_.sm_lid, to.value()});
    ++of_->counters().redirections;
    return verdict::redirected;
}

void sa_transaction::learn(mad_view mad)
{
    auto const info = mad.attribute<class_port_info>();
    if (!info || !names_redirection(*info))
        return;
    // One that cannot be followed is no error here: ClassPortInfo itself has been answered.
    if (auto const to = redirected_destination(*info, of_->on()); to && to.value().to_lid() != to_->to_lid())
        of_->set_redirection(sa_redirection{subnet_.sm_lid, to.value()});
}

bool sa_transaction::turn_elsewhere()
{
    if (redirected_)
        of_->set_redirection(std::nullopt);
    if (turns_ == turn_limit || of_->now() >= deadline_)
        return false;
    ++turns_;
    auto const seen = of_->look_at_port();
    return seen && (redirected_ || seen.value().sm_lid != subnet_.sm_lid);
}

std::optional<time_point> sa_transaction::after_busy() noexcept
{
    auto const longest = std::max<duration>(of_->options().longest_busy_interval, of_->options().busy_interval);
    if (busy_ > equal_busy_intervals)
        busy_interval_ = std::min(busy_interval_ > longest / 2 ? longest : 2 * busy_interval_, longest);
    auto const now = of_->now();
    if (busy_interval_ >= never - now || now + busy_interval_ >= deadline_)
        return std::nullopt;
    return now + busy_interval_;
}

error sa_transaction::explain(error_code code, std::string const& more) const
{
    return {code, fmt::format("{}({}) of subnet administration at {} through {}{}", to_string(what_.ask),
                      attribute_name(management_class::subnet_administration, what_.attribute_id),
                      to_ ? to_string(*to_) : "no LID", of_->name(), more)};
}

} // namespace madrigal::detail
