// Where what has been read goes: packets to their agents, long messages first into one piece.
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/channel.hpp>

#include "runtime/packet_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace madrigal::detail {
namespace {

/// Far more than any SA table.
constexpr std::size_t likely_length = std::size_t{64} << 20;

} // namespace

agent_core* channel::agent_of(umad::ib_user_mad_hdr const& header) noexcept
{
    return header.id < agents_.size() ? agents_[header.id] : nullptr;
}

bool channel::read_message()
{
    // An RMPP message that the kernel has put together. It stands at the head of the list until it is read whole, and
    // everything behind it waits. The first read has brought its first MAD, and in the header its length.
    umad::ib_user_mad_hdr header{};
    std::memcpy(static_cast<void*>(&header), reading_->bytes.data() + offset_, umad::old_header_size);
    auto* const agent = agent_of(header);
    std::size_t const length = std::max<std::size_t>(header.length, engine::packet::capacity - offset_);
    mad_view const mad{std::span{reading_->bytes}.subspan(umad::header_size)};
    std::unique_ptr<engine::packet_attachment> room;
    try {
        if (agent != nullptr)
            room = agent->room_for(mad.is_response(), offset_ + length);
    } catch (std::bad_alloc const&) { // NOLINT(bugprone-empty-catch): as if it were too long
    }
    if (!room) {
        drop_message(agent, length);
        return !paused_ && !closed_ && !gone_;
    }
    auto const bytes = room->message.bytes();
    auto const got = file_.file().read(bytes.subspan(offset_));
    if (!got) {
        pause();
        return false;
    }
    ++counters_->packets_read;
    auto const size = got.value() + offset_;
    room->message.shorten(size);
    std::copy_n(bytes.begin(), std::min(size, engine::packet::capacity), reading_->bytes.begin());
    reading_->more = std::move(room);
    dispatch(size);
    return !closed_ && !gone_;
}

void channel::drop_message(agent_core* agent, std::size_t length)
{
    ++counters_->oversized;
    report("an RMPP message that is longer than anybody here takes, bytes", length);
    // The length may be a lie: all of it is believed only where less does not do.
    bool taken = false;
    for (auto const size : {std::min(length, likely_length), length}) {
        auto dropped = engine::whole_message::uncharged(size);
        taken = static_cast<bool>(file_.file().read(dropped.bytes()));
        if (taken)
            break;
    }
    if (!taken) {
        pause();
        return;
    }
    if (agent == nullptr)
        return;
    if (offset_ != 0)
        lengthen(*reading_);
    reading_->assume(engine::packet::capacity);
    if (dispatched_to_.get() != agent)
        dispatched_to_ = agent->shared_from_this();
    agent->on_too_long(*reading_);
}

void channel::dispatch(std::size_t size)
{
    auto const in_packet = std::min(size, engine::packet::capacity);
    if (size < umad::header_size + mad_header_size || (size > engine::packet::capacity && !reading_->more)) {
        ++counters_->malformed;
        report("a packet too short for a MAD, bytes", size - offset_);
        reading_->more.reset();
        return;
    }
    if (offset_ != 0)
        lengthen(*reading_);
    reading_->assume(in_packet);
    if (reading_->more)
        std::copy_n(reading_->bytes.begin(), umad::header_size, reading_->more->message.bytes().begin());
    auto const& header = header_of(*reading_);
    if (tap_ && header.status == 0) [[unlikely]] // the kernel's reports were on no wire
        show(tap_direction::received, *reading_);
    auto* const agent = agent_of(header);
    if (agent == nullptr) {
        ++counters_->unknown_agent;
        report("a packet for an agent that is not registered, id", header.id);
        reading_->more.reset();
        return;
    }
    if (header.status != 0 && header.status != ETIMEDOUT) {
        ++counters_->unknown_status;
        report("a packet of unknown status", header.status);
        reading_->more.reset();
        return;
    }
    if (dispatched_to_.get() != agent)
        dispatched_to_ = agent->shared_from_this();
    agent->on_packet(reading_);
    if (reading_)
        reading_->more.reset();
}

} // namespace madrigal::detail
