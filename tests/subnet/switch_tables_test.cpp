// What switches are told of forwarding: what differs, and nothing else.
#include "subnet/swept.hpp"

#include <madrigal/subnet/multicast_trees.hpp>
#include <madrigal/subnet/routing.hpp>
#include <madrigal/subnet/switch_tables.hpp>

namespace madrigal::tests {
namespace {

/// A fabric, its tables, and who writes them.
struct writer {
    explicit writer(topology::fabric layout, unsigned lmc_ = 0)
        : around{std::move(layout)}, client{smp_client::open(around.local()).value()}, lmc{lmc_}
    {
        sweep();
    }

    void sweep()
    {
        in.emplace(swept(around));
        ASSERT_TRUE(assign_lids(*in, known, lmc));
        route_min_hop(*in);
    }
    /// Writes what differs; how many SMPs of each attribute that took.
    std::map<std::uint16_t, unsigned> write(
        std::vector<multicast_blocks> groups = {}, smp_work_options how = smp_work_options{})
    {
        smp_work work;
        std::map<std::size_t, guid> jobs;
        for (unsigned s = 0; s != in->switches.size(); ++s) {
            auto const first = work.size();
            tables.order(work, *in, s);
            if (!groups.empty())
                tables.order_groups(work, *in, s, groups[s]);
            for (auto job = first; job != work.size(); ++job)
                jobs[job] = in->node(in->switches[s]).node_guid;
        }
        std::map<std::uint16_t, unsigned> smps;
        report = around
                     .run(work.run(client, how,
                         [&](std::size_t job, smp_order const& order, mad_view answer) {
                             ++smps[order.attribute_id];
                             tables.on_answer(jobs.at(job), order, answer);
                         }))
                     .value();
        return smps;
    }
    /// The switches have the LIDs that they were given: this writer writes tables only.
    void say_lids()
    {
        for (auto const index : in->switches)
            in->found.attributes[index].ports[0].base_lid = in->end_of({index, 0})->base_lid;
    }
    unsigned linear(std::map<std::uint16_t, unsigned> const& smps) const
    {
        auto const found = smps.find(linear_forwarding_table::layout.id);
        return found == smps.end() ? 0 : found->second;
    }
    unsigned multicast(std::map<std::uint16_t, unsigned> const& smps) const
    {
        auto const found = smps.find(multicast_forwarding_table::layout.id);
        return found == smps.end() ? 0 : found->second;
    }
    /// The switches forward as has been decided.
    void expect_written()
    {
        for (unsigned s = 0; s != in->switches.size(); ++s) {
            auto const& node = in->node(in->switches[s]);
            auto const index = around.layout().find(node.node_guid);
            for (unsigned i = 1; i <= in->top; ++i)
                ASSERT_EQ(around.on().forwarding_entry(index, lid{static_cast<std::uint16_t>(i)}), in->tables[s][i])
                    << in->name(in->switches[s]) << ", LID " << i;
            EXPECT_EQ(tables.linear(node.node_guid).size(), in->top / 64U + 1);
        }
    }
    /// A block of a multicast table as the switch has it.
    port_mask_block groups_at(unsigned switch_number, std::uint32_t place)
    {
        return around.run(client.get<multicast_forwarding_table>(in->route(in->switches[switch_number]), place))
            .value()
            .port_masks;
    }

    world around;
    smp_client client;
    unsigned lmc = 0;
    known_lids known;
    std::optional<managed_subnet> in;
    switch_tables tables;
    smp_work_report report;
};

topology::fabric tree()
{
    return topology::generate(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 16, .spines = 2}).value();
}

TEST(SwitchTables, WriteEverythingAtFirstAndNothingTheSecondTime)
{
    writer w{tree(), 1};
    auto const first = w.write();
    EXPECT_TRUE(w.report.complete());
    EXPECT_EQ(first.at(switch_info::layout.id), 6u);
    EXPECT_EQ(w.linear(first), 6u * (w.in->top / 64 + 1));
    EXPECT_GT(w.in->top, 128);
    w.expect_written();
    w.sweep();
    EXPECT_TRUE(w.write().empty());
    w.expect_written();
}

TEST(SwitchTables, WriteOnlyBlocksThatDiffer)
{
    writer w{tree(), 1};
    (void)w.write();
    w.in->tables[2][3] = 7;
    w.in->tables[2][60] = 7;
    w.in->tables[4][w.in->top] = 5;
    EXPECT_EQ(w.linear(w.write()), 2u);
    w.expect_written();
}

TEST(SwitchTables, WriteWhatComesWithMoreLidsAndForgetWhatGoesWithFewer)
{
    writer w{tree()};
    (void)w.write();
    ASSERT_EQ(w.in->top, 70);
    auto const few = w.in->tables;
    w.in->top = 200;
    for (auto& table : w.in->tables)
        table.resize(201, no_route);
    auto more = w.write();
    EXPECT_EQ(more.at(switch_info::layout.id), 6u);
    EXPECT_EQ(w.linear(more), 6u * 2) << "blocks 2 and 3";
    w.in->top = 70;
    w.in->tables = few;
    w.sweep();
    EXPECT_EQ(w.linear(w.write()), 0u);
    w.expect_written();
}

TEST(SwitchTables, WriteASwitchAnewThatHasBeenOff)
{
    writer w{tree()};
    (void)w.write();
    auto const lost = w.in->switches[3];
    auto const name = w.in->node(lost).node_guid;
    auto const index = w.around.layout().find(name);
    ASSERT_FALSE(w.around.on().set_power(index, false).code());
    ASSERT_FALSE(w.around.on().set_power(index, true).code());
    w.sweep();
    w.say_lids();
    // The others say that a port has changed, too: their tables are not believed in either.
    std::size_t changed = 0;
    for (auto const one : w.in->switches)
        changed += w.in->found.attributes[one].switch_info.port_state_change ? 1 : 0;
    ASSERT_EQ(changed, 3u);
    w.tables.forget_lost(*w.in);
    EXPECT_TRUE(w.tables.linear(name).empty());
    auto const smps = w.write();
    EXPECT_EQ(w.linear(smps), 2u * changed);
    w.expect_written();
    w.tables.clear();
    EXPECT_EQ(w.linear(w.write()), 12u) << "somebody else may have written them";
}

TEST(SwitchTables, WriteAgainWhatWasNotAnsweredEvenIfItIsToBeAsItWasBefore)
{
    writer w{tree()};
    (void)w.write();
    auto const s = 1U;
    auto const before = w.in->tables[s];
    // It is written, but nobody learns of it: the answers are lost on the way.
    w.in->tables[s][5] = 9;
    auto const index = w.around.layout().find(w.in->node(w.in->switches[s]).node_guid);
    sim::fault_rule slow;
    slow.node = index;
    slow.attribute = linear_forwarding_table::layout.id;
    slow.action = sim::fault_action::delay;
    slow.delay = std::chrono::seconds{30};
    auto const rule = w.around.on().add_rule(slow);
    EXPECT_EQ(w.linear(w.write()), 0u);
    ASSERT_EQ(w.around.on().forwarding_entry(index, lid{5}), 9);
    w.around.on().remove_rule(rule);
    w.in->tables[s] = before;
    EXPECT_EQ(w.linear(w.write()), 1u);
    w.expect_written();
}

TEST(SwitchTables, LeavePortStateChangeAndTheRestOfSwitchInfoAsTheyAre)
{
    writer w{tree()};
    (void)w.write();
    w.sweep();
    auto const at = w.in->switches[0];
    auto told = w.around.run(w.client.get<switch_info>(w.in->route(at))).value();
    told.default_multicast_primary_port = 7;
    ASSERT_TRUE(w.around.run(w.client.set<switch_info>(w.in->route(at), told)));
    // A port changes, and the switch is to be told something else.
    auto const node = w.around.layout().find(w.in->node(at).node_guid);
    ASSERT_FALSE(w.around.on().set_link({node, 1}, false).code());
    ASSERT_FALSE(w.around.on().set_link({node, 1}, true).code());
    w.sweep();
    ASSERT_TRUE(w.in->found.attributes[at].switch_info.port_state_change);
    w.in->top += 64;
    for (auto& table : w.in->tables)
        table.resize(w.in->top + 1U, no_route);
    EXPECT_EQ(w.write().at(switch_info::layout.id), w.in->switches.size());
    auto const now = w.around.run(w.client.get<switch_info>(w.in->route(at))).value();
    EXPECT_TRUE(now.port_state_change) << "nobody has looked at what has changed";
    EXPECT_EQ(now.default_multicast_primary_port, 7);
    EXPECT_EQ(now.linear_fdb_top, w.in->top);
}

TEST(SwitchTables, AreForgottenOfASwitchThatMayHaveRestarted)
{
    writer w{tree()};
    (void)w.write();
    auto const name = [&](unsigned s) { return w.in->node(w.in->switches[s]).node_guid; };
    auto const of = [&](unsigned s) -> node_attributes& { return w.in->found.attributes[w.in->switches[s]]; };
    w.sweep();
    w.say_lids();
    for (unsigned s = 0; s != w.in->switches.size(); ++s)
        of(s).switch_info.port_state_change = false;
    of(1).switch_info.port_state_change = true;
    of(2).ports[0].base_lid = {};
    of(3).switch_info.linear_fdb_top = 0;
    w.tables.forget_lost(*w.in);
    for (unsigned s = 0; s != w.in->switches.size(); ++s) {
        bool const forgotten = s >= 1 && s <= 3;
        EXPECT_EQ(w.tables.linear(name(s)).empty(), forgotten) << s;
        EXPECT_EQ(w.tables.has_written(name(s), 0), !forgotten) << s;
    }
    EXPECT_EQ(w.linear(w.write()), 3u * (w.in->top / 64 + 1));
    EXPECT_FALSE(w.tables.has_written(name(0), 1'000));
    EXPECT_FALSE(w.tables.has_written(guid{0xDEAD}, 0));
}

TEST(SwitchTables, OfASwitchWithLittleRoomAreWrittenAsFarAsItGoes)
{
    writer w{tree()};
    ASSERT_EQ(w.in->top, 70);
    w.in->found.attributes[w.in->switches[0]].switch_info.linear_fdb_cap = 40;
    auto const smps = w.write();
    EXPECT_TRUE(w.report.complete());
    EXPECT_EQ(w.linear(smps), 5u * 2 + 1);
    auto const told = w.around.run(w.client.get<switch_info>(w.in->route(w.in->switches[0]))).value();
    EXPECT_EQ(told.linear_fdb_top, 39);
}

TEST(SwitchTables, SayNothingOfASwitchInfoThatIsNotKnown)
{
    writer w{tree()};
    (void)w.write();
    w.sweep();
    w.in->found.attributes[w.in->switches[0]].switch_info = {}; // it has not answered this time
    EXPECT_FALSE(w.write().contains(switch_info::layout.id)) << "all else in it would be set to 0";
}

TEST(SwitchTables, OfSwitchesWithOneGuidAreAllWritten)
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x1, 1, "own"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto const b = layout.add(make_switch(0x10, 4, "b"));
    auto const far = layout.add(make_ca(0x2, 1, "far"));
    plug(layout, {own, 1}, {a, 1});
    plug(layout, {a, 2}, {b, 3});
    plug(layout, {b, 4}, {far, 1});
    writer w{layout};
    ASSERT_EQ(w.in->switches.size(), 2u);
    smp_work_options one_by_one;
    one_by_one.at_once = 1;
    for (unsigned sweep = 0; sweep != 3; ++sweep) {
        (void)w.write({}, one_by_one);
        for (unsigned s = 0; s != 2; ++s)
            for (unsigned i = 1; i <= w.in->top; ++i)
                EXPECT_EQ(w.around.on().forwarding_entry(s == 0 ? a : b, lid{static_cast<std::uint16_t>(i)}),
                    w.in->tables[s][i]);
        // They are told apart by nothing but the way to them.
        w.in->tables[0].swap(w.in->tables[1]);
    }
}

TEST(SwitchTables, OfGroupsAreWrittenWhereTheyDifferAndEmptied)
{
    writer w{tree()};
    std::vector<tree_member> members;
    for (auto const& end : w.in->ends)
        if (!w.in->is_switch(end.at.node))
            members.push_back({&end});
    multicast_trees trees{*w.in};
    trees.add(lid{0xC000}, members);
    trees.add(lid{0xC040}, members);
    unsigned blocks = 0;
    for (auto const& one : trees.blocks())
        blocks += static_cast<unsigned>(one.size());
    EXPECT_EQ(w.multicast(w.write(trees.blocks())), blocks);
    EXPECT_TRUE(w.report.complete());
    for (unsigned s = 0; s != w.in->switches.size(); ++s) {
        EXPECT_EQ(w.tables.multicast(w.in->node(w.in->switches[s]).node_guid), trees.blocks()[s]);
        for (auto const& [place, block] : trees.blocks()[s])
            EXPECT_EQ(w.groups_at(s, place), block);
    }
    EXPECT_EQ(w.multicast(w.write(trees.blocks())), 0u);
    // One group less.
    multicast_trees fewer{*w.in};
    fewer.add(lid{0xC000}, members);
    EXPECT_EQ(w.multicast(w.write(fewer.blocks())), blocks / 2);
    for (unsigned s = 0; s != w.in->switches.size(); ++s)
        for (auto const& [place, block] : trees.blocks()[s])
            EXPECT_EQ(w.groups_at(s, place), (place & 0x1FF) == 0 ? block : port_mask_block{});
    EXPECT_EQ(w.multicast(w.write(fewer.blocks())), 0u);
    EXPECT_EQ(w.multicast(w.write(std::vector<multicast_blocks>(w.in->switches.size()))), blocks / 2);
    EXPECT_EQ(w.multicast(w.write(std::vector<multicast_blocks>(w.in->switches.size()))), 0u);
}

TEST(SwitchTables, OfGroupsThatWereNotAnsweredAreWrittenAgainAndEmptiedToo)
{
    writer w{tree()};
    (void)w.write();
    std::vector<tree_member> const two{{&w.in->ends[0]}, {&w.in->ends[w.in->ends.size() - 1]}};
    multicast_trees trees{*w.in};
    trees.add(lid{0xC000}, two);
    sim::fault_rule slow;
    slow.attribute = multicast_forwarding_table::layout.id;
    slow.action = sim::fault_action::delay;
    slow.delay = std::chrono::seconds{30};
    auto const rule = w.around.on().add_rule(slow);
    EXPECT_EQ(w.multicast(w.write(trees.blocks())), 0u);
    w.around.on().remove_rule(rule);
    unsigned used = 0; // all positions of a block that is in use
    for (unsigned s = 0; s != w.in->switches.size(); ++s)
        if (!trees.blocks()[s].empty())
            used += w.in->node(w.in->switches[s]).port_count() / 16U + 1;
    ASSERT_GT(used, 1u);
    EXPECT_EQ(w.multicast(w.write(std::vector<multicast_blocks>(w.in->switches.size()))), used);
    for (unsigned s = 0; s != w.in->switches.size(); ++s)
        EXPECT_EQ(w.groups_at(s, 0), port_mask_block{});
}

TEST(SwitchTables, TakeNoHarmFromAnswersThatCannotBe)
{
    writer w{tree()};
    smp_order order = smp_order::set(linear_forwarding_table{}, 700);
    std::array<std::byte, mad_size> bytes{};
    w.tables.on_answer(guid{1}, order, mad_view{bytes});
    EXPECT_TRUE(w.tables.linear(guid{1}).empty());
    order.attribute_id = node_info::layout.id;
    w.tables.on_answer(guid{2}, order, mad_view{bytes});
    EXPECT_TRUE(w.tables.multicast(guid{2}).empty());
    (void)w.write();
    w.expect_written();
}

} // namespace
} // namespace madrigal::tests
