#include <madrigal/engine/flow_window.hpp>

#include <algorithm>
#include <cstdint>

namespace madrigal::engine {

flow_window::flow_window(window_options options) noexcept : options_{options}
{
    options_.minimum = std::max(options_.minimum, 1U);
    options_.maximum = std::max(options_.maximum, options_.minimum);
    size_ =
        options_.adaptive ? std::clamp(options_.size, options_.minimum, options_.maximum) : std::max(options_.size, 1U);
}

void flow_window::adapt(bool late) noexcept
{
    if (late) {
        on_loss();
        return;
    }
    count_outcome();
    if (++answered_ + lost_ >= size_)
        grow();
}

unsigned flow_window::tolerated() const noexcept
{
    if (options_.tolerated_percent == 0)
        return 0;
    unsigned root = 1;
    while ((root + 1) * (root + 1) <= size_)
        ++root;
    return static_cast<unsigned>(std::uint64_t{options_.tolerated_percent} * size_ / 100) + root;
}

void flow_window::grow() noexcept
{
    answered_ = 0;
    lost_ = 0;
    // A window that was never full says nothing about what the fabric could bear.
    if (was_full_ && size_ < options_.maximum) {
        auto const step = options_.quick_start && !has_shrunk_ ? std::max(size_ / 4, 1U) : 1U;
        size_ = std::min(size_ + step, options_.maximum);
        was_full_ = in_use_ >= size_;
    }
}

void flow_window::on_loss() noexcept
{
    if (hold_ > 0) { // sent before the last decrease, as far as one can tell
        count_outcome();
        return;
    }
    ++lost_;
    if (lost_ > tolerated())
        shrink();
    else if (answered_ + lost_ >= size_)
        grow();
}

void flow_window::shrink() noexcept
{
    // All that is on the wire now was sent under the old window: its outcomes are no news.
    hold_ = std::max(size_, in_use_);
    size_ = std::max(size_ / 2, options_.minimum);
    answered_ = 0;
    lost_ = 0;
    has_shrunk_ = true;
    was_full_ = in_use_ >= size_;
}

void flow_window::count_outcome() noexcept
{
    if (hold_ > 0)
        --hold_;
}

} // namespace madrigal::engine
