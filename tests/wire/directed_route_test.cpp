#include <madrigal/wire/directed_route.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace madrigal {
namespace {

// GCC 12 destroys some braced temporaries in co_await expressions twice, and refuses initializer lists there.
static_assert(std::is_trivially_destructible_v<directed_route>);
static_assert(!std::is_aggregate_v<directed_route>);
static_assert(!std::is_convertible_v<int, directed_route>);

TEST(DirectedRoute, OfTheLocalNodeHasNoHops)
{
    EXPECT_EQ(directed_route{}.hops(), 0U);
    EXPECT_EQ(directed_route{0}, directed_route{});
    EXPECT_EQ(to_string(directed_route{}), "0");
    EXPECT_TRUE(directed_route{}.ports().empty());
}

TEST(DirectedRoute, IsWrittenInBracesWithTheLeadingZero)
{
    constexpr directed_route route{0, 1, 3};
    static_assert(route.hops() == 2);
    EXPECT_EQ(route[0], 0);
    EXPECT_EQ(route[1], 1);
    EXPECT_EQ(route[2], 3);
    EXPECT_EQ(to_string(route), "0,1,3");
    EXPECT_EQ(directed_route(0, std::uint8_t{255}).extended(254)[2], 254);
}

TEST(DirectedRoute, GrowsByOneHopAndGoesBack)
{
    directed_route const route{0, 1};
    EXPECT_EQ(route.extended(200), (directed_route{0, 1, 200}));
    EXPECT_EQ(route.extended(200).parent(), route);
    EXPECT_EQ(directed_route{}.parent(), directed_route{});
    EXPECT_EQ(route.extended(200).parent().initial_path(), route.initial_path());
}

TEST(DirectedRoute, HoldsSixtyThreeHopsAndNoMore)
{
    directed_route route;
    while (route.can_extend())
        route = route.extended(7);
    EXPECT_EQ(route.hops(), 63U);
    EXPECT_EQ(directed_route::parse(to_string(route)), route);
    EXPECT_FALSE(directed_route::parse(to_string(route) + ",7"));

    std::vector<std::uint8_t> ports(63, 7);
    EXPECT_EQ(directed_route::from_ports(ports), route);
    ports.push_back(7);
    EXPECT_FALSE(directed_route::from_ports(ports));
}

TEST(DirectedRoute, ComesBackFromItsText)
{
    for (auto const* text : {"0", "0,1", "0,1,3", "0,255,0,36"}) {
        auto const route = directed_route::parse(text);
        ASSERT_TRUE(route) << text;
        EXPECT_EQ(to_string(*route), text);
    }
}

TEST(DirectedRoute, RefusesTextThatIsNone)
{
    for (auto const* text : {"", ",", "1", "1,2", "0,", ",0", "0,,1", "0,256", "0,-1", "0,+1", "0 ,1", "0, 1", "0,1x",
             "x", "0,99999999999999999999", "0;1", "0x0,1"})
        EXPECT_FALSE(directed_route::parse(text)) << '"' << text << '"';
}

TEST(DirectedRoute, ComparesByPortsAndLength)
{
    EXPECT_NE((directed_route{0, 1}), (directed_route{0, 1, 0}));
    EXPECT_LT((directed_route{0, 1}), (directed_route{0, 2}));
    EXPECT_EQ((directed_route{0, 1}), (directed_route{0, 1}));
}

} // namespace
} // namespace madrigal
