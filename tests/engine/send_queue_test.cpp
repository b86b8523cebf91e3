#include <madrigal/engine/send_queue.hpp>

#include <gtest/gtest.h>

#include <cstddef>
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

} // namespace
} // namespace madrigal::engine
