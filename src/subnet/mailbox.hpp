// Values for whoever waits for the next one.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/detail/sa_waiter.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace madrigal::detail {

/// A queue with a limit; where it is full the oldest value makes room. Belongs to the loop. Who waits is kept by the
/// loop and not by this, so that nobody keeps himself alive by waiting.
template <class T>
class mailbox {
public:
    /// At least one value.
    mailbox(asio::any_io_executor loop, std::size_t limit) : loop_{std::move(loop)}, limit_{limit == 0 ? 1 : limit} {}

    /// False where another value had to go.
    bool put(T value)
    {
        while (!readers_.empty()) {
            auto const next = readers_.front().lock();
            readers_.pop_front();
            if (next && !next->settled) {
                next->value = std::move(value);
                settle(*next, {});
                return true;
            }
        }
        bool const room = values_.size() < limit_;
        if (!room)
            values_.pop_front();
        values_.push_back(std::move(value));
        return room;
    }
    /// Tells the waiter of the next value, later; cancellation of any type ends that.
    void receive(sa_waiter_ptr<T> waiter, asio::cancellation_slot slot)
    {
        auto const one = std::make_shared<reader>(loop_, std::move(waiter));
        one->bell.async_wait([one](error_code) { one->waiter->complete(one->why, std::move(one->value)); });
        if (!values_.empty()) {
            one->value = std::move(values_.front());
            values_.pop_front();
            settle(*one, {});
        } else if (closed_) {
            settle(*one, *closed_);
        } else {
            std::erase_if(readers_, [](auto const& weak) {
                auto const known = weak.lock();
                return !known || known->settled;
            });
            readers_.push_back(one);
            if (slot.is_connected())
                slot.assign([weak = std::weak_ptr{one}](asio::cancellation_type) {
                    if (auto const waiting = weak.lock(); waiting && !waiting->settled)
                        settle(*waiting, error{asio::error::operation_aborted});
                });
        }
    }
    /// Everybody who waits is told why, and everybody who comes once the values are used up.
    void close(error why)
    {
        closed_ = why;
        for (auto const& weak : std::exchange(readers_, {}))
            if (auto const waiting = weak.lock(); waiting && !waiting->settled)
                settle(*waiting, why);
    }
    void clear() { values_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] T& front() noexcept { return values_.front(); }

private:
    struct reader {
        reader(asio::any_io_executor const& loop, sa_waiter_ptr<T> who)
            : bell{loop, asio::steady_timer::time_point::max()}, waiter{std::move(who)}
        {}
        asio::steady_timer bell; // never expires; ends when there is something to tell
        sa_waiter_ptr<T> waiter;
        T value{};
        error why;
        bool settled = false;
    };

    static void settle(reader& one, error why)
    {
        one.settled = true;
        one.why = std::move(why);
        one.bell.cancel();
    }

    asio::any_io_executor loop_;
    std::size_t limit_;
    std::deque<T> values_;
    std::deque<std::weak_ptr<reader>> readers_;
    std::optional<error> closed_;
};

} // namespace madrigal::detail
