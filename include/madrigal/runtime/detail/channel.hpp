// One open umad file on the loop: reads, dispatches by agent id, writes.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/rate_limit.hpp>
#include <madrigal/runtime/counters.hpp>
#include <madrigal/runtime/detail/reactor_core.hpp>
#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/umad_file.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace madrigal::detail {

class agent_core;

/// One open umad file. Waits for readability as long as somebody has an interest in what arrives, so that an idle
/// channel does not keep the loop running. For the loop's thread only.
class channel : public std::enable_shared_from_this<channel> {
public:
    channel(std::shared_ptr<reactor_core> reactor, umad::port_attributes attributes, umad::umad_file file);
    channel(channel const&) = delete;
    channel& operator=(channel const&) = delete;
    ~channel();

    [[nodiscard]] umad::port_attributes const& attributes() const noexcept { return attributes_; }
    [[nodiscard]] std::string const& device() const noexcept { return file_.device(); }
    [[nodiscard]] bool gone() const noexcept { return gone_; }
    [[nodiscard]] port_counters const& counters() const noexcept { return counters_; }

    /// Registers with the kernel; the agent gets its packets from now on.
    [[nodiscard]] result<std::uint32_t> attach(agent_core& agent, umad::registration const& wanted);
    void detach(agent_core& agent) noexcept;

    /// Writes a packet with a 64-byte header, whatever the file's own header size. A device that is gone is noticed:
    /// all agents are told after the current event. The packet's bytes are spoilt where the file has short headers.
    [[nodiscard]] error_code write(engine::packet& packet);

    /// One operation more or fewer waits for something to arrive.
    void add_interest() noexcept { ++interest_; }
    void drop_interest() noexcept { --interest_; }
    [[nodiscard]] std::uint64_t interest() const noexcept { return interest_; }
    /// After each event: begins to wait, or ends a wait that nobody needs any more.
    void settle();
    /// True while packets are being dispatched: what they lead to settles at the end.
    [[nodiscard]] bool dispatching() const noexcept { return dispatching_; }
    /// The time of the event being handled.
    [[nodiscard]] time_point now() const noexcept;

    /// The device is gone: every agent ends all it has with errc::device_gone.
    void lose();
    /// Gives the descriptor up and takes a new file, after `lose`. Agents attach again.
    void replace(umad::port_attributes attributes, umad::umad_file file);
    /// Closes for good.
    void close() noexcept;
    /// The loop is being destroyed: all agents destroy their operations.
    void abandon_all() noexcept;

private:
    void wait();
    void on_readable(error_code code);
    /// False when the file has nothing more to give for now, or is gone.
    bool read_one();
    void dispatch(std::size_t size);
    void drop_oversized();
    /// Reads again in a millisecond: what failed just now would fail at once again.
    void pause();
    void release_descriptor() noexcept;
    void report(char const* what, std::uint64_t value);

    std::shared_ptr<reactor_core> reactor_;
    umad::port_attributes attributes_;
    umad::umad_file file_;
    asio::posix::stream_descriptor descriptor_;
    std::array<agent_core*, umad::max_agents> agents_{};
    engine::packet_ptr reading_;
    port_counters counters_;
    engine::rate_limit log_limit_;
    std::unique_ptr<alarm> resume_;
    time_point now_{};
    std::uint64_t interest_ = 0;
    std::uint32_t wait_epoch_ = 0;
    bool waiting_ = false;
    bool dispatching_ = false;
    bool paused_ = false;
    bool losing_ = false;
    bool gone_ = false;
    bool closed_ = false;
};

} // namespace madrigal::detail
