// Headers of packets, and what is printed of them.
#include "libibumad/with_host.hpp"

#include <infiniband/umad.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <endian.h>
#include <vector>

namespace madrigal::libibumad::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Buffers, HaveTheirMadBehindAHeaderThatIsTheSameForAllPorts)
{
    ib_user_mad one{};
    EXPECT_EQ(::umad_size(), 64U);
    EXPECT_EQ(::umad_get_mad(&one), reinterpret_cast<char*>(&one) + 64);
    EXPECT_EQ(::umad_get_mad_addr(&one), &one.addr);
    one.status = ETIMEDOUT;
    EXPECT_EQ(::umad_status(&one), ETIMEDOUT);
}

TEST(Buffers, TakeAddressesInEitherByteOrder)
{
    ib_user_mad one{};
    EXPECT_EQ(::umad_set_addr(&one, 0x1234, 1, 5, static_cast<int>(0x80010000)), 0);
    EXPECT_EQ(be16toh(one.addr.lid), 0x1234);
    EXPECT_EQ(be32toh(one.addr.qpn), 1U);
    EXPECT_EQ(be32toh(one.addr.qkey), 0x80010000U);
    EXPECT_EQ(one.addr.sl, 5);
    ib_user_mad other{};
    EXPECT_EQ(::umad_set_addr_net(&other, htobe16(0x1234), htobe32(1), 5, htobe32(0x80010000)), 0);
    EXPECT_EQ(std::memcmp(&one, &other, sizeof one), 0);
    EXPECT_EQ(::umad_set_pkey(&one, 77), 0);
    EXPECT_EQ(one.addr.pkey_index, 77);
    EXPECT_EQ(::umad_get_pkey(&one), 77);
}

TEST(Buffers, TakeAGrhInHostByteOrderOrNone)
{
    ib_mad_addr_t from{};
    for (std::size_t i = 0; i != sizeof from.gid; ++i)
        from.gid[i] = static_cast<std::uint8_t>(i + 1);
    from.flow_label = 0x12345;
    from.hop_limit = 64;
    from.traffic_class = 7;
    ib_user_mad one{};
    one.addr.gid_index = 3;
    EXPECT_EQ(::umad_set_grh(&one, &from), 0);
    EXPECT_EQ(one.addr.grh_present, 1);
    EXPECT_EQ(one.addr.gid_index, 3);
    EXPECT_EQ(be32toh(one.addr.flow_label), 0x12345U);
    EXPECT_EQ(one.addr.hop_limit, 64);
    EXPECT_EQ(one.addr.traffic_class, 7);
    EXPECT_EQ(std::memcmp(one.addr.gid, from.gid, sizeof from.gid), 0);
    EXPECT_EQ(::umad_set_grh(&one, nullptr), 0);
    EXPECT_EQ(one.addr.grh_present, 0);
}

TEST(Buffers, MayLieAtAnyAddress)
{
    std::vector<unsigned char> bytes(::umad_size() + 8);
    for (std::size_t shift = 0; shift != 8; ++shift) {
        void* const umad = bytes.data() + shift;
        ib_mad_addr_t from{};
        from.hop_limit = 9;
        EXPECT_EQ(::umad_set_addr(umad, 5, 1, 0, 0), 0);
        EXPECT_EQ(::umad_set_grh(umad, &from), 0);
        EXPECT_EQ(::umad_set_pkey(umad, 2), 0);
        EXPECT_EQ(::umad_get_pkey(umad), 2);
        EXPECT_EQ(::umad_status(umad), 0);
    }
}

TEST(Buffers, ThatAreNoneDoNoHarm)
{
    EXPECT_EQ(::umad_get_mad(nullptr), nullptr);
    EXPECT_EQ(::umad_get_mad_addr(nullptr), nullptr);
    EXPECT_EQ(::umad_set_addr(nullptr, 1, 1, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_set_addr_net(nullptr, 1, 1, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_set_grh(nullptr, nullptr), -EINVAL);
    EXPECT_EQ(::umad_set_pkey(nullptr, 1), -EINVAL);
    EXPECT_EQ(::umad_get_pkey(nullptr), -EINVAL);
    EXPECT_EQ(::umad_status(nullptr), -EINVAL);
    ::umad_dump(nullptr);
    ::umad_addr_dump(nullptr);
}

TEST(Printing, GoesToStderrOnly)
{
    ib_user_mad one{};
    one.agent_id = 3;
    one.timeout_ms = 250;
    ::umad_set_addr(&one, 258, 1, 4, 0x1234);
    one.addr.gid[15] = 0xAB;
    auto const said = output_of([&] { ::umad_dump(&one); });
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, HasSubstr("agent id 3 status 0 timeout 250"));
    EXPECT_THAT(said.err, HasSubstr("qpn 1 qkey 0x1234 lid 258 sl 4"));
    EXPECT_THAT(said.err, HasSubstr("gid 0x000000000000000000000000000000ab\n"));
}

TEST(Printing, IsAsMuchAsTheDebugLevelSays)
{
    with_host(small_fabric(), [] {
        EXPECT_EQ(::umad_debug(-1), 0);
        auto const quiet = output_of([] { ::umad_close_port(::umad_open_port(nullptr, 0)); });
        EXPECT_THAT(quiet.out + quiet.err, IsEmpty());
        EXPECT_EQ(::umad_debug(1), 1);
        EXPECT_EQ(::umad_debug(-7), 1);
        auto const spoken = output_of([] { ::umad_close_port(::umad_open_port(nullptr, 0)); });
        EXPECT_THAT(spoken.out, IsEmpty());
        EXPECT_THAT(spoken.err, HasSubstr("umad_open_port: CA (any) port 0"));
        EXPECT_EQ(::umad_debug(0), 0);
    });
}

} // namespace
} // namespace madrigal::libibumad::test
