// How often this program asks the heap for memory.
#pragma once

#include <cstdint>

namespace madrigal::bench {

/// Whether allocations are counted in this build: not under sanitizers, which replace the allocator themselves.
[[nodiscard]] bool counts_allocations() noexcept;

/// How often the calling thread has taken memory from the heap since it began: malloc, calloc, realloc, aligned_alloc,
/// memalign, posix_memalign and what stands upon them, such as operator new, strdup or a library's own.
[[nodiscard]] std::uint64_t allocations() noexcept;

/// Bytes of the heap that are in use now, by glibc's own count (mallinfo2(3)); what it keeps for itself not included.
/// It looks through all free chunks and takes its time. 0 without glibc.
[[nodiscard]] std::uint64_t live_heap_bytes() noexcept;

} // namespace madrigal::bench
