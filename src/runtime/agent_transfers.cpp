// An agent's messages that are longer than a packet, both ways.
#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/packet_parts.hpp"

#include <algorithm>
#include <utility>

namespace madrigal::detail {

rmpp_by agent_core::rmpp() const noexcept
{
    if (wanted_.rmpp_version == 0)
        return rmpp_by::nobody;
    return (wanted_.flags & umad::user_rmpp) != 0 ? rmpp_by::agent : rmpp_by::kernel;
}

bool agent_core::write_message(machine::request& entry)
{
    auto& packet = entry.packet();
    if (rmpp_ && packet.more->stream)
        rmpp_->expect(entry.id(), packet.more->stream);
    if (!packet.has_message())
        return false;
    if (!rmpp_) {
        for_kernel(header_of(packet));
        return false;
    }
    operation nobody;
    if (auto const code = rmpp_->send(packet, entry.id(), nobody)) {
        refuse(entry, code);
        return true;
    }
    guard(requests_.in_transfer(entry));
    rmpp_->write_waiting();
    return true;
}

void agent_core::for_kernel(umad::ib_user_mad_hdr& header) const noexcept
{
    // What a kernel repeats of a message is the segments that stay unacknowledged, and of these only where it has been
    // given no timeout or one of more than two seconds (mad_rmpp.c, as tests/conformance/README.md says). The question
    // itself it does not repeat: so the one timeout is as long as all of them.
    if (header.timeout_ms != 0)
        header.timeout_ms = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            std::uint64_t{header.timeout_ms} * (std::uint64_t{header.retries} + 1), 2'001, INT32_MAX));
    header.retries = options_.rmpp.sending.retries;
}

void agent_core::question_sent(std::uint32_t id)
{
    if (auto* const entry = requests_.under_way(id))
        guard(requests_.transferred(*entry, home_->now()));
}

void agent_core::end_transfer(std::uint32_t id, error_code code, engine::packet_ptr& answer)
{
    auto* const entry = requests_.under_way(id);
    if (entry == nullptr)
        return;
    if (!code)
        ++counters_.answers;
    else if (code == errc::timeout)
        ++counters_.timeouts;
    finish(*entry, code, answer);
}

duration agent_core::allowance_for(engine::packet const& packet) const noexcept
{
    // The kernel begins to count when all is acknowledged; that the peer has ended the transfer it does not tell.
    if (!packet.has_message())
        return duration::zero();
    auto const total = options_.rmpp.sending.total;
    return total != duration::zero() ? total : duration{std::chrono::minutes{10}};
}

std::unique_ptr<engine::packet_attachment> agent_core::room_for(bool is_answer, std::size_t bytes) const
{
    if (!message_budget_)
        return nullptr;
    auto const& takes = options_.rmpp.transfers;
    auto const longest =
        is_answer ? takes.receiving.max_message : std::min(takes.receiving.max_message, takes.max_question);
    if (bytes > longest + umad::header_size + mad_size)
        return nullptr;
    auto made = std::make_unique<engine::packet_attachment>();
    made->message = engine::whole_message::charged(bytes, is_answer ? message_budget_ : question_budget_);
    return made->message.empty() ? nullptr : std::move(made);
}

void agent_core::on_too_long(engine::packet& packet)
{
    ++counters_.too_long;
    auto const mad = mad_of(packet);
    if (rmpp() != rmpp_by::kernel || !mad.is_response())
        return; // the kernel makes no such answer for it
    auto const [what, entry] = requests_.on_answer(mad, home_->now());
    if (what == machine::verdict::complete) {
        engine::packet_ptr none;
        finish(*entry, errc::message_too_long, none);
    } else {
        write_waiting();
    }
}

} // namespace madrigal::detail
