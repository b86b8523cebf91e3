#include "engine/request_machine_support.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr retry_policy once{.timeout = 100ms, .retries = 0};

// Admission -----------------------------------------------------------------------------------------------------------

class RequestAdmission : public with_machine {};

TEST_F(RequestAdmission, WritesAtOnceWhileTheWindowHasPlaces)
{
    machine m{{.window = {.size = 2}}};
    auto const first = ask_on_wire(m);
    auto const second = ask_on_wire(m);
    EXPECT_NE(first.entry->id(), second.entry->id());
    auto const third = ask(m);
    EXPECT_EQ(third.how, admission::wait);
    EXPECT_EQ(m.window().in_use(), 2U);
    EXPECT_EQ(m.waiting(), 1U);
    EXPECT_EQ(m.size(), 3U);
    EXPECT_EQ(m.next_to_write(), nullptr);
    EXPECT_EQ(answered(m, first.entry->id()), first.operation);
    EXPECT_EQ(m.next_to_write(), third.entry);
    EXPECT_EQ(m.next_to_write(), nullptr);
    EXPECT_EQ(m.waiting(), 0U);
    write(m, *third.entry);
    EXPECT_EQ(answered(m, second.entry->id()), second.operation);
    EXPECT_EQ(answered(m, third.entry->id()), third.operation);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestAdmission, RefusesWhatTheQueueDoesNotHold)
{
    machine m{{.window = {.size = 1}, .queue_limit = 2}};
    auto const on_wire = ask_on_wire(m);
    EXPECT_EQ(ask(m).how, admission::wait);
    EXPECT_EQ(ask(m).how, admission::wait);
    auto const refused = ask(m);
    EXPECT_EQ(refused.how, admission::full);
    EXPECT_EQ(refused.entry, nullptr);
    EXPECT_EQ(m.size(), 3U);
    answered(m, on_wire.entry->id());
    ASSERT_NE(m.next_to_write(), nullptr);
    EXPECT_EQ(ask(m).how, admission::wait) << "one has left the queue";
    for (auto& operation : m.end_all())
        operation.complete();
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestAdmission, WithoutAQueueTakesOnlyWhatItCanWriteAtOnce)
{
    machine m{{.window = {.size = 4}, .per_destination = 1, .queue_limit = 0}};
    auto const first = ask_on_wire(m, 1);
    EXPECT_EQ(ask(m, 1).how, admission::full) << "its destination is busy";
    auto const other = ask_on_wire(m, 2);
    answered(m, first.entry->id());
    auto const again = ask_on_wire(m, 1);
    answered(m, again.entry->id());
    answered(m, other.entry->id());
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestAdmission, NewcomersDoNotOvertakeThoseWhoWait)
{
    machine m{{.window = {.size = 1}}};
    auto const on_wire = ask_on_wire(m);
    auto const waiting = ask(m);
    answered(m, on_wire.entry->id());
    auto const newcomer = ask(m);
    EXPECT_EQ(newcomer.how, admission::wait) << "the free place is for the one who waits";
    EXPECT_EQ(m.next_to_write(), waiting.entry);
    EXPECT_EQ(m.next_to_write(), nullptr);
    for (auto& operation : m.end_all())
        operation.complete();
    expect_each_handed_back_once();
}

TEST_F(RequestAdmission, ARequestThatWasNotWrittenFreesItsPlaces)
{
    machine m{{.window = {.size = 1}, .per_destination = 1}};
    auto const failed = ask(m);
    ASSERT_EQ(failed.how, admission::write);
    ASSERT_TRUE(m.prepare(*failed.entry, now));
    EXPECT_EQ(m.finish(*failed.entry)->operation().complete(), failed.operation);
    expect_empty(m);
    auto const next = ask_on_wire(m);
    EXPECT_EQ(answered(m, next.entry->id()), next.operation);
    expect_each_handed_back_once();
}

TEST_F(RequestAdmission, PlacesOfTheWindowGoInTheOrderOfTheRequests)
{
    machine m{{.window = {.size = 3}}};
    std::vector<outcome> asked;
    for (int i = 0; i < 3; ++i)
        asked.push_back(ask_on_wire(m));
    for (int i = 0; i < 50; ++i)
        asked.push_back(ask(m));
    for (std::size_t i = 0; i < asked.size(); ++i) {
        answered(m, asked[i].entry->id());
        auto* next = m.next_to_write();
        ASSERT_EQ(next, i + 3 < asked.size() ? asked[i + 3].entry : nullptr);
        if (next != nullptr)
            write(m, *next);
    }
    expect_empty(m);
    expect_each_handed_back_once();
}

// Destinations --------------------------------------------------------------------------------------------------------

class RequestDestinations : public with_machine {};

TEST_F(RequestDestinations, ABusyDestinationHoldsUpNobodyElse)
{
    machine m{{.window = {.size = 4}, .per_destination = 1}};
    auto const busy = ask_on_wire(m, 7);
    auto const parked = ask(m, 7);
    EXPECT_EQ(parked.how, admission::wait);
    auto const other = ask_on_wire(m, 8);
    EXPECT_EQ(m.next_to_write(), nullptr) << "the window has places, the destination has none";
    answered(m, other.entry->id());
    EXPECT_EQ(m.next_to_write(), nullptr);
    answered(m, busy.entry->id());
    EXPECT_EQ(m.next_to_write(), parked.entry);
    write(m, *parked.entry);
    EXPECT_EQ(answered(m, parked.entry->id()), parked.operation);
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestDestinations, QueuedRequestsOfABusyDestinationStepAside)
{
    machine m{{.window = {.size = 2}, .per_destination = 1}};
    auto const a = ask_on_wire(m, 7);
    auto const b = ask_on_wire(m, 8);
    auto const second_of_7 = ask(m, 7);
    auto const third_of_7 = ask(m, 7);
    auto const of_9 = ask(m, 9);
    answered(m, b.entry->id());
    EXPECT_EQ(m.next_to_write(), of_9.entry);
    write(m, *of_9.entry);
    EXPECT_EQ(m.waiting(), 2U) << "parked ones wait too";
    answered(m, of_9.entry->id());
    EXPECT_EQ(m.next_to_write(), nullptr);
    answered(m, a.entry->id());
    EXPECT_EQ(m.next_to_write(), second_of_7.entry);
    write(m, *second_of_7.entry);
    EXPECT_EQ(m.next_to_write(), nullptr);
    answered(m, second_of_7.entry->id());
    EXPECT_EQ(m.next_to_write(), third_of_7.entry);
    write(m, *third_of_7.entry);
    answered(m, third_of_7.entry->id());
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestDestinations, WhoHasAPlaceThereGoesBeforeTheQueue)
{
    machine m{{.window = {.size = 2}, .per_destination = 1}};
    auto const of_7 = ask_on_wire(m, 7);
    auto const parked = ask(m, 7);
    auto const of_8 = ask_on_wire(m, 8);
    auto const queued = ask(m, 9);
    answered(m, of_7.entry->id()); // parked has a place at 7 now
    EXPECT_EQ(m.next_to_write(), parked.entry);
    write(m, *parked.entry);
    EXPECT_EQ(m.next_to_write(), nullptr);
    answered(m, of_8.entry->id());
    EXPECT_EQ(m.next_to_write(), queued.entry);
    write(m, *queued.entry);
    answered(m, parked.entry->id());
    answered(m, queued.entry->id());
    expect_empty(m);
    expect_each_handed_back_once();
}

TEST_F(RequestDestinations, ANewcomerDoesNotOvertakeTheParked)
{
    machine m{{.window = {.size = 8}, .per_destination = 2}};
    std::vector<outcome> asked;
    for (int i = 0; i < 2; ++i)
        asked.push_back(ask_on_wire(m, 7));
    for (int i = 0; i < 10; ++i) {
        asked.push_back(ask(m, 7));
        EXPECT_EQ(asked.back().how, admission::wait);
    }
    for (std::size_t i = 0; i < 10; ++i) {
        answered(m, asked[i].entry->id());
        EXPECT_EQ(ask(m, 7).how, admission::wait);
        auto* next = m.next_to_write();
        ASSERT_EQ(next, asked[i + 2].entry);
        write(m, *next);
        EXPECT_EQ(m.next_to_write(), nullptr);
    }
    for (auto& operation : m.end_all())
        operation.complete();
    expect_empty(m);
    expect_each_handed_back_once();
}

// Writes and retries --------------------------------------------------------------------------------------------------

class RequestWrites : public with_machine {
protected:
    struct transmission {
        std::uint32_t timeout_ms;
        std::uint32_t retries;
        bool operator==(transmission const&) const = default;
        friend void PrintTo(transmission const& t, std::ostream* out) { *out << t.timeout_ms << '/' << t.retries; }
    };

    /// The writes of a request that is never answered, each reported at its end.
    std::vector<transmission> unanswered(retry_policy const& policy)
    {
        machine m{{}};
        auto const asked = ask(m, 1, policy);
        auto* entry = asked.entry;
        std::vector<transmission> made;
        auto const id = entry->id();
        for (auto what = verdict::again; what == verdict::again;) {
            if (!m.prepare(*entry, now)) {
                EXPECT_EQ(m.finish(*entry)->operation().complete(), asked.operation);
                expect_empty(m);
                return made;
            }
            auto const& header = header_of(*entry);
            made.push_back({header.timeout_ms, header.retries});
            EXPECT_EQ(mad_of(*entry).transaction_id(), id);
            submission const last{header.timeout_ms, header.retries};
            auto const guard = m.written(*entry, now);
            EXPECT_EQ(m.next_deadline(), guard);
            EXPECT_GT(guard, now + last.length());
            now += last.length();
            auto const judged = m.on_timeout(id, now);
            what = judged.what;
            entry = judged.entry;
        }
        EXPECT_EQ(m.finish(*entry)->operation().complete(), asked.operation);
        expect_empty(m);
        return made;
    }
};

TEST_F(RequestWrites, FillTheHeaderAndTheTransactionId)
{
    machine m{{}};
    auto const asked = ask(m, 1, {.timeout = 250ms, .retries = 5});
    ASSERT_TRUE(m.prepare(*asked.entry, now));
    auto const& header = header_of(*asked.entry);
    EXPECT_EQ(header.timeout_ms, 250U);
    EXPECT_EQ(header.retries, 5U);
    EXPECT_NE(asked.entry->id(), 0U);
    EXPECT_EQ(mad_of(*asked.entry).transaction_id(), asked.entry->id());
    EXPECT_EQ(mad_of(*asked.entry).attribute_id(), 0x12);
    EXPECT_EQ(pool.in_use(), 1U);
    m.written(*asked.entry, now);
    EXPECT_EQ(pool.in_use(), 0U) << "the kernel has its own copy and repeats by itself";
    EXPECT_EQ(answered(m, asked.entry->id()), asked.operation);
}

TEST_F(RequestWrites, AFixedPolicyIsOneWriteThatTheKernelRepeats)
{
    EXPECT_THAT(unanswered({.timeout = 200ms, .retries = 3}), ElementsAre(transmission{200, 3}));
    EXPECT_THAT(unanswered({.timeout = 200ms, .retries = 3, .total = 500ms}),
        ElementsAre(transmission{200, 1}, transmission{100, 0}));
    expect_each_handed_back_once();
}

TEST_F(RequestWrites, ADoublingPolicyIsAWriteForEachTransmission)
{
    constexpr auto doubling = retry_policy::backoff::doubling;
    EXPECT_THAT(unanswered({.timeout = 100ms, .retries = 6, .pace = doubling}),
        ElementsAre(transmission{100, 0}, transmission{100, 0}, transmission{100, 0}, transmission{100, 0},
            transmission{200, 0}, transmission{400, 0}, transmission{800, 0}));
    EXPECT_THAT(unanswered({.timeout = 100ms, .retries = 9, .pace = doubling, .total = 950ms}),
        ElementsAre(transmission{100, 0}, transmission{100, 0}, transmission{100, 0}, transmission{100, 0},
            transmission{200, 0}, transmission{350, 0}));
    expect_each_handed_back_once();
}

TEST_F(RequestWrites, TheTotalCountsFromTheFirstWrite)
{
    machine m{{.window = {.size = 1}}};
    auto const before = ask_on_wire(m);
    auto const asked = ask(m, 1, {.timeout = 200ms, .retries = 9, .total = 500ms});
    now += 10s; // in the queue
    answered(m, before.entry->id());
    ASSERT_EQ(m.next_to_write(), asked.entry);
    ASSERT_TRUE(m.prepare(*asked.entry, now));
    EXPECT_EQ(header_of(*asked.entry).timeout_ms, 200U);
    EXPECT_EQ(header_of(*asked.entry).retries, 1U);
    m.written(*asked.entry, now);
    now += 450ms; // a report that comes late shortens what is left
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::again);
    ASSERT_TRUE(m.prepare(*asked.entry, now));
    EXPECT_EQ(header_of(*asked.entry).timeout_ms, 50U);
    m.written(*asked.entry, now);
    now += 50ms;
    auto const ended = m.on_timeout(asked.entry->id(), now);
    ASSERT_EQ(ended.what, verdict::complete);
    EXPECT_EQ(m.finish(*ended.entry)->operation().complete(), asked.operation);
    expect_each_handed_back_once();
}

TEST_F(RequestWrites, AReportAfterTheTotalEndsTheRequest)
{
    machine m{{}};
    auto const asked = ask_on_wire(m, 1, {.timeout = 200ms, .retries = 9, .total = 500ms});
    now += 500ms - 1us; // less than a millisecond left: no interval fits
    auto const ended = m.on_timeout(asked.entry->id(), now);
    ASSERT_EQ(ended.what, verdict::complete);
    EXPECT_EQ(m.finish(*ended.entry)->operation().complete(), asked.operation);
    expect_empty(m);
}

TEST_F(RequestWrites, ARequestWhoseTimeIsUpBeforeTheNextWriteIsNotPrepared)
{
    machine m{{}};
    auto const asked = ask_on_wire(m, 1, {.timeout = 200ms, .retries = 9, .total = 500ms});
    now += 400ms;
    auto const again = m.on_timeout(asked.entry->id(), now);
    ASSERT_EQ(again.what, verdict::again);
    EXPECT_EQ(m.next_deadline(), never) << "the kernel no longer has it";
    now += 100ms;
    EXPECT_FALSE(m.prepare(*again.entry, now));
    EXPECT_EQ(m.finish(*again.entry)->operation().complete(), asked.operation);
    expect_empty(m);
}

TEST_F(RequestWrites, ARequestKeepsItsPlacesBetweenTwoWrites)
{
    machine m{{.window = {.size = 1}, .per_destination = 1}};
    auto const asked = ask_on_wire(m, 1, {.timeout = 100ms, .retries = 2, .pace = retry_policy::backoff::doubling});
    auto const waiting = ask(m, 2);
    now += 100ms;
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::again);
    EXPECT_EQ(m.next_to_write(), nullptr);
    EXPECT_EQ(m.window().in_use(), 1U);
    EXPECT_EQ(pool.in_use(), 2U) << "its packet is needed again";
    write(m, *asked.entry);
    EXPECT_EQ(answered(m, asked.entry->id()), asked.operation);
    EXPECT_EQ(m.next_to_write(), waiting.entry);
    write(m, *waiting.entry);
    EXPECT_EQ(answered(m, waiting.entry->id()), waiting.operation);
    expect_empty(m);
}

TEST_F(RequestWrites, AnAnswerToAnEarlierTransmissionCompletesTheRequest)
{
    machine m{{}};
    auto const asked = ask_on_wire(m, 1, {.timeout = 100ms, .retries = 3, .pace = retry_policy::backoff::doubling});
    now += 100ms;
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::again);
    write(m, *asked.entry);
    EXPECT_EQ(answered(m, asked.entry->id()), asked.operation) << "the id is the same";
    EXPECT_EQ(m.on_timeout(asked.entry->id(), now + 100ms).what, verdict::stale);
    expect_empty(m);
}

TEST_F(RequestWrites, AWindowThatAdaptsCountsLateAnswersAndTimeoutsAsLosses)
{
    machine m{{.window = {.size = 8, .adaptive = true}}};
    auto const size_after = [&](auto const& end) {
        for (int i = 0; i < 200; ++i)
            end(ask_on_wire(m, 1, {.timeout = 100ms, .retries = 3}));
        return m.window().size();
    };
    // Never full: it does not grow.
    EXPECT_EQ(size_after([&](auto const& asked) {
        now += 100ms;
        answered(m, asked.entry->id());
    }),
        8U);
    EXPECT_LT(size_after([&](auto const& asked) {
        now += 100ms + 1ns; // the kernel has had to send it again
        answered(m, asked.entry->id());
    }),
        8U);
    machine timed{{.window = {.size = 8, .adaptive = true}}};
    machine guarded{{.window = {.size = 8, .adaptive = true}}};
    for (int i = 0; i < 200; ++i) {
        auto const lost = ask_on_wire(timed, 1, once);
        auto const ended = timed.on_timeout(lost.entry->id(), now + 100ms);
        timed.finish(*ended.entry)->operation().complete();
        ask_on_wire(guarded, 1, once);
        now += 1h;
        guarded.expire(now, [](counted operation) { operation.complete(); });
    }
    EXPECT_LT(timed.window().size(), 8U);
    EXPECT_LT(guarded.window().size(), 8U);
    expect_each_handed_back_once();
}

TEST_F(RequestWrites, AWindowThatAdaptsLosesNoPlacesToWhatWasNeverWritten)
{
    machine m{{.window = {.size = 8, .adaptive = true}}};
    for (int i = 0; i < 100; ++i) {
        auto const asked = ask(m);
        ASSERT_EQ(asked.how, admission::write);
        m.finish(*asked.entry)->operation().complete();
    }
    EXPECT_EQ(m.window().free(), 8U);
    expect_empty(m);
    expect_each_handed_back_once();
}

} // namespace
} // namespace madrigal::engine
