// The records that tell what there is on the subnet: nodes, ports, switches, links, keys.
#include <sim/gid_table.hpp>
#include <sim/p_keys.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/attributes/class_port_info.hpp>
#include <madrigal/wire/attributes/forwarding_table_record.hpp>
#include <madrigal/wire/attributes/guid_info_record.hpp>
#include <madrigal/wire/attributes/link_record.hpp>
#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/p_key_table_record.hpp>
#include <madrigal/wire/attributes/port_info_record.hpp>
#include <madrigal/wire/attributes/sm_info_record.hpp>
#include <madrigal/wire/attributes/switch_info_record.hpp>
#include <madrigal/wire/class_capability.hpp>

namespace madrigal::sim {
namespace {

/// The records of a query. `make` makes those of one port that the subnet manager reaches and hands each to `take`
/// until that says that no more are wanted.
template <wire_layout T, class Make>
sa_reply find(sa_question const& question, Make const& make)
{
    auto const query = question.query<T>();
    record_list<T> found{question};
    auto const take = [&](T const& record) { return !query.matches(record) || found.add(record); };
    for (auto const& one : reached_from(question.fabric, question.sa_at))
        if (!make(one, take))
            break;
    return std::move(found).reply();
}

/// The numbers of the ports that an end port speaks for: its own, or all of a switch.
struct port_range {
    unsigned first;
    unsigned last;
};

port_range ports_of(subnet_port const& one) noexcept
{
    return {one.at.port, one.owner.is_switch() ? one.owner.port_count() : one.at.port};
}

/// Of the end port that a port belongs to.
lid lid_of(core const& of, topology::endpoint end) noexcept
{
    return lid{of.nodes[end.node].end_for(end.port).base_lid};
}

} // namespace

sa_reply answer_class_port_info(sa_question const& question)
{
    class_port_info info;
    info.base_version = mad_base_version;
    info.class_version = question.mad().class_version();
    // No notices are forwarded, no paths for several destinations are found, and of the optional records those of
    // random and multicast forwarding, SL to VL mapping and VL arbitration are missing.
    info.capability_mask = static_cast<std::uint16_t>(sa_capability::multicast) |
                           static_cast<std::uint16_t>(sa_capability::capability_mask2);
    info.capability_mask2 = static_cast<std::uint32_t>(sa_capability2::extended_speeds);
    info.resp_time_value = 18;
    return single(info);
}

sa_reply answer_node_records(sa_question const& question)
{
    return find<node_record>(question, [&](subnet_port const& one, auto const& take) {
        node_record record;
        record.base_lid = one.base_lid();
        record.info = describe_node(question.fabric, one.at.node, one.at.port);
        record.description.description = fixed_text<64>{one.owner.description};
        return take(record);
    });
}

sa_reply answer_port_info_records(sa_question const& question)
{
    return find<port_info_record>(question, [&](subnet_port const& one, auto const& take) {
        auto const numbers = ports_of(one);
        for (auto number = numbers.first; number <= numbers.last; ++number) {
            port_info_record record;
            record.endport_lid = one.base_lid();
            record.port_num = static_cast<std::uint8_t>(number);
            record.info = describe_port(question.fabric, one.at.node, number, one.at.port);
            if (!question.trusted)
                record.info.m_key = 0;
            if (!take(record))
                return false;
        }
        return true;
    });
}

sa_reply answer_switch_info_records(sa_question const& question)
{
    return find<switch_info_record>(question, [&](subnet_port const& one, auto const& take) {
        if (!one.owner.is_switch())
            return true;
        switch_info_record record;
        record.base_lid = one.base_lid();
        record.info = describe_switch(*one.owner.switching);
        return take(record);
    });
}

sa_reply answer_forwarding_records(sa_question const& question)
{
    return find<linear_forwarding_table_record>(question, [&](subnet_port const& one, auto const& take) {
        if (!one.owner.is_switch())
            return true;
        auto const& from = *one.owner.switching;
        auto const last = from.linear_top / std::tuple_size_v<forwarding_block>;
        for (std::size_t block = 0; block <= last; ++block) {
            linear_forwarding_table_record record;
            record.base_lid = one.base_lid();
            record.block_num = static_cast<std::uint16_t>(block);
            record.table = forwarding_block_of(from, block);
            if (!take(record))
                return false;
        }
        return true;
    });
}

sa_reply answer_sm_info_records(sa_question const& question)
{
    return find<sm_info_record>(question, [&](subnet_port const& one, auto const& take) {
        auto const info = describe_sm(question.fabric, one.at);
        if (!info)
            return true;
        sm_info_record record;
        record.base_lid = one.base_lid();
        record.info = *info;
        if (question.trusted && one.at == question.sa_at)
            record.info.sm_key = question.fabric.options.sa_key;
        return take(record);
    });
}

sa_reply answer_link_records(sa_question const& question)
{
    return find<link_record>(question, [&](subnet_port const& one, auto const& take) {
        auto const numbers = ports_of(one);
        for (auto number = std::max(1U, numbers.first); number <= numbers.last; ++number) {
            auto const& from = one.owner.ports[number];
            if (!question.fabric.link_is_up(from))
                continue;
            link_record record;
            record.from_lid = one.base_lid();
            record.from_port = static_cast<std::uint8_t>(number);
            record.to_port = from.cable.port;
            record.to_lid = lid_of(question.fabric, from.cable);
            if (record.to_lid != lid{} && !take(record))
                return false;
        }
        return true;
    });
}

sa_reply answer_guid_info_records(sa_question const& question)
{
    return find<guid_info_record>(question, [&](subnet_port const& one, auto const& take) {
        guid_info_record record; // one block is all there is
        record.base_lid = one.base_lid();
        for (std::size_t i = 0; i != record.info.guids.size(); ++i)
            record.info.guids[i] = guid_at(one.end, i);
        return take(record);
    });
}

sa_reply answer_p_key_records(sa_question const& question)
{
    if (!question.trusted) // they are nobody's business but the subnet manager's
        return refusal(mad_status::sa_request_invalid);
    return find<p_key_table_record>(question, [&](subnet_port const& one, auto const& take) {
        auto const numbers = ports_of(one);
        for (auto number = numbers.first; number <= numbers.last; ++number) {
            auto const entries = one.owner.is_switch() && number != 0 ? switch_port_p_keys : end_port_p_keys;
            for (std::size_t block = 0; block * std::tuple_size_v<p_key_block> != entries; ++block) {
                p_key_table_record record;
                record.base_lid = one.base_lid();
                record.block_num = static_cast<std::uint16_t>(block);
                record.port_num = static_cast<std::uint8_t>(one.owner.is_switch() ? number : 0);
                for (std::size_t i = 0; i != record.table.p_keys.size(); ++i)
                    record.table.p_keys[i] =
                        p_key_at(one.owner.ports[number], block * std::tuple_size_v<p_key_block> + i);
                if (!take(record))
                    return false;
            }
        }
        return true;
    });
}

} // namespace madrigal::sim
