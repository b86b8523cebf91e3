// PortInfo: what ports are told, in which pass, and what they are not told.
#include "subnet/swept.hpp"

#include <madrigal/subnet/port_plan.hpp>
#include <madrigal/subnet/routing.hpp>

namespace madrigal::tests {
namespace {

/// own - hub - other; the hub's third port leads nowhere.
managed_subnet small(bool enhanced = false)
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(1, 1, "own"));
    auto wanted = make_switch(0x10, 3, "hub");
    wanted.enhanced_port0 = enhanced;
    auto const hub = layout.add(wanted);
    auto const other = layout.add(make_ca(2, 1, "other"));
    plug(layout, {own, 1}, {hub, 1});
    plug(layout, {hub, 2}, {other, 1});
    return by_hand(layout, 1);
}

constexpr topology::endpoint own{0, 1};
constexpr topology::endpoint at_own{1, 1};
constexpr topology::endpoint port0{1, 0};
constexpr topology::endpoint other{2, 1};

TEST(PortChange, ArmsAPortAndTellsItWhoItIs)
{
    auto in = small();
    port_policy policy;
    policy.subnet_prefix = 0xFEC0'0000'0000'0001;
    policy.m_key = 0x42;
    policy.reregister = [](end_port const&) { return true; };
    in.info(other).capability_mask.set(port_capability::client_reregistration);
    in.info(other).link_width_enabled = flags<link_width>{link_width::x4};
    in.info(other).hoq_life = 9;
    auto const told = port_change(in, other, policy, port_pass::arm);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->base_lid, in.end_of(other)->base_lid);
    EXPECT_EQ(told->lmc, 1);
    EXPECT_EQ(told->master_sm_lid, in.end_of(own)->base_lid);
    EXPECT_EQ(told->gid_prefix, policy.subnet_prefix);
    EXPECT_EQ(told->m_key, 0x42u);
    EXPECT_EQ(told->neighbor_mtu, mtu::bytes_4096);
    EXPECT_EQ(told->operational_vls, virtual_lanes::vl0_7);
    EXPECT_EQ(told->state, port_state::armed);
    EXPECT_FALSE(told->client_reregister) << "only once it is active";
    // What is not to change.
    EXPECT_EQ(told->phys_state, physical_state::no_change);
    EXPECT_EQ(told->link_down_default, link_down_default_state::no_change);
    EXPECT_EQ(told->link_width_enabled.value(), 0);
    EXPECT_EQ(told->link_speed_enabled.value(), 0);
    EXPECT_EQ(told->link_speed_ext_enabled.value(), 0);
    EXPECT_EQ(told->hoq_life, 9);
}

TEST(PortChange, TellsASwitchPortNothingOfLids)
{
    auto in = small();
    in.info(at_own).base_lid = lid{};
    port_policy policy;
    policy.m_key = 0x42;
    auto const told = port_change(in, at_own, policy, port_pass::arm);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->base_lid, lid{});
    EXPECT_EQ(told->m_key, 0u);
    EXPECT_EQ(told->state, port_state::armed);
}

TEST(PortChange, TakesTheSmallerMtuAndLanesOfBothEnds)
{
    auto in = small();
    in.info(other).mtu_cap = mtu::bytes_1024;
    in.info({1, 2}).vl_cap = virtual_lanes::vl0_3;
    for (auto const at : {other, topology::endpoint{1, 2}}) {
        auto const told = port_change(in, at, {}, port_pass::arm);
        ASSERT_TRUE(told);
        EXPECT_EQ(told->neighbor_mtu, mtu::bytes_1024);
        EXPECT_EQ(told->operational_vls, virtual_lanes::vl0_3);
    }
}

TEST(PortChange, LeavesMtuAndLanesWhereAPortSaysWhatCannotBe)
{
    auto in = small();
    in.info(other).mtu_cap = mtu{};
    in.info(other).vl_cap = virtual_lanes{};
    in.info(at_own).mtu_cap = in.info(own).mtu_cap = mtu{14};
    in.info(at_own).vl_cap = in.info(own).vl_cap = virtual_lanes{15};
    for (auto const at : {other, topology::endpoint{1, 2}, own, at_own}) {
        auto const told = port_change(in, at, {}, port_pass::arm);
        ASSERT_TRUE(told);
        EXPECT_EQ(told->neighbor_mtu, mtu::bytes_2048);
        EXPECT_EQ(told->operational_vls, virtual_lanes::vl0);
    }
}

TEST(PortChange, LeavesAPortAloneThatHasNoPeerOrHasNotAnswered)
{
    auto in = small();
    in.info({1, 3}).state = port_state::init; // a link to somebody who does not answer
    for (auto const pass : {port_pass::arm, port_pass::activate}) {
        EXPECT_FALSE(port_change(in, {1, 3}, {}, pass));
        auto silent = small();
        silent.info(other) = {};
        EXPECT_FALSE(port_change(silent, other, {}, pass));
        auto down = small();
        down.info(other).state = port_state::down;
        EXPECT_FALSE(port_change(down, other, {}, pass));
    }
    // Of a peer that has not answered it is not known what it can; the port itself is to work all the same.
    in.info(other) = {};
    auto const told = port_change(in, {1, 2}, {}, port_pass::arm);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->neighbor_mtu, mtu::bytes_2048);
    EXPECT_EQ(told->operational_vls, virtual_lanes::vl0);
}

TEST(PortChange, OfABasePort0IsNoState)
{
    for (auto const meaningless :
        {port_state::no_change, port_state::down, port_state::init, port_state::armed, port_state::active}) {
        auto in = small();
        in.info(port0).state = meaningless;
        auto const told = port_change(in, port0, {}, port_pass::arm);
        ASSERT_TRUE(told) << to_string(meaningless);
        EXPECT_EQ(told->base_lid, in.end_of(port0)->base_lid);
        EXPECT_EQ(told->lmc, 0);
        EXPECT_EQ(told->state, port_state::no_change);
        in.info(port0) = *told;
        in.info(port0).state = meaningless;
        EXPECT_FALSE(port_change(in, port0, {}, port_pass::activate)) << to_string(meaningless);
    }
    auto in = small();
    in.info(port0) = {};
    EXPECT_FALSE(port_change(in, port0, {}, port_pass::arm)) << "has not answered";
}

TEST(PortChange, OfAnEnhancedPort0IsThatOfOthers)
{
    auto in = small(true);
    auto told = port_change(in, port0, {}, port_pass::arm);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->state, port_state::armed);
    EXPECT_EQ(told->lmc, 1);
    in.info(port0) = *told;
    told = port_change(in, port0, {}, port_pass::activate);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->state, port_state::active);
}

TEST(PortChange, ActivatesArmedPortsOnlyAndAsksThoseThatCanToRegisterAgain)
{
    auto in = small();
    port_policy policy;
    policy.reregister = [](end_port const&) { return true; };
    for (auto const at : {own, other, port0})
        in.info(at).capability_mask.set(port_capability::client_reregistration);
    for (auto const at : {own, at_own, topology::endpoint{1, 2}, other, port0}) {
        auto const told = port_change(in, at, policy, port_pass::arm);
        ASSERT_TRUE(told);
        EXPECT_FALSE(told->client_reregister);
        in.info(at) = *told;
    }
    auto const told = port_change(in, other, policy, port_pass::activate);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->state, port_state::active);
    EXPECT_TRUE(told->client_reregister);
    EXPECT_TRUE(port_change(in, port0, policy, port_pass::activate)->client_reregister);
    EXPECT_TRUE(port_change(in, own, policy, port_pass::activate)->client_reregister) << "its host has clients too";
    EXPECT_FALSE(port_change(in, at_own, policy, port_pass::activate)->client_reregister) << "no end port";
    in.info(other).capability_mask.set(port_capability::client_reregistration, false);
    EXPECT_FALSE(port_change(in, other, policy, port_pass::activate)->client_reregister);
    in.info(other).state = port_state::init; // arming did not work
    auto const left = port_change(in, other, policy, port_pass::activate);
    EXPECT_TRUE(!left || left->state == port_state::no_change);
}

TEST(PortChange, IsNothingForAPortAsItShouldBe)
{
    auto in = small();
    for (auto const pass : {port_pass::arm, port_pass::activate})
        for (auto const at : {own, at_own, topology::endpoint{1, 2}, other, port0})
            if (auto const told = port_change(in, at, {}, pass)) {
                auto const state = told->state == port_state::no_change ? in.info(at).state : told->state;
                in.info(at) = *told;
                in.info(at).state = state;
            }
    for (auto const pass : {port_pass::arm, port_pass::activate})
        for (auto const at : {own, at_own, topology::endpoint{1, 2}, other, port0})
            EXPECT_FALSE(port_change(in, at, {}, pass)) << at.node << ':' << int{at.port};
    EXPECT_EQ(in.info(other).state, port_state::active);
}

/// Runs both passes over all nodes; how many SMPs there were in each.
std::pair<std::uint64_t, std::uint64_t> bring_up(world& around, managed_subnet& in, port_policy const& policy)
{
    auto const client = smp_client::open(around.local()).value();
    auto const run = [&](port_pass pass) {
        smp_work work;
        std::vector<topology::node_index> nodes;
        for (topology::node_index i = 0; i != in.found.fabric.size(); ++i) {
            auto const before = work.size();
            order_ports(work, in, i, policy, pass);
            nodes.resize(nodes.size() + work.size() - before, i);
        }
        auto const report = around
                                .run(work.run(client, smp_work_options{},
                                    [&](std::size_t job, smp_order const& order, mad_view answer) {
                                        auto const at = static_cast<std::uint8_t>(order.modifier);
                                        in.info({nodes[job], at}) = *answer.attribute<port_info>();
                                    }))
                                .value();
        for (auto const& one : report.failures)
            ADD_FAILURE() << to_string(one);
        EXPECT_TRUE(report.complete());
        return report.done;
    };
    auto const armed = run(port_pass::arm);
    return {armed, run(port_pass::activate)};
}

TEST(OrderPorts, BringUpAFabricAndThenHaveNothingToDo)
{
    for (unsigned const lmc : {0U, 2U})
        for (auto const state : {port_state::active, port_state::down, port_state::no_change}) {
            sim::fabric_options how;
            how.base_port0_state = state;
            world around{
                topology::generate(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 3, .spines = 2}).value(), how};
            auto in = swept(around);
            known_lids known;
            ASSERT_TRUE(assign_lids(in, known, lmc));
            port_policy policy;
            policy.reregister = [](end_port const&) { return true; };
            auto const [armed, activated] = bring_up(around, in, policy);
            EXPECT_EQ(armed, 12u + 4 + 2 + 12 + 2 * 8) << "CAs, ports 0, leaf ports, and both ends of 8 cables";
            EXPECT_GE(activated, 12u + 12 + 2 * 8);
            for (auto const& end : in.ends) {
                auto const seen =
                    around.on().look_at({around.layout().find(in.node(end.at.node).node_guid), end.at.port}).value();
                EXPECT_EQ(seen.base_lid, end.base_lid);
                EXPECT_EQ(seen.lmc, end.lmc);
                EXPECT_EQ(seen.sm_lid, in.ends.front().base_lid);
                if (!in.is_switch(end.at.node)) {
                    EXPECT_EQ(seen.state, port_state::active);
                }
            }
            auto again = swept(around);
            ASSERT_TRUE(assign_lids(again, known, lmc));
            policy.reregister = nullptr;
            EXPECT_EQ(bring_up(around, again, policy), (std::pair<std::uint64_t, std::uint64_t>{0, 0}));
        }
}

TEST(OrderPorts, ReachBothPortsOfACa)
{
    topology::fabric layout;
    auto const own_ca = layout.add(make_ca(0x100, 2, "own"));
    auto const hub = layout.add(make_switch(0x10, 4, "hub"));
    auto const second = layout.add(make_ca(0x200, 2, "second"));
    plug(layout, {own_ca, 1}, {hub, 1});
    plug(layout, {own_ca, 2}, {hub, 2});
    plug(layout, {second, 1}, {hub, 3});
    plug(layout, {second, 2}, {hub, 4});
    world around{layout, {}, "own", 2};
    auto in = swept(around);
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    (void)bring_up(around, in, {});
    for (topology::node_index const ca : {own_ca, second})
        for (std::uint8_t const port : {std::uint8_t{1}, std::uint8_t{2}}) {
            auto const seen = around.on().look_at({ca, port}).value();
            EXPECT_EQ(seen.state, port_state::active);
            EXPECT_TRUE(seen.base_lid.is_unicast());
        }
}

TEST(OrderPorts, GiveAKeyThatLaterPassesNeed)
{
    world around{topology::generate(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 1}).value()};
    auto in = swept(around);
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    port_policy policy;
    policy.m_key = 0x42;
    auto client = smp_client::open(around.local()).value();
    smp_work work;
    for (topology::node_index i = 0; i != in.found.fabric.size(); ++i)
        order_ports(work, in, i, policy, port_pass::arm);
    // Ports 0 are told first, and with them the switch is locked for who comes without the key.
    smp_work_options how;
    how.how.m_key = 0x42;
    auto const report = around.run(work.run(client, how)).value();
    EXPECT_TRUE(report.complete());
}

} // namespace
} // namespace madrigal::tests
