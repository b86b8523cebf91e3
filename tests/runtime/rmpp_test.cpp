// Messages longer than a MAD: whoever does RMPP, the same calls and the same outcomes.
#include "runtime/rmpp_world.hpp"

#include <madrigal/engine/rmpp_error.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace madrigal::testing {
namespace {

constexpr auto sa = management_class::subnet_administration;
constexpr auto vendor = management_class{0x32};

class rmpp : public ::testing::TestWithParam<rmpp_sides> {
protected:
    void expect_nothing_held(rmpp_world const& w)
    {
        for (auto const* which : {&w.client, &w.server}) {
            auto const held = which->gauges();
            EXPECT_EQ(held.slots, 0u);
            EXPECT_EQ(held.on_wire, 0u);
            EXPECT_EQ(held.waiting, 0u);
            EXPECT_EQ(held.transfers, 0u);
            EXPECT_EQ(held.message_bytes, 0u);
        }
    }
    static std::vector<std::byte> bytes_of(std::span<std::byte const> data) { return {data.begin(), data.end()}; }
};

TEST_P(rmpp, AnAnswerOfAnyLengthArrivesWholeAndWithItsLength)
{
    rmpp_world w{GetParam(), umad::subnet_administration()};
    w.serve_sizes();
    auto const step = rmpp_segment_data(sa);
    for (std::size_t const size : {std::size_t{0}, std::size_t{1}, std::size_t{8}, step - 1, step, step + 1, 2 * step,
             63 * step, 64 * step + 1, std::size_t{100'000}, std::size_t{1} << 20}) {
        auto const answer = w.ask(question_of(sa, method::get_table, static_cast<std::uint32_t>(size)));
        ASSERT_TRUE(answer) << size << ": " << answer.error().message();
        EXPECT_EQ(answer.value().payload().size(), size);
        EXPECT_EQ(bytes_of(answer.value().payload()), numbered_bytes(size)) << size;
        EXPECT_EQ(answer.value().bytes().size(), class_data_offset(sa) + size);
        EXPECT_EQ(answer.value().mad().method(), method::get_table_response);
        EXPECT_EQ(answer.value().mad().attribute_modifier(), size);
        EXPECT_EQ(answer.value().source(), w.other.own_lid());
    }
    w.s.run_out();
    EXPECT_EQ(w.replies, std::vector<error_code>(11));
    expect_nothing_held(w);
}

TEST_P(rmpp, AQuestionOfAnyLengthArrivesWhole)
{
    rmpp_world w{GetParam(), vendor_class(0x32, openib_oui)};
    w.serve_keeping();
    auto const step = rmpp_segment_data(vendor);
    for (std::size_t const size : {step + 1, 2 * step, std::size_t{5'000}, std::size_t{200'000}}) {
        auto const data = numbered_bytes(size);
        auto const answer = w.ask(question_of(vendor, method::set, 1, data));
        ASSERT_TRUE(answer) << size << ": " << answer.error().message();
        EXPECT_EQ(w.kept, data) << size;
        ASSERT_GE(answer.value().payload().size(), 4u);
        EXPECT_EQ((load_bits<0, 32>(answer.value().payload().data())), size);
    }
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, BothMayBeLong)
{
    rmpp_world w{GetParam(), umad::subnet_administration()};
    w.serve_sizes();
    for (auto const how : {method::get_multi, method::get_table}) {
        auto const answer = w.ask(question_of(sa, how, 70'000, numbered_bytes(30'000)), {.timeout = 5s});
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_EQ(bytes_of(answer.value().payload()), numbered_bytes(70'000));
    }
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, ShortQuestionsAndAnswersGoInOneMad)
{
    rmpp_world w{GetParam(), vendor_class(0x32, openib_oui)};
    w.serve_sizes();
    auto const written = w.port.counters().packets_written;
    auto const answer = w.ask(question_of(vendor, method::get, 100, numbered_bytes(50)));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().bytes().size(), mad_size);
    EXPECT_FALSE(is_active_rmpp(answer.value().mad()));
    EXPECT_EQ(bytes_of(answer.value().payload().first(100)), numbered_bytes(100));
    EXPECT_EQ(w.port.counters().packets_written, written + 1);
}

TEST_P(rmpp, APlainReplyToALongQuestionArrivesWithItsStatus)
{
    rmpp_world w{GetParam(), vendor_class(0x32, openib_oui)};
    asio::co_spawn(w.s.loop,
        w.server.serve([&](request asked) -> asio::awaitable<void> { EXPECT_TRUE(co_await asked.reply(0x000C)); }),
        asio::detached);
    for (std::size_t const size : {10, 5'000}) {
        auto const question = question_of(vendor, size > 200 ? method::set : method::get, 1, numbered_bytes(size));
        auto const answer = w.ask(question, {.timeout = 3s});
        ASSERT_TRUE(answer) << size << ": " << answer.error().message();
        EXPECT_EQ(answer.value().mad().status(), 0x000C);
    }
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, WhoClosesHisAgentOnTheAnswerLeavesNobodyWaiting)
{
    rmpp_world w{GetParam(), umad::subnet_administration()};
    w.serve_sizes();
    unsigned ended = 0;
    w.client.async_request(raw_message{w.other.own_lid(), question_of(sa, method::get_table, 20'000)}, {.timeout = 5s},
        [&](error_code code, received_mad const&) {
            EXPECT_FALSE(code) << code.message();
            ++ended;
            w.client.close();
        });
    EXPECT_TRUE(w.s.run_until([&] { return ended == 1; }));
    w.s.run_out();
    if (GetParam().server == rmpp_by::agent && GetParam().client == rmpp_by::agent) {
        EXPECT_EQ(w.replies, std::vector<error_code>(1)) << "it has got its last acknowledgement";
    }
    EXPECT_EQ(w.replies.size(), 1u);
}

TEST_P(rmpp, ManyDoubleSidedQuestionsOneAfterTheOtherLeaveNothingBehind)
{
    agent_options how;
    how.rmpp.transfers.max_outgoing = 4;
    rmpp_world w{GetParam(), umad::subnet_administration(), configured(), how};
    w.serve_sizes();
    for (int i = 0; i != 10; ++i) {
        auto const answer = w.ask(question_of(sa, method::get_multi, 500, numbered_bytes(700)), {.timeout = 5s});
        ASSERT_TRUE(answer) << i << ": " << answer.error().message();
    }
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, QuestionsThatNobodyServesDoNotKeepOutAnswers)
{
    agent_options how;
    how.rmpp.transfers.max_bytes = 400'000;
    how.rmpp.transfers.max_question = 100'000;
    rmpp_world w{GetParam(), umad::subnet_administration(), configured(), {}, how};
    // Its own port serves the server's agent what it asks, and nobody takes what that one is asked.
    auto asked_back =
        w.port.register_agent(with_rmpp(umad::subnet_administration().serving(method::get_table), rmpp_by::agent))
            .value();
    asio::co_spawn(w.s.loop, asked_back.serve([](request asked) -> asio::awaitable<void> {
        EXPECT_TRUE(co_await asked.reply_with(numbered_bytes(150'000)));
    }),
        asio::detached);
    for (int i = 0; i != 12; ++i)
        w.client.async_request(
            raw_message{w.other.own_lid(), question_of(sa, method::get_multi, 0, numbered_bytes(50'000))},
            {.timeout = 1s, .retries = 0}, [](error_code, received_mad const&) {});
    std::optional<error_code> ended;
    w.s.run_ready();
    w.server.async_request(raw_message{w.port.attributes().base_lid, question_of(sa, method::get_table, 0)},
        {.timeout = 20s}, [&](error_code code, received_mad const& answer) {
            ended = code;
            EXPECT_TRUE(!code && answer.payload().size() == 150'000) << code.message();
        });
    EXPECT_TRUE(w.s.run_until([&] { return ended.has_value(); }));
    EXPECT_EQ(ended, error_code{}) << ended->message();
    EXPECT_LE(w.server.gauges().message_bytes, 400'000u);
    asked_back.close();
}

TEST_P(rmpp, ASinkThatThrowsEndsItsRequestOnce)
{
    for (int const throwing : {1, 2, 1'000'000}) {
        rmpp_world w{GetParam(), umad::subnet_administration()};
        w.serve_sizes();
        int calls = 0;
        std::size_t got = 0;
        std::vector<error_code> outcomes;
        auto const question = question_of(sa, method::get_table, 50'000);
        w.client.async_stream(
            raw_message{w.other.own_lid(), question}, {.timeout = 2s},
            [&](std::span<std::byte const>, std::span<std::byte const> data) {
                got += data.size();
                if (++calls == throwing || got == 50'000)
                    throw std::runtime_error{"on purpose"};
            },
            [&](error_code code, received_mad const&) { outcomes.push_back(code); });
        int thrown = 0;
        for (bool over = false; !over;) {
            try {
                w.s.run_out();
                over = true;
            } catch (std::runtime_error const&) {
                ++thrown;
            }
        }
        EXPECT_EQ(thrown, 1);
        if (GetParam().client == rmpp_by::agent) {
            ASSERT_EQ(outcomes.size(), 1u) << throwing;
            EXPECT_EQ(outcomes.front(), asio::error::operation_aborted);
        }
        EXPECT_EQ(w.client.gauges().slots, 0u);
        EXPECT_EQ(w.client.gauges().transfers, 0u);
    }
}

TEST_P(rmpp, ManyAtOnceDoNotMixTheirData)
{
    rmpp_world w{GetParam(), umad::subnet_administration()};
    w.serve_sizes();
    unsigned ended = 0;
    for (std::uint32_t i = 0; i != 60; ++i)
        w.client.async_request(raw_message{w.other.own_lid(), question_of(sa, method::get_table, 5'000 + 997 * i)},
            {.timeout = 10s}, [&, i](error_code code, received_mad answer) {
                ++ended;
                ASSERT_FALSE(code) << code.message();
                EXPECT_EQ(bytes_of(answer.payload()), numbered_bytes(5'000 + 997 * i));
            });
    EXPECT_TRUE(w.s.run_until([&] { return ended == 60; }));
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, LossIsRepaired)
{
    auto options = configured();
    options.seed = 7;
    rmpp_world w{GetParam(), umad::subnet_administration(), options};
    w.serve_sizes();
    w.lose(0.01);
    for (std::uint32_t const size : {100U, 20'000U, 60'000U}) {
        auto const answer = w.ask(question_of(sa, method::get_table, size), {.timeout = 100s, .retries = 5});
        ASSERT_TRUE(answer) << size << ": " << answer.error().message();
        EXPECT_EQ(bytes_of(answer.value().payload()), numbered_bytes(size));
    }
    w.lose(0);
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, AStreamedAnswerComesInOrderAndWhole)
{
    rmpp_world w{GetParam(), umad::subnet_administration()};
    w.serve_sizes();
    for (std::uint32_t const size : {0U, 50U, 500'000U}) {
        std::vector<std::byte> got;
        unsigned calls = 0;
        auto const question = question_of(sa, method::get_table, size);
        auto const answer = w.s.run(w.client.async_stream(
            raw_message{w.other.own_lid(), question}, {},
            [&](std::span<std::byte const> headers, std::span<std::byte const> data) {
                ++calls;
                EXPECT_EQ(headers.size(), class_data_offset(sa));
                EXPECT_EQ(mad_view{headers}.attribute_modifier(), size);
                got.insert(got.end(), data.begin(), data.end());
            },
            as_result));
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_EQ(got, numbered_bytes(size));
        EXPECT_GE(calls, 1u);
        EXPECT_TRUE(answer.value().payload().empty());
        EXPECT_EQ(answer.value().mad().attribute_modifier(), size);
    }
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, AStreamMayBeLongerThanWhatMayBeHeldIfTheAgentItselfTakesItApart)
{
    agent_options how;
    how.rmpp.transfers.receiving.max_message = 50'000;
    how.rmpp.transfers.max_bytes = 100'000;
    rmpp_world w{GetParam(), umad::subnet_administration(), configured(), how};
    w.serve_sizes();
    std::vector<std::byte> got;
    std::uint64_t most = 0;
    auto const question = question_of(sa, method::get_table, 3'000'000);
    auto const answer = w.s.run(w.client.async_stream(
        raw_message{w.other.own_lid(), question}, {},
        [&](std::span<std::byte const>, std::span<std::byte const> data) {
            got.insert(got.end(), data.begin(), data.end());
            most = std::max(most, w.client.gauges().message_bytes);
        },
        as_result));
    if (GetParam().client == rmpp_by::kernel) {
        ASSERT_FALSE(answer) << "a kernel gives it in one piece";
        EXPECT_EQ(answer.error(), errc::message_too_long);
        return;
    }
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(got, numbered_bytes(3'000'000));
    EXPECT_LE(most, 100'000u);
}

TEST_P(rmpp, AnAnswerLongerThanAllowedEndsItsRequestAtOnce)
{
    agent_options how;
    how.rmpp.transfers.receiving.max_message = 10'000;
    rmpp_world w{GetParam(), umad::subnet_administration(), configured(), how};
    w.serve_sizes();
    auto const before = w.s.time.now();
    auto const answer = w.ask(question_of(sa, method::get_table, 40'000), {.timeout = 30s});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::message_too_long);
    EXPECT_LT(w.s.time.now() - before, 1s);
    {
        auto const next = w.ask(question_of(sa, method::get_table, 9'000));
        ASSERT_TRUE(next) << "what follows is not disturbed: " << next.error().message();
        EXPECT_EQ(bytes_of(next.value().payload()), numbered_bytes(9'000));
    }
    w.s.run_out();
    expect_nothing_held(w);
}

TEST_P(rmpp, MessagesThatTheProgramHoldsCountAgainstTheMemoryOfAll)
{
    agent_options how;
    how.rmpp.transfers.max_bytes = 320'000;
    rmpp_world w{GetParam(), umad::subnet_administration(), configured(), how};
    w.serve_sizes();
    {
        auto const first = w.ask(question_of(sa, method::get_table, 100'000));
        ASSERT_TRUE(first) << first.error().message();
        EXPECT_GE(w.client.gauges().message_bytes, 100'000u);
        auto const second = w.ask(question_of(sa, method::get_table, 200'000));
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error(), errc::message_too_long);
    }
    auto const third = w.ask(question_of(sa, method::get_table, 200'000));
    EXPECT_TRUE(third) << third.error().message();
}

TEST_P(rmpp, OtherAgentsOfThePortGoOnWhileALongAnswerComes)
{
    rmpp_world w{GetParam(), umad::subnet_administration()};
    w.serve_sizes();
    auto smp = w.port.register_agent(subnet_lid_routed()).value();
    bool table = false;
    w.client.async_request(raw_message{w.other.own_lid(), question_of(sa, method::get_table, 1 << 20)}, {},
        [&](error_code code, received_mad const& answer) {
            table = true;
            EXPECT_FALSE(code) << code.message();
            EXPECT_EQ(answer.payload().size(), std::size_t{1} << 20);
        });
    bool node = false;
    smp.async_request(get<node_info>(destination{w.other.own_lid()}), {}, [&](error_code code, node_info const&) {
        node = true;
        EXPECT_FALSE(code) << code.message();
    });
    EXPECT_TRUE(w.s.run_until([&] { return node; }));
    EXPECT_TRUE(w.s.run_until([&] { return table; }));
}

TEST_P(rmpp, ClosingInTheMiddleEndsEverythingOnce)
{
    auto options = slow();
    options.start = sim::start_state::configured;
    rmpp_world w{GetParam(), umad::subnet_administration(), options};
    w.serve_sizes();
    unsigned ended = 0;
    w.client.async_request(raw_message{w.other.own_lid(), question_of(sa, method::get_table, 1 << 20)},
        {.timeout = 100s}, [&](error_code code, received_mad const&) {
            ++ended;
            EXPECT_EQ(code, errc::agent_closed);
        });
    auto const begin = w.s.time.now();
    (void)w.s.run_until([&] { return w.s.time.now() > begin + 30ms; });
    w.client.close();
    w.s.run_out();
    EXPECT_EQ(ended, 1u);
    EXPECT_EQ(w.client.gauges().transfers, 0u);
    EXPECT_EQ(w.client.gauges().message_bytes, 0u);
    EXPECT_EQ(w.replies.size(), 1u) << "who answers is told too";
}

TEST_P(rmpp, CancellingInTheMiddleEndsTheRequestAtOnce)
{
    auto options = slow();
    options.start = sim::start_state::configured;
    rmpp_world w{GetParam(), umad::subnet_administration(), options};
    w.serve_sizes();
    asio::cancellation_signal stop;
    unsigned ended = 0;
    w.client.async_request(raw_message{w.other.own_lid(), question_of(sa, method::get_table, 1 << 20)},
        {.timeout = 100s}, asio::bind_cancellation_slot(stop.slot(), [&](error_code code, received_mad const&) {
            ++ended;
            EXPECT_EQ(code, asio::error::operation_aborted);
        }));
    auto const begin = w.s.time.now();
    (void)w.s.run_until([&] { return w.s.time.now() > begin + 30ms; });
    EXPECT_EQ(ended, 0u);
    stop.emit(asio::cancellation_type::total);
    w.s.run_ready();
    EXPECT_EQ(ended, 0u) << "the peer may have acted";
    stop.emit(asio::cancellation_type::terminal);
    w.s.run_ready();
    EXPECT_EQ(ended, 1u);
    w.s.run_out();
    EXPECT_EQ(w.client.gauges().transfers, 0u);
    EXPECT_EQ(w.client.gauges().message_bytes, 0u);
}

TEST_P(rmpp, ALostDeviceEndsTransfersBothWays)
{
    auto options = slow();
    options.start = sim::start_state::configured;
    rmpp_world w{GetParam(), umad::subnet_administration(), options};
    w.serve_sizes();
    unsigned ended = 0;
    w.client.async_request(raw_message{w.other.own_lid(), question_of(sa, method::get_table, 1 << 20)},
        {.timeout = 100s}, [&](error_code code, received_mad const&) {
            ++ended;
            EXPECT_EQ(code, errc::device_gone);
        });
    auto const begin = w.s.time.now();
    (void)w.s.run_until([&] { return w.s.time.now() > begin + 30ms; });
    ASSERT_FALSE(w.s.fabric->unplug(w.s.host->node()).code());
    EXPECT_TRUE(w.s.run_until([&] { return ended == 1; }));
    EXPECT_EQ(w.client.gauges().transfers, 0u);
}

constexpr auto kernel = rmpp_by::kernel;
constexpr auto own = rmpp_by::agent;
INSTANTIATE_TEST_SUITE_P(AllWays, rmpp,
    ::testing::Values(
        rmpp_sides{kernel, kernel}, rmpp_sides{kernel, own}, rmpp_sides{own, kernel}, rmpp_sides{own, own}),
    name_of_sides);

} // namespace
} // namespace madrigal::testing
