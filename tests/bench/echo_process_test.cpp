#include <load/echo_process.hpp>

#include <madrigal/umad/uapi.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace madrigal::bench {
namespace {

using packet = std::array<unsigned char, packet_size>;
constexpr std::size_t method_offset = umad::header_size + 3;

void write_numbered(echo_process const& to, unsigned char number)
{
    packet bytes{};
    bytes[0] = number;
    bytes[method_offset] = 1;
    ASSERT_EQ(::write(to.descriptor(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

/// The next packet, waited for.
packet read_next(echo_process const& from)
{
    packet bytes{};
    pollfd readable{from.descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&readable, 1, 60'000), 1);
    EXPECT_EQ(::read(from.descriptor(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return bytes;
}

bool nothing_waits(echo_process const& from)
{
    packet bytes{};
    return ::recv(from.descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

TEST(EchoProcess, AnswersEachPacketWithTheResponseBit)
{
    auto const echo = echo_process::start().value();
    for (unsigned char number = 1; number != 5; ++number)
        write_numbered(echo, number);
    for (unsigned char number = 1; number != 5; ++number) {
        auto const answer = read_next(echo);
        EXPECT_EQ(answer[0], number);
        EXPECT_EQ(answer[method_offset], 0x81);
    }
    EXPECT_GT(echo.capacity(), 50u);
}

TEST(EchoProcess, HoldsAsManyAsItIsToldAndAnswersTheOldest)
{
    auto const echo = echo_process::start().value();
    echo.hold(2);
    for (unsigned char number = 1; number != 5; ++number)
        write_numbered(echo, number);
    EXPECT_EQ(read_next(echo)[0], 1);
    EXPECT_EQ(read_next(echo)[0], 2);
    EXPECT_TRUE(echo.settle().value() == 0) << "it has seen all four, and nothing but the count comes";
    EXPECT_TRUE(nothing_waits(echo));
    echo.hold(0);
    EXPECT_EQ(read_next(echo)[0], 3);
    EXPECT_EQ(read_next(echo)[0], 4);
    write_numbered(echo, 5);
    EXPECT_EQ(read_next(echo)[0], 5);
}

TEST(EchoProcess, CountsWhatItDiscards)
{
    auto const echo = echo_process::start().value();
    echo.discard();
    for (unsigned char number = 1; number != 8; ++number)
        write_numbered(echo, number);
    EXPECT_EQ(echo.settle().value(), 7u);
    EXPECT_TRUE(nothing_waits(echo));
    EXPECT_EQ(echo.settle().value(), 0u);
    write_numbered(echo, 9);
    EXPECT_EQ(read_next(echo)[0], 9) << "it answers again";
}

} // namespace
} // namespace madrigal::bench
