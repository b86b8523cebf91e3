#include <madrigal/runtime/agent.hpp>

#include "runtime/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace madrigal {
namespace detail {

engine::packet_ptr make_question(
    agent_core& agent, destination const& to, question const& what, error_code& code) noexcept
{
    auto packet = agent.reactor().packets().acquire();
    if (!packet) {
        code = errc::queue_full;
        return packet;
    }
    code = build_request(*packet, agent.registration(), to, what);
    if (code)
        packet.reset();
    return packet;
}

engine::packet_ptr make_raw(agent_core& agent, raw_mad const& mad, error_code& code) noexcept
{
    auto packet = agent.reactor().packets().acquire();
    if (!packet) {
        code = errc::queue_full;
        return packet;
    }
    packet->assume(umad::header_size + mad_size); // every byte is set below
    build_header(*packet, mad_view{mad.bytes}.mgmt_class(), mad.to);
    std::copy(mad.bytes.begin(), mad.bytes.end(), packet->bytes.begin() + umad::header_size);
    return packet;
}

} // namespace detail

result<void> sender::try_send(raw_mad const& mad) const
{
    error_code code;
    auto packet = detail::make_raw(*agent_, mad, code);
    if (!packet)
        return error{code};
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
