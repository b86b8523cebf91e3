// Paths: what lies on the way, and what a question wishes for.
#include "subnet/swept.hpp"

#include <madrigal/subnet/path_search.hpp>
#include <madrigal/subnet/routing.hpp>

namespace madrigal::tests {
namespace {

/// own - a - b - far; another CA at a, and one at both.
struct row {
    row()
    {
        topology::fabric layout;
        own = layout.add(make_ca(1, 1, "own"));
        a = layout.add(make_switch(0x10, 8, "a"));
        b = layout.add(make_switch(0x11, 8, "b"));
        far = layout.add(make_ca(2, 1, "far"));
        near = layout.add(make_ca(3, 1, "near"));
        both = layout.add(make_ca(4, 2, "both"));
        plug(layout, {own, 1}, {a, 1});
        plug(layout, {a, 2}, {b, 2});
        plug(layout, {b, 1}, {far, 1});
        plug(layout, {a, 3}, {near, 1});
        plug(layout, {a, 4}, {both, 1});
        plug(layout, {b, 4}, {both, 2});
        in.emplace(by_hand(layout, 1));
        for (auto& said : in->found.attributes)
            for (auto& port : said.ports)
                port.neighbor_mtu = mtu::bytes_4096;
        route_min_hop(*in);
    }
    std::optional<path_limits> path(topology::endpoint from, topology::endpoint to, unsigned bit = 0) const
    {
        auto const& end = *in->end_of(to);
        return follow_tables(*in, *in->end_of(from), end, lid{static_cast<std::uint16_t>(end.base_lid.value() + bit)});
    }
    topology::port& cable(topology::node_index node, unsigned port)
    {
        return in->found.fabric.at(node).external_port(port);
    }

    topology::node_index own = 0, a = 0, b = 0, far = 0, near = 0, both = 0;
    std::optional<managed_subnet> in;
};

TEST(FollowTables, TellsTheNarrowestOfTheWay)
{
    row w;
    auto found = w.path({w.own, 1}, {w.far, 1});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->largest_packet, mtu::bytes_4096);
    EXPECT_EQ(found->rate, path_rate::gbps_200);
    w.in->info({w.a, 2}).neighbor_mtu = mtu::bytes_1024;
    w.cable(w.b, 1).width = link_width::x1;
    found = w.path({w.own, 1}, {w.far, 1});
    EXPECT_EQ(found->largest_packet, mtu::bytes_1024);
    EXPECT_EQ(found->rate, path_rate::gbps_50);
    EXPECT_EQ(w.path({w.own, 1}, {w.near, 1})->largest_packet, mtu::bytes_4096) << "another way";
    // Slower, though its code is greater.
    w.cable(w.a, 2).width = link_width::x1;
    w.cable(w.a, 2).speed = link_speed::edr;
    w.cable(w.own, 1).speed = link_speed::qdr;
    EXPECT_EQ(w.path({w.own, 1}, {w.far, 1})->rate, path_rate::gbps_25);
}

TEST(FollowTables, GoesFromAndToSwitchesAndBothPortsOfACa)
{
    row w;
    for (auto const& from : w.in->ends)
        for (auto const& to : w.in->ends)
            for (unsigned bit = 0; bit != to.lid_count(); ++bit)
                EXPECT_TRUE(w.path(from.at, to.at, bit))
                    << w.in->name(from.at.node) << " to " << w.in->name(to.at.node);
    w.cable(w.both, 1).width = link_width::x1;
    EXPECT_EQ(w.path({w.both, 1}, {w.both, 1})->rate, path_rate::gbps_50) << "to itself: what its own link can";
    EXPECT_EQ(w.path({w.a, 0}, {w.a, 0})->largest_packet, mtu::bytes_4096);
}

TEST(FollowTables, FindsNothingWhereTheTablesDoNotLeadThere)
{
    row w;
    auto const number = w.in->end_of({w.far, 1})->base_lid.value();
    auto& at_a = w.in->tables[w.in->switch_number(w.a)][number];
    auto& at_b = w.in->tables[w.in->switch_number(w.b)][number];
    for (std::uint8_t const wrong : {no_route, std::uint8_t{0}, std::uint8_t{3}, std::uint8_t{8}, std::uint8_t{9},
             std::uint8_t{254}, std::uint8_t{4}, std::uint8_t{1}}) {
        at_a = wrong;
        EXPECT_FALSE(w.path({w.own, 1}, {w.far, 1})) << int{wrong};
    }
    at_a = 2;
    at_b = 2; // and back again, for ever
    EXPECT_FALSE(w.path({w.own, 1}, {w.far, 1}));
    at_b = 1;
    EXPECT_TRUE(w.path({w.own, 1}, {w.far, 1}));
    EXPECT_TRUE(w.path({w.own, 1}, {w.far, 1}, 1));
    auto const& far = *w.in->end_of({w.far, 1});
    auto const& own = *w.in->end_of({w.own, 1});
    EXPECT_FALSE(follow_tables(*w.in, own, far, lid{0xBFFF})) << "beyond the tables";
    EXPECT_FALSE(follow_tables(*w.in, own, far, w.in->end_of({w.near, 1})->base_lid)) << "another's";
}

TEST(FollowTables, PromisesNoMtuThatIsNone)
{
    row w;
    w.in->info({w.b, 1}) = {};
    auto const found = w.path({w.own, 1}, {w.far, 1});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->largest_packet, mtu::bytes_256) << "what every port can, where a port has not answered";
}

TEST(FollowTables, OverALongRowOfSwitches)
{
    topology::fabric layout;
    auto before = layout.add(make_ca(1, 1, "own"));
    std::uint8_t by = 1;
    for (unsigned i = 0; i != 50; ++i) {
        auto const next = layout.add(make_switch(0x100 + i, 2, "row"));
        plug(layout, {before, by}, {next, 1});
        before = next;
        by = 2;
    }
    auto const last = layout.add(make_ca(2, 1, "last"));
    plug(layout, {before, by}, {last, 1});
    auto in = by_hand(layout);
    route_min_hop(in);
    EXPECT_TRUE(follow_tables(in, in.ends.front(), *in.end_of({last, 1}), in.end_of({last, 1})->base_lid));
    EXPECT_TRUE(follow_tables(in, *in.end_of({last, 1}), in.ends.front(), in.ends.front().base_lid));
}

path_record full_member()
{
    path_record path;
    path.p_key = 0xFFFF;
    return path;
}

TEST(MeetWishes, WithoutAnyGivesWhatThereIs)
{
    auto path = full_member();
    ASSERT_TRUE(meet_wishes(path, {mtu::bytes_2048, path_rate::gbps_100, 14}, {}));
    EXPECT_EQ(path.path_mtu, mtu::bytes_2048);
    EXPECT_EQ(path.rate, path_rate::gbps_100);
    EXPECT_EQ(path.packet_life_time, 14);
    EXPECT_EQ(path.mtu_selector, selector::exactly);
    EXPECT_EQ(path.rate_selector, selector::exactly);
    EXPECT_EQ(path.packet_life_time_selector, selector::exactly);
    EXPECT_EQ(path.p_key, 0xFFFF);
}

TEST(MeetWishes, BySelectorsOrNotAtAll)
{
    path_limits const there{mtu::bytes_2048, path_rate::gbps_100, 14};
    auto const packet = [&](selector how, mtu wish) -> std::optional<mtu> {
        auto path = full_member();
        if (!meet_wishes(path, there,
                record_query<path_record>{}.where<&path_record::mtu_selector>(how).where<&path_record::path_mtu>(wish)))
            return std::nullopt;
        return path.path_mtu;
    };
    EXPECT_EQ(packet(selector::exactly, mtu::bytes_1024), mtu::bytes_1024);
    EXPECT_EQ(packet(selector::exactly, mtu::bytes_4096), std::nullopt);
    EXPECT_EQ(packet(selector::greater, mtu::bytes_1024), mtu::bytes_2048);
    EXPECT_EQ(packet(selector::greater, mtu::bytes_2048), std::nullopt);
    EXPECT_EQ(packet(selector::less, mtu::bytes_2048), mtu::bytes_1024);
    EXPECT_EQ(packet(selector::best, mtu::bytes_256), mtu::bytes_2048);
    auto const rate = [&](selector how, path_rate wish) -> std::optional<path_rate> {
        auto path = full_member();
        if (!meet_wishes(path, there,
                record_query<path_record>{}.where<&path_record::rate_selector>(how).where<&path_record::rate>(wish)))
            return std::nullopt;
        return path.rate;
    };
    EXPECT_EQ(rate(selector::exactly, path_rate::gbps_56), path_rate::gbps_56);
    EXPECT_EQ(rate(selector::exactly, path_rate::gbps_112), std::nullopt);
    EXPECT_EQ(rate(selector::greater, path_rate::gbps_56), path_rate::gbps_100);
    EXPECT_EQ(rate(selector::best, path_rate::gbps_2_5), path_rate::gbps_100);
}

TEST(MeetWishes, RefusesWhatThePathIsNot)
{
    path_limits const there;
    auto const met = [&](record_query<path_record> const& wishes) {
        auto path = full_member();
        return meet_wishes(path, there, wishes);
    };
    using query = record_query<path_record>;
    EXPECT_TRUE(met(query{}.where<&path_record::p_key>(0x7FFF)));
    EXPECT_FALSE(met(query{}.where<&path_record::p_key>(0x8001)));
    EXPECT_TRUE(met(query{}.where<&path_record::service_level>(0)));
    EXPECT_FALSE(met(query{}.where<&path_record::service_level>(3)));
    EXPECT_FALSE(met(query{}.where<&path_record::raw_traffic>(true)));
    EXPECT_FALSE(met(query{}.where<&path_record::numb_path>(0)));
    EXPECT_TRUE(met(query{}.where<&path_record::numb_path>(1)));
}

} // namespace
} // namespace madrigal::tests
