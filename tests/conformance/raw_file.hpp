// One open umad file, driven by hand: what is written and read are the kernel's own bytes.
#pragma once

#include "conformance/world.hpp"

#include <madrigal/umad/registration.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace madrigal::conformance {

/// A packet with its header apart; the header's tail is absent where the file has short ones.
struct packet {
    umad::ib_user_mad_hdr header{};
    std::vector<std::byte> bytes = std::vector<std::byte>(mad_size); ///< the MAD, or more

    [[nodiscard]] mutable_mad_view mad() { return mutable_mad_view{bytes}; }
    [[nodiscard]] mad_view mad() const { return mad_view{bytes}; }
};

/// The vendor class that most cases use.
inline constexpr std::uint8_t vendor = 0x32;

/// A registration for REGISTER_AGENT2, with the queue pair that the class has.
[[nodiscard]] umad::ib_user_mad_reg_req2 wanted(
    std::uint8_t mgmt_class, std::initializer_list<unsigned> methods = {}, std::uint8_t version = 1);
/// The same for class 0x32 with the case's OUI.
[[nodiscard]] umad::ib_user_mad_reg_req2 wanted_vendor(
    std::initializer_list<unsigned> methods = {}, std::uint32_t with_oui = oui);

/// An open file of the world's port.
class raw_file {
public:
    explicit raw_file(world& on) : on_{on}, file_{on.host().open_port(on.ca(), on.port()).value()} {}

    [[nodiscard]] int descriptor() const noexcept { return file_->native_handle(); }
    [[nodiscard]] umad::port_file& operator*() const noexcept { return *file_; }
    void close() noexcept { file_.reset(); }
    /// What this file's headers are; follows from what was registered first.
    [[nodiscard]] std::size_t header_size() const noexcept { return header_size_; }

    // 0, or the errno.
    int enable_pkey();
    int register_agent(umad::ib_user_mad_reg_req2& request);
    int register_agent(umad::ib_user_mad_reg_req& request);
    int unregister(std::uint32_t id);
    int write(packet const& one);
    /// Writes exactly these bytes.
    int write(std::span<std::byte const> bytes);

    /// Registers; a refusal is the test's failure. Gives the id.
    std::uint32_t agent(umad::ib_user_mad_reg_req2 request);

    /// The next packet, waiting for it; nothing where none comes in time.
    std::optional<packet> read(milliseconds within = 10s);
    /// What a read into a buffer of this size gives: a negative errno, or the number of bytes.
    int read_into(std::span<std::byte> buffer);
    /// True where nothing comes within this time.
    bool silent(milliseconds within = 300ms) { return !on_.wait_readable(descriptor(), within); }

private:
    world& on_;
    std::unique_ptr<umad::port_file> file_;
    std::vector<std::byte> buffer_; // of `read`
    std::size_t header_size_ = umad::old_header_size;
    bool used_ = false;
};

/// A header to the port itself on QP1: by its LID where it has one, and with its own GID always.
[[nodiscard]] umad::ib_user_mad_hdr to_itself(
    world& on, std::uint32_t agent, std::uint32_t timeout_ms = 2'000, std::uint32_t retries = 0);

/// A request of class 0x32 to the port itself, with a transaction id whose lower half is `number`.
[[nodiscard]] packet question(world& on, std::uint32_t agent, std::uint32_t number, method ask = method::get,
    std::uint32_t timeout_ms = 2'000, std::uint32_t retries = 0);
/// The answer to what was received, back to where it came from.
[[nodiscard]] packet answer_to(packet const& received, std::uint32_t agent);

/// A client and a server of class 0x32 on files of their own.
struct pair_of_files {
    explicit pair_of_files(world& on, std::initializer_list<unsigned> methods = {0x01});

    raw_file client;
    raw_file server;
    std::uint32_t asks;
    std::uint32_t serves;
};

} // namespace madrigal::conformance
