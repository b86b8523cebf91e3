// The send queue between real threads: order, completeness, and a consumer that sleeps in the kernel. For
// ThreadSanitizer.
#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/send_queue.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace madrigal::engine {
namespace {

/// A count in the kernel.
class bell {
public:
    bell() = default;
    bell(bell const&) = delete;
    bell& operator=(bell const&) = delete;
    ~bell() { ::close(descriptor_); }

    void ring() const noexcept
    {
        std::uint64_t const one = 1;
        (void)!::write(descriptor_, &one, sizeof one);
    }
    /// Takes one ring away, if there is one.
    [[nodiscard]] bool answer() const noexcept
    {
        std::uint64_t one = 0;
        return ::read(descriptor_, &one, sizeof one) == sizeof one;
    }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_ = ::eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
};

/// Where the consumer sleeps. Producers say when they have ended: who then sleeps although something is missing has not
/// been woken for it, and nobody will. So a lost wake-up is seen without any clock.
class bed {
public:
    explicit bed(unsigned producers) noexcept : producers_{producers} {}

    /// By a producer that was told to.
    void wake() noexcept
    {
        wakes_.fetch_add(1, std::memory_order_relaxed);
        wake_.ring();
    }
    /// By each producer, when it has pushed all and woken whom it must.
    void ended() noexcept
    {
        if (producers_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            over_.ring();
    }
    /// Until woken. False when that cannot happen any more.
    [[nodiscard]] bool sleep()
    {
        ++sleeps_;
        for (;;) {
            if (wake_.answer())
                return true;
            // Which has rung first cannot be told from what poll says; that no producer is left can.
            if (producers_.load(std::memory_order_acquire) == 0)
                return wake_.answer();
            std::array<pollfd, 2> both{{{wake_.descriptor(), POLLIN, 0}, {over_.descriptor(), POLLIN, 0}}};
            (void)::poll(both.data(), both.size(), -1);
        }
    }
    [[nodiscard]] std::uint64_t sleeps() const noexcept { return sleeps_; }
    [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_.load(std::memory_order_relaxed); }

private:
    bell wake_;
    bell over_;
    std::atomic<unsigned> producers_;
    std::atomic<std::uint64_t> wakes_{0};
    std::uint64_t sleeps_ = 0; // the consumer's
};

/// For who waits for something that only a lost wake-up could keep away: long enough for any machine.
class patience {
public:
    [[nodiscard]] bool ended() const noexcept { return std::chrono::steady_clock::now() > end_; }

private:
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds{120};
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
    bed here{producers};
    std::vector<std::thread> threads;
    for (unsigned from = 0; from < producers; ++from)
        threads.emplace_back([&, from, each = each, pause = pause] {
            for (std::uint64_t number = 0; number < each; ++number) {
                auto sent = std::make_unique<parcel>(from, number);
                if (queue.push(*sent.release()))
                    here.wake();
                if (pause != 0 && number % pause == pause - 1)
                    std::this_thread::yield();
            }
            here.ended();
        });

    std::vector<std::uint64_t> expected(producers, 0);
    std::uint64_t received = 0;
    std::uint64_t sum = 0;
    std::uint64_t disordered = 0;
    auto const take_all = [&] {
        for (auto* node = queue.pop_all(); node != nullptr;) {
            std::unique_ptr<parcel> const got{static_cast<parcel*>(std::exchange(node, node->next))};
            ++received;
            disordered += expected[got->producer]++ == got->sequence ? 0U : 1U;
            for (auto word : got->payload)
                sum += word;
        }
    };
    bool woken = true;
    while (received < producers * each && woken) {
        woken = here.sleep();
        if (woken)
            do
                take_all();
            while (!queue.arm());
    }
    EXPECT_TRUE(woken) << "all producers have ended, " << producers * each - received
                       << " parcels are missing and the consumer sleeps";
    for (auto& thread : threads)
        thread.join();
    take_all(); // what was slept through

    std::uint64_t expected_sum = 0;
    for (unsigned from = 0; from < producers; ++from)
        for (std::uint64_t number = 0; number < each; ++number)
            expected_sum += (1 + number % 7) * (from * std::uint64_t{1'000'003} + number);
    EXPECT_EQ(received, producers * each);
    EXPECT_EQ(sum, expected_sum);
    EXPECT_EQ(disordered, 0U);
    EXPECT_EQ(parcel::alive.load(), 0);
    EXPECT_EQ(here.sleeps(), here.wakes()) << "a wake-up for each sleep, none for a consumer that looks anyway";
}

INSTANTIATE_TEST_SUITE_P(Loads, SendQueueUnderLoad,
    ::testing::Values(
        load{1, 100'000, 0}, load{1, 20'000, 1}, load{4, 50'000, 0}, load{4, 10'000, 1}, load{8, 10'000, 64}),
    [](auto const& chosen) {
        return std::to_string(chosen.param.producers) + "Producers" + std::to_string(chosen.param.each) + "EachPause" +
               std::to_string(chosen.param.pause);
    });

TEST(SendQueueStress, ASleeperWhomNobodyWakesIsNoticed)
{
    send_queue queue;
    bed here{1};
    parcel forgotten{0, 0};
    std::thread producer{[&] {
        (void)queue.push(forgotten); // and does not do what it is told
        here.ended();
    }};
    EXPECT_FALSE(here.sleep());
    producer.join();
    EXPECT_EQ(queue.pop_all(), &forgotten);
}

TEST(SendQueueStress, WhatTheConsumerWroteBeforeArmingIsSeenByTheOneWhoWakesIt)
{
    send_queue queue;
    bed here{1};
    int turns = 0; // no atomic, no lock: ordered by arm and push alone, as ThreadSanitizer checks
    int disagreements = 0;
    constexpr int rounds = 5000;
    auto drain = [&] {
        for (auto* node = queue.pop_all(); node != nullptr;)
            delete static_cast<parcel*>(std::exchange(node, node->next));
    };
    drain(); // not armed until the first turn
    std::thread producer{[&] {
        patience const left;
        for (int round = 1; round <= rounds; ++round) {
            bool armed = false;
            while (!armed && !left.ended()) {
                auto sent = std::make_unique<parcel>(0, 0);
                armed = queue.push(*sent.release());
                if (!armed)
                    std::this_thread::yield();
            }
            if (!armed)
                break;
            disagreements += turns == round ? 0 : 1;
            here.wake();
        }
        here.ended();
    }};
    bool woken = true;
    for (int round = 1; round <= rounds && woken; ++round) {
        turns = round;
        do
            drain();
        while (!queue.arm());
        woken = here.sleep();
    }
    producer.join();
    drain();
    EXPECT_TRUE(woken) << "the producer has given up in round " << turns;
    EXPECT_EQ(disagreements, 0);
}

/// The two lock-free parts together, as the runtime uses them: packets from the pool to the loop and back.
struct posted : send_queue_node {
    packet_ptr carried;
};

TEST(SendQueueStress, CarriesPacketsThatReturnToThePoolOnTheOtherThread)
{
    constexpr unsigned producers = 3;
    constexpr std::uint64_t each = 20'000;
    packet_pool pool{128};
    send_queue queue;
    bed here{producers};
    std::vector<std::thread> threads;
    for (unsigned from = 0; from < producers; ++from)
        threads.emplace_back([&] {
            patience const left;
            for (std::uint64_t number = 0; number < each && !left.ended();) {
                auto fresh = pool.acquire();
                if (!fresh) { // until the consumer has given some back
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
                    here.wake();
            }
            here.ended();
        });
    std::uint64_t received = 0;
    std::uint64_t damaged = 0;
    auto const take_all = [&] {
        for (auto* node = queue.pop_all(); node != nullptr;) {
            std::unique_ptr<posted> const got{static_cast<posted*>(std::exchange(node, node->next))};
            std::uint64_t first = 0;
            std::uint64_t last = 0;
            std::memcpy(&first, got->carried->contents().data(), sizeof first);
            std::memcpy(&last, got->carried->contents().data() + 312, sizeof last);
            damaged += first == last && first != 0 ? 0U : 1U;
            ++received;
        }
    };
    bool woken = true;
    while (received < producers * each && woken) {
        woken = here.sleep();
        if (woken)
            do
                take_all();
            while (!queue.arm());
    }
    EXPECT_TRUE(woken) << "all producers have ended, " << producers * each - received << " packets are missing";
    for (auto& thread : threads)
        thread.join();
    take_all();
    EXPECT_EQ(damaged, 0U);
    EXPECT_EQ(pool.in_use(), 0U);
    EXPECT_LE(pool.allocated(), 128U);
}

} // namespace
} // namespace madrigal::engine
