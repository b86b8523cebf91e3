// A place in one line of text, moved forward by what is recognised there.
#pragma once

#include <madrigal/error.hpp>

#include <boost/outcome/policy/all_narrow.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal::topology::detail {

/// What was wrong with a line and what was expected, without file and line number.
struct complaint {
    std::string text;
};

template <class T>
using parsed = outcome::basic_result<T, complaint, outcome::policy::all_narrow>;

[[nodiscard]] constexpr bool is_blank(char c) noexcept
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept
{
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

class line_cursor {
public:
    constexpr explicit line_cursor(std::string_view line) noexcept : rest_{line} {}

    [[nodiscard]] constexpr std::string_view rest() const noexcept { return rest_; }
    [[nodiscard]] constexpr bool at_end() const noexcept { return rest_.empty(); }

    constexpr void skip_blanks() noexcept
    {
        while (!rest_.empty() && is_blank(rest_.front()))
            rest_.remove_prefix(1);
    }

    /// Moves past `word` where the line goes on with it.
    constexpr bool take(std::string_view word) noexcept
    {
        if (!rest_.starts_with(word))
            return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    /// Everything up to `end`, which is moved past; nothing where there is no `end`.
    constexpr std::optional<std::string_view> take_until(char end) noexcept
    {
        auto const at = rest_.find(end);
        if (at == std::string_view::npos)
            return std::nullopt;
        auto const found = rest_.substr(0, at);
        rest_.remove_prefix(at + 1);
        return found;
    }

    /// The next run of characters without blanks, blanks before it skipped; empty at the end of the line.
    constexpr std::string_view take_word() noexcept
    {
        skip_blanks();
        std::size_t length = 0;
        while (length != rest_.size() && !is_blank(rest_[length]))
            ++length;
        auto const word = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return word;
    }

    /// An unsigned number of at most 64 bits; nothing, and nothing moved, where there is none or a larger one.
    std::optional<std::uint64_t> take_number(int base) noexcept
    {
        std::uint64_t value = 0;
        auto const* const end = rest_.data() + rest_.size();
        auto const [stop, failure] = std::from_chars(rest_.data(), end, value, base);
        if (failure != std::errc{})
            return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
        return value;
    }

    /// A number as people write it: decimal, or hexadecimal behind `0x`.
    std::optional<std::uint64_t> take_any_number() noexcept
    {
        auto const before = rest_;
        if (take("0x") || take("0X")) {
            auto const value = take_number(16);
            if (!value)
                rest_ = before;
            return value;
        }
        return take_number(10);
    }

    /// Hexadecimal digits with or without `0x`.
    std::optional<std::uint64_t> take_hexadecimal() noexcept
    {
        auto const before = rest_;
        if (!take("0x"))
            take("0X");
        auto const value = take_number(16);
        if (!value)
            rest_ = before;
        return value;
    }

private:
    std::string_view rest_;
};

} // namespace madrigal::topology::detail
