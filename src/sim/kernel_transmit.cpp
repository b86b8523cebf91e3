// The sending half of an emulated umad file: what write checks, what the kernel keeps, and what it sends again.
#include <sim/core.hpp>
#include <sim/directed_route_step.hpp>
#include <sim/gid_table.hpp>
#include <sim/kernel_file.hpp>
#include <sim/p_keys.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace madrigal::sim {
namespace {

/// Common header and RMPP header: less than that no write may carry.
constexpr std::size_t least_mad = 36;

bool is_active_rmpp(mad_view mad) noexcept
{
    return class_has_rmpp(static_cast<std::uint8_t>(mad.mgmt_class())) && load_bits<215, 1>(mad.bytes().data()) != 0;
}

bool same_destination(umad::ib_user_mad_hdr const& a, umad::ib_user_mad_hdr const& b) noexcept
{
    if (a.grh_present != 0 || b.grh_present != 0)
        return a.grh_present == b.grh_present && std::memcmp(a.gid, b.gid, sizeof a.gid) == 0;
    return a.lid == b.lid;
}

/// What a MAD of its class must have at least: the kernel takes the class's own header apart where there is RMPP.
std::size_t header_length(std::span<std::byte const> mad) noexcept
{
    auto const mgmt_class = mad_view{mad}.mgmt_class();
    return has_rmpp(mgmt_class) ? class_data_offset(mgmt_class) : least_mad;
}

} // namespace

int kernel_file::send(std::span<std::byte const> bytes)
{
    if (bytes.size() < header_bytes() + least_mad)
        return EINVAL;
    umad::ib_user_mad_hdr header{};
    std::memcpy(&header, bytes.data(), header_bytes());
    if (header.id >= umad::max_agents)
        return EINVAL;
    if (!agents_[header.id])
        return EIO;
    auto const& agent = *agents_[header.id];
    auto const body = bytes.subspan(header_bytes());

    auto& one = core_->packets.take();
    auto const refuse = [&](int number) {
        core_->packets.give_back(one);
        return number;
    };
    if (int const failed = address(header, one); failed != 0)
        return refuse(failed);
    if (body.size() > mad_size || body.size() < header_length(body))
        return refuse(EINVAL);
    std::memcpy(one.mad.data(), body.data(), body.size());
    std::memset(one.mad.data() + body.size(), 0, mad_size - body.size());
    one.header = header;
    one.to.source_qp = agent.registered.qpn;

    auto const mad = one.view();
    bool const response = mad.is_response();
    if (!response)
        mad.set_transaction_id(std::uint64_t{agent.upper} << 32 | (mad.transaction_id() & 0xFFFF'FFFF));
    if ((agent.kernel_rmpp() || !is_active_rmpp(mad)) && is_duplicate(one, response))
        return refuse(EINVAL);
    if (agent.registered.qpn == 0 && mad.mgmt_class() == management_class::subnet_directed_route) {
        // The kernel itself does the first step of a directed route and refuses one that cannot start here.
        auto probe = one.mad;
        auto const step = step_from_inside(probe);
        auto const& here = core_->nodes[port_->where().node];
        if (step.go == directed_route_step::way::discard ||
            (step.go == directed_route_step::way::leave && !here.is_switch() && step.port != port_->where().port))
            return refuse(EINVAL);
    }
    if (header.timeout_ms == 0) {
        transmit(one); // forgotten as soon as it has left: an answer will find nothing
        return 0;
    }
    auto& kept = sends_.take();
    kept.file = this;
    kept.transaction_id = mad.transaction_id();
    kept.mgmt_class = static_cast<std::uint8_t>(mad.mgmt_class());
    kept.is_response = response;
    kept.retries_left = header.retries;
    kept.header = header;
    kept.to = one.to;
    kept.mad = one.mad;
    sends_.insert(kept);
    kept.leaving = true;
    transmit(one);
    kept.leaving = false;
    if (kept.answered)
        retire(kept);
    else
        core_->events.push(kept, core_->now + std::chrono::milliseconds{header.timeout_ms});
    return 0;
}

int kernel_file::address(umad::ib_user_mad_hdr const& header, packet& one) const
{
    auto const& where = core_->at(port_->where());
    auto const& end = *where.end;
    if (header.path_bits >= 1u << end.lmc)
        return EINVAL;
    auto& to = one.to;
    to = {};
    to.source_lid = static_cast<std::uint16_t>(end.base_lid + header.path_bits);
    to.destination_lid = header.lid.value();
    to.destination_qp = header.qpn.value() & 0xFF'FFFF;
    // The uppermost bit asks for the sender's own key, which is that of QP1.
    to.q_key = (header.qkey.value() & 0x8000'0000) != 0 ? gsi_q_key : header.qkey.value();
    to.p_key = p_key_at(where, pkey_mode_ ? header.pkey_index : 0);
    to.service_level = header.sl & 0xF;
    if (header.grh_present != 0) {
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
    }
    one.at = port_->where().node;
    return 0;
}

bool kernel_file::is_duplicate(packet const& one, bool response) const
{
    auto const mad = one.view();
    return sends_.find(mad.transaction_id(), static_cast<std::uint8_t>(mad.mgmt_class()), [&](kernel_send const& kept) {
        return kept.is_response == response && (!response || same_destination(kept.header, one.header));
    }) != nullptr;
}

void kernel_file::transmit(packet& one)
{
    if (core_->transactions)
        ++(*core_->transactions)[one.view().transaction_id()];
    core_->launch(one, port_->where().port);
}

void kernel_file::expire(kernel_send& kept)
{
    auto& one = core_->packets.take();
    one.mad = kept.mad;
    if (kept.retries_left != 0) {
        --kept.retries_left;
        ++core_->counts.retransmitted;
        one.to = kept.to;
        one.at = port_->where().node;
        kept.leaving = true;
        transmit(one);
        kept.leaving = false;
        if (kept.answered)
            retire(kept);
        else
            core_->events.push(kept, core_->now + std::chrono::milliseconds{kept.header.timeout_ms});
        return;
    }
    one.header = kept.header;
    one.header.status = ETIMEDOUT;
    one.length = mad_header_size;
    retire(kept);
    append(one); // never dropped, however long the list is
}

void kernel_file::take_answer(kernel_agent& agent, packet& one)
{
    auto const mad = one.view();
    auto const& end = *core_->at(port_->where()).end;
    bool const directed = mad.mgmt_class() == management_class::subnet_directed_route;
    auto const lid_mask = (1u << end.lmc) - 1;
    auto* const kept =
        sends_.find(mad.transaction_id(), static_cast<std::uint8_t>(mad.mgmt_class()), [&](kernel_send const& sent) {
            if (sent.is_response || sent.answered)
                return false;
            if (directed)
                return true;
            if (sent.to.has_grh != one.to.has_grh)
                return false;
            if (sent.to.has_grh)
                return sent.to.grh.destination == one.to.grh.source;
            return ((sent.to.source_lid ^ one.to.destination_lid) & lid_mask) == 0;
        });
    if (kept == nullptr) {
        // A process that does RMPP itself gets every segment, asked for or not.
        if (!agent.kernel_rmpp() && is_active_rmpp(mad))
            deliver(agent, one);
        else
            core_->drop(one, drop_reason::late_answer);
        return;
    }
    if (kept->leaving)
        kept->answered = true;
    else
        retire(*kept);
    deliver(agent, one);
}

void kernel_file::retire(kernel_send& one) noexcept
{
    core_->events.remove(one);
    sends_.erase(one);
    sends_.give_back(one);
}

} // namespace madrigal::sim
