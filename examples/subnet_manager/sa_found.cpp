#include "administration.hpp"

#include <madrigal/wire/attributes/forwarding_table_record.hpp>
#include <madrigal/wire/attributes/link_record.hpp>
#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/port_info_record.hpp>
#include <madrigal/wire/attributes/sm_info_record.hpp>
#include <madrigal/wire/attributes/switch_info_record.hpp>

#include <algorithm>
#include <vector>

namespace sm {
namespace {

using namespace madrigal; // NOLINT: records and components are named all over this file

/// Serves records that `make(known, found, end, add)` makes of each end port. `Lid` is the member with its LID.
template <wire_layout T, auto Lid, class Make>
void serve_each(sa_server const& server, managed& known, Make make)
{
    server.serve<T>([&known, make](sa_asked<T> const& asked, sa_records<T>& out) -> asio::awaitable<std::uint16_t> {
        auto const found = known.now;
        if (!found)
            co_return not_yet;
        std::vector<T> records;
        for (auto const& end : ends_for<Lid>(asked, *found)) {
            records.clear();
            make(known, *found, end, [&](T const& one) { records.push_back(one); });
            for (auto const& one : records)
                if (!co_await out.yield(one))
                    co_return mad_status::ok;
        }
        co_return mad_status::ok;
    });
}

void serve_ports(sa_server const& server, managed& known)
{
    server.serve<port_info_record>([&known](sa_asked<port_info_record> const& asked,
                                       sa_records<port_info_record>& out) -> asio::awaitable<std::uint16_t> {
        auto const found = known.now;
        if (!found)
            co_return not_yet;
        // With this bit of the modifier a port must have the capabilities that are named, and may have others.
        constexpr auto capabilities = components<&port_info_record::info, &port_info::capability_mask>;
        bool const some = (asked.mad().attribute_modifier() >> 31) != 0 && asked.mask().has(capabilities);
        auto const wanted = asked.record().info.capability_mask;
        if (some)
            out.interprets(capabilities);
        for (auto const& end : ends_for<&port_info_record::endport_lid>(asked, *found)) {
            auto const [first, last] = ports_of(*found, end);
            for (auto p = first; p <= last; ++p) {
                auto const port = static_cast<std::uint8_t>(p);
                port_info_record record{end.base_lid, port, 0, found->info({end.at.node, port})};
                if (!asked.trusted())
                    record.info.m_key = 0;
                if (!some || (record.info.capability_mask.value() & wanted.value()) == wanted.value())
                    (void)out.add(record);
                if (!co_await out.go_on())
                    co_return mad_status::ok;
            }
        }
        co_return mad_status::ok;
    });
}

} // namespace

void serve_found(sa_server const& server, managed& known)
{
    serve_each<node_record, &node_record::base_lid>(
        server, known, [](managed&, subnet const& of, end_port const& end, auto add) {
            node_record record{end.base_lid, of.found.attributes[end.at.node].info, {}};
            record.info.port_guid = end.port_guid;
            record.info.local_port_num = end.at.port;
            record.description.description = fixed_text<64>{of.node(end.at.node).description};
            add(record);
        });
    serve_ports(server, known);
    serve_each<switch_info_record, &switch_info_record::base_lid>(
        server, known, [](managed&, subnet const& of, end_port const& end, auto add) {
            if (of.is_switch(end.at.node))
                add({end.base_lid, of.found.attributes[end.at.node].switch_info});
        });
    serve_each<link_record, &link_record::from_lid>(
        server, known, [](managed&, subnet const& of, end_port const& end, auto add) {
            auto const [first, last] = ports_of(of, end);
            for (auto p = std::max(first, 1U); p <= last; ++p) {
                endpoint const at{end.at.node, static_cast<std::uint8_t>(p)};
                auto const peer = of.peer(at);
                if (auto const* const far = peer ? of.end_of(peer) : nullptr)
                    add({end.base_lid, at.port, peer.port, far->base_lid});
            }
        });
    serve_each<linear_forwarding_table_record, &linear_forwarding_table_record::base_lid>(
        server, known, [](managed& all, subnet const& of, end_port const& end, auto add) {
            auto const guid = of.node(end.at.node).node_guid;
            auto const& blocks = all.written.linear(guid);
            for (std::size_t i = 0; i != blocks.size(); ++i)
                if (all.written.has_written(guid, i))
                    add({end.base_lid, static_cast<std::uint16_t>(i), {blocks[i]}});
        });
    serve_each<multicast_forwarding_table_record, &multicast_forwarding_table_record::base_lid>(
        server, known, [](managed& all, subnet const& of, end_port const& end, auto add) {
            for (auto const& [place, masks] : all.written.multicast(of.node(end.at.node).node_guid))
                add({end.base_lid, static_cast<std::uint8_t>(place >> 28), static_cast<std::uint16_t>(place & 0x1FF),
                    {masks}});
        });
    server.serve<sm_info_record>([&known](sa_asked<sm_info_record> const& asked, sa_records<sm_info_record>& out) {
        if (!known.now)
            return not_yet;
        auto const tell = [&](lid where, sm_info info) {
            if (!asked.trusted())
                info.sm_key = 0;
            (void)out.add({where, info});
        };
        if (auto const* const own = known.now->own())
            tell(own->base_lid, known.self());
        for (auto const& other : known.others)
            if (auto const* const end = other.silent ? nullptr : known.now->find(other.info.port_guid);
                end != nullptr && end != known.now->own())
                tell(end->base_lid, other.info);
        return mad_status::ok;
    });
}

} // namespace sm
