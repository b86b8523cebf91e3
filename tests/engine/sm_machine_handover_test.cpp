// How one of several masters becomes the only one: HANDOVER, who is waited for, and how long.
#include "engine/sm_machine_support.hpp"

namespace madrigal::engine {
namespace {

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

TEST_F(SmMachine, ConfiguresAnewForEveryHandoverSinceItsLastSweep)
{
    auto const handover = [&] { return machine.on_control(now, sm_control::handover, peer(10, 3, sm_state::master)); };
    (void)be_standby();
    EXPECT_EQ(handover().step.duty, sm_duty::configure);
    // Whatever a sweep has seen of the other one: it may have become the master again unseen.
    for (auto const& seen : {std::vector<sm_peer>{}, {peer(10, 3, sm_state::master)}, {peer(10, 3, sm_state::standby)},
             {peer(10, 3, sm_state::discovering)}, {peer(11, 3, sm_state::standby)}}) {
        now += 100ms;
        (void)machine.on_sweep(now, seen);
        auto const again = handover();
        EXPECT_EQ(again.status, mad_status::ok);
        EXPECT_EQ(again.step.duty, sm_duty::configure);
        EXPECT_EQ(again.step.ask, sm_ask::acknowledge);
        EXPECT_EQ(handover().step.duty, sm_duty::none) << "said twice";
    }
    EXPECT_EQ(machine.counters().handovers_taken, 6U);
}

TEST_F(SmMachine, CountsEveryMasterThatItSeesOrHearsOfWhileItIsOne)
{
    (void)machine.start(now);
    (void)sweep({peer(10, 9, sm_state::master)});
    (void)machine.on_control(now, sm_control::handover, peer(10, 9, sm_state::master));
    EXPECT_EQ(machine.counters().masters_seen, 0U) << "it was none";
    (void)sweep({peer(11, 1, sm_state::standby), peer(50, 5, sm_state::master)});
    EXPECT_EQ(machine.counters().masters_seen, 0U) << "others, and itself";
    (void)sweep({peer(60, 5, sm_state::master)});
    EXPECT_EQ(machine.counters().masters_seen, 1U) << "behind it";
    auto stranger = peer(60, 5, sm_state::master);
    stranger.info.sm_key = 77;
    (void)sweep({stranger});
    EXPECT_EQ(machine.counters().masters_seen, 2U) << "one that does not obey writes, too";
    (void)sweep({peer(10, 9, sm_state::master)});
    EXPECT_EQ(machine.counters().masters_seen, 3U) << "before it";
    (void)machine.on_control(now, sm_control::handover, peer(60, 1, sm_state::master));
    EXPECT_EQ(machine.counters().masters_seen, 4U) << "though there is nothing new to do";
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

TEST_F(SmMachine, WaitsForAMasterBehindItForAWhileOnly)
{
    sm_options options;
    options.poll_interval = 3s;
    options.merge_limit = 8s;
    machine = sm_machine{{.port_guid = guid{50}, .sm_key = key, .priority = 5}, options};
    be_master();
    EXPECT_FALSE(machine.waits());
    auto const other = [](std::uint32_t activity) { return peer(60, 5, sm_state::master, activity); };
    auto step = sweep({other(1)});
    std::vector<duration> configured;
    for (std::uint32_t i = 2; now < start + 30s; ++i) {
        EXPECT_EQ(machine.waits(), configured.empty());
        EXPECT_EQ(machine.on_answer(now, step.ticket, other(i).info).ask, sm_ask::remind);
        step = tick();
        EXPECT_EQ(step.ask, sm_ask::poll) << "it goes on asking";
        if (step.duty == sm_duty::configure) {
            configured.push_back(now - start);
            (void)sweep({other(i)});
        }
    }
    EXPECT_EQ(configured, std::vector<duration>{8s}) << "once";
    EXPECT_EQ(machine.watched()->where, 60U);
    // Gone and back it is waited for again, as is one before it.
    (void)sweep({});
    EXPECT_FALSE(machine.waits());
    (void)sweep({other(99)});
    EXPECT_TRUE(machine.waits());
    (void)machine.on_control(now, sm_control::handover, other(100));
    EXPECT_FALSE(machine.waits()) << "it has handed over";
    (void)sweep({peer(10, 9, sm_state::standby)});
    EXPECT_TRUE(machine.waits());
    while (machine.deadline() != never)
        (void)tick();
    EXPECT_FALSE(machine.waits()) << "it will not have it";
}

TEST_F(SmMachine, WaitsForNobodyWhoIsSilentAndForNobodyAsAStandby)
{
    sm_options options;
    options.poll_interval = 3s;
    options.merge_limit = 60s;
    machine = sm_machine{{.port_guid = guid{50}, .sm_key = key, .priority = 5}, options};
    (void)be_standby();
    EXPECT_FALSE(machine.waits());
    be_master();
    (void)sweep({peer(60, 5, sm_state::master)});
    EXPECT_TRUE(machine.waits());
    sm_step step;
    for (int polls = 0; polls != 4; ++polls)
        step = tick(); // nobody says what became of the last one
    EXPECT_EQ(step.duty, sm_duty::configure);
    EXPECT_EQ(now, start + 12s);
    EXPECT_FALSE(machine.waits());
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

} // namespace
} // namespace madrigal::engine
