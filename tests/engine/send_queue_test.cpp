#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/send_queue.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace madrigal::engine {
namespace {

struct item : send_queue_node {
    explicit item(int n = 0) : number{n} {}
    int number;
};

std::vector<int> numbers(send_queue_node* list)
{
    std::vector<int> found;
    for (; list != nullptr; list = list->next)
        found.push_back(static_cast<item*>(list)->number);
    return found;
}

TEST(SendQueue, FirstPushWakesAndLaterOnesDoNot)
{
    send_queue queue;
    item a{1};
    item b{2};
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.push(a));
    EXPECT_FALSE(queue.push(b));
    EXPECT_FALSE(queue.empty());
}

TEST(SendQueue, ComesOutInTheOrderOfThePushes)
{
    send_queue queue;
    std::vector<item> items;
    items.reserve(5);
    for (int i = 0; i < 5; ++i)
        items.emplace_back(i);
    for (auto& pushed : items)
        (void)queue.push(pushed);
    EXPECT_EQ(numbers(queue.pop_all()), (std::vector{0, 1, 2, 3, 4}));
    EXPECT_EQ(queue.pop_all(), nullptr);
    EXPECT_TRUE(queue.empty());
}

TEST(SendQueue, NobodyWakesAConsumerThatIsLooking)
{
    send_queue queue;
    item a{1};
    item b{2};
    EXPECT_TRUE(queue.push(a));
    EXPECT_NE(queue.pop_all(), nullptr);
    EXPECT_FALSE(queue.push(b));
    EXPECT_EQ(numbers(queue.pop_all()), std::vector{2});
}

TEST(SendQueue, DoesNotArmWhileSomethingWaits)
{
    send_queue queue;
    item a{1};
    EXPECT_EQ(queue.pop_all(), nullptr); // looking
    EXPECT_FALSE(queue.push(a));
    EXPECT_FALSE(queue.arm());
    EXPECT_EQ(numbers(queue.pop_all()), std::vector{1});
    EXPECT_TRUE(queue.arm());
    EXPECT_TRUE(queue.arm());
    EXPECT_TRUE(queue.push(a));
}

TEST(SendQueue, LookingUnaskedDisarms)
{
    send_queue queue;
    item a{1};
    EXPECT_TRUE(queue.arm());
    EXPECT_EQ(queue.pop_all(), nullptr);
    EXPECT_FALSE(queue.push(a));
    EXPECT_NE(queue.pop_all(), nullptr);
}

TEST(SendQueue, OneWakeUpForEachArming)
{
    send_queue queue;
    std::vector<item> items(100);
    std::size_t next = 0;
    int wakes = 0;
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 10; ++i)
            wakes += queue.push(items.at(next++)) ? 1 : 0;
        EXPECT_EQ(numbers(queue.pop_all()).size(), 10U);
        EXPECT_TRUE(queue.arm());
    }
    EXPECT_EQ(wakes, 10);
}

/// The wake-up of a consumer thread: a count, as an eventfd has.
class bell {
public:
    void ring()
    {
        std::lock_guard const lock{mutex_};
        ++rung_;
        changed_.notify_one();
    }
    void wait()
    {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return rung_ > 0; });
        --rung_;
    }
    int left()
    {
        std::lock_guard const lock{mutex_};
        return rung_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int rung_ = 0;
};

/// Counts its own lives, so that what is lost or ends twice shows.
struct parcel : send_queue_node {
    parcel(unsigned from, std::uint64_t number)
        : producer{from}, sequence{number}, payload(1 + number % 7, std::uint64_t{from} * 1'000'003 + number)
    {
        alive.fetch_add(1, std::memory_order_relaxed);
    }
    parcel(parcel const&) = delete;
    parcel& operator=(parcel const&) = delete;
    ~parcel() { alive.fetch_sub(1, std::memory_order_relaxed); }

    unsigned producer;
    std::uint64_t sequence;
    std::vector<std::uint64_t> payload;
    static inline std::atomic<int> alive = 0;
};

struct load {
    unsigned producers;
    std::uint64_t each;
    unsigned pause; // a producer yields after this many pushes, 0 = never: how often the consumer sleeps
};

class SendQueueUnderLoad : public ::testing::TestWithParam<load> {};

TEST_P(SendQueueUnderLoad, LosesNothingKeepsOrderAndNeverOversleeps)
{
    auto const [producers, each, pause] = GetParam();
    send_queue queue;
    bell wake;
    std::atomic<std::uint64_t> wakes = 0;
    // The stop is a message as any other: without a wake-up for it, or with a lost one, this never ends.
    std::vector<std::thread> threads;
    for (unsigned from = 0; from < producers; ++from)
        threads.emplace_back([&, from, each = each, pause = pause] {
            for (std::uint64_t number = 0; number < each; ++number) {
                auto sent = std::make_unique<parcel>(from, number);
                if (queue.push(*sent.release())) {
                    wakes.fetch_add(1, std::memory_order_relaxed);
                    wake.ring();
                }
                if (pause != 0 && number % pause == pause - 1)
                    std::this_thread::yield();
            }
        });

    std::vector<std::uint64_t> expected(producers, 0);
    std::uint64_t received = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t sum = 0;
    std::uint64_t disordered = 0;
    while (received < producers * each) {
        ++sleeps;
        wake.wait();
        do {
            for (auto* node = queue.pop_all(); node != nullptr;) {
                std::unique_ptr<parcel> const got{static_cast<parcel*>(std::exchange(node, node->next))};
                ++received;
                disordered += expected[got->producer]++ == got->sequence ? 0U : 1U;
                for (auto word : got->payload)
                    sum += word;
            }
        } while (!queue.arm());
    }
    for (auto& thread : threads)
        thread.join();

    std::uint64_t expected_sum = 0;
    for (unsigned from = 0; from < producers; ++from)
        for (std::uint64_t number = 0; number < each; ++number)
            expected_sum += (1 + number % 7) * (from * std::uint64_t{1'000'003} + number);
    EXPECT_EQ(received, producers * each);
    EXPECT_EQ(sum, expected_sum);
    EXPECT_EQ(disordered, 0U);
    EXPECT_EQ(parcel::alive.load(), 0);
    EXPECT_EQ(sleeps, wakes.load()) << "a wake-up for each sleep, none for a consumer that looks anyway";
    EXPECT_EQ(wake.left(), 0);
}

INSTANTIATE_TEST_SUITE_P(Loads, SendQueueUnderLoad,
    ::testing::Values(
        load{1, 100'000, 0}, load{1, 20'000, 1}, load{4, 50'000, 0}, load{4, 10'000, 1}, load{8, 10'000, 64}),
    [](auto const& chosen) {
        return std::to_string(chosen.param.producers) + "Producers" + std::to_string(chosen.param.each) + "EachPause" +
               std::to_string(chosen.param.pause);
    });

TEST(SendQueue, WhatTheConsumerWroteBeforeArmingIsSeenByTheOneWhoWakesIt)
{
    send_queue queue;
    bell wake;
    int turns = 0; // no atomic, no lock: ordered by arm and push alone, as ThreadSanitizer checks
    int disagreements = 0;
    constexpr int rounds = 5000;
    auto drain = [&] {
        for (auto* node = queue.pop_all(); node != nullptr;)
            delete static_cast<item*>(std::exchange(node, node->next));
    };
    drain(); // not armed until the first turn
    std::thread producer{[&] {
        for (int round = 1; round <= rounds; ++round) {
            while (!queue.push(*new item)) // until the consumer has armed
                std::this_thread::yield();
            disagreements += turns == round ? 0 : 1;
            wake.ring();
        }
    }};
    for (int round = 1; round <= rounds; ++round) {
        turns = round;
        do
            drain();
        while (!queue.arm());
        wake.wait();
    }
    producer.join();
    drain();
    EXPECT_EQ(disagreements, 0);
}

/// The two lock-free parts together, as the runtime uses them: packets from the pool to the loop and back.
struct posted : send_queue_node {
    packet_ptr carried;
};

TEST(SendQueue, CarriesPacketsThatReturnToThePoolOnTheOtherThread)
{
    constexpr unsigned producers = 3;
    constexpr std::uint64_t each = 20'000;
    packet_pool pool{128};
    send_queue queue;
    bell wake;
    std::vector<std::thread> threads;
    for (unsigned from = 0; from < producers; ++from)
        threads.emplace_back([&] {
            for (std::uint64_t number = 0; number < each;) {
                auto fresh = pool.acquire();
                if (!fresh) { // back-pressure
                    std::this_thread::yield();
                    continue;
                }
                ++number;
                auto const bytes = fresh->prepare(packet::capacity);
                std::memcpy(bytes.data(), &number, sizeof number);
                std::memcpy(bytes.data() + 312, &number, sizeof number);
                auto sent = std::make_unique<posted>();
                sent->carried = std::move(fresh);
                if (queue.push(*sent.release()))
                    wake.ring();
            }
        });
    std::uint64_t received = 0;
    std::uint64_t damaged = 0;
    while (received < producers * each) {
        wake.wait();
        do {
            for (auto* node = queue.pop_all(); node != nullptr;) {
                std::unique_ptr<posted> const got{static_cast<posted*>(std::exchange(node, node->next))};
                std::uint64_t first = 0;
                std::uint64_t last = 0;
                std::memcpy(&first, got->carried->contents().data(), sizeof first);
                std::memcpy(&last, got->carried->contents().data() + 312, sizeof last);
                damaged += first == last && first != 0 ? 0U : 1U;
                ++received;
            }
        } while (!queue.arm());
    }
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(damaged, 0U);
    EXPECT_EQ(pool.in_use(), 0U);
    EXPECT_LE(pool.allocated(), 128U);
}

} // namespace
} // namespace madrigal::engine
