#include "engine/seeds.hpp"

#include <madrigal/engine/transaction_table.hpp>

#include <deque>
#include <map>
#include <set>

namespace madrigal::engine {
namespace {

using testing::seeded;

struct note {
    int value = 0;
};
using table = transaction_table<note>;

std::uint32_t acquired(table& t, int value = 0)
{
    std::uint32_t id = 0;
    auto* slot = t.acquire(id);
    EXPECT_NE(slot, nullptr);
    if (slot != nullptr)
        slot->value = value;
    return id;
}

TEST(TransactionTable, FindsWhatWasAcquiredAndNothingElse)
{
    table t{100};
    auto const a = acquired(t, 1);
    auto const b = acquired(t, 2);
    EXPECT_NE(a, 0U);
    EXPECT_NE(a, b);
    ASSERT_NE(t.find(a), nullptr);
    EXPECT_EQ(t.find(a)->value, 1);
    EXPECT_EQ(t.find(b)->value, 2);
    EXPECT_EQ(t.size(), 2U);
    t.release(a);
    EXPECT_EQ(t.find(a), nullptr);
    EXPECT_EQ(t.find(b)->value, 2);
    EXPECT_EQ(t.size(), 1U);
}

TEST(TransactionTable, TakesAnyNumberForAnId)
{
    table t{100};
    for (std::uint32_t id : {0U, 1U, 0xFFFFFFFFU, 0x00100000U, 0x000FFFFFU})
        EXPECT_EQ(t.find(id), nullptr) << id;
    auto const held = acquired(t);
    auto const index = table::index_of(held);
    for (std::uint32_t generation = 0; generation <= table::max_generation; ++generation) {
        auto const id = generation << table::index_bits | index;
        EXPECT_EQ(t.find(id) != nullptr, id == held) << id;
    }
    for (std::uint32_t id : {0U, 0xFFFFFFFFU, held + 1, held + 100}) {
        t.release(id);
        EXPECT_EQ(t.find(id), nullptr) << id;
    }
    EXPECT_EQ(t.size(), 1U);
}

TEST(TransactionTable, ReleasesAnIdOnceOnly)
{
    table t{1};
    auto const first = acquired(t);
    t.release(first);
    auto const second = acquired(t);
    t.release(first);
    EXPECT_NE(t.find(second), nullptr);
    EXPECT_EQ(t.size(), 1U);
}

TEST(TransactionTable, RefusesWhenAllSlotsAreInUse)
{
    table t{3};
    auto const first = acquired(t);
    (void)acquired(t);
    (void)acquired(t);
    std::uint32_t id = 77;
    EXPECT_EQ(t.acquire(id), nullptr);
    EXPECT_EQ(id, 77U);
    t.release(first);
    EXPECT_NE(t.acquire(id), nullptr);
}

TEST(TransactionTable, WithoutSlotsRefusesAll)
{
    table t{0};
    std::uint32_t id = 0;
    EXPECT_EQ(t.acquire(id), nullptr);
    EXPECT_EQ(t.find(0), nullptr);
}

TEST(TransactionTable, GenerationsWrapWithoutZeroAndWithoutAnIdInUse)
{
    table t{2};
    auto const held = acquired(t, 42);
    std::set<std::uint32_t> seen;
    std::uint32_t first = 0;
    for (unsigned use = 0; use < table::max_generation; ++use) {
        auto const id = acquired(t);
        if (use == 0)
            first = id;
        ASSERT_NE(id, 0U);
        ASSERT_NE(table::generation_of(id), 0U);
        ASSERT_NE(id, held);
        ASSERT_TRUE(seen.insert(id).second) << "given out again after " << use;
        t.release(id);
    }
    EXPECT_EQ(acquired(t), first); // 4,095 generations on
    EXPECT_EQ(t.find(held)->value, 42);
}

TEST(TransactionTable, LetsSlotsRestAsLongAsPossible)
{
    table t{1U << 20};
    std::deque<std::uint32_t> indices;
    for (std::size_t i = 0; i < 2 * table::min_rotation; ++i) {
        auto const id = acquired(t);
        indices.push_back(table::index_of(id));
        t.release(id);
    }
    EXPECT_EQ(t.allocated(), table::min_rotation);
    EXPECT_EQ(std::set<std::uint32_t>(indices.begin(), indices.end()).size(), table::min_rotation);
    for (std::size_t i = 0; i < table::min_rotation; ++i)
        ASSERT_EQ(indices[i], indices[i + table::min_rotation]);
}

TEST(TransactionTable, ReusesTheSlotReleasedLongestAgo)
{
    table t{3};
    auto const a = acquired(t);
    auto const b = acquired(t);
    auto const c = acquired(t);
    for (auto id : {b, c, a})
        t.release(id);
    EXPECT_EQ(table::index_of(acquired(t)), table::index_of(b));
    EXPECT_EQ(table::index_of(acquired(t)), table::index_of(c));
    EXPECT_EQ(table::index_of(acquired(t)), table::index_of(a));
}

TEST(TransactionTable, SlotsStayWhereTheyAreWhileItGrows)
{
    table t{20000};
    std::uint32_t first = 0;
    auto* slot = t.acquire(first);
    for (int i = 1; i < 20000; ++i)
        (void)acquired(t, i);
    EXPECT_EQ(t.find(first), slot);
    EXPECT_EQ(t.size(), 20000U);
}

TEST(TransactionTable, HoldsAMillionAndNoMore)
{
    transaction_table<char> t{5'000'000};
    EXPECT_EQ(t.max_slots(), 1U << 20);
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < t.max_slots(); ++i)
        ASSERT_NE(t.acquire(id), nullptr);
    EXPECT_EQ(t.acquire(id), nullptr);
    EXPECT_NE(t.find(id), nullptr);
}

TEST(TransactionTable, ForEachMayReleaseWhatItVisits)
{
    table t{1000};
    std::set<std::uint32_t> ids;
    for (int i = 0; i < 600; ++i)
        ids.insert(acquired(t, i));
    std::set<std::uint32_t> visited;
    t.for_each([&](std::uint32_t id, note& slot) {
        EXPECT_EQ(t.find(id), &slot);
        visited.insert(id);
        t.release(id);
    });
    EXPECT_EQ(visited, ids);
    EXPECT_TRUE(t.empty());
}

class RandomTransactionTable : public seeded {};

TEST_P(RandomTransactionTable, BehavesAsAMapWould)
{
    auto const limit = 1 + pick(6000);
    table t{limit};
    std::map<std::uint32_t, int> model;
    std::vector<std::uint32_t> dead;
    for (int step = 0; step < 50'000; ++step) {
        auto const filling = (step / 5000) % 2 == 0;
        if (pick(10) < (filling ? 7U : 3U)) {
            std::uint32_t id = 0;
            auto* slot = t.acquire(id);
            ASSERT_EQ(slot != nullptr, model.size() < limit);
            if (slot == nullptr)
                continue;
            ASSERT_NE(id, 0U);
            slot->value = step;
            ASSERT_TRUE(model.emplace(id, step).second);
        } else if (!model.empty()) {
            auto victim = model.lower_bound(static_cast<std::uint32_t>(random()));
            if (victim == model.end())
                victim = model.begin();
            t.release(victim->first);
            dead.push_back(victim->first);
            model.erase(victim);
        }
        if (!dead.empty()) {
            auto const old = dead[pick(dead.size())];
            ASSERT_EQ(t.find(old) != nullptr, model.contains(old));
        }
        auto const any = static_cast<std::uint32_t>(random());
        ASSERT_EQ(t.find(any) != nullptr, model.contains(any));
        ASSERT_EQ(t.size(), model.size());
    }
    std::size_t visited = 0;
    t.for_each([&](std::uint32_t id, note& slot) {
        ++visited;
        ASSERT_EQ(model.at(id), slot.value);
    });
    EXPECT_EQ(visited, model.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTransactionTable, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
