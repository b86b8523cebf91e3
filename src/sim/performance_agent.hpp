// The performance management agent of every simulated node (IBA 16.1).
#pragma once

#include <sim/core.hpp>

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>
#include <madrigal/wire/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal::sim {

/// A Get or Set on its way through the agent.
struct performance_request {
    core& fabric;
    topology::node_index index;
    bool is_set;
    std::span<std::byte> data;

    [[nodiscard]] node& asked() const noexcept { return fabric.nodes[index]; }
    /// What the question carries.
    template <wire_layout T>
    [[nodiscard]] T wanted() const noexcept
    {
        return *decode<T>(data); // no attribute of the class is longer than its data
    }
    /// Puts the answer in place of the data.
    template <wire_layout T>
    std::uint16_t give(T const& value) const noexcept
    {
        std::fill(data.begin(), data.end(), std::byte{0});
        (void)encode(value, data);
        return mad_status::ok;
    }

    /// The ports that PortSelect means: one that is there, or all of a switch; none else. Port 0 counts only where it
    /// is an enhanced one.
    [[nodiscard]] std::span<port> selected(std::uint8_t port_select) const noexcept
    {
        std::span const all{asked().ports};
        std::size_t const first = asked().is_switch() && asked().switching->enhanced_port0 ? 0 : 1;
        if (port_select == all_ports && asked().is_switch())
            return all.subspan(first);
        return port_select >= first && port_select < all.size() ? all.subspan(port_select, 1) : std::span<port>{};
    }
};

/// True for what this agent takes before anybody else on its port, as drivers' agents do: Get and Set of its class.
[[nodiscard]] bool is_for_performance_agent(packet const& one) noexcept;

/// Turns such a request into its answer.
void answer_performance(core& of, packet& one);

// Sampling (port_samples.cpp). They return the MAD status.
std::uint16_t answer_port_samples_control(performance_request const& request);
std::uint16_t answer_port_samples_result(performance_request const& request);
std::uint16_t answer_port_samples_result_extended(performance_request const& request);

} // namespace madrigal::sim
