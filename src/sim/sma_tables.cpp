// GUIDInfo, P_KeyTable and MlnxExtPortInfo: what a port has besides PortInfo.
#include <sim/gid_table.hpp>
#include <sim/p_keys.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/attributes/guid_info.hpp>
#include <madrigal/wire/attributes/mlnx_ext_port_info.hpp>
#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/link_rate.hpp>

namespace madrigal::sim {
namespace {

/// Vendors whose devices have MlnxExtPortInfo.
constexpr std::uint32_t speed_vendors[] = {0x0002C9, 0x001405};

bool knows_fdr10(sma_request const& request)
{
    for (auto const vendor : speed_vendors)
        if (request.described().vendor_id == vendor)
            return true;
    for (auto const& one : request.asked.ports)
        if (one.speed == link_speed::fdr10)
            return true;
    return false;
}

} // namespace

std::uint16_t answer_guid_info(sma_request const& request)
{
    auto& end = request.end();
    if (request.modifier != 0) // one block is all there is
        return mad_status::invalid_value;
    if (request.is_set) {
        auto const wanted = request.wanted<guid_info>();
        // Entry 0 is the maker's and stays.
        end.more_guids.assign(wanted.guids.begin(), wanted.guids.end());
        end.more_guids[0] = guid{};
    }
    guid_info info;
    for (std::size_t i = 0; i != info.guids.size(); ++i)
        info.guids[i] = guid_at(end, i);
    return request.give(info);
}

std::uint16_t answer_p_key_table(sma_request const& request)
{
    auto const number = request.asked.is_switch() ? request.modifier >> 16 : request.port;
    if (request.asked.is_switch() ? number > request.asked.port_count() : request.modifier >> 16 != 0)
        return mad_status::invalid_value;
    bool const external = request.asked.is_switch() && number != 0;
    std::size_t const entries = external ? switch_port_p_keys : end_port_p_keys;
    constexpr std::size_t block_size = std::tuple_size_v<p_key_block>;
    std::size_t const first = (request.modifier & 0xFFFF) * block_size;
    if (first >= entries)
        return mad_status::invalid_value;
    auto& table = request.asked.ports[number];
    if (request.is_set) {
        auto const wanted = request.wanted<p_key_table>();
        if (table.p_keys.empty()) {
            table.p_keys.resize(entries);
            table.p_keys[0] = default_p_key;
        }
        std::copy(
            wanted.p_keys.begin(), wanted.p_keys.end(), table.p_keys.begin() + static_cast<std::ptrdiff_t>(first));
    }
    p_key_table block;
    for (std::size_t i = 0; i != block_size; ++i)
        block.p_keys[i] = p_key_at(table, first + i);
    return request.give(block);
}

std::uint16_t answer_mlnx_ext_port_info(sma_request const& request)
{
    if (request.is_set || !knows_fdr10(request))
        return mad_status::unsupported_method_attribute;
    auto const number = request.modifier == 0 && !request.asked.is_switch() ? request.port : request.modifier;
    if (number > request.asked.port_count())
        return mad_status::invalid_value;
    auto const& one = request.asked.ports[number];
    auto info = vendor_link(one.speed);
    info.link_speed_active = vendor_link(one.active_speed()).link_speed_active;
    return request.give(info);
}

} // namespace madrigal::sim
