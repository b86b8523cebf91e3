// A hundred thousand requests, and everything that can happen to them.
#include "runtime/simulated.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

#include <random>
#include <vector>

namespace madrigal::testing {
namespace {

/// Asks over and over, a fixed number at a time, and checks each outcome.
class asking_loop {
public:
    asking_loop(simulated& s, agent& by, std::size_t total) : s_{s}, by_{by}, outcomes_(total, 0)
    {
        auto const& layout = s.fabric->layout();
        for (std::uint8_t port = 1; port != 3; ++port) // the leaf's two hosts and what is behind its spines
            routes_.push_back(directed_route{0, 1, port});
        routes_.push_back(directed_route{0});
        routes_.push_back(directed_route{0, 1});
        (void)layout;
    }

    void start(std::size_t at_once)
    {
        for (std::size_t i = 0; i != at_once; ++i)
            ask_next();
    }

    void ask_next()
    {
        if (next_ == outcomes_.size())
            return;
        auto const number = next_++;
        auto const& route = routes_[number % routes_.size()];
        by_.async_request(get<node_description>(route), {.timeout = 5ms, .retries = 1},
            [this, number, hops = route.hops()](error_code code, node_description const& answer) {
                ++outcomes_[number];
                if (code == errc::timeout)
                    ++timeouts;
                else if (code)
                    ++others;
                else if (hops == 0 ? answer == own : true)
                    ++right;
                ask_next();
            });
    }

    void expect_each_once() const
    {
        for (std::size_t i = 0; i != outcomes_.size(); ++i)
            ASSERT_EQ(outcomes_[i], 1) << "request " << i;
    }

    node_description own;
    std::size_t right = 0;
    std::size_t timeouts = 0;
    std::size_t others = 0;

private:
    simulated& s_;
    agent& by_;
    std::vector<directed_route> routes_;
    std::vector<int> outcomes_;
    std::size_t next_ = 0;
};

TEST(HundredThousandRequests, CompleteOnceEachUnderLossDelayDuplicatesAndReordering)
{
    sim::fabric_options options;
    options.seed = 20'261;
    options.faults = {.hop_latency = 20us, .service_time = 1us, .jitter = 200us, .loss = 0.01, .duplicate = 0.02};
    simulated s{small_tree(), options};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 256}}).value();
    asking_loop asking{s, smp, 100'000};
    asking.own = s.run(smp.async_request(get<node_description>(directed_route{0}), {}, as_result)).value();
    asio::post(s.loop, [&] { asking.start(512); });
    s.run_out();
    asking.expect_each_once();
    EXPECT_EQ(asking.others, 0u);
    EXPECT_EQ(asking.right + asking.timeouts, 100'000u) << "an answer to another question";
    EXPECT_GT(asking.timeouts, 0u) << "the faults do nothing";
    EXPECT_LT(asking.timeouts, 20'000u);
    expect_nothing_held(smp);
    EXPECT_EQ(smp.counters().guard_timeouts, 0u);
}

TEST(HundredThousandRequests, CompleteOnceEachWhenCancellationRacesWithTheirAnswers)
{
    sim::fabric_options options;
    options.faults = {.hop_latency = 10us, .jitter = 20us};
    simulated s{small_tree(), options};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 64}}).value();
    constexpr std::size_t total = 100'000;
    struct one {
        asio::cancellation_signal signal;
        std::size_t number = 0;
        bool pending = false;
    };
    std::vector<one> places(128);
    std::vector<std::uint8_t> outcomes(total, 0);
    std::mt19937 random{7};
    std::size_t next = 0;
    std::size_t cancelled = 0;
    std::function<void(one&)> ask = [&](one& place) {
        if (next == total)
            return;
        place.number = next++;
        place.pending = true;
        smp.async_request(get<node_info>(directed_route{0, 1}), {},
            asio::bind_cancellation_slot(place.signal.slot(), [&](error_code code, node_info const& info) {
                ++outcomes[place.number];
                place.pending = false;
                if (code == asio::error::operation_aborted)
                    ++cancelled;
                else
                    EXPECT_TRUE(!code && info.type == node_type::switch_);
                ask(place);
            }));
        // Some other request is cancelled at a moment that has nothing to do with its answer.
        if (random() % 3 == 0)
            asio::post(s.loop, [&, victim = random() % places.size()] {
                if (places[victim].pending)
                    places[victim].signal.emit(asio::cancellation_type::terminal);
            });
    };
    asio::post(s.loop, [&] {
        for (auto& place : places)
            ask(place);
    });
    s.run_out();
    for (std::size_t i = 0; i != total; ++i)
        ASSERT_EQ(outcomes[i], 1) << "request " << i;
    EXPECT_GT(cancelled, total / 100);
    expect_nothing_held(smp);
}

TEST(FiftyThousandRequests, ThatExpireAtOnceAllTimeOut)
{
    simulated s{small_tree()};
    sim::fault_rule silent;
    s.fabric->add_rule(silent);
    auto port = s.on_loop->open().value();
    auto smp =
        port.register_agent(subnet_directed_route(), {.window = {.size = 50'000}, .queue_limit = 100'000}).value();
    std::size_t timeouts = 0;
    asio::post(s.loop, [&] {
        for (int i = 0; i != 50'000; ++i)
            smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 100ms, .retries = 0},
                [&](error_code code, node_info const&) { timeouts += code == errc::timeout; });
    });
    s.run_out();
    EXPECT_EQ(timeouts, 50'000u);
    expect_nothing_held(smp);
}

} // namespace
} // namespace madrigal::testing
