// The send queue's own code under every interleaving of its atomic operations: nothing is lost, nobody oversleeps.
#include <madrigal/engine/send_queue.hpp>

#include "engine/interleavings.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace madrigal::engine {
namespace {

using madrigal::testing::checked_atomic;
using madrigal::testing::interleavings;

struct scene {
    char const* name;
    unsigned producers;
    unsigned each;          ///< pushes of a producer
    unsigned unasked_turns; ///< how often the consumer may take a turn although nobody has woken it
    interleavings::memory memory;
};
constexpr auto newest = interleavings::memory::newest;
constexpr auto stale = interleavings::memory::stale;

/// Producers that push and wake, and a consumer that takes turns and sleeps, as the runtime has them. The bell carries
/// a count and nothing else: what the consumer sees comes through the queue alone.
template <template <class> class Atomic>
class conversation : public interleavings::model {
public:
    explicit conversation(scene const& wanted) : scene_{wanted}, unasked_left_{wanted.unasked_turns}
    {
        interleavings::current().set_codes([this](void const* value) { return code_of(value); });
        items_.resize(scene_.producers * scene_.each);
        next_.resize(scene_.producers);
    }

    std::vector<interleavings::thread> threads() override
    {
        std::vector<interleavings::thread> all{{"consumer", [this] { consume(); }}};
        for (unsigned from = 0; from != scene_.producers; ++from)
            all.push_back({"producer " + std::to_string(from), [this, from] { produce(from); }});
        return all;
    }
    void append_state(std::string& to) const override
    {
        to += {static_cast<char>(rung_), static_cast<char>(turns_), static_cast<char>(unasked_left_)};
        for (auto const& item : items_)
            to += static_cast<char>(code_of(item.next));
    }
    [[nodiscard]] std::optional<std::string> check() const override
    {
        auto const& all = interleavings::current();
        if (all.next_of(0) != sleep || rung_ != 0 || queue_.empty())
            return std::nullopt;
        for (unsigned from = 0; from != scene_.producers; ++from)
            if (all.next_of(1 + from) == ring)
                return std::nullopt;
        return "the consumer sleeps, something waits, and nobody is about to wake it";
    }
    [[nodiscard]] std::optional<std::string> check_end(bool all_ended) const override
    {
        if (!all_ended)
            return "the consumer waits for ever: an item is lost";
        if (rung_ != 0 && scene_.unasked_turns == 0)
            return "woken more often than it slept";
        return std::nullopt;
    }

private:
    static constexpr char const* sleep = "sleep";
    static constexpr char const* ring = "ring";

    void produce(unsigned from)
    {
        auto& all = interleavings::current();
        for (unsigned number = 0; number != scene_.each; ++number) {
            auto const place = from * scene_.each + number;
            all.mine().facts |= 1U << place; // the item's contents
            if (queue_.push(items_[place])) {
                if (all.mine().turn != turns_)
                    all.fail("a producer that must wake does not see what the consumer did before it armed");
                all.step(ring);
                ++rung_;
            }
            all.forget(std::to_string(number));
        }
    }
    void consume()
    {
        auto& all = interleavings::current();
        while (received_ != items_.size() && !all.abandoned()) {
            all.step(sleep, [this] { return rung_ != 0 || unasked_left_ != 0; });
            auto& reason = rung_ != 0 ? rung_ : unasked_left_;
            if (!all.abandoned())
                --reason;
            all.observe(1);
            do {
                take(queue_.pop_all());
                all.mine().turn = ++turns_;
            } while (!queue_.arm());
            all.forget("asleep " + progress());
        }
    }
    void take(send_queue_node* list)
    {
        auto& all = interleavings::current();
        for (; list != nullptr && !all.abandoned(); list = list->next) {
            auto const place = code_of(list) - 2;
            auto const from = place / scene_.each;
            if ((all.mine().facts & 1U << place) == 0)
                return all.fail("an item has come out before its contents are seen");
            if (next_[from]++ != place % scene_.each)
                return all.fail("an item is doubled, or out of its producer's order");
            ++received_;
        }
        all.forget("taken " + progress());
    }
    [[nodiscard]] std::string progress() const
    {
        std::string told;
        for (auto const next : next_)
            told += static_cast<char>('0' + next);
        return told;
    }
    [[nodiscard]] unsigned code_of(void const* value) const
    {
        if (value == nullptr)
            return 0;
        for (unsigned i = 0; i != items_.size(); ++i)
            if (value == &items_[i])
                return 2 + i;
        return 1; // armed
    }

    scene scene_;
    std::vector<send_queue_node> items_;
    std::vector<unsigned> next_; // number, of each producer
    std::size_t received_ = 0;
    unsigned rung_ = 0;
    unsigned turns_ = 0;
    unsigned unasked_left_;
    basic_send_queue<Atomic> queue_;
};

template <template <class> class Atomic>
interleavings::outcome explore(scene const& wanted)
{
    return interleavings::explore(wanted.memory, [&] { return std::make_unique<conversation<Atomic>>(wanted); });
}

class SendQueueModel : public ::testing::TestWithParam<scene> {};

TEST_P(SendQueueModel, LosesNoWakeUpAndNoItemInAnyInterleaving)
{
    auto const found = explore<checked_atomic>(GetParam());
    EXPECT_EQ(found.failure.value_or(""), "");
    EXPECT_GT(found.complete, 0U);
    RecordProperty("states", std::to_string(found.states));
    RecordProperty("orders", std::to_string(found.orders));
}

INSTANTIATE_TEST_SUITE_P(Scenes, SendQueueModel,
    ::testing::Values(scene{"TwoProducersTwoPushesEach", 2, 2, 0, newest},
        scene{"TwoProducersThreePushesEach", 2, 3, 0, newest}, scene{"ThreeProducersOnePushEach", 3, 1, 0, newest},
        scene{"AConsumerThatAlsoLooksUnasked", 2, 2, 2, newest}, scene{"OneProducerThreePushesStale", 1, 3, 0, stale},
        scene{"ThreeProducersOnePushEachStale", 3, 1, 0, stale},
        scene{"TwoProducersTwoPushesEachStale", 2, 2, 0, stale},
        scene{"AConsumerThatAlsoLooksUnaskedStale", 2, 1, 2, stale}),
    [](auto const& chosen) { return chosen.param.name; });

// The proof of the proof: each of these breaks one thing, and the same exploration must find it.

template <class T>
struct arm_stores : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_strong(T&, T desired, std::memory_order success, std::memory_order)
    {
        this->store(desired, success);
        return true;
    }
};
template <class T>
struct arm_says_yes_whatever_it_finds : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure)
    {
        (void)checked_atomic<T>::compare_exchange_strong(expected, desired, success, failure);
        return true;
    }
};
template <class T>
struct arm_looks_and_then_stores : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure)
    {
        auto const found = this->load(failure);
        if (found != expected) {
            expected = found;
            return false;
        }
        this->store(desired, success);
        return true;
    }
};
template <class T>
struct push_looks_and_then_stores : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order)
    {
        auto const found = this->load(std::memory_order_acquire);
        if (found != expected) {
            expected = found;
            return false;
        }
        this->store(desired, success);
        return true;
    }
};
template <class T>
struct pop_all_looks_and_then_stores : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    T exchange(T value, std::memory_order order)
    {
        auto const found = this->load(order);
        this->store(value, order);
        return found;
    }
};
template <class T>
struct push_does_not_release : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order failure)
    {
        return checked_atomic<T>::compare_exchange_weak(expected, desired, std::memory_order_acquire, failure);
    }
};
template <class T>
struct push_does_not_acquire : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order failure)
    {
        return checked_atomic<T>::compare_exchange_weak(expected, desired, std::memory_order_release, failure);
    }
};
template <class T>
struct pop_all_does_not_acquire : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    T exchange(T value, std::memory_order) { return checked_atomic<T>::exchange(value, std::memory_order_relaxed); }
};
template <class T>
struct arm_does_not_release : checked_atomic<T> {
    using checked_atomic<T>::checked_atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order failure)
    {
        return checked_atomic<T>::compare_exchange_strong(expected, desired, std::memory_order_relaxed, failure);
    }
};

struct broken {
    char const* name;
    interleavings::outcome (*explore)(scene const&);
    char const* failure;
};

class BrokenSendQueue : public ::testing::TestWithParam<broken> {};

TEST_P(BrokenSendQueue, IsFoundOut)
{
    auto const found = GetParam().explore({"", 2, 2, 0, newest});
    ASSERT_TRUE(found.failure) << "in " << found.states << " states";
    EXPECT_NE(found.failure->find(GetParam().failure), std::string::npos) << *found.failure;
}

constexpr char const* overslept = "the consumer sleeps, something waits";
constexpr char const* lost = "an item is lost";
constexpr char const* unseen = "before its contents are seen";
constexpr char const* blind = "does not see what the consumer did";

INSTANTIATE_TEST_SUITE_P(Mutations, BrokenSendQueue,
    ::testing::Values(broken{"ArmStores", explore<arm_stores>, lost},
        broken{"ArmSaysYesWhateverItFinds", explore<arm_says_yes_whatever_it_finds>, overslept},
        broken{"ArmLooksAndThenStores", explore<arm_looks_and_then_stores>, lost},
        broken{"PushLooksAndThenStores", explore<push_looks_and_then_stores>, overslept},
        broken{"PopAllLooksAndThenStores", explore<pop_all_looks_and_then_stores>, lost},
        broken{"PushDoesNotRelease", explore<push_does_not_release>, unseen},
        broken{"PushDoesNotAcquire", explore<push_does_not_acquire>, blind},
        broken{"PopAllDoesNotAcquire", explore<pop_all_does_not_acquire>, unseen},
        broken{"ArmDoesNotRelease", explore<arm_does_not_release>, blind}),
    [](auto const& chosen) { return chosen.param.name; });

} // namespace
} // namespace madrigal::engine
