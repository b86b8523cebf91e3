// Which writes go by way of the writer.
#include <madrigal/runtime/detail/slow_destinations.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace madrigal::detail {
namespace {

constexpr gid own{0xFE80'0000'0000'0000, guid{1}};
constexpr gid second{0, guid{0xFFFF'0A00'0001}};
constexpr gid foreign{0xFE80'0000'0000'0000, guid{2}};

umad::port_attributes port()
{
    umad::port_attributes attributes;
    attributes.gids = {own, gid{}, second};
    return attributes;
}

umad::ib_user_mad_hdr to(gid const& destination, std::uint8_t from = 0)
{
    umad::ib_user_mad_hdr header{};
    header.grh_present = 1;
    header.gid_index = from;
    std::copy(destination.bytes().begin(), destination.bytes().end(), header.gid);
    return header;
}

TEST(SlowDestinations, AreAllOfThemAtFirst)
{
    slow_destinations const known{port()};
    EXPECT_TRUE(known.may_wait(to(own)));
    EXPECT_TRUE(known.may_wait(to(second)));
    EXPECT_TRUE(known.may_wait(to(foreign)));
    EXPECT_TRUE(known.may_wait({}));
}

TEST(SlowDestinations, AreOwnGidsNoMoreOnceWritten)
{
    slow_destinations known{port()};
    known.on_written(to(own));
    EXPECT_FALSE(known.may_wait(to(own)));
    EXPECT_TRUE(known.may_wait(to(second)));
    known.on_written(to(second));
    known.on_written(to(second));
    EXPECT_FALSE(known.may_wait(to(second)));
    EXPECT_FALSE(known.may_wait(to(own)));
}

TEST(SlowDestinations, AreOwnGidsFromAnotherSourceStill)
{
    slow_destinations known{port()};
    known.on_written(to(own, 0));
    EXPECT_TRUE(known.may_wait(to(own, 2)));
}

TEST(SlowDestinations, AreOthersHoweverOftenWritten)
{
    slow_destinations known{port()};
    known.on_written(to(foreign));
    EXPECT_TRUE(known.may_wait(to(foreign)));
    known.on_written(to(gid{})); // stands in the table, at an empty place
    EXPECT_TRUE(known.may_wait(to(gid{})));
    known.on_written({});
    EXPECT_TRUE(known.may_wait({}));
}

TEST(SlowDestinations, AreOwnGidsAgainOnceRefused)
{
    slow_destinations known{port()};
    known.on_written(to(own));
    known.on_written(to(second));
    known.on_refused(to(own));
    EXPECT_TRUE(known.may_wait(to(own)));
    EXPECT_FALSE(known.may_wait(to(second)));
    known.on_refused(to(foreign));
    known.on_refused({});
    EXPECT_FALSE(known.may_wait(to(second)));
}

TEST(SlowDestinations, AreRememberedUpToALimitOnly)
{
    slow_destinations known{port()};
    for (int from = 0; from != 256; ++from)
        known.on_written(to(own, static_cast<std::uint8_t>(from)));
    int fast = 0;
    for (int from = 0; from != 256; ++from)
        fast += known.may_wait(to(own, static_cast<std::uint8_t>(from))) ? 0 : 1;
    EXPECT_EQ(fast, 32);
}

} // namespace
} // namespace madrigal::detail
