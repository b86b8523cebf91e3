// Agents, requests and servers of the public interface.
#include "conformance/api_fixture.hpp"

#include <set>
#include <string>

namespace madrigal::conformance {
namespace {

class ApiRequests : public Api {};

TEST_F(ApiRequests, AServersAnswerReachesWhoAsked)
{
    auto const serving = server();
    auto const asking = client();
    serve(serving, [this](request asked) -> asio::awaitable<void> {
        EXPECT_EQ(asked.method(), method::get);
        EXPECT_EQ(asked.source(), on.own_lid());
        EXPECT_EQ(asked.received().source_gid(), on.own_gid());
        asked.payload().copy_from("pong " + std::to_string(asked.mad().attribute_modifier()));
        EXPECT_TRUE(co_await asked.reply());
        EXPECT_EQ((co_await asked.reply()).error(), errc::already_replied);
    });
    for (std::uint32_t i = 0; i != 3; ++i) {
        auto const answer = run(asking.async_request(ping(i), {.timeout = 5s}, as_result));
        ASSERT_TRUE(answer) << answer.error().message();
        auto const payload = answer.value().payload();
        std::string_view const text{reinterpret_cast<char const*>(payload.data())};
        EXPECT_EQ(text, "pong " + std::to_string(i));
        EXPECT_EQ(answer.value().mad().method(), method::get_response);
        EXPECT_EQ(answer.value().source_gid(), on.own_gid());
    }
    EXPECT_EQ(asking.counters().answers, 3u);
    EXPECT_EQ(serving.counters().received, 3u);
    expect_nothing_held(asking);
}

TEST_F(ApiRequests, AnAttributeThatNobodyServesIsAStatusOfTheMad)
{
    auto const asking = port.register_agent(umad::vendor_class(0x0A, 0)).value();
    auto const answer = run(asking.async_request(get<class_port_info>(itself()), {.timeout = 5s}, as_result));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), make_mad_status(management_class{0x0A}, 0x000C)) << answer.error().message();
}

TEST_F(ApiRequests, ATimeoutIsAnErrorOfItsOwnAndLeavesNothing)
{
    auto const serving = server();
    serve(serving, ignore);
    auto const asking = client();
    auto const before = on.now();
    auto const answer = run(asking.async_request(ping(), {.timeout = 100ms, .retries = 2}, as_result));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::timeout);
    EXPECT_GE(on.now() - before, 290ms);
    expect_nothing_held(asking);
    EXPECT_EQ(asking.counters().timeouts, 1u);
    EXPECT_EQ(asking.counters().guard_timeouts, 0u) << "the kernel reports it, no guard has to";
    ASSERT_TRUE(run_until([&] { return serving.counters().received == 3; })) << "N retries are N + 1 transmissions";
}

TEST_F(ApiRequests, ManyAtATimeGetEachItsOwnAnswer)
{
    auto const serving = server();
    auto const asking = client({.window = {.size = 64}});
    serve(serving, echo);
    std::uint32_t const count = on.emulated() ? 10'000 : 1'000;
    std::uint32_t right = 0;
    std::uint32_t ended = 0;
    std::set<std::string> wrong;
    for (std::uint32_t i = 0; i != count; ++i)
        asking.async_request(ping(i), {.timeout = 20s}, [&, i](error_code code, received_mad const& answer) {
            ++ended;
            if (!code && answer.mad().attribute_modifier() == i)
                ++right;
            else
                wrong.insert(code.message());
        });
    ASSERT_TRUE(run_until([&] { return ended == count; }, 120s));
    EXPECT_EQ(right, count) << *wrong.begin();
    expect_nothing_held(asking);
}

TEST_F(ApiRequests, TheWindowBoundsWhatIsOnTheWire)
{
    auto const serving = server();
    auto const asking = client({.window = {.size = 4}});
    std::uint64_t most = 0;
    serve(serving, [&](request asked) -> asio::awaitable<void> {
        most = std::max(most, asking.gauges().on_wire);
        EXPECT_TRUE(co_await asked.reply());
    });
    int ended = 0;
    for (std::uint32_t i = 0; i != 40; ++i)
        asking.async_request(
            ping(i), {.timeout = 20s}, [&](error_code code, received_mad const&) { ended += code ? 0 : 1; });
    ASSERT_TRUE(run_until([&] { return ended == 40; }));
    EXPECT_EQ(most, 4u);
}

TEST_F(ApiRequests, ASendNeedsNoAnswerAndGetsNone)
{
    auto const serving = server();
    auto const asking = client();
    auto const sent = run(asking.async_send(ping(7), as_result));
    ASSERT_TRUE(sent) << sent.error().message();
    auto asked = run(serving.async_receive(as_result));
    ASSERT_TRUE(asked) << asked.error().message();
    EXPECT_EQ(asked.value().mad().attribute_modifier(), 7u);
    EXPECT_TRUE(run(asked.value().reply()));
    EXPECT_FALSE(run_until([&] { return asking.counters().stale_answers != 0; }, 300ms)) << "the kernel drops it";
}

TEST_F(ApiRequests, MadsThatNobodyHasTakenYetWaitInTheInbox)
{
    auto const serving = server();
    auto const asking = client();
    for (std::uint32_t i = 0; i != 3; ++i)
        ASSERT_TRUE(run(asking.async_send(ping(i), as_result)));
    for (std::uint32_t i = 0; i != 3; ++i) {
        auto const asked = run(serving.async_receive(as_result));
        ASSERT_TRUE(asked) << asked.error().message();
        EXPECT_EQ(asked.value().mad().attribute_modifier(), i);
    }
}

TEST_F(ApiRequests, AMethodThatIsTakenIsRefusedWithAnExplanation)
{
    auto const serving = server();
    auto const second = port.register_agent(umad::vendor_class(vendor, oui).serving(method::get));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::registration_refused);
    EXPECT_NE(second.error().message().find(on.ca()), std::string::npos) << second.error().message();
}

TEST_F(ApiRequests, UnsupportedFlagsNameTheSupportedOnes)
{
    raw_file file{on};
    umad::registration_detail detail;
    auto wanted_flags = umad::vendor_class(vendor, oui);
    wanted_flags.flags = 0x10;
    auto const registered = umad::register_agent(*file, wanted_flags, "the port", &detail);
    ASSERT_FALSE(registered);
    EXPECT_EQ(registered.error(), errc::unsupported_flags);
    EXPECT_EQ(detail.supported_flags, umad::user_rmpp);
}

class ApiCancellation : public Api {
protected:
    asio::cancellation_signal signal;
    error_code ended_with;
    int ended = 0;

    /// Something that waits all the time: a port is read only as long as anybody waits for what arrives there.
    static void keep_reading(agent const& asking)
    {
        asking.async_receive([](error_code, request const&) {});
    }
    void ask(agent const& asking, std::uint32_t number, request_options const& how)
    {
        asking.async_request(ping(number), how,
            asio::bind_cancellation_slot(signal.slot(), [this](error_code code, received_mad const&) {
                ended_with = code;
                ++ended;
            }));
    }
};

TEST_F(ApiCancellation, OnTheWireCompletesTheCallerAtOnceAndKeepsThePlaceUntilTheKernelsReport)
{
    auto const serving = server();
    auto const asking = client({.window = {.size = 1}});
    serve(serving, ignore);
    keep_reading(asking);
    ask(asking, 1, {.timeout = 400ms, .retries = 0});
    ASSERT_TRUE(run_until([&] { return serving.counters().received == 1; }));
    EXPECT_EQ(ended, 0);
    signal.emit(asio::cancellation_type::terminal);
    ASSERT_TRUE(run_until([&] { return ended == 1; }, 200ms));
    EXPECT_EQ(ended_with, asio::error::operation_aborted);
    EXPECT_EQ(asking.gauges().slots, 1u) << "the kernel still has it";
    EXPECT_EQ(asking.gauges().on_wire, 1u);
    ASSERT_TRUE(run_until([&] { return asking.gauges().slots == 0; }));
    EXPECT_EQ(asking.gauges().on_wire, 0u);
    EXPECT_EQ(asking.counters().late_answers, 1u);
    EXPECT_EQ(ended, 1);
}

TEST_F(ApiCancellation, AnAnswerThatComesAfterwardsFreesThePlaceAndReachesNobody)
{
    auto const serving = server();
    auto const asking = client({.window = {.size = 1}});
    keep_reading(asking);
    ask(asking, 1, {.timeout = 20s});
    auto asked = run(serving.async_receive(as_result)).value();
    signal.emit(asio::cancellation_type::terminal);
    ASSERT_TRUE(run_until([&] { return ended == 1; }));
    EXPECT_TRUE(run(asked.reply()));
    ASSERT_TRUE(run_until([&] { return asking.gauges().slots == 0; }, 5s));
    EXPECT_EQ(asking.counters().late_answers, 1u);
    EXPECT_EQ(ended, 1);
    serve(serving, echo);
    EXPECT_TRUE(run(asking.async_request(ping(2), {.timeout = 5s}, as_result)));
}

TEST_F(ApiCancellation, WhatStillWaitsIsTakenBackAndNeverSent)
{
    auto const serving = server();
    auto const asking = client({.window = {.size = 1}});
    serve(serving, ignore);
    bool first_ended = false;
    asking.async_request(
        ping(1), {.timeout = 300ms, .retries = 0}, [&](error_code, received_mad const&) { first_ended = true; });
    ask(asking, 2, {.timeout = 300ms});
    ASSERT_TRUE(run_until([&] { return serving.counters().received == 1; }));
    signal.emit(asio::cancellation_type::total);
    ASSERT_TRUE(run_until([&] { return ended == 1; }, 200ms));
    EXPECT_EQ(ended_with, asio::error::operation_aborted);
    ASSERT_TRUE(run_until([&] { return first_ended; }));
    EXPECT_FALSE(run_until([&] { return serving.counters().received != 1; }, 300ms));
    expect_nothing_held(asking);
}

TEST_F(ApiCancellation, ClosingAnAgentEndsItsRequestsAndFreesItsMethods)
{
    auto serving = server();
    auto asking = client();
    error_code server_end;
    serving.async_receive([&](error_code code, request const&) { server_end = code; });
    ask(asking, 1, {.timeout = 20s});
    asking.close();
    serving.close();
    ASSERT_TRUE(run_until([&] { return ended == 1 && server_end; }));
    EXPECT_EQ(ended_with, errc::agent_closed);
    EXPECT_EQ(server_end, errc::agent_closed);
    auto again = port.register_agent(umad::vendor_class(vendor, oui).serving(method::get));
    EXPECT_TRUE(again) << again.error().message();
}

} // namespace
} // namespace madrigal::conformance
