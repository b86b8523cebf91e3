// What programs ask about CAs and ports.
#include "libibumad/log.hpp"
#include "libibumad/port_choice.hpp"
#include "libibumad/process_host.hpp"
#include "libibumad/umad_header.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <endian.h>
#include <new>
#include <string_view>

namespace madrigal::libibumad {
namespace {

/// Cuts what does not fit; for all but names.
template <std::size_t Size>
void put_text(char (&field)[Size], std::string_view text) noexcept // NOLINT: the header's fields are arrays
{
    auto const size = std::min(text.size(), Size - 1);
    std::copy_n(text.data(), size, field);
    std::fill(field + size, field + Size, '\0');
}

/// A cut name would be another device's.
bool fits(std::string_view name) noexcept
{
    return name.size() < UMAD_CA_NAME_LEN;
}

char const* layer_name(umad::link_layer layer) noexcept
{
    switch (layer) {
    case umad::link_layer::infiniband: return "InfiniBand";
    case umad::link_layer::ethernet: return "Ethernet";
    case umad::link_layer::unknown: break;
    }
    return "Unknown";
}

/// What the C side frees.
template <class Item>
Item* allocate(std::size_t count)
{
    auto* const items = static_cast<Item*>(std::calloc(count, sizeof(Item))); // NOLINT: released with free
    if (items == nullptr)
        throw std::bad_alloc{};
    return items;
}

void fill(umad_port_t& port, umad::port_attributes const& from)
{
    put_text(port.ca_name, from.ca_name);
    port.portnum = static_cast<int>(from.number);
    port.base_lid = from.base_lid.value();
    port.lmc = from.lmc;
    port.sm_lid = from.sm_lid.value();
    port.sm_sl = from.sm_sl;
    port.state = static_cast<unsigned>(from.state);
    port.phys_state = static_cast<unsigned>(from.phys_state);
    port.rate = from.rate;
    port.capmask = htobe32(from.capability_mask);
    port.gid_prefix = htobe64(from.gid_prefix);
    port.port_guid = htobe64(from.port_guid.value());
    put_text(port.link_layer, layer_name(from.layer));
    port.pkeys = allocate<std::uint16_t>(std::max<std::size_t>(from.pkeys.size(), 1));
    port.pkeys_size = static_cast<unsigned>(from.pkeys.size());
    std::ranges::copy(from.pkeys, port.pkeys);
}

void release(umad_port_t& port) noexcept
{
    std::free(port.pkeys); // NOLINT: from calloc
    port.pkeys = nullptr;
    port.pkeys_size = 0;
}

/// All places, since numports may have been written to.
void release(umad_ca_t& ca) noexcept
{
    for (auto*& port : ca.ports) {
        if (port != nullptr)
            release(*port);
        std::free(port); // NOLINT: from calloc
        port = nullptr;
    }
}

void fill_ports(umad_ca_t& ca, umad::host& from, umad::ca_attributes const& attributes)
{
    for (unsigned const number : attributes.ports) {
        if (number >= UMAD_CA_MAX_PORTS) {
            debug("umad_get_ca: {} has more ports than umad_ca_t; umad_get_port gives the others", attributes.name);
            break;
        }
        // Programs walk up to numports and pass over null.
        ca.numports = static_cast<int>(number);
        auto const port = from.query_port(attributes.name, number);
        if (!port) {
            debug("umad_get_ca: {}", port.error().message());
            continue;
        }
        ca.ports[number] = allocate<umad_port_t>(1);
        fill(*ca.ports[number], port.value());
    }
}

verdict get_ca(char const* name, umad_ca_t& ca)
{
    ca = {}; // so that it may be released whatever happens
    auto host = use_host();
    if (!host)
        return refused(ENODEV);
    auto const found = find_ca(*host.value(), name);
    if (!found)
        return failed(found.error());
    auto const attributes = host.value()->query_ca(found.value());
    if (!attributes)
        return failed(attributes.error());
    if (!fits(attributes.value().name))
        return refused(ENAMETOOLONG);
    put_text(ca.ca_name, attributes.value().name);
    ca.node_type = static_cast<unsigned>(attributes.value().type);
    put_text(ca.fw_ver, attributes.value().firmware_version);
    put_text(ca.ca_type, attributes.value().ca_type);
    put_text(ca.hw_ver, attributes.value().hardware_version);
    ca.node_guid = htobe64(attributes.value().node_guid.value());
    ca.system_guid = htobe64(attributes.value().system_image_guid.value());
    try {
        fill_ports(ca, *host.value(), attributes.value());
    } catch (std::bad_alloc const&) {
        release(ca);
        throw;
    }
    return {};
}

verdict get_port(char const* name, int number, umad_port_t& port)
{
    port = {}; // so that it may be released whatever happens
    auto host = use_host();
    if (!host)
        return refused(ENODEV);
    auto const found = find_port(*host.value(), {.ca = name, .number = number});
    if (!found)
        return failed(found.error());
    if (!fits(found.value().ca_name))
        return refused(ENAMETOOLONG);
    fill(port, found.value());
    return {};
}

/// By port number, so with a place for port 0, which is empty where it is no switch's.
verdict get_port_guids(char const* name, __be64* guids, int max)
{
    auto host = use_host();
    if (!host)
        return refused(ENODEV);
    auto const found = find_ca(*host.value(), name);
    if (!found)
        return failed(found.error());
    auto const ca = host.value()->query_ca(found.value());
    if (!ca)
        return failed(ca.error());
    if (guids == nullptr)
        return {};
    int const count = ca.value().ports.empty() ? 1 : static_cast<int>(ca.value().ports.back()) + 1;
    if (count > max)
        return refused(ENOMEM);
    std::fill_n(guids, count, 0);
    for (unsigned const number : ca.value().ports)
        if (auto const port = host.value()->query_port(found.value(), number))
            guids[number] = htobe64(port.value().port_guid.value());
    return {count};
}

verdict get_issm_path(char const* name, int number, char* path, int max)
{
    auto host = use_host();
    if (!host)
        return refused(ENODEV);
    auto const found = find_port(*host.value(), {.ca = name, .number = number});
    if (!found)
        return failed(found.error());
    auto const where = host.value()->issm_path(found.value().ca_name, found.value().number);
    if (!where) {
        debug("{}", where.error().message());
        auto const code = where.error().code();
        bool const of_system = code.category() == boost::system::system_category();
        return refused_as(EINVAL, of_system ? code.value() : EINVAL);
    }
    if (max <= 0 || where.value().size() >= static_cast<std::size_t>(max))
        return refused_as(EINVAL, ENAMETOOLONG); // a cut path would be another file
    std::memcpy(path, where.value().c_str(), where.value().size() + 1);
    return {};
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

int umad_get_ca(char const* ca_name, umad_ca_t* ca)
{
    return uncancelled([&]() -> verdict {
        debug("umad_get_ca: {}", shown(ca_name));
        return ca != nullptr ? get_ca(ca_name, *ca) : refused(EINVAL);
    });
}

int umad_release_ca(umad_ca_t* ca)
{
    if (ca == nullptr)
        return -ENODEV;
    release(*ca);
    return 0;
}

int umad_get_port(char const* ca_name, int portnum, umad_port_t* port)
{
    return uncancelled([&]() -> verdict {
        debug("umad_get_port: {} port {}", shown(ca_name), portnum);
        return port != nullptr ? get_port(ca_name, portnum, *port) : refused(EINVAL);
    });
}

int umad_release_port(umad_port_t* port)
{
    if (port == nullptr)
        return -ENODEV;
    release(*port);
    return 0;
}

int umad_get_ca_portguids(char const* ca_name, __be64* portguids, int max)
{
    return uncancelled([&]() -> verdict {
        debug("umad_get_ca_portguids: {}", shown(ca_name));
        return get_port_guids(ca_name, portguids, max);
    });
}

int umad_get_issm_path(char const* ca_name, int portnum, char* path, int max)
{
    return uncancelled([&]() -> verdict {
        debug("umad_get_issm_path: {} port {}", shown(ca_name), portnum);
        return path != nullptr ? get_issm_path(ca_name, portnum, path, max) : refused(EINVAL);
    });
}

} // extern "C"
