// What hostile peers can make an agent's RMPP transfers cost, measured at the heap.
#include "engine/rmpp_transfers_support.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::size_t heap_used = 0;
std::size_t heap_peak = 0;

void* counted_allocation(std::size_t size)
{
    void* const memory = std::malloc(size); // NOLINT(cppcoreguidelines-no-malloc): under `operator new`
    if (memory == nullptr)
        throw std::bad_alloc{};
    heap_used += malloc_usable_size(memory);
    heap_peak = std::max(heap_peak, heap_used);
    return memory;
}

void counted_release(void* memory) noexcept
{
    if (memory == nullptr)
        return;
    heap_used -= malloc_usable_size(memory);
    std::free(memory); // NOLINT(cppcoreguidelines-no-malloc): under `operator delete`
}

} // namespace

void* operator new(std::size_t size)
{
    return counted_allocation(size);
}
void operator delete(void* memory) noexcept
{
    counted_release(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    counted_release(memory);
}

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class RmppMemory : public ::testing::Test {
protected:
    void begin(rmpp_transfers_options const& options)
    {
        before_ = heap_used;
        table = std::make_unique<rmpp_transfers>(options);
        heap_peak = heap_used;
    }
    [[nodiscard]] std::size_t taken() const { return heap_used - before_; }
    [[nodiscard]] std::size_t most_taken() const { return heap_peak - before_; }

    /// A packet arrives; what is to be written is written, and what has ended is forgotten.
    void hear(umad::ib_user_mad_hdr const& from, mad_bytes const& mad)
    {
        (void)table->on_packet(from, mad_view{mad}, now);
        drain();
    }
    void drain()
    {
        rmpp_packet packet;
        while (table->next_packet(packet, now))
            ++written;
        while (auto const event = table->next_event())
            received += event->what == rmpp_event::kind::received ? 1 : 0;
    }
    /// The first segments of a message that never ends, of each of so many peers.
    void half_open(std::size_t peers, method how, std::uint32_t last_segment)
    {
        for (std::uint32_t segment = 1; segment <= last_segment; ++segment) {
            for (std::size_t i = 0; i != peers; ++i) {
                auto const mad =
                    with_transaction(packet_of({.type = rmpp_type::data,
                                                   .flags = rmpp_flags::from_value(segment == 1 ? 2 : 0), // First
                                                   .segment = segment},
                                         how),
                        i);
                hear(peer(static_cast<std::uint16_t>(1 + i % 49'000)), mad);
            }
        }
    }

    time_point now = start;
    std::unique_ptr<rmpp_transfers> table;
    std::uint64_t written = 0;
    std::uint64_t received = 0;

private:
    std::size_t before_ = 0;
};

TEST_F(RmppMemory, TenThousandHalfOpenTransfersCostNoMoreThanTheBound)
{
    rmpp_transfers_options const options{.max_bytes = std::size_t{16} << 20};
    begin(options);
    half_open(10'000, method::get_multi, 2);
    EXPECT_EQ(table->incoming(), options.max_questions);
    EXPECT_EQ(table->counted().refused, 10'000U - options.max_questions);
    EXPECT_LE(most_taken(), table->memory_limit());
    half_open(10'000, method::get_table_response, 30);
    EXPECT_EQ(table->incoming(), options.max_questions + options.max_answers);
    EXPECT_LE(table->budget().used(), options.max_bytes);
    EXPECT_LE(most_taken(), table->memory_limit());
    EXPECT_GT(most_taken(), std::size_t{8} << 20) << "else this measures nothing";
    EXPECT_LT(table->memory_limit(), std::size_t{24} << 20);

    // Somebody honest comes, a second later, and gets a place.
    now += 1s;
    for (std::uint32_t segment = 1; segment <= 25; ++segment)
        hear(peer(50), with_transaction(segment_of(segment, 5'000), 0x8000'0000));
    EXPECT_EQ(received, 1U);
    EXPECT_LE(most_taken(), table->memory_limit());

    // And they are all forgotten at last.
    while (table->next_deadline() != never) {
        now = std::max(now, table->next_deadline());
        table->expire(now);
        drain();
    }
    EXPECT_EQ(table->incoming(), 0U);
    EXPECT_EQ(table->lingering(), 0U);
    EXPECT_EQ(table->budget().used(), 0U);
    EXPECT_LT(taken(), std::size_t{1} << 20) << "what is left are empty tables";
}

TEST_F(RmppMemory, AnnouncedLengthsCostNothing)
{
    begin({.max_bytes = std::size_t{64} << 20});
    for (std::uint64_t i = 0; i != 1'000; ++i)
        hear(peer(static_cast<std::uint16_t>(1 + i)), with_transaction(segment_of(1, 50'000'000), i));
    EXPECT_EQ(table->incoming(), 1'000U);
    EXPECT_LT(most_taken(), std::size_t{8} << 20) << "a chunk each";
}

TEST_F(RmppMemory, EndlessMessagesEndAtTheLimit)
{
    begin({.receiving = {.max_message = std::size_t{1} << 20}, .max_bytes = std::size_t{8} << 20});
    half_open(20, method::get_table_response, 6'000); // 1.2 MB each, if they could
    EXPECT_EQ(table->incoming(), 0U) << "stopped, each";
    EXPECT_LE(most_taken(), table->memory_limit());
    EXPECT_EQ(table->budget().used(), 0U);
}

TEST_F(RmppMemory, MessagesThatTheirUserKeepsAreCharged)
{
    begin({.max_bytes = std::size_t{1} << 20});
    std::vector<rmpp_message> kept;
    std::uint64_t stopped = 0;
    for (std::uint64_t i = 0; i != 200; ++i) {
        for (std::uint32_t segment = 1; segment <= 50; ++segment)
            (void)table->on_packet(peer(1), mad_view{with_transaction(segment_of(segment, 10'000), i)}, now);
        rmpp_packet packet;
        while (table->next_packet(packet, now)) {
        }
        while (auto event = table->next_event()) {
            if (event->what == rmpp_event::kind::received)
                kept.push_back(std::move(event->message));
            else
                ++stopped;
        }
    }
    EXPECT_GT(kept.size(), 50U);
    EXPECT_GT(stopped, 50U);
    EXPECT_LE(most_taken(), table->memory_limit() + (std::size_t{1} << 17)) << "and the vector that keeps them";
    table.reset();
    for (auto const& message : kept)
        EXPECT_EQ(message.data_size(), 10'000U) << "they outlive the transfers";
}

} // namespace
} // namespace madrigal::engine
