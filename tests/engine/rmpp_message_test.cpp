// Messages in chunks that are charged to a budget.
#include "engine/rmpp_support.hpp"

#include <madrigal/engine/rmpp_message.hpp>

namespace madrigal::engine {
namespace {

using testing::filling;

constexpr auto chunk = rmpp_message::chunk_size;
constexpr auto cost = rmpp_message::chunk_cost;

std::vector<std::byte> part_of(std::uint64_t at, std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i != size; ++i)
        bytes[i] = filling(at + i);
    return bytes;
}

TEST(RmppBudget, GivesWhatItHasAndNoMore)
{
    rmpp_budget budget{100};
    EXPECT_TRUE(budget.try_take(60));
    EXPECT_FALSE(budget.try_take(41));
    EXPECT_TRUE(budget.try_take(40));
    EXPECT_EQ(budget.available(), 0U);
    budget.give_back(100);
    EXPECT_FALSE(budget.try_take(static_cast<std::size_t>(-1)));
    EXPECT_EQ(budget.available(), 100U);
}

TEST(RmppMessage, PutsPiecesTogetherInAnyOrder)
{
    auto const budget = std::make_shared<rmpp_budget>(10 * cost);
    rmpp_message message{budget};
    constexpr std::size_t size = 2 * chunk + 500;
    struct piece {
        std::size_t at;
        std::size_t size;
    };
    for (auto const& [at, length] : std::to_array<piece>({
             {2 * chunk + 100, 400},
             {chunk - 100, 200},
             {0, chunk - 100},
             {2 * chunk - 100, 200},
             {chunk + 100, chunk - 200},
         })) {
        ASSERT_TRUE(message.put(at, part_of(at, length)));
        EXPECT_EQ(message.readable(), 0U) << "before anybody says how far there is no gap";
    }
    message.set_data_size(size);
    EXPECT_EQ(message.readable(), size);
    EXPECT_EQ(message.whole(), part_of(0, size));
    EXPECT_EQ(message.front().size(), chunk);
    std::vector<std::byte> some(1'000);
    EXPECT_EQ(message.copy(some, chunk - 500), 1'000U);
    EXPECT_EQ(some, part_of(chunk - 500, 1'000));
    EXPECT_EQ(message.copy(some, size - 3), 3U);
    EXPECT_EQ(message.copy(some, size + 3), 0U);
}

TEST(RmppMessage, GivesChunksBackAsTheyAreConsumed)
{
    auto const budget = std::make_shared<rmpp_budget>(4 * cost);
    rmpp_message message{budget};
    for (std::uint64_t at = 0; at != 1'000 * chunk; at += chunk / 2) {
        ASSERT_TRUE(message.put(at, part_of(at, chunk / 2)));
        message.set_data_size(at + chunk / 2);
        if (message.readable() < 2 * chunk)
            continue;
        std::vector<std::byte> read(chunk + 17);
        ASSERT_EQ(message.copy(read), read.size());
        ASSERT_EQ(read, part_of(message.consumed(), read.size()));
        message.consume(read.size());
        ASSERT_LE(budget->used(), 3 * cost);
    }
    EXPECT_FALSE(message.put(0, part_of(0, 10))) << "that has been consumed";
    message.consume(static_cast<std::size_t>(-1));
    EXPECT_EQ(message.readable(), 0U);
    EXPECT_TRUE(message.front().empty());
    message.clear();
    EXPECT_EQ(budget->used(), 0U);
}

TEST(RmppMessage, TakesNothingWhereTheBudgetDoesNotAllowIt)
{
    auto const budget = std::make_shared<rmpp_budget>(2 * cost + 1);
    rmpp_message message{budget};
    EXPECT_TRUE(message.put(2 * chunk - 1, part_of(0, 1)));
    EXPECT_FALSE(message.put(2 * chunk - 1, part_of(0, 2)));
    EXPECT_TRUE(message.put(0, part_of(0, 100)));
    message.set_data_size(100);
    EXPECT_EQ(message.whole(), part_of(0, 100));
    EXPECT_FALSE(rmpp_message{}.put(0, part_of(0, 1))) << "without a budget there is no room";
    EXPECT_TRUE(rmpp_message{}.put(0, {}));
}

TEST(RmppMessage, MovesWithAllThatItHolds)
{
    auto budget = std::make_shared<rmpp_budget>(10 * cost);
    std::weak_ptr<rmpp_budget> const alive = budget;
    rmpp_message message{budget};
    ASSERT_TRUE(message.put(0, part_of(0, 100)));
    message.set_data_size(100);
    auto other = std::move(message);
    EXPECT_EQ(other.data_size(), 100U);
    rmpp_message third{budget};
    ASSERT_TRUE(third.put(0, part_of(0, 5'000)));
    EXPECT_EQ(budget->used(), 3 * cost);
    third = std::move(other);
    EXPECT_EQ(budget->used(), cost);
    EXPECT_EQ(third.whole(), part_of(0, 100));
    budget.reset();
    EXPECT_FALSE(alive.expired()) << "a message keeps what it is charged to";
    third = rmpp_message{};
    EXPECT_TRUE(alive.expired());
}

} // namespace
} // namespace madrigal::engine
