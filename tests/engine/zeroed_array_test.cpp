#include <madrigal/engine/zeroed_array.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <unistd.h>

namespace madrigal::engine {
namespace {

/// Bytes of this process that are in memory.
std::size_t resident()
{
    std::ifstream file{"/proc/self/statm"};
    std::size_t all = 0;
    std::size_t pages = 0;
    file >> all >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(ZeroedArray, IsAllZeroesAtFirstAndKeepsWhatIsWritten)
{
    zeroed_array<int*> const pointers{100};
    zeroed_array<std::uint16_t> const numbers{100};
    int one = 1;
    pointers[99] = &one;
    numbers[0] = 7;
    for (std::size_t i = 0; i != 100; ++i) {
        EXPECT_EQ(pointers[i], i == 99 ? &one : nullptr);
        EXPECT_EQ(numbers[i], i == 0 ? 7 : 0);
    }
    std::atomic_ref{numbers[0]}.fetch_add(1);
    EXPECT_EQ(numbers[0], 8);
}

TEST(ZeroedArray, MayBeEmpty)
{
    zeroed_array<int> const none{0};
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which end the program instead
TEST(ZeroedArray, MoreThanThereIsMemoryForThrows)
{
    [[maybe_unused]] static void const* volatile seen; // else the compiler leaves the allocation out
    auto const make = [](std::size_t size) {
        zeroed_array<std::uint64_t> const array{size};
        seen = &array[0];
    };
    std::size_t const volatile too_many = std::numeric_limits<std::size_t>::max() / 2;
    EXPECT_THROW(make(too_many), std::bad_alloc);
}
#endif

TEST(ZeroedArray, TakesMemoryOnlyWhereItIsUsed)
{
    constexpr std::size_t size = std::size_t{64} << 20;
    [[maybe_unused]] auto const before = resident();
    zeroed_array<char> const large{size};
    large[size / 2] = 1;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(resident(), before + size / 16);
#endif
    EXPECT_EQ(large[size / 2], 1);
}

} // namespace
} // namespace madrigal::engine
