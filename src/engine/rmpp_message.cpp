#include <madrigal/engine/rmpp_message.hpp>

#include <new>

namespace madrigal::engine {

std::span<std::byte const> rmpp_message::front() const noexcept
{
    if (begin_ == end_)
        return {};
    auto const in_chunk = chunk_size - begin_ % chunk_size;
    return {place(begin_), static_cast<std::size_t>(std::min(in_chunk, end_ - begin_))};
}

std::size_t rmpp_message::copy(std::span<std::byte> to, std::size_t skip) const noexcept
{
    auto from = begin_ + std::min(skip, readable());
    std::size_t copied = 0;
    while (copied != to.size() && from != end_) {
        auto const in_chunk = std::min<std::uint64_t>(chunk_size - from % chunk_size, end_ - from);
        auto const part = std::min(to.size() - copied, static_cast<std::size_t>(in_chunk));
        std::copy_n(place(from), part, to.begin() + static_cast<std::ptrdiff_t>(copied));
        copied += part;
        from += part;
    }
    return copied;
}

void rmpp_message::consume(std::size_t bytes) noexcept
{
    auto const old = begin_ / chunk_size;
    begin_ += std::min(bytes, readable());
    for (auto number = old; number != begin_ / chunk_size; ++number) {
        chunks_[number - base_].reset();
        budget_->give_back(chunk_cost);
    }
    // The list itself is cut when half of it is of no use, so that a message without end takes a bounded one.
    auto const unused = static_cast<std::size_t>(begin_ / chunk_size - base_);
    if (unused > 16 && unused > chunks_.size() / 2) {
        chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<std::ptrdiff_t>(unused));
        base_ += unused;
    }
}

std::vector<std::byte> rmpp_message::whole() const
{
    assert(begin_ == 0);
    std::vector<std::byte> all(headers_size_ + readable());
    std::copy_n(headers_.begin(), headers_size_, all.begin());
    copy(std::span{all}.subspan(headers_size_));
    return all;
}

void rmpp_message::set_headers(std::span<std::byte const> headers) noexcept
{
    headers_size_ = static_cast<std::uint8_t>(std::min(headers.size(), headers_.size()));
    std::copy_n(headers.begin(), headers_size_, headers_.begin());
}

bool rmpp_message::put(std::uint64_t at, std::span<std::byte const> data) noexcept
{
    if (data.empty())
        return true;
    if (at < begin_ || !grow(at + data.size()))
        return false;
    while (!data.empty()) {
        auto const part = std::min<std::size_t>(chunk_size - at % chunk_size, data.size());
        std::copy_n(data.begin(), part, place(at));
        at += part;
        data = data.subspan(part);
    }
    return true;
}

void rmpp_message::clear() noexcept
{
    for (auto& one : chunks_)
        if (std::exchange(one, nullptr))
            budget_->give_back(chunk_cost);
    chunks_ = std::vector<std::unique_ptr<chunk>>{};
    base_ = begin_ = end_ = 0;
}

void rmpp_message::swap(rmpp_message& other) noexcept
{
    std::swap(budget_, other.budget_);
    std::swap(headers_, other.headers_);
    std::swap(headers_size_, other.headers_size_);
    std::swap(chunks_, other.chunks_);
    std::swap(base_, other.base_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
}

std::byte* rmpp_message::place(std::uint64_t at) const noexcept
{
    return chunks_[static_cast<std::size_t>(at / chunk_size - base_)]->bytes.data() + at % chunk_size;
}

bool rmpp_message::grow(std::uint64_t up_to) noexcept
{
    auto const wanted = (up_to + chunk_size - 1) / chunk_size - base_;
    try {
        while (chunks_.size() < wanted) {
            if (!budget_ || !budget_->try_take(chunk_cost))
                return false;
            try {
                chunks_.emplace_back(std::unique_ptr<chunk>{new chunk});
            } catch (...) {
                budget_->give_back(chunk_cost);
                throw;
            }
        }
    } catch (std::bad_alloc const&) {
        return false;
    }
    return true;
}

} // namespace madrigal::engine
