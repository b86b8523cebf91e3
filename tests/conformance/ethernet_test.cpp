// On Ethernet a write waits in the kernel until the destination's GID is resolved; a loop must not.
#include "conformance/api_fixture.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

namespace madrigal::conformance {
namespace {

class Ethernet : public Api {
protected:
    void SetUp() override
    {
        if (on.infiniband())
            GTEST_SKIP() << "on InfiniBand a write never waits";
    }
};

/// The place of the port's first IPv4 GID in its table.
std::optional<std::uint8_t> ipv4_index(std::vector<gid> const& gids)
{
    for (std::size_t i = 0; i != std::min<std::size_t>(gids.size(), 256); ++i) {
        auto const& bytes = gids[i].bytes();
        if (std::all_of(bytes.begin(), bytes.begin() + 10, [](auto byte) { return byte == 0; }) && bytes[10] == 0xFF &&
            bytes[11] == 0xFF)
            return static_cast<std::uint8_t>(i);
    }
    return std::nullopt;
}

TEST_F(Ethernet, TheLoopsTimersAndOtherAgentsKeepTheirLatencyWhileAWriteWaits)
{
    auto const gids = on.attributes().gids;
    auto const own = ipv4_index(gids);
    ASSERT_TRUE(own) << "the port has no IPv4 address";
    auto bytes = gids[*own].bytes();
    bytes[15] = 0xC8;
    gid const by_hand{bytes};
    bytes[15] = 0xC9;
    gid const by_agent{bytes};

    // How long the kernel really takes: a write of one's own, to one such GID.
    raw_file file{on};
    auto one = question(on, file.agent(wanted_vendor()), 1, method::get, 100);
    one.header.gid_index = *own;
    std::copy(by_hand.bytes().begin(), by_hand.bytes().end(), std::begin(one.header.gid));
    auto const before = on.now();
    auto const refused = file.write(one);
    auto const in_kernel = std::chrono::duration_cast<milliseconds>(on.now() - before);
    EXPECT_NE(refused, 0) << "somebody has this address";

    auto const serving = server();
    serve(serving, echo);
    auto const asking = client();
    auto const stuck = client();
    ASSERT_TRUE(run(asking.async_request(ping(), {.timeout = 5s}, as_result))) << "the way is known from now on";

    bool ended = false;
    error_code ended_with;
    auto const began = on.now();
    duration took{};
    auto nowhere = ping(9);
    nowhere.to = destination{global_route{.destination = by_agent, .source_gid_index = *own}, lid{}};
    stuck.async_request(nowhere, {.timeout = 100ms, .retries = 0}, [&](error_code code, received_mad const&) {
        ended_with = code;
        took = on.now() - began;
        ended = true;
    });
    duration longest_gap{};
    duration longest_answer{};
    unsigned ticks = 0;
    unsigned answers = 0;
    asio::steady_timer timer{loop};
    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
            auto last = on.now();
            while (!ended) {
                timer.expires_after(5ms);
                co_await timer.async_wait(asio::use_awaitable);
                longest_gap = std::max(longest_gap, on.now() - std::exchange(last, on.now()));
                ++ticks;
            }
        },
        asio::detached);
    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
            while (!ended) {
                auto const asked = on.now();
                if (co_await asking.async_request(ping(), {.timeout = 5s}, as_result))
                    ++answers;
                longest_answer = std::max(longest_answer, on.now() - asked);
            }
        },
        asio::detached);
    ASSERT_TRUE(run_until([&] { return ended; }));
    EXPECT_TRUE(ended_with) << "nobody has this address";
    EXPECT_NE(ended_with, errc::timeout) << "the kernel refuses it";
    auto const in_ms = [](duration d) { return std::chrono::duration_cast<milliseconds>(d).count(); };
    std::cout << "a write to a GID that nobody has: " << in_kernel.count() << " ms in the kernel (errno " << refused
              << "); the loop meanwhile: longest gap between ticks of 5 ms " << in_ms(longest_gap) << " ms, " << answers
              << " answers, the slowest after " << in_ms(longest_answer) << " ms\n";
    std::cout << "the agent's own: " << ended_with.message() << " after " << in_ms(took) << " ms\n";
    EXPECT_GE(in_kernel, 400ms) << "this kernel does not wait: nothing has been shown";
    EXPECT_LT(longest_gap, in_kernel / 2);
    EXPECT_LT(longest_answer, in_kernel / 2);
    EXPECT_GT(ticks, 10u);
    EXPECT_GT(answers, 10u);
}

TEST_F(Ethernet, TheAnswerToARequestBetweenIpv4GidsIsDropped)
{
    // The kernel compares the GIDs of an answer with those of its request, in a header that these packets do not have.
    // 6.1 and 6.12 do so; one that recognises the answer would be welcome.
    auto const gids = on.attributes().gids;
    auto const own = ipv4_index(gids);
    ASSERT_TRUE(own) << "the port has no IPv4 address";
    pair_of_files files{on};
    auto one = question(on, files.asks, 1, method::get, 1'000);
    one.header.gid_index = *own;
    std::copy(gids[*own].bytes().begin(), gids[*own].bytes().end(), std::begin(one.header.gid));
    ASSERT_EQ(files.client.write(one), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    auto const got = files.client.read();
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->header.status == 0 || got->header.status == static_cast<std::uint32_t>(ETIMEDOUT));
    std::cout << "an answer between IPv4 GIDs is " << (got->header.status == 0 ? "delivered" : "dropped") << "\n";
}

} // namespace
} // namespace madrigal::conformance
