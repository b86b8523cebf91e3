#include "ground/percent_encoded.hpp"

namespace madrigal::detail {

std::string percent_encoded(std::string_view plain)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (char const letter : plain) {
        auto const byte = static_cast<unsigned char>(letter);
        if (byte > 0x20 && byte != 0x7F && std::string_view{"%?&="}.find(letter) == std::string_view::npos) {
            text += letter;
            continue;
        }
        text += '%';
        text += digits[byte >> 4];
        text += digits[byte & 0xF];
    }
    return text;
}

} // namespace madrigal::detail
