#include <madrigal/subnet/kept_answers.hpp>

#include <algorithm>
#include <utility>

namespace madrigal {

void kept_answers::make_room(std::size_t row, std::span<std::uint32_t const> modifiers)
{
    if (rows_.size() <= row)
        rows_.resize(row + 1);
    auto& places = rows_[row];
    auto const before = places.size();
    places.reserve(before + modifiers.size());
    for (auto const modifier : modifiers)
        places.push_back({modifier, 0});
    // Of equal modifiers the one that was there before stays, with its answer.
    std::stable_sort(
        places.begin(), places.end(), [](place const& a, place const& b) { return a.modifier < b.modifier; });
    places.erase(std::unique(places.begin(), places.end(),
                     [](place const& a, place const& b) { return a.modifier == b.modifier; }),
        places.end());
    places_ += places.size() - before;
}

bool kept_answers::keep(std::size_t row, std::uint32_t modifier, std::span<std::byte const> answer)
{
    if (row >= rows_.size())
        return false;
    auto const at = std::ranges::lower_bound(rows_[row], modifier, {}, &place::modifier);
    if (at == rows_[row].end() || at->modifier != modifier)
        return false;
    data whole{};
    std::copy_n(answer.begin(), std::min(answer.size(), whole.size()), whole.begin());
    auto const [known, is_new] = numbers_.try_emplace(whole, static_cast<std::uint32_t>(answers_.size() + 1));
    if (is_new)
        answers_.push_back(&known->first);
    at->answer = known->second;
    return true;
}

kept_answers::data const* kept_answers::find(std::size_t row, std::uint32_t modifier) const noexcept
{
    if (row >= rows_.size())
        return nullptr;
    auto const at = std::ranges::lower_bound(rows_[row], modifier, {}, &place::modifier);
    return at == rows_[row].end() || at->modifier != modifier || at->answer == 0 ? nullptr : answers_[at->answer - 1];
}

} // namespace madrigal
