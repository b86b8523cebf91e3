// Who waits for the end of an operation, whatever his completion token made him.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/detail/operation.hpp>
#include <madrigal/runtime/received_mad.hpp>
#include <madrigal/wire/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace madrigal::detail {

template <class Handler>
inline constexpr bool takes_error = false;
template <class Handler>
inline constexpr bool takes_error<as_result_handler<Handler>> = true;

/// Told once, from the loop; the handler is called on its own executor. Destroyed untold with the loop.
template <class T>
class sa_waiter {
public:
    sa_waiter() = default;
    sa_waiter(sa_waiter const&) = delete;
    sa_waiter& operator=(sa_waiter const&) = delete;
    virtual ~sa_waiter() = default;
    virtual void complete(error const& why, T value) = 0;
};
template <class T>
using sa_waiter_ptr = std::unique_ptr<sa_waiter<T>>;

/// Calls a handler of `void(error_code, value)`. The one behind `as_result` gets the sentence of context too.
template <class Handler>
class sa_completion {
public:
    template <class H>
    sa_completion(H&& handler, asio::any_io_executor const& loop) : bound_{std::forward<H>(handler), loop}
    {}
    template <class... Value>
    void operator()(error const& why, Value&&... value)
    {
        if constexpr (takes_error<Handler>)
            bound_(why, std::forward<Value>(value)...);
        else
            bound_(why.code(), std::forward<Value>(value)...);
    }

private:
    bound_handler<Handler> bound_;
};

/// Waits for a value as it is.
template <class T, class Handler>
class sa_value_waiter final : public sa_waiter<T> {
public:
    template <class H>
    sa_value_waiter(H&& handler, asio::any_io_executor const& loop) : completion_{std::forward<H>(handler), loop}
    {}
    void complete(error const& why, T value) override { completion_(why, std::move(value)); }

private:
    sa_completion<Handler> completion_;
};

/// Waits for nothing but the end.
struct sa_nothing {};
template <class Handler>
class sa_value_waiter<sa_nothing, Handler> final : public sa_waiter<sa_nothing> {
public:
    template <class H>
    sa_value_waiter(H&& handler, asio::any_io_executor const& loop) : completion_{std::forward<H>(handler), loop}
    {}
    void complete(error const& why, sa_nothing) override { completion_(why); }

private:
    sa_completion<Handler> completion_;
};

/// Waits for an answer that `Reader` makes something of.
template <class Reader, class Handler>
class sa_answer_waiter final : public sa_waiter<received_mad> {
public:
    template <class H>
    sa_answer_waiter(H&& handler, asio::any_io_executor const& loop) : completion_{std::forward<H>(handler), loop}
    {}
    void complete(error const& why, received_mad answer) override
    {
        typename Reader::value_type value{};
        error failed = why;
        if (!why.code())
            failed = Reader::read(answer, value);
        else if (Reader::may_be_none && mad_status_of(why.code()) == mad_status::sa_no_records)
            failed = {};
        completion_(failed, std::move(value));
    }

private:
    sa_completion<Handler> completion_;
};

/// Begins an operation of `void(error_code, T)`, or `void(error_code)` for `sa_nothing`: `begin(waiter, slot)`.
template <class T, class Waiter, class Token, class Begin>
auto initiate_sa(asio::any_io_executor loop, Token&& token, Begin&& begin)
{
    using signature = std::conditional_t<std::is_same_v<T, sa_nothing>, void(error_code), void(error_code, T)>;
    return asio::async_initiate<Token, signature>(
        [loop = std::move(loop), begin = std::forward<Begin>(begin)]<class Handler>(Handler&& handler) mutable {
            auto const slot = asio::get_associated_cancellation_slot(handler);
            begin(std::make_unique<typename Waiter::template of<std::decay_t<Handler>>>(
                      std::forward<Handler>(handler), loop),
                slot);
        },
        token);
}

/// Which waiter `initiate_sa` makes.
template <class T>
struct sa_waits_for {
    template <class Handler>
    using of = sa_value_waiter<T, Handler>;
};
template <class Reader>
struct sa_reads {
    template <class Handler>
    using of = sa_answer_waiter<Reader, Handler>;
};

} // namespace madrigal::detail
