#include "cli/attribute_name.hpp"

#include <madrigal/wire/management_class.hpp>

#include <algorithm>
#include <array>

namespace madrigal::cli {
namespace {

struct short_name {
    std::string_view name;
    std::string_view attribute;
};

/// Those of smpquery(8), and a few that need no explanation.
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
};

std::string folded(std::string_view name)
{
    std::string plain;
    for (char const letter : name)
        if (letter != '_')
            plain += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    return plain;
}

bool of_subnet_management(attribute_descriptor const& one)
{
    return one.layout.scope.contains(management_class::subnet_lid_routed);
}

} // namespace

attribute_descriptor const* find_smp_attribute(std::string_view name)
{
    auto wanted = folded(name);
    for (auto const& one : short_names)
        if (one.name == wanted)
            wanted = folded(one.attribute);
    for (auto const& one : attributes())
        if (of_subnet_management(one) && folded(one.layout.name) == wanted)
            return &one;
    return nullptr;
}

std::string smp_attribute_names()
{
    std::string list;
    for (auto const& one : attributes()) {
        if (!of_subnet_management(one))
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

} // namespace madrigal::cli
