// What packet_pool_test does not show: objects at hand for one thread, and pools that go before their objects.
#include <madrigal/engine/object_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace madrigal::engine {
namespace {

struct thing : pooled<thing> {
    static constexpr std::size_t pool_chunk = 16;
    static inline std::atomic<int> alive = 0;

    thing() { ++alive; }
    thing(thing const&) = delete;
    thing& operator=(thing const&) = delete;
    ~thing() { --alive; }

    void recycle() noexcept { ++recycled; }

    int recycled = 0;
    unsigned owner = 0;
};
using things = object_pool<thing>;
using thing_cache = pool_cache<thing>;
using thing_ptr = pooled_ptr<thing>;

TEST(ObjectPool, RecyclesEachObjectThatReturns)
{
    things pool{1};
    auto* const first = pool.acquire().get();
    auto const again = pool.acquire();
    EXPECT_EQ(again.get(), first);
    EXPECT_EQ(again->recycled, 1);
}

TEST(ObjectPool, EndsWithItsLastObjectWhereItsOwnerHasGoneBefore)
{
    ASSERT_EQ(thing::alive, 0);
    auto pool = make_pool<thing>(100);
    auto last = pool->acquire();
    auto other = pool->acquire();
    pool.reset();
    EXPECT_NE(thing::alive, 0);
    other.reset();
    EXPECT_NE(thing::alive, 0);
    EXPECT_EQ(last->recycled, 0);
    last.reset();
    EXPECT_EQ(thing::alive, 0);
}

TEST(ObjectPool, EndsWithItsOwnerWhereNothingIsOut)
{
    auto pool = make_pool<thing>(100);
    pool->acquire().reset();
    pool.reset();
    EXPECT_EQ(thing::alive, 0);
}

TEST(PoolCache, KeepsAtHandWhatReturnsAndGivesTheLatestFirst)
{
    things pool{1000};
    thing_cache cache{pool, 64};
    thing_cache::scope const here{cache};
    auto first = pool.acquire();
    auto second = pool.acquire();
    auto* const latest = second.get();
    EXPECT_EQ(pool.in_use(), 2U);
    first.reset();
    second.reset();
    EXPECT_EQ(pool.in_use(), 0U) << "what is at hand is free";
    EXPECT_EQ(pool.acquire().get(), latest);
}

TEST(PoolCache, HoldsNoMoreThanItsLimit)
{
    things pool{1000};
    std::set<thing*> seen;
    {
        thing_cache cache{pool, 8};
        std::vector<thing_ptr> all;
        thing_cache::scope const here{cache};
        for (int round = 0; round != 3; ++round) {
            for (int i = 0; i != 100; ++i) {
                all.push_back(pool.acquire());
                ASSERT_TRUE(all.back());
                seen.insert(all.back().get());
            }
            EXPECT_EQ(pool.in_use(), 100U);
            all.clear();
            EXPECT_EQ(pool.in_use(), 0U);
        }
    }
    EXPECT_LE(seen.size(), 112U) << "objects are used again";
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(PoolCache, IsUsedOnlyWithinItsScopeAndForItsPool)
{
    things pool{20};
    things other{20};
    thing_cache cache{pool, 4};
    thing_cache of_other{other, 4};
    thing_ptr outside;
    {
        thing_cache::scope const here{cache};
        auto inside = pool.acquire();
        outside = other.acquire();
        EXPECT_EQ(other.in_use(), 1U);
        {
            thing_cache::scope const nested{of_other};
            EXPECT_TRUE(pool.acquire());
            EXPECT_TRUE(other.acquire());
        }
        EXPECT_EQ(pool.in_use(), 1U);
    }
    outside.reset();
    EXPECT_EQ(pool.in_use(), 0U);
    EXPECT_EQ(other.in_use(), 0U);
}

TEST(PoolCache, OfNothingLeavesAllToThePool)
{
    things pool{2};
    thing_cache cache{pool, 0};
    thing_cache::scope const here{cache};
    auto const one = pool.acquire();
    auto const two = pool.acquire();
    EXPECT_TRUE(two);
    EXPECT_FALSE(pool.acquire());
    EXPECT_EQ(pool.in_use(), 2U);
}

TEST(PoolCache, GivesAllBackAtItsEnd)
{
    things pool{10};
    {
        thing_cache cache{pool, 10};
        thing_cache::scope const here{cache};
        EXPECT_TRUE(pool.acquire());
    }
    std::vector<thing_ptr> all;
    for (int i = 0; i != 10; ++i)
        all.push_back(pool.acquire());
    EXPECT_TRUE(std::ranges::all_of(all, [](auto const& one) { return one.get() != nullptr; }));
}

TEST(PoolCache, NoObjectHasTwoOwnersBetweenAThreadThatHasOneAndThreadsThatHaveNone)
{
    things pool{200};
    thing_cache cache{pool, 32};
    std::atomic<int> shared = 0;
    auto const work = [&](unsigned self) {
        std::vector<thing_ptr> held;
        std::uint32_t state = self;
        for (int step = 0; step != 50'000; ++step) {
            state = state * 1664525 + 1013904223;
            if ((state >> 24) % 2 == 0 && held.size() < 60) {
                if (auto one = pool.acquire()) {
                    one->owner = self; // plain: ThreadSanitizer sees two owners, or a hand-over without order, here
                    held.push_back(std::move(one));
                }
            } else if (!held.empty()) {
                std::swap(held[(state >> 8) % held.size()], held.back());
                shared += held.back()->owner != self ? 1 : 0;
                held.pop_back();
            }
        }
    };
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        thing_cache::scope const here{cache};
        work(1);
    });
    threads.emplace_back([&] { work(2); });
    threads.emplace_back([&] { work(3); });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(pool.in_use(), 0U);
}

} // namespace
} // namespace madrigal::engine
