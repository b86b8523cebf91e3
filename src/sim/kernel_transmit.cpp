// The sending half of an emulated umad file: what write checks, what the kernel keeps, and what it sends again.
#include <sim/addresses.hpp>
#include <sim/core.hpp>
#include <sim/directed_route_step.hpp>
#include <sim/kernel_file.hpp>
#include <sim/kernel_rmpp.hpp>

#include <madrigal/wire/rmpp.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace madrigal::sim {
namespace {

/// Common header and RMPP header: less than that no write may carry.
constexpr std::size_t least_mad = 36;

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
    auto& agent = *agents_[header.id];
    auto const body = bytes.subspan(header_bytes());

    auto& one = core_->packets.take();
    auto const refuse = [&](int number) {
        core_->packets.give_back(one);
        return number;
    };
    if (int const failed = address(header, one); failed != 0)
        return refuse(failed);
    if (body.size() < header_length(body))
        return refuse(EINVAL);
    bool const in_segments = agent.rmpp && is_active_rmpp(mad_view{body});
    if (body.size() > mad_size && !in_segments)
        return refuse(EINVAL);
    auto const first = std::min(body.size(), mad_size);
    std::memcpy(one.mad.data(), body.data(), first);
    std::memset(one.mad.data() + first, 0, mad_size - first);
    one.header = header;
    one.to.source_qp = agent.registered.qpn;

    auto const mad = one.view();
    bool const response = mad.is_response();
    if (!response)
        mad.set_transaction_id(std::uint64_t{agent.upper} << 32 | (mad.transaction_id() & 0xFFFF'FFFF));
    if ((agent.has_kernel_rmpp() || !is_active_rmpp(std::as_const(one).view())) && is_duplicate(one, response))
        return refuse(EINVAL);
    if (agent.registered.rmpp_version != 0 && !has_rmpp(mad.mgmt_class()))
        return refuse(EINVAL); // such an agent sends nothing else
    if (in_segments)
        return refuse(send_message(agent, one, body));
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
    auto& kept = keep(one);
    kept.leaving = true;
    transmit(one);
    kept.leaving = false;
    if (kept.answered)
        retire(kept);
    else
        core_->events.push(kept, core_->now + std::chrono::milliseconds{header.timeout_ms});
    return 0;
}

/// What the kernel remembers of a packet that it sends; in the table.
kernel_send& kernel_file::keep(packet const& one)
{
    auto const mad = one.view();
    auto& kept = sends_.take();
    kept.file = this;
    kept.transaction_id = mad.transaction_id();
    kept.mgmt_class = static_cast<std::uint8_t>(mad.mgmt_class());
    kept.is_response = mad.is_response();
    kept.retries_left = one.header.retries;
    kept.header = one.header;
    kept.to = one.to;
    kept.mad = one.mad;
    sends_.insert(kept);
    return kept;
}

/// A message that the kernel sends in segments. `first` is how it begins, its transaction id set.
int kernel_file::send_message(kernel_agent& agent, packet const& first, std::span<std::byte const> message)
{
    auto& kept = keep(first);
    if (int const failed = agent.rmpp->start(kept, message); failed != 0) {
        retire(kept);
        return failed;
    }
    agent.rmpp->work(); // `kept` may be gone behind it
    return 0;
}

void kernel_file::send_segment(umad::ib_user_mad_hdr const& header, std::array<std::byte, mad_size> const& mad)
{
    auto& one = core_->packets.take();
    if (address(header, one) != 0) {
        core_->packets.give_back(one);
        return;
    }
    one.mad = mad;
    one.to.source_qp = agents_[header.id]->registered.qpn;
    transmit(one);
}

int kernel_file::address(umad::ib_user_mad_hdr const& header, packet& one) const
{
    one.at = port_->where().node;
    return sim::address(core_->at(port_->where()), header, one);
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
    // A transfer has been repeated before it was acknowledged; that its answer stays away ends it.
    if (kept.retries_left != 0 && kept.ticket == 0) {
        auto& one = core_->packets.take();
        one.mad = kept.mad;
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
    report(kept);
}

/// The sender learns that nobody answered.
void kernel_file::report(kernel_send& kept)
{
    auto& one = core_->packets.take();
    std::memcpy(one.mad.data(), kept.mad.data(), mad_header_size);
    one.header = kept.header;
    one.header.status = ETIMEDOUT;
    one.length = mad_header_size;
    retire(kept);
    append(one); // never dropped, however long the list is
}

kernel_send* kernel_file::find_question(umad::ib_user_mad_hdr const& from, mad_view answer) const noexcept
{
    bool const directed = answer.mgmt_class() == management_class::subnet_directed_route;
    return sends_.find(
        answer.transaction_id(), static_cast<std::uint8_t>(answer.mgmt_class()), [&](kernel_send const& sent) {
            if (sent.is_response || sent.answered)
                return false;
            if (directed)
                return true;
            if ((sent.header.grh_present != 0) != (from.grh_present != 0))
                return false;
            if (from.grh_present != 0)
                return std::memcmp(sent.header.gid, from.gid, sizeof from.gid) == 0;
            return sent.header.path_bits == from.path_bits;
        });
}

void kernel_file::take_answer(kernel_agent& agent, packet& one)
{
    describe(agent, one);
    auto const mad = std::as_const(one).view();
    auto const transfer = agent.rmpp && is_active_rmpp(mad) ? rmpp_header_of(mad) : std::nullopt;
    auto* const asked = find_question(one.header, mad);
    if (transfer && (asked != nullptr || transfer->type != rmpp_type::data)) {
        agent.rmpp->receive(one);
    } else if (asked != nullptr) {
        answered(*asked);
        deliver(one);
    } else if (!agent.rmpp && is_active_rmpp(mad)) {
        deliver(one); // a process that does RMPP itself gets every segment, asked for or not
    } else {
        core_->drop(one, drop_reason::late_answer);
    }
}

void kernel_file::answered(kernel_send& one) noexcept
{
    if (one.leaving)
        one.answered = true;
    else
        retire(one);
}

void kernel_file::transferred(kernel_send& one)
{
    if (one.header.timeout_ms == 0)
        retire(one);
    else
        core_->events.push(one, core_->now + std::chrono::milliseconds{one.header.timeout_ms});
}

void kernel_file::transfer_failed(kernel_send& one, bool told)
{
    if (told)
        report(one);
    else
        retire(one);
}

void kernel_file::retire(kernel_send& one) noexcept
{
    core_->events.remove(one);
    if (one.ticket != 0)
        agents_[one.header.id]->rmpp->forget(one);
    sends_.erase(one);
    sends_.give_back(one);
}

} // namespace madrigal::sim
