// Many questions at once.
#pragma once

#include <madrigal/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace madrigal {

namespace asio = boost::asio;

/// How `gather` works.
struct gather_options {
    std::size_t at_once = 256; ///< operations under way at a time, however large the agent's queue
};

namespace detail {

template <class Awaitable>
struct awaited;
template <class T, class Executor>
struct awaited<asio::awaitable<T, Executor>> {
    using type = T;
};
template <class T, class Initiation, class... Args>
struct awaited<pending_result<void(T), Initiation, Args...>> {
    using type = T;
};

/// What the workers of one `gather` share. They belong to one thread.
template <class Range, class Ask, class Outcome>
struct gathering {
    gathering(Range& items, Ask& how, asio::any_io_executor const& executor)
        : next{std::ranges::begin(items)},
          end{std::ranges::end(items)},
          ask{how},
          changed{executor, asio::steady_timer::time_point::max()}
    {}

    std::ranges::iterator_t<Range> next;
    std::ranges::sentinel_t<Range> end;
    Ask& ask;
    asio::steady_timer changed; // an operation has ended, or the last worker
    std::vector<std::optional<Outcome>> outcomes;
    std::size_t in_flight = 0;
    std::size_t workers = 0;
    std::exception_ptr thrown;
    bool cancelled = false;

    asio::awaitable<void> wait_for_change()
    {
        error_code ignored;
        co_await changed.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }

    asio::awaitable<void> work()
    {
        // Which types count is the caller's affair; it passes on what has passed its own filter.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_await asio::this_coro::throw_if_cancelled(false);
        while (next != end && !thrown && !cancelled) {
            auto item = next;
            ++next;
            auto const place = outcomes.size();
            outcomes.emplace_back();
            for (;;) {
                ++in_flight;
                auto outcome = co_await ask(*item);
                --in_flight;
                auto const state = co_await asio::this_coro::cancellation_state;
                cancelled = cancelled || state.cancelled() != asio::cancellation_type::none;
                if (outcome || outcome.error().code() != errc::queue_full) {
                    outcomes[place].emplace(std::move(outcome));
                    changed.cancel(); // and only now: a refusal makes no room for others
                    break;
                }
                if (thrown || cancelled)
                    break;
                // No room: whatever else fills the queue has to move on first.
                if (in_flight != 0)
                    co_await wait_for_change();
                else
                    co_await pause();
            }
        }
    }

    asio::awaitable<void> pause()
    {
        asio::steady_timer soon{changed.get_executor(), std::chrono::milliseconds{1}};
        error_code ignored;
        co_await soon.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
};

} // namespace detail

/// Calls `ask(item)` for each item, which must give what `as_result` gives or an `awaitable<result<T>>`, keeps several
/// under way, and returns the outcomes in the order of the items. The items must outlive the call.
///
///     auto outcomes = co_await gather(lids, [&](lid to) {
///         return agent.async_request(get<node_info>(to), {}, as_result);
///     });
///
/// @par Completion signature
/// An awaitable that gives a vector of `result<T>`, one for each item.
/// @par Completion condition
/// All operations have ended.
/// @par Errors
/// None of its own: each outcome has its error. An operation that finds the agent's queue full is started again when
/// there is room, so that errc::queue_full is never among the outcomes. An exception thrown by `ask` is thrown on when
/// all that was under way has ended, and no more is started.
/// @par Cancellation
/// Hands its type on to all that is under way; what has not been started has operation_aborted as its outcome.
/// @par Thread safety
/// Everything runs on the caller's executor, which must run one function at a time; `ask` is called there.
template <std::ranges::forward_range Range, class Ask>
[[nodiscard]] auto gather(Range&& items, Ask ask, gather_options options = {}) -> asio::awaitable<
    std::vector<typename detail::awaited<std::invoke_result_t<Ask&, std::ranges::range_reference_t<Range>>>::type>>
{
    using outcome_type =
        typename detail::awaited<std::invoke_result_t<Ask&, std::ranges::range_reference_t<Range>>>::type;
    using state_type = detail::gathering<std::remove_reference_t<Range>, Ask, outcome_type>;
    auto const executor = co_await asio::this_coro::executor;
    // Cancelled or not, the workers refer to this frame until they have ended.
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    state_type state{items, ask, executor};
    auto cancellation = co_await asio::this_coro::cancellation_state;
    auto parent = cancellation.slot();
    std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
    auto const wanted = std::max<std::size_t>(options.at_once, 1);
    for (std::size_t i = 0; i != wanted && state.next != state.end; ++i) {
        ++state.workers;
        signals.push_back(std::make_unique<asio::cancellation_signal>());
        asio::co_spawn(executor, state.work(),
            asio::bind_cancellation_slot(signals.back()->slot(), [&state](std::exception_ptr const& thrown) {
                if (thrown && !state.thrown)
                    state.thrown = thrown;
                --state.workers;
                state.changed.cancel();
            }));
    }
    while (state.workers != 0) {
        // Again each time, because each resumption of a coroutine clears its slot.
        if (parent.is_connected())
            parent.assign([&signals](asio::cancellation_type type) {
                for (auto const& signal : signals)
                    signal->emit(type);
            });
        co_await state.changed.async_wait(
            asio::as_tuple(asio::bind_cancellation_slot(asio::cancellation_slot{}, asio::use_awaitable)));
    }
    if (parent.is_connected())
        parent.clear();
    co_await asio::this_coro::throw_if_cancelled(throwing);
    if (state.thrown)
        std::rethrow_exception(state.thrown);
    std::vector<outcome_type> outcomes;
    outcomes.reserve(state.outcomes.size());
    for (auto& outcome : state.outcomes)
        outcomes.push_back(
            outcome ? std::move(*outcome) : outcome_type{error{error_code{asio::error::operation_aborted}}});
    for (; state.next != state.end; ++state.next)
        outcomes.push_back(outcome_type{error{error_code{asio::error::operation_aborted}}});
    co_return outcomes;
}

} // namespace madrigal
