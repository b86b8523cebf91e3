// The sending side of RMPP, packet by packet.
#include "engine/rmpp_support.hpp"

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// A sender whose time passes as the test says.
class RmppSender : public ::testing::Test {
protected:
    void send(std::size_t size, rmpp_sender_options const& options = {}, method how = method::get_table_response)
    {
        message_ = message_of(size, how);
        sender.emplace(options, message_, now);
    }
    /// Takes one segment and says what it is.
    std::string segment()
    {
        if (!sender->has_segment())
            return "none";
        sender->take_segment(last, now);
        return describe_rmpp(mad_view{last});
    }
    unsigned take_all()
    {
        unsigned count = 0;
        while (sender->has_segment()) {
            segment();
            ++count;
        }
        return count;
    }
    std::string hear(mad_bytes const& mad)
    {
        reply.clear();
        step = sender->on_packet(mad_view{mad}, now, reply);
        return text_of(reply);
    }
    std::string pass(duration time)
    {
        now += time;
        reply.clear();
        step = sender->expire(now, reply);
        return text_of(reply);
    }

    time_point now = start;
    std::optional<rmpp_sender> sender;
    mad_bytes last{};
    rmpp_reply reply;
    rmpp_step step{};

private:
    std::vector<std::byte> message_;
};

TEST_F(RmppSender, CutsAMessageIntoSegmentsThatSayHowLongTheyAre)
{
    struct known {
        std::size_t size;
        std::uint32_t segments;
        char const* first;
        char const* last;
    };
    auto const cases = std::to_array<known>({
        {0, 1, "DATA 1, first, last, payload 20", "none"},
        {1, 1, "DATA 1, first, last, payload 21", "none"},
        {199, 1, "DATA 1, first, last, payload 219", "none"},
        {200, 1, "DATA 1, first, last, payload 220", "none"},
        {201, 2, "DATA 1, first, payload 241", "DATA 2, last, payload 21"},
        {400, 2, "DATA 1, first, payload 440", "DATA 2, last, payload 220"},
    });
    for (auto const& one : cases) {
        send(one.size);
        EXPECT_EQ(sender->segments(), one.segments);
        EXPECT_EQ(segment(), one.first) << one.size;
        EXPECT_EQ(segment(), "none") << "the window is 1 before anything has been acknowledged";
        hear(ack_of(1, 65));
        EXPECT_EQ(segment(), one.last) << one.size;
    }
}

TEST_F(RmppSender, RepeatsTheHeadersInEachSegmentAndLeavesNoByteUnset)
{
    send(250);
    last.fill(std::byte{0xEE});
    segment();
    hear(ack_of(1, 65));
    auto const first = last;
    last.fill(std::byte{0xEE});
    EXPECT_EQ(segment(), "DATA 2, last, payload 70");
    EXPECT_TRUE(std::equal(first.begin(), first.begin() + 24, last.begin()));
    EXPECT_TRUE(std::equal(first.begin() + 36, first.begin() + 56, last.begin() + 36));
    for (std::size_t i = 0; i != 200; ++i)
        ASSERT_EQ(last[56 + i], i < 50 ? filling(200 + i) : std::byte{0}) << i;
    EXPECT_EQ(rmpp_header_of(mad_view{last})->response_time, rmpp_no_response_time);
}

TEST_F(RmppSender, ObeysTheWindow)
{
    send(200 * 10);
    EXPECT_EQ(take_all(), 1U);
    EXPECT_EQ(hear(ack_of(1, 4)), "nothing");
    EXPECT_EQ(take_all(), 3U);
    hear(ack_of(2, 4));
    EXPECT_EQ(take_all(), 0U);
    hear(ack_of(4, 0xFFFFFFFF));
    EXPECT_EQ(take_all(), 6U);
    EXPECT_EQ(sender->outcome().end, rmpp_end::not_yet);
    EXPECT_EQ(hear(ack_of(10, 0xFFFFFFFF)), "nothing");
    EXPECT_EQ(step, rmpp_step::ended);
    EXPECT_EQ(sender->outcome(), (rmpp_outcome{rmpp_end::complete}));
    EXPECT_EQ(pass(0s), "nothing");
    EXPECT_EQ(step, rmpp_step::over);
}

TEST_F(RmppSender, StartsWithTheWindowThatAnAnswerWasGiven)
{
    send(200 * 10, {.first_window = 3});
    EXPECT_EQ(take_all(), 3U);
    EXPECT_EQ(hear(ack_of(0, 5)), "nothing") << "a late turn of the direction widens it";
    EXPECT_EQ(take_all(), 2U);
}

TEST_F(RmppSender, IgnoresAcknowledgementsThatHaveBeenOvertaken)
{
    send(200 * 100);
    take_all();
    hear(ack_of(1, 65));
    take_all();
    hear(ack_of(33, 97));
    EXPECT_EQ(take_all(), 32U);
    EXPECT_EQ(hear(ack_of(1, 65)), "nothing");
    EXPECT_EQ(hear(ack_of(0, 1)), "nothing");
    EXPECT_EQ(step, rmpp_step::nothing);
    EXPECT_EQ(sender->acknowledged(), 33U);
    EXPECT_EQ(take_all(), 0U);
}

TEST_F(RmppSender, AnswersWhatCannotBeWithTheAbortThatSaysWhich)
{
    struct known {
        rmpp_header header;
        char const* answer;
        rmpp_status status;
    };
    auto const cases = std::to_array<known>({
        {{.type = rmpp_type::ack, .segment = 3, .length_or_window = 5}, "ABORT, 123: SegmentNumber too big",
            rmpp_status::segment_too_big},
        {{.type = rmpp_type::ack, .segment = 1, .length_or_window = 0}, "ABORT, 122: NewWindowLast too small",
            rmpp_status::new_window_too_small},
        {{.type = rmpp_type::ack, .status = rmpp_status{7}, .segment = 1, .length_or_window = 9},
            "ABORT, 124: illegal status", rmpp_status::illegal_status},
        {{.version = 2, .type = rmpp_type::ack, .segment = 1, .length_or_window = 9},
            "ABORT, 125: unsupported RMPPVersion", rmpp_status::unsupported_version},
        {{.type = rmpp_type{0}, .segment = 1}, "ABORT, 121: unknown RMPPType", rmpp_status::bad_type},
        {{.type = rmpp_type{5}, .segment = 1}, "ABORT, 121: unknown RMPPType", rmpp_status::bad_type},
    });
    for (auto const& one : cases) {
        send(1000);
        take_all();
        hear(ack_of(1, 2));
        take_all();
        EXPECT_EQ(hear(packet_of(one.header, method::get_table)), one.answer);
        EXPECT_EQ(mad_view{reply.mad()}.method(), method::get_table_response) << "it goes the way of the data";
        EXPECT_EQ(step, rmpp_step::ended);
        EXPECT_EQ(sender->outcome(), (rmpp_outcome{rmpp_end::refused, one.status}));
        EXPECT_FALSE(sender->has_segment());
        EXPECT_EQ(hear(ack_of(2, 9)), "nothing") << "it is over";
    }
}

TEST_F(RmppSender, SendsAgainFromTheFirstSegmentNotAcknowledged)
{
    send(200 * 10, {.timeout = 100ms, .retries = 2});
    take_all();
    EXPECT_EQ(sender->next_deadline(), now + 100ms);
    hear(ack_of(1, 5));
    take_all();
    hear(ack_of(3, 7));
    now += 50ms;
    EXPECT_EQ(segment(), "DATA 6");
    EXPECT_EQ(segment(), "DATA 7");
    EXPECT_EQ(segment(), "none");
    EXPECT_EQ(pass(99ms), "nothing");
    EXPECT_EQ(step, rmpp_step::nothing) << "counted from the last segment that was taken";
    EXPECT_EQ(pass(1ms), "nothing");
    EXPECT_EQ(step, rmpp_step::progress);
    for (auto const* expected : {"DATA 4", "DATA 5", "DATA 6", "DATA 7", "none"})
        EXPECT_EQ(segment(), expected);
    EXPECT_EQ(sender->repeated(), 4U);
    hear(ack_of(6, 7));
    EXPECT_EQ(segment(), "none") << "7 is on its way";
    EXPECT_EQ(sender->next_deadline(), now + 100ms);
}

TEST_F(RmppSender, GivesUpAfterTheLastRetryAndSaysSo)
{
    send(200 * 10, {.timeout = 100ms, .longest_timeout = 1s, .retries = 2});
    take_all();
    hear(ack_of(1, 5));
    for (auto const wait : {100ms, 200ms}) {
        take_all();
        EXPECT_EQ(pass(wait - 1ms), "nothing");
        EXPECT_EQ(step, rmpp_step::nothing);
        EXPECT_EQ(pass(1ms), "nothing");
        EXPECT_EQ(step, rmpp_step::progress);
    }
    EXPECT_EQ(segment(), "DATA 2");
    hear(ack_of(2, 5));
    for (auto const wait : {100ms, 200ms}) {
        take_all();
        EXPECT_EQ(pass(wait), "nothing") << "something new has been acknowledged: all retries again";
        EXPECT_EQ(step, rmpp_step::progress);
    }
    take_all();
    EXPECT_EQ(pass(400ms), "ABORT, 126: too many retries");
    EXPECT_EQ(mad_view{reply.mad()}.method(), method::get_table_response);
    EXPECT_EQ(mad_view{reply.mad()}.transaction_id(), 0x1234'5678'9ABC'DEF0U);
    EXPECT_EQ(sender->outcome(), (rmpp_outcome{rmpp_end::unanswered, rmpp_status::too_many_retries}));
    EXPECT_EQ(pass(0s), "nothing");
    EXPECT_EQ(step, rmpp_step::over);
}

TEST_F(RmppSender, EndsWhenTheWholeTakesTooLongHoweverMuchIsAcknowledged)
{
    send(200 * 1000, {.total = 1s});
    take_all();
    for (std::uint32_t segment = 1; segment != 10; ++segment) {
        hear(ack_of(segment, segment + 1));
        take_all();
        EXPECT_EQ(pass(100ms), "nothing");
    }
    EXPECT_EQ(sender->next_deadline(), start + 1s);
    EXPECT_EQ(pass(100ms), "ABORT, 118: total time too long");
    EXPECT_EQ(sender->outcome(), (rmpp_outcome{rmpp_end::too_long, rmpp_status::total_time_too_long}));
}

TEST_F(RmppSender, AsksAgainWhereTheWindowIsUsedUpAndItsWideningWasLost)
{
    send(200 * 10, {.timeout = 100ms, .retries = 1});
    take_all();
    hear(ack_of(1, 1));
    EXPECT_EQ(take_all(), 0U);
    pass(100ms);
    EXPECT_EQ(segment(), "DATA 1, first, payload 2200") << "a duplicate makes the receiver repeat its ACK";
    hear(ack_of(1, 65));
    EXPECT_EQ(take_all(), 9U);
}

TEST_F(RmppSender, EndsWithThePeersStopOrAbort)
{
    auto const end = [&](rmpp_type type, unsigned status) {
        send(1000);
        take_all();
        EXPECT_EQ(hear(packet_of(
                      {.type = type, .status = rmpp_status{static_cast<std::uint8_t>(status)}}, method::get_table)),
            "nothing")
            << "an ABORT is not answered with one";
        EXPECT_EQ(step, rmpp_step::ended);
        return to_string(sender->outcome());
    };
    EXPECT_EQ(end(rmpp_type::stop, 1), "the peer stopped the transfer, 1: resources exhausted");
    EXPECT_EQ(end(rmpp_type::abort, 119), "the peer aborted the transfer, 119: Last flag and PayloadLength disagree");
    EXPECT_EQ(end(rmpp_type::abort, 200), "the peer aborted the transfer, 200: of a vendor's own");
}

TEST_F(RmppSender, WaitsLongerForAPeerThatAsksForTimeButNeverLessLong)
{
    send(200 * 10, {.timeout = 100ms, .longest_timeout = 2s, .way = 50ms});
    take_all();
    auto const with_time = [&](std::uint32_t segment, std::uint8_t code) {
        hear(packet_of(
            {.type = rmpp_type::ack, .response_time = code, .segment = segment, .length_or_window = segment + 1},
            method::get_table));
        take_all();
        return sender->next_deadline() - now;
    };
    EXPECT_EQ(with_time(1, 31), 100ms);
    EXPECT_EQ(with_time(2, 0), std::chrono::nanoseconds{4096} + 100ms) << "with the way there and back";
    EXPECT_EQ(with_time(3, 17), std::chrono::nanoseconds{4096} * (1 << 17) + 100ms);
    EXPECT_EQ(with_time(4, 30), 2s);
    send(200 * 10, {.timeout = 100ms});
    take_all();
    EXPECT_EQ(with_time(1, 3), 100ms);
}

TEST_F(RmppSender, SendsWhatARepeatedAcknowledgementMissesAtOnceAndOnce)
{
    send(200 * 100);
    take_all();
    hear(ack_of(1, 65));
    take_all();
    hear(ack_of(20, 84));
    take_all();
    EXPECT_EQ(hear(ack_of(20, 84)), "nothing");
    EXPECT_EQ(segment(), "DATA 21");
    EXPECT_EQ(segment(), "none");
    hear(ack_of(20, 84));
    EXPECT_EQ(segment(), "none") << "one repair at a time";
    hear(ack_of(40, 104));
    EXPECT_EQ(segment(), "DATA 41") << "less than had been sent: another one is missing";
    EXPECT_EQ(segment(), "DATA 85");
    take_all();
    hear(ack_of(84, 148));
    EXPECT_EQ(segment(), "none") << "all is repaired that had been sent when it began";
}

TEST_F(RmppSender, HandsOverTheDirectionOfADoubleSidedTransferAsOftenAsThePeerMissesIt)
{
    send(300, {.expects_answer = true, .linger = 1s}, method::get_multi);
    take_all();
    hear(ack_of(1, 65, method::get_multi_response));
    take_all();
    EXPECT_EQ(hear(ack_of(2, 65, method::get_multi_response)), "ACK 0, window up to 1");
    EXPECT_EQ(mad_view{reply.mad()}.method(), method::get_multi);
    EXPECT_EQ(step, rmpp_step::ended);
    EXPECT_EQ(sender->outcome().end, rmpp_end::complete);
    EXPECT_EQ(hear(ack_of(2, 65, method::get_multi_response)), "ACK 0, window up to 1");
    EXPECT_EQ(step, rmpp_step::nothing);
    EXPECT_EQ(pass(999ms), "nothing");
    EXPECT_EQ(step, rmpp_step::nothing);
    pass(1ms);
    EXPECT_EQ(step, rmpp_step::over);
}

TEST_F(RmppSender, IsCancelledWithAWordToAPeerThatHasHeardOfIt)
{
    send(1000);
    sender->cancel(rmpp_end::cancelled, rmpp_status::unspecified, reply);
    EXPECT_TRUE(reply.empty());
    send(1000);
    take_all();
    sender->cancel(rmpp_end::cancelled, rmpp_status::unspecified, reply);
    EXPECT_EQ(text_of(reply), "ABORT, 127: unspecified");
    EXPECT_EQ(sender->outcome().end, rmpp_end::cancelled);
}

TEST_F(RmppSender, BehavesAsAKernelWhereItShall)
{
    send(200 * 100, rmpp_sender_options::linux_kernel(0, 1));
    take_all();
    EXPECT_EQ(rmpp_header_of(mad_view{last})->response_time, 0);
    EXPECT_EQ(sender->next_deadline(), now + 2s);
    hear(packet_of(
        {.type = rmpp_type::ack, .response_time = 30, .segment = 1, .length_or_window = 65}, method::get_table));
    EXPECT_EQ(take_all(), 64U);
    EXPECT_EQ(sender->next_deadline(), now + 2s) << "it does not read RRespTime";
    hear(ack_of(1, 65));
    EXPECT_EQ(take_all(), 0U) << "nor repeated ACKs";
    EXPECT_EQ(pass(2s), "nothing");
    EXPECT_EQ(take_all(), 64U);
    EXPECT_EQ(pass(2s), "nothing") << "it gives up without a word";
    EXPECT_EQ(step, rmpp_step::ended);
    EXPECT_EQ(sender->outcome(), (rmpp_outcome{rmpp_end::unanswered}));

    send(200 * 10, rmpp_sender_options::linux_kernel(0, 1));
    take_all();
    hear(ack_of(1, 1));
    pass(2s);
    EXPECT_EQ(take_all(), 9U) << "where the window is used up it sends all the rest";
    EXPECT_EQ(hear(ack_of(2, 20)), "ABORT, 123: SegmentNumber too big") << "and takes the answer for a lie";

    send(10, rmpp_sender_options::linux_kernel(300, 3));
    take_all();
    EXPECT_EQ(sender->next_deadline(), now + 300ms);
    EXPECT_EQ(hear(ack_of(1, 65)), "ACK 0, window up to 1") << "a write with a timeout asks for an answer";
    for (std::uint32_t const timeout_ms : {1U, 2'000U, 2'001U}) {
        send(200 * 10, rmpp_sender_options::linux_kernel(timeout_ms, 3));
        take_all();
        pass(std::chrono::milliseconds{std::min(timeout_ms, 2'000U)});
        EXPECT_EQ(take_all(), 1U) << "the first segment is sent again";
        hear(ack_of(1, 5));
        EXPECT_EQ(take_all(), 4U);
        EXPECT_EQ(sender->next_deadline(), timeout_ms <= 2'000 ? never : now + 2s)
            << "what follows an ACK is not always";
        pass(1h);
        EXPECT_EQ(take_all(), timeout_ms <= 2'000 ? 0U : 4U);
        hear(ack_of(5, 20));
        EXPECT_EQ(take_all(), 5U);
        hear(ack_of(10, 20));
        EXPECT_EQ(sender->outcome().end, rmpp_end::complete);
    }

    send(200 * 10, rmpp_sender_options::linux_kernel(0, 3));
    hear(ack_of(0, 5));
    take_all();
    pass(1s);
    hear(ack_of(3, 5));
    EXPECT_EQ(sender->next_deadline(), now + 1s) << "an ACK that lets nothing go leaves the time as it is";

    send(10, rmpp_sender_options::linux_kernel(0, 3));
    take_all();
    EXPECT_EQ(hear(packet_of({.type = rmpp_type::abort, .status = rmpp_status{3}}, method::get_table)),
        "ABORT, 124: illegal status");
}

} // namespace
} // namespace madrigal::engine
