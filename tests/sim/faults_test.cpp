// Faults on purpose: seeded, counted, and nothing else ever loses a packet.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/node_info.hpp>

#include <map>

namespace madrigal::sim::test {
namespace {

directed_route const far_away{0, 1, 5, 1}; // three links

class Faults : public ::testing::Test {
protected:
    /// Asks `count` times at once and reads until nothing comes any more; number of answers per transaction.
    static std::map<std::uint64_t, unsigned> ask_many(bench& with, std::uint64_t count, std::uint32_t retries = 0)
    {
        for (std::uint64_t id = 1; id <= count; ++id) {
            std::array<std::byte, mad_size> smp;
            build_directed_route_smp(smp, method::get, id, attribute_id::node_info, 0, 0, far_away);
            EXPECT_EQ(with.file->write(header_to(with.directed, permissive_lid, 0, 100, retries), smp), 0);
        }
        std::map<std::uint64_t, unsigned> answers;
        do {
            while (auto const got = with.file->read()) {
                auto const id = got->view().transaction_id() & 0xFFFF'FFFF;
                if (got->header.status == 0)
                    ++answers[id];
                else
                    answers.try_emplace(id, 0);
            }
        } while (with.clock.advance_to_next());
        return answers;
    }
    static std::uint64_t answered(std::map<std::uint64_t, unsigned> const& answers)
    {
        std::uint64_t sum = 0;
        for (auto const& [id, count] : answers)
            sum += count;
        return sum;
    }
    bench with;
};

TEST_F(Faults, WithoutThemNothingIsLost)
{
    auto const answers = ask_many(with, 10'000);
    EXPECT_EQ(answered(answers), 10'000u);
    EXPECT_EQ(with.on->counters().drops(), 0u);
    EXPECT_EQ(with.on->counters().answered, 10'000u);
    EXPECT_EQ(with.on->counters().hops, 60'000u);
}

TEST_F(Faults, LossIsPerLinkAndRepeatsWithItsSeed)
{
    std::vector<std::uint64_t> results;
    for (std::uint64_t const seed : {1, 1, 2}) {
        bench lossy{two_switches(), {.seed = seed, .faults = {.loss = 0.02}}};
        auto const answers = ask_many(lossy, 10'000);
        EXPECT_EQ(answers.size(), 10'000u) << "each ends, one way or the other";
        results.push_back(answered(answers));
        EXPECT_EQ(lossy.on->counters().drops(drop_reason::loss), 10'000 - results.back());
        // Six links there and back: 0.98 to the sixth power get through.
        EXPECT_NEAR(static_cast<double>(results.back()), 8858, 150);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_NE(results[0], results[2]);
}

TEST_F(Faults, RetriesMakeUpForLoss)
{
    bench lossy{two_switches(), {.faults = {.loss = 0.02}}};
    EXPECT_EQ(answered(ask_many(lossy, 1'000, 10)), 1'000u);
    EXPECT_GT(lossy.on->counters().retransmitted, 0u);
}

TEST_F(Faults, LatencyIsPerLink)
{
    with.on->set_faults({.hop_latency = 1ms});
    EXPECT_FALSE(with.ask(far_away, attribute_id::node_info));
    with.clock.advance(6ms - 1ns);
    EXPECT_FALSE(with.file->read());
    with.clock.advance(1ns);
    EXPECT_TRUE(with.file->read());
}

TEST_F(Faults, ANodesAgentServesOneAfterTheOther)
{
    with.on->set_faults({.service_time = 1ms});
    for (std::uint64_t id = 1; id <= 10; ++id) {
        std::array<std::byte, mad_size> smp;
        build_directed_route_smp(smp, method::get, id, attribute_id::node_info, 0, 0, far_away);
        ASSERT_EQ(with.file->write(header_to(with.directed, permissive_lid, 0), smp), 0);
    }
    for (int i = 0; i != 10; ++i) {
        EXPECT_FALSE(with.file->read());
        with.clock.advance(1ms);
        EXPECT_TRUE(with.file->read());
    }
}

TEST_F(Faults, AnOverrunAgentLosesWhatItHasNoRoomFor)
{
    with.on->set_faults({.service_time = 1ms, .queue_limit = 4});
    EXPECT_EQ(answered(ask_many(with, 10)), 4u);
    EXPECT_EQ(with.on->counters().drops(drop_reason::queue_full), 6u);
}

TEST_F(Faults, DuplicatesReachTheAskerOnce)
{
    bench doubled{two_switches(), {.faults = {.duplicate = 0.5}}};
    auto const answers = ask_many(doubled, 1'000);
    ASSERT_EQ(answers.size(), 1'000u);
    for (auto const& [id, count] : answers)
        EXPECT_EQ(count, 1u) << id;
    EXPECT_GT(doubled.on->counters().duplicated, 1'000u);
    EXPECT_GT(doubled.on->counters().drops(drop_reason::late_answer), 0u);
}

TEST_F(Faults, JitterReorders)
{
    bench shaken{two_switches(), {.faults = {.hop_latency = 1ms, .jitter = 5ms}}};
    std::vector<std::uint64_t> order;
    for (std::uint64_t id = 1; id <= 100; ++id) {
        std::array<std::byte, mad_size> smp;
        build_directed_route_smp(smp, method::get, id, attribute_id::node_info, 0, 0, far_away);
        ASSERT_EQ(shaken.file->write(header_to(shaken.directed, permissive_lid, 0), smp), 0);
    }
    shaken.clock.advance(50ms);
    while (auto const got = shaken.file->read())
        order.push_back(got->view().transaction_id() & 0xFFFF'FFFF);
    EXPECT_EQ(order.size(), 100u);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(Faults, ADroppingRuleIsATimeoutAndNeverAZeroFilledAnswer)
{
    auto const rule = with.on->add_rule({.node = host_c, .attribute = attribute_id::node_info});
    EXPECT_FALSE(with.ask(far_away, attribute_id::node_info));
    EXPECT_TRUE(with.ask(far_away, attribute_id::node_description));
    EXPECT_TRUE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
    EXPECT_EQ(with.on->counters().drops(drop_reason::fault_rule), 1u);
    with.clock.advance(100ms);
    EXPECT_EQ(with.file->read()->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_TRUE(with.on->remove_rule(rule));
    EXPECT_FALSE(with.on->remove_rule(rule));
    EXPECT_TRUE(with.ask(far_away, attribute_id::node_info));
}

TEST_F(Faults, ARuleMatchesByPortMethodAndClassAndStrikesSoOften)
{
    with.on->add_rule({.node = switch_2,
        .port = std::uint8_t{6},
        .method = std::uint8_t{1},
        .mgmt_class = std::uint8_t{0x81},
        .count = 2});
    directed_route const by_6{0, 1, 6};
    EXPECT_TRUE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
    EXPECT_FALSE(with.ask(by_6, attribute_id::node_info));
    EXPECT_FALSE(with.ask(by_6, attribute_id::node_info));
    EXPECT_TRUE(with.ask(by_6, attribute_id::node_info));
}

TEST_F(Faults, AStatusRuleAnswersWithItsStatus)
{
    with.on->add_rule({.node = host_c, .action = fault_action::status, .status = 0x0104});
    EXPECT_EQ(with.ask(far_away, attribute_id::node_info)->view().outcome(), 0x0104);
}

TEST_F(Faults, ADelayingRuleHoldsTheAnswerBack)
{
    with.on->add_rule({.node = host_c, .action = fault_action::delay, .delay = 20ms});
    EXPECT_FALSE(with.ask(far_away, attribute_id::node_info));
    with.clock.advance(19ms);
    EXPECT_FALSE(with.file->read());
    with.clock.advance(1ms);
    EXPECT_TRUE(with.file->read());
}

TEST_F(Faults, ACorruptingRuleChangesOneBitOfTheData)
{
    auto const before = with.ask(far_away, attribute_id::node_info);
    with.on->add_rule({.node = host_c, .action = fault_action::corrupt});
    auto const after = with.ask(far_away, attribute_id::node_info);
    unsigned bits = 0;
    for (std::size_t i = 0; i != smp_data_size; ++i)
        bits += static_cast<unsigned>(std::popcount(
            std::to_integer<unsigned>(before->mad[smp_data_offset + i] ^ after->mad[smp_data_offset + i])));
    EXPECT_EQ(bits, 1u);
    EXPECT_EQ(after->view().outcome(), 0);
}

TEST_F(Faults, AProbabilityStrikesAboutSoOften)
{
    with.on->add_rule({.node = host_c, .probability = 0.25});
    EXPECT_NEAR(static_cast<double>(answered(ask_many(with, 4'000))), 3'000, 150);
}

TEST_F(Faults, ACableMayLoseMoreOrLessThanTheOthers)
{
    with.on->set_faults({.loss = 1});
    ASSERT_FALSE(with.on->set_cable_loss({switch_1, 1}, 0).code());
    EXPECT_TRUE(with.ask(directed_route{0, 1}, attribute_id::node_info)) << "named by its far end";
    EXPECT_FALSE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
    EXPECT_EQ(with.on->look_at(topology::endpoint{host_a, 1}).value().cable_loss, 0.0);
    ASSERT_FALSE(with.on->set_cable_loss({host_a, 1}, std::nullopt).code());
    EXPECT_FALSE(with.ask(directed_route{0, 1}, attribute_id::node_info)) << "as the others again";

    bench other;
    ASSERT_FALSE(other.on->set_cable_loss({switch_2, 1}, 0.5).code());
    auto const answers = ask_many(other, 10'000);
    EXPECT_NEAR(static_cast<double>(answered(answers)), 2'500, 250) << "there and back";
    EXPECT_EQ(answered(answers) + other.on->counters().drops(drop_reason::loss), 10'000u);
}

TEST_F(Faults, OnlyCablesLoseAndByAProbability)
{
    EXPECT_EQ(with.on->set_cable_loss({switch_1, 4}, 0.5), errc::invalid_argument);
    EXPECT_EQ(with.on->set_cable_loss({switch_1, 0}, 0.5), errc::invalid_argument);
    EXPECT_EQ(with.on->set_cable_loss({77, 1}, 0.5), errc::invalid_argument);
    EXPECT_EQ(with.on->set_cable_loss({switch_1, 1}, 1.5), errc::invalid_argument);
    EXPECT_EQ(with.on->set_cable_loss({switch_1, 1}, -0.5), errc::invalid_argument);
}

} // namespace
} // namespace madrigal::sim::test
