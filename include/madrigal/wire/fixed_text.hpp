// Text in a field of fixed length, such as NodeDescription.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace madrigal {

/// Printable text for bytes that anybody may have sent: control characters, a backslash and bytes that are not UTF-8
/// come as `\xNN`.
[[nodiscard]] std::string printable(std::string_view hostile);

/// `Size` bytes that hold text up to the first zero byte. Nothing is promised about them: they come from the wire.
template <std::size_t Size>
class fixed_text {
public:
    using bytes_type = std::array<char, Size>;

    constexpr fixed_text() noexcept = default;
    constexpr explicit fixed_text(bytes_type const& bytes) noexcept : bytes_{bytes} {}
    /// What of `text` fits; the rest of the field is zero.
    constexpr explicit fixed_text(std::string_view text) noexcept
    {
        std::copy_n(text.begin(), std::min(text.size(), Size), bytes_.begin());
    }

    /// All bytes as they stand on the wire.
    [[nodiscard]] constexpr bytes_type const& bytes() const noexcept { return bytes_; }
    /// The bytes before the first zero byte, unchecked; lives as long as this object.
    [[nodiscard]] constexpr std::string_view view() const noexcept
    {
        std::string_view const all{bytes_.data(), Size};
        return all.substr(0, all.find('\0'));
    }

    friend constexpr bool operator==(fixed_text const&, fixed_text const&) noexcept = default;

private:
    bytes_type bytes_{};
};

/// The text up to the first zero byte, made printable.
template <std::size_t Size>
[[nodiscard]] std::string to_string(fixed_text<Size> const& text)
{
    return printable(text.view());
}

/// Bytes without a structure of their own; they print as hexadecimal digits.
template <std::size_t Size>
struct raw_bytes {
    std::array<std::byte, Size> bytes{};
    friend constexpr bool operator==(raw_bytes const&, raw_bytes const&) noexcept = default;
};

template <std::size_t Size>
[[nodiscard]] std::string to_string(raw_bytes<Size> const& value)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * Size);
    for (auto const byte : value.bytes) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 0xF];
    }
    return text;
}

} // namespace madrigal
