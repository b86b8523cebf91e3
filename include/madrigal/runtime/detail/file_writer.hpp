// Writes that may wait in the kernel, made by a thread of their own.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/error.hpp>
#include <madrigal/umad/umad_file.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace madrigal::detail {

namespace asio = boost::asio;

/// A packet on its way to the kernel.
struct late_write {
    engine::packet_ptr packet;             ///< none any more where it was taken back
    std::span<std::byte const> as_written; ///< the part of the packet that is written
    std::uint32_t agent = 0;
    error_code outcome{}; ///< operation_aborted where it was taken back
};

/// Writes to one umad file in the order in which packets are pushed. The kernel holds a mutex of the file while a write
/// waits, and read, poll, ioctl and the last close wait for it too. So the file has a *turn*: it belongs either to the
/// loop or to the writer's thread, and who has not got it makes no call on the file, and has it in no epoll set.
///
///              start()
///     loop's ───────────> thread's      a turn is one write: in between the loop reads what has arrived, so that
///        ▲                    │         many GIDs that nobody has hold up an answer by one of them, not by all
///        └──── collect() ─────┘
///
/// All members are for the loop's thread, or while no loop runs.
///
/// The thread begins with the first `start` and ends with `retire`. It owns all it touches: a write that is under way
/// then (nothing interrupts it, it may take seconds) delays neither the loop nor the destructor of its execution
/// context. The thread finishes it, closes the file, and ends. Hence a umad file must not depend on its host.
class file_writer {
public:
    /// `on_progress` is called from `executor` when there is something to collect; not after `retire`, but perhaps
    /// destroyed later.
    file_writer(umad::port_file& file, asio::any_io_executor executor, std::function<void()> on_progress);
    file_writer(file_writer const&) = delete;
    file_writer& operator=(file_writer const&) = delete;
    /// After `retire`.
    ~file_writer();

    /// Queues a packet. Its number counts from 0.
    std::uint64_t push(late_write write);
    /// Takes a packet back: it is not written, but collected in its place. False where it is too late.
    [[nodiscard]] bool take_back(std::uint64_t number) noexcept;
    /// Gives the turn to the thread if anything is queued. Where the system has no thread to give, what is queued is
    /// refused with its errno.
    void start();
    /// The turn is the thread's.
    [[nodiscard]] bool has_turn() const noexcept { return out_; }
    /// What has been written, refused and taken back since the last time, in the order of the pushes. The turn is the
    /// loop's again if `has_turn` says no.
    [[nodiscard]] std::vector<late_write> collect();
    /// The end: nothing more is written or reported. Takes the file if a write is under way, to close it afterwards.
    void retire(umad::umad_file& file) noexcept;

private:
    struct shared;

    std::shared_ptr<shared> shared_;
    std::thread thread_;
    bool out_ = false;
};

} // namespace madrigal::detail
