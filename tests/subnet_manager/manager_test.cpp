#include "managed_world.hpp"

#include "lids_file.hpp"

#include "scratch.hpp"

#include <madrigal/subnet/path_search.hpp>
#include <madrigal/subnet/routing.hpp>

#include <filesystem>
#include <fstream>

using namespace madrigal;
using namespace madrigal::testing;
using namespace std::chrono_literals;

namespace {

topology::fabric tree()
{
    return topology::generate(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 4, .spines = 2}, {}).value();
}

/// Names of the fabric's CAs.
std::vector<std::string> cas_of(topology::fabric const& of)
{
    std::vector<std::string> names;
    for (auto const& node : of.nodes())
        if (node.type == node_type::ca)
            names.push_back(node.id);
    return names;
}

sm::settings often()
{
    sm::settings with;
    with.sweep_interval = 1s;
    with.poll_interval = 100ms;
    with.poll_failures = 2;
    return with;
}

void run_for(simulated& world, duration how_long)
{
    auto const until = world.time.now() + how_long;
    (void)world.run_until([&] { return world.time.now() >= until; });
}

/// Every end port reaches every other by the tables that are decided, but for pairs of two switches.
void expect_reachable(managed_subnet const& of)
{
    for (auto const& from : of.ends)
        for (auto const& to : of.ends) {
            if (of.is_switch(from.at.node) && of.is_switch(to.at.node))
                continue;
            EXPECT_TRUE(follow_tables(of, from, to, to.base_lid))
                << of.name(from.at.node) << " to " << of.name(to.at.node);
        }
}

/// The tables that the switches of the fabric really have are those.
void expect_written(sim::fabric const& on, managed_subnet const& of)
{
    for (unsigned s = 0; s != of.switches.size(); ++s) {
        auto const node = on.layout().find(of.node(of.switches[s]).node_guid);
        for (unsigned address = 1; address <= of.top; ++address)
            EXPECT_EQ(on.forwarding_entry(node, lid{static_cast<std::uint16_t>(address)}), of.tables[s][address]);
    }
}

} // namespace

TEST(SubnetManager, ConfiguresAFabricOnceAndEndsWell)
{
    simulated world{tree()};
    machine at{world, cas_of(world.fabric->layout()).front()};
    running_manager manager{world, at, {}, true};
    ASSERT_TRUE(world.run_until([&] { return manager.good.has_value(); }));
    EXPECT_TRUE(*manager.good);
    expect_configured(*world.fabric);
    expect_reachable(*manager.one->known().now);
    expect_written(*world.fabric, *manager.one->known().now);
}

TEST(SubnetManager, LeavesAFabricThatIsAsItShouldBeAlone)
{
    simulated world{tree()};
    machine at{world, cas_of(world.fabric->layout()).front()};
    running_manager manager{world, at, often()};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    auto const before = manager.one->known().counted;
    manager.one->sweep_again();
    ASSERT_TRUE(world.run_until([&] { return manager.one->times_up() == 2; }));
    auto const& after = manager.one->known().counted;
    EXPECT_GT(after.sweep_smps, before.sweep_smps);
    EXPECT_EQ(after.configure_smps, before.configure_smps);
}

TEST(SubnetManager, UpAndDownLeavesNoCreditLoopsOnATorus)
{
    simulated world{topology::generate(topology::torus{.sizes = {4, 4}, .hosts_per_switch = 1}, {}).value()};
    machine at{world, cas_of(world.fabric->layout()).front()};
    sm::settings with;
    with.routing = sm::routing::up_down;
    running_manager manager{world, at, with, true};
    ASSERT_TRUE(world.run_until([&] { return manager.good.has_value(); }));
    EXPECT_TRUE(*manager.good);
    expect_reachable(*manager.one->known().now);
    EXPECT_FALSE(has_credit_loop(*manager.one->known().now));
}

TEST(SubnetManager, KeepsLidsAcrossRestarts)
{
    scratch folder;
    sm::settings with;
    with.lids_file = folder.path() / "lids.json";
    known_lids first;
    {
        simulated world{tree()};
        machine at{world, cas_of(world.fabric->layout()).front()};
        running_manager manager{world, at, with, true};
        ASSERT_TRUE(world.run_until([&] { return manager.good.has_value(); }));
        first = sm::read_lids(with.lids_file).value();
        EXPECT_EQ(first.size(), manager.one->known().now->ends.size());
    }
    // From another machine of the same fabric after a power failure, where LIDs would be given in another order.
    simulated world{tree()};
    machine at{world, cas_of(world.fabric->layout()).back()};
    running_manager manager{world, at, with, true};
    ASSERT_TRUE(world.run_until([&] { return manager.good.has_value(); }));
    for (auto const& end : manager.one->known().now->ends)
        EXPECT_EQ(end.base_lid, first.at(end.port_guid));
}

TEST(SubnetManager, ABrokenFileOfLidsIsAnErrorThatSaysWhatToDo)
{
    scratch folder;
    EXPECT_EQ(sm::read_lids(folder.path()).error().code().value(), EISDIR);
    auto const file = folder.path() / "lids.json";
    for (auto const* const text : {"", "[]", R"({"0x1": 1})", R"({"0x0000000000000001": 0})",
             R"({"0x000000000000000g": 1})", R"({"1": 5})", R"({"0x": 5})", R"({"0x1": 49152})"}) {
        std::ofstream{file} << text;
        auto const read = sm::read_lids(file);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().message().find("remove the file"), std::string::npos) << read.error().message();
    }
}

TEST(SubnetManager, ACableThatIsTakenOutIsRoutedAround)
{
    simulated world{tree()};
    machine at{world, cas_of(world.fabric->layout()).front()};
    auto with = often();
    with.sweep_interval = 3600s; // traps alone must tell
    running_manager manager{world, at, with};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    auto const& layout = world.fabric->layout();
    topology::endpoint inner;
    for (topology::node_index i = 0; i != layout.size() && !inner; ++i)
        for (unsigned p = 1; p <= layout.at(i).port_count() && layout.at(i).type == node_type::switch_; ++p)
            if (auto const peer = layout.at(i).external_port(p).peer; layout.at(peer.node).type == node_type::switch_)
                inner = {i, static_cast<std::uint8_t>(p)};
    ASSERT_FALSE(world.fabric->set_link(inner, false).code());
    ASSERT_TRUE(world.run_until([&] { return manager.one->times_up() >= 2 && manager.is_up(); }));
    expect_reachable(*manager.one->known().now);
    expect_written(*world.fabric, *manager.one->known().now);
    auto const up = manager.one->times_up();
    ASSERT_FALSE(world.fabric->set_link(inner, true).code());
    ASSERT_TRUE(world.run_until([&] { return manager.one->times_up() > up && manager.is_up(); }));
    expect_configured(*world.fabric);
}

TEST(SubnetManager, LossIsMadeGood)
{
    auto options = slow();
    options.faults.hop_latency = 20us;
    options.faults.loss = 0.01;
    simulated world{tree(), options};
    machine at{world, cas_of(world.fabric->layout()).front()};
    running_manager manager{world, at, often()};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up() && manager.one->is_complete(); }));
    expect_configured(*world.fabric);
    expect_written(*world.fabric, *manager.one->known().now);
}

TEST(SubnetManager, AStandbyTakesOverWhenTheMastersMachineIsGone)
{
    simulated world{tree()};
    auto const cas = cas_of(world.fabric->layout());
    machine first{world, cas.front()};
    machine second{world, cas.back()};
    auto with = often();
    with.priority = 5;
    running_manager master{world, first, with};
    ASSERT_TRUE(world.run_until([&] { return master.is_up(); }));
    running_manager standby{world, second, often()};
    ASSERT_TRUE(world.run_until([&] { return standby.one->role().state() == sm_state::standby; }));
    EXPECT_EQ(master.one->role().state(), sm_state::master);
    ASSERT_FALSE(world.fabric->unplug(first.host->node()).code());
    ASSERT_TRUE(world.run_until([&] { return standby.is_up(); }));
    expect_configured(*world.fabric);
    // The other one comes back, and is no second master.
    ASSERT_FALSE(world.fabric->plug(first.host->node()).code());
    ASSERT_TRUE(world.run_until([&] {
        auto const masters = (master.is_up() ? 1 : 0) + (standby.is_up() ? 1 : 0);
        auto const standbys = (master.one->role().state() == sm_state::standby ? 1 : 0) +
                              (standby.one->role().state() == sm_state::standby ? 1 : 0);
        return masters == 1 && standbys == 1;
    }));
}

TEST(SubnetManager, OneThatRestsSeesItsDeviceGoAndComeToo)
{
    simulated world{tree()};
    auto const cas = cas_of(world.fabric->layout());
    machine first{world, cas.front()};
    machine second{world, cas.back()};
    machine third{world, cas[1]};
    auto with = often();
    with.priority = 5;
    running_manager master{world, first, with};
    ASSERT_TRUE(world.run_until([&] { return master.is_up(); }));
    running_manager other{world, second, often()};
    ASSERT_TRUE(world.run_until([&] { return other.one->role().state() == sm_state::standby; }));
    auto const at = third.on_loop->open().value();
    auto const client = smp_client::open(at).value();
    auto const where = second.on_loop->open().value().attributes().base_lid;
    ASSERT_TRUE(world.run(
        client.set(destination{where}, master.one->role().info(), static_cast<std::uint32_t>(sm_control::disable))));
    ASSERT_EQ(other.one->role().state(), sm_state::not_active);
    run_for(world, 5s);
    EXPECT_EQ(other.one->role().state(), sm_state::not_active);
    ASSERT_FALSE(world.fabric->unplug(second.host->node()).code());
    run_for(world, 5s);
    ASSERT_FALSE(world.fabric->plug(second.host->node()).code());
    run_for(world, 20s);
    EXPECT_EQ(other.one->role().state(), sm_state::standby);
    EXPECT_TRUE(master.is_up());
    EXPECT_TRUE(world.fabric->look_at({second.host->node(), 1}).value().is_sm);
}

TEST(SubnetManager, WhatASecondMasterHasWrittenIsWrittenOverHoweverSoonItComesAgain)
{
    simulated world{tree()};
    auto const& layout = world.fabric->layout();
    auto const cas = cas_of(layout);
    machine first{world, cas.front()};
    machine second{world, cas.back()};
    auto with = often();
    running_manager lower{world, first, with};
    with.priority = 5;
    running_manager higher{world, second, with};
    ASSERT_TRUE(world.run_until([&] { return higher.is_up() && lower.one->role().state() == sm_state::standby; }));
    std::vector<topology::endpoint> uplinks; // of the leaf of the higher one
    auto const leaf = layout.at(second.host->node()).external_port(1).peer.node;
    for (unsigned p = 1; p <= layout.at(leaf).port_count(); ++p)
        if (auto const peer = layout.at(leaf).external_port(p).peer; peer)
            if (layout.at(peer.node).type == node_type::switch_)
                uplinks.push_back({leaf, static_cast<std::uint8_t>(p)});
    ASSERT_EQ(uplinks.size(), 2u);
    auto const set_links = [&](bool up) {
        for (auto const& one : uplinks)
            EXPECT_FALSE(world.fabric->set_link(one, up).code());
    };
    for (auto const together : {12s, 1s, 2s, 3s, 5s, 1s, 1s, 8s}) {
        set_links(false);
        ASSERT_TRUE(world.run_until([&] { return lower.is_up() && higher.is_up(); }));
        set_links(true);
        ASSERT_TRUE(world.run_until([&] {
            return higher.is_up() && lower.one->role().state() == sm_state::standby &&
                   higher.one->known().now->found.fabric.size() == layout.size();
        }));
        run_for(world, together);
        ASSERT_TRUE(world.run_until([&] { return higher.is_up(); }));
        expect_configured(*world.fabric);
        expect_written(*world.fabric, *higher.one->known().now);
    }
}

TEST(SubnetManager, WhatAMasterWithAnotherKeyHasWrittenIsWrittenOverOnceThatIsGone)
{
    simulated world{topology::generate(topology::torus{.sizes = {4, 4}, .hosts_per_switch = 1}, {}).value()};
    auto const cas = cas_of(world.fabric->layout());
    machine first{world, cas.front()};
    machine second{world, cas.back()};
    running_manager manager{world, first, often()};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    auto with = often();
    with.sm_key = 77;
    with.routing = sm::routing::up_down;
    running_manager stranger{world, second, with};
    ASSERT_TRUE(world.run_until([&] { return stranger.is_up(); }));
    run_for(world, 5s);
    expect_written(*world.fabric, *stranger.one->known().now);
    ASSERT_FALSE(world.fabric->unplug(second.host->node()).code());
    run_for(world, 5s);
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    expect_configured(*world.fabric);
    expect_written(*world.fabric, *manager.one->known().now);
}

TEST(SubnetManager, SubnetsOfOneProcessDoNotDisturbEachOther)
{
    simulated one{tree()};
    // On the first one's loop and clock.
    sim::fabric_options options;
    options.time = &one.time;
    auto const other = sim::fabric::make(small_tree(false), options).value();
    auto const other_host = sim::host::make(other).value();
    reactor other_reactor{one.loop, *other_host, reactor_options{.time = &one.time}};
    machine at{one, cas_of(one.fabric->layout()).front()};
    running_manager first{one, at, often()};
    auto second = sm::manager::open(other_reactor, often()).value();
    bool second_ended = false;
    asio::co_spawn(one.loop, second->run(false), [&](std::exception_ptr const&, bool) { second_ended = true; });
    ASSERT_TRUE(one.run_until([&] { return first.is_up() && second->times_up() == 1; }));
    expect_configured(*one.fabric);
    expect_configured(*other);
    second->stop();
    first.one->stop();
    ASSERT_TRUE(one.run_until([&] { return second_ended && first.good; }));
}

TEST(SubnetManager, StoppedAtAnyMomentItEndsWithoutWaitingAndGivesTheIsSmBitBack)
{
    for (int steps = 0; steps < 400; steps += 7) {
        simulated world{tree(), slow()};
        machine at{world, cas_of(world.fabric->layout()).front()};
        running_manager manager{world, at, often()};
        int left = steps;
        (void)world.run_until([&] { return left-- <= 0; });
        auto const before = world.time.now();
        manager.one->stop();
        ASSERT_TRUE(world.run_until([&] { return manager.good.has_value(); })) << "after " << steps << " steps";
        EXPECT_LE(world.time.now() - before, 1s) << "after " << steps << " steps";
        EXPECT_FALSE(world.fabric->look_at({at.host->node(), 1}).value().is_sm) << "after " << steps << " steps";
    }
}

TEST(SubnetManager, StoppedAtAnyMomentWhileItsDeviceComesBackAndIsSmIsAnothersItEndsWithoutWaiting)
{
    for (int steps = 0; steps < 200; ++steps) {
        simulated world{tree()};
        machine at{world, cas_of(world.fabric->layout()).front()};
        running_manager manager{world, at, often()};
        ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
        ASSERT_FALSE(world.fabric->unplug(at.host->node()).code());
        run_for(world, 3s);
        ASSERT_FALSE(world.fabric->plug(at.host->node()).code());
        auto const ca = at.host->ca_names().value().front();
        auto const taken = at.host->open_issm(ca, 1).value();
        for (int i = 0; i != steps; ++i) { // one handler at a time
            world.loop.restart();
            if (world.loop.poll_one() == 0)
                (void)world.time.advance_to_next();
        }
        manager.one->stop();
        run_for(world, 1s);
        ASSERT_EQ(manager.good, true) << "after " << steps << " steps";
    }
}
