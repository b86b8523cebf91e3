// The RMPP header byte by byte, and the arithmetic of segments.
#include <madrigal/wire/rmpp.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace madrigal {
namespace {

using namespace std::chrono_literals;
using mad_bytes = std::array<std::byte, mad_size>;

constexpr auto subn_adm = management_class::subnet_administration;
constexpr auto vendor = management_class{0x32};
constexpr auto device = management_class::device_management;

mad_bytes packet_of(management_class of, rmpp_header const& header)
{
    mad_bytes bytes{};
    mutable_mad_view const mad{bytes};
    mad.set_base_version(1);
    mad.set_mgmt_class(of);
    mad.set_method(method::get_table_response);
    EXPECT_TRUE(set_rmpp_header(mad, header));
    return bytes;
}

TEST(RmppHeader, HasItsFieldsWhereTheSpecificationPutsThem)
{
    auto const bytes = packet_of(subn_adm, {.version = 1,
                                               .type = rmpp_type::abort,
                                               .response_time = 0x15,
                                               .flags = {rmpp_flag::active, rmpp_flag::last},
                                               .status = rmpp_status::too_many_retries,
                                               .segment = 0x01020304,
                                               .length_or_window = 0x05060708});
    auto const expected = std::to_array<unsigned>({1, 4, 0x15 << 3 | 5, 126, 1, 2, 3, 4, 5, 6, 7, 8});
    for (std::size_t i = 0; i != expected.size(); ++i)
        EXPECT_EQ(std::to_integer<unsigned>(bytes[24 + i]), expected[i]) << i;
    auto const header = rmpp_header_of(mad_view{bytes});
    ASSERT_TRUE(header);
    EXPECT_EQ(header->response_time, 0x15);
    EXPECT_TRUE(header->flags.has(rmpp_flag::active));
    EXPECT_FALSE(header->flags.has(rmpp_flag::first));
    EXPECT_TRUE(header->flags.has(rmpp_flag::last));
    EXPECT_TRUE(is_active_rmpp(mad_view{bytes}));
}

TEST(RmppHeader, IsOnlyThereInClassesWithRmppAndInMadsThatHoldTheirClassHeader)
{
    auto bytes = packet_of(management_class::performance, {.flags = rmpp_flag::active});
    EXPECT_FALSE(rmpp_header_of(mad_view{bytes}));
    EXPECT_FALSE(is_active_rmpp(mad_view{bytes}));
    bytes = packet_of(subn_adm, {});
    EXPECT_TRUE(rmpp_header_of(mad_view{bytes}));
    EXPECT_FALSE(is_active_rmpp(mad_view{bytes}));
    EXPECT_TRUE(rmpp_header_of(mad_view{std::span{bytes}.first(56)}));
    EXPECT_FALSE(rmpp_header_of(mad_view{std::span{bytes}.first(55)}));
}

TEST(RmppSegments, CarryWhatTheClassHeaderLeaves)
{
    EXPECT_EQ(rmpp_segment_data(subn_adm), 200U);
    EXPECT_EQ(rmpp_segment_data(vendor), 216U);
    EXPECT_EQ(rmpp_segment_data(device), 192U);
    for (auto const of : {subn_adm, vendor, device})
        EXPECT_EQ(rmpp_class_header_size(of) + rmpp_segment_data(of), 220U);
    EXPECT_EQ(rmpp_segments(subn_adm, 0), 1U);
    EXPECT_EQ(rmpp_segments(subn_adm, 200), 1U);
    EXPECT_EQ(rmpp_segments(subn_adm, 201), 2U);
    EXPECT_EQ(rmpp_segments(subn_adm, 1'000'000), 5'000U);
}

TEST(RmppSegments, CountTheClassHeaderOfEachIntoThePayloadLength)
{
    EXPECT_EQ(rmpp_last_payload(subn_adm, 0), 20U);
    EXPECT_EQ(rmpp_last_payload(subn_adm, 1), 21U);
    EXPECT_EQ(rmpp_last_payload(subn_adm, 200), 220U);
    EXPECT_EQ(rmpp_last_payload(subn_adm, 201), 21U);
    EXPECT_EQ(rmpp_total_payload(subn_adm, 200), 220U);
    EXPECT_EQ(rmpp_total_payload(subn_adm, 201), 241U);
    EXPECT_EQ(rmpp_total_payload(vendor, 433), 433U + 3 * 4);
    EXPECT_EQ(rmpp_total_payload(subn_adm, 1'000'000), 1'100'000U);
}

TEST(RmppResponseTime, DoublesFromFourMicroseconds)
{
    EXPECT_EQ(rmpp_response_time(0), 4096ns);
    EXPECT_EQ(rmpp_response_time(1), 8192ns);
    EXPECT_EQ(rmpp_response_time(18), 4096ns * (1 << 18));
    EXPECT_EQ(rmpp_response_time(30), 4096ns * (1 << 30));
    EXPECT_EQ(rmpp_response_time(31), std::nullopt);
    EXPECT_EQ(rmpp_response_time(0x20 | 1), 8192ns);
}

TEST(RmppAnswer, TurnsTheMethodAndKeepsTheClassHeaderAlone)
{
    auto received = packet_of(subn_adm, {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active});
    std::fill(received.begin() + 36, received.end(), std::byte{0xA5});
    mad_bytes answer;
    answer.fill(std::byte{0xEE});
    build_rmpp_answer(mad_view{received},
        {.version = 1, .type = rmpp_type::ack, .flags = rmpp_flag::active, .segment = 3, .length_or_window = 67},
        answer);
    EXPECT_EQ(mad_view{answer}.method(), method::get_table);
    EXPECT_EQ(describe_rmpp(mad_view{answer}), "ACK 3, window up to 67");
    for (std::size_t i = 36; i != 56; ++i)
        EXPECT_EQ(answer[i], std::byte{0xA5}) << i;
    for (std::size_t i = 56; i != mad_size; ++i)
        EXPECT_EQ(answer[i], std::byte{0}) << i;
    build_rmpp_answer(mad_view{answer}, {}, received);
    EXPECT_EQ(mad_view{received}.method(), method::get_table_response);
}

TEST(RmppText, SaysWhatAPacketIs)
{
    auto const text = [](rmpp_header header) {
        header.version = header.version == 0 ? 1 : header.version;
        header.flags.set(rmpp_flag::active);
        return describe_rmpp(mad_view{packet_of(subn_adm, header)});
    };
    EXPECT_EQ(text({.type = rmpp_type::data, .flags = rmpp_flag::first, .segment = 1, .length_or_window = 1100}),
        "DATA 1, first, payload 1100");
    EXPECT_EQ(text({.type = rmpp_type::data, .segment = 2}), "DATA 2");
    EXPECT_EQ(text({.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 3, .length_or_window = 45}),
        "DATA 3, last, payload 45");
    EXPECT_EQ(
        text({.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted}), "STOP, 1: resources exhausted");
    EXPECT_EQ(text({.version = 2, .type = rmpp_type::abort, .status = rmpp_status{130}}),
        "ABORT, 130: of the class's own, version 2");
    EXPECT_EQ(text({.type = rmpp_type{9}, .status = rmpp_status{5}}), "9, 5: reserved");
    EXPECT_EQ(describe_rmpp(mad_view{packet_of(subn_adm, {})}), "not active");
    EXPECT_EQ(describe_rmpp(mad_view{packet_of(management_class::performance, {})}), "no RMPP header");
    for (unsigned status = 118; status != 128; ++status)
        EXPECT_EQ(to_string(rmpp_status{static_cast<std::uint8_t>(status)}).find("reserved"), std::string::npos);
}

} // namespace
} // namespace madrigal
