// Things that change while the manager is at work: whenever that is, it ends with a subnet as it should be.
#include "managed_world.hpp"

#include <madrigal/wire/attributes/sm_info_record.hpp>

#include <algorithm>

using namespace madrigal;
using namespace madrigal::testing;

namespace {

topology::fabric tree()
{
    return topology::generate(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 2, .spines = 2}, {}).value();
}

std::string first_ca(topology::fabric const& of)
{
    return std::find_if(of.nodes().begin(), of.nodes().end(), [](auto const& node) {
        return node.type == node_type::ca;
    })->id;
}

sm::settings often()
{
    sm::settings with;
    with.sweep_interval = 1s;
    return with;
}

sim::fabric_options leisurely()
{
    sim::fabric_options options;
    options.faults.hop_latency = 5us;
    options.faults.service_time = 50us;
    return options;
}

/// The tables that the switches really have are those that were decided.
bool is_written(sim::fabric const& on, managed_subnet const& of)
{
    for (unsigned s = 0; s != of.switches.size(); ++s) {
        auto const node = on.layout().find(of.node(of.switches[s]).node_guid);
        for (unsigned address = 1; address <= of.top; ++address)
            if (on.forwarding_entry(node, lid{static_cast<std::uint16_t>(address)}) != of.tables[s][address])
                return false;
    }
    return true;
}

/// The cable of the last CA, at the switch.
topology::endpoint last_cable(topology::fabric const& of)
{
    topology::endpoint at;
    for (topology::node_index i = 0; i != of.size(); ++i)
        if (of.at(i).type == node_type::ca)
            at = of.at(i).external_port(1).peer;
    return at;
}

/// The last CA answers nobody from now on.
void silence_last_ca(simulated& world)
{
    auto const& layout = world.fabric->layout();
    auto const cable = last_cable(layout);
    sim::fault_rule silent;
    silent.node = layout.at(cable.node).external_port(cable.port).peer.node;
    silent.action = sim::fault_action::drop;
    (void)world.fabric->add_rule(silent);
}

/// A few sweeps later, traps or not.
void pass_sweeps(simulated& world)
{
    bool over = false;
    auto const alarm = world.time.make_alarm([&] { over = true; });
    alarm->arm(world.time.now() + 4s);
    (void)world.run_until([&] { return over; });
}

} // namespace

TEST(SubnetManagerWhileThingsChange, ACableThatComesAtAnyTimeOfTheFirstSweepIsNotMissed)
{
    for (unsigned at = 0; at < 1'500; at += 13) {
        simulated world{tree(), leisurely()};
        auto const cable = last_cable(world.fabric->layout());
        ASSERT_FALSE(world.fabric->set_link(cable, false).code());
        machine where{world, first_ca(world.fabric->layout())};
        running_manager manager{world, where, often()};
        unsigned left = at;
        ASSERT_TRUE(world.run_until([&] { return left-- == 0; }));
        ASSERT_FALSE(world.fabric->set_link(cable, true).code());
        pass_sweeps(world);
        ASSERT_TRUE(manager.is_up()) << "after " << at << " steps";
        expect_configured(*world.fabric);
        EXPECT_TRUE(is_written(*world.fabric, *manager.one->known().now)) << "after " << at << " steps";
        if (HasFailure())
            break;
    }
}

TEST(SubnetManagerWhileThingsChange, ASwitchThatRestartsAtAnyTimeGetsAllOfItAgain)
{
    auto const layout = tree();
    for (topology::node_index node = 0; node != layout.size(); ++node) {
        if (layout.at(node).type != node_type::switch_)
            continue;
        for (unsigned at = 0; at < 1'500 && !HasFailure(); at += 29) {
            simulated world{tree(), leisurely()};
            machine where{world, first_ca(layout)};
            running_manager manager{world, where, often()};
            ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
            // It is busy with something else when that happens.
            manager.one->sweep_again();
            auto const cable = last_cable(layout);
            ASSERT_FALSE(world.fabric->set_link(cable, false).code());
            ASSERT_FALSE(world.fabric->set_link(cable, true).code());
            unsigned left = at;
            (void)world.run_until([&] { return left-- == 0; });
            ASSERT_FALSE(world.fabric->set_power(node, false).code());
            auto const back = world.time.make_alarm([&] { (void)world.fabric->set_power(node, true); });
            back->arm(world.time.now() + 20us);
            pass_sweeps(world);
            ASSERT_TRUE(manager.is_up()) << "after " << at << " steps";
            expect_configured(*world.fabric);
            EXPECT_TRUE(is_written(*world.fabric, *manager.one->known().now))
                << layout.at(node).description << " after " << at << " steps";
            EXPECT_EQ(manager.one->known().now->found.fabric.size(), layout.size());
        }
    }
}

TEST(SubnetManagerWhileThingsChange, OnceEndsWhereThePortHasNoLink)
{
    simulated world{tree()};
    machine at{world, first_ca(world.fabric->layout())};
    ASSERT_FALSE(world.fabric->set_link({at.host->node(), 1}, false).code());
    running_manager manager{world, at, {}, true};
    ASSERT_TRUE(world.run_until([&] { return manager.good.has_value(); }));
    EXPECT_FALSE(*manager.good);
}

TEST(SubnetManagerWhileThingsChange, ANodeThatDoesNotAnswerDoesNotKeepItFromLookingAtTheOthers)
{
    simulated world{tree(), leisurely()};
    machine at{world, first_ca(world.fabric->layout())};
    auto with = often();
    with.timeout = 10ms;
    running_manager manager{world, at, with};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    // One that does not do what it is told, for hours: what is tried again is tried ever more seldom.
    silence_last_ca(world);
    manager.one->sweep_again();
    for (unsigned i = 0; i != 8; ++i)
        pass_sweeps(world);
    EXPECT_FALSE(manager.one->is_complete());
    auto const before = manager.one->known().counted;
    pass_sweeps(world);
    EXPECT_LE(manager.one->known().counted.heavy_sweeps, before.heavy_sweeps + 1);
    EXPECT_GE(manager.one->known().counted.light_sweeps, before.light_sweeps + 3);
}

TEST(SubnetManagerWhileThingsChange, ItTellsOfItselfOnce)
{
    simulated world{tree()};
    machine at{world, first_ca(world.fabric->layout())};
    running_manager manager{world, at, often()};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    auto const client = sa_client::open(at.on_loop->open().value()).value();
    auto const told = world.run(client.async_get_table(record_query<sm_info_record>{}, {}, as_result)).value();
    EXPECT_EQ(told.size(), 1u) << "itself, once";
}

TEST(SubnetManagerWhileThingsChange, AnotherOneThatNeverBecomesTheMasterIsNotWaitedForLongerThanTheLimit)
{
    simulated world{tree(), leisurely()};
    machine at{world, first_ca(world.fabric->layout())};
    sm::settings with;
    with.sweep_interval = 10s;
    with.timeout = 10ms;
    with.priority = 1;
    with.sm_key = 0;
    running_manager manager{world, at, with};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    // Something does not answer, and has not for long: it is to be tried again in more than a minute only.
    silence_last_ca(world);
    auto const& layout = world.fabric->layout();
    for (unsigned i = 0; i != 6; ++i) {
        manager.one->sweep_again();
        pass_sweeps(world);
    }
    EXPECT_FALSE(manager.one->is_complete());
    // One that goes before it, and will have nothing of it.
    topology::node_index other = 0;
    while (layout.at(other).type != node_type::ca || layout.at(other).id == first_ca(layout))
        ++other;
    machine there{world, layout.at(other).id};
    with.priority = 5;
    with.sm_key = 7;
    running_manager stranger{world, there, with};
    for (unsigned i = 0; i != 3; ++i) {
        auto const before = manager.one->times_up();
        manager.one->sweep_again();
        bool late = false;
        auto const alarm = world.time.make_alarm([&] { late = true; });
        alarm->arm(world.time.now() + 15s);
        ASSERT_TRUE(world.run_until([&] { return late || manager.one->times_up() > before; }));
        EXPECT_GT(manager.one->times_up(), before) << i;
    }
}
