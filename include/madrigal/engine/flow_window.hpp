// How many requests may be on the wire at a time.
#pragma once

#include <cassert>

namespace madrigal::engine {

/// How many requests an agent may have on the wire.
struct window_options {
    unsigned size = 64;      ///< requests on the wire; where it starts if adaptive
    bool adaptive = false;   ///< additive increase, multiplicative decrease between `minimum` and `maximum`
    unsigned minimum = 1;    ///< adaptive only; at least 1
    unsigned maximum = 1024; ///< adaptive only; at least `minimum`
    /// Adaptive only: of a window's worth of outcomes so many percent may be losses before it shrinks, and, as few
    /// outcomes say little, the square root of the window besides. Links that lose a few packets by themselves,
    /// whatever the window, then cost no more than those packets; what a window too large loses by congestion is more
    /// than that soon. 0: any loss counts.
    unsigned tolerated_percent = 0;
    /// Adaptive only: a quarter more places instead of one, until the window has shrunk for the first time.
    bool quick_start = false;
};

/// Places for requests on the wire. Fixed, or adaptive as TCP's congestion window is (RFC 5681, congestion avoidance):
/// one place more for each window's worth of answers in time, provided that the window had been full; half the places
/// after a loss that is not tolerated, at most once for each window's worth of outcomes, as requests sent before the
/// decrease say nothing about the smaller window. An answer later than one `timeout_ms` counts as a loss, because the
/// kernel had to send its request again; so does a final timeout.
///
/// A window that shrinks below what is in use takes nothing back: `try_take` fails until enough have been given back.
class flow_window {
public:
    /// Impossible options are mended: sizes are at least 1 and, if adaptive, within minimum and maximum.
    explicit flow_window(window_options options = {}) noexcept;

    /// Takes a place if there is one.
    [[nodiscard]] bool try_take() noexcept
    {
        if (in_use_ >= size_)
            return false;
        ++in_use_;
        was_full_ = was_full_ || in_use_ == size_;
        return true;
    }
    /// Gives a place back that was taken.
    void give_back() noexcept
    {
        assert(in_use_ > 0 && "a place is given back that nobody took");
        if (in_use_ > 0)
            --in_use_;
    }
    /// A request was answered; `late` if after more than one `timeout_ms`. Says nothing about its place.
    void on_answer(bool late) noexcept
    {
        if (options_.adaptive)
            adapt(late);
    }
    /// A request ended without an answer. Says nothing about its place.
    void on_timeout() noexcept
    {
        if (options_.adaptive)
            on_loss();
    }

    [[nodiscard]] unsigned size() const noexcept { return size_; }
    [[nodiscard]] unsigned in_use() const noexcept { return in_use_; }
    [[nodiscard]] unsigned free() const noexcept { return size_ > in_use_ ? size_ - in_use_ : 0; }

private:
    void adapt(bool late) noexcept;
    void on_loss() noexcept;
    [[nodiscard]] unsigned tolerated() const noexcept;
    void grow() noexcept;
    void shrink() noexcept;
    void count_outcome() noexcept;

    window_options options_;
    unsigned size_;
    unsigned in_use_ = 0;
    unsigned answered_ = 0; // answers in time since the last change of size
    unsigned lost_ = 0;     // losses, likewise; only where some are tolerated
    unsigned hold_ = 0;     // outcomes to come before a loss counts again
    bool has_shrunk_ = false;
    bool was_full_ = false; // since the last change of size
};

} // namespace madrigal::engine
