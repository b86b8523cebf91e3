// Requests on the simulated fabric: answers, errors, timeouts, cancellation.
#include "runtime/simulated.hpp"

#include <madrigal/wire/smp.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_future.hpp>

#include <vector>

namespace madrigal::testing {
namespace {

TEST(Request, IsAnsweredWithTheAttributeThatWasAskedFor)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto own = s.run(smp.async_request(get<node_info>(directed_route{0}), {}, as_result)).value();
    EXPECT_EQ(own.type, node_type::ca);
    EXPECT_EQ(own.node_guid, s.fabric->layout().at(s.host->node()).node_guid);
    auto next = s.run(smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result)).value();
    EXPECT_EQ(next.type, node_type::switch_);
    EXPECT_EQ(next.num_ports, s.fabric->layout().at(s.fabric->layout().find(next.node_guid)).port_count());
    expect_nothing_held(smp);
}

TEST(Request, GoesByLidFromAnAgentOfEitherSubnetManagementClass)
{
    simulated s{small_tree(), configured()};
    auto port = s.on_loop->open().value();
    auto const& other = s.fabric->layout().at(s.fabric->layout().size() - 1);
    auto const to = other.ports[0].base_lid.value();
    for (auto const& wanted : {subnet_directed_route(), subnet_lid_routed()}) {
        auto smp = port.register_agent(wanted).value();
        auto info = s.run(smp.async_request(get<node_info>(to), {}, as_result)).value();
        EXPECT_EQ(info.node_guid, other.node_guid);
    }
}

TEST(Request, GivesTheStatusOfAnAnswerAsItsError)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto const asked = s.run(smp.async_request(get<switch_info>(directed_route{0}), {}, as_result));
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().code().category(), mad_status_category());
    EXPECT_EQ(mad_status_of(asked.error().code()), mad_status::unsupported_method_attribute);
    EXPECT_NE(asked.error().message().find("0x000c"), std::string::npos) << asked.error().message();
}

TEST(Request, WithNRetriesIsSentNPlusOneTimesAndThenTimesOut)
{
    for (unsigned const retries : {0u, 1u, 4u}) {
        simulated s{small_tree()};
        auto const leaf = s.fabric->layout().at(s.host->node()).ports[0].peer.node;
        sim::fault_rule silent;
        silent.node = leaf;
        s.fabric->add_rule(silent);
        auto port = s.on_loop->open().value();
        auto smp = port.register_agent(subnet_directed_route()).value();
        auto const before = s.time.now();
        auto const sent_before = s.fabric->counters();
        auto const asked = s.run(
            smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 50ms, .retries = retries}, as_result));
        ASSERT_FALSE(asked);
        EXPECT_EQ(asked.error(), errc::timeout);
        EXPECT_GE(s.time.now() - before, 50ms * (retries + 1));
        EXPECT_LT(s.time.now() - before, 50ms * (retries + 1) + 100ms);
        EXPECT_EQ(s.fabric->counters().transmitted - sent_before.transmitted, retries + 1) << retries << " retries";
        expect_nothing_held(smp);
    }
}

TEST(Request, WithDoublingIntervalsKeepsItsTotalDeadline)
{
    simulated s{small_tree()};
    sim::fault_rule silent;
    s.fabric->add_rule(silent);
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto const before = s.time.now();
    auto const asked = s.run(smp.async_request(get<node_info>(directed_route{0, 1}),
        {.timeout = 10ms, .retries = 100, .total = 500ms, .doubling = true}, as_result));
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error(), errc::timeout);
    EXPECT_GE(s.time.now() - before, 490ms);
    EXPECT_LT(s.time.now() - before, 520ms);
    expect_nothing_held(smp);
}

TEST(Request, HasGivenItsPacketBackWhenItsHandlerRuns)
{
    simulated s{small_tree(), {}, {.max_packets = 2}}; // one of them for reading
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    request_options const kept_while_on_the_wire{.doubling = true};
    std::vector<error_code> outcomes;
    smp.async_request(
        get<node_info>(directed_route{0, 1}), kept_while_on_the_wire, [&](error_code first, node_info const&) {
            outcomes.push_back(first);
            smp.async_request(get<node_info>(directed_route{0, 1}), kept_while_on_the_wire,
                [&](error_code second, node_info const&) { outcomes.push_back(second); });
        });
    s.run_out();
    EXPECT_EQ(outcomes, (std::vector<error_code>{{}, {}}));
}

TEST(Request, MayRunTheLoopInAHandlerThatItsGuardDeadlineCalled)
{
    simulated s{small_tree()};
    sim::fault_rule silent;
    s.fabric->add_rule(silent);
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    int ended = 0;
    for (int i = 0; i != 3; ++i)
        smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 10ms, .retries = 0},
            [&](error_code code, node_info const&) {
                EXPECT_EQ(code, errc::timeout);
                ++ended;
                smp.async_request(get<node_info>(directed_route{0}), {.timeout = 10ms, .retries = 0},
                    [](error_code, node_info const&) {});
                s.loop.poll();
            });
    s.run_out();
    EXPECT_EQ(ended, 3);
    expect_nothing_held(smp);
}

TEST(Request, IsRefusedBeforeSendingWhereItCannotBe)
{
    simulated s{small_tree(), configured()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto perf = port.register_agent(umad::performance()).value();
    auto const no_timeout = s.run(smp.async_request(get<node_info>(directed_route{0}), {.timeout = 0ms}, as_result));
    EXPECT_EQ(no_timeout.error(), errc::invalid_argument);
    auto const routed = s.run(perf.async_request(get<class_port_info>(directed_route{0}), {}, as_result));
    EXPECT_EQ(routed.error(), errc::invalid_argument);
    auto const by_gid = s.run(smp.async_request(get<node_info>(destination{gid{}}), {}, as_result));
    EXPECT_EQ(by_gid.error(), errc::invalid_argument);
    EXPECT_EQ(port.counters().packets_written, 0u);
}

TEST(Request, WorksWithEveryKindOfCompletionToken)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto const what = get<node_info>(directed_route{0});
    int completed = 0;
    smp.async_request(what, {}, [&](error_code code, node_info const& info) {
        EXPECT_FALSE(code);
        EXPECT_EQ(info.type, node_type::ca);
        ++completed;
    });
    EXPECT_EQ(completed, 0) << "completed inside its own initiation";
    auto future = smp.async_request(what, {}, asio::use_future);
    auto result_future = smp.async_request(what, {}, as_result(asio::use_future));
    auto deferred = smp.async_request(what, {}, asio::deferred);
    s.run_out();
    EXPECT_EQ(completed, 1);
    EXPECT_EQ(future.get().type, node_type::ca);
    EXPECT_TRUE(result_future.get().has_value());
    std::move(deferred)([&](error_code code, node_info const&) {
        EXPECT_FALSE(code);
        ++completed;
    });
    s.run_out();
    EXPECT_EQ(completed, 2);
}

TEST(Request, ReturnsTheAnswerAsItCameWhenAskedByteByByte)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    raw_mad asked{directed_route{0, 1}};
    build_directed_route_smp(asked.bytes, method::get, 0, switch_info::layout.id, 0, 0, directed_route{0, 1});
    auto const answer = s.run(smp.async_request(asked, {}, as_result)).value();
    EXPECT_EQ(answer.mad().method(), method::get_response);
    EXPECT_EQ(answer.mad().outcome(), 0);
    EXPECT_EQ(answer.bytes().size(), mad_size);
    EXPECT_TRUE(answer.mad().attribute<switch_info>());
}

TEST(Request, IsRefusedWithQueueFullOnceWindowAndQueueAreFull)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 4}, .queue_limit = 8}).value();
    int answered = 0;
    int full = 0;
    for (int i = 0; i != 20; ++i)
        smp.async_request(get<node_info>(directed_route{0, 1}), {},
            [&](error_code code, node_info const&) { code == errc::queue_full ? ++full : ++answered; });
    s.run_out();
    // Started from outside the loop, all twenty are there before the first is written.
    EXPECT_EQ(answered, 12);
    EXPECT_EQ(full, 8);
    EXPECT_EQ(smp.counters().refused_full, 8u);
    expect_nothing_held(smp);
}

TEST(Request, ObeysTheLimitPerDestination)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 16}, .per_destination = 1}).value();
    std::vector<int> order;
    for (int i = 0; i != 3; ++i)
        smp.async_request(get<node_info>(directed_route{0, 1}), {}, [&, i](error_code, node_info const&) {
            order.push_back(i);
            EXPECT_LE(smp.gauges().on_wire, 2u);
        });
    smp.async_request(get<node_info>(directed_route{0}), {}, [&](error_code, node_info const&) { order.push_back(9); });
    s.run_out();
    EXPECT_EQ(order, (std::vector<int>{9, 0, 1, 2})) << "the other destination had to wait";
    expect_nothing_held(smp);
}

// Cancellation --------------------------------------------------------------------------------------------------------

struct cancelled_request {
    asio::cancellation_signal signal;
    int completions = 0;
    error_code code;

    void start(agent const& by, directed_route const& to, request_options const& how = {})
    {
        by.async_request(get<node_info>(to), how,
            asio::bind_cancellation_slot(signal.slot(), [this](error_code result, node_info const&) {
                ++completions;
                code = result;
            }));
    }
};

class Cancellation : public ::testing::TestWithParam<asio::cancellation_type> {};

TEST_P(Cancellation, RemovesWhatStillWaits)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 1}}).value();
    cancelled_request first;
    cancelled_request second;
    asio::post(s.loop, [&] {
        first.start(smp, directed_route{0, 1});
        second.start(smp, directed_route{0, 1});
        EXPECT_EQ(smp.gauges().waiting, 1u);
        second.signal.emit(GetParam());
        EXPECT_EQ(second.completions, 0) << "completed inside the cancellation";
    });
    s.run_out();
    EXPECT_EQ(second.completions, 1);
    EXPECT_EQ(second.code, asio::error::operation_aborted);
    EXPECT_EQ(first.completions, 1);
    EXPECT_FALSE(first.code);
    expect_nothing_held(smp);
}

INSTANTIATE_TEST_SUITE_P(Every, Cancellation,
    ::testing::Values(
        asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total));

TEST(RequestOnTheWire, IsCompletedByTerminalCancellationWhileItsSlotStaysTaken)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 1}}).value();
    cancelled_request first;
    cancelled_request second;
    asio::post(s.loop, [&] {
        first.start(smp, directed_route{0, 1});
        second.start(smp, directed_route{0, 1});
        first.signal.emit(asio::cancellation_type::terminal);
    });
    s.run_ready();
    EXPECT_EQ(first.code, asio::error::operation_aborted);
    EXPECT_EQ(smp.gauges().slots, 2u);
    EXPECT_EQ(smp.gauges().on_wire, 1u) << "the kernel still sends the cancelled request: its place is not free";
    s.run_out();
    EXPECT_EQ(first.completions, 1);
    EXPECT_EQ(second.completions, 1);
    EXPECT_FALSE(second.code);
    EXPECT_EQ(smp.counters().late_answers, 1u);
    expect_nothing_held(smp);
}

TEST(RequestOnTheWire, IgnoresTotalCancellationAlone)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    cancelled_request one;
    asio::post(s.loop, [&] {
        one.start(smp, directed_route{0, 1});
        one.signal.emit(asio::cancellation_type::total);
    });
    s.run_out();
    EXPECT_EQ(one.completions, 1);
    EXPECT_FALSE(one.code);
}

TEST(Request, CancelledFromAnotherThreadsStartIsStillCompletedOnce)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    // The test's thread is not running the loop, so this takes the way of any other thread.
    cancelled_request early;
    early.start(smp, directed_route{0, 1});
    early.signal.emit(asio::cancellation_type::terminal);
    s.run_out();
    EXPECT_EQ(early.completions, 1);
    EXPECT_EQ(early.code, asio::error::operation_aborted);
    // Nobody waits for the cancelled request's answer; whoever waits next takes it off the kernel's list.
    EXPECT_TRUE(s.run(smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result)));
    expect_nothing_held(smp);
}

TEST(Agent, EndsEveryOperationOnceWhenItIsClosed)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 2}}).value();
    std::vector<cancelled_request> all(6);
    asio::post(s.loop, [&] {
        for (auto& one : all)
            one.start(smp, directed_route{0, 1});
        smp.close();
        smp.close();
    });
    s.run_out();
    for (auto const& one : all) {
        EXPECT_EQ(one.completions, 1);
        EXPECT_EQ(one.code, errc::agent_closed);
    }
    expect_nothing_held(smp);
    cancelled_request late;
    late.start(smp, directed_route{0, 1});
    s.run_out();
    EXPECT_EQ(late.code, errc::agent_closed);
}

TEST(Loop, ReturnsFromRunWhenNothingIsOutstandingThoughAgentsAndServersAreOpen)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto server = port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    EXPECT_TRUE(s.run(smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result)));
    s.loop.restart();
    s.loop.run(); // hangs here if anything is still waited for
    EXPECT_EQ(s.time.armed(), 0u) << "a timer of the runtime still runs";
}

TEST(Loop, DestroysTheCoroutinesThatWaitWhenItIsDestroyed)
{
    auto const witness = std::make_shared<int>(0);
    {
        simulated s{small_tree(), slow()};
        asio::co_spawn(
            s.loop,
            [](reactor& on, std::shared_ptr<int> held) -> asio::awaitable<void> {
                auto port = on.open().value();
                auto smp = port.register_agent(subnet_directed_route()).value();
                (void)co_await smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result);
                ADD_FAILURE() << "nobody moves the clock";
                (void)held;
            }(*s.on_loop, witness),
            [](std::exception_ptr) {});
        s.run_ready();
        EXPECT_GT(witness.use_count(), 1);
    }
    EXPECT_EQ(witness.use_count(), 1);
}

} // namespace
} // namespace madrigal::testing
