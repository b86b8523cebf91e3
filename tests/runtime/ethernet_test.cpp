// RoCE: writes that wait in the kernel hold up neither the loop nor other agents.
#include "runtime/ethernet.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <filesystem>
#include <random>
#include <vector>

namespace madrigal::testing {
namespace {

std::size_t threads_of_this_process()
{
    auto const tasks = std::filesystem::directory_iterator{"/proc/self/task"};
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_F(ethernet, EachAgentHasAFileOfItsOwn)
{
    EXPECT_EQ(host.files.size(), 3U);
    now([&] {
        ask(first, 1);
        ask(second, 2);
    });
    until_outcomes(2);
    EXPECT_EQ(first_file().written().size(), 1U);
    EXPECT_EQ(second_file().written().size(), 1U);
    EXPECT_EQ(port.counters().packets_written, 2U);
    EXPECT_EQ(port.counters().packets_read, 2U);
    second.close();
    run_out();
    EXPECT_TRUE(second_file().closed());
    EXPECT_FALSE(first_file().closed());
    EXPECT_EQ(port.counters().packets_written, 2U) << "what a closed agent has written still counts";
}

TEST_F(ethernet, TimersAndOtherAgentsGoOnWhileAWriteWaits)
{
    get_stuck();
    bool timer_fired = false;
    asio::steady_timer timer{*loop, std::chrono::milliseconds{0}};
    timer.async_wait([&](error_code) { timer_fired = true; });
    now([&] {
        for (std::uint32_t number = 2; number != 12; ++number)
            ask(second, number, itself);
    });
    until([&] { return timer_fired && outcomes.size() == 10; });
    for (auto const& [number, code] : outcomes)
        EXPECT_FALSE(code) << number << ": " << code.message();
    first_file().open();
    until_outcomes(11);
    EXPECT_EQ(outcomes.back().first, 1U);
    EXPECT_FALSE(outcomes.back().second);
    expect_nothing_held(first);
}

TEST_F(ethernet, WhatArrivesWhileAWriteWaitsIsReadWhenItHasComeBack)
{
    first_file().answer(false);
    now([&] { ask(first, 1); });
    until([&] { return port.counters().packets_written == 1; });
    get_stuck(2);
    auto const reads = first_file().reads();
    first_file().deliver_for(first_file().written().front());
    ready();
    EXPECT_TRUE(outcomes.empty());
    EXPECT_EQ(first_file().reads(), reads);
    first_file().let(1);
    until_outcomes(1);
    EXPECT_EQ(outcomes.front(), (std::pair{1U, error_code{}}));
}

TEST_F(ethernet, AnswersAreReadBetweenTwoWritesThatWait)
{
    first_file().answer(false);
    first_file().shut();
    now([&] {
        for (std::uint32_t number = 1; number != 4; ++number)
            ask(first, number);
    });
    first_file().until_stuck();
    first_file().let(1);
    until([&] { return first_file().written().size() == 1; });
    run_until_stuck(); // in the second
    first_file().deliver_for(first_file().written().front());
    ready();
    EXPECT_TRUE(outcomes.empty());
    first_file().let(1);
    until_outcomes(1); // although the third would be next
    run_until_stuck();
    EXPECT_EQ(first_file().written().size(), 2U);
}

TEST_F(ethernet, TheOrderOfAnAgentsWritesIsKept)
{
    now([&] { ask(first, 100, itself); });
    until_outcomes(1);
    first_file().shut();
    auto const out = first.sender();
    now([&] {
        for (std::uint32_t number = 1; number != 30; ++number)
            switch (number % 3) {
            case 0: ask(first, number, number % 2 == 0 ? itself : nobody); break;
            case 1: EXPECT_TRUE(out.try_send(numbered(number % 2 == 0 ? itself : nobody, number))); break;
            default: first.async_send(numbered(nobody, number), [](error_code code) { EXPECT_FALSE(code); });
            }
    });
    first_file().open();
    until([&] { return first_file().written().size() == 30; });
    run_out();
    auto const written = first_file().written();
    for (std::uint32_t number = 1; number != 30; ++number)
        EXPECT_EQ(number_of(written[number]), number);
}

TEST_F(ethernet, OwnGidsAreWrittenOnTheLoopAfterTheFirstTime)
{
    auto const here = std::this_thread::get_id();
    for (std::uint32_t number = 1; number != 4; ++number) {
        now([&] { ask(first, number, itself); });
        until_outcomes(number);
    }
    now([&] { ask(first, 4, nobody); });
    until_outcomes(4);
    now([&] { ask(first, 5, nobody); });
    until_outcomes(5);
    auto const writers = first_file().writers();
    ASSERT_EQ(writers.size(), 5U);
    EXPECT_NE(writers[0], here);
    EXPECT_EQ(writers[1], here);
    EXPECT_EQ(writers[2], here);
    EXPECT_EQ(writers[3], writers[0]) << "one thread for a file";
    EXPECT_EQ(writers[4], writers[0]) << "others' neighbours may be forgotten";

    first_file().refuse(EHOSTUNREACH);
    now([&] { ask(first, 6, itself); });
    until_outcomes(6);
    EXPECT_EQ(outcomes.back().second.value(), EHOSTUNREACH);
    first_file().refuse(0);
    now([&] { ask(first, 7, itself); });
    until_outcomes(7);
    EXPECT_EQ(first_file().writers()[5], here);
    EXPECT_EQ(first_file().writers()[6], writers[0]) << "perhaps its own no more";
}

TEST_F(ethernet, AWriteThatFailsLateGivesTheKernelsErrno)
{
    get_stuck();
    error_code sent;
    now([&] {
        first.async_send(numbered(nobody, 2), [&](error_code code) { sent = code; });
        EXPECT_TRUE(first.sender().try_send(numbered(nobody, 3)));
    });
    first_file().refuse(EHOSTUNREACH);
    EXPECT_TRUE(outcomes.empty());
    EXPECT_FALSE(sent);
    first_file().open();
    run_out();
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes.front().second, (error_code{EHOSTUNREACH, boost::system::system_category()}));
    EXPECT_EQ(sent, outcomes.front().second);
    EXPECT_EQ(first.counters().failed_writes, 3U);
    EXPECT_EQ(first.counters().sends, 2U);
    expect_nothing_held(first);
}

TEST_F(ethernet, AFailedWriteMakesPlaceForTheNext)
{
    auto narrow = port.register_agent(umad::performance(), {.window = {.size = 1}}).value();
    auto& file = *host.files.at(3);
    file.refuse(EHOSTUNREACH);
    now([&] {
        for (std::uint32_t number = 1; number != 6; ++number)
            ask(narrow, number);
    });
    until_outcomes(5);
    expect_nothing_held(narrow);
    EXPECT_EQ(file.writers().size(), 5U);
}

TEST_F(ethernet, TheTimeOfARequestBeginsWhenTheKernelHasTakenIt)
{
    first_file().answer(false);
    get_stuck(1, {.timeout = 100ms, .retries = 9, .total = 250ms});
    time.advance(10s);
    ready();
    EXPECT_TRUE(outcomes.empty());
    first_file().let(1);
    until([&] { return time.armed() != 0; });
    EXPECT_EQ(header_of(first_file().written().at(0)).retries, 1U) << "100 ms twice, and 50 ms are left";

    time.advance(200ms);
    first_file().deliver_for(first_file().written().at(0), true);
    run_until_stuck(); // in the repetition
    time.advance(10s);
    first_file().let(1);
    until([&] { return time.next() > time.now() && time.armed() != 0; }); // taken, as the loop knows
    EXPECT_EQ(header_of(first_file().written().at(1)).timeout_ms, 50U);
    time.advance(50ms);
    first_file().deliver_for(first_file().written().at(1), true);
    until_outcomes(1);
    EXPECT_EQ(outcomes.front().second, errc::timeout);
    EXPECT_EQ(first.counters().guard_timeouts, 0U);
    expect_nothing_held(first);
}

TEST_F(ethernet, AKernelWithShortHeadersGetsTheSamePacketEachTime)
{
    host.header_size = umad::old_header_size;
    auto old = port.register_agent(umad::performance()).value();
    auto& file = *host.files.at(3);
    file.answer(false);
    now([&] { ask(old, 7, nobody, {.timeout = 100ms, .retries = 1, .doubling = true}); });
    until([&] { return port.counters().packets_written == 1; });
    file.deliver_for(file.written().at(0), true);
    until([&] { return port.counters().packets_written == 2; });
    auto const written = file.written();
    EXPECT_EQ(written.at(0).size(), umad::old_header_size + mad_size);
    EXPECT_EQ(written.at(0), written.at(1));
    EXPECT_EQ(destination_of(written.at(1)), other_gid);
    EXPECT_EQ(mad_view{std::span{written.at(1)}.subspan(umad::old_header_size)}.attribute_modifier(), 7U);
    file.deliver_for(written.at(1));
    until_outcomes(1);
    EXPECT_FALSE(outcomes.front().second) << outcomes.front().second.message();
}

TEST_F(ethernet, AGuardDeadlineWaitsUntilWhatHasArrivedHasBeenRead)
{
    first_file().answer(false);
    now([&] { ask(first, 1, nobody, {.timeout = 100ms, .retries = 0}); });
    until([&] { return time.armed() != 0; }); // written
    get_stuck(2, {.timeout = 100s});
    first_file().deliver_for(first_file().written().front());
    time.advance(50s);
    ready();
    EXPECT_TRUE(outcomes.empty());
    first_file().open();
    until_outcomes(1);
    EXPECT_EQ(outcomes.front(), (std::pair{1U, error_code{}})) << "answered in time, though read late";
    EXPECT_EQ(first.counters().guard_timeouts, 0U);
}

TEST_F(ethernet, AGuardDeadlineStillPassesWhenNothingHasArrived)
{
    first_file().answer(false);
    now([&] { ask(first, 1, nobody, {.timeout = 100ms, .retries = 0}); });
    until([&] { return time.armed() != 0; });
    get_stuck(2, {.timeout = 100s});
    time.advance(50s);
    ready();
    EXPECT_TRUE(outcomes.empty());
    first_file().open();
    until_outcomes(1);
    EXPECT_EQ(outcomes.front().second, errc::timeout);
    EXPECT_EQ(first.counters().guard_timeouts, 1U);
}

TEST_F(ethernet, SendsThatWaitAreLimited)
{
    auto few = port.register_agent(umad::performance(), {.queue_limit = 2}).value();
    auto& file = *host.files.at(3);
    file.shut();
    auto const out = few.sender();
    now([&] {
        EXPECT_TRUE(out.try_send(numbered(nobody, 1)));
        EXPECT_TRUE(out.try_send(numbered(nobody, 2)));
        EXPECT_EQ(out.try_send(numbered(nobody, 3)).error(), errc::queue_full);
    });
    file.open();
    run_out();
    EXPECT_EQ(file.written().size(), 2U);
    EXPECT_EQ(few.counters().sends, 2U);
    now([&] { EXPECT_TRUE(out.try_send(numbered(nobody, 4))); });
    run_out();
    EXPECT_EQ(file.written().size(), 3U);
}

TEST_F(ethernet, TheLoopRunsAsLongAsWritesAreUnderWay)
{
    first_file().shut();
    std::thread opener{[&] {
        first_file().until_stuck();
        first_file().open();
    }};
    asio::post(*loop, [&] { EXPECT_TRUE(first.sender().try_send(numbered(nobody, 1))); });
    run_out();
    EXPECT_EQ(first_file().written().size(), 1U);
    EXPECT_EQ(port.counters().packets_written, 1U);
    opener.join();
}

TEST_F(ethernet, TenThousandRequestsCompleteOnceEachThroughAGateThatOpensAndShuts)
{
    constexpr std::uint32_t total = 10'000;
    std::atomic<bool> ended = false;
    std::thread gate{[&] {
        std::mt19937 random{7};
        while (!ended) {
            first_file().shut();
            first_file().let(random() % 5);
            std::this_thread::yield();
            if (random() % 3 == 0)
                first_file().open();
        }
        first_file().open();
    }};
    std::vector<int> times(total, 0);
    std::uint32_t next = 0;
    std::size_t cancelled = 0;
    std::mt19937 random{11};
    std::vector<asio::cancellation_signal> signals(64);
    std::function<void(std::size_t)> ask_next = [&](std::size_t place) {
        if (next == total)
            return;
        auto const number = next++;
        first.async_request(numbered(number % 4 == 0 ? itself : nobody, number), {.timeout = 1000s},
            asio::bind_cancellation_slot(
                signals[place].slot(), [&, number, place](error_code code, received_mad const& answer) {
                    ++times[number];
                    if (code == asio::error::operation_aborted)
                        ++cancelled;
                    else
                        EXPECT_TRUE(!code && answer.mad().attribute_modifier() == number) << code.message();
                    ask_next(place);
                }));
        if (random() % 8 == 0)
            asio::post(*loop,
                [&, victim = random() % signals.size()] { signals[victim].emit(asio::cancellation_type::terminal); });
    };
    asio::post(*loop, [&] {
        for (std::size_t place = 0; place != signals.size(); ++place)
            ask_next(place);
    });
    run_out();
    ended = true;
    gate.join();
    for (std::uint32_t number = 0; number != total; ++number)
        ASSERT_EQ(times[number], 1) << number;
    EXPECT_GT(cancelled, 0U);
    // What was cancelled last has been answered, and nobody waits for it: the next question reads it.
    now([&] { ask(first, total); });
    until_outcomes(1);
    run_out();
    expect_nothing_held(first);
}

TEST(OnInfiniBand, NoThreadIsEverMadeAndAllAgentsShareAFile)
{
    slow_host host;
    host.layer = umad::link_layer::infiniband;
    asio::io_context loop{1};
    reactor on_loop{loop, host};
    auto port = on_loop.open().value();
    auto first = port.register_agent(umad::performance()).value();
    auto second = port.register_agent(umad::vendor_class(0x32, umad::openib_oui)).value();
    auto const before = threads_of_this_process();
    int answers = 0;
    asio::post(loop, [&] {
        for (std::uint32_t number = 0; number != 100; ++number) {
            (number % 2 == 0 ? first : second)
                .async_request(numbered(nobody, number), {}, [&](error_code code, received_mad const&) {
                    answers += code ? 0 : 1;
                    EXPECT_EQ(threads_of_this_process(), before);
                });
            EXPECT_TRUE(first.sender().try_send(numbered(nobody, number)));
        }
    });
    loop.run();
    EXPECT_EQ(answers, 100);
    ASSERT_EQ(host.files.size(), 1U);
    for (auto const writer : host.files[0]->writers())
        EXPECT_EQ(writer, std::this_thread::get_id());
    EXPECT_EQ(host.files[0]->writers().size(), 200U);
}

} // namespace
} // namespace madrigal::testing
