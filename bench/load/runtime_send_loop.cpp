#include "pace.hpp"
#include "runtime_client.hpp"
#include "runtime_loops.hpp"

#include <boost/asio.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace madrigal::bench {
namespace {

/// The venue's MAD under ever new transaction ids: a kernel refuses one that is the same as of one still on its way.
class numbered_mad {
public:
    numbered_mad(raw_mad const& mad, unsigned producer) noexcept : mad_{mad}, id_{std::uint64_t{producer} << 24} {}

    [[nodiscard]] raw_mad const& next() noexcept
    {
        mutable_mad_view{mad_.bytes}.set_transaction_id(++id_);
        return mad_;
    }

private:
    raw_mad mad_;
    std::uint64_t id_;
};

asio::awaitable<void> send_and_await(agent const& agent, numbered_mad mad, meter& meter, double rate)
{
    asio::steady_timer timer{co_await asio::this_coro::executor};
    pace pace{rate};
    for (auto begun = meter::clock::now(); meter.running(); pace.advance()) {
        if (pace.steady()) {
            begun = pace.due();
            if (begun > meter::clock::now()) {
                timer.expires_at(begun);
                co_await timer.async_wait(asio::use_awaitable);
            }
        }
        auto const sent = co_await agent.async_send(mad.next(), as_result);
        if (sent)
            begun = meter.on_answer(begun);
        else
            meter.fail(sent.error());
    }
}

/// Calls `try_send` on the loop, from a timer where there is a rate.
class sending_client {
public:
    sending_client(asio::io_context& loop, agent const& agent, numbered_mad mad, meter& meter, double rate)
        : timer_{loop}, sender_{agent.sender()}, mad_{mad}, meter_{meter}, pace_{rate}
    {}

    void go()
    {
        for (auto begun = meter::clock::now(); meter_.running(); pace_.advance()) {
            if (pace_.steady()) {
                begun = pace_.due();
                if (begun > meter::clock::now()) {
                    timer_.expires_at(begun);
                    timer_.async_wait([this](error_code) { go(); });
                    return;
                }
            }
            if (auto const sent = sender_.try_send(mad_.next()))
                begun = meter_.on_answer(begun);
            else
                meter_.fail(sent.error());
        }
    }

private:
    asio::steady_timer timer_;
    sender sender_;
    numbered_mad mad_;
    meter& meter_;
    pace pace_;
};

/// Sends as many of the whole as this thread has to. A full queue is waited for.
void produce(sender const& out, numbered_mad mad, std::uint64_t count, double rate, std::atomic<bool>& failed)
{
    for (pace pace{rate}; count != 0 && !failed; --count, pace.advance()) {
        pace.sleep();
        auto const& next = mad.next();
        for (auto sent = out.try_send(next); !sent; sent = out.try_send(next)) {
            if (sent.error() != errc::queue_full) {
                failed = true;
                return;
            }
            std::this_thread::yield();
        }
    }
}

result<measured> on_loop(venue const& on, load_options const& options, client_style style)
{
    runtime_client client{on, options};
    BOOST_OUTCOME_TRY(client.opened());
    meter meter{options};
    sending_client handlers{client.loop, client.agent(), numbered_mad{on.question, 0}, meter, options.rate};
    if (style == client_style::coroutines)
        asio::co_spawn(client.loop, send_and_await(client.agent(), numbered_mad{on.question, 0}, meter, options.rate),
            asio::detached);
    else
        asio::post(client.loop, [&] { handlers.go(); });
    client.loop.run();
    return meter.outcome();
}

result<measured> by_producers(venue const& on, load_options const& options)
{
    runtime_client client{on, options};
    BOOST_OUTCOME_TRY(client.opened());
    measured done;
    done.requests = options.requests;
    std::atomic<bool> failed{false};
    error_code last;
    stopwatch watch;
    auto work = asio::make_work_guard(client.loop);
    watch.begin(stopwatch::clock::now());
    std::thread all{[&] {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i != options.producers; ++i) {
            auto const share =
                options.requests / options.producers + (i < options.requests % options.producers ? 1 : 0);
            threads.emplace_back([&, share, i] {
                produce(client.agent().sender(), numbered_mad{on.question, i + 1}, share,
                    options.rate / options.producers, failed);
            });
        }
        for (auto& one : threads)
            one.join();
        // One more behind all the others, whose completion tells that they have been written.
        client.agent().async_send(on.question, [&](error_code code) {
            watch.finish(stopwatch::clock::now(), done);
            last = code;
            work.reset();
        });
    }};
    client.loop.run();
    all.join();
    if (last)
        return error{last};
    if (failed || client.agent().counters().failed_writes != 0)
        return error{errc::device_gone, "a producer could not send"};
    return done;
}

} // namespace

result<measured> runtime_send_loop(venue const& on, load_options const& options, client_style style)
{
    return options.producers != 0 ? by_producers(on, options) : on_loop(on, options, style);
}

} // namespace madrigal::bench
