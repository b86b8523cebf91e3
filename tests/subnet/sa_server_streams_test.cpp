// Tables that are sent while a handler still makes them.
#include "subnet/sa_server_world.hpp"

#include "fabric/pause.hpp"

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using madrigal::detail::pause_until;

/// The client's RMPP is done by itself, or by its kernel.
class SaServerStreams : public sa_server_world, public ::testing::WithParamInterface<bool> {
protected:
    static constexpr std::uint32_t many = 50'000;
    static constexpr std::size_t stride = sa_record_stride(node_record::layout.size);

    SaServerStreams() : sa_server_world{configured()}
    {
        sa_options how;
        how.user_rmpp = GetParam();
        how.table_retries = 0;
        open(how);
    }
    /// Has it serve `nodes`, with a rest of so long after each thousand.
    void serve_with_rests(duration rest)
    {
        server.serve<node_record>(method::get_table,
            [this, rest](sa_asked<node_record> const&, sa_records<node_record>& out) -> waiting_status {
                ++asked_for_nodes;
                offered = 0;
                for (auto const& one : nodes) {
                    most_bytes = std::max(most_bytes, server.gauges().table_bytes);
                    if (!co_await out.yield(one))
                        co_return mad_status::ok;
                    if (++offered % 1'000 == 0 && !co_await pause_until(s->time, s->time.now() + rest))
                        co_return mad_status::ok;
                }
                co_return mad_status::ok;
            });
    }
    void set_faults(double loss, duration latency)
    {
        sim::fault_options faults;
        faults.loss = loss;
        faults.hop_latency = latency;
        s->fabric->set_faults(faults);
    }

    std::size_t offered = 0;
    std::size_t most_bytes = 0;
};

TEST_P(SaServerStreams, OfFiftyThousandNodesHoldAFewKilobytesOnly)
{
    open_server();
    serve_with_rests(1ms);
    nodes = made_nodes(many);
    auto const all = all_nodes();
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), nodes);
    s->run_out();
    EXPECT_EQ(server.counters().streamed, 1u);
    EXPECT_EQ(server.counters().records, many);
    EXPECT_EQ(server.counters().bytes, many * stride);
    EXPECT_LE(most_bytes, std::size_t{400} << 10);
    EXPECT_EQ(asked_for_nodes, 1u);
    expect_idle();
}

TEST_P(SaServerStreams, OfEachLengthArriveWhole)
{
    sa_server_options options;
    options.stream_at = 1; // all of them
    open_server(options);
    serve_nodes_in_time();
    for (std::uint32_t const count : {1U, 2U, 3U, 24U, 25U, 26U, 49U, 50U, 51U, 100U, 1'000U, 2'500U}) {
        nodes = made_nodes(count);
        auto const all = all_nodes();
        ASSERT_TRUE(all) << count << ": " << all.error().message();
        EXPECT_EQ(all.value(), nodes) << count;
        s->run_out();
        EXPECT_EQ(server.counters().streamed, server.counters().tables) << count;
        expect_idle();
    }
}

TEST_P(SaServerStreams, BeginWithARecordThatMatchesAndOnlyWhereTablesAreAsked)
{
    sa_server_options options;
    options.stream_at = 0;
    options.stream_window = 1; // as small as may be
    open_server(options);
    serve_nodes_in_time();
    nodes = made_nodes(100);
    EXPECT_EQ(get_node(nodes[7].info.node_guid).value(), nodes[7]);
    s->run_out();
    EXPECT_EQ(server.counters().streamed, 0u);
    EXPECT_EQ(server.counters().answered, 1u);
    auto const one = s->run(client.async_get_table(by_guid(nodes[50].info.node_guid), {}, as_result));
    ASSERT_TRUE(one) << one.error().message();
    EXPECT_EQ(one.value(), std::vector{nodes[50]});
    s->run_out();
    EXPECT_EQ(server.counters().streamed, 1u);
    expect_idle();
}

TEST_P(SaServerStreams, ArriveWholeThoughPacketsAreLost)
{
    open_server();
    serve_with_rests(10ms);
    nodes = made_nodes(5'000);
    set_faults(0.01, 10us);
    auto const all = all_nodes({.timeout = 50s, .total = 1h});
    set_faults(0, 10us);
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), nodes);
    s->run_out();
    expect_idle();
}

TEST_P(SaServerStreams, OfAHandlerThatRestsForLongArriveWhole)
{
    open_server();
    serve_with_rests(2s);
    nodes = made_nodes(5'000);
    auto const all = all_nodes({.timeout = 30s});
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), nodes);
    EXPECT_EQ(asked_for_nodes, 1u);
}

TEST_P(SaServerStreams, OfAClientThatVanishesStopTheirHandler)
{
    open_server();
    serve_with_rests(1ms);
    nodes = made_nodes(many);
    set_faults(0, 100us);
    bool over = false;
    client.async_get_table(record_query<node_record>{}, {.timeout = 1s, .retries = 0},
        [&](error_code, std::vector<node_record> const&) { over = true; });
    ASSERT_TRUE(s->run_until([&] { return offered >= 2'000; }));
    set_faults(1, 0us);
    s->run_out();
    EXPECT_TRUE(over);
    EXPECT_LT(offered, 10'000u) << "no further than the window";
    EXPECT_EQ(server.counters().dropped, 1u);
    EXPECT_EQ(server.counters().tables, 0u);
    expect_idle();
}

TEST_P(SaServerStreams, OfAHandlerThatFailsInTheMiddleDoNotLookWhole)
{
    open_server();
    nodes = made_nodes(5'000);
    for (bool const throws : {false, true}) {
        server.serve<node_record>(method::get_table,
            [this, throws](sa_asked<node_record> const&, sa_records<node_record>& out) -> waiting_status {
                for (auto const& one : nodes)
                    (void)co_await out.yield(one);
                if (throws)
                    throw std::runtime_error{"in the middle"};
                co_return mad_status::sa_no_resources;
            });
        EXPECT_FALSE(all_nodes({.timeout = 1s, .total = 2s}));
        s->run_out();
        expect_idle();
    }
    EXPECT_EQ(server.counters().tables, 0u);
    EXPECT_GE(server.counters().dropped, 2u);
}

TEST_P(SaServerStreams, EndWithTheServer)
{
    open_server();
    serve_with_rests(1ms);
    nodes = made_nodes(many);
    bool over = false;
    client.async_get_table(record_query<node_record>{}, {.timeout = 1s, .retries = 0},
        [&](error_code why, std::vector<node_record> const&) { over = static_cast<bool>(why); });
    ASSERT_TRUE(s->run_until([&] { return offered >= 2'000; }));
    server.close();
    ASSERT_TRUE(s->run_until([&] { return ended.has_value(); }));
    expect_idle();
    s->run_out();
    EXPECT_TRUE(over);
    EXPECT_LT(offered, many);
}

TEST_P(SaServerStreams, AreMadeWholeWhereTheirBytesAreUsedUpOrBusy)
{
    sa_server_options options;
    options.max_table_bytes = 300'000;
    open_server(options);
    serve_with_rests(1ms);
    nodes = made_nodes(1'500); // 168,000 bytes
    EXPECT_EQ(all_nodes().value(), nodes);
    s->run_out();
    EXPECT_EQ(server.counters().streamed, 0u) << "64 KiB and a window of 256 KiB are more than there are";
    EXPECT_EQ(server.counters().tables, 1u);
    expect_idle();
}

INSTANTIATE_TEST_SUITE_P(Sides, SaServerStreams, ::testing::Values(false, true),
    [](auto const& which) { return which.param ? "agent_asks" : "kernel_asks"; });

} // namespace
} // namespace madrigal::testing
