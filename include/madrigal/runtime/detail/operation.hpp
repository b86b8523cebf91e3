// A completion handler of any type, kept in place: what a transaction slot holds for its waiting caller.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/system_executor.hpp>

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace madrigal::detail {

namespace asio = boost::asio;

/// A move-only `void(error_code const&, engine::packet_ptr&)`, called once. It may take the packet or leave it. Small
/// functions stay inside; only larger ones are put on the heap, so that a request costs no allocation.
class operation {
public:
    operation() noexcept = default;

    template <class Function>
    requires(!std::is_same_v<std::decay_t<Function>, operation>) explicit operation(Function&& function) // NOLINT
    {
        emplace<std::decay_t<Function>>(std::forward<Function>(function));
    }

    /// Puts a function into an empty operation.
    template <class Function, class... Args>
    void emplace(Args&&... args)
    {
        assert(table_ == nullptr);
        if constexpr (sizeof(Function) <= capacity && alignof(Function) <= alignof(void*) && // NOLINT
                      std::is_nothrow_move_constructible_v<Function>) {
            new (storage_) Function(std::forward<Args>(args)...);
            table_ = &in_place_table<Function>;
        } else {
            new (storage_) Function*(new Function(std::forward<Args>(args)...));
            table_ = &heap_table<Function>;
        }
    }

    operation(operation&& other) noexcept { take(other); }
    operation& operator=(operation&& other) noexcept
    {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~operation() { reset(); }

    [[nodiscard]] explicit operator bool() const noexcept { return table_ != nullptr; }

    /// Completes; the operation is empty afterwards, and already while the handler runs.
    void complete(error_code const& code, engine::packet_ptr& answer)
    {
        std::exchange(table_, nullptr)->call(storage_, code, answer);
    }

    void reset() noexcept
    {
        if (table_)
            std::exchange(table_, nullptr)->destroy(storage_);
    }

private:
    struct table {
        void (*call)(void*, error_code const&, engine::packet_ptr&); // and destroy: before the function runs
        void (*relocate)(void* from, void* to) noexcept;
        void (*destroy)(void*) noexcept;
    };

    static constexpr std::size_t capacity = 56;

    template <class T>
    static constexpr table in_place_table{[](void* at, error_code const& code, engine::packet_ptr& answer) {
                                              T function{std::move(*static_cast<T*>(at))};
                                              static_cast<T*>(at)->~T();
                                              function(code, answer);
                                          },
        [](void* from, void* to) noexcept {
            new (to) T(std::move(*static_cast<T*>(from)));
            static_cast<T*>(from)->~T();
        },
        [](void* at) noexcept { static_cast<T*>(at)->~T(); }};

    template <class T>
    static constexpr table heap_table{[](void* at, error_code const& code, engine::packet_ptr& answer) {
                                          std::unique_ptr<T> const function{*static_cast<T**>(at)};
                                          (*function)(code, answer);
                                      },
        [](void* from, void* to) noexcept { new (to) T*(*static_cast<T**>(from)); },
        [](void* at) noexcept { delete *static_cast<T**>(at); }};

    void take(operation& other) noexcept
    {
        table_ = std::exchange(other.table_, nullptr);
        if (table_)
            table_->relocate(other.storage_, storage_);
    }

    alignas(void*) std::byte storage_[capacity];
    table const* table_ = nullptr;
};

/// True where a handler names an executor of its own: then its associated executor is not just the default that one
/// proposes.
template <class Handler>
inline constexpr bool names_executor =
    !std::is_same_v<asio::associated_executor_t<Handler, asio::any_io_executor>, asio::any_io_executor> ||
    !std::is_same_v<asio::associated_executor_t<Handler, asio::system_executor>, asio::system_executor>;

/// Calls a handler where it wants to be called, with the cancellation of the operation taken off first. A handler of
/// the loop's own executor is called at once, any other is dispatched to its executor, whose context is kept busy
/// meanwhile.
template <class Handler>
class bound_handler {
public:
    template <class H>
    bound_handler(H&& handler, [[maybe_unused]] asio::any_io_executor const& loop) : handler_{std::forward<H>(handler)}
    {
        if constexpr (names_executor<Handler>) {
            auto const& own = asio::get_associated_executor(handler_, loop);
            if constexpr (std::is_same_v<std::decay_t<decltype(own)>, asio::any_io_executor>) {
                if (own == loop)
                    return;
            }
            asio::any_io_executor any{own};
            if (any != loop)
                foreign_ = std::make_unique<asio::any_io_executor>(
                    asio::prefer(std::move(any), asio::execution::outstanding_work.tracked));
        }
    }

    template <class... Args>
    void operator()(Args&&... args)
    {
        if constexpr (names_executor<Handler>) {
            if (foreign_) {
                auto executor = std::move(*foreign_);
                asio::dispatch(executor, [handler = std::move(handler_),
                                             ... arguments = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
                    clear(handler);
                    std::move(handler)(std::move(arguments)...);
                });
                return;
            }
        }
        clear(handler_);
        std::move(handler_)(std::forward<Args>(args)...);
    }

private:
    static void clear(Handler& handler) noexcept
    {
        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
            slot.clear();
    }

    struct none {};

    Handler handler_;
    [[no_unique_address]] std::conditional_t<names_executor<Handler>, std::unique_ptr<asio::any_io_executor>, none>
        foreign_;
};

/// The end of an operation that has nothing but its error code to tell.
template <class Handler>
class completion {
public:
    template <class H>
    completion(H&& handler, asio::any_io_executor const& loop) : bound_{std::forward<H>(handler), loop}
    {}
    void operator()(error_code const& code, engine::packet_ptr&) { bound_(code); }

private:
    bound_handler<Handler> bound_;
};

} // namespace madrigal::detail
