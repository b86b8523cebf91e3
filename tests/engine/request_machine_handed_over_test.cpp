// Requests that somebody else writes, who may take his time.
#include "engine/request_machine_support.hpp"

#include <gmock/gmock.h>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr retry_policy doubling{.timeout = 100ms, .retries = 3, .pace = retry_policy::backoff::doubling};

class RequestHandedOver : public with_machine {
protected:
    packet_ptr hand_over(machine& m, machine::request& entry)
    {
        EXPECT_TRUE(m.prepare(entry, now));
        auto packet = m.hand_over(entry);
        EXPECT_TRUE(packet);
        EXPECT_EQ(m.handed_over(entry.id()), &entry);
        return packet;
    }
};

TEST_F(RequestHandedOver, HasNoGuardDeadlineUntilItHasBeenWritten)
{
    machine m{{}};
    auto const asked = ask(m, 1, {.timeout = 100ms, .retries = 0});
    auto packet = hand_over(m, *asked.entry);
    EXPECT_EQ(m.next_deadline(), never);
    EXPECT_EQ(m.window().in_use(), 1U);
    now += 10s;
    m.take_back(*asked.entry, std::move(packet));
    EXPECT_EQ(m.handed_over(asked.entry->id()), nullptr);
    EXPECT_GT(m.written(*asked.entry, now), now + 100ms);
    EXPECT_EQ(pool.in_use(), 0U) << "the last write needs it no more";
    EXPECT_EQ(answered(m, asked.entry->id()), asked.operation);
    expect_empty(m);
}

TEST_F(RequestHandedOver, CannotBeAnsweredYet)
{
    machine m{{}};
    auto const asked = ask(m, 1, doubling);
    auto packet = hand_over(m, *asked.entry);
    EXPECT_EQ(m.on_answer(answer{asked.entry->id()}, now).what, verdict::stale);
    EXPECT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::stale);
    m.take_back(*asked.entry, std::move(packet));
    m.written(*asked.entry, now);
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::again);
    EXPECT_FALSE(asked.entry->is_repeated());
    packet = hand_over(m, *asked.entry);
    EXPECT_TRUE(asked.entry->is_repeated());
    EXPECT_EQ(m.on_answer(answer{asked.entry->id()}, now).what, verdict::stale) << "the kernel has given the first up";
    m.take_back(*asked.entry, std::move(packet));
    m.written(*asked.entry, now);
    EXPECT_EQ(answered(m, asked.entry->id()), asked.operation);
    expect_empty(m);
}

TEST_F(RequestHandedOver, LosesNothingOfItsTotalToTheWrite)
{
    machine m{{}};
    auto const asked = ask(m, 1, {.timeout = 100ms, .retries = 9, .total = 250ms});
    auto packet = hand_over(m, *asked.entry);
    now += 3s;
    m.take_back(*asked.entry, std::move(packet));
    m.written(*asked.entry, now);
    now += 200ms;
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::again);
    packet = hand_over(m, *asked.entry);
    now += 3s;
    m.take_back(*asked.entry, std::move(packet));
    EXPECT_EQ(header_of(*asked.entry).timeout_ms, 50U);
    m.written(*asked.entry, now);
    now += 50ms;
    ASSERT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::complete);
    EXPECT_EQ(m.finish(*asked.entry)->operation().complete(), asked.operation);
    expect_empty(m);
}

TEST_F(RequestHandedOver, IsCancelledAsIfItWereOnTheWire)
{
    machine m{{}};
    auto const asked = ask(m, 1, doubling);
    auto packet = hand_over(m, *asked.entry);
    EXPECT_FALSE(m.cancel(asked.entry->id(), false));
    EXPECT_EQ(m.cancel(asked.entry->id(), true).complete(), asked.operation);
    EXPECT_FALSE(m.cancel(asked.entry->id(), true));
    EXPECT_EQ(m.size(), 1U);
    EXPECT_EQ(m.window().in_use(), 1U);
    m.take_back(*asked.entry, std::move(packet));
    m.written(*asked.entry, now);
    EXPECT_EQ(pool.in_use(), 0U) << "it will not be written again";
    EXPECT_EQ(m.on_timeout(asked.entry->id(), now).what, verdict::late);
    expect_empty(m);
}

TEST_F(RequestHandedOver, IsForgottenIfItIsCancelledAndThenRefused)
{
    machine m{{}};
    auto const asked = ask(m, 1, doubling);
    auto packet = hand_over(m, *asked.entry);
    EXPECT_EQ(m.cancel(asked.entry->id(), true).complete(), asked.operation);
    m.take_back(*asked.entry, std::move(packet));
    EXPECT_FALSE(m.finish(*asked.entry)->operation());
    expect_empty(m);
}

TEST_F(RequestHandedOver, IsCancelledAtOnceIfItHasBeenTakenBackUnwritten)
{
    machine m{{}};
    auto const asked = ask(m);
    auto packet = hand_over(m, *asked.entry);
    packet.reset();
    m.take_back(*asked.entry, {});
    EXPECT_EQ(m.cancel(asked.entry->id(), false).complete(), asked.operation);
    expect_empty(m);
}

TEST_F(RequestHandedOver, IsNotFoundAfterTheEndOfAll)
{
    machine m{{}};
    auto const asked = ask(m);
    auto const id = asked.entry->id();
    auto const packet = hand_over(m, *asked.entry);
    auto operations = m.end_all();
    ASSERT_EQ(operations.size(), 1U);
    EXPECT_EQ(operations.front().complete(), asked.operation);
    EXPECT_EQ(m.handed_over(id), nullptr);
    expect_empty(m);
}

} // namespace
} // namespace madrigal::engine
