// A machine made of values: the catalogue's functions run over it without any file.
#pragma once

#include "umad/fake_port_file.hpp"

#include <madrigal/umad/host.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::umad::test {

class fake_host final : public host {
public:
    using address = std::pair<std::string, unsigned>;

    /// An Active InfiniBand port; adds its CA where it is new. The reference stays good.
    port_attributes& add(std::string const& ca, unsigned port, std::uint64_t port_guid)
    {
        auto& device = cas[ca];
        device.name = ca;
        device.ports.push_back(port);
        auto& attributes = ports[{ca, port}];
        attributes.ca_name = ca;
        attributes.number = port;
        attributes.port_guid = guid{port_guid};
        attributes.base_lid = lid{1};
        attributes.state = port_state::active;
        attributes.phys_state = physical_state::link_up;
        return attributes;
    }

    [[nodiscard]] std::string uri() const override { return "fake"; }

    result<std::vector<std::string>> ca_names() override
    {
        std::vector<std::string> names;
        for (auto const& [name, attributes] : cas)
            names.push_back(name);
        return names;
    }

    result<ca_attributes> query_ca(std::string_view ca) override
    {
        std::string const name{ca};
        if (ca_errors.contains(name))
            return ca_errors.at(name);
        auto const found = cas.find(name);
        if (found == cas.end())
            return error{errc::no_such_ca, name};
        return found->second;
    }

    result<port_attributes> query_port(std::string_view ca, unsigned port) override
    {
        address const key{std::string{ca}, port};
        if (port_errors.contains(key))
            return port_errors.at(key);
        auto const found = ports.find(key);
        if (found == ports.end())
            return error{errc::no_such_port, key.first};
        return found->second;
    }

    result<std::unique_ptr<port_file>> open_port(std::string_view ca, unsigned port) override
    {
        address const key{std::string{ca}, port};
        opened.push_back(key);
        if (open_errors.contains(key))
            return open_errors.at(key);
        return std::make_unique<fake_port_file>(kernel);
    }

    result<std::unique_ptr<issm_file>> open_issm(std::string_view /*ca*/, unsigned /*port*/) override
    {
        return error{system_error(ENOENT)};
    }

    std::map<std::string, ca_attributes> cas;
    std::map<address, port_attributes> ports;
    std::map<std::string, error> ca_errors;
    std::map<address, error> port_errors;
    std::map<address, error> open_errors;
    std::vector<address> opened; ///< every try to open, in order
    std::shared_ptr<fake_kernel> kernel = std::make_shared<fake_kernel>();
};

} // namespace madrigal::umad::test
