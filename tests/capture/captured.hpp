// Traffic of several kinds on a small simulated fabric, captured and kept beside for comparison.
#pragma once

#include "runtime/simulated.hpp"
#include "scratch.hpp"

#include <madrigal/capture/pcap_file.hpp>
#include <madrigal/fabric/discover.hpp>
#include <madrigal/fabric/ping.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::testing {

/// What a tap was shown, copied.
struct seen_packet {
    tap_direction direction;
    std::chrono::sys_time<std::chrono::nanoseconds> when;
    umad::ib_user_mad_hdr header{};
    std::vector<std::byte> mad;

    explicit seen_packet(tapped_packet const& packet)
        : direction{packet.direction}, when{packet.when}, mad{packet.mad.begin(), packet.mad.end()}
    {
        std::memcpy(static_cast<void*>(&header), &packet.header, sizeof header);
    }
    [[nodiscard]] bool sent() const noexcept { return direction == tap_direction::sent; }
    [[nodiscard]] mad_view view() const noexcept { return mad_view{mad}; }
};

/// Links take a while, and the other machines answer pings.
[[nodiscard]] inline sim::fabric_options with_answers()
{
    auto options = configured();
    options.answer_pings = true;
    options.faults.hop_latency = std::chrono::microseconds{10};
    return options;
}

/// The first CA of two leaves with two hosts each, and what its port has sent and received.
class captured_fabric {
public:
    /// Everything from here on goes into `file` and is kept in `seen`.
    void capture_into(pcap_file const& file)
    {
        own.tap([this, write = file.sink()](tapped_packet const& packet) -> result<void> {
            seen.emplace_back(packet);
            return write(packet);
        });
    }

    /// Directed-route SMPs: a sweep. An SMP by LID. Pings by LID and by GID, so without a GRH and with one.
    void make_traffic()
    {
        discover_options options;
        options.time = &s.time;
        ASSERT_TRUE(s.run(discover(own, std::move(options))).value().complete());

        auto const smp = own.register_agent(umad::subnet_lid_routed()).value();
        ASSERT_TRUE(s.run(smp.async_request(get<node_info>(other_lid()), {.timeout = 100ms}, as_result)));

        auto const pings = ping_client::open(own, ping_options{}).value();
        ASSERT_TRUE(s.run(pings.ping(destination{other_lid()})));
        ASSERT_TRUE(s.run(pings.ping(destination{other_gid(), other_lid()})));
    }

    /// The last CA, four links away.
    [[nodiscard]] topology::endpoint other() const
    {
        auto const& layout = s.fabric->layout();
        topology::node_index last = topology::no_node;
        for (topology::node_index i = 0; i != layout.size(); ++i)
            if (layout.at(i).type == node_type::ca)
                last = i;
        return {last, 1};
    }
    [[nodiscard]] lid other_lid() const { return s.fabric->look_at(other()).value().base_lid; }
    [[nodiscard]] gid other_gid() const
    {
        auto const& layout = s.fabric->layout();
        auto const other_host = sim::host::make(s.fabric, to_string(layout.at(other().node).node_guid)).value();
        auto const ca = other_host->ca_names().value().front();
        return other_host->query_port(ca, 1).value().gids.front();
    }

    simulated s{small_tree(), with_answers()};
    port own = s.on_loop->open().value();
    std::vector<seen_packet> seen;
};

} // namespace madrigal::testing
