#include "fabric_builder.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace madrigal::topology::detail {

namespace {

constexpr std::uint64_t first_switch_guid = 0x024d'4144'5300'0000;
constexpr std::uint64_t first_host_guid = 0x024d'4144'4800'0000;
constexpr std::uint64_t guids_per_host = 4; // node, port, and room as adapters leave it
constexpr std::uint32_t local_vendor_id = 0x02'4d41;
constexpr std::uint16_t switch_device_id = 0x5301;
constexpr std::uint16_t host_device_id = 0x4801;
constexpr auto most = std::numeric_limits<std::uint64_t>::max();

} // namespace

std::uint64_t product(std::initializer_list<std::uint64_t> factors) noexcept
{
    std::uint64_t all = 1;
    for (auto const factor : factors) {
        if (factor != 0 && all > most / factor)
            return most;
        all *= factor;
    }
    return all;
}

std::uint64_t sum(std::initializer_list<std::uint64_t> terms) noexcept
{
    std::uint64_t all = 0;
    for (auto const term : terms) {
        if (term > most - all)
            return most;
        all += term;
    }
    return all;
}

result<void> require_positive(std::initializer_list<named_number> numbers)
{
    for (auto const& [name, value] : numbers)
        if (value == 0)
            return error{errc::invalid_argument, fmt::format("{} is 0: expected at least 1", name)};
    return outcome::success();
}

result<void> fabric_builder::check_size(std::uint64_t switches, std::uint64_t hosts) const
{
    auto const nodes = sum({switches, hosts});
    if (nodes > max_generated_nodes)
        return error{errc::invalid_argument, fmt::format("{} nodes ({} switches and {} hosts): expected at most {}",
                                                 nodes, switches, hosts, max_generated_nodes)};
    if (options_.assign_lids && nodes > max_unicast_lid.value())
        return error{errc::invalid_argument,
            fmt::format("{} nodes with LIDs: unicast LIDs end at 0xBFFF ({}); leave the LIDs unset or take fewer nodes",
                nodes, max_unicast_lid.value())};
    return outcome::success();
}

result<void> fabric_builder::check_ports(std::string_view what, std::uint64_t ports) const
{
    if (options_.switch_ports > max_node_ports)
        return error{errc::invalid_argument,
            fmt::format("switches with {} ports: expected at most {}", options_.switch_ports, max_node_ports)};
    auto const limit = options_.switch_ports != 0 ? options_.switch_ports : max_node_ports;
    if (ports > limit)
        return error{
            errc::invalid_argument, fmt::format("a {} needs {} ports: expected at most {}", what, ports, limit)};
    return outcome::success();
}

node_index fabric_builder::add_switch(std::string description)
{
    node added;
    added.type = node_type::switch_;
    added.node_guid = guid{first_switch_guid + switches_++};
    added.port_guid = added.node_guid;
    added.system_image_guid = added.node_guid;
    added.id = canonical_id(added.type, added.node_guid);
    added.description = std::move(description);
    added.vendor_id = local_vendor_id;
    added.device_id = switch_device_id;
    added.enhanced_port0 = true;
    return fabric_.add(std::move(added));
}

endpoint fabric_builder::next_port(node_index of)
{
    auto& ports = fabric_.at(of).ports;
    auto& added = ports.emplace_back();
    added.width = options_.width;
    added.speed = options_.speed;
    return {of, static_cast<std::uint8_t>(ports.size())};
}

void fabric_builder::add_host(node_index at, std::string description)
{
    node added;
    added.type = node_type::ca;
    added.node_guid = guid{first_host_guid + guids_per_host * hosts_++};
    added.system_image_guid = added.node_guid;
    added.id = canonical_id(added.type, added.node_guid);
    added.description = std::move(description);
    added.vendor_id = local_vendor_id;
    added.device_id = host_device_id;
    auto const host = fabric_.add(std::move(added));
    auto const end = next_port(host);
    auto& only = fabric_.at(host).external_port(end.port);
    only.port_guid = guid{fabric_.at(host).node_guid.value() + 1};
    fabric_.connect(next_port(at), end);
    if (!fabric_.initiated_from_node) {
        fabric_.initiated_from_node = fabric_.at(host).node_guid;
        fabric_.initiated_from_port = only.port_guid;
    }
}

void fabric_builder::cable(node_index one, node_index other)
{
    auto const here = next_port(one);
    fabric_.connect(here, next_port(other));
}

result<fabric> fabric_builder::finish() &&
{
    std::uint16_t next_lid = 1;
    for (auto const type : {node_type::switch_, node_type::ca}) {
        for (node_index index = 0; index != fabric_.size(); ++index) {
            auto& done = fabric_.at(index);
            if (done.type != type)
                continue;
            if (type == node_type::switch_ && options_.switch_ports > done.ports.size())
                done.ports.resize(options_.switch_ports);
            if (!options_.assign_lids)
                continue;
            auto& base_lid = type == node_type::switch_ ? done.base_lid : done.ports.front().base_lid;
            auto& lmc = type == node_type::switch_ ? done.lmc : done.ports.front().lmc;
            base_lid = lid{next_lid++};
            lmc = std::uint8_t{0};
        }
    }
    return std::move(fabric_);
}

} // namespace madrigal::topology::detail
