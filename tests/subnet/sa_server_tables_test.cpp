// Tables of a server of subnet administration, by whoever does RMPP on either side.
#include "subnet/sa_server_world.hpp"

#include <gmock/gmock.h>

#include <ostream>
#include <sstream>

namespace madrigal::testing {
namespace {

/// Who does RMPP, and what makes the tables.
struct table_sides {
    bool client_by_itself;
    bool server_by_itself;
    bool coroutine;
};
std::string name_of_sides(::testing::TestParamInfo<table_sides> const& info)
{
    auto const name = [](bool itself) { return itself ? "agent" : "kernel"; };
    std::ostringstream text;
    text << name(info.param.client_by_itself) << "_asks_" << name(info.param.server_by_itself)
         << (info.param.coroutine ? "_coroutine" : "_plain");
    return text.str();
}

class SaServerTables : public sa_server_world, public ::testing::WithParamInterface<table_sides> {
protected:
    static constexpr std::uint32_t many = 50'000;

    SaServerTables() : sa_server_world{configured()}
    {
        open_server(usual());
        serve();
        sa_options how;
        how.user_rmpp = GetParam().client_by_itself;
        open(how);
    }
    static sa_server_options usual()
    {
        sa_server_options options;
        options.user_rmpp = GetParam().server_by_itself;
        return options;
    }
    void serve()
    {
        if (GetParam().coroutine)
            serve_nodes_in_time();
        else
            serve_nodes();
    }
    void open_again(sa_server_options const& options)
    {
        server = {};
        s->run_ready();
        open_server(options);
        serve();
    }
    void set_faults(double loss, duration latency = 0ms)
    {
        sim::fault_options faults;
        faults.loss = loss;
        faults.hop_latency = latency;
        s->fabric->set_faults(faults);
    }
};

TEST_P(SaServerTables, OfFiftyThousandNodesArriveWhole)
{
    nodes = made_nodes(many);
    auto const all = all_nodes();
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), nodes);
    EXPECT_EQ(asked_for_nodes, 1u);
    s->run_out();
    EXPECT_EQ(server.counters().tables, 1u);
    EXPECT_EQ(server.counters().records, many);
    expect_idle();
}

TEST_P(SaServerTables, OfEachLengthArriveWhole)
{
    // Around what fills one, two and several segments of 200 bytes: 25 records are 14 segments.
    for (std::uint32_t const count : {0U, 1U, 2U, 3U, 24U, 25U, 26U, 50U, 99U, 100U, 500U, 599U, 600U, 1200U}) {
        nodes = made_nodes(count);
        auto const all = all_nodes();
        ASSERT_TRUE(all) << count << ": " << all.error().message();
        EXPECT_EQ(all.value(), nodes) << count;
    }
    s->run_out();
    expect_idle();
}

TEST_P(SaServerTables, ArriveWholeThoughPacketsAreLost)
{
    // Kernels repair one loss every two seconds, and wait for forty.
    nodes = made_nodes(500);
    set_faults(0.005);
    auto const all = all_nodes({.timeout = 45s, .total = 1h});
    set_faults(0);
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), nodes);
    s->run_out();
    expect_idle();
}

TEST_P(SaServerTables, LongerThanOneMayBeAreRefused)
{
    auto options = usual();
    options.max_table = 10'000;
    open_again(options);
    nodes = made_nodes(1'000);
    EXPECT_EQ(status_of(all_nodes()), mad_status::sa_no_resources);
    nodes.resize(89); // of 112 bytes
    EXPECT_TRUE(all_nodes());
    s->run_out();
    expect_idle();
}

TEST_P(SaServerTables, OfAClientThatVanishesAreForgotten)
{
    nodes = made_nodes(10'000);
    set_faults(0, 1ms);
    auto raw = own.at.register_agent(umad::subnet_administration()).value();
    raw_mad question{destination{lid_of(others[0])}, {}};
    build_sa_request(question.bytes, {.method_of_mad = method::get_table}, record_query<node_record>{});
    raw.async_request(question, request_options{.timeout = 10s, .retries = 0}, [](error_code, received_mad const&) {});
    (void)s->run_until([&] { return asked_for_nodes == 1; });
    set_faults(1);
    raw.close();
    s->run_out();
    expect_idle();
    if (GetParam().server_by_itself) {
        EXPECT_EQ(server.counters().tables, 0u);
        EXPECT_EQ(server.counters().dropped, 1u);
    }
}

TEST_P(SaServerTables, EndWithTheServer)
{
    nodes = made_nodes(10'000);
    bool over = false;
    client.async_get_table(record_query<node_record>{}, {.timeout = 100ms, .retries = 0},
        [&](error_code, std::vector<node_record> const&) { over = true; });
    (void)s->run_until([&] { return asked_for_nodes == 1; });
    server.close();
    ASSERT_TRUE(s->run_until([&] { return ended.has_value(); }));
    expect_idle();
    s->run_out();
    EXPECT_TRUE(over);
}

INSTANTIATE_TEST_SUITE_P(Sides, SaServerTables,
    ::testing::Values(table_sides{false, false, false}, table_sides{true, false, false},
        table_sides{false, true, false}, table_sides{true, true, false}, table_sides{false, false, true},
        table_sides{false, true, true}, table_sides{true, true, true}),
    name_of_sides);

class SaServerTableBounds : public sa_server_world {
protected:
    SaServerTableBounds() : sa_server_world{slow()}
    {
        nodes = made_nodes(1'000); // 112,000 bytes
    }
    /// Puts so many questions for all nodes, without minding BUSY.
    void ask_for_tables(std::size_t count)
    {
        agent_options options;
        options.rmpp.transfers.max_answers = count;
        raw = own.at.register_agent(with_user_rmpp(), options).value();
        for (std::size_t i = 0; i != count; ++i) {
            raw_mad question{destination{lid_of(others[0])}, {}};
            build_sa_request(question.bytes, {.method_of_mad = method::get_table}, record_query<node_record>{});
            raw.async_request(question, request_options{.timeout = 10s, .retries = 0},
                [this](error_code why, received_mad const& answer) {
                    if (why)
                        ++failed;
                    else if (answer.mad().status() == mad_status::busy)
                        ++busy;
                    else if (answer.payload().size() == nodes.size() * sa_record_stride(node_record::layout.size))
                        ++right;
                });
        }
        s->run_out();
        expect_idle();
        EXPECT_EQ(server.counters().busy, busy);
    }
    static umad::registration with_user_rmpp()
    {
        auto what = umad::subnet_administration();
        what.flags |= umad::user_rmpp;
        return what;
    }

    agent raw;
    std::size_t busy = 0;
    std::size_t right = 0;
    std::size_t failed = 0;
};

TEST_F(SaServerTableBounds, AreBusyWhenTheirBytesAreUsedUp)
{
    sa_server_options options;
    options.max_table_bytes = 1'000'000;
    open_server(options);
    serve_nodes();
    ask_for_tables(20);
    EXPECT_GE(right, 4u);
    EXPECT_EQ(right + busy, 20u);
    EXPECT_GT(busy, 0u);
}

TEST_F(SaServerTableBounds, AreBusyWhenOnePeerHasAsManyAsItMay)
{
    sa_server_options options;
    options.agent.rmpp.transfers.max_answers_to_a_peer = 3;
    open_server(options);
    serve_nodes();
    ask_for_tables(10);
    EXPECT_EQ(right, 3u);
    EXPECT_EQ(busy, 7u);
}

TEST_F(SaServerTableBounds, AreBusyWhenAsManyQuestionsAreInWorkAsMay)
{
    sa_server_options options;
    options.at_once = 5;
    open_server(options);
    serve_nodes();
    ask_for_tables(20);
    EXPECT_EQ(right, 5u);
    EXPECT_EQ(busy, 15u);
    EXPECT_EQ(asked_for_nodes, 5u);
}

TEST_F(SaServerTableBounds, AreBusyWhenAsManyOfOneLidAreInWorkAsMay)
{
    sa_server_options options;
    options.at_once_from_one = 5;
    open_server(options);
    serve_nodes();
    ask_for_tables(20);
    EXPECT_EQ(right, 5u);
    EXPECT_EQ(busy, 15u);
    auto const asked_before = asked_for_nodes;
    ask_for_tables(1);
    EXPECT_EQ(right, 6u) << "those have ended";
    EXPECT_EQ(asked_for_nodes, asked_before + 1);
}

} // namespace
} // namespace madrigal::testing
