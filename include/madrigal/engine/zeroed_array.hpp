// An array that takes memory only where it has been used.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace madrigal::engine {

/// Numbers or pointers, all zero or null at first. For arrays of which most is never used: nobody writes the zeroes, so
/// that the machine gives pages only to those parts that somebody writes. Where several threads use it they do so by
/// `std::atomic_ref`.
template <class T>
class zeroed_array {
public:
    static_assert(std::is_arithmetic_v<T> || std::is_pointer_v<T>, "of which no bit set is the value at first");

    /// Throws std::bad_alloc.
    explicit zeroed_array(std::size_t size)
        : items_{static_cast<T*>(std::calloc(size == 0 ? 1 : size, sizeof(T)))} // NOLINT: unlike new it writes nothing
    {
        if (!items_)
            throw std::bad_alloc{};
    }

    /// Also of a const array, as of one that a pointer owns.
    [[nodiscard]] T& operator[](std::size_t at) const noexcept { return items_.get()[at]; }

private:
    struct release {
        void operator()(T* items) const noexcept { std::free(items); } // NOLINT: from calloc
    };
    std::unique_ptr<T, release> items_;
};

} // namespace madrigal::engine
