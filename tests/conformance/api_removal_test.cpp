// The public interface when the device goes and comes back.
#include "conformance/api_fixture.hpp"

namespace madrigal::conformance {
namespace {

class ApiRemoval : public Api {
protected:
    void SetUp() override
    {
        if (auto const why = on.cannot_unplug(); !why.empty())
            GTEST_SKIP() << why;
    }
};

TEST_F(ApiRemoval, EndsEveryOperationWithDeviceGoneAndReopensWithTheSameAgents)
{
    auto const serving = server();
    auto const asking = client({.window = {.size = 8}});
    serve(serving, ignore);
    int gone = 0;
    for (std::uint32_t i = 0; i != 50; ++i)
        asking.async_request(ping(i), {.timeout = 30s},
            [&](error_code code, received_mad const&) { gone += code == errc::device_gone; });
    ASSERT_TRUE(run_until([&] { return serving.counters().received == 8; }));
    auto const late = ping(99);
    on.unplug();
    ASSERT_TRUE(run_until([&] { return gone == 50; }, 20s)) << gone;
    EXPECT_TRUE(port.gone());
    expect_nothing_held(asking);
    EXPECT_EQ(run(asking.async_request(late, {}, as_result)).error(), errc::device_gone);
    EXPECT_EQ(run(port.async_reopen(100ms, as_result)).error(), errc::timeout) << "it is not back";

    on.plug();
    auto const back = run(port.async_reopen(20s, as_result));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_FALSE(port.gone());
    serve(serving, echo);
    auto const answer = run(asking.async_request(ping(1), {.timeout = 5s}, as_result));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().mad().attribute_modifier(), 1u);
}

TEST_F(ApiRemoval, IsNoticedByAServerThatOnlyWaits)
{
    auto const serving = server();
    error_code ended;
    serving.async_receive([&](error_code code, request const&) { ended = code; });
    EXPECT_FALSE(run_until([&] { return static_cast<bool>(ended); }, 50ms));
    on.unplug();
    EXPECT_TRUE(run_until([&] { return static_cast<bool>(ended); }, 20s));
    EXPECT_EQ(ended, errc::device_gone);
    on.plug();
}

TEST_F(ApiRemoval, APortIsWaitedFor)
{
    on.unplug();
    std::optional<result<madrigal::port>> opened;
    asio::co_spawn(
        loop,
        [this, &opened]() -> asio::awaitable<void> {
            opened.emplace(co_await on_loop.async_wait_for_port({.ca = on.ca(), .port = on.port()}, 30s, as_result));
        },
        asio::detached);
    EXPECT_FALSE(run_until([&] { return opened.has_value(); }, 100ms));
    on.plug();
    ASSERT_TRUE(run_until([&] { return opened.has_value(); }, 20s));
    EXPECT_TRUE(*opened) << opened->error().message();
}

} // namespace
} // namespace madrigal::conformance
