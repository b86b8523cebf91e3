#include <madrigal/engine/packet.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

namespace madrigal::engine {
namespace {

static_assert(!std::is_copy_constructible_v<packet_ptr> && !std::is_copy_assignable_v<packet_ptr>);
static_assert(std::is_nothrow_move_constructible_v<packet_ptr> && std::is_nothrow_move_assignable_v<packet_ptr>);
static_assert(sizeof(packet_ptr) == sizeof(void*));

TEST(PacketPool, GivesEmptyPackets)
{
    packet_pool pool{10};
    EXPECT_EQ(pool.allocated(), 0U);
    auto fresh = pool.acquire();
    ASSERT_TRUE(fresh);
    EXPECT_EQ(fresh->size, 0U);
    EXPECT_FALSE(fresh->more);
    EXPECT_TRUE(fresh->contents().empty());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(fresh->bytes.data()) % 8, 0U);
    EXPECT_EQ(pool.in_use(), 1U);
}

TEST(PacketPool, APacketReturnsWhenItsOwnerEnds)
{
    packet_pool pool{10};
    {
        auto a = pool.acquire();
        auto b = std::move(a);
        EXPECT_EQ(a, nullptr); // NOLINT(bugprone-use-after-move): what a moved-from owner is, is promised
        EXPECT_EQ(pool.in_use(), 1U);
        a = pool.acquire();
        EXPECT_EQ(pool.in_use(), 2U);
        a = std::move(b);
        EXPECT_EQ(pool.in_use(), 1U);
        auto* let_go = a.release();
        EXPECT_EQ(pool.in_use(), 1U);
        packet_ptr const again{let_go};
    }
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(PacketPool, AssigningAPacketToItselfKeepsIt)
{
    packet_pool pool{1};
    auto a = pool.acquire();
    auto& same = a;
    a = std::move(same);
    EXPECT_TRUE(a);
    EXPECT_EQ(pool.in_use(), 1U);
}

TEST(PacketPool, EndsAtItsMaximum)
{
    for (std::size_t maximum : {std::size_t{0}, std::size_t{1}, packet_pool::chunk_objects,
             packet_pool::chunk_objects + 1, std::size_t{1000}}) {
        packet_pool pool{maximum};
        std::vector<packet_ptr> held;
        std::set<packet*> distinct;
        for (std::size_t i = 0; i < maximum; ++i) {
            held.push_back(pool.acquire());
            ASSERT_TRUE(held.back()) << maximum;
            distinct.insert(held.back().get());
        }
        EXPECT_EQ(distinct.size(), maximum);
        EXPECT_FALSE(pool.acquire());
        EXPECT_EQ(pool.in_use(), maximum);
        if (maximum > 0) {
            held.pop_back();
            EXPECT_TRUE(pool.acquire());
        }
    }
}

TEST(PacketPool, AllocatesNothingOnceWarm)
{
    packet_pool pool{10'000};
    for (int round = 0; round < 100; ++round) {
        std::vector<packet_ptr> held;
        for (int i = 0; i < 100; ++i)
            held.push_back(pool.acquire());
        EXPECT_EQ(pool.allocated(), 128U);
    }
}

TEST(PacketPool, BytesOfAnEarlierUseNeverBecomeValidByThemselves)
{
    packet_pool pool{1};
    for (std::size_t count : {std::size_t{100}, std::size_t{320}, std::size_t{0}, std::size_t{88}}) {
        {
            auto secret = pool.acquire();
            std::ranges::fill(secret->storage(), std::byte{0xA5});
            secret->assume(packet::capacity);
            EXPECT_EQ(secret->contents().size(), packet::capacity);
        }
        auto built = pool.acquire();
        EXPECT_TRUE(built->contents().empty());
        auto const bytes = built->prepare(count);
        EXPECT_EQ(bytes.size(), count);
        EXPECT_EQ(built->contents().size(), count);
        EXPECT_TRUE(std::ranges::all_of(built->contents(), [](auto byte) { return byte == std::byte{0}; }));
    }
}

TEST(PacketPool, NoPacketHasTwoOwnersWhateverTheThreadsDo)
{
    constexpr std::size_t maximum = 96; // less than the threads ask for together: it runs dry, too
    packet_pool pool{maximum};
    std::vector<std::atomic<int>> owners(packet_pool::chunk_objects * 2);
    std::atomic<int> shared = 0;
    std::atomic<std::uint64_t> given = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::vector<packet_ptr> held;
            std::uint32_t state = t + 1;
            for (int step = 0; step < 100'000; ++step) {
                state = state * 1664525 + 1013904223;
                if ((state >> 24) % 2 == 0 && held.size() < 40) {
                    auto p = pool.acquire();
                    if (!p)
                        continue;
                    given.fetch_add(1, std::memory_order_relaxed);
                    if (owners[p->pool_index()].fetch_add(1, std::memory_order_relaxed) != 0)
                        shared.fetch_add(1);
                    // Plain writes: ThreadSanitizer sees two owners, or a hand-over without order, here.
                    p->prepare(packet::capacity)[7] = std::byte{static_cast<unsigned char>(t)};
                    held.push_back(std::move(p));
                } else if (!held.empty()) {
                    auto const which = (state >> 8) % held.size();
                    std::swap(held[which], held.back());
                    if (held.back()->contents()[7] != std::byte{static_cast<unsigned char>(t)})
                        shared.fetch_add(1);
                    owners[held.back()->pool_index()].fetch_sub(1, std::memory_order_relaxed);
                    held.pop_back();
                }
            }
            for (auto& p : held)
                owners[p->pool_index()].fetch_sub(1, std::memory_order_relaxed);
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(shared.load(), 0);
    EXPECT_GT(given.load(), 1000U);
    EXPECT_EQ(pool.in_use(), 0U);
    EXPECT_LE(pool.allocated(), packet_pool::chunk_objects * 2);
    std::vector<packet_ptr> all;
    for (std::size_t i = 0; i < maximum; ++i)
        all.push_back(pool.acquire());
    EXPECT_TRUE(std::ranges::all_of(all, [](auto const& p) { return p.get() != nullptr; })) << "one was lost";
    EXPECT_FALSE(pool.acquire());
}

TEST(PacketPool, ThreadsThatGrowItTogetherGetAllThereIsAndNoMore)
{
    for (int round = 0; round < 50; ++round) {
        constexpr std::size_t maximum = 300;
        packet_pool pool{maximum};
        std::vector<std::vector<packet_ptr>> held(4);
        std::atomic<int> ready = 0;
        std::vector<std::thread> threads;
        for (auto& mine : held)
            threads.emplace_back([&] {
                ready.fetch_add(1);
                while (ready.load() < 4)
                    std::this_thread::yield();
                while (auto p = pool.acquire())
                    mine.push_back(std::move(p));
            });
        for (auto& thread : threads)
            thread.join();
        std::set<packet*> distinct;
        for (auto const& mine : held)
            for (auto const& p : mine)
                distinct.insert(p.get());
        EXPECT_EQ(distinct.size(), maximum);
        EXPECT_EQ(pool.in_use(), maximum);
        EXPECT_EQ(pool.allocated(), 320U);
    }
}

} // namespace
} // namespace madrigal::engine
