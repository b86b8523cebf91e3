// A port opened through the C interface, with two agents on it that talk to each other. Knows nothing of this project's
// library: what is tested here is what programs see, on whichever host they run.
#pragma once

#include <infiniband/umad.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace madrigal::libibumad::test {

inline constexpr int vendor_class = 0x32;
inline constexpr int mad_size = 256;
inline constexpr std::uint8_t get = 0x01;
inline constexpr std::uint8_t set = 0x02;
inline constexpr std::uint8_t send = 0x03;
inline constexpr std::uint8_t response = 0x80;

/// A method mask as umad_register has it.
[[nodiscard]] std::array<long, 16 / sizeof(long)> mask_of(std::initializer_list<unsigned> methods);

/// The first CA's first port, whose name is asked of the library.
struct port_name {
    std::string ca;
    int number = 0;
};
[[nodiscard]] port_name first_port();

/// How many descriptors this process has open.
[[nodiscard]] std::size_t open_descriptors();

/// A umad buffer with room for a MAD, or for a message.
class buffer {
public:
    explicit buffer(std::size_t length = mad_size) : bytes_(::umad_size() + length) {}
    [[nodiscard]] void* umad() noexcept { return bytes_.data(); }
    [[nodiscard]] std::uint8_t& mad(std::size_t at) noexcept { return bytes_[::umad_size() + at]; }
    [[nodiscard]] int room() const noexcept { return static_cast<int>(bytes_.size() - ::umad_size()); }
    /// The lower half of the transaction id, which is the sender's own.
    [[nodiscard]] std::uint32_t number() noexcept;

private:
    std::vector<std::uint8_t> bytes_;
};

/// One umad_open_port, closed with the object.
class opened_port {
public:
    opened_port();
    opened_port(opened_port const&) = delete;
    opened_port& operator=(opened_port const&) = delete;
    ~opened_port();

    [[nodiscard]] int id() const noexcept { return id_; }
    /// An agent of the vendor class: a client, or a server of these methods.
    [[nodiscard]] int agent(std::initializer_list<unsigned> methods = {}, std::uint8_t rmpp_version = 0) const;
    /// A vendor MAD to this very port: by LID, or by GID where there are no LIDs.
    [[nodiscard]] buffer question(std::uint32_t number, std::uint8_t method = get, std::size_t length = mad_size) const;
    /// Waits for the next packet without end.
    [[nodiscard]] buffer receive() const;

    /// A question from this port to `server`, which has an agent for Get, and its answer back again: true where all
    /// bytes came.
    [[nodiscard]] bool asks(opened_port const& server, int client_agent, std::uint32_t number) const;

private:
    int id_ = -1;
    umad_port_t attributes_{};
};

} // namespace madrigal::libibumad::test
