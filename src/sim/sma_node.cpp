// NodeInfo, NodeDescription and SMInfo: who a node is.
#include <sim/p_keys.hpp>
#include <sim/sa_server.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>

namespace madrigal::sim {

node_info describe_node(core const& of, topology::node_index index, std::uint8_t arrived_by)
{
    auto const& from = of.layout.at(index);
    node_info info;
    info.base_version = 1;
    info.class_version = 1;
    info.type = from.type;
    info.num_ports = from.port_count();
    info.system_image_guid = from.system_image_guid.value_or(guid{});
    info.node_guid = from.node_guid;
    info.port_guid = of.nodes[index].end_for(arrived_by).port_guid;
    info.partition_cap = end_port_p_keys;
    info.device_id = from.device_id;
    info.local_port_num = arrived_by;
    info.vendor_id = from.vendor_id;
    return info;
}

std::uint16_t answer_node_info(sma_request const& request)
{
    if (request.is_set)
        return mad_status::unsupported_method_attribute;
    return request.give(describe_node(request.fabric, request.index, request.port));
}

std::uint16_t answer_node_description(sma_request const& request)
{
    if (request.is_set)
        return mad_status::unsupported_method_attribute;
    return request.give(node_description{fixed_text<64>{request.asked.description}});
}

std::optional<sm_info> describe_sm(core const& of, topology::endpoint end)
{
    auto const& here = of.nodes[end.node].end_for(end.port);
    bool const is_master = has_built_in_sm(of, end);
    // Elsewhere a process has said that it is a subnet manager, and does not answer for itself.
    if (!is_master && !here.issm_held)
        return std::nullopt;
    sm_info info;
    info.port_guid = here.port_guid;
    info.state = is_master ? sm_state::master : sm_state::not_active;
    return info;
}

std::uint16_t answer_sm_info(sma_request const& request)
{
    auto const info =
        describe_sm(request.fabric, {request.index, static_cast<std::uint8_t>(request.asked.end_number(request.port))});
    if (request.is_set || !info)
        return mad_status::unsupported_method_attribute;
    return request.give(*info);
}

} // namespace madrigal::sim
