// Typed SMPs: routes, LIDs, keys and what a timeout says.
#include "fabric/world.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attributes/guid_info.hpp>
#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/p_key_table.hpp>

#include <boost/asio/use_future.hpp>

#include <chrono>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

/// host - a - b - last, with LIDs.
topology::fabric line()
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto const b = layout.add(make_switch(0x11, 4, "b"));
    auto const last = layout.add(make_ca(0x2, 1, "last"));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {a, 2}, {b, 1});
    plug(layout, {b, 4}, {last, 1});
    return layout;
}

sim::fabric_options configured()
{
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    return options;
}

lid lid_of(world& around, topology::node_index node, std::uint8_t port)
{
    return around.on().look_at({node, port}).value().base_lid;
}

std::string name_at(world& around, smp_client const& client, destination const& to)
{
    auto const answer = around.run(client.get<node_description>(to));
    return answer ? to_string(answer.value().description) : answer.error().message();
}

TEST(SmpClient, AsksByRouteByLidAndByBoth)
{
    world around{line(), configured()};
    auto const client = smp_client::open(around.local()).value();
    auto const own = lid_of(around, 0, 1);
    auto const of_a = lid_of(around, 1, 0);
    auto const of_last = lid_of(around, 3, 1);
    EXPECT_EQ(name_at(around, client, directed_route{}), "host");
    EXPECT_EQ(name_at(around, client, directed_route{0, 1, 2, 4}), "last");
    EXPECT_EQ(name_at(around, client, of_last), "last");
    EXPECT_EQ(name_at(around, client, of_a), "a");
    EXPECT_EQ(name_at(around, client, destination{directed_route{0, 2, 4}}.starting_at(of_a, own)), "last");
    EXPECT_EQ(name_at(around, client, destination{directed_route{0, 1}}.ending_at(of_last)), "last");
}

TEST(SmpClient, RoutesByLidAloneWhereAMixedRouteHasNoHops)
{
    world around{line(), configured()};
    auto const client = smp_client::open(around.local()).value();
    auto const own = lid_of(around, 0, 1);
    auto const of_b = lid_of(around, 2, 0);
    EXPECT_EQ(name_at(around, client, destination{directed_route{}}.starting_at(of_b, own)), "b");
    EXPECT_EQ(name_at(around, client, destination{directed_route{}}.ending_at(of_b)), "b");
    EXPECT_EQ(without_empty_route(destination{directed_route{}}.ending_at(lid{7})).type(), destination::kind::lid);
    EXPECT_EQ(without_empty_route(destination{directed_route{}}).type(), destination::kind::directed_route);
    EXPECT_EQ(without_empty_route(destination{directed_route{0, 1}}.ending_at(lid{7})).type(),
        destination::kind::directed_route);
}

TEST(SmpClient, SetsAndGivesBackWhatTheNodeSaysItIsNow)
{
    world around{line()};
    auto const client = smp_client::open(around.local()).value();
    destination const to{directed_route{0, 1, 2, 4}};
    auto info = around.run(client.get<port_info>(to, 1)).value();
    info.base_lid = lid{77};
    info.state = port_state::no_change;
    info.phys_state = physical_state::no_change;
    auto const now = around.run(client.set<port_info>(to, info, 1));
    ASSERT_TRUE(now) << now.error().message();
    EXPECT_EQ(now.value().base_lid, lid{77});
    EXPECT_EQ(lid_of(around, 3, 1), lid{77});
}

TEST(SmpClient, GivesAStatusAsItsOwnErrorWithWhatWasAsked)
{
    world around{line()};
    auto const client = smp_client::open(around.local()).value();
    auto const answer = around.run(client.get<switch_info>(directed_route{0, 1, 2, 4}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(mad_status_of(answer.error().code()), mad_status::unsupported_method_attribute);
    EXPECT_THAT(answer.error().message(), testing::HasSubstr("Get(SwitchInfo) of directed route 0,1,2,4"));
}

TEST(SmpClient, TakesTimeoutAndRetriesPerCall)
{
    world around{line()};
    auto const client = smp_client::open(around.local()).value();
    auto const started = around.time().now();
    request_options how;
    how.timeout = 30ms;
    how.retries = 1;
    auto const answer = around.run(client.get<node_info>(directed_route{0, 1, 3}, 0, how)); // no cable there
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::timeout);
    EXPECT_GE(around.time().now() - started, 60ms);
    EXPECT_LT(around.time().now() - started, 90ms);
}

TEST(SmpClient, TakesAnyCompletionToken)
{
    world around{line()};
    auto const client = smp_client::open(around.local()).value();
    bool called = false;
    client.async_get<node_info>(directed_route{0, 1}, 0, {}, [&](error_code code, node_info const& info) {
        called = true;
        EXPECT_FALSE(code);
        EXPECT_EQ(info.node_guid, guid{0x10});
    });
    auto future = client.async_get<node_info>(directed_route{0, 1, 2}, 0, {}, asio::use_future);
    while (!called || future.wait_for(0s) != std::future_status::ready)
        ASSERT_TRUE(around.step());
    EXPECT_EQ(future.get().node_guid, guid{0x11});
}

/// Protects the last CA with a key that even Get needs.
void protect(world& around, std::uint64_t key, std::uint8_t protect_bits)
{
    auto const client = smp_client::open(around.local()).value();
    destination const to{directed_route{0, 1, 2, 4}};
    auto info = around.run(client.get<port_info>(to, 1)).value();
    info.m_key = key;
    info.m_key_protect_bits = protect_bits;
    info.state = port_state::no_change;
    info.phys_state = physical_state::no_change;
    auto const set = around.run(client.set<port_info>(to, info, 1));
    ASSERT_TRUE(set) << set.error().message();
}

TEST(SmpClientWithKeys, UsesTheKeyOfEachDestination)
{
    constexpr std::uint64_t key = 0x1234;
    world around{line(), configured()};
    protect(around, key, 2);
    directed_route const last{0, 1, 2, 4};
    smp_options how;
    how.timeout = 10ms;
    how.retries = 0;

    auto const without = smp_client::open(around.local(), how).value();
    EXPECT_EQ(name_at(around, without, directed_route{0, 1}), "a");
    auto const silent = around.run(without.get<node_info>(last));
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error(), errc::timeout);
    EXPECT_THAT(silent.error().message(), testing::HasSubstr("without an M_Key"));

    m_key_table wrong;
    wrong.set_default(key + 1);
    how.keys = wrong;
    auto const other = around.run(smp_client::open(around.local(), how).value().get<node_info>(last));
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message(), testing::HasSubstr("protected by another"));

    m_key_table by_route;
    by_route.set_default(key + 1);
    by_route.set(last, key);
    how.keys = by_route;
    EXPECT_EQ(name_at(around, smp_client::open(around.local(), how).value(), last), "last");

    m_key_table by_lid;
    by_lid.set(lid_of(around, 3, 1), key);
    how.keys = by_lid;
    EXPECT_EQ(name_at(around, smp_client::open(around.local(), how).value(), lid_of(around, 3, 1)), "last");

    m_key_table by_default;
    by_default.set_default(key);
    how.keys = by_default;
    auto const client = smp_client::open(around.local(), how).value();
    EXPECT_EQ(name_at(around, client, last), "last");
    // And the key of the call itself comes first.
    request_options with;
    with.m_key = key + 1;
    EXPECT_EQ(around.run(client.get<node_info>(last, 0, with)).error(), errc::timeout);
}

TEST(DiscoverWithKeys, SaysThatAKeyMayBeMissingAndFindsTheNodeWithIt)
{
    constexpr std::uint64_t key = 0x1234;
    world around{line()};
    protect(around, key, 2);
    auto const found = around.sweep().value();
    ASSERT_EQ(found.problems.size(), 1U) << listed(found.problems);
    EXPECT_EQ(found.problems[0].kind, problem_kind::no_answer_behind);
    EXPECT_EQ(found.problems[0].port, 4);
    EXPECT_THAT(to_string(found.problems[0]), testing::HasSubstr("without an M_Key"));
    EXPECT_EQ(found.check(), errc::incomplete_sweep);

    discover_options by_route;
    by_route.keys.set(directed_route{0, 1, 2, 4}, key);
    EXPECT_TRUE(around.sweep(by_route).value().complete());
    discover_options by_default;
    by_default.keys.set_default(key);
    EXPECT_TRUE(around.sweep(by_default).value().complete());
    discover_options wrong;
    wrong.keys.set_default(key + 1);
    auto const none = around.sweep(wrong).value();
    EXPECT_THAT(listed(none.problems), testing::HasSubstr("protected by another"));
}

TEST(MKeyTable, LooksForTheNodeThenTheEndOfTheWayThenTheDefault)
{
    m_key_table keys;
    keys.set_default(1);
    keys.set(lid{5}, 2);
    keys.set(directed_route{0, 1}, 3);
    keys.set(guid{9}, 4);
    EXPECT_EQ(keys.find(lid{6}), 1U);
    EXPECT_EQ(keys.find(lid{5}), 2U);
    EXPECT_EQ(keys.find(directed_route{0, 1}), 3U);
    EXPECT_EQ(keys.find(directed_route{0, 2}), 1U);
    EXPECT_EQ(keys.find(lid{5}, guid{9}), 4U);
    EXPECT_EQ(keys.find(lid{5}, guid{8}), 2U);
    EXPECT_EQ(keys.find(destination{directed_route{0, 1}}.ending_at(lid{5})), 2U);
    EXPECT_EQ(keys.find(destination{directed_route{0, 1}}.starting_at(lid{7}, lid{8})), 1U);
    EXPECT_EQ(m_key_table{}.find(lid{5}), 0U);
}

} // namespace
} // namespace madrigal::tests
