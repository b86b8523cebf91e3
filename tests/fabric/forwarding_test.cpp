// Forwarding tables and the routes that they make.
#include "fabric/world.hpp"

#include <madrigal/fabric/forwarding.hpp>
#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

namespace madrigal::tests {
namespace {

sim::fabric_options configured()
{
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    return options;
}

/// The switch that the first host is cabled to.
topology::node_index leaf(topology::fabric const& in)
{
    return in.at(in.find(*in.initiated_from_node)).external_port(1).peer.node;
}

TEST(ReadForwardingTable, IsWhatTheSwitchForwardsByUpToItsTop)
{
    world around{topology::generate(topology::fat_tree{12, 10, 4, 1}).value(), configured()};
    auto const client = smp_client::open(around.local()).value();
    auto const table = around.run(read_forwarding_table(client, directed_route{0, 1}));
    ASSERT_TRUE(table) << table.error().message();
    auto const top = around.run(client.get<switch_info>(directed_route{0, 1})).value().linear_fdb_top;
    ASSERT_EQ(table.value().size(), top + 1U);
    for (unsigned i = 0; i <= top; ++i)
        EXPECT_EQ(
            table.value()[i], around.on().forwarding_entry(leaf(around.layout()), lid{static_cast<std::uint16_t>(i)}));
}

TEST(ReadForwardingTable, AsksForNoBlockBeyondTheOneThatHoldsTheTop)
{
    for (unsigned const top : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 0xBFFFU}) {
        world around{topology::generate(topology::fat_tree{2, 2, 1, 1}).value()};
        auto const client = smp_client::open(around.local()).value();
        directed_route const to{0, 1};
        auto info = around.run(client.get<switch_info>(to)).value();
        info.linear_fdb_top = static_cast<std::uint16_t>(top);
        ASSERT_TRUE(around.run(client.set<switch_info>(to, info))) << top;
        auto const before = around.on().counters().answered;
        auto const table = around.run(read_forwarding_table(client, to));
        ASSERT_TRUE(table) << table.error().message();
        EXPECT_EQ(around.on().counters().answered - before, 1 + top / 64 + 1);
        EXPECT_EQ(table.value().size(), top + 1U);
        EXPECT_EQ(table.value().back(), no_route);
    }
}

TEST(FindRoute, ReachesEveryLidByTheTablesAlone)
{
    world around{topology::generate(topology::three_level_fat_tree{}).value(), configured()};
    auto const client = smp_client::open(around.local()).value();
    for (topology::node_index i = 0; i != around.layout().size(); ++i) {
        bool const is_switch = around.layout().at(i).type == node_type::switch_;
        auto const to = around.on().look_at({i, static_cast<std::uint8_t>(is_switch ? 0 : 1)}).value().base_lid;
        auto const route = around.run(find_route(client, to));
        ASSERT_TRUE(route) << route.error().message();
        EXPECT_EQ(around.run(client.get<node_info>(route.value())).value().node_guid, around.layout().at(i).node_guid);
    }
}

TEST(FindRoute, SaysWhereTheWayEnds)
{
    world around{topology::generate(topology::fat_tree{2, 2, 1, 1}).value(), configured()};
    auto const client = smp_client::open(around.local()).value();
    auto const nowhere = around.run(find_route(client, lid{0x1234}));
    EXPECT_EQ(nowhere.error(), errc::no_such_node);
    EXPECT_THAT(nowhere.error().message(), testing::HasSubstr("directed route 0,1 has no entry"));
    EXPECT_EQ(around.run(find_route(client, lid{0})).error(), errc::invalid_argument);
    EXPECT_EQ(around.run(find_route(client, lid{0xC000})).error(), errc::invalid_argument);

    // Tables that send a LID in circles: two switches, each to the other.
    for (auto const& [route, port] : {std::pair{directed_route{0, 1}, 0}, std::pair{directed_route{0, 1, 3}, 0}}) {
        (void)port;
        auto info = around.run(client.get<switch_info>(route)).value();
        info.linear_fdb_top = 200;
        ASSERT_TRUE(around.run(client.set<switch_info>(route, info)));
        auto block = around.run(client.get<linear_forwarding_table>(route, 2)).value();
        auto const back = around.run(client.get<node_info>(route)).value().local_port_num;
        block.ports[forwarding_entry_of(lid{150})] = route.hops() == 1 ? std::uint8_t{3} : back;
        ASSERT_TRUE(around.run(client.set<linear_forwarding_table>(route, block, 2)));
    }
    auto const circle = around.run(find_route(client, lid{150}));
    EXPECT_EQ(circle.error(), errc::no_such_node);
    EXPECT_THAT(circle.error().message(), testing::HasSubstr("63 hops"));
}

} // namespace
} // namespace madrigal::tests
