// ERF headers against bytes put together by hand.
#include "capture/erf_header.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace madrigal {
namespace {

using test::hex;

std::vector<std::byte> made(tap_direction direction, std::chrono::nanoseconds since, std::size_t size)
{
    auto const header = erf_header(direction, std::chrono::sys_time<std::chrono::nanoseconds>{since}, size);
    return {header.begin(), header.end()};
}

TEST(ErfHeader, TellsTimeTypeDirectionAndLengths)
{
    using namespace std::chrono_literals;
    // A quarter of a second after 0x01020304 seconds; InfiniBand; varying length, interface 0; 306, 0 lost, 290
    EXPECT_EQ(
        made(tap_direction::sent, 16'909'060s + 250ms, 290), hex("00 00 00 40 04 03 02 01 15 04 01 32 00 00 01 22"));
    EXPECT_EQ(made(tap_direction::received, 16'909'060s + 250ms, 330),
        hex("00 00 00 40 04 03 02 01 15 05 01 5A 00 00 01 4A"));
}

TEST(ErfHeader, HasNoTimesBeforeTheEpoch)
{
    using namespace std::chrono_literals;
    EXPECT_EQ(made(tap_direction::sent, -1ns, 290), hex("00 00 00 00 00 00 00 00 15 04 01 32 00 00 01 22"));
}

} // namespace
} // namespace madrigal
