#include <sim/sma.hpp>

#include <sim/m_key.hpp>

namespace madrigal::sim {
namespace {

std::uint16_t answer_attribute(sma_request const& request, std::uint16_t id)
{
    switch (id) {
    case attribute_id::node_description: return answer_node_description(request);
    case attribute_id::node_info: return answer_node_info(request);
    case attribute_id::switch_info: return answer_switch_info(request);
    case attribute_id::guid_info: return answer_guid_info(request);
    case attribute_id::port_info: return answer_port_info(request);
    case attribute_id::p_key_table: return answer_p_key_table(request);
    case attribute_id::linear_forwarding_table: return answer_linear_forwarding_table(request);
    case attribute_id::sl_to_vl_mapping_table: return answer_sl_to_vl_mapping_table(request);
    case attribute_id::vl_arbitration_table: return answer_vl_arbitration_table(request);
    case attribute_id::multicast_forwarding_table: return answer_multicast_forwarding_table(request);
    case attribute_id::sm_info: return answer_sm_info(request);
    case attribute_id::mlnx_ext_port_info: return answer_mlnx_ext_port_info(request);
    default: return mad_status::unsupported_method_attribute;
    }
}

} // namespace

bool answer_smp(core& of, packet& one)
{
    auto const mad = one.view();
    auto& asked = of.nodes[one.at];
    bool const is_set = mad.method() == method::set;
    auto const attribute = mad.attribute_id();
    sma_request const request{of, asked, one.at, one.port, is_set, mad.attribute_modifier(), smp_m_key(one),
        smp_data(std::span<std::byte, mad_size>{one.mad})};

    // SMInfo is between subnet managers and needs no key of the node.
    if (attribute != attribute_id::sm_info) {
        auto& end = request.end();
        m_key_checked(of, end.guard, request.m_key);
        if (!(is_set ? may_change(end.guard, request.m_key) : may_ask(end.guard, request.m_key))) {
            m_key_violated(of, end);
            return false;
        }
    }
    std::uint16_t const status =
        mad.class_version() != 1 ? mad_status::bad_version : answer_attribute(request, attribute);
    mad.set_method(method::get_response);
    mad.set_status(status);
    return true;
}

} // namespace madrigal::sim
