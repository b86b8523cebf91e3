// NodeInfo, NodeDescription and SMInfo: who a node is.
#include <sim/p_keys.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>

namespace madrigal::sim {

std::uint16_t answer_node_info(sma_request const& request)
{
    if (request.is_set)
        return mad_status::unsupported_method_attribute;
    auto const& from = request.described();
    node_info info;
    info.base_version = 1;
    info.class_version = 1;
    info.type = from.type;
    info.num_ports = from.port_count();
    info.system_image_guid = from.system_image_guid.value_or(guid{});
    info.node_guid = from.node_guid;
    info.port_guid = request.end().port_guid;
    info.partition_cap = end_port_p_keys;
    info.device_id = from.device_id;
    info.local_port_num = request.port;
    info.vendor_id = from.vendor_id;
    return request.give(info);
}

std::uint16_t answer_node_description(sma_request const& request)
{
    if (request.is_set)
        return mad_status::unsupported_method_attribute;
    return request.give(node_description{fixed_text<64>{request.asked.description}});
}

std::uint16_t answer_sm_info(sma_request const& request)
{
    // Where a process has said that it is a subnet manager and does not answer for itself.
    if (request.is_set || !request.end().issm_held)
        return mad_status::unsupported_method_attribute;
    sm_info info;
    info.port_guid = request.end().port_guid;
    info.state = sm_state::not_active;
    return request.give(info);
}

} // namespace madrigal::sim
