#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/umad/smi_gsi_pair.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace madrigal::umad {
namespace {

bool takes_smps(port_attributes const& port)
{
    return (port.capability_mask & cap_is_sm_disabled) == 0;
}

/// The same physical port on another device.
bool are_partners(port_attributes const& a, port_attributes const& b)
{
    return a.port_guid && a.port_guid == b.port_guid && a.ca_name != b.ca_name && a.layer == link_layer::infiniband &&
           b.layer == link_layer::infiniband;
}

std::optional<port_attributes> find_partner(
    std::vector<port_attributes> const& ports, port_attributes const& of, bool that_takes_smps)
{
    auto const partner = std::find_if(ports.begin(), ports.end(),
        [&](port_attributes const& port) { return are_partners(port, of) && takes_smps(port) == that_takes_smps; });
    if (partner == ports.end())
        return std::nullopt;
    return *partner;
}

smi_gsi_pair pair_among(std::vector<port_attributes> const& ports, port_attributes const& selected)
{
    if (takes_smps(selected)) // An ordinary port, or the SMP side of a split one.
        return {selected, find_partner(ports, selected, false).value_or(selected)};
    return {find_partner(ports, selected, true), selected};
}

} // namespace

result<smi_gsi_pair> find_smi_gsi_pair(host& from, port_attributes const& selected)
{
    BOOST_OUTCOME_TRY(auto const list, list_ports(from));
    return pair_among(list.ports, selected);
}

result<std::vector<smi_gsi_pair>> list_smi_gsi_pairs(host& from)
{
    BOOST_OUTCOME_TRY(auto const list, list_ports(from));
    std::vector<smi_gsi_pair> pairs;
    std::set<std::pair<std::string, unsigned>> told; // both sides of every pair so far
    for (auto const& port : list.ports) {
        if (port.layer != link_layer::infiniband || told.contains({port.ca_name, port.number}))
            continue;
        auto pair = pair_among(list.ports, port);
        told.emplace(pair.gsi.ca_name, pair.gsi.number);
        if (pair.smi)
            told.emplace(pair.smi->ca_name, pair.smi->number);
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

result<port_attributes> device_for_qp(host& from, port_attributes const& selected, std::uint32_t qpn)
{
    BOOST_OUTCOME_TRY(auto pair, find_smi_gsi_pair(from, selected));
    if (qpn != 0)
        return std::move(pair.gsi);
    if (!pair.smi)
        return error{errc::no_usable_port,
            fmt::format("{} reports IsSMDisabled, and no other device with its GUID {:#018x} takes SMPs",
                port_name(selected.ca_name, selected.number), selected.port_guid.value())};
    return std::move(*pair.smi);
}

result<port_attributes> device_for_class(host& from, port_attributes const& selected, std::uint8_t management_class)
{
    return device_for_qp(from, selected, qpn_of_class(management_class));
}

} // namespace madrigal::umad
