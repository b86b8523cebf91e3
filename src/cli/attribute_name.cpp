#include "cli/attribute_name.hpp"

#include "cli/folded.hpp"
#include "cli/numbers.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace madrigal::cli {
namespace {

struct short_name {
    std::string_view name;
    std::string_view attribute;
};

/// Those of smpquery(8) and saquery(8), and a few that need no explanation.
constexpr std::array short_names{
    short_name{"gi", "GUIDInfo"},
    short_name{"guids", "GUIDInfo"},
    short_name{"led", "LedInfo"},
    short_name{"lft", "LinearForwardingTable"},
    short_name{"mepi", "MlnxExtPortInfo"},
    short_name{"mft", "MulticastForwardingTable"},
    short_name{"nd", "NodeDescription"},
    short_name{"nodedesc", "NodeDescription"},
    short_name{"ni", "NodeInfo"},
    short_name{"pi", "PortInfo"},
    short_name{"pie", "PortInfoExtended"},
    short_name{"pkeys", "P_KeyTable"},
    short_name{"rft", "RandomForwardingTable"},
    short_name{"si", "SwitchInfo"},
    short_name{"sl2vl", "SLtoVLMappingTable"},
    short_name{"smi", "SMInfo"},
    short_name{"vlarb", "VLArbitrationTable"},
    short_name{"cpi", "ClassPortInfo"},
    short_name{"pc", "PortCounters"},
    short_name{"pcx", "PortCountersExtended"},
    short_name{"gir", "GUIDInfoRecord"},
    short_name{"iir", "InformInfoRecord"},
    short_name{"lftr", "LinearForwardingTableRecord"},
    short_name{"lr", "LinkRecord"},
    short_name{"mcmr", "MCMemberRecord"},
    short_name{"nr", "NodeRecord"},
    short_name{"pir", "PortInfoRecord"},
    short_name{"pr", "PathRecord"},
    short_name{"sr", "ServiceRecord"},
    short_name{"smir", "SMInfoRecord"},
    short_name{"swir", "SwitchInfoRecord"},
};

struct class_name {
    std::string_view name;
    management_class value;
};

/// Subnet management first: its attributes need no class.
constexpr std::array class_list{
    class_name{"sm", management_class::subnet_lid_routed},
    class_name{"sa", management_class::subnet_administration},
    class_name{"perf", management_class::performance},
    class_name{"bm", management_class::baseboard},
    class_name{"dm", management_class::device_management},
    class_name{"cm", management_class::communication},
    class_name{"snmp", management_class::snmp},
    class_name{"cc", management_class::congestion},
};

bool of_every_class(attribute_descriptor const& one)
{
    return one.layout.scope.contains(management_class::vendor_first);
}

/// Their messages are sent, not asked for.
bool is_message(attribute_descriptor const& one)
{
    return !of_every_class(one) && (one.layout.scope.contains(management_class::communication) ||
                                       one.layout.scope.contains(management_class::snmp));
}

/// What has a table of its own beside that of the number it comes under.
std::optional<management_class> class_behind(attribute_descriptor const& one)
{
    if (one.layout.name == "PortExtendedSpeedsRSFECCounters")
        return management_class::performance;
    if (one.layout.name.starts_with("CongestionLog"))
        return management_class::congestion;
    return std::nullopt;
}

bool has(management_class of, attribute_descriptor const& one)
{
    return one.layout.scope.contains(of) || class_behind(one) == of;
}

attribute_descriptor const* table_of(std::string_view name)
{
    auto wanted = folded(name);
    for (auto const& one : short_names)
        if (one.name == wanted)
            wanted = folded(one.attribute);
    for (auto const& one : attributes())
        if (folded(one.layout.name) == wanted)
            return &one;
    return nullptr;
}

std::string names_of(management_class of)
{
    std::string list;
    for (auto const& one : attributes()) {
        if (!has(of, one) || of_every_class(one))
            continue;
        list += (list.empty() ? "" : ", ") + std::string{one.layout.name};
        char const* before = " (";
        for (auto const& other : short_names)
            if (other.attribute == one.layout.name) {
                list += before + std::string{other.name};
                before = ", ";
            }
        if (*before == ',')
            list += ')';
    }
    return list;
}

} // namespace

naming find_named(std::string_view name, std::optional<management_class> of, named_attribute& found)
{
    auto const* const table = table_of(name);
    if (table == nullptr)
        return naming::unknown;
    if (is_message(*table))
        return naming::message;
    if (of) {
        if (!has(*of, *table))
            return naming::not_of_class;
        found = {table, *of};
        return naming::found;
    }
    if (of_every_class(*table))
        return naming::of_every_class;
    for (auto const& one : class_list)
        if (has(one.value, *table)) {
            found = {table, one.value};
            return naming::found;
        }
    return naming::unknown;
}

std::string attribute_names()
{
    std::string list = names_of(management_class::subnet_lid_routed);
    for (auto const& one : class_list) {
        bool const has_messages_only =
            one.value == management_class::communication || one.value == management_class::snmp;
        if (one.value != management_class::subnet_lid_routed && !has_messages_only)
            list += "; " + std::string{one.name} + ": " + names_of(one.value);
    }
    return list + "; with --class: ClassPortInfo (cpi), InformInfo, NoticeReport";
}

std::optional<management_class> find_class(std::string_view name)
{
    auto const wanted = folded(name);
    for (auto const& one : class_list)
        if (one.name == wanted)
            return one.value;
    auto const number = parse_number(name);
    constexpr std::uint64_t highest = 0x4F;
    if (!number || *number == 0 || *number > highest)
        return std::nullopt;
    return static_cast<management_class>(*number);
}

std::string class_names()
{
    std::string list;
    for (auto const& one : class_list)
        list += (list.empty() ? "" : ", ") + std::string{one.name};
    return list;
}

} // namespace madrigal::cli
