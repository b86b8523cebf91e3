// A lock that a fork does not break.
#pragma once

#include <atomic>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

namespace madrigal::remote {

/// For a system call or two at a time. Where it was held at a fork, by a thread that the child does not have, the child
/// takes it over.
class process_lock {
public:
    void lock() noexcept
    {
        auto const me = ::getpid();
        for (pid_t holder = 0; !holder_.compare_exchange_weak(holder, me, std::memory_order_acquire); holder = 0) {
            if (holder != 0 && holder != me && holder_.compare_exchange_strong(holder, me, std::memory_order_acquire))
                return;
            std::this_thread::yield();
        }
    }
    void unlock() noexcept { holder_.store(0, std::memory_order_release); }

private:
    std::atomic<pid_t> holder_ = 0;
};

} // namespace madrigal::remote
