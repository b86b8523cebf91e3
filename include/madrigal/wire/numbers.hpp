// Numbers as text, the way the field prints them.
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// `0x` and at least `digits` lower-case hexadecimal digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t value, unsigned digits);

} // namespace madrigal
