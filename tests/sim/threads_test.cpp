// Files of one fabric in several threads, under the machine's clock; made for ThreadSanitizer.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/node_info.hpp>

#include <atomic>
#include <poll.h>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>

namespace madrigal::sim::test {
namespace {

std::array<std::byte, mad_size> question(std::uint64_t id, directed_route const& route)
{
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, id, attribute_id::node_info, 0, 0, route);
    return smp;
}

TEST(Threads, EachFileBelongsToItsOwnThread)
{
    auto const on = fabric::make(two_switches(), {.start = start_state::configured}).value();
    std::atomic<unsigned> answered = 0;
    auto const ask = [&](char const* ca, directed_route const& route) {
        auto const machine = host::make(on, ca).value();
        open_file file{*machine};
        auto const agent = file.register_client(0x81);
        for (std::uint64_t id = 1; id <= 2'000; ++id) {
            EXPECT_EQ(file.write(header_to(agent, permissive_lid, 0, 60'000), question(id, route)), 0);
            if (file.read()) // at no latency the answer is there at once
                ++answered;
        }
    };
    std::thread a{ask, "H-a", directed_route{0, 1, 5, 1}};
    std::thread b{ask, "H-b", directed_route{0, 1, 6}};
    std::thread c{ask, "H-c", directed_route{0, 1, 5, 3}};
    std::thread changes{[&] {
        for (int i = 0; i != 500; ++i) {
            (void)on->set_link({host_a, 2}, i % 2 != 0);
            (void)on->counters();
        }
    }};
    for (auto* one : {&a, &b, &c, &changes})
        one->join();
    EXPECT_EQ(answered, 6'000u);
}

TEST(Threads, AWriteInOneThreadWakesTheReaderInAnother)
{
    auto const on = fabric::make(two_switches(), {.start = start_state::configured}).value();
    auto const machine_a = host::make(on, "H-a").value();
    auto const machine_c = host::make(on, "H-c").value();
    open_file c{*machine_c};
    c.register_server(0x04, 1, {3});
    auto const to = on->look_at({host_c, 1}).value().base_lid;
    constexpr unsigned count = 2'000;
    std::thread reader{[&] {
        unsigned got = 0;
        while (got != count) {
            pollfd watched{c->native_handle(), POLLIN, 0};
            ASSERT_EQ(::poll(&watched, 1, 60'000), 1);
            while (c.read())
                ++got;
        }
    }};
    open_file a{*machine_a};
    auto const sender = a.register_client(0x04);
    std::array<std::byte, mad_size> gmp{};
    mutable_mad_view const mad{gmp};
    mad.set_base_version(1);
    mad.set_mgmt_class(management_class::performance);
    mad.set_class_version(1);
    mad.set_method(method::send);
    for (unsigned i = 0; i != count; ++i)
        ASSERT_EQ(a.write(header_to(sender, to, 1, 0), gmp), 0);
    reader.join();
}

TEST(RealTime, ATimeoutWakesWhoeverPollsByAnyMeans)
{
    auto const on = fabric::make(two_switches()).value();
    auto const machine = host::make(on).value();
    open_file file{*machine};
    auto const agent = file.register_client(0x81);
    int const outer = ::epoll_create1(EPOLL_CLOEXEC);
    ASSERT_GE(outer, 0);
    epoll_event watch{};
    watch.events = EPOLLIN | EPOLLET; // as Asio watches
    ASSERT_EQ(::epoll_ctl(outer, EPOLL_CTL_ADD, file->native_handle(), &watch), 0);
    for (int round = 0; round != 3; ++round) {
        ASSERT_EQ(file.write(header_to(agent, permissive_lid, 0, 1, 2), question(1, directed_route{0, 1, 8})), 0);
        std::optional<received> got;
        while (!got) {
            epoll_event happened{};
            ASSERT_EQ(::epoll_wait(outer, &happened, 1, 60'000), 1);
            got = file.read();
        }
        EXPECT_EQ(got->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
        EXPECT_FALSE(file.read());
    }
    ::close(outer);
}

TEST(RealTime, AnAnswerWakesAnEdgeTriggeredWatcherEachTime)
{
    auto const on = fabric::make(two_switches()).value();
    auto const machine = host::make(on).value();
    open_file file{*machine};
    auto const agent = file.register_client(0x81);
    int const outer = ::epoll_create1(EPOLL_CLOEXEC);
    ASSERT_GE(outer, 0);
    epoll_event watch{};
    watch.events = EPOLLIN | EPOLLET;
    ASSERT_EQ(::epoll_ctl(outer, EPOLL_CTL_ADD, file->native_handle(), &watch), 0);
    for (std::uint64_t id = 1; id != 100; ++id) {
        ASSERT_EQ(file.write(header_to(agent, permissive_lid, 0, 60'000), question(id, directed_route{0, 1})), 0);
        epoll_event happened{};
        ASSERT_EQ(::epoll_wait(outer, &happened, 1, 0), 1) << id;
        ASSERT_TRUE(file.read());
        ASSERT_EQ(::epoll_wait(outer, &happened, 1, 0), 0) << "nothing waits";
    }
    ::close(outer);
}

} // namespace
} // namespace madrigal::sim::test
