// The descriptor's events.
#include "conformance/raw_file.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace madrigal::conformance {
namespace {

class Polling : public Conformance {
protected:
    static short events_of(int descriptor, short asked = POLLIN | POLLOUT)
    {
        pollfd looked{.fd = descriptor, .events = asked, .revents = 0};
        ::poll(&looked, 1, 0);
        return looked.revents;
    }
    pair_of_files files{on};
};

TEST_F(Polling, AFileIsReadableExactlyWhileAPacketWaits)
{
    EXPECT_EQ(events_of(files.server.descriptor(), POLLIN), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 1)), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 2)), 0);
    ASSERT_TRUE(files.server.read());
    ASSERT_TRUE(on.wait_readable(files.server.descriptor(), 10s));
    EXPECT_EQ(events_of(files.server.descriptor(), POLLIN), POLLIN);
    ASSERT_TRUE(files.server.read());
    EXPECT_EQ(events_of(files.server.descriptor(), POLLIN), 0);
}

TEST_F(Polling, AFileIsAlwaysWritable)
{
    if (on.pollout() == 0)
        GTEST_SKIP() << "the emulated descriptor is an epoll instance, which has no POLLOUT; its write never blocks";
    EXPECT_EQ(events_of(files.client.descriptor()), POLLOUT);
    for (std::uint32_t i = 0; i != 200; ++i)
        ASSERT_EQ(files.client.write(question(on, files.asks, i)), 0);
    EXPECT_EQ(events_of(files.client.descriptor()) & POLLOUT, POLLOUT);
}

TEST_F(Polling, EpollSeesATimeoutReport)
{
    int const set = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event wanted_event{.events = EPOLLIN, .data = {.u64 = 77}};
    ASSERT_EQ(::epoll_ctl(set, EPOLL_CTL_ADD, files.client.descriptor(), &wanted_event), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 1, method::get, 100)), 0);
    epoll_event got{};
    EXPECT_TRUE(on.wait_readable(files.client.descriptor(), 10s));
    ASSERT_EQ(::epoll_wait(set, &got, 1, 0), 1);
    EXPECT_EQ(got.data.u64, 77u);
    ASSERT_TRUE(files.client.read());
    EXPECT_EQ(::epoll_wait(set, &got, 1, 0), 0);
    ::close(set);
}

} // namespace
} // namespace madrigal::conformance
