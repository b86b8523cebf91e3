#include <load/heap_counter.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <string>
#include <thread>

namespace madrigal::bench {
namespace {

class HeapCounter : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!counts_allocations())
            GTEST_SKIP() << "the sanitizer has an allocator of its own";
    }

    /// How many allocations `work` makes.
    template <class Work>
    static std::uint64_t count(Work&& work)
    {
        auto const before = allocations();
        work();
        return allocations() - before;
    }
    /// Keeps the compiler from leaving an allocation out.
    static void use(void* memory)
    {
        asm volatile("" : : "g"(memory) : "memory");
        ASSERT_NE(memory, nullptr);
    }
};

TEST_F(HeapCounter, CountsEachWayToTakeMemoryOnce)
{
    void* memory = nullptr;
    EXPECT_EQ(count([&] { use(memory = std::malloc(100)); }), 1u);
    EXPECT_EQ(count([&] { use(memory = std::realloc(memory, 100'000)); }), 1u);
    EXPECT_EQ(count([&] { std::free(memory); }), 0u);
    EXPECT_EQ(count([&] { use(memory = std::calloc(10, 10)); }), 1u);
    std::free(memory);
    EXPECT_EQ(count([&] { use(memory = std::aligned_alloc(64, 128)); }), 1u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
    std::free(memory);
    EXPECT_EQ(count([&] { use(memory = ::memalign(4'096, 1)); }), 1u);
    std::free(memory);
    EXPECT_EQ(count([&] { ASSERT_EQ(::posix_memalign(&memory, 256, 1), 0); }), 1u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
    std::free(memory);
}

TEST_F(HeapCounter, CountsOperatorNewAndWhatLibrariesTake)
{
    struct alignas(128) aligned {
        char bytes[128];
    };
    EXPECT_EQ(count([] { use(std::make_unique<int>(1).get()); }), 1u);
    EXPECT_EQ(count([] { use(std::make_unique<aligned>().get()); }), 1u);
    char* copy = nullptr;
    EXPECT_EQ(count([&] { use(copy = ::strdup("a string that strdup copies")); }), 1u);
    std::free(copy);
}

TEST_F(HeapCounter, CountsNothingWhereNothingIsTaken)
{
    EXPECT_EQ(count([] {
        std::string const small = "short";
        use(const_cast<char*>(small.data()));
    }),
        0u);
}

TEST_F(HeapCounter, RefusesAnAlignmentThatPosixForbids)
{
    void* memory = nullptr;
    EXPECT_EQ(::posix_memalign(&memory, 24, 1), EINVAL);
    EXPECT_EQ(::posix_memalign(&memory, 2, 1), EINVAL);
}

TEST_F(HeapCounter, CountsEachThreadForItself)
{
    std::uint64_t theirs = 0;
    std::thread other{[&] {
        theirs = count([] {
            for (int i = 0; i != 1'000; ++i)
                use(std::make_unique<int>(i).get());
        });
    }};
    auto const ours = count([&] { other.join(); });
    EXPECT_EQ(theirs, 1'000u);
    EXPECT_EQ(ours, 0u);
}

} // namespace
} // namespace madrigal::bench
