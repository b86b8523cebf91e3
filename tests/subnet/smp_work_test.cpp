// Work lists of SMPs: bounds, turns, dead nodes, refusals, losses, and how a list ends.
#include "subnet/swept.hpp"

#include <madrigal/subnet/smp_work.hpp>

#include <chrono>
#include <deque>
#include <numeric>
#include <stdexcept>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

/// A swept fabric and a client on it.
struct listed_work {
    explicit listed_work(topology::fabric layout, smp_options how = smp_options{})
        : around{std::move(layout)}, in{swept(around)}, client{smp_client::open(around.local(), how).value()}
    {}

    /// So many Gets of NodeInfo.
    smp_work::source questions(unsigned count)
    {
        return [this, left = count]() mutable -> std::optional<smp_order> {
            ++asked;
            if (left == 0)
                return std::nullopt;
            --left;
            return smp_order::get<node_info>();
        };
    }
    void add(topology::node_index node, smp_work::source next)
    {
        (void)work.add(in.route(node), in.node(node).node_guid, std::move(next));
    }
    result<smp_work_report> run(smp_work_options how = smp_work_options{}, smp_work::answered on_answer = nullptr)
    {
        return around.run(work.run(client, how, std::move(on_answer)));
    }
    /// The node of the fabric that is this one of the subnet.
    topology::node_index simulated(topology::node_index node) const
    {
        return around.layout().find(in.node(node).node_guid);
    }
    /// Nothing is under way any more and nothing will happen.
    void expect_over()
    {
        while (around.step())
            ;
        EXPECT_EQ(client.over().gauges().slots, 0u);
        EXPECT_EQ(client.over().gauges().waiting, 0u);
    }

    world around;
    managed_subnet in;
    smp_client client;
    smp_work work;
    unsigned asked = 0; ///< calls of sources
};

topology::fabric tree(unsigned leaves = 3, unsigned hosts = 4)
{
    return topology::generate(topology::fat_tree{.leaves = leaves, .hosts_per_leaf = hosts, .spines = 2}).value();
}

TEST(SmpWork, WithoutNodesIsDoneAtOnce)
{
    listed_work w{tree()};
    auto const report = w.run().value();
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.done, 0u);
    w.add(0, w.questions(0));
    EXPECT_TRUE(w.run().value().complete());
    EXPECT_EQ(w.asked, 1u) << "a source that has no more is not asked again";
}

TEST(SmpWork, GivesEachAnswerToItsJobInTheOrderOfTheSource)
{
    listed_work w{tree()};
    std::map<std::size_t, std::vector<std::uint32_t>> answers;
    for (auto const index : w.in.switches)
        w.add(index, [p = 0U]() mutable -> std::optional<smp_order> {
            return p == 4 ? std::nullopt : std::optional{smp_order::get<port_info>(p++)};
        });
    (void)w.work.add(w.in.route(0), guid{}, smp_order::get<node_info>());
    EXPECT_EQ(w.work.size(), w.in.switches.size() + 1);
    smp_work_options how;
    how.per_node = 1;
    auto const report = w.run(how, [&](std::size_t job, smp_order const& order, mad_view answer) {
                             answers[job].push_back(order.modifier);
                             if (job == 5) {
                                 EXPECT_EQ(answer.attribute<node_info>()->node_guid, w.in.node(0).node_guid);
                             } else {
                                 EXPECT_EQ(answer.attribute<port_info>()->state,
                                     w.in.info({w.in.switches[job], static_cast<std::uint8_t>(order.modifier)}).state);
                             }
                         }).value();
    EXPECT_EQ(report.done, 5u * 4 + 1);
    EXPECT_EQ(report.smps_sent, 5u * 4 + 1);
    for (std::size_t job = 0; job != 5; ++job)
        EXPECT_EQ(answers[job], (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_TRUE(w.work.empty()) << "a list is done once";
}

TEST(SmpWork, HoldsItsBoundsAndAsksSourcesOneByOne)
{
    smp_options roomy;
    roomy.outstanding = 1000;
    roomy.per_destination = 0;
    for (unsigned const at_once : {1U, 7U, 1000U})
        for (unsigned const per_node : {1U, 3U, 0U}) {
            listed_work w{tree(), roomy};
            w.around.on().set_faults({.hop_latency = 1ms});
            std::map<std::size_t, unsigned> of_node;
            unsigned all = 0;
            unsigned most = 0;
            unsigned most_of_node = 0;
            for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
                w.add(i, [&, i, left = 20U]() mutable -> std::optional<smp_order> {
                    if (left == 0)
                        return std::nullopt;
                    --left;
                    most = std::max(most, ++all);
                    most_of_node = std::max(most_of_node, ++of_node[i]);
                    return smp_order::get<node_info>();
                });
            smp_work_options how;
            how.at_once = at_once;
            how.per_node = per_node;
            auto const nodes = w.in.found.fabric.size();
            auto const report = w.run(how, [&](std::size_t job, smp_order const&, mad_view) {
                                     --all;
                                     --of_node[job];
                                 }).value();
            EXPECT_EQ(report.done, 20 * nodes);
            EXPECT_EQ(most, std::min<std::size_t>(at_once, nodes * (per_node == 0 ? 20 : per_node)));
            EXPECT_LE(most_of_node, per_node == 0 ? 20 : per_node);
        }
}

TEST(SmpWork, TakesTurnsBetweenNodes)
{
    listed_work w{tree()};
    std::vector<topology::node_index> order;
    for (topology::node_index i = 0; i != 3; ++i)
        w.add(i, [&, i, left = 4U]() mutable -> std::optional<smp_order> {
            if (left-- == 0)
                return std::nullopt;
            order.push_back(i);
            return smp_order::get<node_info>();
        });
    smp_work_options how;
    how.at_once = 1;
    ASSERT_TRUE(w.run(how).value().complete());
    EXPECT_EQ(order, (std::vector<topology::node_index>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(SmpWork, GivesADeadNodeUpAndNobodyElse)
{
    for (unsigned const limit : {1U, 3U, 0U}) {
        listed_work w{tree()};
        auto const dead = static_cast<topology::node_index>(w.in.found.fabric.size() - 1);
        ASSERT_FALSE(w.around.on().set_power(w.simulated(dead), false).code());
        for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
            w.add(i, w.questions(8));
        smp_work_options how;
        how.per_node = 2;
        how.timeouts_per_node = limit;
        how.how.retries = 1;
        auto const before = w.around.on().counters().retransmitted;
        auto const report = w.run(how).value();
        EXPECT_FALSE(report.complete());
        EXPECT_EQ(report.done, 8 * dead);
        EXPECT_EQ(report.skipped, limit == 0 ? 0u : 1u);
        EXPECT_EQ(report.given_up, limit == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{dead});
        EXPECT_EQ(report.failed, limit == 1 ? 2u : limit == 3 ? 4u : 8u);
        EXPECT_EQ(report.failures.size(), report.failed);
        EXPECT_EQ(report.smps_sent, report.done + 2 * report.failed);
        EXPECT_EQ(w.around.on().counters().retransmitted - before, report.failed);
        for (auto const& one : report.failures) {
            EXPECT_EQ(one.job, dead);
            EXPECT_EQ(one.code, errc::timeout);
            EXPECT_THAT(to_string(one), ::testing::HasSubstr("Get(NodeInfo) of directed route 0,"));
        }
    }
}

TEST(SmpWork, ThatADeadNodeHadAllOfIsNotSkipped)
{
    listed_work w{tree()};
    auto const dead = static_cast<topology::node_index>(w.in.found.fabric.size() - 1);
    ASSERT_FALSE(w.around.on().set_power(w.simulated(dead), false).code());
    w.add(dead, w.questions(2));
    auto const report = w.run().value();
    EXPECT_EQ(report.failed, 2u);
    EXPECT_EQ(report.skipped, 0u);
    EXPECT_TRUE(report.given_up.empty());
}

TEST(SmpWork, AsksAgainWhatWasNotAnsweredAsOftenAsItMay)
{
    for (unsigned const attempts : {1U, 20U}) {
        listed_work w{tree()};
        w.around.on().set_faults({.loss = 0.03});
        std::vector<unsigned> told(w.in.found.fabric.size());
        for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
            w.add(i, w.questions(50));
        smp_work_options how;
        how.how.retries = 0;
        how.attempts = attempts;
        auto const report = w.run(how, [&](std::size_t job, smp_order const&, mad_view) { ++told[job]; }).value();
        EXPECT_EQ(report.complete(), attempts == 20) << report.failed;
        EXPECT_EQ(report.failures.empty(), attempts == 20);
        EXPECT_EQ(report.done, std::accumulate(told.begin(), told.end(), 0U));
        EXPECT_GE(report.smps_sent, report.done + (attempts == 20 ? 10 : 0));
        if (attempts == 20) {
            EXPECT_EQ(told, std::vector<unsigned>(told.size(), 50U)) << "each question once";
        }
    }
}

TEST(SmpWork, ANodeThatIsBackInTheNextAttemptGetsAllOfItInItsOrder)
{
    listed_work w{tree()};
    auto const away = static_cast<topology::node_index>(w.in.found.fabric.size() - 1);
    ASSERT_FALSE(w.around.on().set_power(w.simulated(away), false).code());
    w.add(0, w.questions(3));
    w.add(away, [n = 0U]() mutable -> std::optional<smp_order> {
        return n == 9 ? std::nullopt : std::optional{smp_order::get<port_info>(n++ % 2)};
    });
    std::vector<std::uint32_t> order;
    smp_work_options how;
    how.attempts = 2;
    how.per_node = 1;
    auto const power = w.simulated(away);
    auto const return_of_power =
        w.around.time().make_alarm([&] { EXPECT_FALSE(w.around.on().set_power(power, true).code()); });
    return_of_power->arm(w.around.time().now() + 500ms); // an attempt takes 600 ms
    auto const report = w.run(how, [&](std::size_t job, smp_order const& one, mad_view) {
        if (job == 1)
            order.push_back(one.modifier);
    });
    ASSERT_TRUE(report.value().complete());
    EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST(SmpWork, ADeadNodeCostsOnePeriodForEachAttemptAndIsReportedOnce)
{
    for (unsigned const attempts : {0U, 1U, 2U, 3U}) {
        listed_work w{tree()};
        auto const dead = static_cast<topology::node_index>(w.in.found.fabric.size() - 1);
        ASSERT_FALSE(w.around.on().set_power(w.simulated(dead), false).code());
        w.add(0, w.questions(3));
        w.add(dead, w.questions(9));
        smp_work_options how;
        how.attempts = attempts;
        how.per_node = 4;
        how.how.retries = 1;
        auto const before = w.around.time().now();
        auto const report = w.run(how).value();
        auto const turns = std::max(attempts, 1U);
        EXPECT_EQ(report.done, 3u);
        EXPECT_EQ(report.failed, 4u);
        EXPECT_EQ(report.failures.size(), 4u);
        EXPECT_EQ(report.skipped, 1u);
        EXPECT_EQ(report.given_up, std::vector<std::size_t>{1});
        EXPECT_EQ(report.smps_sent, 3u + turns * 4 * 2);
        auto const elapsed = w.around.time().now() - before;
        EXPECT_GE(elapsed, turns * 400ms);
        EXPECT_LE(elapsed, turns * 400ms + 100ms);
    }
}

TEST(SmpWork, OfAThousandNodesOfWhichTenAreDeadTakesOnePeriodMore)
{
    auto const layout = topology::generate(topology::fat_tree{.leaves = 50, .hosts_per_leaf = 19, .spines = 4}).value();
    auto const elapsed = [&](bool dead) {
        listed_work w{layout};
        w.around.on().set_faults({.hop_latency = 1us, .service_time = 200us});
        auto const nodes = static_cast<topology::node_index>(w.in.found.fabric.size());
        EXPECT_GE(nodes, 1000u);
        if (dead)
            for (topology::node_index i = 1; i <= 10; ++i) {
                auto const one = nodes - i * 40;
                EXPECT_EQ(w.in.node(one).type, node_type::ca);
                EXPECT_FALSE(w.around.on().set_power(w.simulated(one), false).code());
            }
        for (topology::node_index i = 0; i != nodes; ++i)
            w.add(i, w.questions(60));
        auto const before = w.around.time().now();
        auto const report = w.run().value();
        EXPECT_EQ(report.done, (nodes - (dead ? 10 : 0)) * 60);
        EXPECT_EQ(report.given_up.size(), dead ? 10u : 0u);
        return w.around.time().now() - before;
    };
    auto const healthy = elapsed(false);
    auto const with_dead = elapsed(true);
    constexpr auto period = 3 * 200ms; // the client's timeout, two retries
    EXPECT_LE(with_dead, (healthy + period) * 12 / 10)
        << std::chrono::duration<double>(healthy).count() << " s healthy, "
        << std::chrono::duration<double>(with_dead).count() << " s";
}

TEST(SmpWork, ReportsRefusalsAndGoesOn)
{
    listed_work w{tree()};
    auto const ca = w.in.ends.front().at.node;
    auto const far = w.in.ends.back().at.node;
    ASSERT_FALSE(w.in.is_switch(far));
    w.add(far, [n = 0U]() mutable -> std::optional<smp_order> {
        switch (n++) {
        case 0: return smp_order::get<node_info>();
        case 1: return smp_order::get<switch_info>();
        case 2: return smp_order::get<port_info>(77);
        case 3: return smp_order::get<node_info>();
        default: return std::nullopt;
        }
    });
    w.add(ca, w.questions(3));
    unsigned answered = 0;
    auto const report = w.run(smp_work_options{}, [&](std::size_t, smp_order const&, mad_view) { ++answered; }).value();
    EXPECT_EQ(report.done, 5u);
    EXPECT_EQ(answered, 5u);
    ASSERT_EQ(report.failed, 2u);
    EXPECT_TRUE(report.given_up.empty());
    EXPECT_EQ(report.smps_sent, 7u);
    EXPECT_EQ(mad_status_of(report.failures[0].code), mad_status::unsupported_method_attribute);
    EXPECT_THAT(to_string(report.failures[0]),
        ::testing::HasSubstr("Get(SwitchInfo) of " + to_string(destination{w.in.route(far)})));
    EXPECT_THAT(to_string(report.failures[1]), ::testing::HasSubstr("Get(PortInfo, 77) of "));
}

TEST(SmpWork, KeepsNoMoreFailuresThanItShall)
{
    listed_work w{tree()};
    w.add(0, [left = 50U]() mutable -> std::optional<smp_order> {
        return left-- == 0 ? std::nullopt : std::optional{smp_order::get<switch_info>()};
    });
    smp_work_options how;
    how.keep_failures = 3;
    auto const report = w.run(how).value();
    EXPECT_EQ(report.failed, 50u);
    EXPECT_EQ(report.failures.size(), 3u);
}

TEST(SmpWork, RepairsLossesByRetries)
{
    listed_work w{tree()};
    w.around.on().set_faults({.loss = 0.02});
    for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
        w.add(i, w.questions(50));
    smp_work_options how;
    how.how.retries = 9;
    auto const report = w.run(how).value();
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.done, 50 * w.in.found.fabric.size());
}

TEST(SmpWork, WithAKeyOfTheTableByNodeOrOfItsOwn)
{
    listed_work w{tree()};
    auto const& locked = w.in.ends.back();
    auto const node = locked.at.node;
    auto info = w.in.info(locked.at);
    info.m_key = 0x42;
    info.state = port_state::no_change;
    info.phys_state = physical_state::no_change;
    info.base_lid = lid{77};
    ASSERT_TRUE(w.around.run(w.client.set<port_info>(w.in.route(node), info, locked.at.port)));
    auto const run = [&](std::uint64_t own) {
        (void)w.work.add(w.in.route(node), w.in.node(node).node_guid, smp_order::set(info, locked.at.port));
        smp_work_options how;
        how.how.m_key = own;
        return w.run(how).value();
    };
    auto const without = run(0);
    ASSERT_EQ(without.failed, 1u);
    EXPECT_THAT(to_string(without.failures[0]), ::testing::HasSubstr("without an M_Key"));
    EXPECT_TRUE(run(0x42).complete());
    w.client.keys().set(w.in.node(node).node_guid, 0x41);
    EXPECT_EQ(run(0).failed, 1u);
    w.client.keys().set(w.in.node(node).node_guid, 0x42);
    EXPECT_TRUE(run(0).complete());
    auto const wrong = run(7);
    ASSERT_EQ(wrong.failed, 1u);
    EXPECT_EQ(wrong.failures[0].asked.m_key, 7u);
}

TEST(SmpWork, ByLidGoesWhereTablesLead)
{
    sim::fabric_options configured;
    configured.start = sim::start_state::configured;
    world around{tree(), configured};
    auto const in = swept(around);
    auto const client = smp_client::open(around.local()).value();
    smp_work work;
    for (auto const& end : in.ends)
        (void)work.add(in.info(end.at).base_lid, guid{}, smp_order::get<node_info>());
    auto const report =
        around
            .run(work.run(client, smp_work_options{},
                [&](std::size_t job, smp_order const&, mad_view answer) {
                    EXPECT_EQ(answer.attribute<node_info>()->node_guid, in.node(in.ends[job].at.node).node_guid);
                }))
            .value();
    EXPECT_TRUE(report.complete());
}

TEST(SmpWork, IsCancelledAtOnceAndAsksNoSourceAfterwards)
{
    listed_work w{tree()};
    w.around.on().set_faults({.hop_latency = 1ms});
    unsigned answers = 0;
    for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
        w.add(i, w.questions(100));
    asio::cancellation_signal stop;
    auto const state = w.around.start(
        w.work.run(w.client, smp_work_options{}, [&](std::size_t, smp_order const&, mad_view) { ++answers; }),
        stop.slot());
    while (answers < 20)
        ASSERT_TRUE(w.around.step());
    auto const now = w.around.time().now();
    stop.emit(asio::cancellation_type::terminal);
    auto const asked = w.asked;
    auto const answered = answers;
    while (!state->ended) {
        w.around.loop().restart();
        ASSERT_NE(w.around.loop().poll(), 0u);
    }
    EXPECT_EQ(w.around.time().now(), now) << "without waiting for what is on the wire";
    ASSERT_TRUE(state->outcome);
    ASSERT_FALSE(*state->outcome);
    EXPECT_EQ(state->outcome->error(), asio::error::operation_aborted);
    w.expect_over();
    EXPECT_EQ(w.asked, asked);
    EXPECT_EQ(answers, answered);
}

TEST(SmpWork, EndsWithTheClient)
{
    listed_work w{tree()};
    w.around.on().set_faults({.hop_latency = 1ms});
    unsigned answers = 0;
    for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
        w.add(i, w.questions(100));
    auto const ended = w.run(smp_work_options{}, [&](std::size_t, smp_order const&, mad_view) {
        if (++answers == 10)
            w.client.close();
    });
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error(), errc::agent_closed);
    auto const asked = w.asked;
    w.expect_over();
    EXPECT_EQ(w.asked, asked);
}

TEST(SmpWork, EndsWithTheDevice)
{
    listed_work w{tree()};
    w.around.on().set_faults({.hop_latency = 1ms});
    unsigned answers = 0;
    for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
        w.add(i, w.questions(100));
    auto const ended = w.run(smp_work_options{}, [&](std::size_t, smp_order const&, mad_view) {
        if (++answers == 10) {
            EXPECT_FALSE(w.around.on().unplug(w.simulated(0)).code());
        }
    });
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error(), errc::device_gone);
}

TEST(SmpWork, ThrowsWhatASourceThrowsOnceAndAsksNobodyAfterwards)
{
    for (unsigned const at : {0U, 3U, 30U}) {
        listed_work w{tree()};
        w.around.on().set_faults({.hop_latency = 1ms});
        for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
            w.add(i, [&w, at, more = w.questions(100)]() mutable {
                if (w.asked == at)
                    throw std::runtime_error{"no more paper"};
                return more();
            });
        smp_work_options how;
        how.per_node = 1;
        EXPECT_THROW((void)w.run(how), std::runtime_error);
        auto const asked = w.asked;
        EXPECT_EQ(asked, at);
        w.expect_over();
        EXPECT_EQ(w.asked, asked);
    }
}

TEST(SmpWork, ThrowsWhatTheSourceOfANodeThatIsGivenUpThrows)
{
    listed_work w{tree()};
    auto const dead = static_cast<topology::node_index>(w.in.found.fabric.size() - 1);
    ASSERT_FALSE(w.around.on().set_power(w.simulated(dead), false).code());
    w.add(dead, [left = 1U]() mutable -> std::optional<smp_order> {
        if (left-- == 0)
            throw std::runtime_error{"no more paper"};
        return smp_order::get<node_info>();
    });
    smp_work_options how;
    how.per_node = 1;
    EXPECT_THROW((void)w.run(how), std::runtime_error);
    w.expect_over();
}

TEST(SmpWork, ThrowsWhatTheHandlerOfAnswersThrows)
{
    listed_work w{tree()};
    w.around.on().set_faults({.hop_latency = 1ms});
    for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
        w.add(i, w.questions(100));
    unsigned answers = 0;
    EXPECT_THROW((void)w.run(smp_work_options{},
                     [&](std::size_t, smp_order const&, mad_view) {
                         if (++answers == 10)
                             throw std::logic_error{"not what was expected"};
                     }),
        std::logic_error);
    auto const asked = w.asked;
    w.expect_over();
    EXPECT_EQ(answers, 10u);
    EXPECT_EQ(w.asked, asked);
    // The client is as good as before.
    EXPECT_TRUE(w.around.run(w.client.get<node_info>(directed_route{})));
}

TEST(SmpWork, WithoutASourceThrows)
{
    listed_work w{tree()};
    w.add(0, nullptr);
    EXPECT_THROW((void)w.run(), std::bad_function_call);
}

TEST(SmpWork, ThatIsAbandonedAsksNoSourceAfterwards)
{
    unsigned asked = 0;
    auto const alive = std::make_shared<int>();
    {
        world around{tree()};
        auto const in = swept(around);
        auto const client = smp_client::open(around.local()).value();
        around.on().set_faults({.hop_latency = 1ms});
        smp_work work;
        for (topology::node_index i = 0; i != in.found.fabric.size(); ++i)
            (void)work.add(in.route(i), guid{}, [&asked, alive]() -> std::optional<smp_order> {
                ++asked;
                return smp_order::get<node_info>();
            });
        auto const state = around.start(work.run(client));
        for (unsigned i = 0; i != 10; ++i)
            ASSERT_TRUE(around.step());
        EXPECT_FALSE(state->ended);
        EXPECT_GT(asked, 0u);
    }
    EXPECT_EQ(alive.use_count(), 1) << "nothing is left of it";
}

TEST(SmpWork, AsksTooMuchOfAShortQueue)
{
    listed_work w{tree()};
    agent_options shorter;
    shorter.window.size = 2;
    shorter.queue_limit = 2;
    smp_client const client{w.around.local().register_agent(umad::subnet_directed_route(), shorter).value()};
    for (topology::node_index i = 0; i != w.in.found.fabric.size(); ++i)
        w.add(i, w.questions(4));
    auto const ended = w.around.run(w.work.run(client));
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error(), errc::queue_full);
}

} // namespace
} // namespace madrigal::tests
