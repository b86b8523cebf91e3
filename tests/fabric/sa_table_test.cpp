// Tables of any length, by whoever does RMPP on either side.
#include "fabric/sa_world.hpp"

#include <madrigal/fabric/sa_queries.hpp>

#include <gmock/gmock.h>

#include <ostream>
#include <sstream>

namespace madrigal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Whose kernel does RMPP.
struct table_sides {
    bool client_by_itself;
    bool server_by_itself;
    friend void PrintTo(table_sides const& sides, std::ostream* out)
    {
        auto const name = [](bool itself) { return itself ? "agent" : "kernel"; };
        *out << name(sides.client_by_itself) << "_asks_" << name(sides.server_by_itself);
    }
};
std::string name_of_sides(::testing::TestParamInfo<table_sides> const& info)
{
    std::ostringstream name;
    PrintTo(info.param, &name);
    return name.str();
}

class Tables : public sa_world, public ::testing::WithParamInterface<table_sides> {
protected:
    static constexpr std::uint32_t many = 50'000;

    // Without latency: on these the time of a transfer depends, and nothing else here.
    Tables() : sa_world{configured()}
    {
        minimal_sa_options how;
        how.user_rmpp = GetParam().server_by_itself;
        sa = std::make_unique<minimal_sa>(others[0].at, how);
        open(usual());
    }
    static sa_options usual()
    {
        sa_options options;
        options.user_rmpp = GetParam().client_by_itself;
        return options;
    }
    auto nodes(sa_request_options const& how = {}) { return s->run(async_all_nodes(client, how, as_result)); }
    void lose(double probability)
    {
        sim::fault_options faults;
        faults.loss = probability;
        s->fabric->set_faults(faults);
    }

    std::unique_ptr<minimal_sa> sa;
};

TEST_P(Tables, OfFiftyThousandNodesArriveWhole)
{
    sa->tables().nodes = made_nodes(many);
    auto const all = nodes();
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), sa->tables().nodes);
    EXPECT_THAT(sa->heard(), SizeIs(1));
}

TEST_P(Tables, OfEachLengthArriveWhole)
{
    // Around what fills one, two and several segments of 200 bytes.
    for (std::uint32_t const count : {0U, 1U, 2U, 3U, 4U, 24U, 25U, 26U, 99U, 100U, 500U}) {
        sa->tables().nodes = made_nodes(count);
        auto const all = nodes();
        ASSERT_TRUE(all) << count << ": " << all.error().message();
        EXPECT_EQ(all.value(), sa->tables().nodes) << count;
    }
}

TEST_P(Tables, OfSelectedRecordsArriveWhole)
{
    sa->tables().nodes = made_nodes(1000);
    auto const switches = s->run(async_all_switches(client, {}, as_result)).value();
    ASSERT_THAT(switches, SizeIs(100));
    for (std::uint32_t i = 0; i != 100; ++i)
        EXPECT_EQ(switches[i], made_node(10 * i));
}

TEST_P(Tables, WithoutRecordsAreNoError)
{
    EXPECT_THAT(nodes().value(), IsEmpty()); // status 0x0300
    sa->how().empty_tables_have_status = false;
    EXPECT_THAT(nodes().value(), IsEmpty()); // AttributeOffset 0
}

TEST_P(Tables, ThatAreCutShortAreRefused)
{
    sa->tables().nodes = made_nodes(100);
    sa->how().cut = 20;
    EXPECT_THAT(nodes().error().message(), HasSubstr("NodeRecord number 100 of the table is cut short: 92 of 108"));
    sa->how().cut = 4; // what would fill the last one up
    EXPECT_THAT(nodes().value(), SizeIs(100));
    sa->how().cut = 0;
    sa->how().attribute_offset = 13;
    EXPECT_THAT(nodes().error().message(), HasSubstr("NodeRecord number 1 of the table is cut short: 104 of 108"));
    sa->how().attribute_offset = 0;
    EXPECT_EQ(nodes().error(), errc::malformed_answer);
}

TEST_P(Tables, AreWaitedForWhileSubnetAdministrationIsBusy)
{
    sa->tables().nodes = made_nodes(100);
    sa->how().busy = 3;
    EXPECT_THAT(nodes().value(), SizeIs(100));
}

TEST_P(Tables, AreFollowedWhereTheyAre)
{
    minimal_sa_options how;
    how.user_rmpp = GetParam().server_by_itself;
    minimal_sa second{others[1].at, how};
    second.tables().nodes = made_nodes(100);
    class_port_info info{1, 2};
    info.redirect_lid = lid_of(others[1]);
    info.redirect_qp = 1;
    sa->how().redirect = info;
    EXPECT_THAT(nodes().value(), SizeIs(100));
}

TEST_P(Tables, ComeSideBySide)
{
    sa->tables().nodes = made_nodes(300);
    unsigned whole = 0;
    for (int i = 0; i != 40; ++i)
        async_all_nodes(client, {}, [&](error_code code, std::vector<node_record> const& all) {
            EXPECT_FALSE(code) << code.message();
            whole += all.size() == 300 ? 1 : 0;
        });
    EXPECT_TRUE(s->run_until([&] { return whole == 40; }));
}

TEST_P(Tables, HoldNoMoreMemoryThanTheyNeed)
{
    sa->tables().nodes = made_nodes(many);
    std::optional<std::size_t> came;
    std::size_t most = 0;
    async_all_nodes(client, {}, [&](error_code, std::vector<node_record> const& all) { came = all.size(); });
    EXPECT_TRUE(s->run_until([&] {
        most = std::max(most, client.over().gauges().message_bytes);
        return came.has_value();
    }));
    EXPECT_EQ(came, std::size_t{many});
    constexpr std::size_t size_of_table = many * sa_record_stride(node_record::layout.size);
    EXPECT_LE(most, size_of_table + size_of_table / 4);
    EXPECT_EQ(client.over().gauges().message_bytes, 0u);
}

TEST_P(Tables, LongerThanAllowedAreRefused)
{
    auto options = usual();
    options.max_table = 100'000;
    open(options);
    sa->tables().nodes = made_nodes(2000);
    auto const all = nodes();
    EXPECT_EQ(all.error(), errc::message_too_long);
    EXPECT_THAT(all.error().message(), HasSubstr("GetTable(NodeRecord)"));
    sa->tables().nodes = made_nodes(800);
    EXPECT_THAT(nodes().value(), SizeIs(800));
}

TEST_P(Tables, RecordByRecordTheyAreTheSameAndTakeNoMemoryWhereTheClientPutsThemTogether)
{
    sa->tables().nodes = made_nodes(many);
    std::size_t next = 0;
    std::uint64_t most = 0;
    auto const count = s->run(client.async_for_each(record_query<node_record>{}, {},
        std::function<void(node_record const&)>{[&](node_record const& one) {
            EXPECT_EQ(one.info.node_guid, made_node(static_cast<std::uint32_t>(next)).info.node_guid);
            ++next;
            most = std::max(most, client.over().gauges().message_bytes);
        }},
        as_result));
    ASSERT_TRUE(count) << count.error().message();
    EXPECT_EQ(count.value(), many);
    EXPECT_EQ(next, many);
    if (GetParam().client_by_itself) {
        EXPECT_LE(most, 64u << 10) << "of six megabytes";
    }
    EXPECT_EQ(client.over().gauges().message_bytes, 0u);
}

TEST_P(Tables, RecordByRecordBusyTimesAndRefusalsAreAsUsual)
{
    sa->tables().nodes = made_nodes(3);
    std::size_t seen = 0;
    auto const each = [&] {
        return s->run(client.async_for_each(record_query<node_record>{}, {},
            std::function<void(node_record const&)>{[&](node_record const&) { ++seen; }}, as_result));
    };
    sa->how().busy = 3;
    auto const after_busy = each();
    ASSERT_TRUE(after_busy) << after_busy.error().message();
    EXPECT_EQ(after_busy.value(), 3u);
    sa->tables().nodes.clear();
    auto const none = each();
    ASSERT_TRUE(none) << none.error().message();
    EXPECT_EQ(none.value(), 0u);
    sa->how().status = mad_status::sa_request_invalid;
    auto const refused = each();
    ASSERT_FALSE(refused);
    EXPECT_EQ(mad_status_of(refused.error().code()), mad_status::sa_request_invalid);
    EXPECT_EQ(seen, 3u);
}

INSTANTIATE_TEST_SUITE_P(AllWays, Tables,
    ::testing::Values(
        table_sides{false, false}, table_sides{false, true}, table_sides{true, false}, table_sides{true, true}),
    name_of_sides);

/// Lossy ways: each packet goes over two links.
class LossyTables : public Tables {
protected:
    static constexpr double one_percent_of_packets = 0.005;
};

TEST_P(LossyTables, OfFiftyThousandNodesArriveWhole)
{
    sa->tables().nodes = made_nodes(many);
    lose(one_percent_of_packets);
    auto const begun = s->time.now();
    auto const all = nodes({.timeout = 40s, .total = 1h});
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), sa->tables().nodes);
    RecordProperty("seconds", std::to_string(std::chrono::duration<double>(s->time.now() - begun).count()));
}

INSTANTIATE_TEST_SUITE_P(AllWays, LossyTables,
    ::testing::Values(table_sides{false, true}, table_sides{true, false}, table_sides{true, true}), name_of_sides);

/// A kernel sends again after two seconds what was lost, and one that receives waits 40 seconds for all of it.
class LossyKernels : public Tables {};

TEST_P(LossyKernels, ManageTablesOfSomeThousandNodes)
{
    sa->tables().nodes = made_nodes(1000);
    lose(0.005);
    auto const all = nodes({.timeout = 45s, .retries = 5, .total = 1h});
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_EQ(all.value(), sa->tables().nodes);
}

INSTANTIATE_TEST_SUITE_P(Both, LossyKernels, ::testing::Values(table_sides{false, false}), name_of_sides);

} // namespace
} // namespace madrigal::testing
