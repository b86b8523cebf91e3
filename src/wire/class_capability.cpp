#include <madrigal/wire/class_capability.hpp>

namespace madrigal {

namespace {

/// What every class has in common.
enum class common_capability : std::uint16_t {
    trap = 1U << 0,
    get_set_notice = 1U << 1,
    capability_mask2 = 1U << 2,
};

std::string to_string(common_capability value)
{
    switch (value) {
    case common_capability::trap: return "IsTrapSupported";
    case common_capability::get_set_notice: return "IsGetSetNoticeSupported";
    case common_capability::capability_mask2: return "IsCapabilityMask2Supported";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

enum class unnamed_capability : std::uint32_t {};

std::string to_string(unnamed_capability value)
{
    return hexadecimal(static_cast<std::uint32_t>(value), 8);
}

template <class First, class Second>
std::vector<std::string> names(class_port_info const& info)
{
    std::vector<std::string> all;
    for (unsigned bit = 0; bit != 16; ++bit)
        if ((info.capability_mask >> bit & 1U) != 0)
            all.push_back(to_string(static_cast<First>(1U << bit)));
    for (unsigned bit = 0; bit != 27; ++bit)
        if ((info.capability_mask2 >> bit & 1U) != 0)
            all.push_back(to_string(static_cast<Second>(1U << bit)));
    return all;
}

} // namespace

std::string to_string(sa_capability value)
{
    switch (value) {
    case sa_capability::trap: return "IsTrapSupported";
    case sa_capability::get_set_notice: return "IsGetSetNoticeSupported";
    case sa_capability::capability_mask2: return "IsCapabilityMask2Supported";
    case sa_capability::optional_records: return "IsSubnetOptionalRecordsSupported";
    case sa_capability::multicast: return "IsUDMulticastSupported";
    case sa_capability::multi_path: return "IsMultiPathSupported";
    case sa_capability::reinit: return "IsReInitSupported";
    case sa_capability::gid_scoped_multi_path: return "IsGIDScopedMultiPathSupported";
    case sa_capability::port_info_capability_match: return "IsPortInfoCapMaskMatchSupported";
    case sa_capability::link_speed_width_pairs_records: return "IsLinkSpeedWidthPairsRecordsSupported";
    case sa_capability::pa_services: return "IsPAServicesSupported";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

std::string to_string(sa_capability2 value)
{
    switch (value) {
    case sa_capability2::unpath_repath: return "IsUnpathRepathSupported";
    case sa_capability2::qos: return "IsQoSSupported";
    case sa_capability2::reverse_path_p_key_member_bit: return "IsReversePathPKeyMemberBitSupported";
    case sa_capability2::multicast_fdb_top: return "IsMulticastFDBTopSupported";
    case sa_capability2::hierarchy_info: return "IsHierarchyInfoSupported";
    case sa_capability2::additional_guid: return "IsAdditionalGUIDSupported";
    case sa_capability2::full_port_info_record: return "IsFullPortInfoRecordSupported";
    case sa_capability2::extended_speeds: return "IsExtendedSpeedsSupported";
    case sa_capability2::multicast_service_record: return "IsMulticastServiceRecordSupported";
    case sa_capability2::cable_info_record: return "IsCableInfoRecordSupported";
    case sa_capability2::port_info_capability2_match: return "IsPortInfoCapMask2MatchSupported";
    case sa_capability2::port_info_extended_record: return "IsPortInfoExtendedRecordSupported";
    }
    return hexadecimal(static_cast<std::uint32_t>(value), 8);
}

std::vector<std::string> capability_names(management_class class_of_mad, class_port_info const& info)
{
    switch (class_of_mad) {
    case management_class::performance: return names<performance_capability, performance_capability2>(info);
    case management_class::subnet_administration: return names<sa_capability, sa_capability2>(info);
    default: return names<common_capability, unnamed_capability>(info);
    }
}

} // namespace madrigal
