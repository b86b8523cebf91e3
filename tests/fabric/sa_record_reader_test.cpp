// Records of a table that comes in pieces.
#include <madrigal/fabric/sa_record_reader.hpp>
#include <madrigal/wire/attributes/link_record.hpp>
#include <madrigal/wire/sa.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace madrigal::testing {
namespace {

/// Headers of a table whose records are so many bytes apart.
std::array<std::byte, sa_data_offset> headers(std::size_t stride, std::uint16_t status = 0)
{
    std::array<std::byte, mad_size> mad{};
    build_sa_request(mad, {.method_of_mad = method::get_table_response}, link_record::layout.id, 0);
    store_bits<352, 16>(mad.data(), stride / sa_record_step);
    mutable_mad_view{mad}.set_status(status);
    std::array<std::byte, sa_data_offset> front{};
    std::copy_n(mad.begin(), front.size(), front.begin());
    return front;
}

std::vector<std::byte> table(std::size_t count, std::size_t stride)
{
    std::vector<std::byte> all(count * stride);
    for (std::size_t i = 0; i != count; ++i) {
        link_record one;
        one.from_lid = lid{static_cast<std::uint16_t>(i + 1)};
        (void)encode(one, std::span{all}.subspan(i * stride));
    }
    return all;
}

struct collected {
    std::vector<unsigned> lids;
    sa_record_reader reader{link_record::layout,
        [this](std::span<std::byte const> bytes) { lids.push_back(decode<link_record>(bytes)->from_lid.value()); }};
};

TEST(SaRecordReader, FindsTheSameRecordsHoweverTheDataIsCut)
{
    constexpr std::size_t stride = 16;
    auto const all = table(100, stride);
    auto const front = headers(stride);
    std::mt19937 random{5};
    for (std::size_t const longest : {1, 7, 15, 16, 17, 200, 4'000}) {
        collected got;
        for (std::size_t at = 0; at != all.size();) {
            auto const part = std::min<std::size_t>(1 + random() % longest, all.size() - at);
            got.reader.take(front, std::span{all}.subspan(at, part));
            at += part;
        }
        EXPECT_FALSE(got.reader.finish().code());
        ASSERT_EQ(got.lids.size(), 100u) << longest;
        EXPECT_TRUE(std::is_sorted(got.lids.begin(), got.lids.end()));
        EXPECT_EQ(got.reader.count(), 100u);
    }
}

TEST(SaRecordReader, TheLastRecordMayLackWhatFillsItUp)
{
    constexpr std::size_t stride = 24;
    auto all = table(3, stride);
    all.resize(2 * stride + link_record::layout.size);
    collected got;
    got.reader.take(headers(stride), all);
    EXPECT_EQ(got.lids.size(), 2u);
    EXPECT_FALSE(got.reader.finish().code());
    EXPECT_EQ(got.lids.size(), 3u);
}

TEST(SaRecordReader, ARecordCutShortIsAnErrorThatNamesIt)
{
    constexpr std::size_t stride = 16;
    auto all = table(3, stride);
    all.resize(2 * stride + 3);
    collected got;
    got.reader.take(headers(stride), all);
    auto const failed = got.reader.finish();
    EXPECT_EQ(failed, errc::malformed_answer);
    EXPECT_THAT(failed.message(), ::testing::HasSubstr("behind 2 whole ones"));
    EXPECT_EQ(got.lids.size(), 2u);
}

TEST(SaRecordReader, NoRecordsAreNoError)
{
    collected none;
    none.reader.take(headers(0), {});
    EXPECT_FALSE(none.reader.finish().code());
    collected zeroes;
    zeroes.reader.take(headers(0), std::vector<std::byte>(200));
    EXPECT_FALSE(zeroes.reader.finish().code());
    EXPECT_EQ(none.reader.count() + zeroes.reader.count(), 0u);
}

TEST(SaRecordReader, AnOffsetThatCannotBeTakesNoMemoryAndIsAnError)
{
    collected got;
    std::vector<std::byte> const filled(1'000, std::byte{1});
    for (int i = 0; i != 1'000; ++i)
        got.reader.take(headers(0), filled);
    EXPECT_EQ(got.reader.finish(), errc::malformed_answer);
    EXPECT_EQ(got.reader.count(), 0u);
}

TEST(SaRecordReader, ARefusalIsKeptForWhoUnderstandsIt)
{
    collected got;
    std::vector<std::byte> const data(10'000, std::byte{7});
    got.reader.take(headers(16, 0x0300), data);
    ASSERT_EQ(got.reader.refusal().size(), mad_size);
    EXPECT_EQ(mad_view{got.reader.refusal()}.status(), 0x0300);
    EXPECT_EQ(got.reader.count(), 0u);
    got.reader.begin_again();
    EXPECT_TRUE(got.reader.refusal().empty());
}

} // namespace
} // namespace madrigal::testing
