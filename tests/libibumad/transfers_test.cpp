// What umad_send(3), umad_recv(3) and umad_poll(3) promise.
#include "libibumad/opened_port.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <thread>

#include <sys/epoll.h>
#include <unistd.h>

namespace madrigal::libibumad::test {
namespace {

TEST(Transfers, AQuestionAndItsAnswerArriveWhole)
{
    opened_port const client;
    opened_port const server;
    auto const asking = client.agent();
    (void)server.agent({get});
    EXPECT_TRUE(client.asks(server, asking, 1));
    EXPECT_TRUE(client.asks(server, asking, 2));
}

TEST(Transfers, RecvTellsTheAgentAndTheLength)
{
    opened_port const port;
    auto const asking = port.agent();
    auto const serving = port.agent({get});
    auto one = port.question(1);
    ASSERT_EQ(::umad_send(port.id(), asking, one.umad(), mad_size, 20'000, 0), 0);
    buffer got{1000};
    int length = got.room();
    EXPECT_EQ(::umad_recv(port.id(), got.umad(), &length, -1), serving);
    EXPECT_EQ(length, mad_size);
}

TEST(Transfers, WithoutAPacketRecvGivesUpInTime)
{
    opened_port const port;
    (void)port.agent();
    buffer one;
    int length = one.room();
    EXPECT_EQ(::umad_recv(port.id(), one.umad(), &length, 0), -EWOULDBLOCK);
    EXPECT_EQ(errno, EWOULDBLOCK);
    EXPECT_EQ(::umad_recv(port.id(), one.umad(), &length, 1), -ETIMEDOUT);
    EXPECT_EQ(errno, ETIMEDOUT);
    EXPECT_EQ(length, mad_size);
    EXPECT_EQ(::umad_poll(port.id(), 0), -ETIMEDOUT);
    EXPECT_EQ(::umad_poll(port.id(), 1), -ETIMEDOUT);
    EXPECT_EQ(errno, ETIMEDOUT);
}

TEST(Transfers, PollTakesNothing)
{
    opened_port const client;
    opened_port const server;
    (void)server.agent({get});
    auto one = client.question(5);
    ASSERT_EQ(::umad_send(client.id(), client.agent(), one.umad(), mad_size, 20'000, 0), 0);
    EXPECT_EQ(::umad_poll(server.id(), -1), 0);
    EXPECT_EQ(::umad_poll(server.id(), 0), 0);
    buffer got;
    int length = got.room();
    EXPECT_GE(::umad_recv(server.id(), got.umad(), &length, 0), 0);
    EXPECT_EQ(got.number(), 5U);
    EXPECT_EQ(::umad_poll(server.id(), 0), -ETIMEDOUT);
}

TEST(Transfers, WhatNobodyAnswersComesBackWithAStatus)
{
    opened_port const client;
    auto const asking = client.agent();
    auto one = client.question(9, send); // a method that a kernel does not refuse
    ASSERT_EQ(::umad_send(client.id(), asking, one.umad(), mad_size, 1, 0), 0);
    buffer got;
    int length = got.room();
    EXPECT_EQ(::umad_recv(client.id(), got.umad(), &length, -1), asking);
    EXPECT_EQ(::umad_status(got.umad()), ETIMEDOUT);
    EXPECT_EQ(length, 24);
    EXPECT_EQ(got.number(), 9U);
}

TEST(Transfers, ABufferBelowAMadIsRefusedAndThePacketStays)
{
    opened_port const client;
    opened_port const server;
    (void)server.agent({get});
    auto one = client.question(6);
    ASSERT_EQ(::umad_send(client.id(), client.agent(), one.umad(), mad_size, 20'000, 0), 0);
    ASSERT_EQ(::umad_poll(server.id(), -1), 0);
    buffer got;
    int length = mad_size - 1;
    EXPECT_EQ(::umad_recv(server.id(), got.umad(), &length, -1), -EINVAL);
    length = -1;
    EXPECT_EQ(::umad_recv(server.id(), got.umad(), &length, -1), -EINVAL);
    EXPECT_EQ(::umad_recv(server.id(), nullptr, &length, -1), -EINVAL);
    EXPECT_EQ(::umad_recv(server.id(), got.umad(), nullptr, -1), -EINVAL);
    length = mad_size;
    EXPECT_GE(::umad_recv(server.id(), got.umad(), &length, 0), 0);
    EXPECT_EQ(got.number(), 6U);
}

TEST(Transfers, AMessageThatDoesNotFitTellsHowMuchItNeeds)
{
    constexpr int size = 40 + 3 * (mad_size - 40) + 17;
    opened_port const client;
    opened_port const server;
    (void)server.agent({set}, 1);
    auto one = client.question(7, set, size);
    one.mad(24) = 1; // the RMPP version, and Active
    one.mad(26) = 1;
    ASSERT_EQ(::umad_send(client.id(), client.agent({}, 1), one.umad(), size, 20'000, 0), 0);
    buffer got;
    int length = got.room();
    EXPECT_EQ(::umad_recv(server.id(), got.umad(), &length, -1), -ENOSPC);
    EXPECT_EQ(errno, ENOSPC);
    ASSERT_GE(length, size);
    EXPECT_EQ(got.number(), 7U); // its first segment is there
    buffer enough{static_cast<std::size_t>(length)};
    EXPECT_GE(::umad_recv(server.id(), enough.umad(), &length, 0), 0);
    EXPECT_EQ(std::memcmp(&enough.mad(40), &one.mad(40), size - 40), 0);
}

TEST(Transfers, WithoutAPortOrAnAgentNothingIsSent)
{
    opened_port const port;
    auto const agent = port.agent();
    auto one = port.question(1);
    EXPECT_EQ(::umad_send(port.id(), agent + 1, one.umad(), mad_size, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_send(port.id(), 32, one.umad(), mad_size, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_send(port.id(), -1, one.umad(), mad_size, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_send(-1, agent, one.umad(), mad_size, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_send(port.id(), agent, nullptr, mad_size, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_send(port.id(), agent, one.umad(), -1, 0, 0), -EINVAL);
    EXPECT_EQ(::umad_send(port.id(), agent, one.umad(), 35, 0, 0), -EIO); // less than the kernel takes
    EXPECT_EQ(errno, EINVAL);
    int length = one.room();
    EXPECT_EQ(::umad_recv(-1, one.umad(), &length, -1), -EINVAL);
    EXPECT_EQ(::umad_poll(1'000'000, -1), -EINVAL);
    EXPECT_EQ(errno, EINVAL);
}

TEST(Transfers, TheDescriptorWorksWithEpoll)
{
    opened_port const client;
    opened_port const server;
    (void)server.agent({get});
    int const many = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event watch{};
    watch.events = EPOLLIN;
    watch.data.fd = ::umad_get_fd(server.id());
    ASSERT_EQ(::epoll_ctl(many, EPOLL_CTL_ADD, watch.data.fd, &watch), 0);
    auto one = client.question(8);
    ASSERT_EQ(::umad_send(client.id(), client.agent(), one.umad(), mad_size, 20'000, 0), 0);
    buffer got;
    int agent = -EWOULDBLOCK;
    while (agent == -EWOULDBLOCK) { // readable promises nothing
        epoll_event seen{};
        ASSERT_EQ(::epoll_wait(many, &seen, 1, -1), 1);
        int length = got.room();
        agent = ::umad_recv(server.id(), got.umad(), &length, 0);
    }
    EXPECT_GE(agent, 0);
    EXPECT_EQ(got.number(), 8U);
    ::close(many);
}

TEST(Transfers, OneThreadReceivesWhileAnotherSendsAndRegisters)
{
    constexpr std::uint32_t questions = 200;
    opened_port const client;
    opened_port const server;
    (void)server.agent({send});
    auto const asking = client.agent();
    std::set<std::uint32_t> seen;
    std::thread receiver{[&] {
        while (seen.size() != questions)
            seen.insert(server.receive().number());
    }};
    for (std::uint32_t number = 0; number != questions; ++number) {
        auto one = client.question(number, send);
        ASSERT_EQ(::umad_send(client.id(), asking, one.umad(), mad_size, 0, 0), 0);
        auto const passing = server.agent();
        EXPECT_EQ(::umad_unregister(server.id(), passing), 0);
    }
    receiver.join();
    EXPECT_EQ(*seen.rbegin(), questions - 1);
}

} // namespace
} // namespace madrigal::libibumad::test
