// Subnet administration is busy, or is asked elsewhere.
#include "fabric/sa_world.hpp"

#include <madrigal/runtime/packet_tap.hpp>
#include <madrigal/umad/uapi.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Elsewhere : public sa_world {
protected:
    Elsewhere()
    {
        first = std::make_unique<minimal_sa>(others[0].at);
        second = std::make_unique<minimal_sa>(others[1].at);
        second->tables().nodes = made_nodes(1);
        open();
    }
    [[nodiscard]] class_port_info to(machine const& there)
    {
        class_port_info info{1, 2};
        info.redirect_lid = lid_of(there);
        info.redirect_qp = 1;
        info.redirect_q_key = gsi_qkey;
        info.redirect_p_key = 0xFFFF;
        info.redirect_sl = 4;
        return info;
    }
    auto nodes(sa_request_options const& how = {})
    {
        return s->run(client.async_get_table(record_query<node_record>{}, how, as_result));
    }
    std::vector<std::chrono::milliseconds> intervals_heard(minimal_sa const& by)
    {
        std::vector<std::chrono::milliseconds> all;
        for (std::size_t i = 1; i < by.heard().size(); ++i)
            // The way there and back takes a millisecond a link.
            all.push_back(std::chrono::floor<std::chrono::duration<std::int64_t, std::ratio<1, 20>>>(
                by.heard()[i].at - by.heard()[i - 1].at));
        return all;
    }
    /// The headers of what the client's port sends.
    std::vector<umad::ib_user_mad_hdr>& watch_sends()
    {
        own.at.tap([this](tapped_packet const& shown) -> result<void> {
            if (shown.direction == tap_direction::sent)
                sent.push_back(shown.header);
            return outcome::success();
        });
        return sent;
    }

    std::unique_ptr<minimal_sa> first;
    std::unique_ptr<minimal_sa> second;
    std::vector<umad::ib_user_mad_hdr> sent;
};

// --- elsewhere

TEST_F(Elsewhere, FollowsARedirectionAndRemembersIt)
{
    first->how().redirect = to(others[1]);
    EXPECT_THAT(nodes().value(), SizeIs(1));
    EXPECT_THAT(first->heard(), SizeIs(1));
    ASSERT_THAT(second->heard(), SizeIs(1));
    EXPECT_EQ(second->heard().back().sl, 4);
    ASSERT_TRUE(client.redirected_to());
    EXPECT_EQ(client.redirected_to()->to_lid(), lid_of(others[1]));
    EXPECT_THAT(nodes().value(), SizeIs(1));
    EXPECT_THAT(first->heard(), SizeIs(1)) << "the second question goes there at once";
    EXPECT_EQ(client.counters().redirections, 1u);
}

TEST_F(Elsewhere, FollowsARedirectionThatIsAboutClassPortInfo)
{
    first->how().redirect = to(others[1]);
    first->how().redirects_as_class_port_info = true;
    EXPECT_THAT(nodes({.timeout = 1s, .retries = 0}).value(), SizeIs(1));
}

TEST_F(Elsewhere, FollowsWhatClassPortInfoSays)
{
    first->how().class_info = to(others[1]);
    ASSERT_TRUE(s->run(client.async_class_port_info({}, as_result)));
    EXPECT_THAT(nodes().value(), SizeIs(1));
    EXPECT_THAT(first->heard(), SizeIs(1));
}

TEST_F(Elsewhere, ForgetsARedirectionWhereNobodyAnswers)
{
    first->how().redirect = to(others[1]);
    first->how().redirections = 1;
    ASSERT_TRUE(nodes());
    second->how().silent = true;
    EXPECT_THAT(nodes({.timeout = 100ms, .retries = 1}).value(), IsEmpty()); // the answer of the first
    EXPECT_THAT(second->heard(), SizeIs(3));
    EXPECT_THAT(first->heard(), SizeIs(2));
    EXPECT_FALSE(client.redirected_to());
}

TEST_F(Elsewhere, TimesOutWhereARedirectionLeadsNowhereAgainAndAgain)
{
    first->how().redirect = to(others[1]);
    second->how().silent = true;
    auto const begun = s->time.now();
    EXPECT_EQ(nodes({.timeout = 100ms, .retries = 0}).error(), errc::timeout);
    EXPECT_LT(s->time.now() - begun, 1s);
    EXPECT_FALSE(client.redirected_to());
}

TEST_F(Elsewhere, ARedirectionIsOfOneSubnetManager)
{
    first->how().redirect = to(others[1]);
    ASSERT_TRUE(nodes());
    minimal_sa third{others[2].at};
    move_sm(lid_of(others[2]));
    EXPECT_THAT(nodes().value(), IsEmpty());
    EXPECT_THAT(third.heard(), SizeIs(1));
}

TEST_F(Elsewhere, FollowsFourRedirectionsAndNotAFifth)
{
    first->how().redirect = to(others[1]);
    second->how().redirect = to(others[0]);
    second->how().redirections = 2;
    first->how().redirections = 2;
    EXPECT_THAT(nodes().value(), IsEmpty()); // 1 2 1 2 1
    EXPECT_THAT(first->heard(), SizeIs(3));
    EXPECT_THAT(second->heard(), SizeIs(2));

    second->how().redirections = first->how().redirections = 1000;
    open();
    auto const circle = nodes();
    EXPECT_EQ(circle.error(), errc::too_many_redirections);
    EXPECT_EQ(first->heard().size() + second->heard().size(), 5u + 5u);
    EXPECT_FALSE(client.redirected_to());
}

TEST_F(Elsewhere, ARedirectionToAGidAloneIsANamedError)
{
    auto info = to(others[1]);
    info.redirect_lid = lid{};
    info.redirect_gid = gid{default_subnet_prefix, guid{0xABC}};
    first->how().redirect = info;
    auto const refused = nodes();
    EXPECT_EQ(refused.error(), errc::redirected_to_gid);
    EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("fe80:"), HasSubstr("0abc"), HasSubstr("not supported")));
}

TEST_F(Elsewhere, ARedirectionToAnotherPartitionIsANamedError)
{
    auto info = to(others[1]);
    info.redirect_p_key = 0x8123;
    first->how().redirect = info;
    auto const refused = nodes();
    EXPECT_EQ(refused.error(), errc::unusable_redirection);
    EXPECT_THAT(refused.error().message(), HasSubstr("P_Key 0x8123"));
    info.redirect_p_key = 0x7FFF; // the default partition, as a limited member
    first->how().redirect = info;
    EXPECT_TRUE(nodes());
    info.redirect_qp = 0;
    first->how().redirect = info;
    open();
    EXPECT_EQ(nodes().error(), errc::unusable_redirection);
}

TEST_F(Elsewhere, FollowsQueuePairAndKeys)
{
    auto info = to(others[1]);
    info.redirect_qp = 0x123;
    info.redirect_q_key = 0x1111'2222;
    first->how().redirect = info;
    auto const& all = watch_sends();
    EXPECT_EQ(nodes({.timeout = 50ms, .retries = 0, .total = 80ms}).error(), errc::timeout);
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(all[0].qpn.value(), 1u);
    EXPECT_EQ(all[0].qkey.value(), gsi_qkey);
    EXPECT_EQ(all[1].lid.value(), lid_of(others[1]).value());
    EXPECT_EQ(all[1].qpn.value(), 0x123u);
    EXPECT_EQ(all[1].qkey.value(), 0x1111'2222u);
    EXPECT_EQ(all[1].sl, 4);
    EXPECT_EQ(all[1].grh_present, 0);
}

TEST_F(Elsewhere, GoesThroughARouterWithAGrh)
{
    auto info = to(others[1]);
    info.redirect_gid = gid{0xFEC0'0000'0000'0005, guid{0xABC}};
    info.redirect_tc = 9;
    first->how().redirect = info;
    auto const& all = watch_sends();
    (void)nodes({.timeout = 50ms, .retries = 0, .total = 80ms});
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(all[1].grh_present, 1);
    EXPECT_EQ(all[1].traffic_class, 9);
}

// --- busy

TEST_F(Elsewhere, AsksABusyOneAgainAtGrowingIntervals)
{
    first->how().busy = 7;
    EXPECT_THAT(nodes().value(), IsEmpty());
    EXPECT_THAT(intervals_heard(*first), ElementsAre(100ms, 100ms, 100ms, 100ms, 200ms, 400ms, 800ms));
    EXPECT_EQ(client.counters().busy, 7u);
}

TEST_F(Elsewhere, IntervalsGrowToALimit)
{
    sa_options options;
    options.longest_busy_interval = 300ms;
    open(options);
    first->how().busy = 8;
    EXPECT_TRUE(nodes());
    EXPECT_THAT(intervals_heard(*first), ElementsAre(100ms, 100ms, 100ms, 100ms, 200ms, 300ms, 300ms, 300ms));
}

TEST_F(Elsewhere, ABusyOneIsGivenUpAtTheTotalTime)
{
    first->how().busy = 1'000'000;
    auto const begun = s->time.now();
    auto const busy = nodes({.total = 5s});
    ASSERT_FALSE(busy);
    EXPECT_EQ(mad_status_of(busy.error().code()), mad_status::busy);
    EXPECT_THAT(busy.error().message(), AllOf(HasSubstr("GetTable(NodeRecord)"), HasSubstr("asked 9 times")));
    EXPECT_LE(s->time.now() - begun, 5s);
    EXPECT_GE(s->time.now() - begun, 3s);
}

TEST_F(Elsewhere, OneTotalTimeHoldsForBusyTimesAndSilence)
{
    first->how().busy = 3;
    std::optional<error> ended;
    client.async_get_table(record_query<node_record>{}, {.timeout = 200ms, .retries = 100, .total = 2s},
        as_result([&](auto all) { ended = all.error(); }));
    auto const begun = s->time.now();
    EXPECT_TRUE(s->run_until([&] { return first->heard().size() == 3; }));
    first->how().silent = true;
    EXPECT_TRUE(s->run_until([&] { return ended.has_value(); }));
    EXPECT_EQ(*ended, errc::timeout);
    EXPECT_LE(s->time.now() - begun, 2001ms);
}

TEST_F(Elsewhere, WhoWaitsForABusyOneKeepsItsPlace)
{
    sa_options options;
    options.window = 1;
    open(options);
    first->how().busy = 2;
    int ended = 0;
    for (int i = 0; i != 2; ++i)
        client.async_get_table(record_query<node_record>{}, {}, [&](error_code, auto const&) { ++ended; });
    pass(150ms);
    EXPECT_THAT(first->heard(), SizeIs(2));
    EXPECT_TRUE(s->run_until([&] { return ended == 2; }));
    EXPECT_THAT(first->heard(), SizeIs(4));
}

TEST_F(Elsewhere, WaitingForABusyOneCanBeCancelledAndClosed)
{
    first->how().busy = 1000;
    asio::cancellation_signal signal;
    std::vector<error_code> ended;
    auto const note = [&](error_code code, auto const&) { ended.push_back(code); };
    client.async_get_table(record_query<node_record>{}, {}, asio::bind_cancellation_slot(signal.slot(), note));
    pass(50ms);
    signal.emit(asio::cancellation_type::total);
    s->run_ready();
    EXPECT_THAT(ended, ElementsAre(error_code{asio::error::operation_aborted}));
    client.async_get_table(record_query<node_record>{}, {}, note);
    pass(50ms);
    client.close();
    s->run_ready();
    EXPECT_THAT(ended, SizeIs(2));
    EXPECT_EQ(ended.back(), errc::agent_closed);
}

} // namespace
} // namespace madrigal::testing
