// Being a port's subnet manager: one at a time, and the port says so as long as one is.
#include "runtime/fake_host.hpp"
#include "runtime/simulated.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cerrno>

namespace madrigal::testing {
namespace {

bool is_sm(port const& of)
{
    return (of.query().value().capability_mask & umad::cap_is_sm) != 0;
}

/// Two programs on one machine.
struct SmClaim : ::testing::Test {
    simulated s{small_tree(), configured()};
    port first = s.on_loop->open().value();
    std::shared_ptr<sim::host> same_machine = sim::host::make(s.fabric).value();
    reactor second_reactor{s.loop, *same_machine, reactor_options{.time = &s.time}};
    port second = second_reactor.open().value();

    struct waiting {
        bool ended = false;
        error_code code;
        sm_claim claim;
    };
    void wait(waiting& in, std::chrono::milliseconds within, asio::cancellation_slot slot = {})
    {
        second.async_become_sm(within, asio::bind_cancellation_slot(slot, [&in](error_code code, sm_claim claim) {
            in.ended = true;
            in.code = code;
            in.claim = std::move(claim);
        }));
    }
};

TEST_F(SmClaim, StandsInTheCapabilityMaskAsLongAsItIsHeld)
{
    EXPECT_FALSE(is_sm(first));
    auto claim = first.become_sm();
    ASSERT_TRUE(claim) << claim.error().message();
    EXPECT_TRUE(claim.value());
    EXPECT_TRUE(is_sm(second)) << "every program sees it";
    claim.value().release();
    EXPECT_FALSE(claim.value());
    EXPECT_FALSE(is_sm(first));
    claim.value().release();
    {
        auto const again = first.become_sm().value();
        EXPECT_TRUE(is_sm(first));
    }
    EXPECT_FALSE(is_sm(first)) << "its end lets go of it";
}

TEST_F(SmClaim, IsRefusedAtOnceWhileSomebodyElseHoldsItAndSaysWhatToDo)
{
    auto const claim = first.become_sm().value();
    auto const refused = second.become_sm();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code().value(), EAGAIN);
    EXPECT_NE(refused.error().message().find("mlx5_0 port 1 has a subnet manager already"), std::string::npos)
        << refused.error().message();
    EXPECT_NE(refused.error().message().find("async_become_sm"), std::string::npos);
}

TEST_F(SmClaim, GoesToWhoWaitsWhenItIsLetGo)
{
    auto claim = first.become_sm().value();
    waiting next;
    wait(next, 60s);
    EXPECT_FALSE(next.ended) << "not before the function has returned";
    s.run_ready();
    for (int i = 0; i != 5; ++i) {
        s.time.advance(1s);
        s.run_ready();
    }
    EXPECT_FALSE(next.ended);
    claim.release();
    EXPECT_TRUE(s.run_until([&] { return next.ended; }));
    EXPECT_FALSE(next.code) << next.code.message();
    EXPECT_TRUE(next.claim);
    EXPECT_TRUE(is_sm(first));
    EXPECT_FALSE(first.become_sm());
    EXPECT_LE(s.time.now() - engine::virtual_time::start, 5s + 250ms);
    next.claim.release();
    EXPECT_FALSE(is_sm(first));
}

TEST_F(SmClaim, IsThereAtOnceForWhoWaitsForNobody)
{
    auto const claim = s.run(first.async_become_sm(0ms, as_result));
    ASSERT_TRUE(claim) << claim.error().message();
    EXPECT_TRUE(is_sm(first));
}

TEST_F(SmClaim, IsGivenUpWhenTheTimeIsOver)
{
    auto const claim = first.become_sm().value();
    auto const late = s.run(second.async_become_sm(3s, as_result));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::timeout);
    EXPECT_EQ(s.time.now() - engine::virtual_time::start, 3s);
}

TEST_F(SmClaim, CanBeCancelledWhileItIsWaitedFor)
{
    auto claim = first.become_sm().value();
    asio::cancellation_signal signal;
    waiting next;
    wait(next, 60s, signal.slot());
    s.run_ready();
    signal.emit(asio::cancellation_type::total);
    s.run_ready();
    EXPECT_TRUE(next.ended);
    EXPECT_EQ(next.code, asio::error::operation_aborted);
    EXPECT_FALSE(next.claim);
    claim.release();
    s.run_out();
    EXPECT_FALSE(is_sm(first)) << "nobody waits any more";
    EXPECT_EQ(s.time.armed(), 0u);
}

/// A port whose issm file cannot be opened, for reasons that a test changes.
struct RefusedSmClaim : ::testing::Test {
    std::shared_ptr<fake_kernel> kernel = std::make_shared<fake_kernel>();
    fake_host host{kernel};
    engine::virtual_time time;
    asio::io_context loop;
    reactor on_loop{loop, host, reactor_options{.time = &time}};
    port of = on_loop.open().value();
    std::optional<error_code> ended;

    void run_for(duration how_long)
    {
        for (auto const until = time.now() + how_long; time.now() < until; time.advance(50ms)) {
            loop.restart();
            loop.poll();
        }
        loop.restart();
        loop.poll();
    }
};

TEST_F(RefusedSmClaim, OfAPortWithoutTheFileOrTheRightIsWaitedForOnlyBriefly)
{
    for (int const refusal : {ENOENT, EACCES, EPERM}) {
        kernel->issm_refusal = refusal;
        ended.reset();
        of.async_become_sm(1h, [this](error_code code, sm_claim const&) { ended = code; });
        run_for(1900ms);
        EXPECT_FALSE(ended) << "udev may still be at work";
        run_for(200ms);
        ASSERT_TRUE(ended);
        EXPECT_EQ(ended->value(), refusal);
        EXPECT_EQ(ended->category(), boost::system::system_category());
    }
}

TEST_F(RefusedSmClaim, OfABusyPortOrADeviceThatIsAwayIsWaitedForAsLongAsOneWants)
{
    for (int const refusal : {EAGAIN, EBUSY, ENXIO, EIO, ENODEV}) {
        kernel->issm_refusal = refusal;
        ended.reset();
        of.async_become_sm(60s, [this](error_code code, sm_claim const&) { ended = code; });
        run_for(59s);
        EXPECT_FALSE(ended) << refusal;
        run_for(1100ms);
        EXPECT_EQ(ended, error_code{errc::timeout}) << refusal;
    }
}

TEST_F(RefusedSmClaim, HasABriefTimeAnewAfterEachOtherRefusal)
{
    kernel->issm_refusal = ENOENT;
    of.async_become_sm(60s, [this](error_code code, sm_claim const&) { ended = code; });
    run_for(1500ms);
    kernel->issm_refusal = ENXIO;
    run_for(1500ms);
    kernel->issm_refusal = ENOENT;
    run_for(1500ms);
    EXPECT_FALSE(ended);
    run_for(1s);
    EXPECT_EQ(ended.value().value(), ENOENT);
}

TEST_F(SmClaim, OfALostDeviceIsRefusedUntilItIsBack)
{
    auto server = first.register_agent(subnet_lid_routed().serving(method::trap)).value();
    server.async_receive([](error_code, request const&) {});
    s.run_ready();
    ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
    s.run_ready();
    ASSERT_TRUE(first.gone());
    EXPECT_EQ(first.become_sm().error(), errc::device_gone);
    ASSERT_FALSE(s.fabric->plug(s.host->node()).code());
    ASSERT_TRUE(s.run(first.async_reopen(10s, as_result)));
    EXPECT_TRUE(first.become_sm());
}

TEST_F(SmClaim, ThatNobodyTakesOverIsLetGoWithTheLoop)
{
    {
        asio::io_context loop;
        reactor third{loop, *same_machine, reactor_options{.time = &s.time}};
        third.open().value().async_become_sm(60s, [](error_code, sm_claim const&) { FAIL() << "the loop never ran"; });
    }
    EXPECT_FALSE(is_sm(first));
}

} // namespace
} // namespace madrigal::testing
