// What nodes have answered, kept for the next one who wants to know.
#pragma once

#include <madrigal/wire/smp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace madrigal {

/// Answers to SMPs about one attribute, by row (a number that the user gives each node or port) and attribute modifier.
/// For attributes that only the subnet manager changes: P_Key tables, GUIDs, the tables of virtual lanes. What a node
/// has once answered stays true until it is written or the node restarts, which the next sweep sees.
///
/// Most nodes answer alike, so equal answers are in memory once: one more takes 8 bytes. Grows with what is kept; who
/// keeps more than is good begins a new one. Belongs to one thread.
class kept_answers {
public:
    using data = std::array<std::byte, smp_data_size>;

    /// These modifiers may be kept of a row from now on, beside those of earlier calls.
    void make_room(std::size_t row, std::span<std::uint32_t const> modifiers);
    /// Keeps an answer, in the place of an earlier one. What it has of more than 64 bytes is left out, of fewer the
    /// others are 0. False where there is no room for it.
    bool keep(std::size_t row, std::uint32_t modifier, std::span<std::byte const> answer);
    /// Null where nothing is kept. Valid as long as this object.
    [[nodiscard]] data const* find(std::size_t row, std::uint32_t modifier) const noexcept;

    /// Places, whether anything is kept in them or not.
    [[nodiscard]] std::size_t places() const noexcept { return places_; }
    /// Answers that differ from one another.
    [[nodiscard]] std::size_t different() const noexcept { return answers_.size(); }

private:
    struct place {
        std::uint32_t modifier;
        std::uint32_t answer; // its number and 1; 0 for none
    };

    std::vector<std::vector<place>> rows_; // by modifiers
    std::map<data, std::uint32_t> numbers_;
    std::vector<data const*> answers_; // by number
    std::size_t places_ = 0;
};

} // namespace madrigal
