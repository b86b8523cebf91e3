// Requests, sends and cancellation from threads that do not run the loop.
#include "runtime/simulated.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <madrigal/wire/smp.hpp>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace madrigal::testing {
namespace {

/// A fabric in real time without latency, whose loop runs on a thread of its own.
struct running_loop {
    running_loop()
    {
        thread = std::thread{[this] { loop.run(); }};
    }
    ~running_loop()
    {
        asio::post(loop, [this] {
            smp = agent{};
            port = {};
        });
        work.reset();
        thread.join();
    }

    std::shared_ptr<sim::fabric> fabric = sim::fabric::make(small_tree()).value();
    std::shared_ptr<sim::host> host = sim::host::make(fabric).value();
    asio::io_context loop{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{loop.get_executor()};
    reactor on_loop{loop, *host};
    madrigal::port port = on_loop.open().value();
    agent smp = port.register_agent(subnet_directed_route(), {.window = {.size = 32}}).value();
    std::thread thread;
};

TEST(OtherThreads, MayAskAndGetTheirAnswers)
{
    running_loop r;
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t != 3; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i != 300; ++i) {
                auto future = r.smp.async_request(
                    get<node_info>(directed_route{0, 1}), {.timeout = 10s}, as_result(asio::use_future));
                auto const answer = future.get();
                right += answer && answer.value().type == node_type::switch_;
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(right, 900);
}

TEST(OtherThreads, MayCancelWhatTheyAsked)
{
    // Ends after the loop's thread, which may still be waking it with the last completion when `join` returns.
    asio::thread_pool pool{2};
    running_loop r;
    std::atomic<int> outcomes = 0;
    constexpr int each = 2'000;
    for (int t = 0; t != 2; ++t)
        asio::post(pool, [&, strand = asio::make_strand(pool)] {
            for (int i = 0; i != each; ++i) {
                auto const signal = std::make_shared<asio::cancellation_signal>();
                asio::post(strand, [&, signal, strand, i] {
                    r.smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 10s},
                        asio::bind_cancellation_slot(signal->slot(),
                            asio::bind_executor(strand, [&outcomes, signal](error_code code, node_info const&) {
                                if (!code || code == asio::error::operation_aborted)
                                    ++outcomes;
                            })));
                    if (i % 2 == 0)
                        asio::post(strand, [signal] { signal->emit(asio::cancellation_type::terminal); });
                });
            }
        });
    pool.join();
    EXPECT_EQ(outcomes, 2 * each);
}

TEST(Sender, SendsFromManyThreadsAndEachSendIsCountedOnce)
{
    running_loop r;
    auto const out = r.smp.sender();
    std::atomic<std::uint64_t> accepted = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t)
        threads.emplace_back([&] {
            raw_mad mad{directed_route{0}};
            build_directed_route_smp(mad.bytes, method::get, 1, node_info::layout.id, 0, 0, directed_route{0});
            for (int i = 0; i != 5'000; ++i) {
                auto const sent = out.try_send(mad);
                if (sent)
                    ++accepted;
                else
                    EXPECT_EQ(sent.error(), errc::queue_full);
            }
        });
    for (auto& thread : threads)
        thread.join();
    // A question behind all of them: when it is answered they have been written.
    auto future = r.smp.async_request(get<node_info>(directed_route{0}), {.timeout = 10s}, as_result(asio::use_future));
    EXPECT_TRUE(future.get());
    std::promise<agent_counters> counted;
    asio::post(r.loop, [&] { counted.set_value(r.smp.counters()); });
    auto const counters = counted.get_future().get();
    EXPECT_EQ(counters.sends, accepted.load());
    EXPECT_EQ(counters.failed_writes, 0u);
}

TEST(Sender, FailsOnceTheAgentIsClosed)
{
    running_loop r;
    auto const out = r.smp.sender();
    std::promise<void> closed;
    asio::post(r.loop, [&] {
        r.smp.close();
        closed.set_value();
    });
    closed.get_future().get();
    EXPECT_EQ(out.try_send(raw_mad{directed_route{0}}).error(), errc::agent_closed);
}

TEST(Reactor, RunsOnAStrandOfAThreadPool)
{
    auto const fabric = sim::fabric::make(small_tree()).value();
    auto const host = sim::host::make(fabric).value();
    asio::thread_pool pool{2};
    auto strand = asio::make_strand(pool);
    reactor on_strand{strand, *host};
    auto done = asio::co_spawn(
        strand,
        [](reactor& on) -> asio::awaitable<int> {
            auto port = on.open().value();
            auto smp = port.register_agent(subnet_directed_route()).value();
            int right = 0;
            for (int i = 0; i != 200; ++i) {
                auto const answer =
                    co_await smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 10s}, as_result);
                right += answer && answer.value().type == node_type::switch_;
            }
            co_return right;
        }(on_strand),
        asio::use_future);
    EXPECT_EQ(done.get(), 200);
    pool.join();
}

} // namespace
} // namespace madrigal::testing
