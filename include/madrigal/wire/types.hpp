// The identifiers of InfiniBand: GUID, LID and GID as types that do not mix with integers or with each other.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace madrigal {

/// A 64-bit EUI-64 identifier of a node, a port or a system image (IBA 4.1). Held in host byte order; 0 means none.
class guid {
public:
    constexpr guid() noexcept = default;
    constexpr explicit guid(std::uint64_t value) noexcept : value_{value} {}

    /// The number in host byte order.
    [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return value_ != 0; }

    friend constexpr auto operator<=>(guid, guid) noexcept = default;

private:
    std::uint64_t value_ = 0;
};

/// A 16-bit local identifier (IBA 4.1.3). Held in host byte order; 0 is reserved and means none.
class lid {
public:
    constexpr lid() noexcept = default;
    constexpr explicit lid(std::uint16_t value) noexcept : value_{value} {}

    /// The number in host byte order.
    [[nodiscard]] constexpr std::uint16_t value() const noexcept { return value_; }

    /// True for 0x0001 to 0xBFFF: only these address one port (IBA 4.1.3).
    [[nodiscard]] constexpr bool is_unicast() const noexcept { return value_ >= 1 && value_ <= 0xBFFF; }
    /// True for 0xC000 to 0xFFFE.
    [[nodiscard]] constexpr bool is_multicast() const noexcept { return value_ >= 0xC000 && value_ != 0xFFFF; }
    /// True for 0xFFFF, the permissive LID: "whoever is there".
    [[nodiscard]] constexpr bool is_permissive() const noexcept { return value_ == 0xFFFF; }

    friend constexpr auto operator<=>(lid, lid) noexcept = default;

private:
    std::uint16_t value_ = 0;
};

/// The largest unicast LID (IBA 4.1.3).
inline constexpr lid max_unicast_lid{0xBFFF};
/// The permissive LID (IBA 4.1.3).
inline constexpr lid permissive_lid{0xFFFF};

/// A 128-bit global identifier: subnet prefix and interface id (IBA 4.1.1). Held as it stands on the wire.
class gid {
public:
    using bytes_type = std::array<std::uint8_t, 16>;

    constexpr gid() noexcept = default;
    constexpr explicit gid(bytes_type const& bytes) noexcept : bytes_{bytes} {}
    /// Prefix and interface id in host byte order.
    constexpr gid(std::uint64_t subnet_prefix, guid interface_id) noexcept
    {
        for (std::size_t i = 0; i != 8; ++i) {
            bytes_[i] = static_cast<std::uint8_t>(subnet_prefix >> (56 - 8 * i));
            bytes_[8 + i] = static_cast<std::uint8_t>(interface_id.value() >> (56 - 8 * i));
        }
    }

    /// The 16 bytes in wire order.
    [[nodiscard]] constexpr bytes_type const& bytes() const noexcept { return bytes_; }
    [[nodiscard]] constexpr std::uint64_t subnet_prefix() const noexcept { return half(0); }
    [[nodiscard]] constexpr guid interface_id() const noexcept { return guid{half(8)}; }

    friend constexpr auto operator<=>(gid const&, gid const&) noexcept = default;

private:
    [[nodiscard]] constexpr std::uint64_t half(std::size_t from) const noexcept
    {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i != 8; ++i)
            value = value << 8 | bytes_[from + i];
        return value;
    }

    bytes_type bytes_{};
};

/// The subnet prefix of an unconfigured subnet, fe80::/64 (IBA 4.1.1).
inline constexpr std::uint64_t default_subnet_prefix = 0xFE80'0000'0000'0000;

/// NodeInfo.NodeType (IBA 14.2.5.3); the same numbers as sysfs' node_type.
enum class node_type : std::uint8_t {
    ca = 1,
    switch_ = 2,
    router = 3,
};

/// `0x0002c9030005f34a`
[[nodiscard]] std::string to_string(guid value);
/// `12`
[[nodiscard]] std::string to_string(lid value);
/// `fe80:0000:0000:0000:0002:c903:0005:f34b`, as sysfs prints it.
[[nodiscard]] std::string to_string(gid const& value);
/// `CA`, `Switch`, `Router`; a number for anything else.
[[nodiscard]] std::string to_string(node_type value);

} // namespace madrigal
