#include "engine/seeds.hpp"

#include <madrigal/engine/trap_filter.hpp>
#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/wire/trap.hpp>

#include <map>
#include <vector>

namespace madrigal::engine {
namespace {

using testing::seeded;
using namespace std::chrono_literals;

constexpr auto start = virtual_time::start;

notice link_trap(std::uint16_t count = 0)
{
    notice told;
    told.is_generic = true;
    told.trap_number = trap_number::link_state_changed;
    told.notice_count = count;
    return told;
}
notice threshold(std::uint8_t port, std::uint16_t number = trap_number::link_integrity_threshold)
{
    auto told = link_trap();
    told.trap_number = number;
    told.data_details = encode_trap(threshold_trap{.port_lid = lid{3}, .port_number = port});
    return told;
}

std::vector<sourced_trap> due(trap_filter& of, time_point now)
{
    std::vector<sourced_trap> all;
    while (auto const one = of.next_due(now))
        all.push_back(*one);
    return all;
}

TEST(TrapFilter, HoldsTheSameTrapOfTheSameSourceBackForAWindow)
{
    trap_filter filter;
    EXPECT_EQ(filter.on_trap(start, lid{3}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start + 1ms, lid{3}, link_trap()), trap_verdict::duplicate);
    EXPECT_EQ(filter.on_trap(start + 4999ms, lid{3}, link_trap()), trap_verdict::duplicate);
    EXPECT_EQ(filter.counters().delivered, 1U);
    EXPECT_EQ(filter.counters().duplicates, 2U);
}

TEST(TrapFilter, TellsSourcesNumbersAndPortsApart)
{
    trap_filter filter;
    EXPECT_EQ(filter.on_trap(start, lid{3}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start, lid{4}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start, lid{3}, threshold(1)), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start, lid{3}, threshold(200)), trap_verdict::deliver);
    EXPECT_EQ(
        filter.on_trap(start, lid{3}, threshold(1, trap_number::buffer_overrun_threshold)), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start, lid{3}, threshold(200)), trap_verdict::duplicate);
    auto vendor = link_trap();
    vendor.is_generic = false;
    EXPECT_EQ(filter.on_trap(start, lid{3}, vendor), trap_verdict::deliver) << "its number is a DeviceID";
    EXPECT_EQ(filter.sources(), 6U);
}

TEST(TrapFilter, IsQuietAgainAfterTheWindowOfOneThatCameOnce)
{
    trap_filter filter;
    EXPECT_EQ(filter.on_trap(start, lid{3}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.deadline(), never) << "nothing is held back";
    EXPECT_EQ(filter.on_trap(start + 5s, lid{3}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.sources(), 1U);
}

TEST(TrapFilter, GivesTheLastOneHeldBackOutWhenTheWindowIsOver)
{
    trap_filter filter;
    EXPECT_EQ(filter.on_trap(start, lid{3}, link_trap(1)), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start + 1s, lid{3}, link_trap(2)), trap_verdict::duplicate);
    EXPECT_EQ(filter.on_trap(start + 2s, lid{3}, link_trap(3)), trap_verdict::duplicate);
    EXPECT_EQ(filter.deadline(), start + 5s);
    EXPECT_FALSE(filter.next_due(start + 4999ms));
    auto const last = filter.next_due(start + 5s);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->source, lid{3});
    EXPECT_EQ(last->told.notice_count, 3);
    EXPECT_FALSE(filter.next_due(start + 5s));
    EXPECT_EQ(filter.deadline(), never);
    EXPECT_EQ(filter.on_trap(start + 6s, lid{3}, link_trap(4)), trap_verdict::duplicate) << "a window of its own";
    EXPECT_EQ(filter.deadline(), start + 10s);
}

TEST(TrapFilter, AStormOfOneSourceIsHeardOnceAWindow)
{
    trap_filter filter;
    std::size_t heard = 0;
    for (auto at = 0ms; at < 60s; at += 1ms) {
        heard += filter.on_trap(start + at, lid{3}, link_trap()) == trap_verdict::deliver ? 1 : 0;
        heard += due(filter, start + at).size();
    }
    EXPECT_EQ(heard, 12U);
    EXPECT_EQ(filter.sources(), 1U);
}

TEST(TrapFilter, LimitsWhatOneSourceSaysOfDifferentThings)
{
    trap_filter filter{{.per_source = 10, .burst_per_source = 5}};
    std::size_t at_once = 0;
    for (unsigned port = 1; port != 101; ++port)
        at_once += filter.on_trap(start, lid{3}, threshold(static_cast<std::uint8_t>(port))) == trap_verdict::deliver;
    EXPECT_EQ(at_once, 5U);
    EXPECT_EQ(filter.counters().flooded, 95U);
    EXPECT_EQ(filter.on_trap(start, lid{4}, link_trap()), trap_verdict::deliver) << "not another's fault";
    // And in the end all has been said, at the rate that is allowed.
    std::size_t later = 0;
    for (auto at = 0ms; filter.deadline() != never; at += 100ms) {
        ASSERT_LT(at, 120s);
        later += due(filter, start + at).size();
    }
    EXPECT_EQ(later, 95U);
}

TEST(TrapFilter, LimitsWhatAllSayTogether)
{
    trap_filter filter{{.total = 100, .burst = 30}};
    std::size_t at_once = 0;
    for (std::uint16_t source = 1; source != 501; ++source)
        at_once += filter.on_trap(start, lid{source}, link_trap()) == trap_verdict::deliver;
    EXPECT_EQ(at_once, 30U);
    EXPECT_EQ(filter.on_trap(start + 1s, lid{600}, link_trap()), trap_verdict::deliver) << "time heals";
}

TEST(TrapFilter, RemembersSoManySourcesAndNoMore)
{
    trap_filter filter{{.sources = 100, .total = 1'000'000, .burst = 1'000'000}};
    for (std::uint32_t source = 1; source != 0xC000; ++source)
        EXPECT_EQ(filter.on_trap(start, lid{static_cast<std::uint16_t>(source)}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.sources(), 100U);
    EXPECT_EQ(filter.on_trap(start, lid{0xBFFF}, link_trap()), trap_verdict::duplicate) << "the youngest is known";
    EXPECT_EQ(filter.on_trap(start, lid{1}, link_trap()), trap_verdict::deliver) << "the oldest is forgotten";
}

TEST(TrapFilter, SaysHowMuchItForgot)
{
    trap_filter filter{{.sources = 2}};
    EXPECT_EQ(filter.on_trap(start, lid{1}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.on_trap(start, lid{1}, link_trap()), trap_verdict::duplicate);
    EXPECT_EQ(filter.on_trap(start, lid{2}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.counters().forgotten, 0U);
    EXPECT_EQ(filter.on_trap(start, lid{3}, link_trap()), trap_verdict::deliver);
    EXPECT_EQ(filter.counters().forgotten, 1U);
    EXPECT_EQ(filter.deadline(), never);
}

TEST(TrapFilter, LosesNothingWhereASourceRepeatsItself)
{
    trap_filter filter;
    auto told = threshold(1);
    for (std::uint16_t i = 0; i != 100; ++i) {
        told.notice_count = i;
        told.notice_toggle = i % 2 != 0;
        (void)filter.on_trap(start, lid{3}, told);
    }
    EXPECT_EQ(filter.counters().duplicates, 99U);
    EXPECT_EQ(filter.counters().replaced, 0U);
}

TEST(TrapFilter, CountsAnotherWordThatItHeldAsReplaced)
{
    trap_filter filter;
    auto bad_key = link_trap();
    bad_key.trap_number = trap_number::bad_p_key;
    EXPECT_EQ(filter.on_trap(start, lid{3}, bad_key), trap_verdict::deliver);
    bad_key.data_details.bytes[10] = std::byte{1};
    EXPECT_EQ(filter.on_trap(start, lid{3}, bad_key), trap_verdict::duplicate);
    EXPECT_EQ(filter.counters().replaced, 0U) << "the first was delivered, this one will be";
    bad_key.data_details.bytes[10] = std::byte{2};
    EXPECT_EQ(filter.on_trap(start, lid{3}, bad_key), trap_verdict::duplicate);
    EXPECT_EQ(filter.counters().replaced, 1U);
    EXPECT_EQ(due(filter, start + 5s).front().told, bad_key);
}

TEST(TrapFilter, TakesAnyLidAndAnyDetails)
{
    trap_filter filter;
    auto told = threshold(255);
    for (std::uint16_t const source : {0x0000, 0xBFFF, 0xC000, 0xFFFF})
        EXPECT_EQ(filter.on_trap(start, lid{source}, told), trap_verdict::deliver);
    told.trap_number = 0xFFFF;
    EXPECT_EQ(filter.on_trap(start, lid{0xFFFF}, told), trap_verdict::deliver);
}

class RandomTrapFilter : public seeded {};

TEST_P(RandomTrapFilter, LosesNobodysLastWordWhereThereIsRoom)
{
    trap_filter filter{{.sources = 64, .per_source = 3, .burst_per_source = 2, .total = 20, .burst = 10}};
    std::map<std::uint16_t, std::uint16_t> said;
    std::map<std::uint16_t, std::uint16_t> heard;
    std::map<std::uint16_t, time_point> heard_at;
    auto now = start;
    auto const hear = [&](lid source, std::uint16_t what) {
        if (auto const before = heard_at.find(source.value()); before != heard_at.end()) {
            ASSERT_GE(now - before->second, 5s) << "twice within a window";
        }
        heard[source.value()] = what;
        heard_at[source.value()] = now;
    };
    for (std::uint16_t i = 1; i != 20'000; ++i) {
        now += std::chrono::milliseconds{pick(20)};
        auto const source = static_cast<std::uint16_t>(1 + pick(60));
        said[source] = i;
        if (filter.on_trap(now, lid{source}, link_trap(i)) == trap_verdict::deliver)
            hear(lid{source}, i);
        if (now >= filter.deadline())
            for (auto const& one : due(filter, now))
                hear(one.source, one.told.notice_count);
    }
    while (filter.deadline() != never) {
        now = std::max(now, filter.deadline());
        for (auto const& one : due(filter, now))
            hear(one.source, one.told.notice_count);
    }
    EXPECT_EQ(heard, said);
    EXPECT_EQ(filter.counters().forgotten, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrapFilter, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
