// Two subnet managers on two machines of one fabric: one of them is the master in the end.
#include "subnet/two_managers.hpp"

#include "fabric/pause.hpp"

#include <madrigal/subnet/mastership.hpp>

#include <boost/asio/detached.hpp>

#include <algorithm>

namespace madrigal::testing {
namespace {

constexpr auto sweep_takes = 300ms;
constexpr auto sweep_every = 15s; // of a master

/// A daemon that knows one other place where a subnet manager may be.
struct daemon {
    daemon(simulated& on, port const& at, destination const& other, unsigned priority)
        : s{on}, place{at}, neighbour{other}
    {
        options.priority = static_cast<std::uint8_t>(priority);
        options.sm_key = 1;
    }
    ~daemon() { stop(); }

    void start()
    {
        claim = place.become_sm().value();
        server = smp_server::open(place).value();
        role = mastership::open(place, server, options).value();
        running = std::make_shared<bool>(true);
        asio::co_spawn(s.loop, run(this, running), asio::detached);
    }
    void stop()
    {
        if (!running)
            return;
        *running = false;
        running.reset();
        role.close();
        server.close();
        claim.release();
    }

    static asio::awaitable<void> run(daemon* self, std::shared_ptr<bool> on)
    {
        while (auto const duty = co_await self->role.next()) {
            self->duties.push_back(duty.value());
            bool again = duty.value() == sm_duty::discover || duty.value() == sm_duty::configure;
            while (again && *on) {
                co_await detail::pause_until(self->s.time, self->s.time.now() + sweep_takes);
                if (!*on)
                    co_return;
                if (self->role.has_next())
                    break;
                std::vector<seen_sm> seen;
                auto const info = co_await self->role.ask(self->neighbour);
                if (!*on)
                    co_return;
                if (info)
                    seen.push_back({info.value(), self->neighbour});
                self->role.on_sweep(seen);
                again = false;
                // A master sweeps as long as it is the master; news end the waiting.
                for (auto at = 0ms; self->role.state() == sm_state::master && !again && at < sweep_every; at += 100ms) {
                    co_await detail::pause_until(self->s.time, self->s.time.now() + 100ms);
                    if (!*on)
                        co_return;
                    if (self->role.has_next())
                        break;
                    again = at + 100ms >= sweep_every;
                }
            }
        }
        if (*on)
            self->ended = true;
    }

    [[nodiscard]] bool is_master() const { return running && role.state() == sm_state::master; }

    simulated& s;
    port place;
    destination neighbour;
    mastership_options options;
    sm_claim claim;
    smp_server server;
    mastership role;
    std::shared_ptr<bool> running;
    std::vector<sm_duty> duties;
    bool ended = false;
};

struct Mastership : ::testing::Test {
    two_hosts w;
    simulated& s = w.s;

    void run_for(duration how_long)
    {
        auto const until = s.time.now() + how_long;
        do
            s.run_ready();
        while (s.time.next() <= until && s.time.advance_to_next());
        s.time.advance(until - s.time.now());
        s.run_ready();
    }
    daemon first_of(unsigned priority) { return {s, w.first, w.to_other(), priority}; }
    daemon second_of(unsigned priority) { return {s, w.other.port, w.to_first(), priority}; }
};

TEST_F(Mastership, FallsToWhoGoesBeforeTheOtherWhoeverStartsFirst)
{
    for (bool const first_begins : {true, false})
        for (bool const first_is_higher : {true, false}) {
            daemon one = first_of(first_is_higher ? 9 : 3);
            daemon two = second_of(first_is_higher ? 3 : 9);
            auto& higher = first_is_higher ? one : two;
            auto& lower = first_is_higher ? two : one;
            (first_begins ? one : two).start();
            run_for(20s);
            EXPECT_TRUE((first_begins ? one : two).is_master()) << "alone";
            (first_begins ? two : one).start();
            run_for(60s);
            EXPECT_TRUE(higher.is_master());
            EXPECT_EQ(lower.role.state(), sm_state::standby);
            EXPECT_EQ(lower.role.watched()->port_guid, higher.place.attributes().port_guid);
            EXPECT_EQ(higher.duties.back(), sm_duty::configure);
            EXPECT_EQ(lower.duties.back(), sm_duty::stand_by);
            one.stop();
            two.stop();
            s.run_out();
        }
}

TEST_F(Mastership, OfEqualPrioritiesFallsToTheLowerGuid)
{
    daemon one = first_of(5);
    daemon two = second_of(5);
    one.start();
    two.start();
    run_for(60s);
    bool const one_is_lower = one.place.attributes().port_guid < two.place.attributes().port_guid;
    EXPECT_EQ(one.is_master(), one_is_lower);
    EXPECT_EQ(two.is_master(), !one_is_lower);
}

TEST_F(Mastership, GoesToTheStandbyWhenTheMasterDiesAndComesBackWithIt)
{
    daemon one = first_of(9);
    daemon two = second_of(3);
    one.start();
    two.start();
    run_for(60s);
    ASSERT_TRUE(one.is_master());
    one.stop();
    run_for(60s);
    EXPECT_TRUE(two.is_master());
    one.start();
    run_for(60s);
    EXPECT_TRUE(one.is_master());
    EXPECT_EQ(two.role.state(), sm_state::standby);
    EXPECT_EQ(two.role.counters().handovers_given, 1u);
    EXPECT_EQ(one.role.counters().handovers_taken, 1u);
}

TEST_F(Mastership, OfTwoPartsThatAreJoinedIsOne)
{
    daemon one = first_of(3);
    daemon two = second_of(9);
    auto const& layout = s.fabric->layout();
    topology::endpoint const cable{s.host->node(), 1};
    ASSERT_TRUE(layout.at(cable.node).external_port(1).peer);
    ASSERT_FALSE(s.fabric->set_link(cable, false).code());
    one.start();
    two.start();
    run_for(60s);
    ASSERT_TRUE(one.is_master());
    ASSERT_TRUE(two.is_master());
    auto const configured = std::count(two.duties.begin(), two.duties.end(), sm_duty::configure);
    ASSERT_FALSE(s.fabric->set_link(cable, true).code());
    run_for(60s);
    EXPECT_TRUE(two.is_master());
    EXPECT_EQ(one.role.state(), sm_state::standby);
    EXPECT_GT(std::count(two.duties.begin(), two.duties.end(), sm_duty::configure), configured);
}

TEST_F(Mastership, IsOnesThoughTheFabricLosesAThirdOfAllPackets)
{
    for (std::uint64_t seed = 1; seed != 6; ++seed) {
        auto options = configured();
        options.seed = seed;
        options.faults.loss = 0.1; // of each of the links between them
        two_hosts lossy{options};
        daemon one{lossy.s, lossy.first, lossy.to_other(), 3};
        daemon two{lossy.s, lossy.other.port, lossy.to_first(), 9};
        one.start();
        auto const until = lossy.s.time.now() + 40s;
        ASSERT_TRUE(lossy.s.run_until([&] { return lossy.s.time.now() >= until; }));
        two.start();
        auto const end = lossy.s.time.now() + 300s;
        ASSERT_TRUE(lossy.s.run_until([&] { return lossy.s.time.now() >= end; }));
        lossy.s.fabric->set_faults({});
        auto const quiet = lossy.s.time.now() + 120s;
        ASSERT_TRUE(lossy.s.run_until([&] { return lossy.s.time.now() >= quiet; }));
        EXPECT_TRUE(two.is_master()) << seed;
        EXPECT_EQ(one.role.state(), sm_state::standby) << seed;
    }
}

/// Another subnet manager, that takes over when it is told to and never acknowledges.
struct silent_heir final : sm_info_service {
    sm_info describe() override
    {
        ++own.activity_count;
        return std::exchange(before, own); // as many do, its answers tell what it was when it was asked
    }
    std::uint16_t on_control(sm_control what, sm_info const&, destination const&) override
    {
        controls.push_back(what);
        if (what == sm_control::handover)
            own.state = sm_state::master;
        return what == sm_control::handover ? mad_status::ok : mad_status::invalid_value;
    }
    sm_info own{.port_guid = guid{0x99}, .sm_key = 1, .priority = 15, .state = sm_state::standby};
    sm_info before = own;
    std::vector<sm_control> controls;
};

TEST_F(Mastership, IsGivenAwayToOneThatNeverAcknowledges)
{
    auto const heir = std::make_shared<silent_heir>();
    auto server = smp_server::open(w.other.port).value();
    server.serve_sm_info(heir);
    daemon one = first_of(3);
    one.options.sm_key = 1;
    heir->own.state = heir->before.state = sm_state::not_active;
    one.start();
    run_for(5s);
    ASSERT_TRUE(one.is_master());
    heir->own.state = heir->before.state = sm_state::standby;
    run_for(30s);
    EXPECT_EQ(one.role.state(), sm_state::standby);
    EXPECT_EQ(heir->controls, std::vector{sm_control::handover});
}

/// A master that never looks around by itself.
struct idle_master final : sm_info_service {
    sm_info describe() override
    {
        ++own.activity_count;
        return own;
    }
    std::uint16_t on_control(sm_control, sm_info const&, destination const&) override
    {
        return mad_status::invalid_value;
    }
    sm_info own{.port_guid = guid{0x99}, .sm_key = 1, .priority = 1, .state = sm_state::master};
};

TEST_F(Mastership, ThatIsDueRemindsTheMasterByATrap)
{
    auto const master = std::make_shared<idle_master>();
    auto server = smp_server::open(w.first).value();
    server.serve_sm_info(master);
    daemon two = second_of(9);
    two.start();
    auto const trap = s.run(server.next_trap());
    EXPECT_EQ(two.role.state(), sm_state::standby);
    ASSERT_TRUE(trap) << trap.error().message();
    EXPECT_EQ(trap.value().source, w.other.own_lid());
    EXPECT_EQ(trap.value().told.trap_number, trap_number::local_changes);
    auto const& what = std::get<local_changes_trap>(trap.value().details.value());
    EXPECT_EQ(what.port_lid, w.other.own_lid());
    EXPECT_TRUE(what.other_local_changes);
    EXPECT_TRUE(what.changes.has(local_change::sm_priority));
    EXPECT_TRUE(what.capability_mask.has(port_capability::is_sm));
    auto const first = s.time.now();
    EXPECT_EQ(s.run(server.next_trap()).value().told.trap_number, trap_number::local_changes) << "again and again";
    EXPECT_GE(s.time.now() - first, 9s);
}

TEST_F(Mastership, IsNotGivenToOneWithAnotherKey)
{
    daemon one = first_of(3);
    daemon two = second_of(9);
    two.options.sm_key = 2;
    one.start();
    two.start();
    run_for(60s);
    EXPECT_TRUE(one.is_master());
    EXPECT_TRUE(two.is_master()) << "they do not know each other";
    EXPECT_GT(one.role.counters().foreign, 0u);
}

TEST_F(Mastership, IsSettledBetweenTwoWhoseKeyIsASecretAndNobodyElseSeesIt)
{
    daemon one = first_of(3);
    daemon two = second_of(9);
    one.options.sm_key = two.options.sm_key = 0x5ec7e7;
    auto client = smp_client::open(w.other.port).value();
    one.start();
    run_for(20s);
    ASSERT_TRUE(one.is_master());
    two.start();
    run_for(60s);
    EXPECT_TRUE(two.is_master());
    EXPECT_EQ(one.role.state(), sm_state::standby);
    EXPECT_EQ(one.role.counters().foreign, 0u);
    EXPECT_EQ(two.role.counters().foreign, 0u);
    auto const seen = s.run(client.get<sm_info>(w.to_first())).value();
    EXPECT_EQ(seen.state, sm_state::standby);
    EXPECT_EQ(seen.sm_key, 0u);
    two.stop();
    run_for(60s);
    EXPECT_TRUE(one.is_master());
}

TEST_F(Mastership, APriorityThatRisesTakesItOver)
{
    daemon one = first_of(5);
    daemon two = second_of(4);
    one.start();
    two.start();
    run_for(60s);
    ASSERT_TRUE(one.is_master());
    two.role.set_priority(6);
    run_for(60s);
    EXPECT_TRUE(two.is_master());
    EXPECT_EQ(one.role.state(), sm_state::standby);
}

TEST_F(Mastership, EndsAtOnceAndLeavesNothingBehind)
{
    daemon one = first_of(5);
    one.start();
    run_for(5s);
    ASSERT_TRUE(one.is_master());
    EXPECT_NE(w.first.query().value().capability_mask & umad::cap_is_sm, 0u);
    one.role.close();
    one.role.close();
    s.run_ready();
    run_for(200ms);
    EXPECT_EQ(s.run(one.role.next()).error(), errc::agent_closed);
    auto client = smp_client::open(w.other.port).value();
    EXPECT_EQ(s.run(client.get<sm_info>(w.to_first())).value().state, sm_state::not_active);
    one.stop();
    one.role = {};
    s.run_out();
    EXPECT_EQ(s.time.armed(), 0u);
    EXPECT_EQ(w.first.query().value().capability_mask & umad::cap_is_sm, 0u);
    EXPECT_TRUE(smp_server::open(w.first));
}

TEST_F(Mastership, IsLookedForAgainWhereASweepFails)
{
    auto server = smp_server::open(w.first).value();
    auto role = mastership::open(w.first, server).value();
    auto const begun = s.time.now();
    for (int i = 0; i != 4; ++i) {
        EXPECT_EQ(s.run(role.next()).value(), sm_duty::discover) << "nobody says on_sweep";
        EXPECT_EQ(s.time.now() - begun, i * 10s);
    }
    run_for(11s);
    EXPECT_FALSE(role.has_next()) << "what is only said again ends no sweep";
    role.on_sweep({});
    s.run_ready();
    EXPECT_TRUE(role.has_next());
    EXPECT_EQ(s.run(role.next()).value(), sm_duty::configure) << "in the place of the older one";
}

TEST_F(Mastership, IsNotTakenFromOneThatIsSilentForAWhile)
{
    auto server = smp_server::open(w.first).value();
    auto role = mastership::open(w.first, server).value();
    seen_sm own{{}, w.first_lid(), true};
    own.info.port_guid = w.first.attributes().port_guid;
    seen_sm busy{{}, w.to_other(), true};
    busy.info.port_guid = w.other.port.attributes().port_guid;
    std::vector<seen_sm> const both{own, busy};
    for (int i = 0; i != 4; ++i) {
        EXPECT_EQ(s.run(role.next()).value(), sm_duty::discover);
        role.on_sweep(both);
        EXPECT_EQ(role.state(), sm_state::discovering);
    }
    EXPECT_EQ(s.run(role.next()).value(), sm_duty::discover);
    role.on_sweep(both);
    EXPECT_EQ(role.state(), sm_state::master);
    role.restart();
    role.on_sweep(std::span{both}.first(1));
    EXPECT_EQ(role.state(), sm_state::master) << "itself is nobody to wait for";
}

TEST_F(Mastership, IsLookedForAnewOnDemandAndAfterTheDeviceWasLost)
{
    daemon one = first_of(9);
    daemon two = second_of(3);
    one.start();
    run_for(20s);
    ASSERT_TRUE(one.is_master());
    one.role.restart();
    EXPECT_EQ(one.role.state(), sm_state::discovering);
    run_for(20s);
    EXPECT_TRUE(one.is_master());
    auto const before = std::count(one.duties.begin(), one.duties.end(), sm_duty::discover);

    ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
    two.start();
    run_for(20s);
    EXPECT_TRUE(two.is_master());
    ASSERT_FALSE(s.fabric->plug(s.host->node()).code());
    one.claim.release();
    ASSERT_TRUE(s.run(w.first.async_reopen(10s, as_result)));
    one.claim = w.first.become_sm().value();
    run_for(250ms);
    EXPECT_EQ(one.role.state(), sm_state::discovering) << "it does not say that it still is the master";
    run_for(60s);
    EXPECT_GT(std::count(one.duties.begin(), one.duties.end(), sm_duty::discover), before);
    EXPECT_TRUE(one.is_master());
    EXPECT_EQ(two.role.counters().handovers_given, 1u) << "by a handover, and not by two masters";
}

TEST_F(Mastership, ALostDeviceIsTheNextDutysBusinessWhateverTheLastOneWas)
{
    auto const master = std::make_shared<idle_master>();
    for (auto const what : {sm_duty::discover, sm_duty::configure, sm_duty::stand_by, sm_duty::rest}) {
        auto server = smp_server::open(w.first).value();
        auto role = mastership::open(w.first, server).value();
        EXPECT_EQ(s.run(role.next()).value(), sm_duty::discover);
        seen_sm const above{master->own, w.to_other()};
        if (what == sm_duty::configure)
            role.on_sweep({});
        else if (what != sm_duty::discover)
            role.on_sweep(std::span{&above, 1});
        if (what == sm_duty::rest) {
            auto client = smp_client::open(w.other.port).value();
            ASSERT_TRUE(s.run(client.set(w.to_first(), master->own, static_cast<std::uint32_t>(sm_control::disable))));
        }
        if (what != sm_duty::discover) {
            EXPECT_EQ(s.run(role.next()).value(), what);
        }
        std::optional<sm_duty> next;
        role.async_next([&](error_code, sm_duty duty) { next = duty; });
        s.run_ready();
        ASSERT_FALSE(next);
        ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
        s.run_ready();
        EXPECT_EQ(next, sm_duty::discover) << "after " << to_string(what) << ", at once";
        ASSERT_FALSE(s.fabric->plug(s.host->node()).code());
        ASSERT_TRUE(s.run(w.first.async_reopen(10s, as_result)));
        role = {};
        server = {};
        s.run_ready();
    }
}

TEST_F(Mastership, EndsWithItsPortThoughAMasterAsksNobodyAnything)
{
    auto server = smp_server::open(w.first).value();
    auto role = mastership::open(w.first, server).value();
    EXPECT_EQ(s.run(role.next()).value(), sm_duty::discover);
    role.on_sweep({});
    EXPECT_EQ(s.run(role.next()).value(), sm_duty::configure);
    error_code ended;
    role.async_next([&](error_code code, sm_duty) { ended = code; });
    s.run_ready();
    EXPECT_FALSE(ended);
    w.first.close();
    s.run_ready();
    EXPECT_EQ(ended, errc::agent_closed);
}

TEST_F(Mastership, EndsWithItsPortAlsoWithoutAServer)
{
    auto const master = std::make_shared<idle_master>();
    auto server = smp_server::open(w.first).value();
    server.serve_sm_info(master);
    daemon two = second_of(9);
    two.start();
    run_for(5s);
    ASSERT_EQ(two.role.state(), sm_state::standby);
    two.server.close();
    w.other.port.close();
    run_for(20s);
    EXPECT_TRUE(two.ended) << "its own question has told it";
}

asio::awaitable<void> take_part(port on)
{
    auto server = smp_server::open(on).value();
    auto role = mastership::open(on, server).value();
    EXPECT_EQ((co_await role.next()).value(), sm_duty::discover);
    EXPECT_FALSE(co_await server.next_trap()) << "nobody sends one";
}

TEST(MastershipAndItsLoop, EndTogetherWithWhoeverWaits)
{
    std::weak_ptr<sim::fabric> left;
    {
        two_hosts w;
        left = w.s.fabric;
        asio::co_spawn(w.s.loop, take_part(w.first), asio::detached);
        w.s.run_ready();
    }
    EXPECT_TRUE(left.expired());
}

} // namespace
} // namespace madrigal::testing
