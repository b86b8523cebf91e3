// The completion token that turns `(error_code, T)` into `result<T>`.
#pragma once

#include <madrigal/error.hpp>

#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace madrigal {

namespace asio = boost::asio;

/// The token inside a plain `as_result`: the operation begins when it is awaited.
struct when_awaited_t {};

/// Wraps a completion token: an operation that completes with `void(error_code, T)` completes with `void(result<T>)`,
/// and one that completes with `void(error_code)` with `void(result<void>)`. Without an inner token it is for
/// `co_await`, and gives a `pending_result`; `as_result(asio::use_awaitable)` gives an awaitable instead.
template <class Token = when_awaited_t>
struct as_result_t {
    /// Another token inside: `as_result(asio::use_future)`.
    template <class Other>
    [[nodiscard]] constexpr auto operator()(Other&& other) const
    {
        return as_result_t<std::decay_t<Other>>{std::forward<Other>(other)};
    }

    Token token{};
};

/// `auto answer = co_await agent.async_request(…, {}, madrigal::as_result);`
inline constexpr as_result_t<> as_result{};

namespace detail {

template <class Handler>
struct as_result_handler {
    Handler handler;

    void operator()(error_code code) { (*this)(error{code}); }
    void operator()(error const& why)
    {
        if (why.code())
            std::move(handler)(result<void>{why});
        else
            std::move(handler)(result<void>{outcome::success()});
    }
    /// The same of an operation that has a sentence of context to tell.
    template <class T>
    void operator()(error const& why, T&& value)
    {
        using result_type = result<std::decay_t<T>>;
        if (why.code())
            std::move(handler)(result_type{why});
        else
            std::move(handler)(result_type{std::forward<T>(value)});
    }
    template <class T>
    void operator()(error_code code, T&& value)
    {
        using result_type = result<std::decay_t<T>>;
        if (code)
            std::move(handler)(result_type{error{code}});
        else
            std::move(handler)(result_type{std::forward<T>(value)});
    }
};

template <class Signature>
struct result_signature;
template <>
struct result_signature<void(error_code)> {
    using type = void(result<void>);
};
template <class T>
struct result_signature<void(error_code, T)> {
    using type = void(result<std::decay_t<T>>);
};

} // namespace detail

/// An operation that begins when it is awaited, in any coroutine that is an `asio::awaitable`: it needs no coroutine
/// frame of its own. To be awaited once or never; it may be kept until then, and turns into an `asio::awaitable` where
/// one is wanted. It may also be given any completion token of `void(result<T>)`.
template <class Signature, class Initiation, class... Args>
class [[nodiscard]] pending_result;
/// The form for `void(Result)`, which is the only one.
template <class Result, class Initiation, class... Args>
class [[nodiscard]] pending_result<void(Result), Initiation, Args...> {
public:
    /// Made by `as_result`: keeps how to begin, and with what.
    template <class Begin, class... Values>
    explicit pending_result(std::in_place_t, Begin&& begin, Values&&... values)
        : initiation_{std::forward<Begin>(begin)}, args_{std::forward<Values>(values)...}
    {}

    /// Begins.
    template <asio::completion_token_for<void(Result)> Token>
    auto operator()(Token&& token) &&
    {
        return std::apply(
            [&](Args&... args) {
                return asio::async_initiate<Token, void(Result)>(std::move(initiation_), token, std::move(args)...);
            },
            args_);
    }
    operator asio::awaitable<Result>() && // NOLINT: what a coroutine gives
    {
        return std::move(*this)(asio::use_awaitable);
    }

private:
    Initiation initiation_;
    std::tuple<Args...> args_;
};

namespace detail {

/// Begins an operation with a handler of a result.
template <class Initiation>
struct result_initiation {
    Initiation initiation;

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args)
    {
        std::move(initiation)(
            as_result_handler<std::decay_t<Handler>>{std::forward<Handler>(handler)}, std::forward<Args>(args)...);
    }
};

} // namespace detail
} // namespace madrigal

template <class Token, class Signature>
class boost::asio::async_result<madrigal::as_result_t<Token>, Signature> {
    using result_signature = typename madrigal::detail::result_signature<Signature>::type;

public:
    template <class Initiation, class... Args>
    static auto initiate(Initiation&& initiation, [[maybe_unused]] madrigal::as_result_t<Token> token, Args&&... args)
    {
        using begin = madrigal::detail::result_initiation<std::decay_t<Initiation>>;
        if constexpr (std::is_same_v<Token, madrigal::when_awaited_t>)
            return madrigal::pending_result<result_signature, begin, std::decay_t<Args>...>{
                std::in_place, begin{std::forward<Initiation>(initiation)}, std::forward<Args>(args)...};
        else
            return boost::asio::async_initiate<Token, result_signature>(
                begin{std::forward<Initiation>(initiation)}, token.token, std::forward<Args>(args)...);
    }
};

template <template <class, class> class Associator, class Handler, class Default>
struct boost::asio::associator<Associator, madrigal::detail::as_result_handler<Handler>, Default>
    : Associator<Handler, Default> {
    static typename Associator<Handler, Default>::type get(
        madrigal::detail::as_result_handler<Handler> const& wrapper) noexcept
    {
        return Associator<Handler, Default>::get(wrapper.handler);
    }
    static auto get(madrigal::detail::as_result_handler<Handler> const& wrapper, Default const& fallback) noexcept
        -> decltype(Associator<Handler, Default>::get(wrapper.handler, fallback))
    {
        return Associator<Handler, Default>::get(wrapper.handler, fallback);
    }
};
