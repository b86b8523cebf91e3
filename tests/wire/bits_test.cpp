#include "wire/bytes.hpp"

#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/endian.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace madrigal {
namespace {

using test::random_bytes;

// The plainest possible statement of what a bit field is: one bit after the other.
std::uint64_t bit_by_bit(std::vector<std::byte> const& bytes, unsigned offset, unsigned width)
{
    std::uint64_t value = 0;
    for (unsigned i = offset; i != offset + width; ++i)
        value = value << 1 | (std::to_integer<unsigned>(bytes[i / 8]) >> (7 - i % 8) & 1);
    return value;
}

TEST(Bits, LoadEveryOffsetAndWidthAsOneBitAfterTheOther)
{
    auto const bytes = random_bytes(17, 1);
    for (unsigned offset = 0; offset != 72; ++offset)
        for (unsigned width = 1; width <= 64; ++width)
            ASSERT_EQ(load_bits(bytes.data(), offset, width), bit_by_bit(bytes, offset, width))
                << "offset " << offset << ", width " << width;
}

TEST(Bits, StoreEveryOffsetAndWidthAndLeaveTheNeighboursAlone)
{
    auto const before = random_bytes(17, 2);
    constexpr std::uint64_t value = 0xA5C3'96E1'0F7B'2D48;
    for (unsigned offset = 0; offset != 72; ++offset) {
        for (unsigned width = 1; width <= 64; ++width) {
            auto bytes = before;
            store_bits(bytes.data(), offset, width, value);
            ASSERT_EQ(load_bits(bytes.data(), offset, width), value & low_bits(width))
                << "offset " << offset << ", width " << width;
            for (unsigned i = 0; i != 8 * 17; ++i) {
                if (i < offset || i >= offset + width) {
                    ASSERT_EQ(bit_by_bit(bytes, i, 1), bit_by_bit(before, i, 1))
                        << "bit " << i << " beside offset " << offset << ", width " << width;
                }
            }
        }
    }
}

template <unsigned Offset, unsigned Width>
void same_with_constants()
{
    auto bytes = random_bytes(17, Offset * 64 + Width);
    EXPECT_EQ((load_bits<Offset, Width>(bytes.data())), bit_by_bit(bytes, Offset, Width));
    auto expected = bytes;
    store_bits(expected.data(), Offset, Width, 0x0123'4567'89AB'CDEF);
    store_bits<Offset, Width>(bytes.data(), 0x0123'4567'89AB'CDEF);
    EXPECT_EQ(bytes, expected) << "offset " << Offset << ", width " << Width;
}

TEST(Bits, ConstantOffsetsAndWidthsGiveTheSame)
{
    same_with_constants<0, 8>();
    same_with_constants<8, 16>();
    same_with_constants<24, 32>();
    same_with_constants<40, 64>();
    same_with_constants<3, 64>();
    same_with_constants<5, 3>();
    same_with_constants<8, 24>();
    same_with_constants<4, 8>();
}

TEST(Bits, WorkInConstantExpressions)
{
    constexpr auto bytes = [] {
        std::array<std::byte, 8> result{};
        store_bits<16, 32>(result.data(), 0xDEADBEEF);
        store_bits<60, 4>(result.data(), 5);
        return result;
    }();
    static_assert(load_bits<16, 32>(bytes.data()) == 0xDEADBEEF);
    static_assert(load_bits<60, 4>(bytes.data()) == 5);
    static_assert(load_bits<0, 16>(bytes.data()) == 0);
    EXPECT_EQ(bytes[2], std::byte{0xDE});
}

// Byte-order slips start where a wire-order value may pass for a host one, or the reverse.
static_assert(!std::is_convertible_v<big_uint16, std::uint16_t>);
static_assert(!std::is_convertible_v<big_uint32, std::uint32_t>);
static_assert(!std::is_convertible_v<big_uint64, std::uint64_t>);
static_assert(!std::is_convertible_v<std::uint16_t, big_uint16>);
static_assert(!std::is_convertible_v<std::uint32_t, big_uint32>);
static_assert(!std::is_convertible_v<std::uint64_t, big_uint64>);
static_assert(!std::is_convertible_v<big_uint16, big_uint32>);

TEST(BigEndian, HoldsTheMostSignificantByteFirst)
{
    big_uint32 const number{0x01020304};
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &number, sizeof number);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{1, 2, 3, 4}));
    EXPECT_EQ(number.value(), 0x01020304U);
}

} // namespace
} // namespace madrigal
