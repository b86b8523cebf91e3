// What the files under /sys/class/infiniband hold, read strictly: nothing where the text is not what the kernel prints.
#pragma once

#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace madrigal::umad::sysfs {

/// `12` or `0x1f`, and nothing else, not above `limit`.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t limit) noexcept;
/// The number of `4: ACTIVE`; the name may be missing.
[[nodiscard]] std::optional<std::uint64_t> parse_named_number(std::string_view text, std::uint64_t limit) noexcept;
/// The whole Gb/s of `2.5 Gb/sec (1X SDR)`: 2.
[[nodiscard]] std::optional<unsigned> parse_rate(std::string_view text) noexcept;
/// `0002:c903:0005:f34a`
[[nodiscard]] std::optional<guid> parse_guid(std::string_view text) noexcept;
/// `fe80:0000:0000:0000:0002:c903:0005:f34b`
[[nodiscard]] std::optional<gid> parse_gid(std::string_view text) noexcept;
/// N where `name` is `prefix` and N in decimal digits, as in `umad12` or, with an empty prefix, `12`.
[[nodiscard]] std::optional<unsigned> parse_numbered_name(
    std::string_view name, std::string_view prefix, unsigned limit) noexcept;

} // namespace madrigal::umad::sysfs
