// Replaces the allocator of the whole program (glibc manual, "Replacing malloc") by functions that count and then call
// glibc's own.
#include "heap_counter.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MADRIGAL_COUNTS_ALLOCATIONS 1
#else
#define MADRIGAL_COUNTS_ALLOCATIONS 0
#endif

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if MADRIGAL_COUNTS_ALLOCATIONS

#include <cerrno>
#include <cstddef>

namespace {

// In the program's own thread-local block, which exists before the first allocation and takes none itself.
[[gnu::tls_model("local-exec")]] constinit thread_local std::uint64_t count = 0;

} // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own names of what is replaced here
void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
void* __libc_realloc(void* old, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
void* __libc_valloc(std::size_t size) noexcept;
void* __libc_pvalloc(std::size_t size) noexcept;
void __libc_free(void* old) noexcept;
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept
{
    ++count;
    return __libc_malloc(size);
}

void* calloc(std::size_t members, std::size_t size) noexcept
{
    ++count;
    return __libc_calloc(members, size);
}

void* realloc(void* old, std::size_t size) noexcept
{
    ++count;
    return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept
{
    ++count;
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    ++count;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment % sizeof(void*) != 0)
        return EINVAL;
    ++count;
    auto* taken = __libc_memalign(alignment, size);
    if (taken == nullptr)
        return ENOMEM;
    *result = taken;
    return 0;
}

void* valloc(std::size_t size) noexcept
{
    ++count;
    return __libc_valloc(size);
}

void* pvalloc(std::size_t size) noexcept
{
    ++count;
    return __libc_pvalloc(size);
}

void free(void* old) noexcept
{
    __libc_free(old);
}

} // extern "C"

namespace madrigal::bench {

bool counts_allocations() noexcept
{
    return true;
}
std::uint64_t allocations() noexcept
{
    return count;
}

} // namespace madrigal::bench

#else

namespace madrigal::bench {

bool counts_allocations() noexcept
{
    return false;
}
std::uint64_t allocations() noexcept
{
    return 0;
}

} // namespace madrigal::bench

#endif

namespace madrigal::bench {

std::uint64_t live_heap_bytes() noexcept
{
#if defined(__GLIBC__)
    auto const all = ::mallinfo2();
    return all.uordblks + all.hblkhd;
#else
    return 0;
#endif
}

} // namespace madrigal::bench
