// The kernel behind one port: its agents, whoever opened them, and the way of a received MAD to one of them.
#pragma once

#include <sim/packet.hpp>
#include <sim/registration_rules.hpp>

#include <madrigal/topology/fabric.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace madrigal::sim {

class core;
class kernel_file;
class kernel_rmpp;

/// A registered agent. Belongs to its file.
struct kernel_agent {
    kernel_agent() noexcept;
    kernel_agent(kernel_agent const&) = delete;
    kernel_agent& operator=(kernel_agent const&) = delete;
    ~kernel_agent();

    kernel_file* file = nullptr;
    std::uint32_t id = 0;    ///< as the file's owner knows it
    std::uint32_t upper = 0; ///< upper half of its requests' transaction ids
    agent_request registered;
    std::unique_ptr<kernel_rmpp> rmpp; ///< where `has_kernel_rmpp()`

    /// The kernel does the segments for it.
    [[nodiscard]] bool has_kernel_rmpp() const noexcept
    {
        return registered.rmpp_version != 0 && !registered.user_rmpp;
    }
};

/// All agents of one port. Lives as long as the device is there and a host looks at it. Used under the fabric's lock.
class kernel_port {
public:
    kernel_port(core& of, topology::endpoint where, unsigned umad_number) noexcept;
    kernel_port(kernel_port const&) = delete;
    kernel_port& operator=(kernel_port const&) = delete;

    [[nodiscard]] topology::endpoint where() const noexcept { return where_; }
    [[nodiscard]] unsigned umad_number() const noexcept { return umad_number_; }
    [[nodiscard]] core& fabric_core() const noexcept { return core_; }

    void add(kernel_file& file) { files_.push_back(&file); }
    void remove(kernel_file& file) noexcept;
    [[nodiscard]] std::vector<kernel_file*> const& files() const noexcept { return files_; }

    /// Enters an agent; 0, or EINVAL where another one serves one of its methods already.
    int enter(kernel_agent& agent);
    void leave(kernel_agent& agent) noexcept;

    /// A MAD that the port's own agents did not take: to the agent that it is for, back with status 0x000C, or nowhere.
    void receive(packet& one);
    /// True where an agent is registered for this request.
    [[nodiscard]] bool has_agent_for(packet const& one) const noexcept { return server_for(one) != nullptr; }

private:
    /// Who serves the methods of one class, version and OUI.
    struct service {
        std::uint8_t mgmt_class;
        std::uint8_t class_version;
        std::uint32_t oui;
        std::array<kernel_agent*, 128> by_method;
    };

    [[nodiscard]] kernel_agent* server_for(packet const& one) const noexcept;
    [[nodiscard]] service const* find(std::uint8_t mgmt_class, std::uint8_t version, std::uint32_t oui) const noexcept;

    core& core_;
    topology::endpoint where_;
    unsigned umad_number_;
    std::vector<service> services_;
    std::vector<kernel_file*> files_;
};

} // namespace madrigal::sim
