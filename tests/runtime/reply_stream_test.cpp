// Streams of answers that are used in ways in which they should not, or end before they begin.
#include "runtime/rmpp_world.hpp"

#include <boost/asio/error.hpp>

#include <gmock/gmock.h>

#include <optional>

namespace madrigal::testing {
namespace {

struct ReplyStream : ::testing::Test {
    rmpp_world world{{rmpp_by::agent, rmpp_by::agent}, umad::subnet_administration()};
    std::vector<request> asked;

    /// Has so many questions arrive.
    void ask(std::size_t count)
    {
        world.server.async_receive([this](error_code why, request one) { keep(why, std::move(one)); });
        for (std::uint32_t i = 0; i != count; ++i)
            world.client.async_request(raw_message{world.other.own_lid(),
                                           question_of(management_class::subnet_administration, method::get_table, i)},
                request_options{.timeout = std::chrono::seconds{1}, .retries = 0},
                [this](error_code why, received_mad const&) { (why ? failed : answered) += 1; });
        ASSERT_TRUE(world.s.run_until([&] { return asked.size() == count; }));
    }
    void keep(error_code why, request one)
    {
        if (why)
            return;
        asked.push_back(std::move(one));
        world.server.async_receive([this](error_code next_why, request next) { keep(next_why, std::move(next)); });
    }

    std::size_t answered = 0;
    std::size_t failed = 0;
};

TEST_F(ReplyStream, IsOneReplysAlone)
{
    ask(2);
    reply_stream const table;
    std::optional<error_code> first;
    std::optional<error_code> second;
    asked[0].reply_by(table, mad_status::ok, [&](error_code why) { first = why; });
    asked[1].reply_by(table, mad_status::ok, [&](error_code why) { second = why; });
    ASSERT_TRUE(world.s.run_until([&] { return second.has_value(); }));
    EXPECT_EQ(*second, errc::invalid_argument);
    EXPECT_EQ(table.append(numbered_bytes(1'000)), 1'000u);
    table.finish();
    ASSERT_TRUE(world.s.run_until([&] { return first.has_value() && answered == 1; }));
    EXPECT_FALSE(*first);
}

TEST_F(ReplyStream, ThatIsAbortedBeforeItsReplyHasBegunNeverBegins)
{
    ask(1);
    reply_stream const table;
    std::optional<error_code> ended;
    table.abort();
    asked[0].reply_by(table, mad_status::ok, [&](error_code why) { ended = why; });
    ASSERT_TRUE(world.s.run_until([&] { return ended.has_value() && failed == 1; }));
    EXPECT_EQ(*ended, asio::error::operation_aborted);
    EXPECT_EQ(world.server.gauges().transfers, 0u);
}

} // namespace
} // namespace madrigal::testing
