// One registered agent on the loop: its requests, its sends, and the unsolicited MADs it serves.
#pragma once

#include <madrigal/runtime/counters.hpp>
#include <madrigal/runtime/detail/channel.hpp>
#include <madrigal/runtime/detail/operation.hpp>
#include <madrigal/runtime/detail/request_record.hpp>
#include <madrigal/runtime/detail/user_rmpp.hpp>
#include <madrigal/runtime/options.hpp>
#include <madrigal/umad/registration.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

namespace madrigal::detail {

/// One registered agent. `request`, `send`, `try_send`, `receive`, `close` and what says so may be called on any
/// thread; all else belongs to the loop. Every operation handed over completes exactly once, never before the call
/// returns, or is destroyed with the loop.
class agent_core : public std::enable_shared_from_this<agent_core> {
public:
    agent_core(std::shared_ptr<reactor_core> reactor, std::shared_ptr<channel> home, umad::registration wanted,
        agent_options const& options);
    agent_core(agent_core const&) = delete;
    agent_core& operator=(agent_core const&) = delete;
    ~agent_core();

    /// Registers with the kernel; again after the channel has got a new file.
    [[nodiscard]] result<void> attach();

    // Any thread.
    [[nodiscard]] reactor_core& reactor() const noexcept { return *reactor_; }
    [[nodiscard]] umad::registration const& registration() const noexcept { return wanted_; }
    [[nodiscard]] agent_options const& options() const noexcept { return options_; }
    [[nodiscard]] engine::retry_schedule const& usual_schedule() const noexcept { return usual_schedule_; }
    /// Who does RMPP.
    [[nodiscard]] rmpp_by rmpp() const noexcept;
    /// A request with packet, operation and terms.
    void request(request_ptr made, asio::cancellation_slot slot);
    void send(engine::packet_ptr packet, operation&& caller);
    [[nodiscard]] result<void> try_send(engine::packet_ptr packet);
    void receive(operation&& caller, asio::cancellation_slot slot);
    /// Ends every operation with errc::agent_closed and unregisters.
    void close();
    /// Completes an operation from the loop's executor, later.
    void complete_later(operation&& caller, error_code code);

    // The loop, from here on.
    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] std::shared_ptr<channel> const& home() const noexcept { return home_; }
    [[nodiscard]] agent_counters const& counters() const noexcept { return counters_; }
    [[nodiscard]] agent_gauges gauges() const noexcept;
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

    /// A packet of this agent has arrived, header and MAD complete. May take it.
    void on_packet(engine::packet_ptr& packet);
    /// Memory for a message of so many bytes that the kernel has put together, umad header of 64 bytes included; null
    /// where it is too long.
    [[nodiscard]] std::unique_ptr<engine::packet_attachment> room_for(bool is_answer, std::size_t bytes) const;
    /// There was none, and the message is lost; this is its first MAD.
    void on_too_long(engine::packet& packet);
    /// The first of the packets that were handed over and are not back is: written, refused, or taken back.
    void on_written(engine::packet_ptr packet, error_code code);
    /// Writes the requests that wait, as far as there are places.
    void write_waiting();
    /// Guard deadlines may be handled again.
    void guard_again();
    /// The device is gone: ends everything with errc::device_gone.
    void on_device_gone();
    /// Nobody waits for anything on this channel: a timer would only keep the loop running.
    void on_idle();
    /// Guard deadlines may have passed: ends what has.
    void on_guard();
    /// The loop is being destroyed: destroys every operation without completing it.
    void abandon_all() noexcept;

    /// Its id; 0 where it has been refused.
    std::uint32_t start_request(request_ptr made);
    void cancel_request(std::uint32_t id, asio::cancellation_type type);
    /// Of an answer whose data is still being made there is more, or no more.
    void reply_has_grown(std::uint64_t ticket);
    /// There will never be all of it.
    void abort_reply(std::uint64_t ticket);

private:
    friend class user_rmpp;

    using machine = request_machine;
    struct receiver {
        std::uint64_t number;
        operation caller;
    };
    /// A packet that the channel's writer has. A send's operation is kept here; whoever uses `try_send` has none.
    struct handed_over {
        std::uint32_t request = 0; ///< 0: a send
        bool counted = false;      ///< in `submitted_sends_`
        bool segment = false;      ///< of a transfer of its own
        operation caller{};
    };
    class request_submission;
    class send_submission;
    class receive_submission;
    struct canceller;
    struct receive_canceller;
    /// Cancels an operation that another thread has handed over. Its members belong to the loop.
    struct remote_cancellation {
        std::uint32_t id = 0; ///< once it has been started
        asio::cancellation_type before_start = asio::cancellation_type::none;
    };

    [[nodiscard]] bool usable() const noexcept
    {
        return !closed_.load(std::memory_order_relaxed) && !gone_.load(std::memory_order_relaxed);
    }
    /// Why not.
    [[nodiscard]] error_code unusable() const noexcept;
    void settle();
    void start_receive(operation&& caller, std::uint64_t number);
    void cancel_receive(std::uint64_t number);
    error_code start_send(engine::packet_ptr packet, operation&& caller, bool counted);
    void submit_send(engine::packet_ptr packet, operation&& caller);
    void finish_send(operation&& caller, bool counted, error_code code);
    void write(machine::request& entry);
    void refuse(machine::request& entry, error_code code);
    void on_report(engine::packet& packet);
    void on_answer(engine::packet_ptr& packet);
    void on_unsolicited(engine::packet_ptr& packet);
    /// True where the transfers have taken it over.
    [[nodiscard]] bool write_message(machine::request& entry);
    /// Timeout and retries of a message as a kernel takes them.
    void for_kernel(umad::ib_user_mad_hdr& header) const noexcept;
    void question_sent(std::uint32_t id);
    void end_transfer(std::uint32_t id, error_code code, engine::packet_ptr& answer);
    [[nodiscard]] duration allowance_for(engine::packet const& packet) const noexcept;
    void finish(machine::request& entry, error_code const& code, engine::packet_ptr& answer);
    void complete(operation&& caller, error_code const& code, engine::packet_ptr& answer);
    void end_all(error_code code);
    void guard(time_point deadline);
    void close_on_loop();

    std::shared_ptr<reactor_core> reactor_;
    std::shared_ptr<channel> home_;
    umad::registration wanted_;
    agent_options options_;
    engine::retry_schedule usual_schedule_;
    std::uint32_t id_ = 0;
    bool attached_ = false;
    bool expiring_ = false;
    machine requests_;
    std::shared_ptr<engine::rmpp_budget> message_budget_;  // of an agent with RMPP, for answers
    std::shared_ptr<engine::rmpp_budget> question_budget_; // and for questions
    std::unique_ptr<user_rmpp> rmpp_;                      // of one that does it itself
    std::unique_ptr<alarm> guard_;
    time_point guard_at_ = never;
    std::deque<receiver> receivers_;
    std::atomic<std::uint64_t> receiver_number_ = 0;
    std::deque<engine::packet_ptr> inbox_;
    std::deque<handed_over> handed_over_;
    agent_counters counters_;
    std::atomic<std::size_t> submitted_sends_ = 0;
    std::atomic<bool> closed_ = false;
    std::atomic<bool> gone_ = false;
};

} // namespace madrigal::detail
