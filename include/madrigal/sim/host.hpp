// One machine on a simulated fabric: the ports of one CA, with umad files that behave as the kernel's.
#pragma once

#include <madrigal/sim/fabric.hpp>
#include <madrigal/umad/host.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal::sim {

/// A machine whose one adapter is a CA (or a switch, or a router) of the fabric. Hosts on one CA are one machine: their
/// agents share the ports' method tables. Files opened here keep the fabric alive.
///
/// A file's descriptor is an epoll instance that is readable while a packet waits, for ever once the device is gone,
/// and where the machine's clock drives the fabric also when time has come to read: such a read may answer EAGAIN.
/// Different files may be used from different threads. For an agent with rmpp_version 1 and without USER_RMPP the
/// emulated kernel does RMPP as Linux's does: one write and one read carry a message of any length. Messages of such an
/// agent take 128 MiB at most, those that arrive or wait unread and those that are sent each; what arrives beyond that
/// is stopped, and a write answers ENOMEM.
class host final : public umad::host {
public:
    /// The fabric's CA by device name, node GUID, port GUID, node id or description; its first CA where not given
    /// (first node where there is none). errc::no_such_ca lists candidates.
    [[nodiscard]] static result<std::shared_ptr<host>> make(
        std::shared_ptr<fabric> on, std::optional<std::string_view> ca = std::nullopt);
    ~host() override;

    [[nodiscard]] std::string uri() const override;
    result<std::vector<std::string>> ca_names() override;
    result<umad::ca_attributes> query_ca(std::string_view ca) override;
    result<umad::port_attributes> query_port(std::string_view ca, unsigned port) override;
    result<umad::subnet_attributes> query_subnet(std::string_view ca, unsigned port) override;
    result<std::unique_ptr<umad::port_file>> open_port(std::string_view ca, unsigned port) override;
    result<std::unique_ptr<umad::issm_file>> open_issm(std::string_view ca, unsigned port) override;

    /// The number N of the port's umadN; another one after the CA was unplugged and plugged.
    result<unsigned> umad_number(std::string_view ca, unsigned port);
    /// Which node of the fabric this machine's adapter is.
    [[nodiscard]] topology::node_index node() const noexcept { return node_; }
    [[nodiscard]] std::shared_ptr<fabric> const& on_fabric() const noexcept { return fabric_; }

private:
    host(std::shared_ptr<fabric> on, topology::node_index node, std::string name);
    error check(std::string_view ca, unsigned port) const;

    std::shared_ptr<fabric> fabric_;
    topology::node_index node_;
    std::string name_;
};

/// `host::make` as the interface of the seam.
[[nodiscard]] result<std::shared_ptr<umad::host>> make_host(
    std::shared_ptr<fabric> on, std::optional<std::string_view> ca = std::nullopt);

} // namespace madrigal::sim
