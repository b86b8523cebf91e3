#include "fabric/pause.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace madrigal::detail {

namespace asio = boost::asio;

asio::awaitable<bool> pause_until(time_source& time, time_point when)
{
    if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none)
        co_return false;
    // A timer that never expires is what the coroutine waits on; the alarm, or who cancels, ends the waiting.
    asio::steady_timer bell{co_await asio::this_coro::executor, asio::steady_timer::time_point::max()};
    bool due = false;
    auto const alarm = time.make_alarm([&] {
        due = true;
        bell.cancel();
    });
    alarm->arm(when);
    boost::system::error_code ended;
    co_await bell.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    co_return due;
}

} // namespace madrigal::detail
