// Two machines of one fabric, that a test drives by hand.
#pragma once

#include "runtime/simulated.hpp"

#include <memory>

namespace madrigal::testing {

/// A second machine on the same fabric and loop: the last CA.
struct second_machine {
    explicit second_machine(simulated& s)
    {
        auto const& layout = s.fabric->layout();
        for (topology::node_index i = 0; i != layout.size(); ++i)
            if (layout.at(i).type == node_type::ca)
                node = i;
        host = sim::host::make(s.fabric, to_string(layout.at(node).node_guid)).value();
        on_loop = std::make_unique<reactor>(s.loop, *host, reactor_options{.time = &s.time});
        port = on_loop->open().value();
    }
    [[nodiscard]] lid own_lid() const { return port.attributes().base_lid; }

    topology::node_index node = topology::no_node;
    std::shared_ptr<sim::host> host;
    std::unique_ptr<reactor> on_loop;
    madrigal::port port;
};

} // namespace madrigal::testing
