// Numbers, LIDs and GUIDs as people type them. Nothing but the whole text counts: no sign, no blanks, no overflow.
#pragma once

#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace madrigal::cli {

/// `12`, or `0x0c` in hexadecimal. A leading 0 does not mean octal.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text) noexcept;
/// A unicast LID: 1 to 0xBFFF.
[[nodiscard]] std::optional<lid> parse_lid(std::string_view text) noexcept;
/// A GUID other than 0, always hexadecimal: `0x2c9030005f34a`, `0002c9030005f34a`, `0002:c903:0005:f34a`.
[[nodiscard]] std::optional<guid> parse_guid(std::string_view text) noexcept;
/// A unicast GID in the form of an IPv6 address, as in `fe80::2c9:300:5:f34b` or `::ffff:10.0.0.1`.
[[nodiscard]] std::optional<gid> parse_gid(std::string_view text);

} // namespace madrigal::cli
