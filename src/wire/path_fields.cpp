#include <madrigal/wire/numbers.hpp>
#include <madrigal/wire/path_fields.hpp>

namespace madrigal {

std::string to_string(selector value)
{
    switch (value) {
    case selector::greater: return "Greater";
    case selector::less: return "Less";
    case selector::exactly: return "Exactly";
    case selector::best: return "Best";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(path_rate value)
{
    switch (value) {
    case path_rate::gbps_2_5: return "2.5";
    case path_rate::gbps_10: return "10";
    case path_rate::gbps_30: return "30";
    case path_rate::gbps_5: return "5";
    case path_rate::gbps_20: return "20";
    case path_rate::gbps_40: return "40";
    case path_rate::gbps_60: return "60";
    case path_rate::gbps_80: return "80";
    case path_rate::gbps_120: return "120";
    case path_rate::gbps_14: return "14";
    case path_rate::gbps_56: return "56";
    case path_rate::gbps_112: return "112";
    case path_rate::gbps_168: return "168";
    case path_rate::gbps_25: return "25";
    case path_rate::gbps_100: return "100";
    case path_rate::gbps_200: return "200";
    case path_rate::gbps_300: return "300";
    case path_rate::gbps_28: return "28";
    case path_rate::gbps_50: return "50";
    case path_rate::gbps_400: return "400";
    case path_rate::gbps_600: return "600";
    case path_rate::gbps_800: return "800";
    case path_rate::gbps_1200: return "1200";
    }
    return "?(" + std::to_string(static_cast<unsigned>(value)) + ")";
}

std::string to_string(independence value)
{
    switch (value) {
    case independence::any: return "Any";
    case independence::independent: return "Independent";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(multicast_scope value)
{
    switch (value) {
    case multicast_scope::link_local: return "LinkLocal";
    case multicast_scope::site_local: return "SiteLocal";
    case multicast_scope::organization_local: return "OrganizationLocal";
    case multicast_scope::global: return "Global";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(join_state value)
{
    switch (value) {
    case join_state::full_member: return "FullMember";
    case join_state::non_member: return "NonMember";
    case join_state::send_only_non_member: return "SendOnlyNonMember";
    case join_state::send_only_full_member: return "SendOnlyFullMember";
    }
    return hexadecimal(static_cast<unsigned>(value), 2);
}

} // namespace madrigal
