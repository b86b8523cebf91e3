// What programs print when they are being debugged.
#include "libibumad/log.hpp"
#include "libibumad/umad_header.hpp"

#include <cstring>
#include <endian.h>
#include <span>

using namespace madrigal::libibumad;

extern "C" {

int umad_debug(int level)
{
    if (level >= 0)
        set_debug_level(level);
    return debug_level();
}

void umad_addr_dump(ib_mad_addr_t* addr)
{
    if (addr == nullptr)
        return;
    ib_mad_addr_t from{};
    std::memcpy(&from, addr, sizeof from);
    say(fmt::format("qpn {} qkey {:#x} lid {} sl {} path_bits {} pkey_index {:#x}", be32toh(from.qpn),
        be32toh(from.qkey), be16toh(from.lid), from.sl, from.path_bits, from.pkey_index));
    say(fmt::format("grh_present {} gid_index {} hop_limit {} traffic_class {} flow_label {:#x} gid 0x{:02x}",
        from.grh_present, from.gid_index, from.hop_limit, from.traffic_class, be32toh(from.flow_label),
        fmt::join(std::span{from.gid}, "")));
}

void umad_dump(void* umad)
{
    if (umad == nullptr)
        return;
    ib_user_mad_t from{};
    std::memcpy(&from, umad, sizeof from);
    say(fmt::format("agent id {} status {} timeout {} retries {} length {}", from.agent_id, from.status,
        from.timeout_ms, from.retries, from.length));
    umad_addr_dump(&from.addr);
}

} // extern "C"
