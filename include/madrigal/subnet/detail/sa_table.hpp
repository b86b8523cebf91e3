// The records of an answer that is a table, in one piece.
#pragma once

#include <madrigal/engine/rmpp_message.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace madrigal::detail {

/// Bytes charged to a budget as long as this lives, or whoever has been given the charge.
class table_charge {
public:
    table_charge() noexcept = default;
    table_charge(table_charge&& other) noexcept { swap(other); }
    table_charge& operator=(table_charge&& other) noexcept
    {
        table_charge{std::move(other)}.swap(*this);
        return *this;
    }
    ~table_charge()
    {
        if (budget_)
            budget_->give_back(bytes_);
    }

    /// So many bytes more of the same budget, or the first of this one. False, and nothing changed, where there are
    /// none left.
    [[nodiscard]] bool add(std::shared_ptr<engine::rmpp_budget> const& budget, std::size_t bytes) noexcept
    {
        if (!budget->try_take(bytes))
            return false;
        budget_ = budget;
        bytes_ += bytes;
        return true;
    }
    void swap(table_charge& other) noexcept
    {
        std::swap(budget_, other.budget_);
        std::swap(bytes_, other.bytes_);
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    std::shared_ptr<engine::rmpp_budget> budget_;
    std::size_t bytes_ = 0;
};

/// Records one behind the other. All memory is charged before it is taken.
class table_buffer {
public:
    /// Why there is no place for one more record.
    enum class room : std::uint8_t {
        yes,
        too_long, ///< the table itself is longer than one may be
        no_bytes, ///< others have the bytes now
    };

    /// Makes a place of so many bytes, all zero, behind what there is.
    [[nodiscard]] room append(
        std::size_t bytes, std::size_t longest, std::shared_ptr<engine::rmpp_budget> const& budget);
    /// The last place.
    [[nodiscard]] std::span<std::byte> last(std::size_t bytes) noexcept { return std::span{data_}.last(bytes); }

    [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return data_; }
    /// Empties it; what it has taken it keeps.
    void clear() noexcept { data_.clear(); }
    /// Empties it, and gives its charge away.
    [[nodiscard]] table_charge release() noexcept
    {
        data_ = {};
        return std::move(charge_);
    }

private:
    table_charge charge_; // of the capacity
    std::vector<std::byte> data_;
};

} // namespace madrigal::detail
