// An io_uring of one thread.
#pragma once

#include <madrigal/error.hpp>

#include <liburing.h>

#include <cerrno>
#include <chrono>
#include <optional>

namespace madrigal::bench {

/// Submission and completion queue. What a completion leads to in the kernel runs when this thread asks for
/// completions, and never in between (Linux 6.1).
class ring {
public:
    /// Errors: the kernel has no io_uring, or does not allow it (sysctl kernel.io_uring_disabled).
    [[nodiscard]] static std::optional<error> make(ring& into, unsigned entries)
    {
        io_uring_params how{};
        how.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
        how.cq_entries = 4 * entries;
        if (auto const got = ::io_uring_queue_init_params(entries, &into.ring_, &how); got < 0)
            return errno_error(-got, "io_uring_setup");
        into.open_ = true;
        return std::nullopt;
    }
    ring() = default;
    ring(ring const&) = delete;
    ring& operator=(ring const&) = delete;
    ~ring()
    {
        if (open_)
            ::io_uring_queue_exit(&ring_);
    }

    [[nodiscard]] ::io_uring* get() noexcept { return &ring_; }
    /// A place for one more operation. Submits what has been queued where there is none left.
    [[nodiscard]] io_uring_sqe* next() noexcept
    {
        auto* place = ::io_uring_get_sqe(&ring_);
        if (place == nullptr) {
            (void)::io_uring_submit(&ring_);
            place = ::io_uring_get_sqe(&ring_);
        }
        return place;
    }
    /// Submits what has been queued and lets what has completed be seen, without waiting.
    void submit() noexcept { (void)::io_uring_submit_and_get_events(&ring_); }
    /// The same, waiting for one completion; false when none came in time.
    [[nodiscard]] bool submit_and_wait(std::chrono::nanoseconds at_most) noexcept
    {
        auto const whole = std::chrono::duration_cast<std::chrono::seconds>(at_most);
        __kernel_timespec limit{whole.count(), (at_most - whole).count()};
        io_uring_cqe* first = nullptr;
        int got = 0;
        do
            got = ::io_uring_submit_and_wait_timeout(&ring_, &first, 1, &limit, nullptr);
        while (got == -EINTR);
        return got != -ETIME;
    }
    /// Visits every completion that can be seen, and takes it out.
    template <class Visit>
    unsigned each(Visit const& visit)
    {
        unsigned head = 0;
        unsigned count = 0;
        io_uring_cqe* one = nullptr;
        io_uring_for_each_cqe(&ring_, head, one)
        {
            visit(*one);
            ++count;
        }
        ::io_uring_cq_advance(&ring_, count);
        return count;
    }

private:
    ::io_uring ring_{};
    bool open_ = false;
};

} // namespace madrigal::bench
