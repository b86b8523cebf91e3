#include "fabric/log.hpp"
#include "fabric/pause.hpp"

#include <madrigal/fabric/ping.hpp>
#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/status.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <unistd.h>

namespace madrigal {
namespace {

static_assert(ping_oui == umad::openib_oui);

umad::registration registration_for(std::uint32_t oui) noexcept
{
    return umad::vendor_class(static_cast<std::uint8_t>(ping_class), oui);
}

/// The kernel does not find the way, now: a GID on Ethernet that nobody answers for.
bool is_unreachable(error_code code) noexcept
{
    return code.category() == boost::system::system_category() &&
           (code.value() == ETIMEDOUT || code.value() == EHOSTUNREACH || code.value() == ENETUNREACH);
}

bool is_loss(error_code code) noexcept
{
    return is_unreachable(code) || code == errc::timeout || code == errc::malformed_answer ||
           code.category() == mad_status_category();
}

} // namespace

bool nobody_serves_pings(error_code code) noexcept
{
    return mad_status_of(code) == mad_status::unsupported_method_attribute;
}

result<ping_client> ping_client::open(port const& on, ping_options const& options)
{
    agent_options how;
    how.retry.timeout = options.timeout;
    how.retry.retries = 0;
    BOOST_OUTCOME_TRY(auto registered, on.register_agent(registration_for(options.oui), how));
    return ping_client{std::make_shared<state>(state{on, std::move(registered), options})};
}

asio::awaitable<result<ping_answer>> ping_client::ping(destination to) const
{
    raw_mad question{to, {}};
    build_ping(question.bytes, state_->options.oui);
    auto const sent = time().now();
    auto const got = co_await state_->over.async_request(question, {}, as_result);
    auto const round_trip = time().now() - sent;
    if (!got)
        co_return got.error();
    auto const& answer = got.value();
    auto const mad = answer.mad();
    if (auto const status = make_mad_status(mad.mgmt_class(), mad.status()))
        co_return error{status, "ping of " + to_string(to)};
    if (!is_ping_answer(mad, state_->options.oui))
        co_return error{errc::malformed_answer, "ping of " + to_string(to)};
    co_return ping_answer{ping_name(mad), answer.source(), answer.source_gid(), round_trip};
}

asio::awaitable<ping_statistics> ping_series(ping_client with, destination to, ping_series_options options)
{
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    ping_statistics came_to;
    auto const aborted = asio::error::make_error_code(asio::error::operation_aborted);
    for (ping_outcome one; !options.count || came_to.sent < *options.count;) {
        if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) {
            came_to.ended = aborted;
            break;
        }
        auto const next = with.time().now() + options.interval;
        one.answer = co_await with.ping(to);
        if (!one.answer && !is_loss(one.answer.error().code())) {
            came_to.ended = one.answer.error();
            break;
        }
        one.sequence = ++came_to.sent;
        if (one.answer) {
            auto const took = one.answer.value().round_trip;
            came_to.minimum = came_to.received == 0 ? took : std::min(came_to.minimum, took);
            came_to.maximum = std::max(came_to.maximum, took);
            came_to.total += took;
            ++came_to.received;
        }
        if (options.on_outcome && !options.on_outcome(one))
            break;
        if (came_to.sent != options.count && options.interval.count() > 0 &&
            !co_await detail::pause_until(with.time(), next)) {
            came_to.ended = aborted;
            break;
        }
    }
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return came_to;
}

result<ping_server> ping_server::open(port const& on, ping_server_options options)
{
    auto const wanted = registration_for(options.oui);
    auto registered = on.register_agent(wanted.serving(method::get));
    if (registered)
        return ping_server{std::move(registered).value(), std::move(options)};
    // The errno for a method that is taken has other meanings too; none of them would let a client in.
    auto const& refusal = registered.error();
    if (refusal.code() != errc::registration_refused || !on.register_agent(wanted))
        return refusal;
    auto const& own = on.attributes();
    return error{refusal.code(),
        fmt::format("pings of OUI {:#08x} are answered on {} already, by another ping server or an ibping -S",
            options.oui, umad::port_name(own.ca_name, own.number))};
}

asio::awaitable<error_code> ping_server::serve()
{
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    error_code ended;
    while (!options_.count || answered_ < *options_.count) {
        if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) {
            ended = asio::error::operation_aborted;
            break;
        }
        auto asked = co_await over_.async_receive(as_result);
        if (!asked) {
            ended = asked.error().code();
            break;
        }
        auto& ping = asked.value();
        auto const from = to_string(ping.received().reply_to());
        if (!is_ping(ping.mad(), options_.oui)) {
            detail::fabric_log().debug("what came from {} is no ping", from);
            continue;
        }
        put_ping_name(ping.payload().bytes(), options_.name);
        if (auto const sent = co_await ping.reply(); sent) {
            ++answered_;
            detail::fabric_log().debug("answered the ping of {}", from);
        } else {
            detail::fabric_log().warn("the ping of {} cannot be answered: {}", from, sent.error().message());
        }
    }
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return ended;
}

std::string host_name()
{
    std::array<char, ping_name_size> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0)
        return {};
    return name.data();
}

} // namespace madrigal
