// A machine whose one umad file is a socket: the real runtime above it, an echo process behind it.
#pragma once

#include <madrigal/umad/host.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::bench {

/// One CA, `echo0`, with one active port, whose umad file reads from and writes to a non-blocking SOCK_SEQPACKET
/// socket. It costs a read and a write for each packet, as the kernel's does. Unlike the kernel it keeps no timeouts,
/// and has place for one agent.
class socket_host final : public umad::host {
public:
    /// The socket must outlive the host.
    explicit socket_host(int descriptor) noexcept : descriptor_{descriptor} {}

    [[nodiscard]] std::string uri() const override { return "echo"; }
    result<std::vector<std::string>> ca_names() override { return std::vector<std::string>{"echo0"}; }
    result<umad::ca_attributes> query_ca(std::string_view ca) override;
    result<umad::port_attributes> query_port(std::string_view ca, unsigned port) override;
    result<std::unique_ptr<umad::port_file>> open_port(std::string_view ca, unsigned port) override;
    result<std::unique_ptr<umad::issm_file>> open_issm(std::string_view ca, unsigned port) override;

private:
    int descriptor_;
};

} // namespace madrigal::bench
