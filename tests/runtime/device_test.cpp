// A device that goes and comes.
#include "runtime/simulated.hpp"

#include <madrigal/wire/smp.hpp>

namespace madrigal::testing {
namespace {

TEST(DeviceRemoval, EndsTenThousandRequestsOnceEachAndThePortCanBeUsedAgainWhenItIsBack)
{
    simulated s{small_tree(), slow()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route(), {.window = {.size = 4'000}}).value();
    auto server = port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    std::vector<int> outcomes(10'000, 0);
    std::size_t gone = 0;
    asio::post(s.loop, [&] {
        for (auto& outcome : outcomes)
            smp.async_request(get<node_info>(directed_route{0, 1}), {}, [&](error_code code, node_info const&) {
                ++outcome;
                gone += code == errc::device_gone;
            });
    });
    error_code server_end;
    server.async_receive([&](error_code code, request const&) { server_end = code; });
    s.run_ready();
    EXPECT_EQ(smp.gauges().slots, 10'000u);
    ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
    s.run_ready();
    EXPECT_EQ(gone, 10'000u);
    for (auto const outcome : outcomes)
        ASSERT_EQ(outcome, 1);
    EXPECT_EQ(server_end, errc::device_gone);
    expect_nothing_held(smp);
    EXPECT_TRUE(port.gone());
    EXPECT_EQ(s.run(smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result)).error(), errc::device_gone);

    auto const not_yet = s.run(port.async_reopen(100ms, as_result));
    EXPECT_EQ(not_yet.error(), errc::timeout);

    auto const old_number = 0u;
    ASSERT_FALSE(s.fabric->plug(s.host->node()).code());
    EXPECT_NE(s.host->umad_number(port.attributes().ca_name, 1).value(), old_number);
    auto const back = s.run(port.async_reopen(10s, as_result));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_FALSE(port.gone());
    auto const again = s.run(smp.async_request(get<node_info>(directed_route{0, 1}), {}, as_result));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again.value().type, node_type::switch_);
}

TEST(DeviceRemoval, IsNoticedByASendToo)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    auto const out = smp.sender();
    ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
    raw_mad const mad{directed_route{0}};
    result<void> sent = outcome::success();
    asio::post(s.loop, [&] { sent = out.try_send(mad); });
    s.run_out();
    EXPECT_EQ(sent.error(), errc::device_gone);
    EXPECT_TRUE(port.gone());
}

TEST(WaitForPort, IsDestroyedWithTheLoop)
{
    auto const witness = std::make_shared<int>(0);
    {
        simulated s{small_tree()};
        s.on_loop->async_wait_for_port(
            {.ca = "mlx5_7", .port = 1}, 300s, [witness](error_code, port const&) { ADD_FAILURE(); });
        s.run_ready();
        EXPECT_GT(witness.use_count(), 1);
    }
    EXPECT_EQ(witness.use_count(), 1);
}

TEST(DeviceRemoval, LeavesNothingThatTheLoopCouldTripOverAtItsEnd)
{
    simulated s{small_tree()};
    auto port = s.on_loop->open().value();
    {
        auto smp = port.register_agent(subnet_directed_route()).value();
        EXPECT_TRUE(s.run(smp.async_request(get<node_info>(directed_route{0}), {}, as_result)));
        ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
        EXPECT_FALSE(s.run(smp.async_request(get<node_info>(directed_route{0}), {}, as_result)));
        s.run_out();
        EXPECT_TRUE(port.gone());
    }
    s.run_out(); // the agent is destroyed, its port is not
}

TEST(ReceivedMad, MayOutliveThePortThatReceivedIt)
{
    received_mad kept;
    {
        simulated s{small_tree()};
        auto port = s.on_loop->open().value();
        auto smp = port.register_agent(subnet_directed_route()).value();
        raw_mad asked{directed_route{0}};
        build_directed_route_smp(asked.bytes, method::get, 0, node_info::layout.id, 0, 0, directed_route{0});
        kept = s.run(smp.async_request(asked, {}, as_result)).value();
    }
    EXPECT_EQ(kept.mad().method(), method::get_response);
}

TEST(WaitForPort, OpensADeviceThatComesLate)
{
    simulated s{small_tree()};
    ASSERT_FALSE(s.fabric->unplug(s.host->node()).code());
    EXPECT_FALSE(s.on_loop->open());
    bool opened = false;
    s.on_loop->async_wait_for_port({}, 10s, [&](error_code code, port const& got) {
        EXPECT_FALSE(code) << code.message();
        opened = static_cast<bool>(got);
    });
    s.time.advance(0ms);
    s.run_ready();
    EXPECT_FALSE(opened);
    s.time.advance(1s);
    s.run_ready();
    EXPECT_FALSE(opened);
    ASSERT_FALSE(s.fabric->plug(s.host->node()).code());
    s.run_out();
    EXPECT_TRUE(opened);
}

TEST(WaitForPort, GivesUpAtItsDeadlineAndWhenCancelled)
{
    simulated s{small_tree()};
    auto const before = s.time.now();
    auto const never_there = s.run(s.on_loop->async_wait_for_port({.ca = "mlx5_7", .port = 1}, 300ms, as_result));
    EXPECT_EQ(never_there.error(), errc::timeout);
    EXPECT_GE(s.time.now() - before, 300ms);
    EXPECT_LT(s.time.now() - before, 400ms);

    asio::cancellation_signal signal;
    error_code end;
    s.on_loop->async_wait_for_port({.ca = "mlx5_7", .port = 1}, 300s,
        asio::bind_cancellation_slot(signal.slot(), [&](error_code code, port const&) { end = code; }));
    s.run_ready();
    signal.emit(asio::cancellation_type::terminal);
    s.run_ready();
    EXPECT_EQ(end, asio::error::operation_aborted);
    EXPECT_EQ(s.time.armed(), 0u);
}

} // namespace
} // namespace madrigal::testing
