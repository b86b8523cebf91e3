// Subscriptions to notices, and what becomes of them when subnet managers come, go and forget.
#include "fabric/sa_world.hpp"

#include <madrigal/wire/trap.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr inform_info gids_that_come = inform_about(trap_number::gid_in_service);

notice_report notice_of(std::uint16_t trap, std::uint16_t issuer = 1)
{
    notice_report made;
    made.is_generic = true;
    made.type = notice_type::subnet_management;
    made.producer_type = notice_producer::class_manager;
    made.trap_number = trap;
    made.issuer_lid = lid{issuer};
    made.data_details = encode_trap(gid_trap{.address = gid{default_subnet_prefix, guid{issuer}}});
    return made;
}

class Subscription : public sa_world {
protected:
    Subscription()
    {
        sa = std::make_unique<minimal_sa>(others[0].at);
        open();
    }
    result<sa_subscription> subscribe(inform_info const& to = gids_that_come)
    {
        return s->run(client.async_subscribe(to, {}, as_result));
    }
    /// How many have answered.
    std::size_t tell(notice_report const& what) { return s->run(sa->tell(what)); }
    [[nodiscard]] std::size_t asked() const { return sa->heard(method::set, attribute_id::inform_info); }
    [[nodiscard]] auto const& known() const { return sa->tables().subscriptions; }

    std::unique_ptr<minimal_sa> sa;
};

TEST_F(Subscription, HearsWhatItFits)
{
    auto const one = subscribe().value();
    ASSERT_THAT(known(), SizeIs(1));
    EXPECT_TRUE(one.current());
    EXPECT_EQ(tell(notice_of(trap_number::gid_in_service, 7)), 1u);
    EXPECT_EQ(s->run(one.async_receive(as_result)).value(), notice_of(trap_number::gid_in_service, 7));
    EXPECT_EQ(tell(notice_of(trap_number::gid_out_of_service)), 0u) << "nobody has subscribed to it";
    EXPECT_EQ(client.counters().reports, 1u);
}

TEST_F(Subscription, WaitsForReports)
{
    auto const one = subscribe().value();
    std::vector<lid> issuers;
    for (int i = 0; i != 2; ++i)
        one.async_receive([&](error_code code, notice_report const& report) {
            EXPECT_FALSE(code);
            issuers.push_back(report.issuer_lid);
        });
    EXPECT_EQ(tell(notice_of(trap_number::gid_in_service, 7)), 1u);
    EXPECT_EQ(tell(notice_of(trap_number::gid_in_service, 8)), 1u);
    s->run_ready();
    EXPECT_THAT(issuers, ElementsAre(lid{7}, lid{8}));
}

TEST_F(Subscription, EachIsToldWhatFitsIt)
{
    auto const come = subscribe().value();
    auto const gone = subscribe(inform_about(trap_number::gid_out_of_service)).value();
    EXPECT_EQ(tell(notice_of(trap_number::gid_out_of_service, 9)), 1u);
    EXPECT_EQ(s->run(gone.async_receive(as_result)).value().issuer_lid, lid{9});
    EXPECT_EQ(tell(notice_of(trap_number::gid_in_service, 10)), 1u);
    EXPECT_EQ(s->run(come.async_receive(as_result)).value().issuer_lid, lid{10});
}

TEST_F(Subscription, KeepsABoundedNumberOfReports)
{
    sa_options options;
    options.report_limit = 3;
    open(options);
    auto const one = subscribe().value();
    for (std::uint16_t i = 1; i != 6; ++i)
        EXPECT_EQ(tell(notice_of(trap_number::gid_in_service, i)), 1u);
    EXPECT_EQ(one.dropped(), 2u);
    for (std::uint16_t i = 1; i != 4; ++i)
        EXPECT_EQ(s->run(one.async_receive(as_result)).value().issuer_lid, lid{i});
}

TEST_F(Subscription, EndsThereAndHere)
{
    auto one = subscribe().value();
    std::optional<error_code> received;
    one.async_receive([&](error_code code, notice_report const&) { received = code; });
    EXPECT_TRUE(s->run(one.async_close(as_result)));
    EXPECT_THAT(known(), IsEmpty());
    EXPECT_EQ(received, errc::agent_closed);
    EXPECT_FALSE(one);
}

TEST_F(Subscription, EndsInTheBackgroundWithItsObject)
{
    subscribe().value();
    ASSERT_THAT(known(), SizeIs(1));
    s->run_out();
    EXPECT_THAT(known(), IsEmpty());
    EXPECT_EQ(asked(), 2u);
}

TEST_F(Subscription, EndsAlsoWhereTheEndIsNotAwaited)
{
    auto one = subscribe().value();
    {
        auto const never_awaited = one.async_close(as_result);
    }
    s->run_out();
    EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Subscription, DoesNotWaitLongForASilentSubnetManager)
{
    auto one = subscribe().value();
    sa->how().silent = true;
    auto const begun = s->time.now();
    EXPECT_EQ(s->run(one.async_close(as_result)).error(), errc::timeout);
    EXPECT_LE(s->time.now() - begun, 1s);
    EXPECT_GE(sa->heard().size(), 3u) << "it was tried more than once";
}

TEST_F(Subscription, AClientDoesNotCloseLongHoweverManyItHas)
{
    std::vector<sa_subscription> all;
    for (std::uint16_t i = 0; i != 60; ++i)
        all.push_back(subscribe(inform_about(i)).value());
    sa->how().silent = true;
    auto const begun = s->time.now();
    EXPECT_EQ(s->run(client.async_close(as_result)).error(), errc::timeout);
    EXPECT_LE(s->time.now() - begun, 1s);
    EXPECT_EQ(s->run(all.front().async_receive(as_result)).error(), errc::agent_closed);
    EXPECT_EQ(subscribe().error(), errc::agent_closed);
}

TEST_F(Subscription, AClientThatClosesEndsThemAll)
{
    auto const one = subscribe().value();
    auto const other = subscribe(inform_about(all_notices)).value();
    EXPECT_TRUE(s->run(client.async_close(as_result)));
    EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Subscription, LeavesItsPlaceInTheQueueToNobodyWhenItEnds)
{
    // Farewells do not wait behind questions.
    sa_options options;
    options.window = 1;
    open(options);
    auto one = subscribe().value();
    sa->how().busy = 1;
    bool answered = false;
    client.async_get_table(record_query<node_record>{}, {}, [&](error_code, auto const&) { answered = true; });
    pass(50ms);
    EXPECT_TRUE(s->run(one.async_close(as_result)));
    EXPECT_FALSE(answered);
    EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Subscription, IsNotRenewedWithoutASign)
{
    auto const one = subscribe().value();
    pass(120s);
    EXPECT_EQ(asked(), 1u);
}

TEST_F(Subscription, IsRenewedWhereTheSubnetManagerHasMovedTo)
{
    auto const one = subscribe().value();
    minimal_sa second{others[1].at};
    move_sm(lid_of(others[1]));
    pass(1500ms);
    ASSERT_THAT(second.tables().subscriptions, SizeIs(1));
    EXPECT_EQ(s->run(second.tell(notice_of(trap_number::gid_in_service, 7))), 1u);
    EXPECT_EQ(s->run(one.async_receive(as_result)).value().issuer_lid, lid{7});
    EXPECT_EQ(client.counters().renewals, 1u);
}

TEST_F(Subscription, AQuestionNoticesThatTheSubnetManagerHasMoved)
{
    sa_options options;
    options.watch_interval = 0ms;
    open(options);
    auto const one = subscribe().value();
    minimal_sa second{others[1].at};
    move_sm(lid_of(others[1]));
    pass(10s);
    EXPECT_THAT(second.heard(), IsEmpty());
    EXPECT_TRUE(s->run(client.async_get_table(record_query<node_record>{}, {}, as_result)));
    pass(1s);
    EXPECT_THAT(second.tables().subscriptions, SizeIs(1));
}

TEST_F(Subscription, IsRenewedWhenThePortComesUpAgain)
{
    auto const one = subscribe().value();
    auto& port_state_now = s->fabric->implementation()->nodes[own.node].ports[1].state;
    port_state_now = port_state::init;
    sa->forget();
    pass(5s);
    EXPECT_EQ(asked(), 1u) << "nobody can be asked through a port that is down";
    EXPECT_FALSE(one.current());
    port_state_now = port_state::active;
    pass(1500ms);
    EXPECT_THAT(known(), SizeIs(1));
    EXPECT_TRUE(one.current());
}

TEST_F(Subscription, IsRenewedWhenTheProgramAsksForIt)
{
    auto const one = subscribe().value();
    auto const other = subscribe(inform_about(trap_number::gid_out_of_service)).value();
    sa->forget();
    EXPECT_TRUE(s->run(client.async_reregister(as_result)));
    EXPECT_THAT(known(), SizeIs(2));
    EXPECT_EQ(client.counters().renewals, 2u);
    sa->how().status = mad_status::sa_no_resources;
    EXPECT_EQ(mad_status_of(s->run(client.async_reregister(as_result)).error().code()), mad_status::sa_no_resources);
}

TEST_F(Subscription, IsRenewedRegularlyWhereTheProgramWantsIt)
{
    sa_options options;
    options.renew_interval = 60s;
    open(options);
    auto const one = subscribe().value();
    sa->forget();
    pass(61s);
    EXPECT_THAT(known(), SizeIs(1));
    pass(120s);
    EXPECT_EQ(asked(), 4u);
}

TEST_F(Subscription, IsRenewedOnceASilentSubnetManagerSpeaksAgain)
{
    sa_options options;
    options.total = 2s;
    open(options);
    auto const one = subscribe().value();
    minimal_sa second{others[1].at};
    second.how().silent = true;
    move_sm(lid_of(others[1]));
    pass(30s);
    EXPECT_FALSE(one.current());
    auto const tried = second.heard().size();
    EXPECT_LT(tried, 40u) << "at growing intervals";
    second.how().silent = false;
    pass(60s);
    EXPECT_THAT(second.tables().subscriptions, SizeIs(1));
    EXPECT_TRUE(one.current());
}

TEST_F(Subscription, IsRenewedWhenALostDeviceIsBack)
{
    auto const one = subscribe().value();
    ASSERT_FALSE(s->fabric->unplug(own.node).code());
    sa->forget();
    s->run_ready();
    ASSERT_FALSE(s->fabric->plug(own.node).code());
    auto const state = [&](port_state to) {
        auto& there = *s->fabric->implementation();
        for (auto& node : there.nodes)
            for (auto& each : node.ports)
                if (each.cable)
                    each.state = to;
    };
    state(port_state::active); // as a subnet manager would have it
    end_of(own.node).base_lid = s->fabric->layout().at(own.node).external_port(1).base_lid->value();
    move_sm(lid_of(others[0]));
    ASSERT_TRUE(s->run(own.at.async_reopen(10s, as_result)));
    pass(5s);
    ASSERT_THAT(known(), SizeIs(1));
    EXPECT_EQ(tell(notice_of(trap_number::gid_in_service, 7)), 1u);
    EXPECT_EQ(s->run(one.async_receive(as_result)).value().issuer_lid, lid{7});
}

TEST_F(Subscription, OnlyOneProgramHasThemOnAPort)
{
    auto one = subscribe().value();
    auto const second = sa_client::open(own.at).value();
    auto const refused = s->run(second.async_subscribe(gids_that_come, {}, as_result));
    EXPECT_EQ(refused.error(), errc::registration_refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("another program"));
    EXPECT_TRUE(s->run(one.async_close(as_result)));
    EXPECT_TRUE(s->run(second.async_subscribe(gids_that_come, {}, as_result))) << "it has been given up";
}

TEST_F(Subscription, IsNotThereWhereItIsRefused)
{
    sa->how().status = mad_status::sa_request_denied;
    EXPECT_EQ(mad_status_of(subscribe().error().code()), mad_status::sa_request_denied);
    sa->how().status = 0;
    auto const one = subscribe().value(); // the method is free again
    EXPECT_THAT(known(), SizeIs(1));
}

TEST_F(Subscription, OneThatIsCancelledIsEndedThere)
{
    asio::cancellation_signal signal;
    std::optional<error_code> ended;
    client.async_subscribe(gids_that_come, {},
        asio::bind_cancellation_slot(signal.slot(), [&](error_code code, sa_subscription const&) { ended = code; }));
    EXPECT_TRUE(s->run_until([&] { return known().size() == 1; }));
    signal.emit(asio::cancellation_type::terminal);
    s->run_ready();
    EXPECT_EQ(ended, error_code{asio::error::operation_aborted});
    s->run_out();
    EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Subscription, OneThatEndsWhileItIsRenewedIsNotLeftBehind)
{
    auto one = subscribe().value();
    client.async_reregister([](error_code) {});
    pass(1ms);
    sa->how().busy = 2; // the renewal, and the first farewell
    EXPECT_TRUE(s->run_until([&] { return asked() == 2; }));
    one = {};
    s->run_out();
    EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Subscription, ReceivingCanBeCancelled)
{
    auto const one = subscribe().value();
    asio::cancellation_signal signal;
    std::optional<error_code> ended;
    one.async_receive(
        asio::bind_cancellation_slot(signal.slot(), [&](error_code code, notice_report const&) { ended = code; }));
    s->run_ready();
    signal.emit(asio::cancellation_type::total);
    s->run_ready();
    EXPECT_EQ(ended, error_code{asio::error::operation_aborted});
}

TEST_F(Subscription, WhatIsUnderWayGoesWithTheLoopUntold)
{
    s->run([](sa_client from) -> asio::awaitable<void> {
        asio::co_spawn(
            co_await asio::this_coro::executor,
            [](sa_client to) -> asio::awaitable<void> {
                auto const one = co_await to.async_subscribe(gids_that_come, {}, asio::use_awaitable);
                (void)co_await one.async_receive(asio::use_awaitable);
                ADD_FAILURE() << "nothing was told";
            }(from),
            asio::detached);
    }(client));
    EXPECT_TRUE(s->run_until([&] { return known().size() == 1; }));
    pass(100ms);
    client.async_get_table(record_query<node_record>{}, {}, [](error_code, auto const&) { ADD_FAILURE(); });
    sa->how().busy = 1000;
    client.async_get_table(record_query<node_record>{}, {}, [](error_code, auto const&) { ADD_FAILURE(); });
    pass(1ms);
}

TEST(InformedNotices, AreThoseThatFit)
{
    auto const come = notice_of(trap_number::gid_in_service, 7);
    EXPECT_TRUE(is_informed(gids_that_come, come));
    EXPECT_TRUE(is_informed(inform_about(all_notices), come));
    EXPECT_FALSE(is_informed(inform_about(trap_number::gid_out_of_service), come));
    auto of = gids_that_come;
    of.is_generic = 0;
    EXPECT_FALSE(is_informed(of, come));
    of = gids_that_come;
    of.type = 1;
    EXPECT_FALSE(is_informed(of, come));
    of.type = 3;
    EXPECT_TRUE(is_informed(of, come));
    of.producer_type = notice_producer::switch_;
    EXPECT_FALSE(is_informed(of, come));
    of = gids_that_come;
    of.lid_range_begin = lid{7};
    EXPECT_TRUE(is_informed(of, come)); // a range of one
    of.lid_range_begin = lid{5};
    of.lid_range_end = lid{6};
    EXPECT_FALSE(is_informed(of, come));
    of.lid_range_end = lid{7};
    EXPECT_TRUE(is_informed(of, come));
    of.source_gid = gid{1, guid{2}};
    EXPECT_FALSE(is_informed(of, come));
}

} // namespace
} // namespace madrigal::testing
