// How the packets of an agent's own transfers are written.
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/user_rmpp.hpp>

#include "runtime/packet_parts.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>

namespace madrigal::detail {
namespace {

/// Packets that are written before others on the loop get their turn.
constexpr std::size_t write_budget = 128;
/// Packets that a channel's writer may have of this agent; more are made when these are back.
constexpr std::size_t most_handed_over = 64;

} // namespace

void user_rmpp::write_waiting()
{
    auto& home = *agent_.home_;
    if (home.holds_writes()) {
        home.write_later();
        return;
    }
    engine::rmpp_packet next;
    for (std::size_t written = 0; written != write_budget; ++written) {
        if (agent_.handed_over_.size() >= most_handed_over)
            return;
        if (!agent_.usable() || !transfers_->next_packet(next, home.now())) {
            arm();
            return;
        }
        if (auto const code = write(next))
            on_refused(next.to, mad_view{next.mad}, code);
    }
    write_more_later();
}

void user_rmpp::write_replies()
{
    engine::rmpp_packet next;
    while (agent_.home_ && transfers_->next_reply(next)) {
        fill(next);
        if (out_ && !agent_.home_->may_wait(*out_))
            (void)agent_.home_->write(*out_);
    }
}

void user_rmpp::fill(engine::rmpp_packet const& next)
{
    if (!out_)
        out_ = agent_.reactor().packets().acquire();
    if (!out_)
        return;
    out_->assume(engine::packet::capacity);
    auto& header = header_of(*out_);
    header = next.to;
    header.id = agent_.id_;
    std::copy(next.mad.begin(), next.mad.end(), out_->bytes.begin() + umad::header_size);
}

error_code user_rmpp::write(engine::rmpp_packet const& next)
{
    auto& home = *agent_.home_;
    fill(next);
    if (!out_)
        return {}; // lost, as it might be on the wire, and repaired like that
    if (!home.may_wait(*out_))
        return home.write(*out_);
    agent_.handed_over_.push_back({.segment = true});
    (void)home.hand_over(std::move(out_));
    return {};
}

void user_rmpp::on_refused(umad::ib_user_mad_hdr const& to, mad_view mad, error_code code)
{
    ++agent_.counters_.failed_writes;
    bool const passes = code == error_code{ENOMEM, boost::system::system_category()} || code == errc::device_gone ||
                        code == asio::error::operation_aborted;
    auto const header = rmpp_header_of(mad);
    if (passes || !header || header->type != rmpp_type::data)
        return; // repaired by repetition, or ended with all others
    // Every other segment would be refused too.
    auto const key = engine::rmpp_key::of(to, mad, mad.method(), engine::rmpp_direction::outgoing);
    auto const which =
        std::find_if(outgoing_.begin(), outgoing_.end(), [&](auto const& entry) { return entry.second.key == key; });
    if (which == outgoing_.end())
        return;
    auto ended = outgoing_.extract(which);
    (void)transfers_->cancel(key, agent_.home_->now());
    if (ended.mapped().caller) {
        agent_.home_->drop_interest();
        agent_.complete_later(std::move(ended.mapped().caller), code);
    } else {
        auto const id = static_cast<std::uint32_t>(ended.key());
        asked_.erase(id);
        if (auto* const entry = agent_.requests_.under_way(id))
            agent_.refuse(*entry, code);
    }
    write_more_later(); // there is a place for others now
}

void user_rmpp::write_more_later()
{
    if (std::exchange(more_later_, true))
        return;
    asio::post(agent_.reactor().executor(), [agent = agent_.shared_from_this(), this] {
        reactor_core::turn const in_turn{agent->reactor()};
        more_later_ = false;
        handle_events();
        agent->write_waiting();
        agent->settle();
    });
}

} // namespace madrigal::detail
