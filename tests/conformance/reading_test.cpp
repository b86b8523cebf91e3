// What read gives, and what it leaves.
#include "conformance/raw_file.hpp"

#include <array>
#include <cerrno>

namespace madrigal::conformance {
namespace {

class Reading : public Conformance {
protected:
    pair_of_files files{on};
    std::array<std::byte, umad::header_size + mad_size> buffer{};
};

TEST_F(Reading, AnEmptyListIsEagainAndABufferBelowTheHeaderEinvalEvenThen)
{
    EXPECT_EQ(files.client.read_into(buffer), -EAGAIN);
    for (std::size_t const size : {0, 1, 63})
        EXPECT_EQ(files.client.read_into(std::span{buffer}.first(size)), -EINVAL) << size;
    EXPECT_EQ(files.client.read_into(std::span{buffer}.first(64)), -EAGAIN);
}

TEST_F(Reading, AFreshFileHasTheShortHeader)
{
    raw_file fresh{on};
    EXPECT_EQ(fresh.read_into(std::span{buffer}.first(55)), -EINVAL);
    EXPECT_EQ(fresh.read_into(std::span{buffer}.first(56)), -EAGAIN);
}

TEST_F(Reading, ABufferTooSmallForThePacketIsEinvalAndLeavesItAtTheHead)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 1)), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 2)), 0);
    ASSERT_TRUE(on.wait_readable(files.server.descriptor(), 10s));
    for (std::size_t const size : {64, 100, 319})
        EXPECT_EQ(files.server.read_into(std::span{buffer}.first(size)), -EINVAL) << size;
    EXPECT_EQ(files.server.read_into(buffer), 320);
    EXPECT_EQ(mad_view{std::span{buffer}.subspan(umad::header_size)}.attribute_modifier(), 1u);
    auto const next = files.server.read();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->mad().attribute_modifier(), 2u);
}

TEST_F(Reading, ARequestArrivesWholeAndSaysWhereItCameFrom)
{
    auto sent = question(on, files.asks, 0x99);
    for (std::size_t i = 40; i != mad_size; ++i)
        sent.bytes[i] = static_cast<std::byte>(i * 7);
    ASSERT_EQ(files.client.write(sent), 0);
    auto const got = files.server.read();
    ASSERT_TRUE(got);
    auto const port = on.attributes();
    EXPECT_EQ(got->header.id, files.serves);
    EXPECT_EQ(got->header.status, 0u);
    EXPECT_EQ(got->header.length, umad::header_size + mad_size);
    EXPECT_EQ(got->header.qpn.value(), 1u);
    EXPECT_EQ(got->header.lid.value(), port.base_lid.value());
    EXPECT_EQ(got->header.sl, 0);
    EXPECT_EQ(got->header.path_bits, 0);
    EXPECT_EQ(got->header.pkey_index, 0);
    ASSERT_EQ(got->header.grh_present, 1);
    EXPECT_EQ(got->header.gid_index, 0);
    EXPECT_EQ(got->header.hop_limit, 64);
    gid::bytes_type source{};
    std::copy(std::begin(got->header.gid), std::end(got->header.gid), source.begin());
    EXPECT_EQ(gid{source}, port.gids.at(0));
    ASSERT_EQ(got->bytes.size(), mad_size);
    EXPECT_TRUE(std::equal(sent.bytes.begin(), sent.bytes.begin() + 8, got->bytes.begin()));
    EXPECT_TRUE(std::equal(sent.bytes.begin() + 12, sent.bytes.end(), got->bytes.begin() + 12));
}

TEST_F(Reading, ARequestShorterThanAMadArrivesFilledUpWithZeros)
{
    auto sent = question(on, files.asks, 1);
    sent.bytes.resize(44);
    for (std::size_t i = 40; i != 44; ++i)
        sent.bytes[i] = std::byte{0xEE};
    ASSERT_EQ(files.client.write(sent), 0);
    auto const got = files.server.read();
    ASSERT_TRUE(got);
    ASSERT_EQ(got->bytes.size(), mad_size);
    EXPECT_EQ(got->bytes[43], std::byte{0xEE});
    for (std::size_t i = 44; i != mad_size; ++i)
        ASSERT_EQ(got->bytes[i], std::byte{0}) << i;
}

TEST_F(Reading, EveryFileHasAListOfItsOwn)
{
    raw_file other{on};
    auto third = wanted_vendor({0x02});
    ASSERT_EQ(other.register_agent(third), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 1, method::get)), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 2, method::set)), 0);
    auto const to_second = files.server.read();
    auto const to_third = other.read();
    ASSERT_TRUE(to_second);
    ASSERT_TRUE(to_third);
    EXPECT_EQ(to_second->mad().method(), method::get);
    EXPECT_EQ(to_third->mad().method(), method::set);
    EXPECT_TRUE(files.server.silent(50ms));
    EXPECT_TRUE(other.silent(50ms));
}

TEST_F(Reading, AllAgentsOfAFileShareItsListInTheOrderOfArrival)
{
    auto const second = files.server.agent(wanted_vendor({0x02}));
    for (std::uint32_t i = 0; i != 6; ++i) {
        ASSERT_EQ(files.client.write(question(on, files.asks, i, i % 2 == 0 ? method::get : method::set)), 0);
    }
    for (std::uint32_t i = 0; i != 6; ++i) {
        auto const got = files.server.read();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->mad().attribute_modifier(), i);
        EXPECT_EQ(got->header.id, i % 2 == 0 ? files.serves : second);
    }
}

} // namespace
} // namespace madrigal::conformance
