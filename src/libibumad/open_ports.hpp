// The umad files that this process has open, by the number that umad_open_port has returned.
#pragma once

#include "libibumad/umad_header.hpp"

#include <madrigal/umad/umad_file.hpp>

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace madrigal::libibumad {

/// One open port. Any thread: one may read while another writes or registers, as OpenSM does. None of it waits.
class port_in_use {
public:
    port_in_use(umad::umad_file file, std::uint64_t serial);

    [[nodiscard]] int descriptor() const noexcept { return file_.native_handle(); }
    /// Another one for each opening, so that a descriptor's number may come again.
    [[nodiscard]] std::uint64_t serial() const noexcept { return serial_; }

    /// False where the program has closed the descriptor itself; its number may be another file's now.
    [[nodiscard]] bool has_its_descriptor() const noexcept;

    /// One packet into a buffer of a header and `*length` bytes; `*length` becomes what there is. 0, EAGAIN, ENOSPC
    /// with the length that is needed, or what the kernel says.
    int receive(std::byte* umad, int* length);
    /// 0 where `receive` has a packet to give, else EAGAIN or what is wrong with the port. Takes nothing.
    int look();
    /// The header, whose agent is set already, and `length` bytes. 0, EAGAIN where the other side is behind, or the
    /// kernel's errno.
    int send(std::byte const* umad, std::size_t length);

    [[nodiscard]] result<umad::registered_agent> register_agent(
        umad::registration const& wanted, umad::registration_detail& detail);
    [[nodiscard]] result<void> unregister_agent(std::uint32_t id);
    /// Whether this library has registered the agent.
    [[nodiscard]] bool has_agent(std::uint32_t id);

private:
    friend class open_ports;

    // A file tolerates one reader beside one writer.
    std::mutex reading_;
    std::mutex writing_; ///< and registering
    umad::umad_file file_;
    std::uint64_t serial_;
    std::pair<dev_t, ino_t> identity_;     ///< of the descriptor
    std::atomic<std::size_t> header_size_; ///< settled by the first registration
    std::bitset<umad::max_agents> agents_;
};

/// All of them. Any thread, and across a fork: the child has the table as it was, and no lock in it is held.
class open_ports {
public:
    /// The process's own; never destroyed, since threads may be in there while the process exits.
    [[nodiscard]] static open_ports& of_process();

    /// Takes the file in; its descriptor.
    int add(umad::umad_file file);
    /// Null where there is none.
    [[nodiscard]] std::shared_ptr<port_in_use> find(int descriptor);
    /// Closes it once nobody is inside of it any more; false where there is none.
    bool remove(int descriptor);
    /// Takes it out without closing anything: the program has closed the descriptor itself.
    void forget(int descriptor, std::uint64_t serial);

private:
    open_ports();
    void hold_all();
    void release_all();
    static void bury(int descriptor, std::shared_ptr<port_in_use> stale);

    std::mutex mutex_;
    std::vector<std::shared_ptr<port_in_use>> ports_;     ///< by descriptor
    std::vector<std::shared_ptr<port_in_use>> forgotten_; ///< which must not close their descriptors' numbers
    std::uint64_t last_serial_ = 0;
};

} // namespace madrigal::libibumad
