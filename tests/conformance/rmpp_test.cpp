// RMPP done by the kernel, and left to the agent: class 0x03 between two files of ours.
#include "conformance/raw_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

namespace madrigal::conformance {
namespace {

// The RMPP header (IBA 13.6.2.1) and the data of SubnAdm behind it (IBA 15.2.1.1).
constexpr std::size_t rmpp_version_offset = 24;
constexpr std::size_t rmpp_type_offset = 25;
constexpr std::size_t rmpp_flags_offset = 26;
constexpr std::size_t rmpp_status_offset = 27;
constexpr std::size_t segment_offset = 28;
constexpr std::size_t payload_offset = 32;
constexpr std::size_t data_offset = 56;
constexpr std::size_t segment_data = mad_size - data_offset;
constexpr std::byte type_data{1};
constexpr std::byte type_ack{2};
constexpr std::byte type_abort{4};
constexpr std::byte flag_active{1};
constexpr std::byte flag_first{2};
constexpr std::byte flag_last{4};
constexpr std::byte response_time_none{0x1F << 3};
constexpr std::uint8_t abort_too_many_retries = 126;

constexpr std::uint8_t subnet_administration = 0x03;

std::uint32_t word_at(packet const& from, std::size_t offset)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i != 4; ++i)
        value = value << 8 | std::to_integer<std::uint32_t>(from.bytes.at(offset + i));
    return value;
}

void put_word(packet& to, std::size_t offset, std::uint32_t value)
{
    for (std::size_t i = 0; i != 4; ++i)
        to.bytes.at(offset + i) = static_cast<std::byte>(value >> (24 - 8 * i));
}

std::byte filling(std::size_t i)
{
    return static_cast<std::byte>(i * 31 + i / 251);
}

class Rmpp : public Conformance {
protected:
    enum class who { kernel, agent, nobody };

    std::uint32_t registered(raw_file& file, who does_it, std::initializer_list<unsigned> methods = {})
    {
        auto request = wanted(subnet_administration, methods, 2);
        request.rmpp_version = does_it == who::nobody ? 0 : 1;
        request.flags = does_it == who::agent ? umad::user_rmpp : 0;
        return file.agent(request);
    }

    packet table_question(std::uint32_t agent, std::uint32_t number, std::uint32_t timeout_ms = 20'000)
    {
        auto one = question(on, agent, number, method::get_table, timeout_ms);
        std::fill(one.bytes.begin() + mad_header_size, one.bytes.end(), std::byte{0});
        one.mad().set_mgmt_class(management_class::subnet_administration);
        one.mad().set_class_version(2);
        return one;
    }
    /// The same MAD with `size` bytes of data, for the kernel to send in segments.
    static packet with_data(packet one, std::size_t size)
    {
        one.bytes.resize(data_offset + size);
        one.bytes[rmpp_version_offset] = std::byte{1};
        one.bytes[rmpp_type_offset] = type_data;
        one.bytes[rmpp_flags_offset] = flag_active | response_time_none;
        for (std::size_t i = 0; i != size; ++i)
            one.bytes[data_offset + i] = filling(i);
        one.header.length = static_cast<std::uint32_t>(umad::header_size + one.bytes.size());
        return one;
    }
    static void expect_data(packet const& got, std::size_t size)
    {
        ASSERT_EQ(got.bytes.size(), data_offset + size);
        for (std::size_t i = 0; i != size; ++i)
            ASSERT_EQ(got.bytes[data_offset + i], filling(i)) << i;
    }
    /// An answer of `size` bytes to a question of the client; gives what the server had been asked.
    packet answered(std::uint32_t asks, std::uint32_t serves, std::size_t size, std::uint32_t timeout_ms = 0)
    {
        EXPECT_EQ(client.write(table_question(asks, ++number_)), 0);
        auto asked = server.read();
        EXPECT_TRUE(asked);
        auto answer = with_data(answer_to(*asked, serves), size);
        answer.header.timeout_ms = timeout_ms;
        answer.header.retries = 3;
        EXPECT_EQ(server.write(answer), 0);
        return *asked;
    }

    /// Takes `count` segments of an answer at the client, which does RMPP itself, and acknowledges each.
    void take_segments(std::uint32_t asks, std::uint32_t count)
    {
        for (std::uint32_t segment = 1; segment <= count; ++segment) {
            auto const got = client.read(60s);
            ASSERT_TRUE(got) << segment;
            EXPECT_EQ(got->header.status, 0u);
            ASSERT_EQ(got->bytes.size(), mad_size);
            EXPECT_EQ(got->bytes[rmpp_type_offset], type_data);
            EXPECT_EQ(word_at(*got, segment_offset), segment);
            auto const flags = got->bytes[rmpp_flags_offset] & std::byte{7};
            EXPECT_EQ((flags & flag_active), flag_active);
            EXPECT_EQ((flags & flag_first) == flag_first, segment == 1);
            EXPECT_EQ((flags & flag_last) == flag_last, segment == count);
            auto ack = answer_to(*got, asks);
            ack.mad().set_method(method::get_table); // the other direction's
            std::fill(ack.bytes.begin() + 36, ack.bytes.end(), std::byte{0});
            ack.bytes[rmpp_type_offset] = type_ack;
            ack.bytes[rmpp_flags_offset] = flag_active;
            put_word(ack, segment_offset, segment);
            put_word(ack, payload_offset, segment + 1);
            ASSERT_EQ(client.write(ack), 0);
        }
    }

    raw_file client{on};
    raw_file server{on};

private:
    std::uint32_t number_ = 0;
};

TEST_F(Rmpp, TheKernelCarriesAnswersOfAnyLengthWhole)
{
    auto const asks = registered(client, who::kernel);
    auto const serves = registered(server, who::kernel, {0x12});
    for (std::size_t const size : {1, 199, 200, 201, 400, 4'096, 100'000, 1'000'000}) {
        auto const asked = answered(asks, serves, size);
        auto const got = client.read(60s);
        ASSERT_TRUE(got) << size;
        EXPECT_EQ(got->header.status, 0u);
        EXPECT_EQ(got->header.id, asks);
        EXPECT_EQ(got->header.length, umad::header_size + data_offset + size);
        EXPECT_EQ(got->mad().method(), method::get_table_response);
        EXPECT_EQ(got->mad().transaction_id(), asked.mad().transaction_id());
        expect_data(*got, size);
    }
}

TEST_F(Rmpp, TheKernelCarriesQuestionsOfAnyLengthWhole)
{
    auto const asks = registered(client, who::kernel);
    auto const serves = registered(server, who::kernel, {0x14});
    for (std::size_t const size : {1, 201, 5'000}) {
        auto asking = with_data(table_question(asks, static_cast<std::uint32_t>(size)), size);
        asking.mad().set_method(method::get_multi);
        ASSERT_EQ(client.write(asking), 0);
        auto const got = server.read(60s);
        ASSERT_TRUE(got) << size;
        EXPECT_EQ(got->mad().method(), method::get_multi);
        expect_data(*got, size);
        auto const answer = with_data(answer_to(*got, serves), size + 1);
        ASSERT_EQ(server.write(answer), 0);
        auto const back = client.read(60s);
        ASSERT_TRUE(back) << size;
        EXPECT_EQ(back->header.status, 0u);
        expect_data(*back, size + 1);
    }
}

TEST_F(Rmpp, ABufferTooSmallForAMessageIsEnospcWithTheFirstSegmentAndTheLengthNeeded)
{
    auto const asks = registered(client, who::kernel);
    auto const serves = registered(server, who::kernel, {0x12});
    constexpr std::size_t size = 1'000;
    (void)answered(asks, serves, size);
    ASSERT_TRUE(on.wait_readable(client.descriptor(), 60s));
    constexpr std::size_t needed = umad::header_size + data_offset + size;
    std::vector<std::byte> buffer(needed);
    EXPECT_EQ(client.read_into(std::span{buffer}.first(umad::header_size + mad_size - 1)), -EINVAL)
        << "not even the first segment fits";
    for (std::size_t const room : {umad::header_size + mad_size, needed - 1}) {
        std::fill(buffer.begin(), buffer.end(), std::byte{0});
        EXPECT_EQ(client.read_into(std::span{buffer}.first(room)), -ENOSPC) << room;
        umad::ib_user_mad_hdr header{};
        std::memcpy(&header, buffer.data(), sizeof header);
        EXPECT_EQ(header.length, needed);
        EXPECT_EQ(header.id, asks);
        for (std::size_t i = 0; i != segment_data; ++i)
            ASSERT_EQ(buffer[umad::header_size + data_offset + i], filling(i)) << i;
    }
    EXPECT_EQ(client.read_into(buffer), static_cast<int>(needed)) << "it stands at the head until it fits";
    for (std::size_t i = 0; i != size; ++i)
        ASSERT_EQ(buffer[umad::header_size + data_offset + i], filling(i)) << i;
    EXPECT_EQ(client.read_into(buffer), -EAGAIN);
}

TEST_F(Rmpp, MoreThanAMadIsRefusedWhereTheKernelDoesNoRmpp)
{
    for (auto const does_it : {who::agent, who::nobody}) {
        auto const id = registered(client, does_it);
        EXPECT_EQ(client.write(with_data(table_question(id, 1), 201)), EINVAL);
    }
    auto const id = registered(client, who::kernel);
    auto inactive = with_data(table_question(id, 2), 201);
    inactive.bytes[rmpp_flags_offset] = std::byte{0};
    EXPECT_EQ(client.write(inactive), EINVAL) << "the Active flag is not set";
    auto no_rmpp = with_data(table_question(id, 3), 201);
    no_rmpp.mad().set_mgmt_class(management_class::performance);
    EXPECT_EQ(client.write(no_rmpp), EINVAL) << "a class without RMPP";
}

TEST_F(Rmpp, AnAgentThatDoesItItselfGetsTheSegmentsOneByOneAndAcknowledgesThem)
{
    auto const asks = registered(client, who::agent);
    auto const serves = registered(server, who::kernel, {0x12});
    constexpr std::size_t size = 2 * segment_data + 17;
    (void)answered(asks, serves, size);
    take_segments(asks, 3);
    EXPECT_TRUE(client.silent()) << "all has been acknowledged";
    EXPECT_TRUE(server.silent()) << "and the server is told nothing";
}

TEST_F(Rmpp, AnAnswerThatIsWrittenWithATimeoutIsReportedThoughItHasArrived)
{
    // The kernel takes the timeout for the wish of an answer to the answer, so replies are written without one.
    auto const asks = registered(client, who::agent);
    auto const serves = registered(server, who::kernel, {0x12});
    (void)answered(asks, serves, 2 * segment_data + 17, 500);
    take_segments(asks, 3);
    auto const turn = client.read();
    ASSERT_TRUE(turn) << "the sender hands over the direction of the transfer";
    EXPECT_EQ(turn->bytes[rmpp_type_offset], type_ack);
    EXPECT_EQ(word_at(*turn, segment_offset), 0u);
    auto const report = server.read(60s);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
}

TEST_F(Rmpp, AnswersWhoseAcknowledgementsStayAwayAreReportedToTheirSender)
{
    auto const asks = registered(client, who::agent);
    auto const serves = registered(server, who::kernel, {0x12});
    for (std::uint32_t const timeout_ms : {100, 0}) {
        auto const before = on.now();
        auto const asked = answered(asks, serves, 1'000, timeout_ms);
        auto const report = server.read(120s);
        ASSERT_TRUE(report) << timeout_ms;
        std::cout << "an answer with a timeout of " << timeout_ms
                  << " ms and 3 retries, never acknowledged: reported after "
                  << std::chrono::duration_cast<milliseconds>(on.now() - before).count() << " ms\n";
        EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
        EXPECT_EQ(report->header.id, serves);
        EXPECT_EQ(report->mad().method(), method::get_table_response) << "it is about a reply of ours";
        EXPECT_EQ(report->mad().transaction_id(), asked.mad().transaction_id());
    }
}

TEST_F(Rmpp, ATransferThatThePeerAbortsIsNeverReported)
{
    auto const asks = registered(client, who::agent);
    auto const serves = registered(server, who::kernel, {0x12});
    (void)answered(asks, serves, 1'000, 500);
    auto const first = client.read(60s);
    ASSERT_TRUE(first);
    auto abort = answer_to(*first, asks);
    abort.mad().set_method(method::get_table);
    std::fill(abort.bytes.begin() + 36, abort.bytes.end(), std::byte{0});
    abort.bytes[rmpp_type_offset] = type_abort;
    abort.bytes[rmpp_flags_offset] = flag_active;
    abort.bytes[rmpp_status_offset] = std::byte{abort_too_many_retries};
    ASSERT_EQ(client.write(abort), 0);
    EXPECT_TRUE(server.silent(4s)) << "four transmissions of half a second would have been reported by now";
}

TEST_F(Rmpp, ActivePacketsOfAnAgentThatDoesItItselfMayRepeatTheirId)
{
    auto const asks = registered(client, who::agent);
    (void)registered(server, who::agent, {0x14});
    auto segment = with_data(table_question(asks, 9), segment_data);
    segment.mad().set_method(method::get_multi);
    put_word(segment, segment_offset, 1);
    put_word(segment, payload_offset, 240);
    ASSERT_EQ(client.write(segment), 0);
    EXPECT_EQ(client.write(segment), 0);
    auto plain = table_question(asks, 9);
    plain.mad().set_method(method::get_multi);
    EXPECT_EQ(client.write(plain), EINVAL) << "one that is not active may not";
    EXPECT_TRUE(server.read());
    EXPECT_TRUE(server.read());
}

TEST_F(Rmpp, AnActivePacketWithoutATimeoutStillGetsItsAnswerWhereTheAgentDoesRmppItself)
{
    auto const asks = registered(client, who::agent);
    auto const serves = registered(server, who::agent, {0x14});
    auto segment = with_data(table_question(asks, 10, 0), segment_data);
    segment.mad().set_method(method::get_multi);
    put_word(segment, segment_offset, 1);
    put_word(segment, payload_offset, 220);
    ASSERT_EQ(client.write(segment), 0);
    auto const got = server.read();
    ASSERT_TRUE(got);
    auto ack = answer_to(*got, serves);
    std::fill(ack.bytes.begin() + 36, ack.bytes.end(), std::byte{0});
    ack.bytes[rmpp_type_offset] = type_ack;
    ack.bytes[rmpp_flags_offset] = flag_active;
    put_word(ack, segment_offset, 1);
    ASSERT_EQ(server.write(ack), 0);
    auto const acknowledged = client.read();
    ASSERT_TRUE(acknowledged);
    EXPECT_EQ(acknowledged->header.status, 0u);
    EXPECT_EQ(acknowledged->bytes[rmpp_type_offset], type_ack);
}

} // namespace
} // namespace madrigal::conformance
