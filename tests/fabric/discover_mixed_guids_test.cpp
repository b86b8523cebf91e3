// Nodes that share a GUID and look like one node, or like more than there are: never a smaller fabric without a word.
#include "fabric/world.hpp"

#include <gmock/gmock.h>

#include <array>

namespace madrigal::tests {
namespace {

struct mixed {
    char const* name = "";
    topology::fabric layout;
    char const* start = ""; ///< the CA that sweeps
    guid shared;
    std::vector<std::string> routes; ///< that must be named
};

/// Two switches with one GUID that are cabled to each other, each with a host at its port 1.
topology::fabric two_switches(std::vector<std::array<std::uint8_t, 2>> const& cables)
{
    topology::fabric layout;
    auto const a = layout.add(make_switch(0x30, 4, "switch a"));
    auto const b = layout.add(make_switch(0x30, 4, "switch b"));
    plug(layout, {layout.add(make_ca(0x10, 1, "host a")), 1}, {a, 1});
    plug(layout, {layout.add(make_ca(0x20, 1, "host b")), 1}, {b, 1});
    for (auto const& [one, other] : cables)
        plug(layout, {a, one}, {b, other});
    return layout;
}

topology::fabric two_hosts_by_different_ports()
{
    topology::fabric layout;
    auto const a = layout.add(make_switch(0x30, 4, "switch"));
    auto first = make_ca(0x10, 2, "host a");
    first.ports[0].port_guid = guid{0x11};
    auto second = make_ca(0x10, 2, "host b");
    second.ports[1].port_guid = guid{0x12};
    plug(layout, {layout.add(first), 1}, {a, 1});
    plug(layout, {layout.add(second), 2}, {a, 2});
    plug(layout, {layout.add(make_ca(0x40, 1, "host c")), 1}, {a, 3});
    return layout;
}

topology::fabric two_hosts_back_to_back()
{
    topology::fabric layout;
    auto const a = layout.add(make_ca(0x10, 1, "host"));
    plug(layout, {a, 1}, {layout.add(make_ca(0x10, 1, "host")), 1});
    return layout;
}

/// Six switches with one GUID, among them cables from a switch to itself, and hosts with two ports.
topology::fabric six_switches()
{
    topology::fabric layout;
    std::vector<topology::node_index> s;
    for (unsigned i = 0; i != 6; ++i)
        s.push_back(layout.add(make_switch(0x1, 6, "switch " + std::to_string(i))));
    auto const host = layout.add(make_ca(0x3E8, 2, "host 0"));
    plug(layout, {s[0], 1}, {s[4], 2});
    plug(layout, {s[0], 2}, {s[2], 3});
    plug(layout, {s[0], 4}, {s[1], 1});
    plug(layout, {s[0], 5}, {s[3], 5});
    plug(layout, {s[0], 6}, {s[3], 6});
    plug(layout, {s[1], 2}, {s[1], 5});
    plug(layout, {s[1], 3}, {s[2], 2});
    plug(layout, {s[1], 4}, {s[5], 2});
    plug(layout, {s[2], 1}, {s[5], 6});
    plug(layout, {s[3], 3}, {s[5], 5});
    plug(layout, {s[5], 1}, {s[5], 4});
    plug(layout, {host, 1}, {s[1], 6});
    plug(layout, {host, 2}, {s[4], 5});
    plug(layout, {layout.add(make_ca(0x408, 2, "host 2")), 1}, {s[2], 6});
    return layout;
}

class DiscoverWithMixedUpNodes : public testing::TestWithParam<int> {
public:
    static mixed of(int which)
    {
        switch (which) {
        case 0:
            return {"LikeALoopbackPlug", two_switches({{3, 3}}), "0x0000000000000010", guid{0x30}, {"0,1", "0,1,3"}};
        case 1:
            return {"LikeACableToItself", two_switches({{3, 4}, {4, 3}}), "0x0000000000000010", guid{0x30},
                {"0,1", "0,1,3"}};
        case 2:
            return {"LikeOneHostWithTwoPorts", two_hosts_by_different_ports(), "0x0000000000000040", guid{0x10},
                {"0,1,1", "0,1,2"}};
        case 3: return {"LikeALoopedHost", two_hosts_back_to_back(), "", guid{0x10}, {"0", "0,1"}};
        default: return {"LikeTwiceAsMany", six_switches(), "0x00000000000003e8", guid{0x1}, {"0,1", "0,1,1"}};
        }
    }
};

TEST_P(DiscoverWithMixedUpNodes, IsNeverCompleteAndNamesTheRoutes)
{
    auto const about = of(GetParam());
    std::vector<std::string> texts;
    for (unsigned const outstanding : {1U, 64U}) {
        auto const start = std::string_view{about.start};
        world around{about.layout, {}, start.empty() ? std::nullopt : std::optional{start}};
        discover_options how;
        how.outstanding = outstanding;
        auto const found = around.sweep(how).value();
        EXPECT_FALSE(found.complete());
        EXPECT_EQ(found.check().code(), errc::incomplete_sweep);
        std::size_t named = 0;
        for (auto const& one : found.problems) {
            if (one.kind != problem_kind::duplicate_guid || one.node != about.shared)
                continue;
            ++named;
            EXPECT_TRUE(one.missing);
            std::vector<std::string> routes;
            for (auto const& route : one.routes)
                routes.push_back(to_string(route));
            EXPECT_THAT(routes, testing::IsSupersetOf(about.routes));
            EXPECT_THAT(to_string(one), testing::HasSubstr("cannot be told apart"));
        }
        EXPECT_EQ(named, 1U) << listed(found.problems);
        texts.push_back(listed(found.problems));
    }
    EXPECT_EQ(texts[0], texts[1]);
}

INSTANTIATE_TEST_SUITE_P(Looking, DiscoverWithMixedUpNodes, testing::Range(0, 5),
    [](auto const& each) { return std::string{DiscoverWithMixedUpNodes::of(each.param).name}; });

TEST(DiscoverOfHealthyFabrics, AsksOneQuestionMoreForEachCableFromASwitchToItselfAndEachFurtherPortOfAHost)
{
    auto const questions = [](bool looped, bool second) {
        topology::fabric layout;
        auto const a = layout.add(make_switch(0x30, 6, "switch"));
        plug(layout, {layout.add(make_ca(0x10, 1, "host")), 1}, {a, 1});
        auto const dual = layout.add(make_ca(0x20, 2, "dual"));
        plug(layout, {dual, 1}, {a, 2});
        if (looped)
            plug(layout, {a, 3}, {a, 4});
        if (second)
            plug(layout, {dual, 2}, {a, 5});
        world around{layout, {}, "0x0000000000000010"};
        auto const found = around.sweep().value();
        EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
        expect_same(layout, found.fabric);
        return found.statistics.questions;
    };
    auto const plain = questions(false, false);
    // Who is behind either end, and once around.
    EXPECT_EQ(questions(true, false), plain + 2 + 1);
    // Who is behind it, its PortInfo, and what the host says of it through its first port.
    EXPECT_EQ(questions(false, true), plain + 2 + 1);
}

} // namespace
} // namespace madrigal::tests
