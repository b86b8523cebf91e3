// A message longer than a packet, in one piece.
#pragma once

#include <madrigal/engine/rmpp_message.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace madrigal::engine {

/// Bytes in one piece, charged to a budget as long as they live. Belongs to one thread at a time; it may end on any.
class whole_message {
public:
    whole_message() noexcept = default;
    whole_message(whole_message&& other) noexcept { swap(other); }
    whole_message& operator=(whole_message&& other) noexcept
    {
        whole_message{std::move(other)}.swap(*this);
        return *this;
    }
    ~whole_message()
    {
        if (budget_)
            budget_->give_back(charged_);
    }

    /// So many bytes, not set to anything. Empty where memory is short.
    [[nodiscard]] static whole_message uncharged(std::size_t size) noexcept
    {
        whole_message made;
        // Not zeroed: who allocates knows what he writes, and memory that is never touched costs nothing.
        made.bytes_.reset(new (std::nothrow) std::byte[size]); // NOLINT(cppcoreguidelines-owning-memory)
        made.size_ = made.bytes_ ? size : 0;
        return made;
    }
    /// The same, charged. Empty also where the budget has not as many.
    [[nodiscard]] static whole_message charged(std::size_t size, std::shared_ptr<rmpp_budget> budget) noexcept
    {
        whole_message made;
        if (!budget->try_take(size))
            return made;
        made = uncharged(size);
        made.charged_ = size;
        made.budget_ = std::move(budget);
        return made;
    }
    /// Charges it after all; false, and it stays uncharged, where the budget has not as many.
    [[nodiscard]] bool charge(std::shared_ptr<rmpp_budget> budget) noexcept
    {
        if (!budget->try_take(size_))
            return false;
        charged_ = size_;
        budget_ = std::move(budget);
        return true;
    }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// The bytes, to be written.
    [[nodiscard]] std::span<std::byte> bytes() noexcept { return {bytes_.get(), size_}; }
    /// The bytes.
    [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {bytes_.get(), size_}; }
    /// Forgets what is behind the first `size` bytes; the charge stays.
    void shorten(std::size_t size) noexcept { size_ = std::min(size, size_); }

    /// Exchanges all.
    void swap(whole_message& other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        std::swap(charged_, other.charged_);
        std::swap(budget_, other.budget_);
    }

private:
    std::unique_ptr<std::byte[]> bytes_; // NOLINT(modernize-avoid-c-arrays)
    std::size_t size_ = 0;
    std::size_t charged_ = 0;
    std::shared_ptr<rmpp_budget> budget_;
};

} // namespace madrigal::engine
