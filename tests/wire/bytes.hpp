// Bytes for tests: written as they stand in a table, or made from a seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace madrigal::test {

/// `hex("01 01 02")`: two digits a byte, white space anywhere between bytes.
inline std::vector<std::byte> hex(std::string_view text)
{
    auto const digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    std::vector<std::byte> bytes;
    int high = -1;
    for (char const c : text) {
        if (c == ' ' || c == '\n')
            continue;
        if (high < 0) {
            high = digit(c);
        } else {
            bytes.push_back(static_cast<std::byte>(high * 16 + digit(c)));
            high = -1;
        }
    }
    return bytes;
}

/// Random bytes that are the same in every run.
inline std::vector<std::byte> random_bytes(std::size_t size, std::uint32_t seed)
{
    std::mt19937 engine{seed};
    std::vector<std::byte> bytes(size);
    for (auto& byte : bytes)
        byte = static_cast<std::byte>(engine() & 0xFF);
    return bytes;
}

} // namespace madrigal::test
