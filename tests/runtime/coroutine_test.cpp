// What coroutines need: values that are built and destroyed equally often, and many questions at once.
#include "runtime/simulated.hpp"

#include <type_traits>

namespace madrigal::testing {
namespace {

// GCC 12 destroys some braced temporaries of a co_await expression twice; for these types that does no harm.
static_assert(std::is_trivially_destructible_v<request_options>);
static_assert(std::is_trivially_destructible_v<destination>);
static_assert(std::is_trivially_destructible_v<directed_route>);
static_assert(std::is_trivially_destructible_v<query<port_info>>);
static_assert(std::is_trivially_destructible_v<raw_mad>);
static_assert(std::is_trivially_destructible_v<gather_options>);
static_assert(std::is_trivially_destructible_v<serve_options>);
static_assert(std::is_trivially_destructible_v<umad::port_selector>);
static_assert(std::is_trivially_destructible_v<umad::registration>);

/// A handler that counts its copies and their ends.
struct counted_handler {
    struct counts {
        int built = 0;
        int destroyed = 0;
        int called = 0;
    };
    explicit counted_handler(counts& c) : all{&c} { ++all->built; }
    counted_handler(counted_handler const& other) : all{other.all} { ++all->built; }
    counted_handler(counted_handler&& other) noexcept : all{other.all} { ++all->built; }
    counted_handler& operator=(counted_handler const&) = default;
    ~counted_handler() { ++all->destroyed; }

    void operator()(error_code, node_info const&) const { ++all->called; }
    void operator()(result<node_info> const&) const { ++all->called; }

    counts* all;
};

TEST(Handlers, AreDestroyedAsOftenAsTheyAreBuilt)
{
    counted_handler::counts counts;
    {
        simulated s{small_tree()};
        auto port = s.on_loop->open().value();
        auto smp = port.register_agent(subnet_directed_route()).value();
        smp.async_request(get<node_info>(directed_route{0}), {}, counted_handler{counts});
        smp.async_request(get<node_info>(directed_route{0}), {.timeout = 5ms}, as_result(counted_handler{counts}));
        s.run_out();
        asio::post(s.loop, [&] {
            smp.async_request(get<node_info>(directed_route{0}), {}, counted_handler{counts}); // never completes
        });
        s.loop.restart();
        s.loop.poll_one();
    }
    EXPECT_GE(counts.called, 2);
    EXPECT_GT(counts.built, 3);
    EXPECT_EQ(counts.built, counts.destroyed);
}

asio::awaitable<void> ask_with_a_witness(agent const& smp, std::shared_ptr<int> witness)
{
    auto const answer = co_await smp.async_request(
        get<node_info>(directed_route{0, 1}), {.timeout = 50ms, .retries = 2, .total = 1s}, as_result);
    EXPECT_TRUE(answer);
    EXPECT_GT(witness.use_count(), 1);
}

TEST(Coroutines, ReleaseWhatTheyHoldOnce)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto const witness = std::make_shared<int>(0);
    for (int i = 0; i != 100; ++i)
        s.run(ask_with_a_witness(smp, witness));
    EXPECT_EQ(witness.use_count(), 1);
}

asio::awaitable<void> ask_and_await_later(agent const& smp)
{
    auto first = smp.async_request(get<node_info>(directed_route{0}), {}, as_result);
    auto second = smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result);
    auto const of_second = co_await std::move(second);
    auto const of_first = co_await std::move(first);
    EXPECT_TRUE(of_first);
    EXPECT_TRUE(of_second);
    if (of_first && of_second) {
        EXPECT_NE(of_first.value().node_guid, of_second.value().node_guid);
    }
}

TEST(PendingResult, MayBeKeptUntilItIsAwaited)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    s.run(ask_and_await_later(smp));
}

TEST(PendingResult, SendsNothingAndKeepsNoPacketWhereItIsNeverAwaited)
{
    simulated s{small_tree(), {}, {.max_packets = 2}};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    for (int i = 0; i != 10; ++i)
        (void)smp.async_request(get<node_info>(directed_route{0}), {}, as_result);
    EXPECT_EQ(smp.counters().requests, 0U);
    EXPECT_TRUE(s.run(smp.async_request(get<node_info>(directed_route{0}), {}, as_result)));
    EXPECT_EQ(smp.counters().requests, 1U);
}

TEST(PendingResult, SaysWhenItIsAwaitedThatThereWasNoPacketLeft)
{
    simulated s{small_tree(), {}, {.max_packets = 2}};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto first = smp.async_request(get<node_info>(directed_route{0}), {}, as_result);
    auto second = smp.async_request(get<node_info>(directed_route{0}), {}, as_result);
    auto third = smp.async_request(get<node_info>(directed_route{0}), {}, as_result);
    auto const refused = s.run(std::move(third));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::queue_full);
}

TEST(PendingResult, MayBeDestroyedAfterItsReactor)
{
    auto s = std::make_unique<simulated>(small_tree());
    auto port = s->on_loop->open().value();
    auto smp = std::make_unique<agent>(port.register_agent(subnet_directed_route()).value());
    auto kept = std::make_optional(smp->async_request(get<node_info>(directed_route{0}), {}, as_result));
    smp.reset();
    port = {};
    s.reset();
    kept.reset(); // AddressSanitizer sees whether its packet had somewhere to go
}

TEST(Gather, GivesTheOutcomesInTheOrderOfTheItems)
{
    simulated s{small_tree(), configured()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 2}}).value();
    std::vector<lid> lids;
    for (auto const& node : s.fabric->layout().nodes())
        if (auto const to = node.type == node_type::switch_ ? node.base_lid : node.ports[0].base_lid)
            lids.push_back(*to);
    auto const outcomes = s.run(
        gather(lids, [&](lid to) { return smp.async_request(get<node_info>(to), {}, as_result); }, {.at_once = 3}));
    ASSERT_EQ(outcomes.size(), lids.size());
    for (std::size_t i = 0; i != lids.size(); ++i) {
        ASSERT_TRUE(outcomes[i]) << outcomes[i].error().message();
        EXPECT_EQ(outcomes[i].value().node_guid, s.fabric->layout().at(static_cast<topology::node_index>(i)).node_guid);
    }
}

TEST(Gather, NeverSeesAFullQueue)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 1}, .queue_limit = 1}).value();
    std::vector<directed_route> const routes(500, directed_route{0, 1});
    auto const outcomes = s.run(
        gather(routes, [&](directed_route const& to) { return smp.async_request(get<node_info>(to), {}, as_result); },
            {.at_once = 50}));
    ASSERT_EQ(outcomes.size(), routes.size());
    for (auto const& outcome : outcomes)
        EXPECT_TRUE(outcome) << outcome.error().message();
    EXPECT_GT(smp.counters().refused_full, 0u);
}

TEST(Gather, EndsAllThatIsUnderWayWhenItsCallerIsCancelled)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 4}}).value();
    std::vector<directed_route> const routes(20, directed_route{0, 1});
    asio::cancellation_signal signal;
    std::size_t aborted = 0;
    bool ended = false;
    asio::co_spawn(
        s.loop,
        [](agent& by, std::vector<directed_route> const& to, std::size_t& cancelled) -> asio::awaitable<void> {
            auto const outcomes = co_await gather(to,
                [&](directed_route const& route) { return by.async_request(get<node_info>(route), {}, as_result); },
                {.at_once = 20});
            for (auto const& outcome : outcomes)
                cancelled += !outcome && outcome.error() == error_code{asio::error::operation_aborted};
        }(smp, routes, aborted),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr const&) { ended = true; }));
    s.run_ready();
    signal.emit(asio::cancellation_type::terminal);
    s.run_out();
    EXPECT_TRUE(ended);
    EXPECT_EQ(aborted, 20u);
}

TEST(Gather, CanBeCancelledAfterSomeOutcomesAndGivesOneForEachItemAllTheSame)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 2}}).value();
    std::vector<directed_route> const routes(1'000, directed_route{0, 1});
    asio::cancellation_signal signal;
    std::size_t answered = 0;
    std::size_t aborted = 0;
    asio::co_spawn(
        s.loop,
        [](agent& by, std::vector<directed_route> const& to, std::size_t& right,
            std::size_t& cancelled) -> asio::awaitable<void> {
            auto const outcomes = co_await gather(to,
                [&](directed_route const& route) { return by.async_request(get<node_info>(route), {}, as_result); },
                {.at_once = 4});
            EXPECT_EQ(outcomes.size(), to.size());
            for (auto const& outcome : outcomes)
                if (outcome)
                    ++right;
                else
                    cancelled += outcome.error() == error_code{asio::error::operation_aborted};
        }(smp, routes, answered, aborted),
        asio::bind_cancellation_slot(signal.slot(), asio::detached));
    EXPECT_TRUE(s.run_until([&] { return smp.counters().answers >= 20; }));
    asio::post(s.loop, [&] { signal.emit(asio::cancellation_type::terminal); });
    s.run_out();
    EXPECT_GE(answered, 20u);
    EXPECT_LT(answered, 100u);
    EXPECT_EQ(answered + aborted, 1'000u);
}

TEST(Gather, OfNothingIsNothing)
{
    simulated s{small_tree()};
    std::vector<lid> const none;
    auto const outcomes = s.run(gather(none, [](lid) -> asio::awaitable<result<node_info>> {
        ADD_FAILURE();
        co_return errc::timeout;
    }));
    EXPECT_TRUE(outcomes.empty());
}

TEST(Gather, PassesAnExceptionOn)
{
    simulated s{small_tree()};
    std::vector<int> const items{1, 2, 3};
    EXPECT_THROW((void)s.run(gather(items,
                     [](int item) -> asio::awaitable<result<int>> {
                         if (item == 2)
                             throw std::runtime_error{"on purpose"};
                         co_return item;
                     })),
        std::runtime_error);
}

} // namespace
} // namespace madrigal::testing
