// Every transition of the subnet manager's state machine, by plain calls.
#include <madrigal/engine/sm_machine.hpp>
#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/wire/status.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;

constexpr auto start = virtual_time::start;
constexpr std::uint64_t key = 0x1234;

sm_peer peer(std::uint64_t guid_of, unsigned priority, sm_state state, std::uint32_t activity = 1)
{
    return {.info = {.port_guid = guid{guid_of},
                .sm_key = key,
                .activity_count = activity,
                .priority = static_cast<std::uint8_t>(priority),
                .state = state},
        .where = static_cast<std::uint32_t>(guid_of)};
}

/// A machine of GUID 50 and priority 5.
struct SmMachine : ::testing::Test {
    sm_machine machine{{.port_guid = guid{50}, .sm_key = key, .priority = 5}};
    time_point now = start;

    sm_step sweep(std::initializer_list<sm_peer> others)
    {
        std::vector<sm_peer> const all{others};
        return machine.on_sweep(now, all);
    }
    sm_step tick()
    {
        now = machine.deadline();
        return machine.on_deadline(now);
    }
    std::uint16_t told(sm_control what, sm_peer const& from) { return machine.on_control(now, what, from).status; }

    void be_master()
    {
        (void)machine.start(now);
        EXPECT_EQ(sweep({}).duty, sm_duty::configure);
        ASSERT_EQ(machine.state(), sm_state::master);
    }
    /// Under a master of GUID 10 and priority 9; gives the ticket of the first poll.
    std::uint32_t be_standby()
    {
        (void)machine.start(now);
        auto const step = sweep({peer(10, 9, sm_state::master)});
        EXPECT_EQ(step.duty, sm_duty::stand_by);
        EXPECT_EQ(step.ask, sm_ask::poll);
        EXPECT_EQ(machine.state(), sm_state::standby);
        return step.ticket;
    }
    void be_not_active()
    {
        (void)be_standby();
        EXPECT_EQ(told(sm_control::disable, peer(10, 9, sm_state::master)), 0);
        ASSERT_EQ(machine.state(), sm_state::not_active);
    }
};

TEST(SmRank, IsByPriorityAndThenByTheLowerGuid)
{
    auto const low = peer(1, 3, sm_state::master).info;
    EXPECT_TRUE(outranks(peer(9, 4, sm_state::standby).info, low));
    EXPECT_FALSE(outranks(low, peer(9, 4, sm_state::standby).info));
    EXPECT_TRUE(outranks(low, peer(2, 3, sm_state::master).info));
    EXPECT_FALSE(outranks(low, low));
}

TEST_F(SmMachine, BeginsByLookingAround)
{
    auto const step = machine.start(now);
    EXPECT_EQ(step.duty, sm_duty::discover);
    EXPECT_EQ(step.ask, sm_ask::nothing);
    EXPECT_EQ(machine.state(), sm_state::discovering);
    EXPECT_EQ(
        machine.info(), (sm_info{.port_guid = guid{50}, .sm_key = key, .priority = 5, .state = sm_state::discovering}));
    EXPECT_EQ(machine.info(false).sm_key, 0U);
}

TEST_F(SmMachine, LooksAgainAndAgainWhereNoSweepIsReported)
{
    (void)machine.start(now);
    for (int i = 1; i != 5; ++i) {
        EXPECT_EQ(machine.on_deadline(now).duty, sm_duty::none) << "too early";
        EXPECT_EQ(machine.deadline(), now + 10s);
        auto const step = tick();
        EXPECT_EQ(step.duty, sm_duty::discover);
        EXPECT_EQ(step.ask, sm_ask::nothing);
    }
    EXPECT_EQ(sweep({}).duty, sm_duty::configure);
    EXPECT_EQ(machine.deadline(), never);
}

TEST_F(SmMachine, LooksAgainAlsoAfterItsMasterWasSilentOrSaidSo)
{
    auto ticket = be_standby();
    for (int i = 0; i != 3; ++i) {
        (void)machine.on_failure(now, ticket);
        ticket = tick().ticket;
    }
    EXPECT_EQ(machine.on_failure(now, ticket).duty, sm_duty::discover);
    EXPECT_EQ(tick().duty, sm_duty::discover);
    (void)sweep({peer(10, 9, sm_state::master)});
    EXPECT_EQ(told(sm_control::discover, peer(10, 9, sm_state::master)), mad_status::ok);
    EXPECT_EQ(tick().duty, sm_duty::discover);
}

TEST_F(SmMachine, DoesNotTakeOverAtOnceWhereSomebodyIsSilent)
{
    (void)machine.start(now);
    for (unsigned i = 1; i != 5; ++i) {
        EXPECT_EQ(machine.on_sweep(now, {}, 1).duty, sm_duty::none);
        EXPECT_EQ(machine.state(), sm_state::discovering);
        EXPECT_EQ(machine.counters().postponed, i);
        EXPECT_EQ(tick().duty, sm_duty::discover);
    }
    EXPECT_EQ(now, start + 40s);
    EXPECT_EQ(machine.on_sweep(now, {}, 1).duty, sm_duty::configure) << "but not for ever";
    EXPECT_EQ(machine.on_sweep(now, {}, 1).duty, sm_duty::none) << "no master minds it";
    (void)machine.start(now);
    EXPECT_EQ(machine.on_sweep(now, {}, 2).duty, sm_duty::none) << "counted anew";
    EXPECT_EQ(sweep({}).duty, sm_duty::configure) << "it has gone";
    (void)machine.start(now);
    std::vector<sm_peer> const master{peer(10, 1, sm_state::master)};
    EXPECT_EQ(machine.on_sweep(now, master, 1).duty, sm_duty::stand_by);
}

TEST_F(SmMachine, AloneItIsTheMaster)
{
    be_master();
    EXPECT_EQ(machine.deadline(), never);
    EXPECT_EQ(machine.counters().takeovers, 1U);
    EXPECT_GT(machine.info().activity_count, 0U);
}

TEST_F(SmMachine, IsMasterWhereOnlyOthersBehindItAndNobodyWhoActsIsThere)
{
    (void)machine.start(now);
    EXPECT_EQ(sweep({peer(10, 4, sm_state::standby), peer(11, 5 - 1, sm_state::discovering),
                        peer(12, 15, sm_state::not_active), peer(60, 5, sm_state::standby),
                        peer(50, 15, sm_state::master), peer(0, 15, sm_state::master)})
                  .duty,
        sm_duty::configure)
        << "itself and GUID 0 count for nothing";
}

TEST_F(SmMachine, StandsByAMasterAlsoOneBehindIt)
{
    (void)machine.start(now);
    auto const step = sweep({peer(10, 1, sm_state::master), peer(11, 15, sm_state::standby)});
    EXPECT_EQ(step.duty, sm_duty::stand_by);
    EXPECT_EQ(step.ask, sm_ask::poll);
    EXPECT_EQ(step.to.where, 10U);
    EXPECT_NE(step.ticket, 0U);
    EXPECT_EQ(machine.watched()->where, 10U);
    EXPECT_EQ(machine.deadline(), now + 10s);
}

TEST_F(SmMachine, StandsByTheFirstOfThoseBeforeItWhereThereIsNoMaster)
{
    (void)machine.start(now);
    EXPECT_EQ(
        sweep({peer(70, 6, sm_state::discovering), peer(60, 6, sm_state::standby), peer(40, 5, sm_state::standby)})
            .to.where,
        60U);
}

TEST_F(SmMachine, PrefersTheLowerGuidAmongEquals)
{
    (void)machine.start(now);
    EXPECT_EQ(sweep({peer(49, 5, sm_state::discovering)}).duty, sm_duty::stand_by);
}

TEST_F(SmMachine, IgnoresOthersWithAnotherKeyAndSaysSo)
{
    auto stranger = peer(10, 15, sm_state::master);
    stranger.info.sm_key = 0;
    EXPECT_FALSE(machine.trusts(stranger.info));
    (void)machine.start(now);
    EXPECT_EQ(sweep({stranger}).duty, sm_duty::configure);
    EXPECT_EQ(machine.counters().foreign, 1U);
    EXPECT_EQ(sweep({stranger}).ask, sm_ask::nothing) << "nothing is handed over to it";
    EXPECT_EQ(told(sm_control::handover, stranger), mad_status::invalid_value);
    EXPECT_EQ(machine.counters().foreign, 3U);
}

TEST_F(SmMachine, WithoutAKeyItTrustsEverybody)
{
    sm_machine open{{.port_guid = guid{50}, .priority = 5}};
    EXPECT_TRUE(open.trusts(peer(1, 1, sm_state::standby).info));
}

TEST_F(SmMachine, PollsTheMasterAtIntervals)
{
    auto ticket = be_standby();
    for (std::uint32_t i = 2; i != 20; ++i) {
        EXPECT_EQ(machine.on_answer(now, ticket, peer(10, 9, sm_state::master, i).info).duty, sm_duty::none);
        EXPECT_EQ(machine.on_deadline(now).ask, sm_ask::nothing) << "too early";
        auto const step = tick();
        EXPECT_EQ(step.ask, sm_ask::poll);
        EXPECT_EQ(step.duty, sm_duty::none);
        EXPECT_EQ(step.to.where, 10U);
        EXPECT_NE(step.ticket, ticket);
        ticket = step.ticket;
    }
    EXPECT_EQ(now, start + 180s);
    EXPECT_EQ(machine.state(), sm_state::standby);
    EXPECT_EQ(machine.counters().polls_failed, 0U);
}

TEST_F(SmMachine, LooksAgainWhenTheMasterIsSilentFourTimes)
{
    auto ticket = be_standby();
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(machine.on_failure(now, ticket).duty, sm_duty::none);
        EXPECT_EQ(machine.on_failure(now, ticket).duty, sm_duty::none) << "twice said, once counted";
        ticket = tick().ticket;
    }
    EXPECT_EQ(machine.on_failure(now, ticket).duty, sm_duty::discover);
    EXPECT_EQ(machine.state(), sm_state::discovering);
    EXPECT_EQ(now, start + 30s);
    EXPECT_EQ(sweep({}).duty, sm_duty::configure);
}

TEST_F(SmMachine, FailuresBeforeAGoodAnswerDoNotCount)
{
    auto ticket = be_standby();
    for (std::uint32_t i = 0; i != 20; ++i) {
        EXPECT_EQ((i % 4 == 3 ? machine.on_answer(now, ticket, peer(10, 9, sm_state::master, 2 + i).info)
                              : machine.on_failure(now, ticket))
                      .duty,
            sm_duty::none);
        ticket = tick().ticket;
    }
    EXPECT_EQ(machine.state(), sm_state::standby);
}

TEST_F(SmMachine, StandsByAMasterThatAnswersThoughItsActivityStandsStill)
{
    auto ticket = be_standby();
    for (int i = 0; i != 20; ++i) {
        EXPECT_EQ(machine.on_answer(now, ticket, peer(10, 9, sm_state::master, 7).info).duty, sm_duty::none);
        ticket = tick().ticket;
    }
    EXPECT_EQ(machine.state(), sm_state::standby);
    EXPECT_EQ(machine.counters().polls_failed, 0U);
}

TEST_F(SmMachine, CountsAPollThatNobodyReportsAsFailed)
{
    (void)be_standby();
    for (int i = 0; i != 3; ++i)
        EXPECT_EQ(tick().ask, sm_ask::poll);
    auto const step = tick();
    EXPECT_EQ(step.duty, sm_duty::discover);
    EXPECT_EQ(step.ask, sm_ask::nothing);
}

TEST_F(SmMachine, IsNotReassuredByAnotherSmAtThatPlaceNorByAKeyThatChanged)
{
    auto ticket = be_standby();
    EXPECT_EQ(machine.on_answer(now, ticket, peer(11, 9, sm_state::master, 2).info).duty, sm_duty::none);
    ticket = tick().ticket;
    auto changed = peer(10, 9, sm_state::master, 3).info;
    changed.sm_key = 1;
    EXPECT_EQ(machine.on_answer(now, ticket, changed).duty, sm_duty::none);
    EXPECT_EQ(machine.counters().polls_failed, 2U);
    EXPECT_EQ(machine.counters().foreign, 1U);
}

TEST_F(SmMachine, StandsByOneBeforeItThatIsNotMasterYetButNotOneBehindIt)
{
    auto ticket = be_standby();
    EXPECT_EQ(machine.on_answer(now, ticket, peer(10, 9, sm_state::standby, 2).info).duty, sm_duty::none);
    EXPECT_EQ(machine.counters().polls_failed, 0U);
    ticket = tick().ticket;
    EXPECT_EQ(machine.on_answer(now, ticket, peer(10, 2, sm_state::standby, 3).info).duty, sm_duty::none);
    EXPECT_EQ(machine.counters().polls_failed, 1U);
    ticket = tick().ticket;
    EXPECT_EQ(machine.on_answer(now, ticket, peer(10, 9, sm_state::not_active, 4).info).duty, sm_duty::none);
    EXPECT_EQ(machine.counters().polls_failed, 2U);
}

TEST_F(SmMachine, TakesOverOnHandoverAndAcknowledges)
{
    (void)be_standby();
    auto const [status, step] = machine.on_control(now, sm_control::handover, peer(10, 3, sm_state::master));
    EXPECT_EQ(status, mad_status::ok);
    EXPECT_EQ(step.duty, sm_duty::configure);
    EXPECT_EQ(step.ask, sm_ask::acknowledge);
    EXPECT_EQ(step.to.where, 10U);
    EXPECT_EQ(step.own.state, sm_state::standby) << "what an ACKNOWLEDGE comes from";
    EXPECT_EQ(step.own.sm_key, key);
    EXPECT_EQ(machine.state(), sm_state::master);
    EXPECT_EQ(machine.deadline(), never);
    EXPECT_EQ(machine.counters().handovers_taken, 1U);
}

TEST_F(SmMachine, AcknowledgesAHandoverThatIsSaidAgainWithoutStartingAnew)
{
    (void)be_standby();
    (void)machine.on_control(now, sm_control::handover, peer(10, 3, sm_state::master));
    now += 1s;
    auto const again = machine.on_control(now, sm_control::handover, peer(10, 3, sm_state::master));
    EXPECT_EQ(again.status, mad_status::ok);
    EXPECT_EQ(again.step.ask, sm_ask::acknowledge);
    EXPECT_EQ(again.step.duty, sm_duty::none);
    EXPECT_EQ(machine.counters().handovers_taken, 1U);
    now += 10s;
    EXPECT_EQ(
        machine.on_control(now, sm_control::handover, peer(10, 3, sm_state::master)).step.duty, sm_duty::configure)
        << "long after that it is a new one";
}

TEST_F(SmMachine, TakesOverOnHandoverWhileItStillLooks)
{
    (void)machine.start(now);
    auto const told_so = machine.on_control(now, sm_control::handover, peer(10, 3, sm_state::master));
    EXPECT_EQ(told_so.status, mad_status::ok);
    EXPECT_EQ(told_so.step.duty, sm_duty::configure);
    EXPECT_EQ(told_so.step.ask, sm_ask::acknowledge);
    EXPECT_EQ(machine.state(), sm_state::master);
}

TEST_F(SmMachine, IsDisabledAndStandsByAgainUnderWhoSaysSo)
{
    be_not_active();
    EXPECT_EQ(machine.deadline(), never);
    EXPECT_FALSE(machine.watched());
    EXPECT_EQ(told(sm_control::disable, peer(10, 9, sm_state::master)), mad_status::ok) << "said twice";
    EXPECT_EQ(sweep({}).duty, sm_duty::none);
    EXPECT_EQ(machine.state(), sm_state::not_active);
    auto const [status, step] = machine.on_control(now, sm_control::standby, peer(11, 9, sm_state::master));
    EXPECT_EQ(status, mad_status::ok);
    EXPECT_EQ(step.duty, sm_duty::stand_by);
    EXPECT_EQ(step.ask, sm_ask::poll);
    EXPECT_EQ(step.to.where, 11U);
    EXPECT_EQ(machine.state(), sm_state::standby);
}

TEST_F(SmMachine, LooksAgainOnDiscover)
{
    auto const ticket = be_standby();
    auto const [status, step] = machine.on_control(now, sm_control::discover, peer(10, 9, sm_state::master));
    EXPECT_EQ(status, mad_status::ok);
    EXPECT_EQ(step.duty, sm_duty::discover);
    EXPECT_EQ(machine.state(), sm_state::discovering);
    EXPECT_EQ(machine.on_answer(now, ticket, peer(10, 9, sm_state::master, 2).info).duty, sm_duty::none) << "of before";
    EXPECT_EQ(told(sm_control::discover, peer(10, 9, sm_state::master)), mad_status::ok) << "said twice";
}

TEST_F(SmMachine, HandsOverToOneBeforeItAndStandsByWhenItAcknowledges)
{
    be_master();
    auto const offer = sweep({peer(10, 5, sm_state::standby), peer(20, 5, sm_state::standby)});
    EXPECT_EQ(offer.ask, sm_ask::hand_over);
    EXPECT_EQ(offer.to.where, 10U);
    EXPECT_EQ(offer.own.state, sm_state::master);
    EXPECT_EQ(machine.state(), sm_state::master) << "until it has it";
    EXPECT_EQ(sweep({peer(10, 5, sm_state::standby)}).ask, sm_ask::nothing) << "it is being asked already";
    EXPECT_EQ(machine.on_answer(now, offer.ticket, peer(10, 5, sm_state::standby, 2).info).duty, sm_duty::none);
    auto const [status, step] = machine.on_control(now, sm_control::acknowledge, peer(10, 5, sm_state::standby));
    EXPECT_EQ(status, mad_status::ok);
    EXPECT_EQ(step.duty, sm_duty::stand_by);
    EXPECT_EQ(step.ask, sm_ask::poll);
    EXPECT_EQ(step.to.where, 10U);
    EXPECT_EQ(machine.state(), sm_state::standby);
    EXPECT_EQ(machine.counters().handovers_given, 1U);
    EXPECT_EQ(told(sm_control::acknowledge, peer(10, 5, sm_state::master)), mad_status::ok) << "said twice";
}

TEST_F(SmMachine, DoesNotHandOverToOneThatIsStillLookingNorToOneBehindIt)
{
    be_master();
    EXPECT_EQ(
        sweep({peer(10, 15, sm_state::discovering), peer(11, 15, sm_state::not_active), peer(51, 5, sm_state::standby)})
            .ask,
        sm_ask::nothing);
}

TEST_F(SmMachine, StandsByWhenTheOneWhoAcceptedAnswersAsMasterThoughItNeverAcknowledges)
{
    be_master();
    auto const offer = sweep({peer(10, 9, sm_state::standby)});
    auto const probe = machine.on_answer(now, offer.ticket, peer(10, 9, sm_state::standby, 2).info);
    EXPECT_EQ(probe.ask, sm_ask::poll) << "at once";
    EXPECT_EQ(probe.duty, sm_duty::none);
    EXPECT_EQ(machine.on_answer(now, probe.ticket, peer(10, 9, sm_state::master, 3).info).duty, sm_duty::stand_by);
    EXPECT_EQ(machine.state(), sm_state::standby);
}

TEST_F(SmMachine, StandsByWhenTheAnswerToHandoverComesFromAMaster)
{
    be_master();
    auto const offer = sweep({peer(10, 9, sm_state::master)});
    EXPECT_EQ(offer.ask, sm_ask::hand_over);
    EXPECT_EQ(machine.on_answer(now, offer.ticket, peer(10, 9, sm_state::master, 2).info).duty, sm_duty::stand_by);
}

TEST_F(SmMachine, OffersAgainAndGivesUpAfterAWhileToBeMasterStill)
{
    be_master();
    auto step = sweep({peer(10, 9, sm_state::standby)});
    int offers = 1;
    while (machine.deadline() != never) {
        (void)machine.on_failure(now, step.ticket);
        step = tick();
        offers += step.ask == sm_ask::hand_over ? 1 : 0;
        EXPECT_EQ(step.duty, sm_duty::none);
    }
    EXPECT_EQ(offers, 10);
    EXPECT_EQ(now, start + 10s);
    EXPECT_EQ(machine.state(), sm_state::master);
    EXPECT_EQ(machine.counters().handovers_failed, 1U);
    EXPECT_EQ(sweep({peer(10, 9, sm_state::standby)}).ask, sm_ask::nothing) << "who will not have it is not waited for";
    EXPECT_FALSE(machine.watched());
    EXPECT_EQ(sweep({peer(10, 9, sm_state::standby)}).ask, sm_ask::hand_over) << "the sweep after that begins anew";
}

TEST_F(SmMachine, AlternatesBetweenOfferingAndAskingWhileTheOtherOneAcceptsButDoesNotTakeOver)
{
    be_master();
    auto step = sweep({peer(10, 9, sm_state::standby)});
    std::vector<sm_ask> asked;
    for (std::uint32_t i = 2; machine.deadline() != never; ++i) {
        step = machine.on_answer(now, step.ticket, peer(10, 9, sm_state::standby, i).info);
        EXPECT_EQ(step.duty, sm_duty::none);
        if (step.ask == sm_ask::nothing)
            step = tick();
        asked.push_back(step.ask);
    }
    ASSERT_EQ(asked.size(), 20U);
    for (std::size_t i = 0; i != 19; ++i)
        EXPECT_EQ(asked[i], i % 2 == 0 ? sm_ask::poll : sm_ask::hand_over);
    EXPECT_EQ(asked.back(), sm_ask::nothing);
    EXPECT_EQ(machine.state(), sm_state::master);
}

TEST_F(SmMachine, BelievesAnAcknowledgementThatComesAfterItGaveUp)
{
    be_master();
    (void)sweep({peer(10, 9, sm_state::standby)});
    while (machine.deadline() != never)
        (void)tick();
    auto const late = machine.on_control(now, sm_control::acknowledge, peer(10, 9, sm_state::standby));
    EXPECT_EQ(late.status, mad_status::ok);
    EXPECT_EQ(late.step.duty, sm_duty::stand_by);
    EXPECT_EQ(late.step.to.where, 10U);
}

TEST_F(SmMachine, ForgetsAnHeirThatIsGoneOrGoesBehindIt)
{
    be_master();
    (void)sweep({peer(10, 9, sm_state::standby)});
    EXPECT_EQ(sweep({}).ask, sm_ask::nothing);
    EXPECT_EQ(machine.deadline(), never);
    auto const offer = sweep({peer(10, 9, sm_state::standby)});
    EXPECT_EQ(machine.on_answer(now, offer.ticket, peer(10, 1, sm_state::standby, 2).info).duty, sm_duty::none);
    EXPECT_EQ(machine.deadline(), never);
    EXPECT_EQ(machine.state(), sm_state::master);
}

TEST_F(SmMachine, WaitsForAMasterBehindItToHandOver)
{
    be_master();
    auto const poll = sweep({peer(60, 5, sm_state::master), peer(61, 5, sm_state::standby)});
    EXPECT_EQ(poll.ask, sm_ask::poll);
    EXPECT_EQ(poll.to.where, 60U);
    EXPECT_EQ(machine.on_answer(now, poll.ticket, peer(60, 5, sm_state::master, 2).info).duty, sm_duty::none);
    EXPECT_EQ(tick().ask, sm_ask::poll);
    auto const [status, step] = machine.on_control(now, sm_control::handover, peer(60, 5, sm_state::master));
    EXPECT_EQ(status, mad_status::ok);
    EXPECT_EQ(step.duty, sm_duty::configure) << "there is a second subnet to configure";
    EXPECT_EQ(step.ask, sm_ask::acknowledge);
    EXPECT_EQ(step.own.state, sm_state::standby) << "not every peer believes a master";
    EXPECT_EQ(machine.state(), sm_state::master);
    EXPECT_EQ(machine.deadline(), never);
}

TEST_F(SmMachine, RemindsAMasterBehindItAfterEachPollAndNoOtherOne)
{
    (void)machine.start(now);
    auto step = sweep({peer(10, 1, sm_state::master)});
    for (std::uint32_t i = 2; i != 5; ++i) {
        auto const reminder = machine.on_answer(now, step.ticket, peer(10, 1, sm_state::master, i).info);
        EXPECT_EQ(reminder.ask, sm_ask::remind);
        EXPECT_EQ(reminder.to.where, 10U);
        EXPECT_EQ(reminder.ticket, 0U);
        step = tick();
        EXPECT_EQ(step.ask, sm_ask::poll);
    }
    EXPECT_EQ(machine.on_answer(now, step.ticket, peer(10, 6, sm_state::master, 9).info).ask, sm_ask::nothing);
    be_master();
    step = sweep({peer(60, 5, sm_state::master)});
    EXPECT_EQ(machine.on_answer(now, step.ticket, peer(60, 5, sm_state::master, 2).info).ask, sm_ask::remind);
}

TEST_F(SmMachine, ConfiguresWhenTheMasterBehindItHasGivenUpOrIsSilentOrRises)
{
    be_master();
    auto step = sweep({peer(60, 5, sm_state::master)});
    EXPECT_EQ(machine.on_answer(now, step.ticket, peer(60, 5, sm_state::standby, 2).info).duty, sm_duty::configure);
    EXPECT_EQ(machine.deadline(), never);

    step = sweep({peer(60, 5, sm_state::master)});
    EXPECT_EQ(machine.on_answer(now, step.ticket, peer(60, 15, sm_state::master, 2).info).duty, sm_duty::configure);

    step = sweep({peer(60, 5, sm_state::master)});
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(machine.on_failure(now, step.ticket).duty, sm_duty::none);
        step = tick();
    }
    EXPECT_EQ(machine.on_failure(now, step.ticket).duty, sm_duty::configure);
    EXPECT_EQ(machine.state(), sm_state::master);
    EXPECT_EQ(machine.deadline(), never);
}

TEST_F(SmMachine, RefusesWhatItsStateDoesNotHave)
{
    auto const master = peer(10, 9, sm_state::master);
    auto const refused = [&](std::initializer_list<sm_control> all) {
        for (auto const what : all)
            EXPECT_EQ(told(what, master), mad_status::invalid_value)
                << to_string(what) << " in " << to_string(machine.state());
    };
    (void)machine.start(now);
    refused({sm_control::acknowledge, sm_control::disable, sm_control::standby, sm_control{0}, sm_control{6}});
    EXPECT_EQ(machine.state(), sm_state::discovering);
    (void)sweep({});
    refused({sm_control::acknowledge, sm_control::disable, sm_control::standby, sm_control::discover});
    EXPECT_EQ(machine.state(), sm_state::master);
    be_not_active();
    refused({sm_control::acknowledge, sm_control::handover, sm_control::discover});
    EXPECT_EQ(machine.state(), sm_state::not_active);
    EXPECT_EQ(machine.counters().controls_refused, 12U);
}

TEST_F(SmMachine, RefusesOrdersOfWhoIsNoMasterAndItsOwn)
{
    (void)be_standby();
    for (auto const state : {sm_state::not_active, sm_state::discovering, sm_state::standby, sm_state{9}})
        for (auto const what : {sm_control::handover, sm_control::disable, sm_control::standby, sm_control::discover})
            EXPECT_EQ(told(what, peer(10, 9, state)), mad_status::invalid_value);
    EXPECT_EQ(told(sm_control::handover, peer(50, 9, sm_state::master)), mad_status::invalid_value);
    EXPECT_EQ(told(sm_control::handover, peer(0, 9, sm_state::master)), mad_status::invalid_value);
    EXPECT_EQ(told(sm_control::acknowledge, peer(10, 9, sm_state::discovering)), mad_status::invalid_value);
    EXPECT_EQ(machine.state(), sm_state::standby);
}

TEST_F(SmMachine, RefusesAHandoverOfItsOwnHeirWhichGoesBeforeIt)
{
    be_master();
    (void)sweep({peer(10, 9, sm_state::master)});
    EXPECT_EQ(told(sm_control::handover, peer(10, 9, sm_state::master)), mad_status::invalid_value);
    auto const humble = machine.on_control(now, sm_control::handover, peer(10, 1, sm_state::master));
    EXPECT_EQ(humble.status, mad_status::ok);
    EXPECT_EQ(humble.step.duty, sm_duty::configure);
    EXPECT_EQ(machine.deadline(), never) << "it is not offered to that one any more";
}

TEST_F(SmMachine, IgnoresOutcomesOfWhatItNeverAskedOrNoLongerWantsToKnow)
{
    (void)machine.start(now);
    EXPECT_EQ(machine.on_answer(now, 0, peer(10, 9, sm_state::master).info).duty, sm_duty::none);
    EXPECT_EQ(machine.on_answer(now, 77, peer(10, 9, sm_state::master).info).duty, sm_duty::none);
    EXPECT_EQ(machine.on_failure(now, 0).duty, sm_duty::none);
    EXPECT_EQ(machine.on_deadline(now + 1h).ask, sm_ask::nothing);
    EXPECT_EQ(machine.state(), sm_state::discovering);
}

TEST_F(SmMachine, StartsAgainFromEverywhere)
{
    be_not_active();
    EXPECT_EQ(machine.start(now).duty, sm_duty::discover);
    be_master();
    EXPECT_EQ(machine.start(now).duty, sm_duty::discover);
    EXPECT_EQ(machine.state(), sm_state::discovering);
}

TEST_F(SmMachine, APriorityThatChangesCountsFromTheNextSweepOn)
{
    be_master();
    EXPECT_EQ(sweep({peer(10, 4, sm_state::standby)}).ask, sm_ask::nothing);
    machine.set_priority(3);
    EXPECT_EQ(machine.info().priority, 3);
    EXPECT_EQ(sweep({peer(10, 4, sm_state::standby)}).ask, sm_ask::hand_over);
}

} // namespace
} // namespace madrigal::engine
