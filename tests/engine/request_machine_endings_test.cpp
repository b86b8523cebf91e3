#include "engine/request_machine_support.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr retry_policy once{.timeout = 100ms, .retries = 0};
constexpr retry_policy doubling{.timeout = 100ms, .retries = 3, .pace = retry_policy::backoff::doubling};

// Verdicts ------------------------------------------------------------------------------------------------------------

class RequestVerdicts : public with_machine {};

TEST_F(RequestVerdicts, AnAnswerIsAboutWhatWasAsked)
{
    machine m{{}};
    auto request = made(question(pool, 0x15, 3), 1, once);
    auto const [how, entry] = m.start(request);
    ASSERT_EQ(how, admission::write);
    write(m, *entry);
    auto const id = entry->id();
    EXPECT_EQ(m.on_answer(answer{id, 0x16, 3}, now).what, verdict::mismatch) << "another attribute";
    EXPECT_EQ(m.on_answer(answer{id, 0x15, 4}, now).what, verdict::mismatch) << "another port";
    EXPECT_EQ(m.on_answer(answer{id, 0x15, 2}, now).what, verdict::mismatch) << "the last bit counts too";
    EXPECT_EQ(m.on_answer(answer{id, 0x15, 3, management_class::subnet_lid_routed}, now).what, verdict::mismatch);
    EXPECT_EQ(m.size(), 1U) << "what is no answer ends nothing";
    auto const right = m.on_answer(answer{id, 0x15, 3}, now);
    ASSERT_EQ(right.what, verdict::complete);
    EXPECT_EQ(right.entry, entry);
    EXPECT_EQ(m.finish(*entry)->operation().complete(), 1U);
    expect_empty(m);
}

TEST_F(RequestVerdicts, ARedirectionMayBeAboutClassPortInfo)
{
    machine m{{}};
    auto request = made(question(pool, 0x15, 3), 1, once);
    auto const [how, entry] = m.start(request);
    ASSERT_EQ(how, admission::write);
    write(m, *entry);
    auto const id = entry->id();
    auto const redirected = mad_status::redirect_required;
    EXPECT_EQ(m.on_answer(answer{id, attribute_id::class_port_info}, now).what, verdict::mismatch);
    EXPECT_EQ(m.on_answer(answer{id, attribute_id::class_port_info}.with_status(mad_status::busy), now).what,
        verdict::mismatch);
    EXPECT_EQ(m.on_answer(answer{id, 0x16}.with_status(redirected), now).what, verdict::mismatch);
    EXPECT_EQ(
        m.on_answer(answer{id, attribute_id::class_port_info, 0, management_class::subnet_administration}.with_status(
                        redirected),
             now)
            .what,
        verdict::mismatch);
    EXPECT_EQ(
        m.on_answer(answer{id, attribute_id::class_port_info}.with_status(redirected), now).what, verdict::complete);
    EXPECT_EQ(m.finish(*entry)->operation().complete(), 1U);
    expect_empty(m);
}

TEST_F(RequestVerdicts, TheBaseboardClassKeepsItsResponseBitInTheModifier)
{
    machine m{{}};
    auto request = made(question(pool, 0x20, 6, management_class::baseboard), 1, once);
    auto const [how, entry] = m.start(request);
    ASSERT_EQ(how, admission::write);
    write(m, *entry);
    auto const id = entry->id();
    EXPECT_EQ(m.on_answer(answer{id, 0x20, 9, management_class::baseboard}, now).what, verdict::mismatch);
    EXPECT_EQ(m.on_answer(answer{id, 0x20, 7, management_class::baseboard}, now).what, verdict::complete);
    EXPECT_EQ(m.finish(*entry)->operation().complete(), 1U);
    expect_each_handed_back_once();
}

TEST_F(RequestVerdicts, TheUpperHalfOfATransactionIdIsTheKernels)
{
    machine m{{}};
    auto const asked = ask_on_wire(m);
    EXPECT_EQ(answered(m, 0xDEADBEEF00000000 | asked.entry->id()), asked.operation);
    auto const timed_out = ask_on_wire(m, 1, once);
    now += 100ms;
    auto const judged = m.on_timeout(0x0000000700000000 | timed_out.entry->id(), now);
    ASSERT_EQ(judged.what, verdict::complete);
    EXPECT_EQ(m.finish(*judged.entry)->operation().complete(), timed_out.operation);
    expect_empty(m);
}

TEST_F(RequestVerdicts, ASecondAnswerOrReportIsStale)
{
    machine m{{}};
    auto const asked = ask_on_wire(m);
    auto const id = asked.entry->id();
    answered(m, id);
    EXPECT_EQ(m.on_answer(answer{id}, now).what, verdict::stale);
    EXPECT_EQ(m.on_timeout(id, now).what, verdict::stale);
    EXPECT_FALSE(m.cancel(id, true));
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestVerdicts, WhatIsNotOnTheWireHasNoAnswer)
{
    machine m{{.window = {.size = 2}, .per_destination = 1}};
    auto const on_wire = ask_on_wire(m, 7);
    auto const parked = ask(m, 7);
    auto const other = ask_on_wire(m, 8);
    auto const queued = ask(m, 9);
    for (auto const& waiting : {parked, queued}) {
        EXPECT_EQ(m.on_answer(answer{waiting.entry->id()}, now).what, verdict::stale);
        EXPECT_EQ(m.on_timeout(waiting.entry->id(), now).what, verdict::stale);
    }
    answered(m, on_wire.entry->id());
    EXPECT_EQ(m.on_answer(answer{parked.entry->id()}, now).what, verdict::stale) << "ready, not yet written";
    EXPECT_EQ(m.on_timeout(parked.entry->id(), now).what, verdict::stale);
    EXPECT_EQ(m.size(), 3U);
    answered(m, other.entry->id());
    for (auto& operation : m.end_all())
        operation.complete();
    expect_each_handed_back_once();
}

TEST_F(RequestVerdicts, HostileTransactionIdsFindNothing)
{
    machine m{{}};
    auto const asked = ask_on_wire(m);
    std::uint64_t const id = asked.entry->id();
    std::vector<std::uint64_t> ids{
        0, 1, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, id << 32, id + 1, id - 1, 0xFFF00000, 0x000FFFFF, 0xFFFFFFFF00000000};
    for (unsigned bit = 0; bit < 32; ++bit)
        ids.push_back(id ^ std::uint64_t{1} << bit);
    for (auto const hostile : ids) {
        EXPECT_EQ(m.on_answer(answer{hostile}, now).what, verdict::stale) << hostile;
        EXPECT_EQ(m.on_timeout(hostile, now).what, verdict::stale) << hostile;
        EXPECT_FALSE(m.cancel(static_cast<std::uint32_t>(hostile), true)) << hostile;
    }
    EXPECT_EQ(answered(m, id), asked.operation);
    expect_empty(m);
}

TEST_F(RequestVerdicts, AnAnswerOfLongAgoDoesNotReachALaterRequest)
{
    machine m{{}};
    auto const first = ask_on_wire(m);
    auto const old = first.entry->id();
    answered(m, old);
    for (int i = 0; i < 10'000; ++i) {
        auto const next = ask_on_wire(m);
        ASSERT_NE(next.entry->id(), old);
        ASSERT_EQ(m.on_answer(answer{old}, now).what, verdict::stale);
        ASSERT_EQ(answered(m, next.entry->id()), next.operation);
    }
    expect_empty(m);
}

// Cancellation --------------------------------------------------------------------------------------------------------

class RequestCancellation : public with_machine {};

TEST_F(RequestCancellation, OfAQueuedRequestTakesItBack)
{
    machine m{{.window = {.size = 1}}};
    auto const on_wire = ask_on_wire(m);
    auto const first = ask(m);
    auto const middle = ask(m);
    auto const last = ask(m);
    EXPECT_EQ(m.cancel(middle.entry->id(), false).complete(), middle.operation) << "whatever the type";
    EXPECT_EQ(m.waiting(), 2U);
    EXPECT_EQ(m.size(), 3U);
    EXPECT_EQ(pool.in_use(), 2U);
    answered(m, on_wire.entry->id());
    EXPECT_EQ(m.next_to_write(), first.entry);
    EXPECT_EQ(m.finish(*first.entry)->operation().complete(), first.operation);
    EXPECT_EQ(m.cancel(last.entry->id(), true).complete(), last.operation);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, OfAParkedRequestPassesItsTurnOn)
{
    machine m{{.window = {.size = 4}, .per_destination = 1}};
    auto const on_wire = ask_on_wire(m, 7);
    auto const parked = ask(m, 7);
    auto const behind = ask(m, 7);
    EXPECT_EQ(m.cancel(parked.entry->id(), false).complete(), parked.operation);
    EXPECT_EQ(m.next_to_write(), nullptr) << "the place at the destination is still taken";
    answered(m, on_wire.entry->id());
    EXPECT_EQ(m.next_to_write(), behind.entry);
    write(m, *behind.entry);
    answered(m, behind.entry->id());
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, OfAReadyRequestGivesItsPlaceToTheNext)
{
    machine m{{.window = {.size = 4}, .per_destination = 1}};
    auto const on_wire = ask_on_wire(m, 7);
    auto const ready = ask(m, 7);
    auto const behind = ask(m, 7);
    answered(m, on_wire.entry->id());
    EXPECT_EQ(m.cancel(ready.entry->id(), false).complete(), ready.operation);
    EXPECT_EQ(m.waiting(), 1U);
    EXPECT_EQ(m.next_to_write(), behind.entry);
    EXPECT_EQ(m.next_to_write(), nullptr);
    write(m, *behind.entry);
    EXPECT_EQ(ask(m, 7).how, admission::wait) << "the place has not been given twice";
    for (auto& operation : m.end_all())
        operation.complete();
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, OnTheWireLeavesTheSlotTakenUntilTheKernelHasReported)
{
    machine m{{.window = {.size = 1}, .per_destination = 1}};
    auto const asked = ask_on_wire(m);
    auto const waiting = ask(m);
    auto const id = asked.entry->id();
    EXPECT_FALSE(m.cancel(id, false)) << "the peer may have acted";
    EXPECT_EQ(m.cancel(id, true).complete(), asked.operation);
    EXPECT_FALSE(m.cancel(id, true)) << "there is nobody left to tell";
    EXPECT_EQ(m.size(), 2U);
    EXPECT_EQ(m.window().in_use(), 1U);
    EXPECT_EQ(m.next_to_write(), nullptr);
    now += 100ms;
    auto const judged = m.on_timeout(id, now);
    EXPECT_EQ(judged.what, verdict::late);
    EXPECT_EQ(judged.entry, nullptr);
    EXPECT_EQ(m.next_to_write(), waiting.entry);
    write(m, *waiting.entry);
    EXPECT_EQ(answered(m, waiting.entry->id()), waiting.operation);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, AnAnswerToACancelledRequestIsLate)
{
    machine m{{}};
    auto const asked = ask_on_wire(m);
    auto const id = asked.entry->id();
    EXPECT_EQ(m.cancel(id, true).complete(), asked.operation);
    EXPECT_EQ(m.on_answer(answer{id, 0x99}, now).what, verdict::mismatch) << "even then it must be an answer";
    EXPECT_EQ(m.size(), 1U);
    EXPECT_EQ(m.on_answer(answer{id}, now).what, verdict::late);
    EXPECT_EQ(m.on_answer(answer{id}, now).what, verdict::stale);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, ACancelledRequestIsNotWrittenAgain)
{
    machine m{{}};
    auto const asked = ask_on_wire(m, 1, doubling);
    EXPECT_EQ(pool.in_use(), 1U);
    EXPECT_EQ(m.cancel(asked.entry->id(), true).complete(), asked.operation);
    EXPECT_EQ(pool.in_use(), 0U);
    EXPECT_EQ(m.on_timeout(asked.entry->id(), now + 100ms).what, verdict::late);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, BetweenAdmissionAndWriteEndsTheRequest)
{
    machine m{{.window = {.size = 1}}};
    auto const asked = ask(m, 1, doubling);
    ASSERT_EQ(asked.how, admission::write);
    EXPECT_EQ(m.cancel(asked.entry->id(), true).complete(), asked.operation)
        << "the kernel has never had it, so that nothing would end it";
    expect_empty(m);
    auto const again = ask_on_wire(m, 1, doubling);
    ASSERT_EQ(m.on_timeout(again.entry->id(), now + 100ms).what, verdict::again);
    EXPECT_EQ(m.cancel(again.entry->id(), false).complete(), again.operation) << "the kernel no longer has it";
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestCancellation, OfUnknownIdsFindsNothing)
{
    machine m{{}};
    for (std::uint32_t const id : {0U, 1U, 0x00100000U, 0xFFFFFFFFU}) {
        EXPECT_FALSE(m.cancel(id, true));
        EXPECT_FALSE(m.cancel(id, false));
    }
    expect_empty(m);
}

// Guards --------------------------------------------------------------------------------------------------------------

class RequestGuards : public with_machine {
protected:
    std::vector<std::size_t> expire(machine& m, std::size_t budget = deadline_wheel::unlimited)
    {
        std::vector<std::size_t> ended;
        m.expire(
            now, [&](counted operation) { ended.push_back(operation.complete()); }, budget);
        return ended;
    }
};

TEST_F(RequestGuards, EndWhatTheKernelNeverReports)
{
    machine m{{.window = {.size = 1}, .per_destination = 1}};
    auto const asked = ask(m, 1, once);
    auto const guard = write(m, *asked.entry);
    auto const waiting = ask(m, 1, once);
    EXPECT_GT(guard, now + 100ms);
    EXPECT_EQ(m.next_deadline(), guard);
    now = guard - 1ns;
    EXPECT_THAT(expire(m), IsEmpty());
    now = guard;
    EXPECT_THAT(expire(m), ElementsAre(asked.operation));
    EXPECT_THAT(expire(m), IsEmpty());
    EXPECT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::stale);
    EXPECT_EQ(m.next_to_write(), waiting.entry);
    EXPECT_EQ(m.cancel(waiting.entry->id(), true).complete(), waiting.operation);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestGuards, FreeTheSlotsOfAbandonedRequestsAndTellNobody)
{
    machine m{{}};
    auto const abandoned = ask(m, 1, once);
    now = write(m, *abandoned.entry);
    EXPECT_EQ(m.cancel(abandoned.entry->id(), true).complete(), abandoned.operation);
    EXPECT_EQ(m.size(), 1U);
    EXPECT_THAT(expire(m), IsEmpty());
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestGuards, KeepToTheBudgetAbandonedOnesIncluded)
{
    machine m{{}};
    std::vector<std::size_t> operations;
    for (int i = 0; i < 10; ++i) {
        auto const asked = ask_on_wire(m, 1, once);
        operations.push_back(asked.operation);
        if (i == 1) {
            EXPECT_EQ(m.cancel(asked.entry->id(), true).complete(), asked.operation);
        }
        now += 1us;
    }
    now += 1h;
    EXPECT_THAT(expire(m, 3), ElementsAre(operations[0], operations[2])) << "the abandoned one is the third";
    EXPECT_EQ(m.size(), 7U);
    EXPECT_LE(m.next_deadline(), now);
    EXPECT_THAT(expire(m, 0), IsEmpty());
    EXPECT_EQ(expire(m).size(), 7U);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestGuards, MayAskAnewAndEndEverythingFromTheirCallback)
{
    machine m{{.window = {.size = 2}}};
    for (int i = 0; i < 2; ++i)
        ask_on_wire(m, 1, once);
    now += 1h;
    unsigned calls = 0;
    m.expire(now, [&](counted operation) {
        operation.complete();
        ++calls;
        auto const next = ask(m, 1, once);
        ASSERT_EQ(next.how, admission::write);
        write(m, *next.entry);
        for (auto& ended : m.end_all())
            ended.complete();
    });
    EXPECT_EQ(calls, 1U) << "the second was ended by end_all";
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestGuards, AreCountedAnewForEachWrite)
{
    machine m{{}};
    auto const asked = ask(m, 1, doubling);
    auto const first = write(m, *asked.entry);
    now += 100ms;
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::again);
    auto const second = write(m, *asked.entry);
    EXPECT_EQ(second, first + 100ms);
    now = first;
    EXPECT_THAT(expire(m), IsEmpty());
    now = second;
    EXPECT_THAT(expire(m), ElementsAre(asked.operation)) << "though its schedule is not used up";
    expect_empty(m);
}

TEST_F(RequestGuards, WaitForTheRequestsThatAKernelSendsFirst)
{
    machine m{{.window = {.size = 1000}, .kernel_limit = 4}};
    auto const slow = ask_on_wire(m, 1, {.timeout = 10s, .retries = 0});
    for (int i = 0; i < 2; ++i)
        ask_on_wire(m, 1, once);
    auto const beside = ask(m, 1, once);
    EXPECT_LT(write(m, *beside.entry), now + 10s);
    auto const behind = ask(m, 1, once);
    EXPECT_GE(write(m, *behind.entry), now + 10s + 100ms);
    EXPECT_EQ(m.cancel(slow.entry->id(), true).complete(), slow.operation);
    auto const after_cancel = ask(m, 1, once);
    EXPECT_GE(write(m, *after_cancel.entry), now + 10s + 100ms) << "the kernel still has it";
    for (auto& operation : m.end_all())
        operation.complete();
    auto const alone = ask(m, 1, once);
    EXPECT_LT(write(m, *alone.entry), now + 1s);
    answered(m, alone.entry->id());
    expect_each_handed_back_once();
}

// The end of all ------------------------------------------------------------------------------------------------------

class RequestEnds : public with_machine {};

/// A machine with so many requests in each stage.
struct mix {
    unsigned on_wire;
    unsigned abandoned;
    unsigned parked;
    unsigned ready;
    unsigned queued;
};

TEST_F(RequestEnds, LeaveNothingBehindWhateverTheStages)
{
    for (unsigned mask = 0; mask < 32; ++mask)
        for (unsigned const many : {1U, 3U}) {
            auto const of = [&](unsigned bit) { return (mask >> bit & 1) != 0 ? many : 0; };
            mix const wanted{of(0), of(1), of(2), of(3), of(4)};
            // Ready ones need an end at their destination each, while the window stays full.
            auto const size = wanted.on_wire + wanted.abandoned + 1 + 2 * wanted.ready;
            machine m{{.window = {.size = size}, .per_destination = 1}};
            std::vector<std::size_t> told;
            std::vector<std::uint32_t> abandoned;
            std::uint64_t destination = 1;
            told.push_back(ask_on_wire(m, destination).operation);
            for (unsigned i = 0; i < wanted.parked; ++i)
                told.push_back(ask(m, destination).operation);
            for (unsigned i = 0; i < wanted.on_wire; ++i)
                told.push_back(ask_on_wire(m, ++destination, doubling).operation);
            for (unsigned i = 0; i < wanted.abandoned; ++i) {
                auto const asked = ask_on_wire(m, ++destination, doubling);
                EXPECT_EQ(m.cancel(asked.entry->id(), true).complete(), asked.operation);
            }
            std::vector<std::uint32_t> ending;
            for (unsigned i = 0; i < wanted.ready; ++i) {
                ending.push_back(ask_on_wire(m, ++destination).entry->id());
                told.push_back(ask(m, destination).operation);
                told.push_back(ask(m, destination).operation); // parked behind it
            }
            for (auto const id : ending)
                answered(m, id);
            for (unsigned i = 0; i < wanted.queued; ++i)
                if (wanted.ready != 0)
                    told.push_back(ask(m, 1000 + i).operation);
                else {
                    while (m.window().free() != 0)
                        told.push_back(ask_on_wire(m, ++destination).operation);
                    told.push_back(ask(m, 1000 + i).operation);
                }
            SCOPED_TRACE("stages " + std::to_string(mask) + ", " + std::to_string(many) + " of each");
            std::vector<std::size_t> ended;
            for (auto& operation : m.end_all())
                ended.push_back(operation.complete());
            std::sort(ended.begin(), ended.end());
            EXPECT_EQ(ended, told);
            expect_empty(m);
            EXPECT_EQ(pool.in_use(), 0U);
            EXPECT_EQ(m.next_to_write(), nullptr);
            // All places are free again, at the destinations too.
            EXPECT_EQ(ask_on_wire(m, 1).how, admission::write);
            for (std::uint64_t to = 2; to <= destination && m.window().free() != 0; ++to)
                EXPECT_EQ(ask_on_wire(m, to).how, admission::write);
            for (auto& operation : m.end_all())
                operation.complete();
            expect_empty(m);
        }
    expect_each_handed_back_once();
}

TEST_F(RequestEnds, OfNothingAreNothing)
{
    machine m{{}};
    EXPECT_THAT(m.end_all(), IsEmpty());
    expect_empty(m);
}

TEST_F(RequestEnds, AMachineThatGoesGivesItsPacketsBack)
{
    {
        machine m{{.window = {.size = 1}}};
        ask_on_wire(m, 1, doubling);
        ask(m);
        EXPECT_EQ(pool.in_use(), 2U);
    }
    EXPECT_EQ(pool.in_use(), 0U);
    EXPECT_THAT(book.lost(), UnorderedElementsAre(1U, 2U)) << "their operations are destroyed with it";
}

TEST_F(RequestEnds, AnyMovableOperationWillDo)
{
    request_machine<int>::request_pool of_numbers{1};
    request_machine<int> m{{.window = {.size = 1}}};
    auto request = of_numbers.acquire();
    request->set_packet(question(pool));
    request->operation() = 5;
    request->set_terms(1, {once, time_point{}});
    auto const [how, entry] = m.start(request);
    ASSERT_EQ(how, request_machine<int>::admission::write);
    ASSERT_TRUE(m.prepare(*entry, now));
    m.written(*entry, now);
    EXPECT_EQ(m.cancel(entry->id(), true), 5);
    EXPECT_THAT(m.end_all(), IsEmpty());
}

} // namespace
} // namespace madrigal::engine
