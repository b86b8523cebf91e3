// Every transition of the subnet manager's state machine, by plain calls; those between masters are in
// sm_machine_handover_test.cpp.
#include "engine/sm_machine_support.hpp"

namespace madrigal::engine {
namespace {

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
