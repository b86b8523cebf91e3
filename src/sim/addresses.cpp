#include <sim/addresses.hpp>

#include <sim/core.hpp>
#include <sim/gid_table.hpp>
#include <sim/p_keys.hpp>

#include <cerrno>
#include <cstring>

namespace madrigal::sim {

int address(port const& from, umad::ib_user_mad_hdr const& header, packet& one)
{
    auto const& end = *from.end;
    if (header.path_bits >= 1u << end.lmc)
        return EINVAL;
    auto& to = one.to;
    to = {};
    to.source_lid = static_cast<std::uint16_t>(end.base_lid + header.path_bits);
    to.destination_lid = header.lid.value();
    to.destination_qp = header.qpn.value() & 0xFF'FFFF;
    // The uppermost bit asks for the sender's own key, which is that of QP1.
    to.q_key = (header.qkey.value() & 0x8000'0000) != 0 ? gsi_q_key : header.qkey.value();
    to.p_key = p_key_at(from, header.pkey_index); // 0 where the file's headers have none
    to.service_level = header.sl & 0xF;
    if (header.grh_present == 0)
        return 0;
    if (header.gid_index >= guid_entries)
        return EINVAL;
    auto const source = gid_at(end, header.gid_index);
    if (!source)
        return ENODATA;
    to.has_grh = true;
    to.grh.source = *source;
    gid::bytes_type destination;
    std::memcpy(destination.data(), header.gid, destination.size());
    to.grh.destination = gid{destination};
    to.grh.flow_label = header.flow_label.value() & 0xF'FFFF;
    to.grh.traffic_class = header.traffic_class;
    to.grh.hop_limit = header.hop_limit;
    return 0;
}

void describe(port const& at, packet& one)
{
    auto const& end = *at.end;
    auto& header = one.header;
    header = {};
    header.qpn.set(one.to.source_qp);
    header.lid.set(one.to.source_lid);
    header.sl = one.to.service_level;
    if (core::owns(end, one.to.destination_lid))
        header.path_bits = static_cast<std::uint8_t>(one.to.destination_lid - end.base_lid);
    if (one.to.destination_qp != 0)
        header.pkey_index = p_key_index_of(at, one.to.p_key);
    if (!one.to.has_grh)
        return;
    header.grh_present = 1;
    header.hop_limit = one.to.grh.hop_limit;
    header.traffic_class = one.to.grh.traffic_class;
    header.flow_label.set(one.to.grh.flow_label);
    std::memcpy(header.gid, one.to.grh.source.bytes().data(), sizeof header.gid);
    header.gid_index = gid_index_of(end, one.to.grh.destination);
}

} // namespace madrigal::sim
