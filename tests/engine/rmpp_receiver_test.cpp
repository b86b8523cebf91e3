// The receiving side of RMPP, packet by packet.
#include "engine/rmpp_support.hpp"

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class RmppReceiver : public ::testing::Test {
protected:
    void begin(rmpp_receiver_options const& options = {})
    {
        budget = std::make_shared<rmpp_budget>(std::size_t{1} << 20);
        receiver.emplace(options, budget, now);
    }
    std::string hear(mad_bytes const& mad)
    {
        reply.clear();
        step = receiver->on_packet(mad_view{mad}, now, reply);
        return text_of(reply);
    }
    std::string data(std::uint32_t number, std::size_t size) { return hear(segment_of(number, size)); }
    std::string pass(duration time)
    {
        now += time;
        reply.clear();
        step = receiver->expire(now, reply);
        return text_of(reply);
    }
    /// Segments `from` to `to` of a message, without an answer to any but the last.
    std::string run(std::uint32_t from, std::uint32_t to, std::size_t size)
    {
        for (; from != to; ++from)
            EXPECT_EQ(data(from, size), "nothing") << from;
        return data(to, size);
    }

    time_point now = start;
    std::shared_ptr<rmpp_budget> budget;
    std::optional<rmpp_receiver> receiver;
    rmpp_reply reply;
    rmpp_step step{};
};

TEST_F(RmppReceiver, TakesAMessageOfOneSegmentWithItsTrueLength)
{
    for (std::size_t const size : {0, 1, 199, 200}) {
        begin();
        EXPECT_EQ(data(1, size), "ACK 1, window up to 1");
        EXPECT_EQ(mad_view{reply.mad()}.method(), method::get_table) << "of the other direction";
        EXPECT_EQ(step, rmpp_step::ended);
        EXPECT_EQ(receiver->outcome(), (rmpp_outcome{rmpp_end::complete}));
        expect_filling(receiver->message().whole(), size);
    }
}

TEST_F(RmppReceiver, WidensTheWindowBeforeItIsUsedUp)
{
    begin();
    constexpr std::size_t size = 200 * 200 - 7;
    EXPECT_EQ(data(1, size), "ACK 1, window up to 65");
    EXPECT_EQ(run(2, 33, size), "ACK 33, window up to 97");
    EXPECT_EQ(run(34, 65, size), "ACK 65, window up to 129");
    EXPECT_EQ(run(66, 97, size), "ACK 97, window up to 161");
    EXPECT_EQ(receiver->message().data_size(), 97U * 200);
    EXPECT_EQ(run(98, 129, size), "ACK 129, window up to 193");
    EXPECT_EQ(run(130, 161, size), "ACK 161, window up to 225");
    EXPECT_EQ(run(162, 193, size), "ACK 193, window up to 257");
    EXPECT_EQ(run(194, 200, size), "ACK 200, window up to 257");
    expect_filling(receiver->message().whole(), size);
}

TEST_F(RmppReceiver, AcknowledgesAsAKernelDoes)
{
    begin(rmpp_receiver_options::linux_kernel());
    constexpr std::size_t size = 200 * 200 - 7;
    auto first = segment_of(1, size);
    auto header = *rmpp_header_of(mad_view{first});
    header.response_time = 9;
    ASSERT_TRUE(set_rmpp_header(mutable_mad_view{first}, header));
    EXPECT_EQ(hear(first), "ACK 1, window up to 65");
    EXPECT_EQ(rmpp_header_of(mad_view{reply.mad()})->response_time, 9);
    EXPECT_EQ(run(2, 30, size), "nothing");
    EXPECT_EQ(data(1, size), "ACK 30, window up to 65") << "a duplicate up to the last ACK";
    EXPECT_EQ(run(31, 40, size), "nothing");
    EXPECT_EQ(data(35, size), "nothing") << "a duplicate behind it";
    EXPECT_EQ(data(42, size), "nothing") << "a gap";
    EXPECT_EQ(data(66, size), "nothing") << "beyond the window";
    EXPECT_EQ(data(41, size), "nothing");
    EXPECT_EQ(run(43, 65, size), "ACK 65, window up to 129");
    EXPECT_EQ(run(66, 129, size), "ACK 129, window up to 193");
    EXPECT_EQ(run(130, 193, size), "ACK 193, window up to 257");
    EXPECT_EQ(run(194, 200, size), "ACK 200, window up to 257");
    expect_filling(receiver->message().whole(), size);
    EXPECT_EQ(data(3, size), "ACK 200, window up to 257") << "for ten seconds";
}

TEST_F(RmppReceiver, KeepsSegmentsInAnyOrderWithinTheWindow)
{
    begin();
    constexpr std::size_t size = 200 * 60;
    EXPECT_EQ(data(1, size), "ACK 1, window up to 65");
    for (std::uint32_t segment = 60; segment != 2; --segment) {
        data(segment, size);
        EXPECT_EQ(data(segment, size), "nothing") << "a duplicate of what waits";
    }
    EXPECT_EQ(receiver->segments(), 1U);
    EXPECT_EQ(data(2, size), "ACK 60, window up to 65");
    EXPECT_EQ(step, rmpp_step::ended);
    expect_filling(receiver->message().whole(), size);
}

TEST_F(RmppReceiver, TellsOfAGapTwiceAndOfWhatIsStillMissingWhenOneIsFilled)
{
    begin();
    constexpr std::size_t size = 200 * 60;
    data(1, size);
    EXPECT_EQ(run(2, 5, size), "nothing");
    EXPECT_EQ(data(7, size), "ACK 5, window up to 69");
    EXPECT_EQ(data(8, size), "ACK 5, window up to 69");
    EXPECT_EQ(data(10, size), "nothing");
    EXPECT_EQ(data(6, size), "ACK 8, window up to 72");
    EXPECT_EQ(data(9, size), "nothing") << "no gap is left";
    EXPECT_EQ(receiver->segments(), 10U);
}

TEST_F(RmppReceiver, AnswersARoundOfDuplicatesWithOneAcknowledgement)
{
    begin();
    constexpr std::size_t size = 200 * 60;
    data(1, size);
    EXPECT_EQ(run(2, 20, size), "nothing");
    EXPECT_EQ(data(2, size), "ACK 20, window up to 84");
    for (std::uint32_t segment = 3; segment != 21; ++segment)
        EXPECT_EQ(data(segment, size), "nothing");
    EXPECT_EQ(data(2, size), "ACK 20, window up to 84") << "the next round: the ACK has been lost";
}

TEST_F(RmppReceiver, DropsWhatIsBeyondTheWindow)
{
    begin();
    data(1, 200 * 1000);
    EXPECT_EQ(data(66, 200 * 1000), "nothing");
    EXPECT_EQ(step, rmpp_step::nothing);
    auto far = segment_of(2, 200 * 1000);
    auto header = *rmpp_header_of(mad_view{far});
    header.segment = 0xFFFFFFFF;
    ASSERT_TRUE(set_rmpp_header(mutable_mad_view{far}, header));
    EXPECT_EQ(hear(far), "nothing");
    EXPECT_EQ(receiver->outcome().end, rmpp_end::not_yet);
    EXPECT_LE(budget->used(), rmpp_message::chunk_cost);
}

TEST_F(RmppReceiver, AnswersALieWithTheAbortThatSaysWhich)
{
    struct known {
        char const* what;
        rmpp_header header;
        rmpp_status status;
    };
    auto const cases = std::to_array<known>({
        {"First and segment 5", {.type = rmpp_type::data, .flags = rmpp_flag::first, .segment = 5},
            rmpp_status::inconsistent_first_and_segment},
        {"segment 1 without First", {.type = rmpp_type::data, .segment = 1},
            rmpp_status::inconsistent_first_and_segment},
        {"segment 0", {.type = rmpp_type::data, .segment = 0}, rmpp_status::inconsistent_first_and_segment},
        {"a status", {.type = rmpp_type::data, .status = rmpp_status::unspecified, .segment = 2},
            rmpp_status::illegal_status},
        {"last, less than its class header",
            {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 10, .length_or_window = 19},
            rmpp_status::inconsistent_last_and_length},
        {"last, more than fits",
            {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 10, .length_or_window = 221},
            rmpp_status::inconsistent_last_and_length},
        {"last, 4 GB",
            {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 10, .length_or_window = 0xFFFFFFFF},
            rmpp_status::inconsistent_last_and_length},
        {"last, not what the first announced",
            {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 10, .length_or_window = 219},
            rmpp_status::inconsistent_last_and_length},
        {"last, earlier than announced",
            {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 9, .length_or_window = 220},
            rmpp_status::inconsistent_last_and_length},
        {"more than announced", {.type = rmpp_type::data, .segment = 10}, rmpp_status::inconsistent_last_and_length},
        {"last, before others that are there",
            {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 2, .length_or_window = 220},
            rmpp_status::inconsistent_last_and_length},
        {"another version", {.version = 2, .type = rmpp_type::data, .segment = 2}, rmpp_status::unsupported_version},
        {"another type", {.type = rmpp_type{6}, .segment = 2}, rmpp_status::bad_type},
    });
    for (auto const& one : cases) {
        SCOPED_TRACE(one.what);
        begin();
        data(1, 2'000);
        data(3, 2'000);
        EXPECT_EQ(hear(packet_of(one.header)), "ABORT, " + to_string(one.status));
        EXPECT_EQ(step, rmpp_step::ended);
        EXPECT_EQ(receiver->outcome(), (rmpp_outcome{rmpp_end::refused, one.status}));
        EXPECT_EQ(budget->used(), 0U);
        EXPECT_EQ(data(2, 2'000), "ABORT, " + to_string(one.status)) << "said again to a peer that has missed it";
        EXPECT_EQ(pass(10s), "nothing");
        EXPECT_EQ(step, rmpp_step::over);
    }
}

TEST_F(RmppReceiver, RefusesASecondLastSegmentAndSegmentsBehindTheLast)
{
    auto const unannounced = [](std::uint32_t number, rmpp_flags flags, std::uint32_t length) {
        return packet_of({.type = rmpp_type::data, .flags = flags, .segment = number, .length_or_window = length});
    };
    for (std::uint32_t const other : {4U, 6U}) {
        begin();
        EXPECT_EQ(hear(unannounced(1, rmpp_flag::first, 0)), "ACK 1, window up to 65") << "0: the length is not known";
        hear(unannounced(5, rmpp_flag::last, 100));
        EXPECT_EQ(hear(unannounced(other, rmpp_flag::last, 100)), "ABORT, 119: Last flag and PayloadLength disagree");
    }
    begin();
    hear(unannounced(1, rmpp_flag::first, 0));
    hear(unannounced(5, rmpp_flag::last, 100));
    EXPECT_EQ(hear(unannounced(6, {}, 0)), "ABORT, 119: Last flag and PayloadLength disagree");
    begin();
    hear(unannounced(1, rmpp_flag::first, 0));
    hear(unannounced(5, rmpp_flag::last, 100));
    EXPECT_EQ(hear(unannounced(5, {}, 0)), "ABORT, 119: Last flag and PayloadLength disagree");
}

TEST_F(RmppReceiver, MayBeToldNotToLookAtWhatIsAnnounced)
{
    constexpr std::size_t size = 400;
    for (std::uint32_t const announced : {400U, 100U, 0xFFFFFFFFU}) {
        for (bool const checks : {true, false}) {
            begin({.max_message = 1'000, .check_total = checks});
            auto first = segment_of(1, size);
            ASSERT_TRUE(set_rmpp_header(mutable_mad_view{first}, {.version = 1,
                                                                     .type = rmpp_type::data,
                                                                     .flags = {rmpp_flag::active, rmpp_flag::first},
                                                                     .segment = 1,
                                                                     .length_or_window = announced}));
            hear(first);
            data(2, size);
            EXPECT_EQ(receiver->outcome().end == rmpp_end::complete, !checks) << announced;
            if (!checks)
                expect_filling(receiver->message().whole(), size);
        }
    }
}

TEST_F(RmppReceiver, BelievesAPossibleLengthAndNoOtherInTheKernelsManner)
{
    auto const length = [&](std::uint32_t payload) {
        begin(rmpp_receiver_options::linux_kernel());
        hear(segment_of(1, 2'000)); // announces ten segments
        hear(packet_of({.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 2, .length_or_window = payload}));
        EXPECT_EQ(receiver->outcome().end, rmpp_end::complete);
        return receiver->message().data_size();
    };
    EXPECT_EQ(length(21), 201U);
    EXPECT_EQ(length(220), 400U);
    EXPECT_EQ(length(221), 400U);
    EXPECT_EQ(length(0xFFFFFFFF), 400U);
    EXPECT_EQ(length(20), 200U);
    EXPECT_EQ(length(5), 185U) << "a kernel counts back from the end of the segment";
    EXPECT_EQ(length(0), 180U);
    begin(rmpp_receiver_options::linux_kernel());
    data(1, 2'000);
    EXPECT_EQ(hear(packet_of({.type = rmpp_type::data, .flags = rmpp_flag::first, .segment = 2})),
        "ABORT, 120: First flag and SegmentNumber disagree");
    EXPECT_EQ(receiver->outcome().end, rmpp_end::not_yet) << "a kernel complains and goes on";
}

TEST_F(RmppReceiver, HasNoByteInAMessageThatWasNotSentWhereTheLastSegmentIsAnotherInTheEnd)
{
    begin(rmpp_receiver_options::linux_kernel());
    constexpr std::size_t size = 1'000;
    data(1, size);
    auto claims_to_be_last = segment_of(4, size);
    ASSERT_TRUE(set_rmpp_header(mutable_mad_view{claims_to_be_last}, {.version = 1,
                                                                         .type = rmpp_type::data,
                                                                         .flags = {rmpp_flag::active, rmpp_flag::last},
                                                                         .segment = 4,
                                                                         .length_or_window = 21}));
    hear(claims_to_be_last);
    for (std::uint32_t const segment : {5, 2, 3})
        data(segment, size);
    EXPECT_EQ(receiver->outcome().end, rmpp_end::complete);
    expect_filling(receiver->message().whole(), size);
}

TEST_F(RmppReceiver, StopsAPeerWhoseMessageIsTooLong)
{
    begin({.max_message = 1'000});
    EXPECT_EQ(data(1, 1'000), "ACK 1, window up to 65");
    begin({.max_message = 1'000});
    EXPECT_EQ(data(1, 1'001), "STOP, 1: resources exhausted") << "at once, as its length is announced";
    EXPECT_EQ(receiver->outcome(), (rmpp_outcome{rmpp_end::no_resources, rmpp_status::resources_exhausted}));
    begin({.max_message = 1'000});
    hear(packet_of({.type = rmpp_type::data, .flags = rmpp_flag::first, .segment = 1}));
    for (std::uint32_t segment = 2; segment != 6; ++segment)
        EXPECT_EQ(hear(packet_of({.type = rmpp_type::data, .segment = segment})), "nothing");
    EXPECT_EQ(hear(packet_of({.type = rmpp_type::data, .segment = 6})), "STOP, 1: resources exhausted");
    EXPECT_EQ(budget->used(), 0U);
}

TEST_F(RmppReceiver, StopsAPeerWhenTheBudgetOfAllIsUsedUp)
{
    begin();
    ASSERT_TRUE(budget->try_take(budget->limit() - rmpp_message::chunk_cost));
    constexpr std::size_t size = 200 * 60;
    data(1, size);
    EXPECT_EQ(run(2, 20, size), "nothing");
    EXPECT_EQ(data(21, size), "STOP, 1: resources exhausted") << "the second 4096 bytes";
    EXPECT_EQ(budget->available(), rmpp_message::chunk_cost);
}

TEST_F(RmppReceiver, LetsItsUserReadAndGiveBackWhatHasComeBeforeTheEnd)
{
    constexpr std::size_t size = 1'000'000;
    begin({.max_message = 20'000});
    std::vector<std::byte> got;
    for (std::uint32_t segment = 1; segment <= size / 200; ++segment) {
        auto packet = segment_of(segment, size);
        if (segment == 1) { // a length announced would be refused
            ASSERT_TRUE(set_rmpp_header(mutable_mad_view{packet},
                {.version = 1, .type = rmpp_type::data, .flags = {rmpp_flag::active, rmpp_flag::first}, .segment = 1}));
        }
        hear(packet);
        auto& message = receiver->message();
        while (message.readable() != 0) {
            auto const part = message.front();
            ASSERT_FALSE(part.empty());
            got.insert(got.end(), part.begin(), part.end());
            message.consume(part.size());
        }
        ASSERT_LE(budget->used(), 2 * rmpp_message::chunk_cost);
    }
    EXPECT_EQ(receiver->outcome().end, rmpp_end::complete);
    ASSERT_EQ(got.size(), size);
    for (std::size_t i = 0; i != size; ++i)
        ASSERT_EQ(got[i], filling(i)) << i;
}

TEST_F(RmppReceiver, EndsATransferThatIsNeverFinished)
{
    begin({.total = 60s, .idle = 5s});
    data(1, 2'000);
    now += 4s;
    data(2, 2'000);
    EXPECT_EQ(receiver->next_deadline(), now + 5s);
    data(2, 2'000);
    EXPECT_EQ(pass(5s - 1ms), "nothing");
    data(2, 2'000); // brings nothing new
    EXPECT_EQ(pass(1ms), "ABORT, 118: total time too long");
    EXPECT_EQ(mad_view{reply.mad()}.method(), method::get_table);
    EXPECT_EQ(mad_view{reply.mad()}.transaction_id(), 0x1234'5678'9ABC'DEF0U);
    EXPECT_EQ(receiver->outcome(), (rmpp_outcome{rmpp_end::too_long, rmpp_status::total_time_too_long}));
    EXPECT_EQ(budget->used(), 0U);

    begin({.total = 60s, .idle = 5s});
    auto const began = now;
    for (std::uint32_t segment = 1; now < began + 60s; ++segment) {
        data(segment, 200'000);
        ASSERT_EQ(step, rmpp_step::progress);
        pass(3s);
    }
    EXPECT_EQ(step, rmpp_step::ended) << "however busy";
    EXPECT_EQ(receiver->outcome().end, rmpp_end::too_long);
}

TEST_F(RmppReceiver, AnswersThePeerThatMissedTheLastAcknowledgementForAWhile)
{
    begin({.linger = 10s});
    data(1, 150);
    now += 9s;
    EXPECT_EQ(data(1, 150), "ACK 1, window up to 1");
    EXPECT_EQ(step, rmpp_step::nothing);
    EXPECT_EQ(pass(1s - 1ms), "nothing");
    EXPECT_EQ(step, rmpp_step::nothing);
    pass(1ms);
    EXPECT_EQ(step, rmpp_step::over);
}

TEST_F(RmppReceiver, EndsWithTheSendersStopOrAbort)
{
    begin();
    data(1, 2'000);
    EXPECT_EQ(hear(packet_of({.type = rmpp_type::abort, .status = rmpp_status::too_many_retries})), "nothing");
    EXPECT_EQ(receiver->outcome(), (rmpp_outcome{rmpp_end::aborted, rmpp_status::too_many_retries}));
    EXPECT_EQ(data(2, 2'000), "nothing");
    begin();
    data(1, 2'000);
    hear(packet_of({.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted}));
    EXPECT_EQ(receiver->outcome().end, rmpp_end::stopped);
    begin(rmpp_receiver_options::linux_kernel());
    data(1, 2'000);
    hear(packet_of({.type = rmpp_type::abort, .status = rmpp_status::too_many_retries}));
    EXPECT_EQ(receiver->outcome().end, rmpp_end::not_yet) << "a kernel does not listen to that";
}

TEST_F(RmppReceiver, RemembersTheWindowOfTheAnswerFromTheTurnOfTheDirection)
{
    begin();
    hear(segment_of(1, 100, method::get_multi));
    EXPECT_EQ(receiver->answer_window(), 1U);
    EXPECT_EQ(hear(ack_of(0, 17, method::get_multi)), "nothing");
    EXPECT_EQ(receiver->answer_window(), 17U);
    hear(ack_of(0, 0, method::get_multi));
    EXPECT_EQ(receiver->answer_window(), 1U) << "less would be a standstill";
}

TEST_F(RmppReceiver, NeedsWholeMads)
{
    begin();
    auto const segment = segment_of(1, 100);
    EXPECT_EQ(receiver->on_packet(mad_view{std::span{segment}.first(255)}, now, reply), rmpp_step::nothing);
    EXPECT_EQ(receiver->on_packet(mad_view{std::span{segment}.first(24)}, now, reply), rmpp_step::nothing);
    EXPECT_TRUE(reply.empty());
}

} // namespace
} // namespace madrigal::engine
