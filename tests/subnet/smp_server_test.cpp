// What comes to a subnet manager unasked, between two machines of one fabric.
#include "subnet/two_managers.hpp"

#include <madrigal/subnet/smp_server.hpp>
#include <madrigal/wire/bits.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>

namespace madrigal::testing {
namespace {

/// A subnet manager that does as it is told, and remembers.
struct obedient final : sm_info_service {
    sm_info describe() override
    {
        ++own.activity_count;
        return own;
    }
    std::uint16_t on_control(sm_control what, sm_info const& from, destination const& back) override
    {
        controls.push_back(what);
        senders.push_back(from);
        ways_back.push_back(back);
        own.state = sm_state::standby;
        return status;
    }

    sm_info own{.port_guid = guid{0x77}, .sm_key = 0x1234, .priority = 7, .state = sm_state::master};
    std::uint16_t status = mad_status::ok;
    std::vector<sm_control> controls;
    std::vector<sm_info> senders;
    std::vector<destination> ways_back;
};

struct SmpServer : ::testing::Test {
    two_hosts w;
    simulated& s = w.s;
    smp_server server;

    SmpServer() : server{smp_server::open(w.first).value()} {}

    std::optional<trap_notice> waiting()
    {
        std::optional<trap_notice> got;
        asio::cancellation_signal enough;
        server.async_next_trap(
            asio::bind_cancellation_slot(enough.slot(), [&](error_code code, trap_notice const& one) {
                if (!code)
                    got = one;
            }));
        s.run_ready();
        enough.emit(asio::cancellation_type::terminal);
        s.run_ready();
        return got;
    }
    result<received_mad> send(agent const& from, raw_mad const& trap)
    {
        return s.run(from.async_request(trap, {.timeout = 100ms, .retries = 0}, as_result));
    }
};

TEST_F(SmpServer, GivesATrapOutAndSilencesIt)
{
    auto& fabric = *s.fabric;
    topology::node_index leaf = 0;
    while (fabric.layout().at(leaf).type != node_type::switch_)
        ++leaf;
    auto const leaf_lid = fabric.look_at(topology::endpoint{leaf, 0}).value().base_lid;
    ASSERT_FALSE(fabric.send_link_trap(leaf).code());
    auto const trap = s.run(server.next_trap());
    ASSERT_TRUE(trap) << trap.error().message();
    EXPECT_EQ(trap.value().source, leaf_lid);
    EXPECT_EQ(trap.value().told.trap_number, trap_number::link_state_changed);
    ASSERT_TRUE(trap.value().details);
    EXPECT_EQ(std::get<link_state_trap>(*trap.value().details).switch_lid, leaf_lid);
    EXPECT_EQ(trap.value().missed, 0u);
    s.run_out();
    EXPECT_EQ(fabric.counters().traps, 1u) << "it does not come again";
    EXPECT_EQ(server.counters().received, 1u);
    EXPECT_EQ(server.counters().delivered, 1u);
    EXPECT_EQ(server.counters().repressed, 1u);
}

TEST_F(SmpServer, RepressesWithTheKeyOfTheSenderAndNothingElseOfItsOwn)
{
    auto const port_4 = threshold_trap_of(4);
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    server.keys().set(w.other.own_lid(), 0x0102030405060708);
    server.keys().set_default(0x99);
    auto const answer = send(agent, trap_mad(w.first_lid(), port_4, std::byte{0xEE}));
    ASSERT_TRUE(answer) << answer.error().message();
    auto const mad = answer.value().mad();
    EXPECT_EQ(mad.method(), method::trap_repress);
    EXPECT_EQ(mad.status(), 0);
    EXPECT_EQ(mad.attribute<notice>(), port_4);
    std::array<std::byte, mad_size> expected{};
    build_lid_routed_smp(expected, {.method_of_mad = method::trap_repress,
                                       .transaction_id = mad.transaction_id(),
                                       .attribute_id = attribute_id::notice,
                                       .m_key = 0x0102030405060708});
    (void)mutable_mad_view{expected}.set_attribute(port_4);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), mad.bytes().begin(), mad.bytes().end()));
}

TEST_F(SmpServer, TakesTrapsThatComeAlongADirectedRouteToo)
{
    auto agent = w.other.port.register_agent(subnet_directed_route()).value();
    server.keys().set(lid{4}, 0x55);
    auto const answer = send(agent, trap_mad(w.to_first(), threshold_trap_of(4), std::byte{0xEE}));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().mad().method(), method::trap_repress);
    EXPECT_EQ((load_bits<192, 64>(answer.value().bytes().data())), 0x55u);
    auto const bytes = answer.value().bytes();
    EXPECT_TRUE(std::all_of(bytes.begin() + 36, bytes.begin() + 64, [](std::byte one) { return one == std::byte{0}; }));
    auto const trap = waiting();
    ASSERT_TRUE(trap);
    EXPECT_EQ(trap->source, lid{4}) << "what it says itself";
    EXPECT_EQ(std::get<threshold_trap>(*trap->details).port_number, 4);
}

TEST_F(SmpServer, RepressesDuplicatesAndGivesTheLastOneOutLater)
{
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    auto told = threshold_trap_of(4);
    for (std::uint16_t i = 1; i != 5; ++i) {
        told.notice_count = i;
        EXPECT_TRUE(send(agent, trap_mad(w.first_lid(), told)));
    }
    EXPECT_EQ(waiting()->told.notice_count, 1);
    EXPECT_FALSE(waiting());
    auto const last = s.run(server.next_trap());
    EXPECT_EQ(last.value().told.notice_count, 4);
    EXPECT_EQ(last.value().missed, 0u) << "it only repeats itself";
    EXPECT_EQ(s.time.now() - engine::virtual_time::start, 5s);
    EXPECT_EQ(server.counters().repressed, 4u);
    EXPECT_EQ(server.counters().duplicates, 3u);
    EXPECT_EQ(server.counters().delivered, 2u);
}

TEST_F(SmpServer, SaysThatOneHeldBackHadToMakeRoomForAnother)
{
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    auto told = threshold_trap_of(4);
    for (std::uint8_t i = 1; i != 5; ++i) {
        told.issuer_lid = lid{i};
        EXPECT_TRUE(send(agent, trap_mad(w.first_lid(), told)));
    }
    EXPECT_EQ(waiting()->missed, 0u);
    auto const last = s.run(server.next_trap());
    EXPECT_EQ(last.value().told.issuer_lid, lid{4});
    EXPECT_EQ(last.value().missed, 2u);
    EXPECT_EQ(server.counters().dropped, 2u);
}

TEST_F(SmpServer, SaysWhatItHadToDrop)
{
    smp_server_options options;
    options.trap_limit = 3;
    server.close();
    s.run_ready();
    server = smp_server::open(w.first, options).value();
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    for (std::uint8_t port = 1; port != 9; ++port)
        EXPECT_TRUE(send(agent, trap_mad(w.first_lid(), threshold_trap_of(port))));
    EXPECT_EQ(server.counters().dropped, 5u);
    auto const next = waiting();
    EXPECT_EQ(std::get<threshold_trap>(*next->details).port_number, 6) << "the oldest ones went";
    EXPECT_EQ(next->missed, 5u);
    EXPECT_EQ(waiting()->missed, 0u);
}

TEST_F(SmpServer, CountsWhatIsNoNoticeAndLeavesItUnanswered)
{
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    auto trap = trap_mad(w.first_lid(), threshold_trap_of(4));
    mutable_mad_view{trap.bytes}.set_attribute_id(attribute_id::port_info);
    EXPECT_EQ(send(agent, trap).error(), errc::timeout);
    auto directed = w.other.port.register_agent(subnet_directed_route()).value();
    auto from_nowhere = threshold_trap_of(4);
    from_nowhere.issuer_lid = lid{0xC000};
    EXPECT_EQ(send(directed, trap_mad(w.to_first(), from_nowhere)).error(), errc::timeout);
    EXPECT_EQ(server.counters().malformed, 2u);
    EXPECT_EQ(server.counters().received, 2u);
    EXPECT_EQ(server.counters().delivered, 0u);
}

TEST_F(SmpServer, PassesOnLidsAndPortsThatNameNobody)
{
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    auto told = threshold_trap_of(255);
    told.issuer_lid = lid{0xFFFF};
    told.data_details = encode_trap(threshold_trap{.port_lid = lid{0}, .port_number = 255});
    EXPECT_TRUE(send(agent, trap_mad(w.first_lid(), told)));
    told.trap_number = 40'000;
    EXPECT_TRUE(send(agent, trap_mad(w.first_lid(), told)));
    auto const first = waiting();
    EXPECT_EQ(first->source, w.other.own_lid());
    EXPECT_EQ(std::get<threshold_trap>(*first->details).port_number, 255);
    EXPECT_FALSE(waiting()->details) << "a number without a table";
}

TEST_F(SmpServer, WaitingForATrapCanBeCancelledAndLosesNone)
{
    EXPECT_FALSE(waiting());
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    EXPECT_TRUE(send(agent, trap_mad(w.first_lid(), threshold_trap_of(4))));
    EXPECT_TRUE(waiting());
}

TEST_F(SmpServer, EndsAtOnceWhenItIsClosed)
{
    error_code ended;
    server.async_next_trap([&](error_code code, trap_notice const&) { ended = code; });
    s.run_ready();
    server.close();
    EXPECT_FALSE(ended) << "not within the call";
    s.run_ready();
    EXPECT_EQ(ended, errc::agent_closed);
    EXPECT_EQ(s.run(server.next_trap()).error(), errc::agent_closed);
    EXPECT_EQ(s.time.armed(), 0u);
    EXPECT_TRUE(smp_server::open(w.first)) << "others can have the port";
}

TEST_F(SmpServer, EndsWithItsPort)
{
    error_code ended;
    server.async_next_trap([&](error_code code, trap_notice const&) { ended = code; });
    s.run_ready();
    w.first.close();
    s.run_ready();
    EXPECT_EQ(ended, errc::agent_closed);
    EXPECT_EQ(s.run(server.next_trap()).error(), errc::agent_closed);
    EXPECT_EQ(s.time.armed(), 0u);
}

TEST_F(SmpServer, IsRefusedWhereAnotherSubnetManagerHasThePort)
{
    auto const second = smp_server::open(w.first);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::registration_refused);
    EXPECT_NE(second.error().message().find("mlx5_0 port 1 is another program's"), std::string::npos)
        << second.error().message();
}

TEST_F(SmpServer, GoesOnWhenALostDeviceIsBack)
{
    ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
    s.run_ready();
    s.time.advance(10s);
    s.run_ready();
    ASSERT_FALSE(s.fabric->plug(s.host->node()).code());
    ASSERT_TRUE(s.run(w.first.async_reopen(10s, as_result)));
    auto const service = std::make_shared<obedient>();
    server.serve_sm_info(service);
    s.time.advance(1s);
    s.run_ready();
    auto client = smp_client::open(w.other.port).value();
    auto const answer = s.run(client.get<sm_info>(w.to_first()));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().port_guid, guid{0x77});
}

struct SmInfo : SmpServer {
    std::shared_ptr<obedient> service = std::make_shared<obedient>();
    smp_client client{smp_client::open(w.other.port).value()};

    SmInfo() { server.serve_sm_info(service); }
};

TEST_F(SmInfo, IsAnsweredByLidAndAlongADirectedRoute)
{
    for (auto const& to : {destination{w.first_lid()}, destination{w.to_first()}}) {
        auto const answer = s.run(client.get<sm_info>(to));
        ASSERT_TRUE(answer) << answer.error().message();
        auto shown = service->own;
        shown.sm_key = 0;
        EXPECT_EQ(answer.value(), shown);
    }
    EXPECT_EQ(service->own.activity_count, 2u);
    EXPECT_EQ(server.counters().sm_info_asked, 2u);
    EXPECT_TRUE(s.run(client.get<node_info>(w.to_first()))) << "the node's own agent answers the rest";
}

TEST_F(SmInfo, IsRefusedWhereNobodyAnswersIt)
{
    service.reset();
    for (auto const& to : {destination{w.first_lid()}, destination{w.to_first()}}) {
        auto const answer = s.run(client.get<sm_info>(to));
        ASSERT_FALSE(answer);
        EXPECT_EQ(mad_status_of(answer.error().code()), 0x000C);
        EXPECT_EQ(mad_status_of(s.run(client.set(to, sm_info{}, 1)).error().code()), 0x000C);
    }
    EXPECT_EQ(server.counters().refused, 4u);
}

TEST_F(SmInfo, ControlsReachTheServiceWithAWayBack)
{
    sm_info const mine{.port_guid = guid{0x88}, .sm_key = 1, .priority = 3, .state = sm_state::master};
    auto const own = smp_client::open(w.first).value();
    auto const by_leaf = destination{directed_route{0, 1}}.ending_at(w.first_lid());
    for (auto const& to : {destination{w.first_lid()}, destination{w.to_first()}, by_leaf}) {
        service->own.state = sm_state::master;
        auto const answer = s.run(client.set(to, mine, static_cast<std::uint32_t>(sm_control::handover)));
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_EQ(answer.value().port_guid, guid{0x77});
        EXPECT_EQ(answer.value().state, sm_state::standby) << "what it is now";
        EXPECT_EQ(service->controls.back(), sm_control::handover);
        EXPECT_EQ(service->senders.back(), mine);
        auto const there = s.run(own.get<node_info>(service->ways_back.back()));
        ASSERT_TRUE(there) << to_string(service->ways_back.back());
        EXPECT_EQ(there.value().port_guid, w.other.port.attributes().port_guid);
    }
    service->status = mad_status::invalid_value;
    EXPECT_EQ(mad_status_of(s.run(client.set(w.first_lid(), mine, 77)).error().code()), 0x001C);
    EXPECT_EQ(service->controls.back(), sm_control{77});
}

TEST_F(SmInfo, AnswersCarryNothingThatCameAndNoKey)
{
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    raw_mad asked{w.first_lid()};
    build_lid_routed_smp(asked.bytes, {.attribute_id = attribute_id::sm_info, .m_key = 0x42});
    std::fill(asked.bytes.begin() + 32, asked.bytes.end(), std::byte{0xEE});
    auto const answer = send(agent, asked);
    ASSERT_TRUE(answer);
    auto const bytes = answer.value().bytes();
    auto const is_zero = [](std::byte one) { return one == std::byte{0}; };
    EXPECT_TRUE(std::all_of(bytes.begin() + 24, bytes.begin() + 64, is_zero));
    EXPECT_TRUE(std::all_of(bytes.begin() + 64 + 21, bytes.end(), is_zero));
}

TEST_F(SmInfo, ShowsItsSmKeyOnlyToWhoKnowsItOrTheMKeyUnlessItIsNoSecret)
{
    constexpr std::uint64_t secret = 0x1234;
    auto const agent = w.other.port.register_agent(subnet_lid_routed()).value();
    auto const shown_to = [&](method how, std::uint64_t sm_key, std::uint64_t m_key) {
        raw_mad asked{w.first_lid()};
        build_lid_routed_smp(
            asked.bytes, {.method_of_mad = how, .attribute_id = attribute_id::sm_info, .m_key = m_key});
        (void)mutable_mad_view{asked.bytes}.set_attribute(sm_info{.port_guid = guid{5}, .sm_key = sm_key});
        auto const answer = s.run(agent.async_request(asked, {.timeout = 50ms, .retries = 0}, as_result));
        return answer ? std::optional{answer.value().mad().attribute<sm_info>()->sm_key} : std::nullopt;
    };
    for (std::uint64_t const sm_key : {secret, well_known_sm_key})
        for (std::uint64_t const own_m_key : {0x0u, 0x42u})
            for (unsigned protection = 0; protection != 4; ++protection)
                for (auto const how : {method::get, method::set})
                    for (std::uint64_t const shows : {std::uint64_t{0}, std::uint64_t{0x1235}, sm_key})
                        for (std::uint64_t const m_key : {0x0u, 0x41u, 0x42u}) {
                            service->own.sm_key = sm_key;
                            service->status = mad_status::invalid_value; // of a Set by a stranger
                            server.set_own_m_key(own_m_key, protection);
                            bool const has_m_key = own_m_key != 0 && m_key == own_m_key;
                            bool const is_open = own_m_key == 0 || has_m_key;
                            auto const told = shown_to(how, shows, m_key);
                            ASSERT_EQ(told.has_value(), is_open || (how == method::get && protection < 2));
                            if (!told)
                                continue;
                            bool const no_secret = sm_key == well_known_sm_key && (is_open || protection == 0);
                            EXPECT_EQ(*told, shows == sm_key || has_m_key || no_secret ? sm_key : 0)
                                << "SM_Key " << sm_key << ", shown " << shows << "; M_Key " << own_m_key << ", shown "
                                << m_key << "; protection " << protection << (how == method::set ? ", Set" : "");
                        }
}

TEST_F(SmInfo, IsGuardedByThePortsOwnKey)
{
    server.set_own_m_key(0x42, 2);
    request_options keyed{.timeout = 50ms, .retries = 0, .m_key = 0x42};
    request_options const keyless{.timeout = 50ms, .retries = 0};
    EXPECT_EQ(s.run(client.get<sm_info>(w.first_lid(), 0, keyless)).error(), errc::timeout);
    EXPECT_EQ(s.run(client.get<sm_info>(w.first_lid(), 0, keyed)).value().sm_key, 0x1234u);
    EXPECT_EQ(s.run(client.set(w.first_lid(), sm_info{}, 1, keyless)).error(), errc::timeout);
    EXPECT_TRUE(service->controls.empty());
    EXPECT_TRUE(s.run(client.set(w.first_lid(), sm_info{}, 1, keyed)));

    server.set_own_m_key(0x42, 1);
    EXPECT_EQ(s.run(client.get<sm_info>(w.first_lid(), 0, keyless)).value().sm_key, 0u) << "hidden";
    EXPECT_EQ(s.run(client.get<sm_info>(w.first_lid(), 0, keyed)).value().sm_key, 0x1234u);
    EXPECT_EQ(s.run(client.set(w.first_lid(), sm_info{}, 1, keyless)).error(), errc::timeout);

    server.set_own_m_key(0x42, 0);
    EXPECT_EQ(s.run(client.get<sm_info>(w.first_lid(), 0, keyless)).value().sm_key, 0u);
    EXPECT_EQ(s.run(client.set(w.first_lid(), sm_info{}, 1, keyless)).error(), errc::timeout);
    EXPECT_EQ(server.counters().sm_info_bad_key, 4u);
}

} // namespace
} // namespace madrigal::testing
