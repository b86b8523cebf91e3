#include <madrigal/wire/fixed_text.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/numbers.hpp>

namespace madrigal {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// Length of the well-formed UTF-8 sequence at the front (Unicode, table 3-7); 0 where there is none.
std::size_t utf8_length(std::string_view text) noexcept
{
    auto const at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    auto const lead = at(0);
    std::size_t const length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xC0) != 0x80)
            return 0;
    if (length > 2) {
        // overlong forms, surrogates and what lies beyond U+10FFFF
        if ((lead == 0xE0 && at(1) < 0xA0) || (lead == 0xED && at(1) > 0x9F) || (lead == 0xF0 && at(1) < 0x90) ||
            (lead == 0xF4 && at(1) > 0x8F))
            return 0;
    }
    return length;
}

} // namespace

std::string hexadecimal(std::uint64_t value, unsigned width)
{
    std::string reversed;
    while (value != 0 || reversed.size() < width || reversed.empty()) {
        reversed += digits[value & 0xF];
        value >>= 4;
    }
    return "0x" + std::string{reversed.rbegin(), reversed.rend()};
}

std::string printable(std::string_view hostile)
{
    std::string text;
    text.reserve(hostile.size());
    while (!hostile.empty()) {
        auto const byte = static_cast<unsigned char>(hostile.front());
        auto const length = utf8_length(hostile);
        // U+0080 to U+009F are control characters too.
        bool const control = byte < 0x20 || byte == 0x7F || byte == '\\' ||
                             (length == 2 && byte == 0xC2 && static_cast<unsigned char>(hostile[1]) < 0xA0);
        if (length == 0 || control) {
            text += "\\x";
            text += digits[byte >> 4];
            text += digits[byte & 0xF];
            hostile.remove_prefix(1);
        } else {
            text += hostile.substr(0, length);
            hostile.remove_prefix(length);
        }
    }
    return text;
}

namespace detail {

void append_text_line(std::string& text, std::string_view name, std::string_view value)
{
    constexpr std::size_t column = 32;
    text += name;
    text += ':';
    text.append(name.size() < column ? column - name.size() : 1, '.');
    text += value;
    text += '\n';
}

void append_text_line(std::string& text, std::string_view name, std::size_t index, std::string_view value)
{
    append_text_line(text, std::string{name} + '[' + std::to_string(index) + ']', value);
}
void append_text_line(std::string& text, field_description const& field, std::size_t element, std::string_view value)
{
    if (field.count == 1)
        append_text_line(text, field.name, value);
    else
        append_text_line(text, field.name, element, value);
}

} // namespace detail

} // namespace madrigal
