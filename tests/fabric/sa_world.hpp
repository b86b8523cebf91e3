// A client of subnet administration, and three machines that may serve it, on one fabric and one made-up clock.
#pragma once

#include "fabric/minimal_sa.hpp"
#include "runtime/simulated.hpp"

#include <madrigal/fabric/sa_client.hpp>

#include <sim/core.hpp>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace madrigal::testing {

/// The first CA asks; the others may be where subnet administration is, the first of them at the beginning.
class sa_world : public ::testing::Test {
protected:
    /// A machine on the fabric.
    struct machine {
        topology::node_index node = 0;
        std::shared_ptr<sim::host> host;
        std::unique_ptr<reactor> on_loop;
        port at;
    };

    explicit sa_world(sim::fabric_options options = slow(), std::uint64_t prefix = default_subnet_prefix)
    {
        auto layout = small_tree();
        std::vector<topology::node_index> cas;
        for (topology::node_index i = 0; i != layout.size(); ++i)
            if (layout.at(i).type == node_type::ca)
                cas.push_back(i);
        options.start = sim::start_state::configured;
        options.sm = topology::endpoint{cas.at(1), 1};
        s.emplace(std::move(layout), options);
        own.node = cas.at(0);
        for (auto node : cas)
            end_of(node).subnet_prefix = prefix;
        own.host = s->host;
        own.at = s->on_loop->open().value();
        for (std::size_t i = 0; i != others.size(); ++i) {
            auto& one = others[i];
            one.node = cas.at(i + 1);
            one.host = sim::host::make(s->fabric, to_string(s->fabric->layout().at(one.node).node_guid)).value();
            one.on_loop = std::make_unique<reactor>(s->loop, *one.host, reactor_options{.time = &s->time});
            one.at = one.on_loop->open().value();
        }
    }

    sim::end_port& end_of(topology::node_index node) { return *s->fabric->implementation()->nodes[node].ports[1].end; }
    [[nodiscard]] lid lid_of(machine const& one) { return lid{end_of(one.node).base_lid}; }
    /// Tells the client's port, as a subnet manager does, where that is.
    void move_sm(lid to, std::uint8_t sl = 0)
    {
        end_of(own.node).sm_lid = to.value();
        end_of(own.node).sm_sl = sl;
    }
    sa_client& open(sa_options const& options = sa_options{})
    {
        client = sa_client::open(own.at, options).value();
        return client;
    }
    void pass(duration time)
    {
        auto const end = s->time.now() + time;
        bool over = false;
        auto const clock = s->time.make_alarm([&] { over = true; });
        clock->arm(end);
        (void)s->run_until([&] { return over; });
    }
    [[nodiscard]] gid own_gid() { return own.at.query_subnet().value().first_gid; }

    std::optional<simulated> s;
    machine own;
    std::array<machine, 3> others;
    sa_client client;
};

} // namespace madrigal::testing
