// RoCE: cancellation, closing, and devices that go, while a write waits in the kernel.
#include "runtime/ethernet.hpp"

namespace madrigal::testing {
namespace {

TEST_F(ethernet, CancellationCompletesAtOnceWhileTheSlotIsKeptForTheKernel)
{
    first_file().answer(false);
    first_file().shut();
    asio::cancellation_signal signal;
    now([&] { ask(first, 1, signal, {.timeout = 100ms, .retries = 0}); });
    first_file().until_stuck();
    now([&] { signal.emit(asio::cancellation_type::total); });
    ready();
    EXPECT_TRUE(outcomes.empty()) << "total alone is ignored";
    now([&] { signal.emit(asio::cancellation_type::terminal); });
    until_outcomes(1);
    EXPECT_EQ(outcomes.front().second, asio::error::operation_aborted);
    EXPECT_EQ(first.gauges().slots, 1U);
    EXPECT_EQ(first.gauges().on_wire, 1U);
    first_file().open();
    until([&] { return time.armed() == 0 && first_file().written().size() == 1; });
    run_out();
    EXPECT_EQ(first.gauges().slots, 1U) << "the kernel has it";
    first_file().deliver_for(first_file().written().front(), true);
    now([&] { ask(first, 2); });
    until([&] { return first.counters().late_answers == 1; });
    EXPECT_EQ(first.gauges().slots, 1U);
}

TEST_F(ethernet, ACancelledWriteThatIsRefusedLeavesNothing)
{
    first_file().shut();
    asio::cancellation_signal signal;
    now([&] { ask(first, 1, signal); });
    first_file().until_stuck();
    now([&] { signal.emit(asio::cancellation_type::terminal); });
    first_file().refuse(ETIMEDOUT);
    first_file().open();
    run_out();
    EXPECT_EQ(outcomes.size(), 1U);
    expect_nothing_held(first);
}

TEST_F(ethernet, WhatTheWriterHasNotBegunIsTakenBack)
{
    get_stuck();
    asio::cancellation_signal total;
    asio::cancellation_signal terminal;
    now([&] {
        ask(first, 2, total);
        ask(first, 3);
        ask(first, 4, terminal);
        total.emit(asio::cancellation_type::total);
        terminal.emit(asio::cancellation_type::terminal);
    });
    until_outcomes(2);
    EXPECT_EQ(outcomes[0], (std::pair{2U, error_code{asio::error::operation_aborted}}));
    EXPECT_EQ(outcomes[1], (std::pair{4U, error_code{asio::error::operation_aborted}}));
    EXPECT_EQ(first.gauges().slots, 2U);
    first_file().open();
    run_out();
    auto const written = first_file().written();
    ASSERT_EQ(written.size(), 2U);
    EXPECT_EQ(number_of(written[0]), 1U);
    EXPECT_EQ(number_of(written[1]), 3U);
    EXPECT_EQ(outcomes.size(), 4U);
    expect_nothing_held(first);
}

TEST_F(ethernet, ClosingTheAgentEndsEverythingAtOnceAndTheFileLater)
{
    get_stuck();
    error_code sent;
    now([&] {
        ask(first, 2);
        first.async_send(numbered(nobody, 3), [&](error_code code) { sent = code; });
        first.close();
    });
    run_out(); // nothing keeps it running
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_EQ(outcomes[0].second, errc::agent_closed);
    EXPECT_EQ(outcomes[1].second, errc::agent_closed);
    EXPECT_EQ(sent, errc::agent_closed);
    EXPECT_FALSE(first_file().closed());
    expect_nothing_held(first);
    first_file().open();
    first_file().until_closed();
    EXPECT_EQ(first_file().written().size(), 1U) << "what was queued is not written any more";
}

TEST_F(ethernet, ClosingThePortEndsEverythingAtOnce)
{
    get_stuck();
    now([&] { port.close(); });
    run_out();
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].second, errc::agent_closed);
    EXPECT_TRUE(second_file().closed());
    EXPECT_FALSE(first_file().closed());
}

TEST_F(ethernet, TheLoopMayBeDestroyedWhileAWriteWaits)
{
    auto const witness = std::make_shared<int>();
    first_file().shut();
    now([&] {
        for (std::uint32_t number = 1; number != 5; ++number)
            first.async_request(numbered(nobody, number), {},
                [witness](error_code, received_mad const&) { FAIL() << "not completed"; });
        first.async_send(numbered(nobody, 5), [witness](error_code) { FAIL() << "not completed"; });
        EXPECT_TRUE(first.sender().try_send(numbered(nobody, 6)));
    });
    first_file().until_stuck();
    first = agent{}; // takes effect when the loop runs next, which it never does
    second = agent{};
    port = {};
    on_loop.reset();
    EXPECT_GT(witness.use_count(), 1);
    loop.reset();
    EXPECT_EQ(witness.use_count(), 1) << "destroyed with the loop";
    EXPECT_FALSE(first_file().closed());
    first_file().open();
    first_file().until_closed();
    EXPECT_EQ(first_file().written().size(), 1U);
}

TEST_F(ethernet, ADeviceThatTheWriterFindsGoneIsGoneForAllAndComesBack)
{
    get_stuck();
    now([&] {
        ask(first, 2);
        ask(second, 3, nobody, {.timeout = 100s});
    });
    until_outcomes(1); // the second agent's
    outcomes.clear();
    second_file().answer(false);
    now([&] { ask(second, 4, nobody, {.timeout = 100s}); });
    for (auto const& file : host.files)
        file->vanish();
    host.there = false;
    first_file().open();
    until_outcomes(3);
    for (auto const& [number, code] : outcomes)
        EXPECT_EQ(code, errc::device_gone) << number;
    EXPECT_TRUE(port.gone());
    EXPECT_EQ(port.counters().device_losses, 1U);
    expect_nothing_held(first);
    expect_nothing_held(second);
    EXPECT_EQ(port.register_agent(umad::performance()).error(), errc::device_gone);

    error_code reopened = errc::timeout;
    port.async_reopen(10s, [&](error_code code) { reopened = code; });
    host.there = true;
    run_out();
    EXPECT_FALSE(reopened) << reopened.message();
    EXPECT_FALSE(port.gone());
    ASSERT_EQ(host.files.size(), 6U);
    outcomes.clear();
    now([&] {
        ask(first, 5);
        ask(second, 6, itself);
    });
    until_outcomes(2);
    for (auto const& [number, code] : outcomes)
        EXPECT_FALSE(code) << number << ": " << code.message();
}

TEST_F(ethernet, AnAgentClosedAfterALossIsNotOpenedAgain)
{
    for (auto const& file : host.files)
        file->vanish();
    now([&] { ask(first, 1); });
    until_outcomes(1);
    now([&] { first.close(); });
    EXPECT_TRUE(first_file().closed());
    error_code reopened = errc::timeout;
    port.async_reopen(10s, [&](error_code code) { reopened = code; });
    run_out();
    EXPECT_FALSE(reopened) << reopened.message();
    EXPECT_FALSE(port.gone());
    EXPECT_EQ(host.files.size(), 5U) << "the port's and the second agent's";
}

TEST_F(ethernet, ADeviceMayComeBackWhileAWriteToTheOldOneWaits)
{
    get_stuck();
    for (auto const& file : host.files)
        file->vanish();
    now([&] { ask(second, 2); });
    until_outcomes(2);
    EXPECT_EQ(outcomes[0].second, errc::device_gone);
    EXPECT_EQ(outcomes[1].second, errc::device_gone);
    error_code reopened = errc::timeout;
    port.async_reopen(10s, [&](error_code code) { reopened = code; });
    run_out();
    EXPECT_FALSE(reopened) << reopened.message();
    EXPECT_FALSE(first_file().closed());
    outcomes.clear();
    now([&] { ask(first, 3); });
    until_outcomes(1);
    EXPECT_FALSE(outcomes[0].second) << outcomes[0].second.message();
    first_file().open();
    first_file().until_closed();
}

TEST_F(ethernet, AGuardDeadlineIsKeptThoughTheWriterHasEverMoreToDo)
{
    first_file().answer(false);
    now([&] { ask(first, 1, nobody, {.timeout = 100ms, .retries = 0}); });
    until([&] { return time.armed() != 0; });
    first_file().shut();
    now([&] {
        for (std::uint32_t number = 2; number != 22; ++number)
            ask(first, number, nobody, {.timeout = 100'000s});
    });
    first_file().until_stuck();
    time.advance(50s);
    ready();
    for (int writes = 0; writes != 3 && outcomes.empty(); ++writes) {
        auto const before = first_file().written().size();
        first_file().let(1);
        while (first_file().written().size() == before || !first_file().is_stuck())
            ready();
    }
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes.front().second, errc::timeout);
    EXPECT_EQ(first.counters().guard_timeouts, 1U);
    first_file().open();
}

/// A loop that reads one packet a turn.
class ethernet_with_short_turns : public ethernet {
protected:
    ethernet_with_short_turns()
    {
        first = agent{};
        second = agent{};
        port = {};
        ready();
        on_loop.emplace(*loop, host, reactor_options{.read_budget = 1, .time = &time});
        port = on_loop->open({.ca = "rxe0", .port = 1}).value();
        place = host.files.size();
        first = port.register_agent(umad::performance()).value();
    }
    [[nodiscard]] slow_file_state& file() { return *host.files.at(place); }

    std::size_t place = 0;
};

TEST_F(ethernet_with_short_turns, TheLastOperationMayBeCancelledWhileTheWriterHasTheFile)
{
    file().answer(false);
    asio::cancellation_signal signal;
    error_code outcome;
    now([&] {
        first.async_request(numbered(nobody, 2), {.timeout = 100s},
            asio::bind_cancellation_slot(signal.slot(), [&](error_code code, received_mad const&) { outcome = code; }));
        first.async_request(numbered(nobody, 1), {.timeout = 100s}, [&](error_code, received_mad const&) {
            file().shut();
            first.async_send(numbered(nobody, 3), [](error_code) {});
            asio::post(*loop, [&] { EXPECT_NO_THROW(signal.emit(asio::cancellation_type::terminal)); });
        });
    });
    while (file().written().size() != 2 || port.counters().packets_written != 2)
        ready();
    file().deliver_for(file().written().at(1));
    until([&] { return static_cast<bool>(outcome); });
    EXPECT_EQ(outcome, asio::error::operation_aborted);
    file().open();
}

} // namespace
} // namespace madrigal::testing
