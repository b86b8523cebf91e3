// A stack of its own for code that stops in the middle, with what the sanitizers must be told about it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MADRIGAL_FIBER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define MADRIGAL_FIBER_TSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MADRIGAL_FIBER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define MADRIGAL_FIBER_TSAN 1
#endif
#if MADRIGAL_FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#elif MADRIGAL_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace madrigal::testing {

/// Runs a function again and again, each time in pieces: `resume` runs it up to its next `pause`, or to its end.
class fiber {
public:
    explicit fiber(std::function<void()> body)
        : body_{std::move(body)}, stack_{std::make_unique_for_overwrite<std::byte[]>(stack_size)}
    {
        ::getcontext(&own_);
        own_.uc_stack.ss_sp = stack_.get();
        own_.uc_stack.ss_size = stack_size;
        own_.uc_link = nullptr;
        // makecontext hands over ints: the address goes in two halves.
        auto const self = reinterpret_cast<std::uintptr_t>(this);
        ::makecontext(&own_, reinterpret_cast<void (*)()>(&fiber::enter), 2, static_cast<unsigned>(self >> 32),
            static_cast<unsigned>(self));
#if MADRIGAL_FIBER_TSAN
        own_tsan_ = __tsan_create_fiber(0);
#endif
    }
    fiber(fiber const&) = delete;
    fiber& operator=(fiber const&) = delete;
    /// Between two runs only: what lies on the stack is not destroyed.
    ~fiber()
    {
        ending_ = true;
        resume();
#if MADRIGAL_FIBER_TSAN
        __tsan_destroy_fiber(own_tsan_);
#endif
    }

    /// From outside. Begins a new run where the last has ended.
    void resume()
    {
        ended_ = false;
#if MADRIGAL_FIBER_ASAN
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, stack_.get(), stack_size);
#elif MADRIGAL_FIBER_TSAN
        caller_tsan_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(own_tsan_, 0);
#endif
        ::swapcontext(&caller_, &own_);
#if MADRIGAL_FIBER_ASAN
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    }
    /// From inside.
    void pause()
    {
        leave(false);
    }
    /// Whether the function has ended since it was begun.
    [[nodiscard]] bool ended() const noexcept
    {
        return ended_;
    }

private:
    static constexpr std::size_t stack_size = std::size_t{256} << 10;

    static void enter(unsigned high, unsigned low)
    {
        auto& self = *reinterpret_cast<fiber*>(std::uintptr_t{high} << 32 | low);
        self.arrived(nullptr);
        while (!self.ending_) {
            self.body_();
            self.ended_ = true;
            self.leave(false);
        }
        self.leave(true);
    }
    void leave([[maybe_unused]] bool for_good)
    {
        void* fake = nullptr;
#if MADRIGAL_FIBER_ASAN
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fake, caller_stack_, caller_size_);
#elif MADRIGAL_FIBER_TSAN
        __tsan_switch_to_fiber(caller_tsan_, 0);
#endif
        ::swapcontext(&own_, &caller_);
        arrived(fake);
    }
    void arrived([[maybe_unused]] void* fake)
    {
#if MADRIGAL_FIBER_ASAN
        __sanitizer_finish_switch_fiber(fake, &caller_stack_, &caller_size_);
#endif
    }

    std::function<void()> body_;
    std::unique_ptr<std::byte[]> stack_;
    ucontext_t own_{};
    ucontext_t caller_{};
    bool ended_ = false;
    bool ending_ = false;
#if MADRIGAL_FIBER_ASAN
    void const* caller_stack_ = nullptr;
    std::size_t caller_size_ = 0;
#elif MADRIGAL_FIBER_TSAN
    void* own_tsan_ = nullptr;
    void* caller_tsan_ = nullptr;
#endif
};

} // namespace madrigal::testing
