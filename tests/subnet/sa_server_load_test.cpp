// A server of subnet administration that is asked more than it can do at a time.
#include "subnet/sa_server_world.hpp"

#include "fabric/pause.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gmock/gmock.h>

#include <map>

namespace madrigal::testing {
namespace {

class SaServerLoad : public sa_server_world {
protected:
    static constexpr std::size_t many = 10'000;

    SaServerLoad() : sa_server_world{configured()} { nodes = made_nodes(100); }
    /// Whose questions have not been answered yet counts in members of this class.
    ~SaServerLoad() override
    {
        raw.close();
        server.close();
        s->run_ready();
    }

    /// Has it serve nodes by GUID, each answer taking so long.
    void serve_slowly(duration takes)
    {
        server.serve<node_record>(
            method::get, [this, takes](sa_asked<node_record> const&, sa_records<node_record>& out) -> waiting_status {
                ++asked_for_nodes;
                most_at_once = std::max(most_at_once, ++at_once);
                struct leaving {
                    std::size_t& count;
                    ~leaving() { --count; }
                } const at_the_end{at_once};
                if (!co_await madrigal::detail::pause_until(s->time, s->time.now() + takes))
                    co_return mad_status::sa_no_records; // cancelled
                for (auto const& one : nodes)
                    if (!co_await out.yield(one))
                        break;
                co_return mad_status::ok;
            });
    }
    /// Puts a question about a node without minding BUSY.
    void ask_once(std::size_t node, request_options const& how)
    {
        if (!raw) {
            agent_options options;
            options.window.size = many;
            raw = own.at.register_agent(umad::subnet_administration(), options).value();
        }
        raw_mad question{destination{lid_of(others[0])}, {}};
        build_sa_request(question.bytes, {}, by_guid(nodes[node].info.node_guid));
        raw.async_request(question, how, [this, node](error_code why, received_mad const& answer) {
            if (why)
                ++failed;
            else if (answer.mad().status() != mad_status::ok)
                ++statuses[answer.mad().status()];
            else if (decode<node_record>(answer.payload()) == nodes[node])
                ++right;
            else
                ++wrong;
        });
    }

    agent raw;
    std::size_t at_once = 0;
    std::size_t most_at_once = 0;
    std::map<std::uint16_t, std::size_t> statuses;
    std::size_t right = 0;
    std::size_t wrong = 0;
    std::size_t failed = 0;
};

TEST_F(SaServerLoad, AnswersEachOfTenThousandQuestionsRightOrBusyAndWorksNoMoreThanItsBound)
{
    sa_server_options options;
    options.at_once = 64;
    open_server(options);
    serve_slowly(2ms);
    for (std::size_t i = 0; i != many; ++i)
        ask_once(i % nodes.size(), {.timeout = 10s, .retries = 0});
    s->run_out();
    EXPECT_EQ(right + statuses[mad_status::busy], many);
    EXPECT_GE(right, 64u);
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(failed, 0u);
    EXPECT_EQ(most_at_once, 64u);
    EXPECT_EQ(server.counters().requests, many);
    EXPECT_EQ(server.counters().answered, many);
    EXPECT_EQ(server.counters().busy, statuses[mad_status::busy]);
    EXPECT_EQ(server.counters().dropped, 0u);
    expect_idle();
}

TEST_F(SaServerLoad, NeverRefusesWhatItAnswersAtOnce)
{
    sa_server_options options;
    options.at_once = 1;
    open_server(options);
    serve_nodes();
    for (std::size_t i = 0; i != many; ++i)
        ask_once(i % nodes.size(), {.timeout = 10s, .retries = 0});
    s->run_out();
    EXPECT_EQ(right, many);
    EXPECT_EQ(server.counters().busy, 0u);
}

TEST_F(SaServerLoad, ServesAllClientsThatAskAgainWhenItWasBusy)
{
    sa_server_options options;
    options.at_once = 64;
    open_server(options);
    serve_slowly(1ms);
    sa_options how;
    how.window = 1'000;
    how.busy_interval = 5ms;
    open(how);
    for (std::size_t i = 0; i != many; ++i)
        client.async_get(
            by_guid(nodes[i % nodes.size()].info.node_guid), {}, [this, i](error_code why, node_record const& answer) {
                ++(why ? failed : answer == nodes[i % nodes.size()] ? right : wrong);
            });
    ASSERT_TRUE(s->run_until([&] { return right + wrong + failed == many; }));
    EXPECT_EQ(right, many);
    EXPECT_GT(server.counters().busy, 0u);
    EXPECT_LE(most_at_once, 64u);
}

TEST_F(SaServerLoad, WorksAQuestionThatComesAgainOnlyOnce)
{
    open_server();
    serve_slowly(350ms);
    ask_once(3, {.timeout = 100ms, .retries = 5});
    s->run_out();
    EXPECT_EQ(right, 1u);
    EXPECT_EQ(asked_for_nodes, 1u);
    EXPECT_EQ(server.counters().repeated, 3u);
    EXPECT_EQ(server.counters().answered, 1u);
}

TEST_F(SaServerLoad, AnswersWhatIsInWorkBusyWhenItClosesAndCancelsItsHandlers)
{
    open_server();
    serve_slowly(1h);
    for (std::size_t i = 0; i != 10; ++i)
        ask_once(i, {.timeout = 10s, .retries = 0});
    (void)s->run_until([&] { return at_once == 10; });
    auto const before = s->time.now();
    server.close();
    ASSERT_TRUE(s->run_until([&] { return ended.has_value() && statuses[mad_status::busy] == 10; }));
    EXPECT_EQ(*ended, errc::agent_closed);
    EXPECT_EQ(at_once, 0u);
    EXPECT_LT(s->time.now() - before, 1s);
    EXPECT_EQ(server.counters().busy, 10u);
    expect_idle();
}

TEST_F(SaServerLoad, IsSilentWhileItIsPausedAndGivesUpWhatIsInWorkWithoutAWord)
{
    open_server();
    serve_slowly(1h);
    for (std::size_t i = 0; i != 10; ++i)
        ask_once(i, {.timeout = 10s, .retries = 0});
    (void)s->run_until([&] { return at_once == 10; });
    server.pause();
    EXPECT_TRUE(server.is_paused());
    for (std::size_t i = 10; i != 15; ++i)
        ask_once(i, {.timeout = 100ms, .retries = 1});
    ASSERT_TRUE(s->run_until([&] { return failed == 15; })) << "all by their timeouts";
    EXPECT_EQ(at_once, 0u);
    EXPECT_TRUE(statuses.empty());
    EXPECT_EQ(server.counters().answered, 0u);
    EXPECT_EQ(server.counters().unheard, 20u) << "ten in work, five that came twice";
    EXPECT_FALSE(ended);
    expect_idle();
}

TEST_F(SaServerLoad, AnswersThoseWhoAskAgainWhenItGoesOn)
{
    open_server();
    serve_slowly(1ms);
    server.pause();
    ask_once(3, {.timeout = 100ms, .retries = 5});
    ASSERT_TRUE(s->run_until([&] { return server.counters().unheard == 3; }));
    EXPECT_EQ(right, 0u);
    server.resume();
    ASSERT_TRUE(s->run_until([&] { return right == 1; }));
    EXPECT_EQ(server.counters().unheard, 3u);
    EXPECT_EQ(failed, 0u);
}

TEST_F(SaServerLoad, MayBePausedByAHandlerWhoseAnswerIsNotSentThen)
{
    open_server();
    server.serve<node_record>([this](sa_asked<node_record> const&, sa_records<node_record>& out) {
        server.pause();
        (void)out.add(nodes[0]);
        return mad_status::ok;
    });
    ask_once(0, {.timeout = 100ms, .retries = 0});
    ASSERT_TRUE(s->run_until([&] { return failed == 1; }));
    EXPECT_EQ(server.counters().unheard, 1u);
}

TEST_F(SaServerLoad, EndsInTimeThoughAHandlerDoesNotHeedItsCancellation)
{
    open_server();
    bool over = false;
    server.serve<node_record>(
        [this, &over](sa_asked<node_record> const&, sa_records<node_record>& out) -> waiting_status {
            co_await asio::this_coro::throw_if_cancelled(false);
            auto const end = s->time.now() + 10s;
            while (s->time.now() < end) {
                // Without a slot: nothing ends this but its time.
                asio::steady_timer bell{s->loop, asio::steady_timer::time_point::max()};
                auto const alarm = s->time.make_alarm([&] { bell.cancel(); });
                alarm->arm(end);
                boost::system::error_code ended_by;
                co_await bell.async_wait(asio::bind_cancellation_slot(
                    asio::cancellation_slot{}, asio::redirect_error(asio::use_awaitable, ended_by)));
            }
            EXPECT_FALSE(out.add(nodes[0]));
            over = true;
            co_return mad_status::ok;
        });
    ask_once(0, {.timeout = 20s, .retries = 0});
    (void)s->run_until([&] { return server.gauges().in_work == 1; });
    auto const before = s->time.now();
    server.close();
    ASSERT_TRUE(s->run_until([&] { return ended.has_value(); }));
    EXPECT_EQ(s->time.now() - before, 1s);
    EXPECT_FALSE(over);
    s->run_out();
    EXPECT_TRUE(over);
    EXPECT_EQ(statuses[mad_status::busy], 1u);
}

TEST_F(SaServerLoad, MayBeClosedByAHandler)
{
    open_server();
    server.serve<node_record>([this](sa_asked<node_record> const&, sa_records<node_record>& out) {
        server.close();
        (void)out.add(nodes[0]);
        return mad_status::ok;
    });
    ask_once(0, {.timeout = 100ms, .retries = 0});
    ASSERT_TRUE(s->run_until([&] { return ended.has_value(); }));
    EXPECT_EQ(*ended, errc::agent_closed);
}

TEST_F(SaServerLoad, MayRunAgainAfterTheDeviceWasLost)
{
    open_server();
    serve_nodes();
    ASSERT_FALSE(s->fabric->unplug(others[0].node).code());
    ASSERT_TRUE(s->run_until([&] { return ended.has_value(); }));
    EXPECT_EQ(*ended, errc::device_gone);
    ASSERT_FALSE(s->fabric->plug(others[0].node).code());
    EXPECT_TRUE(s->run(others[0].at.async_reopen(1s, as_result)));
    run_server();
    EXPECT_FALSE(ended);
    server.close();
    s->run_ready();
    EXPECT_EQ(*ended, errc::agent_closed);
}

} // namespace
} // namespace madrigal::testing
