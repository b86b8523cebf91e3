// Subnet administration (IBA 15) of the subnet manager that has configured the fabric.
#pragma once

#include <sim/event_queue.hpp>
#include <sim/packet.hpp>
#include <sim/sa_memory.hpp>

#include <madrigal/engine/rmpp_transfers.hpp>
#include <madrigal/topology/fabric.hpp>
#include <madrigal/wire/method.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace madrigal::sim {

class core;
struct sa_reply;

/// Answers class 0x03 at the port where the subnet manager is, from the fabric's state at the time of the question.
/// Tables go by RMPP as the IBA has it, question or answer, under the fabric's time and with its losses. What it takes
/// is bounded: tables on their way by `most_bytes`, questions that arrive by what `rmpp_transfers` allows, what it is
/// told by `sa_memory`. Used under the fabric's lock.
class sa_server final : public event {
public:
    /// Of all tables that are on their way together. One that finds no room is answered `sa_no_resources`.
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;
    /// Nothing that is asked is as long.
    static constexpr std::size_t longest_question = 1024;
    /// All questions that arrive in segments together.
    static constexpr std::size_t most_question_bytes = std::size_t{4} << 20;

    sa_server(core& of, topology::endpoint where);
    sa_server(sa_server const&) = delete;
    sa_server& operator=(sa_server const&) = delete;
    ~sa_server();

    [[nodiscard]] topology::endpoint where() const noexcept { return where_; }
    /// A request of class 0x03 at its port that no agent there serves, or a packet of a transfer of its own.
    [[nodiscard]] bool is_for(packet const& one);
    /// Takes such a packet: segments at once, questions after their time.
    void receive(packet& one);
    /// Answers a question; ends its way. `corrupted`: one bit of the answer's data is wrong.
    void answer(packet& one, bool corrupted);
    /// Sends what is to be sent now, and sees to be called again when more is.
    void work();
    /// Its machine has lost its power: nothing is under way any more, nothing is remembered.
    void forget();

    /// Bytes of tables that are on their way.
    [[nodiscard]] std::size_t bytes_on_their_way() const noexcept { return sending_->used(); }
    [[nodiscard]] engine::rmpp_transfers const& transfers() const noexcept { return *transfers_; }

private:
    [[nodiscard]] sa_reply reply_to(packet const& one);
    void send_table(packet& one, sa_reply const& reply);
    void take_question(engine::rmpp_event const& whole);
    void send_segment(engine::rmpp_packet const& segment);
    void schedule();

    core& core_;
    topology::endpoint where_;
    sa_memory memory_;
    std::unique_ptr<engine::rmpp_transfers> transfers_;
    std::shared_ptr<engine::rmpp_budget> sending_;
    std::uint64_t repeated_ = 0; ///< as counted so far
    time_point due_ = never;     ///< when it is queued for
    bool working_ = false;
};

/// The subnet manager that has configured the fabric is at this end port, and answers.
[[nodiscard]] bool has_built_in_sm(core const& of, topology::endpoint at) noexcept;

} // namespace madrigal::sim
