// What a sweep's findings are made into.
#include "subnet/swept.hpp"

namespace madrigal::tests {
namespace {

TEST(ManagedSubnet, OwnPortComesFirstWhicheverItIs)
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x100, 2, "own"));
    auto const hub = layout.add(make_switch(0x10, 4, "hub"));
    auto const other = layout.add(make_ca(0x200, 2, "other"));
    plug(layout, {own, 1}, {hub, 1});
    plug(layout, {own, 2}, {hub, 2});
    plug(layout, {other, 1}, {hub, 3});
    plug(layout, {other, 2}, {hub, 4});
    for (unsigned const by : {1U, 2U}) {
        world around{layout, {}, "own", by};
        auto const in = swept(around);
        ASSERT_EQ(in.ends.size(), 5u);
        EXPECT_EQ(in.ends[0].at, (topology::endpoint{0, static_cast<std::uint8_t>(by)}));
        EXPECT_TRUE(in.is_switch(1));
        EXPECT_EQ(in.switches, std::vector<topology::node_index>{1});
        for (auto const& end : in.ends) {
            EXPECT_EQ(in.end_of(end.at), &end);
            EXPECT_EQ(in.find(end.port_guid), &end);
        }
        EXPECT_EQ(in.end_of({1, 3}), in.end_of({1, 0})) << "a switch's ports belong to its port 0";
        // The way to each port ends at that port: a CA's port answers for itself.
        auto const client = smp_client::open(around.local()).value();
        for (auto const& end : in.ends) {
            auto const said = around.run(client.get<node_info>(in.route(end)));
            ASSERT_TRUE(said) << said.error().message();
            EXPECT_EQ(said.value().port_guid, end.port_guid);
            if (!in.is_switch(end.at.node)) {
                EXPECT_EQ(said.value().local_port_num, end.at.port);
            }
        }
    }
}

TEST(ManagedSubnet, OfEqualGuidsFindsTheFirst)
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x5, 2, "own"));
    auto const hub = layout.add(make_switch(0x10, 4, "hub"));
    auto const twin = layout.add(make_ca(0x5, 1, "twin"));
    auto const other = layout.add(make_ca(0x5, 1, "other"));
    plug(layout, {own, 1}, {hub, 1});
    plug(layout, {own, 2}, {hub, 2});
    plug(layout, {twin, 1}, {hub, 3});
    plug(layout, {other, 1}, {hub, 4});
    for (std::uint8_t const by : {std::uint8_t{1}, std::uint8_t{2}}) {
        auto found = found_by_hand(layout);
        found.entry_ports[0] = by;
        managed_subnet const in{std::move(found)};
        ASSERT_EQ(in.ends.size(), 5u);
        EXPECT_EQ(in.ends[0].at, (topology::endpoint{0, by}));
        EXPECT_EQ(in.find(guid{0x5}), &in.ends[0]);
    }
}

TEST(ManagedSubnet, OwnPortIsOneOfThemThoughItHasNotAnswered)
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x1, 1, "own"));
    auto const hub = layout.add(make_switch(0x10, 4, "hub"));
    auto const other = layout.add(make_ca(0x2, 1, "other"));
    plug(layout, {own, 1}, {hub, 1});
    plug(layout, {other, 1}, {hub, 2});
    auto found = found_by_hand(layout);
    found.attributes[own].ports[1] = {};
    managed_subnet const in{std::move(found)};
    ASSERT_EQ(in.ends.size(), 3u);
    EXPECT_EQ(in.ends[0].at, (topology::endpoint{own, 1})) << "others are told that the subnet manager is there";
}

TEST(ManagedSubnet, FromASwitchItsPort0ComesFirst)
{
    topology::fabric layout;
    auto const hub = layout.add(make_switch(0x10, 4, "hub"));
    auto const other = layout.add(make_ca(0x2, 1, "other"));
    plug(layout, {hub, 1}, {other, 1});
    world around{layout, {}, "hub"};
    auto const in = swept(around);
    ASSERT_EQ(in.ends.size(), 2u);
    EXPECT_EQ(in.ends[0].at, (topology::endpoint{0, 0}));
    EXPECT_EQ(in.name(1), "H-0000000000000002 \"other\"");
}

TEST(ManagedSubnet, LeavesOutWhatHasNoLink)
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x1, 2, "own"));
    auto const hub = layout.add(make_switch(0x10, 4, "hub"));
    auto const silent = layout.add(make_ca(0x2, 1, "silent"));
    plug(layout, {own, 1}, {hub, 1});
    plug(layout, {silent, 1}, {hub, 2});
    world around{layout};
    ASSERT_FALSE(around.on().set_power(silent, false).code());
    auto const in = swept(around);
    ASSERT_EQ(in.ends.size(), 2u);
    EXPECT_FALSE(in.peer({1, 2}));
    EXPECT_EQ(in.end_of({0, 2}), nullptr);
}

} // namespace
} // namespace madrigal::tests
