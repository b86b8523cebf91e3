// Pings between two machines of one fabric, in virtual time.
#include "runtime/simulated.hpp"

#include <madrigal/fabric/ping.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace madrigal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

sim::fabric_options with(sim::fault_options faults, bool answer_pings = false)
{
    auto options = configured();
    options.faults = faults;
    options.answer_pings = answer_pings;
    return options;
}

ping_options within(std::chrono::milliseconds timeout)
{
    ping_options options;
    options.timeout = timeout;
    return options;
}

ping_server_options named(std::string name, std::optional<std::uint64_t> count = std::nullopt)
{
    ping_server_options options;
    options.name = std::move(name);
    options.count = count;
    return options;
}

/// The first CA pings; the last one, four links away, is another machine on the same loop.
class Pinging : public ::testing::Test {
protected:
    void begin(sim::fabric_options const& options = configured(), bool other_has_host = true)
    {
        s.emplace(small_tree(), options);
        auto const& layout = s->fabric->layout();
        for (topology::node_index i = 0; i != layout.size(); ++i)
            if (layout.at(i).type == node_type::ca)
                other = i;
        other_lid = s->fabric->look_at({other, 1}).value().base_lid;
        own = s->on_loop->open().value();
        if (!other_has_host)
            return;
        other_host = sim::host::make(s->fabric, to_string(layout.at(other).node_guid)).value();
        other_reactor = std::make_unique<reactor>(s->loop, *other_host, reactor_options{.time = &s->time});
        other_port = other_reactor->open().value();
    }
    ping_server& serve(std::string name)
    {
        server = ping_server::open(other_port, named(std::move(name))).value();
        asio::co_spawn(s->loop, server->serve(), asio::detached);
        s->run_ready();
        return *server;
    }
    result<ping_answer> ping(destination const& to, ping_options const& how = ping_options{})
    {
        auto const client = ping_client::open(own, how).value();
        return s->run(client.ping(to));
    }
    /// Runs a series; what became of each ping is in `seen`, with the time at which it ended.
    ping_statistics series(ping_series_options options, ping_options const& how = ping_options{})
    {
        auto const before = s->time.now();
        auto inner = std::move(options.on_outcome);
        options.on_outcome = [&, inner](ping_outcome const& one) {
            seen.push_back({one.sequence, static_cast<bool>(one.answer), s->time.now() - before});
            return !inner || inner(one);
        };
        return s->run(ping_series(ping_client::open(own, how).value(), other_lid, std::move(options)));
    }

    struct ended {
        std::uint64_t sequence;
        bool good;
        duration after;
        friend bool operator==(ended const&, ended const&) = default;
    };
    std::optional<simulated> s;
    topology::node_index other = topology::no_node;
    lid other_lid;
    port own;
    std::shared_ptr<sim::host> other_host;
    std::unique_ptr<reactor> other_reactor;
    port other_port;
    std::optional<ping_server> server;
    std::vector<ended> seen;
};

TEST_F(Pinging, GivesTheServersNameAndTheTimeThatItTook)
{
    begin(with({.hop_latency = 10us}));
    serve("beta.example");
    auto const answer = ping(other_lid);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().name, "beta.example");
    EXPECT_EQ(answer.value().source, other_lid);
    EXPECT_FALSE(answer.value().global);
    EXPECT_EQ(answer.value().round_trip, 80us) << "four links there and four back";
    EXPECT_EQ(server->answered(), 1U);
}

TEST_F(Pinging, ToAGidGoesWithAGrhAndSoDoesTheAnswer)
{
    begin();
    serve("beta");
    auto const other_gid = other_port.attributes().gids.at(0);
    auto const answer = ping(destination{other_gid, other_lid});
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().global, other_gid);
    EXPECT_EQ(answer.value().source, other_lid);
}

TEST_F(Pinging, ReachesTheServerOfItsOwnMachine)
{
    begin();
    auto mine = ping_server::open(own, named("alpha")).value();
    asio::co_spawn(s->loop, mine.serve(), asio::detached);
    auto const answer = ping(own.attributes().base_lid);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().name, "alpha");
    mine.close();
    s->run_out();
}

TEST_F(Pinging, WithoutAnAnswerTimesOutAfterOneTransmission)
{
    begin(with({.loss = 1}));
    auto const sent = s->fabric->counters().transmitted;
    auto const start = s->time.now();
    auto const answer = ping(other_lid, within(50ms));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::timeout);
    EXPECT_EQ(s->time.now() - start, 50ms);
    EXPECT_EQ(s->fabric->counters().transmitted, sent + 1);
}

TEST_F(Pinging, TellsAMachineThatServesNoPings)
{
    begin();
    auto const answer = ping(other_lid);
    ASSERT_FALSE(answer);
    EXPECT_TRUE(nobody_serves_pings(answer.error().code()));
    EXPECT_THAT(answer.error().message(), HasSubstr("ping of LID " + to_string(other_lid)));
    EXPECT_FALSE(nobody_serves_pings(errc::timeout));
    EXPECT_FALSE(nobody_serves_pings({}));
    EXPECT_FALSE(nobody_serves_pings(make_mad_status(ping_class, mad_status::busy)));
}

TEST_F(Pinging, WithAnotherOuiIsAnotherService)
{
    begin();
    serve("beta");
    auto how = ping_options{};
    how.oui = 0x123456;
    EXPECT_TRUE(nobody_serves_pings(ping(other_lid, how).error().code()));
    auto second = named("gamma");
    second.oui = 0x123456;
    auto also = ping_server::open(other_port, second).value();
    asio::co_spawn(s->loop, also.serve(), asio::detached);
    EXPECT_EQ(ping(other_lid, how).value().name, "gamma");
    EXPECT_EQ(ping(other_lid).value().name, "beta");
}

/// Answers from a machine that means harm.
class HostileAnswers : public Pinging {
protected:
    /// What the client makes of an answer with these bytes changed.
    result<ping_answer> answered_with(std::function<void(std::span<std::byte, mad_size>)> const& change)
    {
        begin();
        auto const evil = other_port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
        asio::co_spawn(s->loop, answer_once(evil, change), asio::detached);
        return ping(other_lid, within(50ms));
    }

private:
    static asio::awaitable<void> answer_once(
        agent const& evil, std::function<void(std::span<std::byte, mad_size>)> const& change)
    {
        auto const asked = co_await evil.async_receive(as_result);
        raw_mad answer{asked.value().received().reply_to(), {}};
        std::ranges::copy(asked.value().received().bytes(), answer.bytes.begin());
        mutable_mad_view{answer.bytes}.set_method(method::get_response);
        change(answer.bytes);
        (void)co_await evil.async_send(answer, as_result);
    }
};

TEST_F(HostileAnswers, MayHoldAnyBytesAndNoEnd)
{
    auto const answer = answered_with([](auto bytes) {
        std::fill(bytes.begin() + 40, bytes.end(), std::byte{'a'});
        bytes[41] = std::byte{0x1B};
        bytes[42] = std::byte{0xFF};
    });
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().name, R"(a\x1b\xff)" + std::string(213, 'a'));
}

TEST_F(HostileAnswers, MayHaveNoName)
{
    EXPECT_EQ(answered_with([](auto) {}).value().name, "");
}

TEST_F(HostileAnswers, OfAnotherOuiAreNone)
{
    EXPECT_EQ(answered_with([](auto bytes) { bytes[39] = std::byte{0x06}; }).error(), errc::malformed_answer);
}

TEST_F(HostileAnswers, OfAnotherMethodAreNone)
{
    EXPECT_EQ(answered_with([](auto bytes) { bytes[3] = std::byte{0x86}; }).error(), errc::malformed_answer);
}

TEST_F(HostileAnswers, OfAnotherVersionAreNone)
{
    EXPECT_EQ(answered_with([](auto bytes) { bytes[2] = std::byte{9}; }).error(), errc::malformed_answer);
}

TEST_F(HostileAnswers, WithAStatusAreRefusals)
{
    auto const busy = answered_with([](auto bytes) { mutable_mad_view{bytes}.set_status(mad_status::busy); });
    EXPECT_EQ(mad_status_of(busy.error().code()), mad_status::busy);
}

TEST_F(Pinging, InASeriesGoesOutOnceASecond)
{
    begin(with({.hop_latency = 10us}));
    serve("beta");
    ping_series_options three;
    three.count = 3;
    auto const all = series(three);
    EXPECT_THAT(seen, ElementsAre(ended{1, true, 80us}, ended{2, true, 1s + 80us}, ended{3, true, 2s + 80us}));
    EXPECT_EQ(all.sent, 3U);
    EXPECT_EQ(all.received, 3U);
    EXPECT_EQ(all.loss(), 0);
    EXPECT_EQ(all.minimum, 80us);
    EXPECT_EQ(all.average(), 80us);
    EXPECT_EQ(all.maximum, 80us);
    EXPECT_FALSE(all.ended.code());
}

TEST_F(Pinging, InAFloodFollowsTheAnswerAtOnce)
{
    begin(with({.hop_latency = 10us}));
    serve("beta");
    ping_series_options flood;
    flood.count = 1'000;
    flood.interval = 0ms;
    auto const all = series(flood);
    EXPECT_EQ(all.received, 1'000U);
    EXPECT_EQ(seen.back().after, 1'000 * 80us);
}

TEST_F(Pinging, InASeriesCountsWhatIsLostAndWhatIsRefused)
{
    begin(with({.hop_latency = 10us}, true), false);
    // The first is lost, the second refused, the third late by 1 ms.
    s->fabric->add_rule({.mgmt_class = 0x32, .count = 1});
    s->fabric->add_rule({.mgmt_class = 0x32, .count = 1, .action = sim::fault_action::status, .status = 0x000C});
    s->fabric->add_rule({.mgmt_class = 0x32, .count = 1, .action = sim::fault_action::delay, .delay = 1ms});
    ping_series_options four;
    four.count = 4;
    auto const all = series(four, within(300ms));
    EXPECT_THAT(seen, ElementsAre(ended{1, false, 300ms}, ended{2, false, 1s + 80us}, ended{3, true, 2s + 1'080us},
                          ended{4, true, 3s + 80us}));
    EXPECT_EQ(all.sent, 4U);
    EXPECT_EQ(all.received, 2U);
    EXPECT_EQ(all.loss(), 50);
    EXPECT_EQ(all.minimum, 80us);
    EXPECT_EQ(all.average(), 580us);
    EXPECT_EQ(all.maximum, 1'080us);
}

TEST_F(Pinging, InASeriesThatWaitsLongerThanASecondGoesOnAtOnce)
{
    begin(with({.loss = 1}));
    ping_series_options two;
    two.count = 2;
    (void)series(two, within(1'500ms));
    EXPECT_THAT(seen, ElementsAre(ended{1, false, 1'500ms}, ended{2, false, 3s}));
}

TEST_F(Pinging, InASeriesEndsWhenNobodyWantsToKnowAnyMore)
{
    begin();
    serve("beta");
    ping_series_options endless;
    endless.on_outcome = [](ping_outcome const& one) { return one.sequence != 2; };
    EXPECT_EQ(series(endless).sent, 2U);
}

TEST_F(Pinging, InASeriesEndsWithItsDevice)
{
    begin();
    serve("beta");
    ping_series_options endless;
    endless.on_outcome = [&](ping_outcome const& one) {
        if (one.sequence == 2) {
            EXPECT_FALSE(s->fabric->unplug(s->host->node()).code());
        }
        return true;
    };
    auto const all = series(endless);
    EXPECT_EQ(all.sent, 2U);
    EXPECT_EQ(all.received, 2U);
    EXPECT_EQ(all.ended, errc::device_gone);
}

/// A series that is cancelled at a moment of its life.
class Cancelled : public Pinging {
protected:
    ping_statistics after(duration how_long)
    {
        std::optional<ping_statistics> came_to;
        asio::cancellation_signal cancel;
        auto const run = [&]() -> asio::awaitable<void> {
            auto const client = ping_client::open(own, within(500ms)).value();
            came_to = co_await ping_series(client, other_lid);
        };
        asio::co_spawn(s->loop, run, asio::bind_cancellation_slot(cancel.slot(), asio::detached));
        auto const alarm = s->time.make_alarm([&] { cancel.emit(asio::cancellation_type::terminal); });
        auto const moment = s->time.now() + how_long;
        alarm->arm(moment);
        EXPECT_TRUE(s->run_until([&] { return came_to.has_value(); }));
        EXPECT_EQ(s->time.now(), moment) << "at once";
        return *came_to;
    }
};

TEST_F(Cancelled, WhileItPausesKeepsWhatItCameTo)
{
    begin();
    serve("beta");
    auto const all = after(1'200ms);
    EXPECT_EQ(all.sent, 2U);
    EXPECT_EQ(all.received, 2U);
    EXPECT_EQ(all.ended, asio::error::make_error_code(asio::error::operation_aborted));
}

TEST_F(Cancelled, WhileItWaitsForAnAnswerDoesNotCountThatPing)
{
    begin(with({}, true), false);
    s->fabric->add_rule({.mgmt_class = 0x32, .count = 1, .action = sim::fault_action::status, .status = 1});
    s->fabric->add_rule({.mgmt_class = 0x32});
    auto const all = after(1'200ms);
    EXPECT_EQ(all.sent, 1U);
    EXPECT_EQ(all.received, 0U);
    EXPECT_EQ(all.ended, asio::error::make_error_code(asio::error::operation_aborted));
}

TEST_F(Pinging, IsServedSoOftenAsTheServerWasTold)
{
    begin();
    auto twice = ping_server::open(other_port, named("beta", 2)).value();
    std::optional<error_code> end;
    asio::co_spawn(s->loop, twice.serve(), [&](std::exception_ptr const&, error_code code) { end = code; });
    EXPECT_TRUE(ping(other_lid));
    EXPECT_FALSE(end);
    EXPECT_TRUE(ping(other_lid));
    s->run_ready();
    EXPECT_EQ(end, error_code{});
    EXPECT_EQ(twice.answered(), 2U);
    EXPECT_EQ(ping(other_lid, within(50ms)).error(), errc::timeout);
    EXPECT_EQ(twice.answered(), 2U);
}

TEST_F(Pinging, IsServedUntilTheServerIsCancelledOrClosed)
{
    begin();
    asio::cancellation_signal cancel;
    std::vector<error_code> ends;
    auto const remember = [&](std::exception_ptr const& thrown, error_code code) {
        EXPECT_FALSE(thrown);
        ends.push_back(code);
    };
    auto one = ping_server::open(other_port, named("beta")).value();
    asio::co_spawn(s->loop, one.serve(), asio::bind_cancellation_slot(cancel.slot(), remember));
    EXPECT_TRUE(ping(other_lid));
    cancel.emit(asio::cancellation_type::terminal);
    s->run_ready();
    EXPECT_THAT(ends, ElementsAre(asio::error::make_error_code(asio::error::operation_aborted)));
    asio::co_spawn(s->loop, one.serve(), remember);
    EXPECT_TRUE(ping(other_lid));
    one.close();
    s->run_ready();
    EXPECT_EQ(ends.back(), errc::agent_closed);
    EXPECT_EQ(one.answered(), 2U);
}

TEST_F(Pinging, HasOneServerAPortAndOui)
{
    begin();
    serve("beta");
    auto const second = ping_server::open(other_port, named("again"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::registration_refused);
    EXPECT_THAT(second.error().context(), HasSubstr("pings of OUI 0x001405 are answered on mlx5_0 port 1 already"));
    EXPECT_TRUE(ping_server::open(own, named("elsewhere")));
    auto without_oui = named("nobody");
    without_oui.oui = 0;
    EXPECT_EQ(ping_server::open(other_port, without_oui).error(), errc::invalid_registration);
}

TEST_F(Pinging, IsNotAnsweredWhereItIsASegmentOfAMessage)
{
    begin();
    serve("beta");
    raw_mad segment{other_lid, {}};
    build_ping(segment.bytes);
    segment.bytes[24] = std::byte{1}; // RMPP version
    segment.bytes[25] = std::byte{1}; // DATA
    segment.bytes[26] = std::byte{7}; // Active, first, last
    auto const client = ping_client::open(own, within(50ms)).value();
    auto const got = s->run(client.over().async_request(segment, {}, as_result));
    EXPECT_EQ(got.error(), errc::timeout);
    EXPECT_EQ(server->answered(), 0U);
    EXPECT_TRUE(ping(other_lid)) << "the server goes on";
}

TEST_F(Pinging, IsAnsweredWithALongNameThatIsCut)
{
    begin();
    serve(std::string(1'000, 'n'));
    EXPECT_EQ(ping(other_lid).value().name, std::string(215, 'n'));
}

TEST(HostName, IsThatOfTheMachine)
{
    std::array<char, 300> name{};
    ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
    EXPECT_EQ(host_name(), name.data());
    EXPECT_FALSE(host_name().empty());
}

} // namespace
} // namespace madrigal::testing
