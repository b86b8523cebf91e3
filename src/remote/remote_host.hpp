// A machine behind a server.
#pragma once

#include "remote/control_channel.hpp"

#include <madrigal/umad/host.hpp>

#include <memory>
#include <string>

namespace madrigal::remote {

/// Asks the server for everything. Safe from any thread.
class remote_host final : public umad::host {
public:
    /// `ca`: the CA that names this machine to the server; empty for the server's first.
    remote_host(std::shared_ptr<control_channel> control, std::string ca) noexcept
        : control_{std::move(control)}, machine_{std::move(ca)}
    {}

    [[nodiscard]] std::string uri() const override;
    result<std::vector<std::string>> ca_names() override;
    result<umad::ca_attributes> query_ca(std::string_view ca) override;
    result<umad::port_attributes> query_port(std::string_view ca, unsigned port) override;
    result<umad::subnet_attributes> query_subnet(std::string_view ca, unsigned port) override;
    result<std::unique_ptr<umad::port_file>> open_port(std::string_view ca, unsigned port) override;
    result<std::unique_ptr<umad::issm_file>> open_issm(std::string_view ca, unsigned port) override;
    result<std::string> issm_path(std::string_view ca, unsigned port) override;

private:
    [[nodiscard]] message_writer place(std::string_view ca, unsigned port) const;
    [[nodiscard]] result<answer> ask(operation what, std::string_view ca, unsigned port);
    [[nodiscard]] result<std::pair<descriptor, answer>> open(operation what, std::string_view ca, unsigned port);
    [[nodiscard]] error unreadable() const;

    std::shared_ptr<control_channel> control_;
    std::string machine_;
};

} // namespace madrigal::remote
