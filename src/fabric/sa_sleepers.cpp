#include "fabric/sa_sleepers.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace madrigal::detail {

namespace asio = boost::asio;

/// Lives in the frame of its coroutine, and leaves the list with it.
struct sa_sleepers::sleeper {
    sleeper(asio::any_io_executor const& on, std::list<sleeper*>& in)
        : bell{on, asio::steady_timer::time_point::max()}, list{in}, place{in.insert(in.end(), this)}
    {}
    sleeper(sleeper const&) = delete;
    sleeper& operator=(sleeper const&) = delete;
    ~sleeper() { leave(); }

    void leave() noexcept
    {
        if (listed)
            list.erase(place);
        listed = false;
    }
    void wake()
    {
        leave();
        woken = true;
        bell.cancel();
    }

    asio::steady_timer bell; // never expires
    std::list<sleeper*>& list;
    std::list<sleeper*>::iterator place;
    bool listed = true;
    bool woken = false;
    bool due = false;
};

asio::awaitable<waking> sa_sleepers::sleep(time_source& time, time_point until)
{
    if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none)
        co_return waking::cancelled;
    sleeper me{co_await asio::this_coro::executor, sleeping_};
    std::unique_ptr<alarm> clock;
    if (until != never) {
        clock = time.make_alarm([&me] {
            me.due = true;
            me.bell.cancel();
        });
        clock->arm(until);
    }
    boost::system::error_code ended;
    co_await me.bell.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    if (me.woken)
        co_return waking::woken;
    co_return me.due ? waking::due : waking::cancelled;
}

bool sa_sleepers::wake_first()
{
    if (sleeping_.empty())
        return false;
    sleeping_.front()->wake();
    return true;
}

void sa_sleepers::wake_all()
{
    while (wake_first())
        ;
}

asio::awaitable<bool> sa_places::take(time_source& time, place& into)
{
    if (free_ == 0) {
        auto const why = co_await waiting_.sleep(time, never);
        if (why != waking::woken)
            co_return false;
    } else {
        --free_;
    }
    into.take(*this);
    co_return true;
}

void sa_places::give_back()
{
    // It goes to who waits without becoming free, so that nobody else comes in between.
    if (!waiting_.wake_first())
        ++free_;
}

} // namespace madrigal::detail
