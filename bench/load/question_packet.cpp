#include "question_packet.hpp"

#include <algorithm>

namespace madrigal::bench {

question_packet::question_packet(venue const& on, std::uint32_t agent, patience const& how) noexcept
{
    auto const& to = on.question.to;
    bool const smp = is_smp(mad_view{on.question.bytes}.mgmt_class());
    auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(bytes_.data());
    header.id = agent;
    header.timeout_ms = static_cast<std::uint32_t>(how.timeout.count());
    header.retries = how.retries;
    header.length = packet_size;
    header.qpn.set(smp ? 0 : 1);
    header.qkey.set(smp ? 0 : gsi_qkey);
    header.lid.set(to.to_lid().value());
    if (to.type() == destination::kind::gid) {
        header.grh_present = 1;
        header.gid_index = to.global().source_gid_index;
        header.hop_limit = to.global().hop_limit;
        std::copy(to.global().destination.bytes().begin(), to.global().destination.bytes().end(), header.gid);
    }
    std::copy(on.question.bytes.begin(), on.question.bytes.end(), bytes_.begin() + umad::header_size);
}

} // namespace madrigal::bench
