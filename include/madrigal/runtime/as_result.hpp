// The completion token that turns `(error_code, T)` into `result<T>`.
#pragma once

#include <madrigal/error.hpp>

#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <type_traits>
#include <utility>

namespace madrigal {

namespace asio = boost::asio;

/// Wraps a completion token: an operation that completes with `void(error_code, T)` completes with `void(result<T>)`,
/// and one that completes with `void(error_code)` with `void(result<void>)`. Without an inner token it is for
/// `co_await`.
template <class Token = asio::use_awaitable_t<>>
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

    void operator()(error_code code)
    {
        if (code)
            std::move(handler)(result<void>{error{code}});
        else
            std::move(handler)(result<void>{outcome::success()});
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
} // namespace madrigal

template <class Token, class Signature>
class boost::asio::async_result<madrigal::as_result_t<Token>, Signature> {
    using result_signature = typename madrigal::detail::result_signature<Signature>::type;

public:
    template <class Initiation, class... Args>
    static auto initiate(Initiation&& initiation, madrigal::as_result_t<Token> token, Args&&... args)
    {
        return boost::asio::async_initiate<Token, result_signature>(
            [initiation = std::forward<Initiation>(initiation)]<class Handler, class... Inner>(
                Handler&& handler, Inner&&... inner) mutable {
                std::move(initiation)(
                    madrigal::detail::as_result_handler<std::decay_t<Handler>>{std::forward<Handler>(handler)},
                    std::forward<Inner>(inner)...);
            },
            token.token, std::forward<Args>(args)...);
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
