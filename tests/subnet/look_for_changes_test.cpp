// Whether anything has changed, and sweeps that are to be acted on.
#include "subnet/swept.hpp"

#include <madrigal/subnet/discover_twice.hpp>
#include <madrigal/subnet/look_for_changes.hpp>
#include <madrigal/subnet/routing.hpp>
#include <madrigal/subnet/subnet_writer.hpp>

#include <chrono>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

/// A fabric, swept by who has switches forget what they have told.
struct watched {
    watched()
        : around{topology::generate(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 2, .spines = 2}).value()},
          client{smp_client::open(around.local()).value()},
          in{sweep()}
    {}
    managed_subnet sweep()
    {
        discover_options how;
        how.keep_attributes = true;
        how.clear_port_state_change = true;
        how.time = &around.time();
        how.timeout = 20ms;
        return managed_subnet{around.run(discover_twice(client, how)).value()};
    }
    subnet_changes look()
    {
        smp_work_options how;
        how.how.timeout = 20ms;
        return around.run(look_for_changes(client, in, how)).value();
    }
    /// The node of the fabric that is this one of the subnet.
    topology::node_index simulated(topology::node_index node) const
    {
        return around.layout().find(in.node(node).node_guid);
    }
    /// Makes every port Active.
    void configure()
    {
        known_lids known;
        switch_tables written;
        ASSERT_TRUE(assign_lids(in, known));
        route_min_hop(in);
        ASSERT_TRUE(around.run(write_subnet(client, in, port_policy{}, written)).value().complete());
    }

    world around;
    smp_client client;
    managed_subnet in;
};

TEST(LookForChanges, NamesTheSwitchesThatSayThatAPortHasChangedUntilTheNextSweep)
{
    watched w;
    w.configure();
    EXPECT_FALSE(w.look().any());
    auto const leaf = w.in.peer(w.in.ends.back().at);
    ASSERT_FALSE(w.around.on().set_link({w.simulated(leaf.node), leaf.port}, false).code());
    for (unsigned i = 0; i != 2; ++i) {
        auto const seen = w.look();
        EXPECT_EQ(seen.switches, std::vector{leaf.node});
        EXPECT_TRUE(seen.any());
        EXPECT_FALSE(seen.own_link_lost);
        EXPECT_EQ(seen.unanswered, 0u);
    }
    w.in = w.sweep();
    EXPECT_TRUE(has_port_state_change(w.in)) << "as it was";
    EXPECT_FALSE(w.look().any());
    w.in = w.sweep();
    EXPECT_FALSE(has_port_state_change(w.in));
}

TEST(LookForChanges, TellsThatOurOwnPortIsNotActive)
{
    watched w;
    EXPECT_TRUE(w.look().own_link_lost) << "it is Initialize";
    w.configure();
    EXPECT_FALSE(w.look().own_link_lost);
    ASSERT_FALSE(w.around.on().set_link({w.simulated(0), 1}, false).code());
    auto const seen = w.look();
    EXPECT_TRUE(seen.own_link_lost);
    EXPECT_EQ(seen.unanswered, w.in.switches.size());
    managed_subnet const without_link = w.sweep();
    EXPECT_TRUE(w.around.run(look_for_changes(w.client, without_link)).value().own_link_lost);
}

TEST(LookForChanges, CountsSwitchesThatDoNotAnswer)
{
    watched w;
    w.configure();
    auto const spine = w.in.switches.back();
    sim::fault_rule silent;
    silent.node = w.simulated(spine);
    silent.action = sim::fault_action::drop;
    (void)w.around.on().add_rule(silent);
    auto const seen = w.look();
    EXPECT_FALSE(seen.any());
    EXPECT_EQ(seen.unanswered, 1u);
}

TEST(DiscoverTwice, LooksAgainWhereOneSweepContradictsItselfAndKeepsWhatSwitchesHaveSaid)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {layout.add(make_ca(0x2, 1, "twin one")), 1}, {a, 2});
    for (bool const twins : {false, true}) {
        auto with = layout;
        if (twins)
            plug(with, {with.add(make_ca(0x2, 1, "twin two")), 1}, {a, 4});
        world around{with};
        auto const client = smp_client::open(around.local()).value();
        ASSERT_FALSE(around.on().set_link({a, 2}, false).code());
        ASSERT_FALSE(around.on().set_link({a, 2}, true).code());
        discover_options how;
        how.keep_attributes = true;
        how.clear_port_state_change = true;
        how.time = &around.time();
        auto const once = around.run(discover(client, how)).value().statistics.questions;
        ASSERT_FALSE(around.on().set_link({a, 2}, false).code());
        ASSERT_FALSE(around.on().set_link({a, 2}, true).code());
        auto const found = around.run(discover_twice(client, how)).value();
        EXPECT_EQ(found.fabric.size(), twins ? 4u : 3u);
        EXPECT_TRUE(found.attributes.at(found.fabric.find(guid{0x10})).switch_info.port_state_change);
        EXPECT_EQ(found.statistics.questions, twins ? 2 * once - 1 : once) << "all but what clears the change";
    }
}

} // namespace
} // namespace madrigal::tests
