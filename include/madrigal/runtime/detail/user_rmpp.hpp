// RMPP of an agent that does it itself.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/rmpp_transfers.hpp>
#include <madrigal/engine/time.hpp>
#include <madrigal/runtime/detail/operation.hpp>
#include <madrigal/runtime/reply_stream.hpp>
#include <madrigal/runtime/rmpp_options.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace madrigal::detail {

class agent_core;

/// The engine's transfers on an agent's file: what is read goes in, what the transfers want written is written, and
/// their ends become answers, questions and completions of the agent. For the loop's thread.
class user_rmpp {
public:
    /// Answers are charged to `budget`, questions to the other one.
    user_rmpp(agent_core& agent, rmpp_options const& options, std::shared_ptr<engine::rmpp_budget> budget,
        std::shared_ptr<engine::rmpp_budget> questions);
    user_rmpp(user_rmpp const&) = delete;
    user_rmpp& operator=(user_rmpp const&) = delete;
    ~user_rmpp();

    /// A packet that has arrived. False if it is of no transfer. May take it.
    [[nodiscard]] bool on_packet(engine::packet_ptr& packet);
    /// Begins to send the message of a packet: a request's, or with 0 an answer, of which `caller` waits for the end.
    /// An error, and `caller` untouched, where it cannot.
    [[nodiscard]] error_code send(engine::packet& packet, std::uint32_t request, operation& caller);
    /// The data of an answer has grown, or will never be all there; see `reply_stream`.
    void grown(std::uint64_t ticket);
    void abort(std::uint64_t ticket);
    /// This request's question is on its way, or its answer.
    [[nodiscard]] bool has(std::uint32_t request) const noexcept
    {
        return outgoing_.contains(request) || arriving_.contains(request);
    }
    /// The request has been written, or is about to be: where its answer's data goes.
    void expect(std::uint32_t request, std::shared_ptr<engine::data_stream> const& stream);
    /// The request has ended otherwise: the peer is told.
    void cancel(std::uint32_t request);
    /// Requests have ended that it may still be at work for.
    void forget_ended();
    /// Writes what is to be written, as far as it may.
    void write_waiting();
    /// Writes what peers are told of transfers at once, as far as no write may wait.
    void write_replies();
    /// A packet of its own has been refused.
    void on_refused(umad::ib_user_mad_hdr const& to, mad_view mad, error_code code);
    /// Does what is due, where all that the kernel has to say has been read.
    void on_due();
    /// Looks after deadlines again, where somebody waits for anything.
    void arm();
    /// Nobody does.
    void on_idle();
    /// Forgets everything, without a word to the peers; gives who waits for the end of an answer.
    [[nodiscard]] std::vector<operation> end_all();
    /// The loop is being destroyed.
    void abandon() noexcept;

    /// Transfers that have not ended, both ways.
    [[nodiscard]] std::size_t running() const noexcept { return transfers_->incoming() + outgoing_.size(); }

private:
    /// A message that is being sent. Its number is that of its request, or above all of those.
    struct outgoing_message {
        engine::rmpp_key key{};
        operation caller{};
        std::shared_ptr<reply_stream_state> growing{};
    };
    using transfers = engine::rmpp_transfers;

    [[nodiscard]] error_code send_growing(engine::packet& packet, operation& caller);
    [[nodiscard]] error_code begin(engine::rmpp_outgoing const& what);
    void on_first_data(umad::ib_user_mad_hdr const& from, mad_view mad, engine::rmpp_key const& key);
    void on_refusal(mad_view mad, rmpp_header const& header);
    void handle_events();
    void on_event(engine::rmpp_event& event);
    void on_received(engine::rmpp_event& event);
    void on_data(engine::rmpp_key const& key);
    void on_sent(engine::rmpp_event const& event);
    void on_room(engine::rmpp_event const& event);
    [[nodiscard]] std::shared_ptr<engine::data_stream> stream_of(std::uint32_t request) const noexcept;
    [[nodiscard]] engine::packet_ptr packet_of(engine::rmpp_event& event);
    [[nodiscard]] error_code write(engine::rmpp_packet const& next);
    void fill(engine::rmpp_packet const& next);
    void write_more_later();
    void end_thrown(engine::rmpp_key const& key);

    agent_core& agent_;
    rmpp_options options_;
    std::shared_ptr<engine::rmpp_budget> budget_;
    std::shared_ptr<engine::rmpp_budget> questions_;
    std::unique_ptr<transfers> transfers_; // made anew by end_all
    std::unordered_map<std::uint64_t, outgoing_message> outgoing_;
    std::unordered_map<std::uint32_t, engine::rmpp_key> arriving_; // answers, by request
    std::unordered_map<std::uint32_t, engine::rmpp_key> asked_;    // questions, sent or not, by request
    std::unordered_map<std::uint32_t, std::weak_ptr<engine::data_stream>> streams_;
    std::size_t streams_swept_ = 64; // sweep again at this size
    std::uint64_t next_answer_ = 0;
    engine::packet_ptr* spare_ = nullptr; // that of the packet being handled
    engine::packet_ptr out_;              // to write from
    std::unique_ptr<alarm> alarm_;
    time_point armed_at_ = never;
    bool handling_ = false;
    bool more_later_ = false;
};

} // namespace madrigal::detail
