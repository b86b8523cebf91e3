// Multicast: a packet of any member gets to all members that receive, once, and to nobody else.
#include "subnet/swept.hpp"

#include <madrigal/subnet/multicast_trees.hpp>

#include <array>
#include <random>

namespace madrigal::tests {
namespace {

constexpr lid group{0xC000};

std::uint16_t mask_of(multicast_blocks const& blocks, lid of_group, unsigned position)
{
    auto const block = blocks.find(multicast_block_of(of_group) | position << 28);
    return block == blocks.end() ? 0 : block->second[multicast_entry_of(of_group)];
}

/// Where a packet from an end port gets: how often to each end port. A circle ends the test.
std::map<topology::endpoint, unsigned> flood(
    managed_subnet const& in, multicast_trees& trees, lid to, topology::endpoint from)
{
    std::map<topology::endpoint, unsigned> reached;
    std::vector<topology::endpoint> arrived; // at which port of which switch
    if (in.is_switch(from.node))
        arrived.push_back(from);
    else if (auto const first = in.peer(from); in.is_switch(first.node))
        arrived.push_back(first);
    else
        reached[first] = 1;
    for (std::size_t i = 0; i != arrived.size(); ++i) {
        if (i > 10'000) {
            ADD_FAILURE() << "a circle";
            break;
        }
        auto const at = arrived[i];
        auto const& blocks = trees.blocks()[in.switch_number(at.node)];
        for (unsigned p = 0; p <= in.node(at.node).port_count(); ++p) {
            if (p == at.port || (mask_of(blocks, to, p / 16) >> p % 16 & 1) == 0)
                continue;
            topology::endpoint const out{at.node, static_cast<std::uint8_t>(p)};
            if (p == 0) {
                ++reached[out];
                continue;
            }
            auto const next = in.peer(out);
            if (!next) {
                ADD_FAILURE() << "out of a port without a cable";
                continue;
            }
            if (in.is_switch(next.node))
                arrived.push_back(next);
            else
                ++reached[next];
        }
    }
    return reached;
}

void expect_exactly(managed_subnet const& in, multicast_trees& trees, lid to, std::vector<tree_member> const& members)
{
    for (auto const& from : members) {
        std::map<topology::endpoint, unsigned> expected;
        for (auto const& one : members)
            if (one.receives && one.port->at != from.port->at)
                expected[one.port->at] = 1;
        EXPECT_EQ(flood(in, trees, to, from.port->at), expected) << in.name(from.port->at.node);
    }
}

std::vector<managed_subnet> shapes()
{
    std::vector<managed_subnet> all;
    all.push_back(subnet_of(topology::fat_tree{.leaves = 5, .hosts_per_leaf = 4, .spines = 3, .cables = 2}));
    all.push_back(subnet_of(topology::three_level_fat_tree{}));
    all.push_back(subnet_of(topology::torus{{4, 4}, 2}));
    all.push_back(subnet_of(topology::dragonfly{}));
    all.push_back(subnet_of(topology::random_graph{20, 40, 4, 9}));
    return all;
}

TEST(MulticastTrees, ReachExactlyTheMembersOfEachGroup)
{
    std::mt19937 random{7};
    for (auto const& in : shapes()) {
        multicast_trees trees{in};
        std::map<lid, std::vector<tree_member>> groups;
        for (unsigned g = 0; g != 40; ++g) {
            auto& members = groups[lid{static_cast<std::uint16_t>(0xC000 + g * 7)}];
            auto ports = std::vector<unsigned>(in.ends.size());
            for (unsigned i = 0; i != ports.size(); ++i)
                ports[i] = i;
            std::shuffle(ports.begin(), ports.end(), random);
            ports.resize(1 + random() % (g % 2 == 0 ? 4 : ports.size()));
            for (auto const one : ports)
                members.push_back({&in.ends[one], random() % 4 != 0});
        }
        for (auto const& [to, members] : groups)
            trees.add(to, members);
        for (auto const& [to, members] : groups)
            expect_exactly(in, trees, to, members);
    }
}

TEST(MulticastTrees, UseNoSwitchThatJoinsNobody)
{
    auto const in = subnet_of(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 4, .spines = 4});
    std::vector<tree_member> neighbours;
    auto const leaf = in.peer(in.ends.front().at).node;
    for (auto const& end : in.ends)
        if (!in.is_switch(end.at.node) && in.peer(end.at).node == leaf)
            neighbours.push_back({&end});
    ASSERT_EQ(neighbours.size(), 4u);
    multicast_trees trees{in};
    trees.add(group, neighbours);
    for (unsigned s = 0; s != in.switches.size(); ++s)
        EXPECT_EQ(trees.blocks()[s].empty(), in.switches[s] != leaf);
    expect_exactly(in, trees, group, neighbours);
}

TEST(MulticastTrees, OfOneMemberLeadToIt)
{
    auto const in = subnet_of(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 2});
    for (bool const receives : {true, false}) {
        multicast_trees trees{in};
        std::vector<tree_member> const alone{{&in.ends.front(), receives}};
        trees.add(group, alone);
        expect_exactly(in, trees, group, alone);
        std::size_t used = 0;
        for (auto const& blocks : trees.blocks())
            used += blocks.size();
        EXPECT_EQ(used, receives ? 1u : 0u);
    }
}

TEST(MulticastTrees, OfNobodyAreEmpty)
{
    auto const in = subnet_of(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 2});
    multicast_trees trees{in};
    trees.add(group, {});
    trees.add(engine::multicast_registry{});
    for (auto const& blocks : trees.blocks())
        EXPECT_TRUE(blocks.empty());
}

TEST(MulticastTrees, ReachAPort0AndPortsBeyondTheFifteenth)
{
    topology::fabric layout;
    auto const hub = layout.add(make_switch(0x10, 254, "hub"));
    auto const far = layout.add(make_switch(0x11, 40, "far"));
    std::array<std::uint8_t, 8> const ports{1, 15, 16, 31, 32, 128, 253, 254};
    for (unsigned i = 0; i != ports.size() - 1; ++i)
        plug(layout, {layout.add(make_ca(0x100 + i, 1, "ca")), 1}, {hub, ports[i]});
    plug(layout, {hub, 254}, {far, 33});
    plug(layout, {layout.add(make_ca(0x200, 1, "ca")), 1}, {far, 40});
    auto const in = by_hand(layout);
    std::vector<tree_member> members;
    for (auto const& end : in.ends)
        members.push_back({&end});
    multicast_trees trees{in};
    for (std::uint16_t const to : {0xC000, 0xC01F, 0xC020, 0xC3FF, 0xFFFE})
        trees.add(lid{to}, members);
    for (std::uint16_t const to : {0xC000, 0xC01F, 0xC020, 0xC3FF, 0xFFFE})
        expect_exactly(in, trees, lid{to}, members);
    EXPECT_EQ(flood(in, trees, lid{0xC001}, members[3].port->at).size(), 0u) << "a group that nobody is in";
    // Block in bits 0 to 8, position above (IBA 14.2.5.12).
    std::set<std::uint32_t> of_hub;
    for (auto const& [place, block] : trees.blocks()[in.switch_number(hub)])
        of_hub.insert(place);
    EXPECT_TRUE(of_hub.contains(0));
    EXPECT_TRUE(of_hub.contains(1U << 28));
    EXPECT_TRUE(of_hub.contains(15U << 28 | 0x1FF));
    EXPECT_TRUE(of_hub.contains(8U << 28 | 1));
    EXPECT_FALSE(of_hub.contains(5U << 28)) << "no port from 80 to 95 is in use";
}

TEST(MulticastTrees, BetweenTwoCasBackToBackNeedNoSwitch)
{
    topology::fabric layout;
    plug(layout, {layout.add(make_ca(1, 1, "a")), 1}, {layout.add(make_ca(2, 1, "b")), 1});
    auto const in = by_hand(layout);
    multicast_trees trees{in};
    std::vector<tree_member> const both{{&in.ends[0]}, {&in.ends[1]}};
    trees.add(group, both);
    EXPECT_TRUE(trees.blocks().empty());
}

TEST(MulticastTrees, InPartsThatAreCutOffJoinTheMembersOfEachPart)
{
    topology::fabric layout;
    plug(layout, {layout.add(make_ca(0x1, 1, "own")), 1}, {layout.add(make_switch(0x2, 2, "alone")), 1});
    for (std::uint64_t part = 1; part <= 2; ++part) {
        auto const a = layout.add(make_switch(part << 8 | 1, 4, "a"));
        auto const b = layout.add(make_switch(part << 8 | 2, 4, "b"));
        plug(layout, {a, 1}, {b, 1});
        for (std::uint8_t i = 0; i != 4; ++i)
            plug(layout, {layout.add(make_ca(part << 8 | 0x10U | i, 1, "ca")), 1},
                {i < 2 ? a : b, static_cast<std::uint8_t>(2 + i % 2)});
    }
    auto const in = by_hand(layout);
    multicast_trees trees{in};
    std::vector<tree_member> members;
    for (auto const& end : in.ends)
        if (!in.is_switch(end.at.node))
            members.push_back({&end});
    ASSERT_EQ(members.size(), 9u);
    trees.add(group, members);
    EXPECT_EQ(flood(in, trees, group, members[0].port->at).size(), 0u);
    for (std::size_t i = 1; i != members.size(); ++i)
        EXPECT_EQ(flood(in, trees, group, members[i].port->at).size(), 3u);
    // A group of which each part has one switch only: no other one is troubled.
    std::vector<tree_member> const few{members[1], members[2], members[7], members[8]};
    trees.add(lid{0xC020}, few);
    std::size_t used = 0;
    for (auto const& blocks : trees.blocks())
        used += blocks.contains(1) ? 1 : 0;
    EXPECT_EQ(used, 2u);
}

TEST(MulticastTrees, OfARegistryHaveItsGroupsAndLeaveOutWhoIsNotThere)
{
    auto const in = subnet_of(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 3, .spines = 2});
    engine::multicast_registry groups;
    std::array<std::uint16_t, 1> const keys{0xFFFF};
    engine::joining_port const able{.longest = mtu::bytes_4096, .rate = path_rate::gbps_100, .p_keys = keys};
    gid const name{0xFF12'401B'FFFF'0000, guid{0xFFFF'FFFF}};
    auto const join = [&](guid port, flags<join_state> how) {
        auto const outcome = groups.join(engine::multicast_registry::query_type{}
                                             .where<&mc_member_record::mgid>(name)
                                             .where<&mc_member_record::port_gid>(gid{default_subnet_prefix, port})
                                             .where<&mc_member_record::join_states>(how)
                                             .where<&mc_member_record::p_key>(0xFFFF)
                                             .where<&mc_member_record::q_key>(0xB1B)
                                             .where<&mc_member_record::service_level>(0)
                                             .where<&mc_member_record::flow_label>(0)
                                             .where<&mc_member_record::traffic_class>(0),
            &able);
        ASSERT_TRUE(outcome.ok()) << outcome.status;
    };
    std::vector<end_port const*> cas;
    for (auto const& end : in.ends)
        if (!in.is_switch(end.at.node))
            cas.push_back(&end);
    std::vector<tree_member> const members{{cas[0]}, {cas[4]}, {cas[5], true}, {cas[8], false}};
    join(cas[0]->port_guid, join_state::full_member);
    join(cas[4]->port_guid, join_state::full_member);
    join(cas[5]->port_guid, join_state::non_member);
    join(cas[8]->port_guid, join_state::send_only_non_member);
    join(guid{0xDEAD}, join_state::full_member);
    ASSERT_EQ(groups.groups().size(), 1u);
    multicast_trees trees{in};
    trees.add(groups);
    expect_exactly(in, trees, groups.groups().begin()->first, members);
}

TEST(MulticastTrees, GoRoundSwitchesThatHaveNextToNoRoomForGroups)
{
    for (std::uint16_t const entries : {0, 1, 31}) {
        auto in = subnet_of(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 2, .spines = 2});
        std::vector<tree_member> members;
        for (auto const& end : in.ends)
            if (!in.is_switch(end.at.node))
                members.push_back({&end});
        // Whichever spine the tree would lead over.
        for (auto const small : in.switches) {
            if (std::any_of(in.ends.begin(), in.ends.end(),
                    [&](auto const& end) { return !in.is_switch(end.at.node) && in.peer(end.at).node == small; }))
                continue;
            auto& cap = in.found.attributes[small].switch_info.multicast_fdb_cap;
            auto const before = std::exchange(cap, entries);
            EXPECT_GT(most_groups(in), 32u) << "what it says counts for nobody else";
            multicast_trees trees{in};
            trees.add(group, members);
            EXPECT_TRUE(trees.blocks()[in.switch_number(small)].empty());
            auto reached = flood(in, trees, group, members[0].port->at);
            EXPECT_EQ(reached.size(), members.size() - 1);
            cap = before;
        }
    }
}

TEST(MulticastTrees, HaveAsManyGroupsAsTheLeastOfTheSwitches)
{
    auto in = subnet_of(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 1, .spines = 1});
    for (auto const index : in.switches)
        in.found.attributes[index].switch_info.multicast_fdb_cap = 0x2000;
    EXPECT_EQ(most_groups(in), 0x2000);
    in.found.attributes[in.switches[1]].switch_info.multicast_fdb_cap = 0x100;
    EXPECT_EQ(most_groups(in), 0x100);
    in.found.attributes[in.switches[1]].switch_info = {}; // has not answered
    EXPECT_EQ(most_groups(in), 0x2000);
}

} // namespace
} // namespace madrigal::tests
