// The subnet's traps: their numbers, and the details of each in a notice (IBA 13.4.8.2, 14.2.5.1, 14.3).
#pragma once

#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/port_capability.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace madrigal {

/// TrapNumber of generic notices.
namespace trap_number {
inline constexpr std::uint16_t gid_in_service = 64;
inline constexpr std::uint16_t gid_out_of_service = 65;
inline constexpr std::uint16_t multicast_group_created = 66;
inline constexpr std::uint16_t multicast_group_deleted = 67;
inline constexpr std::uint16_t link_state_changed = 128;
inline constexpr std::uint16_t link_integrity_threshold = 129;
inline constexpr std::uint16_t buffer_overrun_threshold = 130;
inline constexpr std::uint16_t flow_control_watchdog = 131;
inline constexpr std::uint16_t local_changes = 144;
inline constexpr std::uint16_t system_image_guid_changed = 145;
inline constexpr std::uint16_t bad_m_key = 256;
inline constexpr std::uint16_t bad_p_key = 257;
inline constexpr std::uint16_t bad_q_key = 258;
inline constexpr std::uint16_t switch_bad_p_key = 259;
} // namespace trap_number

/// Details fill 54 bytes of a notice.
inline constexpr std::size_t trap_details_size = 54;

// clang-format off
#define MADRIGAL_TRAP_GID(field)                                                                                       \
    field(gid, address, "GIDADDR", 48, 128, "GID that came, went, was made or deleted")
// clang-format on
/// Traps 64 to 67.
MADRIGAL_LAYOUT(gid_trap, "GIDTrap", trap_details_size, MADRIGAL_TRAP_GID);

// clang-format off
#define MADRIGAL_TRAP_LINK_STATE(field)                                                                                \
    field(lid, switch_lid, "LIDADDR", 0, 16, "switch one of whose links changed")
// clang-format on
/// Trap 128.
MADRIGAL_LAYOUT(link_state_trap, "LinkStateTrap", trap_details_size, MADRIGAL_TRAP_LINK_STATE);

// clang-format off
#define MADRIGAL_TRAP_THRESHOLD(field)                                                                                 \
    field(lid,          port_lid,    "LIDADDR", 16, 16, "node where it happened")                                      \
    field(std::uint8_t, port_number, "PORTNO",  32,  8, "port where it happened")
// clang-format on
/// Traps 129 to 131.
MADRIGAL_LAYOUT(threshold_trap, "ThresholdTrap", trap_details_size, MADRIGAL_TRAP_THRESHOLD);

/// One of the changes that trap 144 tells beside the capability mask.
enum class local_change : std::uint8_t {
    node_description = 1U << 0,
    link_width_enabled = 1U << 1,
    link_speed_enabled = 1U << 2,
    sm_priority = 1U << 3,
    hierarchy_info = 1U << 4,
    capability_mask2 = 1U << 5,
};
/// `NodeDescriptionChange` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(local_change value);

// clang-format off
#define MADRIGAL_TRAP_LOCAL_CHANGES(field)                                                                             \
    field(lid,                 port_lid,            "LIDADDR",           16, 16, "port that changed")                  \
    field(bool,                other_local_changes, "OtherLocalChanges", 47,  1, "the change flags hold something")    \
    field(port_capabilities,   capability_mask,     "CAPABILITYMASK",    48, 32, "new CapabilityMask")                 \
    field(flags<local_change>, changes,             "ChangeFlags",       90,  6, "what changed beside it")             \
    field(port_capabilities2,  capability_mask2,    "CAPABILITYMASK2",   96, 16, "new CapabilityMask2")
// clang-format on
/// Trap 144.
MADRIGAL_LAYOUT(local_changes_trap, "LocalChangesTrap", trap_details_size, MADRIGAL_TRAP_LOCAL_CHANGES);

// clang-format off
#define MADRIGAL_TRAP_SYSTEM_IMAGE(field)                                                                              \
    field(lid,  port_lid,          "LIDADDR",         16, 16, "port of the node that changed")                         \
    field(guid, system_image_guid, "SYSTEMIMAGEGUID", 48, 64, "new SystemImageGUID")
// clang-format on
/// Trap 145.
MADRIGAL_LAYOUT(system_image_trap, "SystemImageGUIDTrap", trap_details_size, MADRIGAL_TRAP_SYSTEM_IMAGE);

/// The return path as far as trap 256 has room for it.
using trap_return_path = std::array<std::uint8_t, 30>;

// clang-format off
#define MADRIGAL_TRAP_BAD_M_KEY(field)                                                                                 \
    field(lid,              port_lid,           "LIDADDR",             16, 16, "source of the SMP")                    \
    field(lid,              dr_slid,            "DRSLID",              32, 16, "its DrSLID")                           \
    field(method,           method_of_mad,      "METHOD",              48,  8, "its method")                           \
    field(std::uint16_t,    attribute_id,       "ATTRIBUTEID",         64, 16, "its attribute", hexadecimal)           \
    field(std::uint32_t,    attribute_modifier, "ATTRIBUTEMODIFIER",   80, 32, "its modifier", hexadecimal)            \
    field(std::uint64_t,    m_key,              "MKEY",               112, 64, "its M_Key", hexadecimal)               \
    field(bool,             dr_notice,          "DRNotice",           184,  1, "it was a directed-route SMP")          \
    field(bool,             dr_path_truncated,  "DRPathTruncated",    185,  1, "the return path had no room")          \
    field(std::uint8_t,     dr_hop_count,       "DRHopCount",         186,  6, "entries of the return path")           \
    field(trap_return_path, dr_return_path,     "DRNoticeReturnPath", 192,  8, "its return path")
// clang-format on
/// Trap 256.
MADRIGAL_LAYOUT(bad_m_key_trap, "BadM_KeyTrap", trap_details_size, MADRIGAL_TRAP_BAD_M_KEY);

// clang-format off
#define MADRIGAL_TRAP_BAD_KEY(field)                                                                                   \
    field(lid,           source_lid,      "LIDADDR1",  16,  16, "source of the packet")                                \
    field(lid,           destination_lid, "LIDADDR2",  32,  16, "its destination")                                     \
    field(std::uint32_t, key,             "KEY",       48,  32, "its P_Key or Q_Key", hexadecimal)                     \
    field(std::uint8_t,  service_level,   "SL",        80,   4, "its service level")                                   \
    field(std::uint32_t, source_qp,       "QP1",       88,  24, "source queue pair", hexadecimal)                      \
    field(std::uint32_t, destination_qp,  "QP2",      120,  24, "destination queue pair", hexadecimal)                 \
    field(gid,           source_gid,      "GIDADDR1", 144, 128, "source, where the packet had a GRH")                  \
    field(gid,           destination_gid, "GIDADDR2", 272, 128, "destination, where the packet had a GRH")
// clang-format on
/// Traps 257 and 258.
MADRIGAL_LAYOUT(bad_key_trap, "BadKeyTrap", trap_details_size, MADRIGAL_TRAP_BAD_KEY);

// clang-format off
#define MADRIGAL_TRAP_SWITCH_BAD_P_KEY(field)                                                                          \
    field(std::uint16_t, data_valid,      "DataValid",   0,  16, "which of the fields hold something", hexadecimal)    \
    field(lid,           source_lid,      "LIDADDR1",   16,  16, "source of the packet")                               \
    field(lid,           destination_lid, "LIDADDR2",   32,  16, "its destination")                                    \
    field(std::uint16_t, p_key,           "PKEY",       48,  16, "its P_Key", hexadecimal)                             \
    field(std::uint8_t,  service_level,   "SL",         64,   4, "its service level")                                  \
    field(std::uint32_t, source_qp,       "QP1",        72,  24, "source queue pair", hexadecimal)                     \
    field(std::uint32_t, destination_qp,  "QP2",       104,  24, "destination queue pair", hexadecimal)                \
    field(gid,           source_gid,      "GIDADDR1",  128, 128, "source, where the packet had a GRH")                 \
    field(gid,           destination_gid, "GIDADDR2",  256, 128, "destination, where the packet had a GRH")            \
    field(lid,           switch_lid,      "SWLIDADDR", 384,  16, "switch that dropped it")                             \
    field(std::uint8_t,  port_number,     "PORTNO",    400,   8, "its port where the packet came in")
// clang-format on
/// Trap 259.
MADRIGAL_LAYOUT(switch_bad_p_key_trap, "SwitchBadP_KeyTrap", trap_details_size, MADRIGAL_TRAP_SWITCH_BAD_P_KEY);

/// The details of any trap that has a table.
using trap_details = std::variant<gid_trap, link_state_trap, threshold_trap, local_changes_trap, system_image_trap,
    bad_m_key_trap, bad_key_trap, switch_bad_p_key_trap>;

/// The details of a generic notice; nothing for a vendor's notice or a trap without a table.
[[nodiscard]] std::optional<trap_details> decode_trap(notice const& value) noexcept;
/// The same for the numbers of a notice that came in another form, such as a `notice_report`.
[[nodiscard]] std::optional<trap_details> decode_trap(
    bool is_generic, std::uint16_t number, raw_bytes<trap_details_size> const& details) noexcept;
/// What stands in a notice's `data_details`.
[[nodiscard]] raw_bytes<trap_details_size> encode_trap(trap_details const& details) noexcept;

/// One line per field, like the text of an attribute.
[[nodiscard]] std::string to_text(trap_details const& details);
/// What a generic trap number means, `link state changed`; `trap 1234` for one without a name.
[[nodiscard]] std::string trap_name(std::uint16_t number);

} // namespace madrigal
