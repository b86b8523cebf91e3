#include <madrigal/wire/trap.hpp>

namespace madrigal {

std::string to_string(local_change value)
{
    switch (value) {
    case local_change::node_description: return "NodeDescriptionChange";
    case local_change::link_width_enabled: return "LinkWidthEnabledChange";
    case local_change::link_speed_enabled: return "LinkSpeedEnabledChange";
    case local_change::sm_priority: return "SMPriorityChange";
    case local_change::hierarchy_info: return "HierarchyInfoChange";
    case local_change::capability_mask2: return "CapabilityMask2Change";
    }
    return hexadecimal(static_cast<unsigned>(value), 2);
}

std::optional<trap_details> decode_trap(notice const& value) noexcept
{
    return decode_trap(value.is_generic, value.trap_number, value.data_details);
}

std::optional<trap_details> decode_trap(
    bool is_generic, std::uint16_t number, raw_bytes<trap_details_size> const& details) noexcept
{
    if (!is_generic)
        return std::nullopt;
    switch (number) {
    case trap_number::gid_in_service:
    case trap_number::gid_out_of_service:
    case trap_number::multicast_group_created:
    case trap_number::multicast_group_deleted: return decode<gid_trap>(details.bytes);
    case trap_number::link_state_changed: return decode<link_state_trap>(details.bytes);
    case trap_number::link_integrity_threshold:
    case trap_number::buffer_overrun_threshold:
    case trap_number::flow_control_watchdog: return decode<threshold_trap>(details.bytes);
    case trap_number::local_changes: return decode<local_changes_trap>(details.bytes);
    case trap_number::system_image_guid_changed: return decode<system_image_trap>(details.bytes);
    case trap_number::bad_m_key: return decode<bad_m_key_trap>(details.bytes);
    case trap_number::bad_p_key:
    case trap_number::bad_q_key: return decode<bad_key_trap>(details.bytes);
    case trap_number::switch_bad_p_key: return decode<switch_bad_p_key_trap>(details.bytes);
    default: return std::nullopt;
    }
}

raw_bytes<trap_details_size> encode_trap(trap_details const& details) noexcept
{
    return std::visit([](auto const& trap) { return raw_bytes<trap_details_size>{encoded(trap)}; }, details);
}

std::string to_text(trap_details const& details)
{
    return std::visit([](auto const& trap) { return to_text(trap); }, details);
}

std::string trap_name(std::uint16_t number)
{
    switch (number) {
    case trap_number::gid_in_service: return "GID in service";
    case trap_number::gid_out_of_service: return "GID out of service";
    case trap_number::multicast_group_created: return "multicast group created";
    case trap_number::multicast_group_deleted: return "multicast group deleted";
    case trap_number::link_state_changed: return "link state changed";
    case trap_number::link_integrity_threshold: return "local link integrity threshold reached";
    case trap_number::buffer_overrun_threshold: return "excessive buffer overrun threshold reached";
    case trap_number::flow_control_watchdog: return "flow control update watchdog expired";
    case trap_number::local_changes: return "capability mask or other local changes";
    case trap_number::system_image_guid_changed: return "system image GUID changed";
    case trap_number::bad_m_key: return "bad M_Key";
    case trap_number::bad_p_key: return "bad P_Key";
    case trap_number::bad_q_key: return "bad Q_Key";
    case trap_number::switch_bad_p_key: return "bad P_Key at a switch's external port";
    default: return "trap " + std::to_string(number);
    }
}

} // namespace madrigal
