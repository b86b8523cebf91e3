// Peers that lie, flood or fall silent, against an agent that does RMPP itself.
#include "runtime/rmpp_world.hpp"

#include <madrigal/engine/rmpp_error.hpp>

#include <array>
#include <random>

namespace madrigal::testing {
namespace {

constexpr auto sa = management_class::subnet_administration;

/// A world whose client is a raw sender of packets, for whom nobody does RMPP.
struct hostile_peer : ::testing::Test {
    static agent_options small()
    {
        agent_options how;
        how.rmpp.transfers.max_bytes = std::size_t{1} << 20;
        how.rmpp.transfers.max_questions = 64;
        how.rmpp.transfers.max_lingering = 128;
        how.window.size = 1'024;
        return how;
    }
    rmpp_world w{{rmpp_by::nobody, rmpp_by::agent}, umad::subnet_administration(), configured(), {}, small()};

    [[nodiscard]] raw_mad segment(std::uint64_t transaction, rmpp_header header, method how = method::get_table) const
    {
        raw_mad mad{w.other.own_lid()};
        auto const headers = question_of(sa, how, 100);
        std::copy(headers.begin(), headers.end(), mad.bytes.begin());
        mutable_mad_view const view{mad.bytes};
        view.set_transaction_id(transaction);
        (void)set_rmpp_header(view, header);
        return mad;
    }
    [[nodiscard]] static rmpp_header first(std::uint32_t announced = 0)
    {
        return {.version = rmpp_version,
            .type = rmpp_type::data,
            .response_time = rmpp_no_response_time,
            .flags = rmpp_flags{rmpp_flag::active} | rmpp_flags{rmpp_flag::first},
            .segment = 1,
            .length_or_window = announced};
    }
    void send(raw_mad const& mad)
    {
        w.client.async_send(mad, [](error_code code) { EXPECT_FALSE(code) << code.message(); });
        w.s.run_ready();
    }
    void expect_it_serves()
    {
        auto const answer = w.ask(question_of(sa, method::get, 20), {.timeout = 1s});
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_FALSE(is_active_rmpp(answer.value().mad()));
    }
};

TEST_F(hostile_peer, TenThousandHalfOpenTransfersTakeNoMoreThanTheirBound)
{
    w.serve_sizes();
    for (std::uint32_t i = 0; i != 10'000; ++i) {
        send(segment(i + 1, first(0xFFFF'FFFF)));
        ASSERT_LE(w.server.gauges().transfers, 64u);
        ASSERT_LE(w.server.gauges().message_bytes, std::size_t{1} << 20);
    }
    expect_it_serves();
    w.s.run_out();
    EXPECT_EQ(w.server.gauges().transfers, 0u) << "none of them is kept for ever";
    EXPECT_EQ(w.server.gauges().message_bytes, 0u);
}

TEST_F(hostile_peer, RandomSegmentsWindowsAndLengthsHarmNothing)
{
    w.serve_sizes();
    std::mt19937 random{20};
    auto const any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    std::array<method, 4> const methods{method::get_table, method::get_table_response, method::get_multi, method::get};
    for (int i = 0; i != 20'000; ++i) {
        rmpp_header header{.version = static_cast<std::uint8_t>(any(20) == 0 ? any(256) : 1),
            .type = static_cast<rmpp_type>(any(20) == 0 ? any(256) : 1 + any(4)),
            .response_time = static_cast<std::uint8_t>(any(32)),
            .status = static_cast<rmpp_status>(any(4) == 0 ? any(256) : 0),
            .segment = any(3) == 0 ? any(70) : (any(2) == 0 ? 1 : static_cast<std::uint32_t>(random())),
            .length_or_window = any(2) == 0 ? any(300) : static_cast<std::uint32_t>(random())};
        header.flags.set(rmpp_flag::active);
        if (any(2) == 0)
            header.flags.set(rmpp_flag::first);
        if (any(3) == 0)
            header.flags.set(rmpp_flag::last);
        send(segment(any(8), header, methods[any(4)]));
        ASSERT_LE(w.server.gauges().message_bytes, std::size_t{1} << 20);
        ASSERT_LE(w.server.gauges().transfers, 64u + 1'024u);
    }
    expect_it_serves();
}

TEST_F(hostile_peer, WhoAsksForTablesAndNeverAcknowledgesIsGivenUp)
{
    w.serve_sizes();
    for (std::uint32_t i = 0; i != 100; ++i) {
        auto question = question_of(sa, method::get_table, 50'000);
        raw_mad mad{w.other.own_lid()};
        std::copy(question.begin(), question.end(), mad.bytes.begin());
        mutable_mad_view{mad.bytes}.set_transaction_id(i + 1);
        send(mad);
        ASSERT_LE(w.server.gauges().transfers, 64u);
    }
    w.s.run_out();
    ASSERT_EQ(w.replies.size(), 100u);
    for (auto const& how : w.replies)
        EXPECT_TRUE(how == errc::timeout || how == errc::queue_full) << how.message();
    EXPECT_EQ(w.server.gauges().transfers, 0u);
    expect_it_serves();
}

/// A client that does RMPP itself, and a server whose answers are made by hand.
struct hostile_server : ::testing::Test {
    rmpp_world w{{rmpp_by::agent, rmpp_by::nobody}, umad::subnet_administration()};
    std::optional<result<received_mad>> outcome;
    std::optional<request> asked;

    void ask()
    {
        auto const question = question_of(sa, method::get_table, 0);
        w.client.async_request(raw_message{w.other.own_lid(), question}, {.timeout = 500ms, .retries = 1},
            [this](error_code code, received_mad answer) {
                if (code)
                    outcome.emplace(error{code});
                else
                    outcome.emplace(std::move(answer));
            });
        w.server.async_receive([this](error_code code, request what) {
            ASSERT_FALSE(code) << code.message();
            asked.emplace(std::move(what));
        });
        EXPECT_TRUE(w.s.run_until([&] { return asked.has_value(); }));
    }
    void answer(rmpp_header header, std::uint16_t attribute = 0x11)
    {
        header.version = rmpp_version;
        header.flags.set(rmpp_flag::active);
        raw_mad mad{asked->received().reply_to()};
        auto const from = asked->received().bytes();
        std::copy_n(from.begin(), from.size(), mad.bytes.begin());
        mutable_mad_view const view{mad.bytes};
        view.set_method(method::get_table_response);
        view.set_attribute_id(attribute);
        (void)set_rmpp_header(view, header);
        w.server.async_send(mad, [](error_code code) { EXPECT_FALSE(code) << code.message(); });
        w.s.run_ready();
    }
    void expect_ended_by(error_code code)
    {
        EXPECT_TRUE(w.s.run_until([&] { return outcome.has_value(); }));
        ASSERT_FALSE(*outcome);
        EXPECT_EQ(outcome->error().code(), code) << outcome->error().message();
        EXPECT_EQ(w.client.gauges().slots, 0u);
        EXPECT_EQ(w.client.gauges().transfers, 0u);
        EXPECT_EQ(w.client.gauges().message_bytes, 0u);
    }
    static rmpp_header data(std::uint32_t segment, std::uint32_t length = 0, rmpp_flags flags = {})
    {
        if (segment == 1)
            flags.set(rmpp_flag::first);
        return {.type = rmpp_type::data, .flags = flags, .segment = segment, .length_or_window = length};
    }
    static error_code ended(engine::rmpp_end how, rmpp_status why) { return engine::make_rmpp_error({how, why}); }
};

TEST_F(hostile_server, AnAbortInsteadOfAnAnswerEndsTheRequestAtOnceAndSaysWhy)
{
    ask();
    answer({.type = rmpp_type::abort, .status = rmpp_status::unspecified});
    expect_ended_by(ended(engine::rmpp_end::aborted, rmpp_status::unspecified));
    EXPECT_NE(outcome->error().message().find("127"), std::string::npos) << outcome->error().message();
}

TEST_F(hostile_server, AStopInTheMiddleEndsTheRequest)
{
    ask();
    answer(data(1));
    answer({.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted});
    expect_ended_by(ended(engine::rmpp_end::stopped, rmpp_status::resources_exhausted));
}

TEST_F(hostile_server, AnAnswerThatBreaksTheProtocolEndsTheRequest)
{
    ask();
    answer(data(1));
    answer(data(2, 5'000, rmpp_flag::last)); // more than a segment has
    EXPECT_TRUE(w.s.run_until([&] { return outcome.has_value(); }));
    ASSERT_FALSE(*outcome);
    EXPECT_EQ(engine::rmpp_outcome_of(outcome->error().code()).end, engine::rmpp_end::refused)
        << outcome->error().message();
}

TEST_F(hostile_server, WhoFallsSilentInTheMiddleIsGivenUp)
{
    ask();
    answer(data(1));
    expect_ended_by(errc::timeout);
}

TEST_F(hostile_server, WhoDripsCannotHoldARequestBeyondItsTotalTime)
{
    asked.reset();
    auto const question = question_of(sa, method::get_table, 0);
    w.client.async_request(raw_message{w.other.own_lid(), question}, {.timeout = 500ms, .total = 20s},
        [this](error_code code, received_mad) { outcome.emplace(error{code}); });
    w.server.async_receive([this](error_code, request what) { asked.emplace(std::move(what)); });
    ASSERT_TRUE(w.s.run_until([&] { return asked.has_value(); }));
    auto const begin = w.s.time.now();
    for (std::uint32_t number = 1; !outcome && number != 100; ++number) {
        answer(data(number));
        auto const next = w.s.time.now() + 5s;
        auto const clock = w.s.time.make_alarm([] {});
        clock->arm(next);
        (void)w.s.run_until([&] { return outcome || w.s.time.now() >= next; });
    }
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->error(), errc::timeout);
    EXPECT_LE(w.s.time.now() - begin, 21s);
    EXPECT_EQ(w.client.gauges().transfers, 0u);
    EXPECT_EQ(w.client.gauges().slots, 0u);
}

TEST_F(hostile_server, WhoBeginsWithAnyOtherSegmentGetsTheUsualTimeout)
{
    ask();
    answer(data(2));
    expect_ended_by(errc::timeout);
}

TEST_F(hostile_server, SegmentsAboutSomethingElseAreNoAnswer)
{
    ask();
    answer(data(1), 0x12);
    EXPECT_EQ(w.client.counters().mismatched_answers, 1u);
    answer(data(1, 50, rmpp_flag::last));
    EXPECT_TRUE(w.s.run_until([&] { return outcome.has_value(); }));
    ASSERT_TRUE(*outcome) << outcome->error().message();
    EXPECT_EQ(outcome->value().payload().size(), 30u);
}

TEST_F(hostile_server, AnAnswerToACancelledRequestIsAborted)
{
    asio::cancellation_signal stop;
    auto const question = question_of(sa, method::get_table, 0);
    w.client.async_request(raw_message{w.other.own_lid(), question}, {.timeout = 500ms},
        asio::bind_cancellation_slot(
            stop.slot(), [this](error_code code, received_mad) { outcome.emplace(error{code}); }));
    w.server.async_receive([this](error_code, request what) { asked.emplace(std::move(what)); });
    EXPECT_TRUE(w.s.run_until([&] { return asked.has_value(); }));
    stop.emit(asio::cancellation_type::terminal);
    w.s.run_ready();
    ASSERT_TRUE(outcome);
    w.client.async_receive([](error_code, request const&) {}); // a port that nobody waits for is not read
    answer(data(1));
    EXPECT_EQ(w.client.counters().late_answers, 1u);
    EXPECT_EQ(w.client.gauges().slots, 0u);
    EXPECT_EQ(w.client.gauges().transfers, 0u);
    // The server's agent does no RMPP: the abort reaches it as a MAD of the method GetTable.
    std::optional<request> told;
    for (int i = 0; i != 2; ++i) // behind an ACK
        w.server.async_receive([&](error_code, request what) { told.emplace(std::move(what)); });
    w.s.run_ready();
    ASSERT_TRUE(told);
    EXPECT_EQ(rmpp_header_of(told->mad())->type, rmpp_type::abort);
}

} // namespace
} // namespace madrigal::testing
