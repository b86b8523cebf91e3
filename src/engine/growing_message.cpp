#include <madrigal/engine/growing_message.hpp>

#include <algorithm>
#include <cassert>

namespace madrigal::engine {

growing_message::growing_message(std::size_t window)
    : ring_{new std::byte[std::max<std::size_t>(window, 1)]}, window_{std::max<std::size_t>(window, 1)} // NOLINT
{}

std::size_t growing_message::append(std::span<std::byte const> data) noexcept
{
    if (finished_)
        return 0;
    auto const taken = std::min(data.size(), room());
    auto const at = static_cast<std::size_t>(end_ % window_);
    auto const before_wrap = std::min(taken, window_ - at);
    std::copy_n(data.begin(), before_wrap, ring_.get() + at);
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(before_wrap), taken - before_wrap, ring_.get());
    end_ += taken;
    return taken;
}

std::size_t growing_message::copy(std::uint64_t offset, std::span<std::byte> into) const noexcept
{
    assert(offset >= begin_);
    if (offset >= end_)
        return 0;
    auto const size = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - offset));
    auto const at = static_cast<std::size_t>(offset % window_);
    auto const before_wrap = std::min(size, window_ - at);
    auto const rest = std::copy_n(ring_.get() + at, before_wrap, into.begin());
    std::copy_n(ring_.get(), size - before_wrap, rest);
    return size;
}

void growing_message::forget_before(std::uint64_t offset) noexcept
{
    begin_ = std::max(begin_, std::min(offset, end_));
}

} // namespace madrigal::engine
