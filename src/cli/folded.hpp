// Names as they are compared: people write them in any case of letters, with and without `_`.
#pragma once

#include <string>
#include <string_view>

namespace madrigal::cli {

/// `P_KeyTable` and `pkeytable` are the same name: without `_`, in small letters.
[[nodiscard]] inline std::string folded(std::string_view name)
{
    std::string plain;
    for (char const letter : name)
        if (letter != '_')
            plain += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    return plain;
}

} // namespace madrigal::cli
