#include <madrigal/runtime/agent.hpp>

#include "runtime/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <madrigal/wire/rmpp.hpp>

#include <algorithm>

namespace madrigal {
namespace detail {
namespace {

/// When one request is sent: its own options over the agent's.
engine::retry_schedule schedule_for(agent_core const& agent, request_options const& how) noexcept
{
    auto schedule = agent.usual_schedule();
    if (how.timeout)
        schedule.set_timeout(*how.timeout);
    if (how.retries)
        schedule.set_retries(*how.retries);
    if (how.total)
        schedule.set_total(*how.total);
    if (how.doubling)
        schedule.set_pace(
            *how.doubling ? engine::retry_policy::backoff::doubling : engine::retry_policy::backoff::fixed);
    return schedule;
}

/// With its packet still to be filled.
made_request make_request(agent_core& agent, destination const& to, request_options const& how) noexcept
{
    auto const schedule = schedule_for(agent, how);
    if (!schedule.can_be_followed())
        return {{}, errc::invalid_argument};
    auto made = agent.reactor().requests().acquire();
    auto packet = agent.reactor().packets().acquire();
    if (!made || !packet)
        return {{}, errc::queue_full};
    made->set_packet(std::move(packet));
    made->set_terms(agent.options().per_destination != 0 ? to.key() : 0, schedule);
    return {std::move(made)};
}

void copy_raw(engine::packet& packet, raw_mad const& mad) noexcept
{
    packet.assume(umad::header_size + mad_size); // every byte is set below
    build_header(packet, mad_view{mad.bytes}.mgmt_class(), mad.to);
    std::copy(mad.bytes.begin(), mad.bytes.end(), packet.bytes.begin() + umad::header_size);
}

/// Fills a packet with a message of any length.
errc copy_message(agent_core const& agent, engine::packet& packet, raw_message const& message)
{
    auto const mad = mad_view::from(message.bytes);
    if (!mad)
        return errc::invalid_argument;
    auto const size = std::min(message.bytes.size(), mad_size);
    std::copy_n(message.bytes.begin(), size, packet.prepare(umad::header_size + mad_size).begin() + umad::header_size);
    build_header(packet, mad->mgmt_class(), message.to);
    if (has_rmpp(mad->mgmt_class()))
        (void)set_rmpp_header(mutable_mad_view{packet.contents().subspan(umad::header_size)}, {});
    if (message.bytes.size() <= mad_size && mad->method() != method::get_multi)
        return errc{};
    return attach_message(agent, packet, message.bytes);
}

} // namespace

made_request make_question(
    agent_core& agent, destination const& to, question const& what, request_options const& how) noexcept
{
    auto made = make_request(agent, to, how);
    if (made.request && !build_request(made.request->packet(), agent.registration(), to, what))
        return {{}, errc::invalid_argument};
    return made;
}

made_request make_raw_request(agent_core& agent, raw_mad const& mad, request_options const& how) noexcept
{
    auto made = make_request(agent, mad.to, how);
    if (made.request)
        copy_raw(made.request->packet(), mad);
    return made;
}

made_request make_message_request(agent_core& agent, raw_message const& message, request_options const& how)
{
    auto made = make_request(agent, message.to, how);
    if (!made.request)
        return made;
    if (auto const refused = copy_message(agent, made.request->packet(), message); refused != errc{})
        return {{}, refused};
    return made;
}

std::shared_ptr<engine::data_stream> stream_to(made_request const& made, engine::data_sink sink)
{
    auto stream = std::make_shared<engine::data_stream>();
    stream->sink = std::move(sink);
    if (made.request) {
        auto& packet = made.request->packet();
        if (!packet.more)
            packet.more = std::make_unique<engine::packet_attachment>();
        packet.more->stream = stream;
    }
    return stream;
}

engine::packet_ptr make_packet(agent_core& agent, raw_mad const& mad) noexcept
{
    auto packet = agent.reactor().packets().acquire();
    if (packet)
        copy_raw(*packet, mad);
    return packet;
}

} // namespace detail

result<void> sender::try_send(raw_mad const& mad) const
{
    auto packet = detail::make_packet(*agent_, mad);
    if (!packet)
        return errc::queue_full;
    return agent_->try_send(std::move(packet));
}

void agent::close() noexcept
{
    if (core_)
        core_->close();
}

namespace {

/// The handlers of a server that are running; whoever waits for a change is woken by it.
struct running_handlers {
    explicit running_handlers(asio::any_io_executor const& executor)
        : changed{executor, asio::steady_timer::time_point::max()}
    {}

    std::size_t count = 0;
    asio::steady_timer changed;

    void one_ended()
    {
        --count;
        changed.cancel();
    }
    asio::awaitable<void> wait()
    {
        // Not to be cancelled: the handlers refer to what their server holds.
        co_await changed.async_wait(
            asio::as_tuple(asio::bind_cancellation_slot(asio::cancellation_slot{}, asio::use_awaitable)));
    }
};

asio::awaitable<void> handle(std::function<asio::awaitable<void>(request)> const& handler, request what)
{
    co_await handler(std::move(what));
}

} // namespace

asio::awaitable<error_code> agent::serve(
    std::function<asio::awaitable<void>(request)> handler, serve_options options) const
{
    auto const core = core_;
    auto const executor = core->reactor().executor();
    auto const running = std::make_shared<running_handlers>(executor);
    auto const shared_handler = std::make_shared<std::function<asio::awaitable<void>(request)>>(std::move(handler));
    error_code end;
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!end) {
        while (running->count >= std::max<std::size_t>(options.at_once, 1))
            co_await running->wait();
        if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) {
            end = asio::error::operation_aborted;
            break;
        }
        auto received = co_await detail::async_receive(core, as_result);
        if (!received) {
            end = received.error().code();
            break;
        }
        ++running->count;
        asio::co_spawn(executor, handle(*shared_handler, std::move(received).value()),
            [running, shared_handler](std::exception_ptr const& thrown) {
                running->one_ended();
                if (!thrown)
                    return;
                try {
                    std::rethrow_exception(thrown);
                } catch (std::exception const& what) {
                    detail::log().error("a request's handler has thrown: {}", what.what());
                } catch (...) {
                    detail::log().error("a request's handler has thrown something that is no exception");
                }
            });
    }
    while (running->count != 0)
        co_await running->wait();
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return end;
}

} // namespace madrigal
