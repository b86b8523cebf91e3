// A message whose end is not known yet, and the sender of one.
#include "engine/rmpp_transfers_support.hpp"
#include "engine/seeds.hpp"

#include <madrigal/engine/growing_message.hpp>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

std::vector<std::byte> numbers(std::uint64_t from, std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i != size; ++i)
        bytes[i] = filling(from + i);
    return bytes;
}

TEST(GrowingMessage, TakesWhatItsWindowHoldsAndKeepsItUntilItIsForgotten)
{
    growing_message message{10};
    EXPECT_EQ(message.append(numbers(0, 7)), 7U);
    EXPECT_EQ(message.append(numbers(7, 7)), 3U);
    EXPECT_EQ(message.room(), 0U);
    message.forget_before(6);
    EXPECT_EQ(message.append(numbers(10, 100)), 6U) << "round the end of its memory";
    EXPECT_EQ(message.size(), 16U);
    std::array<std::byte, 20> read{};
    EXPECT_EQ(message.copy(6, read), 10U);
    EXPECT_TRUE(std::equal(read.begin(), read.begin() + 10, numbers(6, 10).begin()));
    EXPECT_EQ(message.copy(14, std::span{read}.first(1)), 1U);
    EXPECT_EQ(read[0], filling(14));
    EXPECT_EQ(message.copy(16, read), 0U);
    message.finish();
    message.forget_before(100);
    EXPECT_EQ(message.room(), 10U);
    EXPECT_EQ(message.append(numbers(0, 1)), 0U);
}

class RmppGrowing : public ::testing::Test {
protected:
    RmppGrowing()
    {
        message.set_headers(message_of(0));
        sender.emplace(rmpp_sender_options{}, message, now);
    }
    void grow(std::size_t size)
    {
        ASSERT_EQ(message.append(numbers(message.size(), size)), size);
        sender->on_grown(now);
    }
    void finish()
    {
        message.finish();
        sender->on_grown(now);
    }
    std::string segment()
    {
        if (!sender->has_segment())
            return "none";
        sender->take_segment(last, now);
        return describe_rmpp(mad_view{last});
    }
    rmpp_step hear(mad_bytes const& mad)
    {
        rmpp_reply reply;
        return sender->on_packet(mad_view{mad}, now, reply);
    }

    time_point now = start;
    growing_message message{200 * 10};
    std::optional<rmpp_sender> sender;
    mad_bytes last{};
};

TEST_F(RmppGrowing, HasNothingToSendAndNothingToWaitForBeforeThereIsData)
{
    EXPECT_EQ(segment(), "none");
    EXPECT_EQ(sender->next_deadline(), start + 60s) << "the limit of all of it";
    finish();
    EXPECT_EQ(segment(), "DATA 1, first, last, payload 20");
}

TEST_F(RmppGrowing, HoldsALastFullSegmentBackUntilItKnowsWhetherMoreFollows)
{
    grow(200);
    EXPECT_EQ(segment(), "none");
    grow(1);
    EXPECT_EQ(segment(), "DATA 1, first");
    EXPECT_EQ(hear(ack_of(1, 65)), rmpp_step::progress);
    EXPECT_EQ(segment(), "none");
    grow(199);
    EXPECT_EQ(segment(), "none");
    finish();
    EXPECT_EQ(segment(), "DATA 2, last, payload 220");
    EXPECT_EQ(hear(ack_of(2, 65)), rmpp_step::ended);
    EXPECT_EQ(sender->outcome().end, rmpp_end::complete);
}

TEST_F(RmppGrowing, SaysHowLongItIsWhereAllOfItIsThereInTime)
{
    grow(300);
    finish();
    EXPECT_EQ(segment(), "DATA 1, first, payload 340");
}

TEST_F(RmppGrowing, SendsNothingAgainWhileAllIsAcknowledged)
{
    grow(401);
    segment();
    hear(ack_of(1, 65));
    EXPECT_EQ(segment(), "DATA 2");
    EXPECT_LT(sender->next_deadline(), start + 1s);
    hear(ack_of(2, 65));
    EXPECT_EQ(sender->next_deadline(), start + 60s);
    grow(200);
    EXPECT_EQ(segment(), "DATA 3");
}

TEST_F(RmppGrowing, AsksAgainForAWindowThatIsUsedUp)
{
    grow(201);
    segment();
    hear(ack_of(1, 1));
    grow(200); // beyond the window
    EXPECT_EQ(segment(), "none");
    now = sender->next_deadline();
    EXPECT_LT(now, start + 1s);
    rmpp_reply reply;
    EXPECT_EQ(sender->expire(now, reply), rmpp_step::progress);
    EXPECT_EQ(segment(), "DATA 1, first") << "a duplicate, which is still there";
    EXPECT_EQ(last[56 + 199], filling(199));
    hear(ack_of(1, 65));
    EXPECT_EQ(segment(), "DATA 2");
}

TEST_F(RmppGrowing, ForgetsWhatIsAcknowledgedButForTheLastSegment)
{
    grow(2'000);
    EXPECT_EQ(message.room(), 0U);
    segment();
    hear(ack_of(1, 65));
    while (sender->has_segment())
        segment();
    hear(ack_of(9, 65));
    EXPECT_EQ(message.room(), 8U * 200);
}

class RmppGrowingPair : public seeded {};

TEST_P(RmppGrowingPair, ArrivesWholeOverABadWireThoughAFewKilobytesAreHeld)
{
    for (bool const kernels : {false, true}) {
        for (int i = 0; i != 10; ++i) {
            wire_faults const faults{.lost = 0.001 * static_cast<double>(pick(50)),
                .doubled = 0.001 * static_cast<double>(pick(100)),
                .delayed = 0.001 * static_cast<double>(pick(200))};
            two_tables both{faults, random(), kernels};
            auto const size = pick(5) == 0 ? pick(3) * 200 : pick(100'000);
            auto const message = std::make_shared<growing_message>(64 * 200 * 2);
            message->set_headers(message_of(0));
            rmpp_outgoing what{.to = peer(1), .growing = message};
            what.options.retries = 20;
            what.options.total = duration::zero();
            ASSERT_EQ(both.tables[0]->start(what, both.now), rmpp_transfers::started::yes);
            auto const key = rmpp_key::of(
                peer(1), mad_view{message->headers()}, method::get_table_response, rmpp_direction::outgoing);
            auto const grow = [&] {
                while (message->size() != size) {
                    auto const part = std::min<std::size_t>(size - message->size(), 1 + pick(1'000));
                    if (message->append(numbers(message->size(), part)) != part)
                        break;
                }
                if (message->size() == size)
                    message->finish();
                EXPECT_TRUE(both.tables[0]->grown(key, both.now));
            };
            grow();
            std::size_t sent = 0;
            std::size_t received = 0;
            both.run([&](int side, rmpp_event& event) {
                if (event.what == rmpp_event::kind::room) {
                    grow();
                } else if (side == 0) {
                    EXPECT_EQ(event.what, rmpp_event::kind::sent) << to_string(event.outcome);
                    ++sent;
                } else {
                    ASSERT_EQ(event.what, rmpp_event::kind::received) << to_string(event.outcome);
                    expect_filling(event.message.whole(), size);
                    ++received;
                }
            });
            EXPECT_EQ(sent, 1U) << size;
            EXPECT_EQ(received, 1U) << size;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RmppGrowingPair, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
