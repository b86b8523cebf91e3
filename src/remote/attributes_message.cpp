#include "remote/attributes_message.hpp"

#include <cerrno>
#include <utility>

namespace madrigal::remote {
namespace {

enum class error_kind : std::uint8_t { none, system, ours };

void put(message_writer& into, gid const& value)
{
    into.put(value.bytes());
}

gid take_gid(message_reader& from)
{
    return gid{from.take<gid::bytes_type>()};
}

} // namespace

void put(message_writer& into, error const& value)
{
    auto const code = value.code();
    if (!code) {
        into.put(error_kind::none);
        return;
    }
    bool const ours = code.category() == errc_category();
    bool const system = code.category() == boost::system::system_category();
    into.put(ours ? error_kind::ours : error_kind::system);
    into.put(static_cast<std::int32_t>(ours || system ? code.value() : EIO));
    into.put_text(ours || system ? value.context() : value.message());
}

error take_error(message_reader& from)
{
    auto const kind = from.take<error_kind>();
    if (kind == error_kind::none)
        return {};
    auto const number = from.take<std::int32_t>();
    auto context = from.take_text();
    error_code const code{number,
        kind == error_kind::ours ? errc_category()
                                 : static_cast<boost::system::error_category const&>(boost::system::system_category())};
    return context.empty() ? error{code} : error{code, std::move(context)};
}

void put(message_writer& into, umad::ca_attributes const& value)
{
    into.put_text(value.name);
    into.put(value.type);
    into.put_text(value.firmware_version);
    into.put_text(value.hardware_version);
    into.put_text(value.ca_type);
    into.put_text(value.description);
    into.put(value.node_guid.value());
    into.put(value.system_image_guid.value());
    into.put_list(value.ports);
}

umad::ca_attributes take_ca_attributes(message_reader& from)
{
    umad::ca_attributes value;
    value.name = from.take_text();
    value.type = from.take<node_type>();
    value.firmware_version = from.take_text();
    value.hardware_version = from.take_text();
    value.ca_type = from.take_text();
    value.description = from.take_text();
    value.node_guid = guid{from.take<std::uint64_t>()};
    value.system_image_guid = guid{from.take<std::uint64_t>()};
    value.ports = from.take_list<unsigned>();
    return value;
}

void put(message_writer& into, umad::port_attributes const& value)
{
    into.put_text(value.ca_name);
    into.put(value.number);
    into.put(value.base_lid.value());
    into.put(value.lmc);
    into.put(value.sm_lid.value());
    into.put(value.sm_sl);
    into.put(value.state);
    into.put(value.phys_state);
    into.put_text(value.rate_text);
    into.put(value.rate);
    into.put(value.capability_mask);
    into.put(value.port_guid.value());
    into.put(value.gid_prefix);
    into.put(value.layer);
    std::vector<gid::bytes_type> gids;
    gids.reserve(value.gids.size());
    for (auto const& one : value.gids)
        gids.push_back(one.bytes());
    into.put_list(gids);
    into.put_list(value.pkeys);
}

umad::port_attributes take_port_attributes(message_reader& from)
{
    umad::port_attributes value;
    value.ca_name = from.take_text();
    value.number = from.take<unsigned>();
    value.base_lid = lid{from.take<std::uint16_t>()};
    value.lmc = from.take<std::uint8_t>();
    value.sm_lid = lid{from.take<std::uint16_t>()};
    value.sm_sl = from.take<std::uint8_t>();
    value.state = from.take<port_state>();
    value.phys_state = from.take<physical_state>();
    value.rate_text = from.take_text();
    value.rate = from.take<unsigned>();
    value.capability_mask = from.take<std::uint32_t>();
    value.port_guid = guid{from.take<std::uint64_t>()};
    value.gid_prefix = from.take<std::uint64_t>();
    value.layer = from.take<umad::link_layer>();
    for (auto const& bytes : from.take_list<gid::bytes_type>())
        value.gids.emplace_back(bytes);
    value.pkeys = from.take_list<std::uint16_t>();
    return value;
}

void put(message_writer& into, umad::subnet_attributes const& value)
{
    into.put(value.base_lid.value());
    into.put(value.sm_lid.value());
    into.put(value.sm_sl);
    put(into, value.first_gid);
    into.put(value.state);
}

umad::subnet_attributes take_subnet_attributes(message_reader& from)
{
    umad::subnet_attributes value;
    value.base_lid = lid{from.take<std::uint16_t>()};
    value.sm_lid = lid{from.take<std::uint16_t>()};
    value.sm_sl = from.take<std::uint8_t>();
    value.first_gid = take_gid(from);
    value.state = from.take<port_state>();
    return value;
}

} // namespace madrigal::remote
