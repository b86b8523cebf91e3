// Nobody on a loop keeps the others waiting: bounds in packets and turns, whatever the machine's speed.
#include "runtime/busy_host.hpp"
#include "runtime/simulated.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::testing {
namespace {

/// Packets that are read before what they have led to is written.
constexpr std::size_t write_batch = 32;
constexpr std::size_t read_budget = 256;

/// A vendor-class Get as it is read by the agent with that id.
std::vector<std::byte> unsolicited_for(std::uint32_t agent)
{
    std::vector<std::byte> packet(umad::header_size + mad_size);
    auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.data());
    header.id = agent;
    header.length = static_cast<std::uint32_t>(packet.size());
    header.qpn.set(1);
    header.lid.set(7);
    mutable_mad_view const mad{std::span{packet}.subspan(umad::header_size)};
    mad.set_base_version(mad_base_version);
    mad.set_mgmt_class(management_class{0x32});
    mad.set_class_version(1);
    mad.set_method(method::get);
    for (std::size_t i = 0; i != 3; ++i)
        packet[umad::header_size + 37 + i] = static_cast<std::byte>(openib_oui >> (16 - 8 * i));
    return packet;
}

struct busy_loop {
    explicit busy_loop(std::size_t ports)
    {
        for (std::size_t i = 0; i != ports; ++i)
            kernels.push_back(std::make_shared<busy_kernel>());
        host = std::make_unique<busy_host>(kernels);
        on_loop = std::make_unique<reactor>(loop, *host, reactor_options{.read_budget = read_budget, .time = &time});
    }

    [[nodiscard]] madrigal::port open(unsigned number) const
    {
        return on_loop->open({.ca = "busy0", .port = number}).value();
    }
    /// Handler by handler until `done`; false after so many handlers without it.
    [[nodiscard]] bool run_until(std::function<bool()> const& done, std::size_t most)
    {
        loop.restart();
        for (std::size_t handlers = 0; handlers != most; ++handlers) {
            if (done())
                return true;
            if (loop.poll_one() == 0 && !time.advance_to_next())
                break;
        }
        return done();
    }
    [[nodiscard]] std::size_t work() const
    {
        std::size_t all = 0;
        for (auto const& kernel : kernels)
            all += kernel->work();
        return all;
    }

    engine::virtual_time time;
    asio::io_context loop{1};
    std::vector<std::shared_ptr<busy_kernel>> kernels;
    std::unique_ptr<busy_host> host;
    std::unique_ptr<reactor> on_loop;
};

/// Another handler on the loop, which wants to run again and again: how many packets are read and written between.
class heartbeat {
public:
    explicit heartbeat(busy_loop& of) : of_{of} { beat(); }

    std::size_t beats = 0;
    std::size_t longest = 0;

private:
    void beat()
    {
        asio::post(of_.loop, [this] {
            ++beats;
            longest = std::max(longest, of_.work() - std::exchange(at_last_, of_.work()));
            beat();
        });
    }
    busy_loop& of_;
    std::size_t at_last_ = 0;
};

/// Asks again as soon as it has its answer, and counts what is read from a kernel meanwhile.
class asking {
public:
    asking(agent const& by, busy_kernel const& beside) : by_{by}, beside_{beside} {}

    void ask()
    {
        asked_at_ = beside_.reads;
        by_.async_request(
            get<node_info>(directed_route{0, 1}), {.timeout = 1s}, [this](error_code code, node_info const&) {
                failed += code ? 1 : 0;
                longest = std::max(longest, beside_.reads - asked_at_);
                ++answered;
                ask();
            });
    }

    std::size_t answered = 0;
    std::size_t failed = 0;
    std::size_t longest = 0;

private:
    agent const& by_;
    busy_kernel const& beside_;
    std::size_t asked_at_ = 0;
};

enum class habit : std::uint8_t { ignores, takes, answers };

/// What the flooded agent does about it.
void serve_flood(agent& flooded, habit how, std::size_t& taken)
{
    if (how == habit::ignores)
        return;
    flooded.async_receive([&flooded, how, &taken](error_code code, request asked) {
        if (code)
            return;
        ++taken;
        if (how == habit::answers)
            asked.reply(mad_status::ok, [](error_code) {});
        serve_flood(flooded, how, taken);
    });
}

class FloodedAgent : public ::testing::TestWithParam<habit> {};

TEST_P(FloodedAgent, DelaysAnotherOnItsPortByWhatWasReadBeforeTheAnswerAndNoMore)
{
    constexpr std::size_t depth = 500;
    busy_loop on{1};
    auto& kernel = *on.kernels[0];
    auto port = on.open(1);
    auto flooded = port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    kernel.flood(unsolicited_for(0), depth);
    std::size_t taken = 0;
    asking requests{smp, kernel};
    heartbeat others{on};
    asio::post(on.loop, [&] {
        serve_flood(flooded, GetParam(), taken);
        requests.ask();
    });
    ASSERT_TRUE(on.run_until([&] { return requests.answered >= 300; }, 1'000'000));
    EXPECT_EQ(requests.failed, 0u);
    EXPECT_LE(requests.longest, depth + write_batch + 1);
    EXPECT_GE(requests.longest, depth) << "the flood was not in the way at all";
    // Each packet that is read leads to a write at most, and a batch's writes may be put off by one turn.
    EXPECT_LE(others.longest, 2 * read_budget + write_batch);
    EXPECT_EQ(taken != 0, GetParam() != habit::ignores);
}

TEST_P(FloodedAgent, DelaysAnotherPortOfItsLoopByTwoTurns)
{
    if (GetParam() == habit::ignores)
        GTEST_SKIP() << "nobody wants to know what comes from the port, so nobody reads it";
    busy_loop on{2};
    auto& flood = *on.kernels[0];
    auto& quiet = *on.kernels[1];
    auto busy_port = on.open(1);
    auto quiet_port = on.open(2);
    auto flooded = busy_port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    auto smp = quiet_port.register_agent(subnet_directed_route()).value();
    flood.flood(unsolicited_for(0), 1'000);
    std::size_t taken = 0;
    asking requests{smp, flood};
    heartbeat others{on};
    asio::post(on.loop, [&] {
        serve_flood(flooded, GetParam(), taken);
        requests.ask();
    });
    ASSERT_TRUE(on.run_until([&] { return requests.answered >= 1'000; }, 1'000'000));
    EXPECT_EQ(requests.failed, 0u);
    // One that was queued already, and one until the loop looks at its descriptors.
    EXPECT_LE(requests.longest, 2 * read_budget);
    EXPECT_GE(requests.longest, read_budget) << "the flood was not in the way at all";
    EXPECT_LE(others.longest, 2 * read_budget + write_batch);
    EXPECT_EQ(quiet.reads, requests.answered);
}

TEST(FloodedPort, HasItsTurnsBesideOneThatAsksWithoutAPause)
{
    busy_loop on{2};
    auto busy_port = on.open(1);
    auto asking_port = on.open(2);
    auto flooded = busy_port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    auto smp = asking_port.register_agent(subnet_directed_route(), {.window = {.size = 256}}).value();
    on.kernels[0]->flood(unsolicited_for(0), 1'000);
    std::size_t taken = 0;
    std::vector<asking> requests(256, asking{smp, *on.kernels[0]});
    heartbeat others{on};
    asio::post(on.loop, [&] {
        serve_flood(flooded, habit::takes, taken);
        for (auto& each : requests) // an answer for every read: its turns are as long as the budget allows
            each.ask();
    });
    ASSERT_TRUE(on.run_until([&] { return on.kernels[1]->reads >= 100'000; }, 1'000'000));
    EXPECT_GE(on.kernels[0]->reads, 90'000u);
    EXPECT_LE(on.kernels[0]->reads, 110'000u);
    EXPECT_LE(others.longest, 3 * read_budget + write_batch) << "a turn of each port";
    for (auto const& each : requests)
        EXPECT_LE(each.longest, 3 * read_budget);
}

INSTANTIATE_TEST_SUITE_P(
    Habits, FloodedAgent, ::testing::Values(habit::ignores, habit::takes, habit::answers), [](auto const& chosen) {
        switch (chosen.param) {
        case habit::ignores: return "Ignores";
        case habit::takes: return "Takes";
        case habit::answers: return "Answers";
        }
        return "";
    });

/// Ten thousand requests, begun by another thread or in the loop's own handler.
struct ten_thousand {
    static constexpr std::size_t count = 10'000;

    void ask_all(agent const& by)
    {
        for (std::size_t i = 0; i != count; ++i)
            by.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 1s, .retries = 0},
                [this](error_code code, node_info const&) { ++(code ? failed : answered); });
    }
    [[nodiscard]] bool done() const { return answered + failed == count; }

    std::size_t answered = 0;
    std::size_t failed = 0;
};

TEST(TenThousandQueuedRequests, LeaveOthersTheirTurnsWhileTheyAreAnswered)
{
    busy_loop on{1};
    auto port = on.open(1);
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 1'024}}).value();
    ten_thousand all;
    asio::post(on.loop, [&] { all.ask_all(smp); });
    ASSERT_EQ(on.loop.poll_one(), 1u); // the caller's own handler, which writes a window's worth
    ASSERT_EQ(on.kernels[0]->writes, 1'024u);
    heartbeat others{on};
    (void)on.run_until([&] { return others.beats == 1; }, 100);
    others.longest = 0;
    ASSERT_TRUE(on.run_until([&] { return all.done(); }, 100'000));
    EXPECT_EQ(all.answered, all.count);
    EXPECT_LE(others.longest, 2 * read_budget + write_batch);
    EXPECT_GE(others.beats, all.count / read_budget);
}

TEST(TenThousandQueuedRequests, LeaveOthersTheirTurnsWhenNobodyAnswersThem)
{
    busy_loop on{1};
    auto port = on.open(1);
    on.kernels[0]->answers = false; // nor does the kernel report: guard deadlines end them
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 5'000}}).value();
    ten_thousand all;
    asio::post(on.loop, [&] { all.ask_all(smp); });
    ASSERT_EQ(on.loop.poll_one(), 1u);
    heartbeat others{on};
    (void)on.run_until([&] { return others.beats == 1; }, 100);
    others.longest = 0;
    std::size_t failed_at_once = 0;
    for (std::size_t turns = 0; !all.done() && turns != 10'000; ++turns) {
        auto const before = all.failed;
        (void)on.loop.poll_one();
        failed_at_once = std::max(failed_at_once, all.failed - before);
        (void)on.time.advance_to_next();
        failed_at_once = std::max(failed_at_once, all.failed - before);
    }
    EXPECT_EQ(all.failed, all.count);
    // So many deadlines are handled in a turn, and each makes room for one write.
    EXPECT_LE(failed_at_once, 1'024u);
    EXPECT_LE(others.longest, 1'024u);
    EXPECT_GE(others.beats, all.count / 1'024);
}

/// The longest time, in packets, for which another handler waits while all that this thread hands over is asked.
std::size_t longest_wait(unsigned window)
{
    busy_loop on{1};
    auto port = on.open(1);
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = window}}).value();
    heartbeat others{on};
    ten_thousand all;
    all.ask_all(smp); // this thread is not running the loop
    EXPECT_TRUE(on.run_until([&] { return all.done(); }, 100'000));
    EXPECT_EQ(all.answered, all.count);
    return others.longest;
}

TEST(TenThousandQueuedRequests, LeaveOthersTheirTurnsWhenAnotherThreadHasHandedThemOver)
{
    EXPECT_LE(longest_wait(64), 2 * read_budget + write_batch);
}

TEST(TenThousandQueuedRequests, LeaveOthersTheirTurnsWhenAnotherThreadHasHandedThemOverAndTheWindowIsLarge)
{
    EXPECT_LE(longest_wait(16'384), 2 * read_budget + write_batch);
}

} // namespace
} // namespace madrigal::testing
