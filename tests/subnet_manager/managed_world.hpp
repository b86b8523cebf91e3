// Subnet managers of the example on a simulated fabric, in virtual time.
#pragma once

#include "manager.hpp"

#include "runtime/simulated.hpp"

#include <madrigal/fabric/sa_client.hpp>
#include <madrigal/fabric/sa_queries.hpp>

#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace madrigal::testing {

/// A machine of the fabric, with a reactor of its own on the common loop.
struct machine {
    machine(simulated& on, std::string_view ca)
        : host{sim::host::make(on.fabric, ca).value()},
          on_loop{std::make_unique<reactor>(on.loop, *host, reactor_options{.time = &on.time})}
    {}

    std::shared_ptr<sim::host> host;
    std::unique_ptr<reactor> on_loop;
};

/// A subnet manager that runs until it is stopped.
struct running_manager {
    running_manager(simulated& on, machine& at, sm::settings const& with, bool once = false)
        : one{sm::manager::open(*at.on_loop, with).value()}
    {
        asio::co_spawn(on.loop, one->run(once), [this](std::exception_ptr const& thrown, bool ended_well) {
            EXPECT_FALSE(thrown);
            good = ended_well;
        });
    }
    [[nodiscard]] bool is_up() const
    {
        return one->role().state() == sm_state::master && one->times_up() != 0 && one->is_quiet();
    }

    std::unique_ptr<sm::manager> one;
    std::optional<bool> good; ///< once it has ended
};

/// Every port with a cable is Active, and nobody is left without a LID.
inline void expect_configured(sim::fabric const& on)
{
    auto const& nodes = on.layout().nodes();
    for (topology::node_index i = 0; i != nodes.size(); ++i)
        for (unsigned p = 1; p <= nodes[i].port_count(); ++p) {
            auto const port = on.look_at({i, static_cast<std::uint8_t>(p)}).value();
            auto const cabled = nodes[i].external_port(p).peer && port.plugged;
            auto const in_host = on.look_at(i).value().in_host;
            if (!cabled || !in_host || port.phys_state != physical_state::link_up)
                continue;
            EXPECT_EQ(port.state, port_state::active) << nodes[i].id << " port " << p;
            if (nodes[i].type != node_type::switch_) {
                EXPECT_TRUE(port.base_lid.is_unicast()) << nodes[i].id;
            }
        }
}

} // namespace madrigal::testing
