// Subnet administration on what nobody keeps from a sweep: nodes are asked when somebody wants to know, and then not
// again until the next sweep.
#include "managed_world.hpp"

#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/wire/attributes/guid_info_record.hpp>
#include <madrigal/wire/attributes/lane_table_record.hpp>
#include <madrigal/wire/attributes/p_key_table_record.hpp>

#include <algorithm>

using namespace madrigal;
using namespace madrigal::testing;
using namespace std::chrono_literals;

namespace {

/// A subnet manager that is up, and a client of its subnet administration on another machine.
struct asked_world {
    asked_world()
        : world{topology::generate(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 4, .spines = 2}, {}).value()}
    {
        EXPECT_TRUE(world.run_until([&] { return manager.is_up(); }));
        at = other.on_loop->open().value();
        sa_options options;
        options.sm_key = 1;
        options.watch_interval = 0ms;
        client = sa_client::open(at, options).value();
    }

    static sm::settings seldom()
    {
        sm::settings with;
        with.sweep_interval = 1h;
        return with;
    }
    static std::string name(topology::fabric const& in, bool last)
    {
        std::vector<std::string> cas;
        for (auto const& node : in.nodes())
            if (node.type == node_type::ca)
                cas.push_back(node.id);
        return last ? cas.back() : cas.front();
    }

    /// The records, and how many SMPs nodes have answered for them.
    template <class Record>
    std::pair<std::vector<Record>, std::uint64_t> ask(record_query<Record> const& what = {})
    {
        auto const before = world.fabric->counters().answered;
        std::optional<result<std::vector<Record>>> told;
        client.async_get_table(what, {}, [&](error_code code, std::vector<Record> records) {
            told = code ? result<std::vector<Record>>{error{code}} : result<std::vector<Record>>{std::move(records)};
        });
        EXPECT_TRUE(world.run_until([&] { return told.has_value(); }));
        EXPECT_TRUE(*told) << told->error().message();
        return {told->value(), world.fabric->counters().answered - before};
    }

    void sweep()
    {
        auto const before = manager.one->times_up();
        manager.one->sweep_again();
        EXPECT_TRUE(world.run_until([&] { return manager.one->times_up() != before && manager.is_up(); }));
    }

    simulated world;
    machine own{world, name(world.fabric->layout(), false)};
    machine other{world, name(world.fabric->layout(), true)};
    running_manager manager{world, own, seldom()};
    port at;
    sa_client client;
};

/// Tables of lanes: from every port of a switch to every port, port 0 too; a CA's port has one.
std::size_t lane_tables(managed_subnet const& of)
{
    std::size_t all = 0;
    for (auto const& end : of.ends)
        all += of.is_switch(end.at.node)
                   ? std::size_t{of.node(end.at.node).port_count() + 1U} * (of.node(end.at.node).port_count() + 1U)
                   : 1;
    return all;
}

} // namespace

TEST(AskedOfNodes, TablesOfLanesAreAskedForOnceAndThenKept)
{
    asked_world world;
    auto const tables = lane_tables(*world.manager.one->known().now);
    auto const [first, asked] = world.ask<sl_to_vl_mapping_table_record>();
    EXPECT_EQ(first.size(), tables);
    EXPECT_EQ(asked, tables);
    auto const [again, asked_again] = world.ask<sl_to_vl_mapping_table_record>();
    EXPECT_EQ(again, first);
    EXPECT_EQ(asked_again, 0U);
}

TEST(AskedOfNodes, OnlyWhatCanBeAnAnswerIsAskedFor)
{
    asked_world world;
    auto const& known = *world.manager.one->known().now;
    auto const end =
        std::ranges::find_if(known.ends, [&](end_port const& one) { return known.is_switch(one.at.node); });
    ASSERT_NE(end, known.ends.end());
    auto const ports = known.node(end->at.node).port_count() + 1U;
    auto const to_one = record_query<sl_to_vl_mapping_table_record>{}
                            .where<&sl_to_vl_mapping_table_record::base_lid>(end->base_lid)
                            .where<&sl_to_vl_mapping_table_record::output_port_num>(1);
    auto const [some, asked] = world.ask(to_one);
    EXPECT_EQ(some.size(), ports);
    EXPECT_EQ(asked, ports);
    for (auto const& one : some)
        EXPECT_EQ(one.output_port_num, 1U);
    // What is known already is not asked again when more is wanted.
    auto const [all, rest] = world.ask(
        record_query<sl_to_vl_mapping_table_record>{}.where<&sl_to_vl_mapping_table_record::base_lid>(end->base_lid));
    EXPECT_EQ(all.size(), ports * ports);
    EXPECT_EQ(rest, ports * ports - ports);
}

TEST(AskedOfNodes, ASweepForgetsWhatTheyHaveAnswered)
{
    asked_world world;
    auto const& known = world.manager.one->known();
    auto const end =
        *std::ranges::find_if(known.now->ends, [&](end_port const& one) { return known.now->is_switch(one.at.node); });
    auto const of_one = record_query<sl_to_vl_mapping_table_record>{}
                            .where<&sl_to_vl_mapping_table_record::base_lid>(end.base_lid)
                            .where<&sl_to_vl_mapping_table_record::input_port_num>(2)
                            .where<&sl_to_vl_mapping_table_record::output_port_num>(1);
    auto const before = world.ask(of_one).first;
    ASSERT_EQ(before.size(), 1U);
    auto wanted = before.front().table;
    wanted.vls.fill(3);
    ASSERT_NE(wanted, before.front().table);

    auto const smps = smp_client::open(world.at).value();
    std::optional<error_code> set;
    smps.async_set(destination{end.base_lid}, wanted, 2U << 8U | 1U, {},
        [&](error_code code, sl_to_vl_mapping_table const&) { set = code; });
    ASSERT_TRUE(world.world.run_until([&] { return set.has_value(); }));
    ASSERT_FALSE(*set) << set->message();
    EXPECT_EQ(world.ask(of_one).first, before);

    world.sweep();
    auto const after = world.ask(of_one).first;
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after.front().table, wanted);
}

TEST(AskedOfNodes, OtherAttributesAreKeptToo)
{
    asked_world world;
    auto const ends = world.manager.one->known().now->ends.size();
    auto const guids = world.ask<guid_info_record>();
    EXPECT_EQ(guids.first.size(), ends);
    EXPECT_EQ(guids.second, ends);
    EXPECT_EQ(world.ask<guid_info_record>(), std::pair(guids.first, std::uint64_t{0}));
    auto const p_keys = world.ask<p_key_table_record>();
    EXPECT_GE(p_keys.first.size(), ends);
    EXPECT_EQ(world.ask<p_key_table_record>(), std::pair(p_keys.first, std::uint64_t{0}));
    auto const lanes = world.ask<vl_arbitration_table_record>();
    EXPECT_GE(lanes.first.size(), ends);
    EXPECT_EQ(world.ask<vl_arbitration_table_record>(), std::pair(lanes.first, std::uint64_t{0}));
}
