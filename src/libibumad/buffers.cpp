// What programs do with the packets in their hands: addresses, GRH, P_Key, where the MAD begins. Buffers may lie at any
// address.
#include "libibumad/umad_header.hpp"

#include <cerrno>
#include <cstring>
#include <endian.h>

namespace madrigal::libibumad {
namespace {

template <class Field>
void put(void* umad, std::size_t offset, Field value) noexcept
{
    std::memcpy(static_cast<char*>(umad) + offset, &value, sizeof value);
}

template <class Field>
Field get(void const* umad, std::size_t offset) noexcept
{
    Field value{};
    std::memcpy(&value, static_cast<char const*>(umad) + offset, sizeof value);
    return value;
}

constexpr std::size_t in_address(std::size_t offset) noexcept
{
    return offsetof(ib_user_mad_t, addr) + offset;
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

void* umad_get_mad(void* umad)
{
    return umad != nullptr ? static_cast<char*>(umad) + sizeof(ib_user_mad_t) : nullptr;
}

/// The same for all ports and at any time: where a kernel has the shorter header, the library converts.
std::size_t umad_size()
{
    return sizeof(ib_user_mad_t);
}

int umad_status(void* umad)
{
    return umad != nullptr ? static_cast<int>(get<std::uint32_t>(umad, offsetof(ib_user_mad_t, status))) : -EINVAL;
}

ib_mad_addr_t* umad_get_mad_addr(void* umad)
{
    return umad != nullptr ? &static_cast<ib_user_mad_t*>(umad)->addr : nullptr;
}

int umad_set_grh(void* umad, void* mad_addr)
{
    if (umad == nullptr)
        return -EINVAL;
    put(umad, in_address(offsetof(ib_mad_addr_t, grh_present)), static_cast<std::uint8_t>(mad_addr != nullptr));
    if (mad_addr == nullptr)
        return 0;
    ib_mad_addr_t from{};
    std::memcpy(&from, mad_addr, sizeof from);
    std::memcpy(static_cast<char*>(umad) + in_address(offsetof(ib_mad_addr_t, gid)), from.gid, sizeof from.gid);
    // In host byte order in the caller's structure, and so against its declared type.
    put(umad, in_address(offsetof(ib_mad_addr_t, flow_label)), htobe32(from.flow_label));
    put(umad, in_address(offsetof(ib_mad_addr_t, hop_limit)), from.hop_limit);
    put(umad, in_address(offsetof(ib_mad_addr_t, traffic_class)), from.traffic_class);
    return 0;
}

int umad_set_pkey(void* umad, int pkey_index)
{
    if (umad == nullptr)
        return -EINVAL;
    put(umad, in_address(offsetof(ib_mad_addr_t, pkey_index)), static_cast<std::uint16_t>(pkey_index));
    return 0;
}

int umad_get_pkey(void* umad)
{
    return umad != nullptr ? get<std::uint16_t>(umad, in_address(offsetof(ib_mad_addr_t, pkey_index))) : -EINVAL;
}

int umad_set_addr_net(void* umad, __be16 dlid, __be32 dqp, int sl, __be32 qkey)
{
    if (umad == nullptr)
        return -EINVAL;
    put(umad, in_address(offsetof(ib_mad_addr_t, lid)), dlid);
    put(umad, in_address(offsetof(ib_mad_addr_t, qpn)), dqp);
    put(umad, in_address(offsetof(ib_mad_addr_t, qkey)), qkey);
    put(umad, in_address(offsetof(ib_mad_addr_t, sl)), static_cast<std::uint8_t>(sl));
    return 0;
}

int umad_set_addr(void* umad, int dlid, int dqp, int sl, int qkey)
{
    return umad_set_addr_net(umad, htobe16(static_cast<std::uint16_t>(dlid)), htobe32(static_cast<std::uint32_t>(dqp)),
        sl, htobe32(static_cast<std::uint32_t>(qkey)));
}

} // extern "C"
