// The set of methods that an agent answers.
#pragma once

#include <array>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace madrigal::umad {

/// A set of the methods 0x00 to 0x7F, as registration hands it to the kernel: the unsolicited MADs that an agent wants.
/// Responses (methods with the bit 0x80) are never in it: they find the agent by their transaction id.
///
/// Trivially destructible, so it may stand in braces inside a `co_await` expression.
class method_mask {
public:
    /// How many methods there are (IBA 13.4.5: seven bits and the response bit).
    static constexpr unsigned size = 128;

    constexpr method_mask() noexcept = default;

    /// The set of the methods named: `method_mask::of(0x01, 0x02)`; enumerators of `std::uint8_t` are taken too.
    template <class... Methods>
    [[nodiscard]] static constexpr method_mask of(Methods... methods)
    {
        method_mask mask;
        (mask.set(static_cast<std::uint8_t>(methods)), ...);
        return mask;
    }

    /// The set as REGISTER_AGENT2 and `umad_register2` have it: method m is bit m mod 64 of word m div 64.
    [[nodiscard]] static constexpr method_mask from_words(std::array<std::uint64_t, 2> const& words) noexcept
    {
        method_mask mask;
        mask.words_ = words;
        return mask;
    }

    /// Adds a method. A response method (0x80 and above) is a programming error: std::out_of_range.
    constexpr method_mask& set(std::uint8_t method)
    {
        if (method >= size)
            throw std::out_of_range{"a response method cannot be registered"};
        words_[method / 64] |= std::uint64_t{1} << method % 64;
        return *this;
    }

    /// Whether the method is in the set; false for every response method.
    [[nodiscard]] constexpr bool test(std::uint8_t method) const noexcept
    {
        return method < size && (words_[method / 64] >> method % 64 & 1) != 0;
    }

    [[nodiscard]] constexpr bool empty() const noexcept { return words_[0] == 0 && words_[1] == 0; }

    /// The set as an array of words of the width of `Word`: method m is bit m mod W of word m div W. The first ioctl
    /// wants `unsigned long`, the second `std::uint64_t`.
    template <std::unsigned_integral Word>
    [[nodiscard]] constexpr std::array<Word, size / CHAR_BIT / sizeof(Word)> words() const noexcept
    {
        constexpr std::size_t width = sizeof(Word) * CHAR_BIT;
        std::array<Word, size / width> all{};
        for (std::size_t i = 0; i != all.size(); ++i)
            all[i] = static_cast<Word>(words_[i * width / 64] >> i * width % 64);
        return all;
    }

    /// Both sets together.
    friend constexpr method_mask operator|(method_mask const& a, method_mask const& b) noexcept
    {
        return from_words({a.words_[0] | b.words_[0], a.words_[1] | b.words_[1]});
    }
    friend constexpr bool operator==(method_mask const&, method_mask const&) noexcept = default;

private:
    std::array<std::uint64_t, 2> words_{};
};

} // namespace madrigal::umad
