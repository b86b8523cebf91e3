// What opening, closing and their surroundings promise: descriptors, threads that are cancelled, processes that fork.
#include "libibumad/opened_port.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace madrigal::libibumad::test {
namespace {

TEST(Ports, TwoOpensOfOnePortHaveAgentsOfTheirOwn)
{
    opened_port const other;
    int second = -1;
    {
        opened_port const first;
        second = first.id();
        EXPECT_NE(first.id(), other.id());
        EXPECT_EQ(first.agent(), 0);
        EXPECT_EQ(other.agent({get}), 0);
        EXPECT_TRUE(first.asks(other, 0, 1));
    }
    EXPECT_EQ(::umad_get_fd(second), -EINVAL);
    EXPECT_EQ(other.agent(), 1);
    EXPECT_TRUE(other.asks(other, 1, 2));
}

TEST(Ports, TheNumberIsADescriptorThatIsClosedOnExec)
{
    opened_port const port;
    EXPECT_EQ(::umad_get_fd(port.id()), port.id());
    EXPECT_EQ(::fcntl(port.id(), F_GETFD), FD_CLOEXEC);
}

TEST(Ports, ClosingTwiceIsAnError)
{
    auto const where = first_port();
    int const id = ::umad_open_port(where.ca.c_str(), where.number);
    ASSERT_GE(id, 0);
    EXPECT_EQ(::umad_close_port(id), 0);
    EXPECT_EQ(::umad_close_port(id), -EINVAL);
    EXPECT_EQ(::umad_close_port(-1), -EINVAL);
    EXPECT_EQ(::umad_close_port(1'000'000), -EINVAL);
    EXPECT_LT(::fcntl(id, F_GETFD), 0);
}

TEST(Ports, WhatDoesNotExistCannotBeOpened)
{
    auto const where = first_port();
    EXPECT_EQ(::umad_open_port("nothing", 1), -ENODEV);
    EXPECT_EQ(::umad_open_port("", 0), -ENODEV);
    EXPECT_EQ(::umad_open_port("../../etc", 0), -ENODEV);
    EXPECT_EQ(::umad_open_port(where.ca.c_str(), 200), -EINVAL);
    EXPECT_EQ(::umad_open_port(where.ca.c_str(), -1), -EINVAL);
    umad_port_t port{};
    EXPECT_EQ(::umad_get_port("nothing", 1, &port), -ENODEV);
    EXPECT_EQ(::umad_get_port(where.ca.c_str(), 200, &port), -EINVAL);
    umad_ca_t ca{};
    EXPECT_EQ(::umad_get_ca("nothing", &ca), -ENODEV);
}

TEST(Ports, AThousandFailuresLeaveNothingBehind)
{
    auto const where = first_port();
    auto const failing_cycle = [&] {
        EXPECT_LT(::umad_open_port("nothing", 1), 0);
        EXPECT_LT(::umad_open_port(where.ca.c_str(), 200), 0);
        int const id = ::umad_open_port(where.ca.c_str(), where.number);
        EXPECT_GE(id, 0);
        umad_reg_attr wrong{};
        wrong.mgmt_class = 0x2F;
        wrong.flags = 0x40;
        std::uint32_t agent = 0;
        EXPECT_NE(::umad_register2(id, &wrong, &agent), 0);
        EXPECT_LT(::umad_register(id, 0x50 + 0x30, 1, 0, nullptr), 0);
        EXPECT_EQ(::umad_close_port(id), 0);
    };
    failing_cycle(); // the host is opened by now
    auto const before = open_descriptors();
    for (int i = 0; i != 1000; ++i)
        failing_cycle();
    EXPECT_EQ(open_descriptors(), before);
}

TEST(Ports, ReleasingNothingIsAnErrorAndTwiceIsNone)
{
    EXPECT_LT(::umad_release_port(nullptr), 0);
    EXPECT_LT(::umad_release_ca(nullptr), 0);
    ::umad_free_ca_device_list(nullptr);
    auto const where = first_port();
    umad_port_t port{};
    ASSERT_EQ(::umad_get_port(where.ca.c_str(), where.number, &port), 0);
    EXPECT_EQ(::umad_release_port(&port), 0);
    EXPECT_EQ(::umad_release_port(&port), 0);
    umad_ca_t ca{};
    ASSERT_EQ(::umad_get_ca(where.ca.c_str(), &ca), 0);
    EXPECT_EQ(::umad_release_ca(&ca), 0);
    EXPECT_EQ(::umad_release_ca(&ca), 0);
}

/// A thread that is told which of the two waits to do, and does not come back from it.
struct waiting {
    int port = -1;
    bool in_recv = false;
    std::atomic<pid_t> thread{0};
    std::atomic<bool> came_back{false};
    int outcome = 0;
    int number = 0; ///< errno
};

void* wait_for_ever(void* argument)
{
    auto& how = *static_cast<waiting*>(argument);
    how.thread = static_cast<pid_t>(::syscall(SYS_gettid));
    buffer one;
    int length = one.room();
    how.outcome = how.in_recv ? ::umad_recv(how.port, one.umad(), &length, -1) : ::umad_poll(how.port, -1);
    how.number = errno;
    how.came_back = true;
    return nullptr;
}

/// Whether a thread of this process sleeps: `S` behind the name in its stat file.
bool sleeps(pid_t thread)
{
    std::ifstream file{"/proc/self/task/" + std::to_string(thread) + "/stat"};
    std::string text;
    std::getline(file, text); // nothing of a thread that has ended since
    auto const name_end = text.rfind(')');
    return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'S';
}

class Waiting : public testing::TestWithParam<bool> {};

TEST_P(Waiting, EndsWhereASignalComes)
{
    struct sigaction quiet {};
    quiet.sa_handler = [](int) {};
    ASSERT_EQ(::sigaction(SIGUSR1, &quiet, nullptr), 0);
    opened_port const port;
    waiting how;
    how.port = port.id();
    how.in_recv = GetParam();
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(&thread, nullptr, wait_for_ever, &how), 0);
    while (!how.came_back) {
        if (how.thread != 0 && sleeps(how.thread))
            ::pthread_kill(thread, SIGUSR1);
        ::sched_yield();
    }
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
    EXPECT_EQ(how.outcome, -EIO);
    EXPECT_EQ(how.number, EINTR);
}

TEST_P(Waiting, MayBeCancelledAndLeavesThePortUsable)
{
    opened_port const client;
    opened_port const server;
    auto const asking = client.agent();
    (void)server.agent({get});
    for (std::uint32_t number = 0; number != 20; ++number) {
        waiting how;
        how.port = server.id();
        how.in_recv = GetParam();
        pthread_t thread{};
        ASSERT_EQ(::pthread_create(&thread, nullptr, wait_for_ever, &how), 0);
        while (how.thread == 0 || !sleeps(how.thread))
            ::sched_yield();
        ASSERT_EQ(::pthread_cancel(thread), 0);
        void* outcome = nullptr;
        ASSERT_EQ(::pthread_join(thread, &outcome), 0);
        EXPECT_EQ(outcome, PTHREAD_CANCELED);
        EXPECT_FALSE(how.came_back);
        ASSERT_TRUE(client.asks(server, asking, number)); // nothing is locked, nothing is lost
    }
    auto const before = open_descriptors();
    EXPECT_GT(server.agent(), 0);
    EXPECT_EQ(open_descriptors(), before);
}

INSTANTIATE_TEST_SUITE_P(
    In, Waiting, testing::Bool(), [](testing::TestParamInfo<bool> const& how) { return how.param ? "Recv" : "Poll"; });

TEST(Ports, AChildGoesOnWithTheDescriptors)
{
    opened_port const client;
    opened_port const server;
    auto const asking = client.agent();
    (void)server.agent({get});
    ASSERT_TRUE(client.asks(server, asking, 1));
    auto const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
        ::_exit(client.asks(server, asking, 2) && client.asks(server, asking, 3) ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(client.asks(server, asking, 4));
}

/// Many programs close a port as any descriptor, or all of them, and the number comes again.
TEST(Ports, ANumberThatWasClosedAsADescriptorMayComeAgainAsAPort)
{
    for (int i = 0; i != 5; ++i) {
        auto const where = first_port();
        int const old = ::umad_open_port(where.ca.c_str(), where.number);
        ASSERT_GE(old, 0);
        ASSERT_EQ(::close(old), 0);
        opened_port const client;
        ASSERT_EQ(client.id(), old);
        opened_port const server;
        (void)server.agent({get});
        EXPECT_TRUE(client.asks(server, client.agent(), 1));
    }
}

TEST(Ports, APortWhoseDescriptorIsClosedOrAnotherFilesIsNone)
{
    auto const where = first_port();
    for (bool const comes_again : {false, true}) {
        int const port = ::umad_open_port(where.ca.c_str(), where.number);
        ASSERT_GE(port, 0);
        ASSERT_EQ(::close(port), 0);
        int const other = comes_again ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
        if (comes_again) {
            ASSERT_EQ(other, port);
        }
        buffer into;
        int length = into.room();
        EXPECT_EQ(::umad_recv(port, into.umad(), &length, 1'000), -EINVAL);
        EXPECT_EQ(::umad_recv(port, into.umad(), &length, -1), -EINVAL);
        if (comes_again) {
            EXPECT_EQ(::write(other, "", 1), 1) << "it is still open";
            ::close(other);
        }
    }
}

TEST(Ports, AForkAmongThreadsLeavesTheChildAbleToAsk)
{
    auto const where = first_port();
    std::atomic<bool> stop = false;
    auto const ask = [](void* until) -> void* {
        char names[4][UMAD_CA_NAME_LEN];
        while (!*static_cast<std::atomic<bool>*>(until)) {
            (void)::umad_get_cas_names(names, 4);
            ::sched_yield(); // so that the fork, which waits until nobody is inside, has its turn
        }
        return nullptr;
    };
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(&thread, nullptr, ask, &stop), 0);
    for (int i = 0; i != 8; ++i) {
        auto const child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::alarm(60); // which ends it where it hangs
            umad_port_t port;
            ::_exit(::umad_get_port(where.ca.c_str(), where.number, &port) == 0 ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    stop = true;
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
}

TEST(Ports, WhatCouldNotBeReadMayBeReleased)
{
    umad_ca_t ca;
    umad_port_t port;
    std::memset(&ca, 0xA5, sizeof ca);
    std::memset(&port, 0xA5, sizeof port);
    EXPECT_LT(::umad_get_ca("no_such_ca", &ca), 0);
    EXPECT_EQ(::umad_release_ca(&ca), 0);
    for (char const* name : {"no_such_ca", static_cast<char const*>(nullptr)}) {
        std::memset(&port, 0xA5, sizeof port);
        EXPECT_LT(::umad_get_port(name, 250, &port), 0);
        EXPECT_EQ(::umad_release_port(&port), 0);
    }
}

TEST(Ports, ErrnoStaysAsItWasWhereNothingFails)
{
    auto const where = first_port();
    errno = E2BIG;
    int const id = ::umad_open_port(where.ca.c_str(), where.number);
    EXPECT_EQ(errno, E2BIG);
    EXPECT_EQ(::umad_register(id, 0x2F, 1, 0, nullptr), 0);
    EXPECT_EQ(errno, E2BIG);
    EXPECT_EQ(::umad_close_port(id), 0);
    EXPECT_EQ(errno, E2BIG);
}

} // namespace
} // namespace madrigal::libibumad::test
