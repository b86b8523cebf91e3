// LIDs: who keeps which, who gets which, and when there are none left.
#include "subnet/swept.hpp"

namespace madrigal::tests {
namespace {

/// A switch and so many CAs on it, from GUID 0x101 on.
topology::fabric star(unsigned cas, bool enhanced = false)
{
    topology::fabric layout;
    auto hub = make_switch(0x10, std::max(cas, 1U), "hub");
    hub.enhanced_port0 = enhanced;
    for (unsigned i = 0; i != cas; ++i)
        layout.add(make_ca(0x101 + i, 1, "ca"));
    auto const at = layout.add(std::move(hub));
    for (unsigned i = 0; i != cas; ++i)
        plug(layout, {i, 1}, {at, static_cast<std::uint8_t>(i + 1)});
    return layout;
}

managed_subnet subnet_of_star(unsigned cas)
{
    return managed_subnet{found_by_hand(star(cas))};
}

lid lid_of(managed_subnet const& in, std::uint64_t number)
{
    auto const* const end = in.find(guid{number});
    return end != nullptr ? end->base_lid : lid{};
}

/// Every end port has LIDs of its own, which are aligned, and is found by each of them.
void expect_sound(managed_subnet const& in, known_lids const& known)
{
    std::set<unsigned> all;
    for (auto const& end : in.ends) {
        ASSERT_TRUE(end.base_lid.is_unicast());
        EXPECT_EQ(end.base_lid.value() % end.lid_count(), 0u);
        for (unsigned i = 0; i != end.lid_count(); ++i) {
            auto const one = lid{static_cast<std::uint16_t>(end.base_lid.value() + i)};
            EXPECT_TRUE(one.is_unicast());
            EXPECT_TRUE(all.insert(one.value()).second) << "LID " << one.value() << " is given twice";
            EXPECT_EQ(in.find(one), &end);
        }
    }
    EXPECT_EQ(in.top, *all.rbegin());
    EXPECT_EQ(in.find(lid{0}), nullptr);
    EXPECT_EQ(in.find(permissive_lid), nullptr);
    // What is to be kept names no LID twice, and only LIDs.
    std::set<lid> kept;
    for (auto const& [port, first] : known) {
        EXPECT_TRUE(first.is_unicast()) << to_string(port);
        EXPECT_TRUE(kept.insert(first).second) << "two ports are known by LID " << first.value();
    }
}

TEST(AssignLids, GivesTheLowestFreeOnesAndTellsWhich)
{
    auto in = swept(topology::generate(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 4, .spines = 2}).value());
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    expect_sound(in, known);
    EXPECT_EQ(in.ends.size(), 3u * 4 + 3 + 2);
    EXPECT_EQ(in.top, in.ends.size());
    EXPECT_EQ(in.ends.front().at.node, 0u) << "the subnet manager's own port comes first";
    EXPECT_EQ(known.size(), in.ends.size());
    for (auto const& end : in.ends)
        EXPECT_EQ(known.at(end.port_guid), end.base_lid);
}

TEST(AssignLids, KeepsWhatIsKnownThenWhatThePortsHave)
{
    auto in = subnet_of_star(4);
    known_lids known{{guid{0x101}, lid{40}}, {guid{0x10}, lid{7}}};
    in.info({1, 1}).base_lid = lid{12}; // its own
    in.info({2, 1}).base_lid = lid{40}; // another is known by it
    in.info({3, 1}).base_lid = lid{12}; // another has it
    in.info({4, 0}).base_lid = lid{9};  // is known by another
    ASSERT_TRUE(assign_lids(in, known));
    expect_sound(in, known);
    EXPECT_EQ(lid_of(in, 0x101), lid{40});
    EXPECT_EQ(lid_of(in, 0x10), lid{7});
    EXPECT_EQ(lid_of(in, 0x102), lid{12});
    EXPECT_EQ(lid_of(in, 0x103), lid{1});
    EXPECT_EQ(lid_of(in, 0x104), lid{2});
}

TEST(AssignLids, AsConfiguredByAnotherAllKeepTheirs)
{
    sim::fabric_options configured;
    configured.start = sim::start_state::configured;
    world around{topology::generate(topology::torus{{3, 3}, 1}).value(), configured};
    auto in = swept(around);
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    for (auto const& end : in.ends)
        EXPECT_EQ(end.base_lid, in.info(end.at).base_lid);
}

TEST(AssignLids, AlignsRangesAndGivesABasePort0One)
{
    for (unsigned lmc = 0; lmc <= 7; ++lmc) {
        auto in = managed_subnet{found_by_hand(star(5))};
        known_lids known;
        ASSERT_TRUE(assign_lids(in, known, lmc));
        expect_sound(in, known);
        for (auto const& end : in.ends)
            EXPECT_EQ(end.lmc, in.is_switch(end.at.node) ? 0 : lmc);
    }
    auto in = managed_subnet{found_by_hand(star(5, true))};
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known, 3));
    expect_sound(in, known);
    for (auto const& end : in.ends)
        EXPECT_EQ(end.lmc, 3) << "an enhanced port 0 is as others are";
}

TEST(AssignLids, WithAnotherLmcKeepsWhatFits)
{
    auto in = subnet_of_star(3);
    known_lids known{{guid{0x101}, lid{8}}, {guid{0x102}, lid{10}}, {guid{0x103}, lid{0xBFFF}}};
    ASSERT_TRUE(assign_lids(in, known, 2));
    expect_sound(in, known);
    EXPECT_EQ(lid_of(in, 0x101), lid{8});
    EXPECT_NE(lid_of(in, 0x102), lid{8}) << "8 to 11 are another's";
    EXPECT_NE(lid_of(in, 0x103), lid{0xBFFF}) << "is no first LID of four";
}

TEST(AssignLids, OfAPortThatIsGoneStayReserved)
{
    auto in = subnet_of_star(3);
    known_lids known{{guid{0xAAA}, lid{1}}, {guid{0xBBB}, lid{3}}};
    in.info({0, 1}).base_lid = lid{3};
    ASSERT_TRUE(assign_lids(in, known));
    expect_sound(in, known);
    for (auto const& end : in.ends) {
        EXPECT_NE(end.base_lid, lid{1});
        EXPECT_NE(end.base_lid, lid{3});
    }
    EXPECT_EQ(known.at(guid{0xAAA}), lid{1});
    EXPECT_EQ(known.at(guid{0xBBB}), lid{3});
}

TEST(AssignLids, OfAPortThatIsGoneStayReservedAsAWhole)
{
    auto in = subnet_of_star(1);
    known_lids known{{guid{0xAAA}, lid{4}}};
    for (std::uint16_t free = 8; free != 12; ++free) // so that 1 to 3 are all that is left below
        known.emplace(guid{0xB00U + free}, lid{free});
    ASSERT_TRUE(assign_lids(in, known, 2));
    for (unsigned round = 0; round != 4; ++round) {
        // More and more switches, of one LID each.
        in.ends.push_back({{1, 0}, guid{0xC00 + round}, {}, 0});
        ASSERT_TRUE(assign_lids(in, known, 2));
    }
    for (auto const& end : in.ends)
        EXPECT_FALSE(end.base_lid >= lid{4} && end.base_lid < lid{8})
            << end.base_lid.value() << " would be in the way of who comes back";
}

TEST(AssignLids, GivesReservedOnesAwayWhenThereAreNoOthersAndForgetsWhoHadThem)
{
    auto in = subnet_of_star(2);
    known_lids known;
    for (unsigned i = 1; i <= max_unicast_lid.value(); ++i)
        known.emplace(guid{0x10'0000 + i}, lid{static_cast<std::uint16_t>(i)});
    ASSERT_TRUE(assign_lids(in, known));
    expect_sound(in, known);
    auto const first = lid_of(in, 0x101);
    // The one whose LID it was comes back, and stands before who has it now.
    auto again = subnet_of_star(2);
    again.ends.insert(again.ends.begin(), end_port{{2, 0}, guid{0x10'0000U + first.value()}, {}, 0});
    known.erase(guid{0x10'0000 + 77}); // room for one
    ASSERT_TRUE(assign_lids(again, known));
    EXPECT_EQ(again.ends[0].base_lid, lid{77});
    EXPECT_EQ(again.ends[1].base_lid, first);
}

TEST(AssignLids, NeverGivesALidTwiceWhenReservedOnesAreGivenAway)
{
    // Every range of four has one LID that somebody is known by, so CAs get reserved ones, and the switches single
    // ones.
    auto in = subnet_of_star(3);
    for (unsigned i = 0; i != 3; ++i)
        in.ends.push_back({{3, 0}, guid{0xC00 + i}, {}, 0});
    known_lids known;
    for (unsigned i = 4; i < max_unicast_lid.value(); i += 4)
        known.emplace(guid{0x10'0000 + i}, lid{static_cast<std::uint16_t>(i)});
    for (unsigned i = 1; i != 4; ++i)
        known.emplace(guid{0x20'0000 + i}, lid{static_cast<std::uint16_t>(i)});
    ASSERT_TRUE(assign_lids(in, known, 2));
    expect_sound(in, known);
}

TEST(AssignLids, OfPortsWithEqualGuidsTheFirstKeepsWhatIsKnownEachTime)
{
    auto layout = star(3);
    auto make = [&] {
        managed_subnet in{found_by_hand(layout)};
        for (auto& end : in.ends)
            if (!in.is_switch(end.at.node))
                end.port_guid = guid{0x101};
        return in;
    };
    known_lids known{{guid{0x101}, lid{50}}};
    auto first = make();
    ASSERT_TRUE(assign_lids(first, known));
    EXPECT_EQ(first.ends[0].base_lid, lid{50});
    EXPECT_EQ(known.at(guid{0x101}), lid{50});
    for (unsigned sweep = 0; sweep != 3; ++sweep) {
        auto next = make();
        for (unsigned i = 0; i != next.ends.size(); ++i)
            next.info(next.ends[i].at).base_lid = first.ends[i].base_lid;
        ASSERT_TRUE(assign_lids(next, known));
        for (unsigned i = 0; i != next.ends.size(); ++i)
            EXPECT_EQ(next.ends[i].base_lid, first.ends[i].base_lid) << "port " << i << " in sweep " << sweep;
    }
}

TEST(AssignLids, TakesNoHarmFromWhatCannotBeKnown)
{
    auto in = subnet_of_star(5);
    known_lids known{{guid{0x101}, lid{0}}, {guid{0x102}, permissive_lid}, {guid{0x103}, lid{0xC000}},
        {guid{0x104}, lid{5}}, {guid{0x105}, lid{5}}, {guid{0xAAA}, lid{0}}, {guid{0xBBB}, permissive_lid},
        {guid{0xCCC}, lid{5}}, {guid{0xDDD}, lid{0xC123}}};
    ASSERT_TRUE(assign_lids(in, known));
    expect_sound(in, known);
    EXPECT_EQ(lid_of(in, 0x104), lid{5});
    for (unsigned lmc = 1; lmc <= 7; ++lmc) {
        auto again = subnet_of_star(5);
        known_lids colliding{{guid{0x101}, lid{0xBF80}}, {guid{0x102}, lid{0xBFFF}}, {guid{0x103}, lid{0x80}},
            {guid{0x10}, lid{0x83}}, {guid{0x104}, lid{0x83}}};
        ASSERT_TRUE(assign_lids(again, colliding, lmc));
        expect_sound(again, colliding);
    }
}

TEST(AssignLids, NamesAPortWhereThereAreMorePortsThanLids)
{
    auto in = subnet_of_star(2);
    for (unsigned i = 0; in.ends.size() < max_unicast_lid.value(); ++i)
        in.ends.push_back({{2, 0}, guid{0x10'0000 + i}, {}, 0});
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    EXPECT_EQ(in.top, max_unicast_lid.value());
    in.ends.push_back({{2, 0}, guid{0xFF'0000}, {}, 0});
    auto const none = assign_lids(in, known);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error(), errc::invalid_argument);
    EXPECT_NE(none.error().message().find("hub"), std::string::npos) << none.error().message();
    EXPECT_EQ(known.size(), max_unicast_lid.value()) << "what was known stays as it was";

    auto few = subnet_of_star(100);
    known_lids fresh;
    while (few.ends.size() < 500)
        few.ends.push_back({{0, 1}, guid{0x10'0000 + few.ends.size()}, {}, 0});
    EXPECT_FALSE(assign_lids(few, fresh, 7)) << "383 ranges of 128";
}

TEST(AssignLids, OfNoPortsAtAllHasNothingToDo)
{
    topology::fabric layout;
    layout.add(make_ca(1, 1, "alone"));
    managed_subnet in{found_by_hand(std::move(layout))};
    EXPECT_TRUE(in.ends.empty());
    known_lids known{{guid{5}, lid{5}}};
    ASSERT_TRUE(assign_lids(in, known));
    EXPECT_EQ(in.top, 0);
    EXPECT_EQ(known.size(), 1u);
}

TEST(AssignLids, GoOnWhereASwitchHasRoomForNextToNone)
{
    auto in = subnet_of(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 2});
    for (std::uint16_t const entries : {1, 2, 5}) {
        in.found.attributes[in.switches[1]].switch_info.linear_fdb_cap = entries;
        known_lids known;
        ASSERT_TRUE(assign_lids(in, known));
        expect_sound(in, known);
    }
}

} // namespace
} // namespace madrigal::tests
