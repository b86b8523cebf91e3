// One open umad file on the loop: reads, dispatches by agent id, writes or has written.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/rate_limit.hpp>
#include <madrigal/runtime/counters.hpp>
#include <madrigal/runtime/detail/file_writer.hpp>
#include <madrigal/runtime/detail/reactor_core.hpp>
#include <madrigal/runtime/detail/slow_destinations.hpp>
#include <madrigal/runtime/detail/tap.hpp>
#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/umad_file.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::detail {

class agent_core;

/// One open umad file. Waits for readability as long as somebody has an interest in what arrives, so that an idle
/// channel does not keep the loop running. For the loop's thread only.
///
/// On an Ethernet link layer a write may wait in the kernel, and whatever else is done with the file waits with it. So
/// such writes are handed over to a `file_writer`, and while that has its turn the loop leaves the file alone, epoll
/// included: it reads after each turn. On InfiniBand there is no writer and no thread.
class channel : public std::enable_shared_from_this<channel> {
public:
    /// Several channels of one port may count together.
    channel(std::shared_ptr<reactor_core> reactor, umad::port_attributes attributes, umad::umad_file file,
        std::shared_ptr<port_io_counters> counters);
    channel(channel const&) = delete;
    channel& operator=(channel const&) = delete;
    ~channel();

    [[nodiscard]] umad::port_attributes const& attributes() const noexcept { return attributes_; }
    [[nodiscard]] std::string const& device() const noexcept { return device_; }
    [[nodiscard]] bool gone() const noexcept { return gone_; }
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    /// Makes this the file of one agent: it is closed when that is detached. `on_loss` is called when it is here that
    /// the device is found gone.
    void belong_to_one_agent(std::function<void()> on_loss);

    /// Registers with the kernel; the agent gets its packets from now on.
    [[nodiscard]] result<std::uint32_t> attach(agent_core& agent, umad::registration const& wanted);
    /// The agent has ended, attached or not.
    void detach(agent_core& agent) noexcept;

    /// Writes a packet with a 64-byte header, whatever the file's own header size. A device that is gone is noticed:
    /// all agents are told after the current event. The packet's bytes are spoilt where the file has short headers.
    [[nodiscard]] error_code write(engine::packet& packet);
    /// Whether a write of this packet could wait, for a GID to be resolved or for writes before it: `hand_over` then.
    [[nodiscard]] bool may_wait(engine::packet const& packet) const noexcept
    {
        return ethernet_ && may_wait_on_ethernet(packet);
    }
    /// Has an agent's packet written by the writer. The agent's `on_written` is told later, in the order of the calls.
    /// The number returned is for `take_back`, which is false once it is too late.
    std::uint64_t hand_over(engine::packet_ptr packet);
    [[nodiscard]] bool take_back(std::uint64_t number) noexcept { return writer_ && writer_->take_back(number); }
    /// The writer has the file: what the kernel has to say cannot be read now.
    [[nodiscard]] bool with_writer() const noexcept { return writer_ && writer_->has_turn(); }
    /// Calls the agents' `on_guard` as soon as everything that the kernel has to say has been read.
    void guard_after_reading() noexcept;

    /// Who is shown every packet written and read from now on; nobody where null.
    void set_tap(std::shared_ptr<tap> shown_to) noexcept { tap_ = std::move(shown_to); }

    /// One operation more or fewer waits for something to arrive.
    void add_interest() noexcept { ++interest_; }
    void drop_interest() noexcept { --interest_; }
    [[nodiscard]] std::uint64_t interest() const noexcept { return interest_; }
    /// After each event: begins to wait, or ends a wait that nobody needs any more.
    void settle();
    /// True while packets are being dispatched: what they lead to settles at the end.
    [[nodiscard]] bool dispatching() const noexcept { return dispatching_; }
    /// True in the middle of a batch of packets: what may be written then waits for the end of the batch. The other
    /// side of the file is woken once for all of it, and not once for each.
    [[nodiscard]] bool holds_writes() const noexcept { return holds_writes_; }
    /// An agent has something to write at the end of the batch.
    void write_later() noexcept { writes_held_ = true; }
    /// The time of the event being handled.
    [[nodiscard]] time_point now() const noexcept { return dispatching_ ? now_ : reactor_->time().now(); }

    /// The device is gone: every agent ends all it has with errc::device_gone.
    void lose();
    /// The same where it has been found gone on another file of the port.
    void lose_as_well();
    /// Gives the descriptor up and takes a new file, after `lose`. Agents attach again.
    void replace(umad::port_attributes attributes, umad::umad_file file);
    /// Closes the file for good; where a write is under way, as soon as that has come back.
    void close() noexcept;
    /// The loop is being destroyed: all agents destroy their operations.
    void abandon_all() noexcept;

private:
    void wait();
    void on_readable(error_code code);
    void write_held();
    /// False when the file has nothing more to give for now, or is gone.
    bool read_one();
    void dispatch(std::size_t size);
    /// What waits is longer than a packet.
    bool read_message();
    void drop_message(agent_core* agent, std::size_t length);
    [[nodiscard]] agent_core* agent_of(umad::ib_user_mad_hdr const& header) noexcept;
    /// To the tap, which is on.
    void show(tap_direction direction, engine::packet const& packet) noexcept;
    /// Reads again in a millisecond: what failed just now would fail at once again.
    void pause();
    void release_descriptor() noexcept;
    void stop_waiting();
    [[nodiscard]] bool may_wait_on_ethernet(engine::packet const& packet) const noexcept;
    /// What of the packet is to be written, made ready for it; `unframe` undoes it.
    std::span<std::byte const> frame(engine::packet& packet) noexcept
    {
        if (packet.has_message())
            return frame_message(packet);
        auto const size = packet.size - offset_;
        auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.bytes.data());
        header.length = static_cast<std::uint32_t>(size);
        // The kernel refuses path bits outside the port's LID mask.
        header.path_bits &= path_bits_;
        if (offset_ != 0)
            shorten(packet);
        return std::span{packet.bytes}.subspan(offset_, size);
    }
    void unframe(engine::packet& packet) noexcept
    {
        if (offset_ != 0 && !packet.has_message())
            lengthen(packet);
    }
    /// The same for the message that a packet stands for; the packet itself stays as it is.
    [[nodiscard]] std::span<std::byte const> frame_message(engine::packet& packet) const noexcept;
    // Between the header of 64 bytes and the file's own, in place.
    void shorten(engine::packet& packet) const noexcept;
    void lengthen(engine::packet& packet) const noexcept;
    /// What the file is says how its packets are.
    void learn_framing() noexcept;
    /// Why a write has failed, as its agent is told.
    error_code refused(error_code code, umad::ib_user_mad_hdr const& header) noexcept;
    void found_gone();
    void drop_out();
    void give_turn();
    void on_progress();
    void dispatch_written(std::vector<late_write>& writes);
    void resume_guards();
    /// Everything has been read: deadlines that waited for that.
    void expire_guards();
    void retire_writer() noexcept;
    void report(char const* what, std::uint64_t value);

    std::shared_ptr<reactor_core> reactor_;
    umad::port_attributes attributes_;
    umad::umad_file file_;
    std::string device_;
    asio::posix::stream_descriptor descriptor_;
    std::array<agent_core*, umad::max_agents> agents_{};
    std::size_t offset_ = 0; // short headers lack the last 8 bytes: packets begin this much later, the MAD does not
    std::uint8_t path_bits_ = 0;
    engine::packet_ptr reading_;
    std::shared_ptr<agent_core> dispatched_to_; // kept alive while it may be at work
    std::shared_ptr<port_io_counters> counters_;
    std::shared_ptr<tap> tap_;
    engine::rate_limit log_limit_;
    std::function<void()> on_loss_;
    slow_destinations destinations_;
    std::unique_ptr<file_writer> writer_; // once something has been handed over
    asio::any_io_executor work_;          // keeps the loop running while something is
    std::uint64_t handed_over_ = 0;
    std::unique_ptr<alarm> resume_;
    time_point now_{};
    std::uint64_t interest_ = 0;
    std::uint32_t wait_epoch_ = 0;
    bool waiting_ = false;
    bool dispatching_ = false;
    bool holds_writes_ = false;
    bool writes_held_ = false;
    bool paused_ = false;
    bool losing_ = false;
    bool gone_ = false;
    bool closed_ = false;
    bool ethernet_;
    bool one_agent_ = false;
    bool keep_turn_ = false;   // the writer must wait
    bool guards_wait_ = false; // until everything has been read
};

} // namespace madrigal::detail
