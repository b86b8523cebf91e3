// LID routing by forwarding tables, and the configured start state that fills them.
#include "small_fabric.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <set>

namespace madrigal::sim::test {
namespace {

std::vector<topology::endpoint> end_ports(topology::fabric const& in)
{
    std::vector<topology::endpoint> all;
    for (topology::node_index index = 0; index != in.size(); ++index) {
        if (in.at(index).type == node_type::switch_)
            all.push_back({index, 0});
        else
            for (unsigned number = 1; number <= in.at(index).port_count(); ++number)
                if (in.at(index).external_port(number).peer)
                    all.push_back({index, static_cast<std::uint8_t>(number)});
    }
    return all;
}

TEST(Configured, EveryEndPortHasItsOwnLidIsActiveAndKnowsTheSm)
{
    bench with{two_switches(), {.start = start_state::configured}};
    std::set<lid> lids;
    auto const sm = with.on->look_at({host_a, 1}).value().base_lid;
    for (auto const end : end_ports(with.on->layout())) {
        auto const seen = with.on->look_at(end).value();
        EXPECT_TRUE(seen.base_lid.is_unicast());
        EXPECT_TRUE(lids.insert(seen.base_lid).second) << "LID twice";
        EXPECT_EQ(seen.state, port_state::active);
        EXPECT_EQ(seen.sm_lid, sm);
    }
    EXPECT_EQ(lids.size(), 6u);
    auto const unused = with.on->look_at({host_c, 2}).value();
    EXPECT_EQ(unused.state, port_state::down);
    EXPECT_EQ(unused.base_lid, lid{});
}

TEST(Configured, EveryNodeAnswersAtItsLid)
{
    bench with{two_switches(), {.start = start_state::configured}};
    for (auto const end : end_ports(with.on->layout())) {
        auto const got = with.ask(with.on->look_at(end).value().base_lid, attribute_id::node_info);
        ASSERT_TRUE(got) << end.node;
        EXPECT_EQ(got->as<node_info>().node_guid, with.on->layout().at(end.node).node_guid);
        EXPECT_EQ(got->as<node_info>().port_guid, with.on->look_at(end).value().port_guid);
    }
}

TEST(Configured, KeepsTheLidsOfTheFileAndFillsTheGaps)
{
    auto layout = two_switches();
    layout.at(host_b).external_port(1).base_lid = lid{1};
    layout.at(switch_2).base_lid = lid{0xBFFF};
    layout.at(host_c).external_port(1).base_lid = lid{16};
    layout.at(host_c).external_port(1).lmc = 2;
    bench with{layout, {.start = start_state::configured}};
    EXPECT_EQ(with.on->look_at({host_b, 1}).value().base_lid, lid{1});
    EXPECT_EQ(with.on->look_at({switch_2, 0}).value().base_lid, lid{0xBFFF});
    EXPECT_EQ(with.on->look_at({host_a, 1}).value().base_lid, lid{2});
    for (std::uint16_t to = 16; to != 20; ++to) {
        auto const got = with.ask(lid{to}, attribute_id::node_info);
        ASSERT_TRUE(got) << to;
        EXPECT_EQ(got->as<node_info>().node_guid, layout.at(host_c).node_guid);
        EXPECT_EQ(got->header.lid.value(), to) << "the answer comes from the LID that was asked";
    }
    EXPECT_FALSE(with.ask(lid{20}, attribute_id::node_info));
}

TEST(Configured, RefusesALidThatIsTakenOrNone)
{
    auto layout = two_switches();
    layout.at(host_b).external_port(1).base_lid = lid{5};
    layout.at(switch_2).base_lid = lid{5};
    auto const twice = fabric::make(layout, {.start = start_state::configured});
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error(), errc::invalid_argument);
    EXPECT_NE(twice.error().message().find("second switch"), std::string::npos) << twice.error().message();
    layout.at(switch_2).base_lid = lid{0xC000};
    EXPECT_FALSE(fabric::make(layout, {.start = start_state::configured}));
    layout.at(switch_2).base_lid = lid{6};
    EXPECT_TRUE(fabric::make(layout, {.start = start_state::configured}));
}

TEST(Configured, TakesTheSmsPlaceFromTheOptions)
{
    bench with{two_switches(), {.start = start_state::configured, .sm = topology::endpoint{switch_2, 0}}};
    EXPECT_EQ(with.on->look_at({host_a, 1}).value().sm_lid, with.on->look_at({switch_2, 0}).value().base_lid);
    bench named{two_switches(), {.start = start_state::configured, .sm_ca = "H-c"}};
    EXPECT_EQ(named.on->look_at({host_a, 1}).value().sm_lid, named.on->look_at({host_c, 1}).value().base_lid);
    EXPECT_FALSE(
        fabric::make(two_switches(), {.start = start_state::configured, .sm = topology::endpoint{switch_2, 1}}));
    EXPECT_FALSE(fabric::make(two_switches(), {.start = start_state::configured, .sm_ca = "nobody"}));
}

TEST(Configured, SpreadsLidsOverParallelCables)
{
    auto layout = two_switches();
    layout.at(host_c).external_port(1).lmc = 3;
    bench with{layout, {.start = start_state::configured}};
    auto const base = with.on->look_at({host_c, 1}).value().base_lid.value();
    std::set<unsigned> used;
    for (unsigned i = 0; i != 8; ++i)
        used.insert(with.on->forwarding_entry(switch_1, lid{static_cast<std::uint16_t>(base + i)}));
    EXPECT_EQ(used, (std::set<unsigned>{5, 6}));
}

TEST(Configured, EveryPairOfAGeneratedFabricIsConnectedByAShortestWay)
{
    for (auto const& layout : {topology::generate(topology::three_level_fat_tree{}).value(),
             topology::generate(topology::torus{{5, 4}, 1}).value(), topology::generate(topology::dragonfly{}).value(),
             topology::generate(topology::random_graph{80, 40}).value()}) {
        auto const made = fabric::make(layout, {.start = start_state::configured}).value();
        // Links from every switch to one destination, by a plain breadth-first search.
        for (auto const to : end_ports(layout)) {
            std::vector<unsigned> distance(layout.size(), 0xFFFF);
            std::vector<topology::node_index> front{to.node};
            distance[to.node] = 0;
            for (std::size_t i = 0; i != front.size(); ++i)
                if (layout.at(front[i]).type == node_type::switch_ || front[i] == to.node)
                    for (auto const& one : layout.at(front[i]).ports)
                        if (one.peer && distance[one.peer.node] == 0xFFFF) {
                            distance[one.peer.node] = distance[front[i]] + 1;
                            front.push_back(one.peer.node);
                        }
            auto const destination = made->look_at(to).value().base_lid;
            for (topology::node_index from = 0; from != layout.size(); ++from) {
                if (layout.at(from).type != node_type::switch_)
                    continue;
                auto const out = made->forwarding_entry(from, destination);
                if (from == to.node) {
                    EXPECT_EQ(out, 0);
                    continue;
                }
                ASSERT_GE(out, 1);
                ASSERT_LE(out, layout.at(from).port_count());
                EXPECT_EQ(distance[layout.at(from).external_port(out).peer.node] + 1, distance[from]);
            }
        }
    }
}

TEST(Configured, ThousandsOfNodesAllHaveTheirPlace)
{
    // 10,000 nodes and more: counts only, the time is the benchmark's matter.
    auto const layout =
        topology::generate(topology::fat_tree{.leaves = 252, .hosts_per_leaf = 40, .spines = 24, .cables = 1}).value();
    ASSERT_GE(layout.size(), 10'000u);
    bench with{layout, {.start = start_state::configured}};
    std::set<lid> lids;
    for (auto const end : end_ports(layout))
        lids.insert(with.on->look_at(end).value().base_lid);
    EXPECT_EQ(lids.size(), layout.size());
    EXPECT_TRUE(with.ask(*lids.rbegin(), attribute_id::node_info));
    EXPECT_TRUE(with.ask(*lids.begin(), attribute_id::node_info));
}

TEST(LidRouting, FollowsTheTablesAsTheyAreSet)
{
    bench with; // as cabled: no LIDs, no tables
    EXPECT_FALSE(with.ask(lid{9}, attribute_id::node_info));
    auto const give_lid = [&](directed_route const& to, unsigned port, std::uint16_t number) {
        auto info = with.get<port_info>(to, port);
        info.base_lid = lid{number};
        info.phys_state = physical_state::no_change;
        info.state = port_state::no_change;
        auto const done = with.set(to, info, port);
        ASSERT_TRUE(done);
        EXPECT_EQ(done->view().outcome(), 0);
    };
    give_lid(directed_route{}, 1, 3);
    give_lid(directed_route{0, 1, 3}, 1, 9);
    directed_route const to_switch{0, 1};
    auto tables = with.get<switch_info>(to_switch);
    tables.linear_fdb_top = 9;
    ASSERT_EQ(with.set(to_switch, tables)->view().outcome(), 0);
    linear_forwarding_table block;
    block.ports.fill(no_route);
    block.ports[3] = 1;
    block.ports[9] = 3;
    ASSERT_EQ(with.set(to_switch, block)->view().outcome(), 0);
    ASSERT_TRUE(with.ask(lid{9}, attribute_id::node_info));
    EXPECT_EQ(with.get<linear_forwarding_table>(to_switch), block);

    block.ports[9] = 8; // a port without a cable
    ASSERT_EQ(with.set(to_switch, block)->view().outcome(), 0);
    EXPECT_FALSE(with.ask(lid{9}, attribute_id::node_info));
    block.ports[9] = 200; // no such port
    ASSERT_EQ(with.set(to_switch, block)->view().outcome(), 0);
    EXPECT_FALSE(with.ask(lid{9}, attribute_id::node_info));
    block.ports[9] = 0; // its own, which has no such LID
    ASSERT_EQ(with.set(to_switch, block)->view().outcome(), 0);
    EXPECT_FALSE(with.ask(lid{9}, attribute_id::node_info));
    block.ports[9] = 2; // another end port
    ASSERT_EQ(with.set(to_switch, block)->view().outcome(), 0);
    EXPECT_FALSE(with.ask(lid{9}, attribute_id::node_info));
    block.ports[9] = 3;
    tables.linear_fdb_top = 8; // beyond the top nothing is routed
    ASSERT_EQ(with.set(to_switch, block)->view().outcome(), 0);
    ASSERT_EQ(with.set(to_switch, tables)->view().outcome(), 0);
    EXPECT_FALSE(with.ask(lid{9}, attribute_id::node_info));
}

TEST(LidRouting, ALoopInTheTablesEnds)
{
    bench with{two_switches(), {.start = start_state::configured}};
    for (auto const& to : {directed_route{0, 1}, directed_route{0, 1, 5}}) {
        auto tables = with.get<switch_info>(to);
        tables.linear_fdb_top = 100;
        ASSERT_TRUE(with.set(to, tables));
        linear_forwarding_table block;
        block.ports.fill(5); // each to the other
        ASSERT_EQ(with.set(to, block, 1)->view().outcome(), 0);
    }
    EXPECT_FALSE(with.ask(lid{99}, attribute_id::node_info));
    EXPECT_EQ(with.on->counters().drops(drop_reason::hop_limit), 1u);
}

TEST(LidRouting, APortInInitCarriesOnlySubnetManagement)
{
    bench with{two_switches(), {.start = start_state::configured}};
    auto const far = with.on->look_at({host_c, 1}).value().base_lid;
    auto const client = with.file->register_client(0x04);
    std::array<std::byte, mad_size> gmp{};
    mutable_mad_view const mad{gmp};
    mad.set_base_version(1);
    mad.set_mgmt_class(management_class::performance);
    mad.set_class_version(1);
    mad.set_method(method::get);
    mad.set_transaction_id(1);
    ASSERT_EQ(with.file->write(header_to(client, far, 1, 10), gmp), 0);
    EXPECT_TRUE(with.file->read());
    ASSERT_FALSE(with.on->set_link({switch_2, 1}, false).code());
    ASSERT_FALSE(with.on->set_link({switch_2, 1}, true).code());
    EXPECT_EQ(with.on->look_at({switch_2, 1}).value().state, port_state::init);
    ASSERT_EQ(with.file->write(header_to(client, far, 1, 10), gmp), 0);
    EXPECT_FALSE(with.file->read());
    EXPECT_GE(with.on->counters().drops(drop_reason::port_not_active), 1u);
    EXPECT_TRUE(with.ask(far, attribute_id::node_info)) << "subnet management still works";
}

TEST(LidRouting, ThePermissiveLidIsWhoeverIsNext)
{
    bench with;
    std::array<std::byte, mad_size> smp;
    build_lid_routed_smp(smp, method::get, 1, attribute_id::node_info, 0, 0);
    ASSERT_EQ(with.file->write(header_to(with.routed, permissive_lid, 0, 0), smp), 0);
    EXPECT_EQ(with.on->counters().answered, 1u);
}

} // namespace
} // namespace madrigal::sim::test
