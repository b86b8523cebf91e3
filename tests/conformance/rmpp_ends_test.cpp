// How transfers by the kernel end: answered, unanswered, timed out half way, unregistered, or by packets of none.
#include "conformance/rmpp_packets.hpp"

#include <cerrno>

namespace madrigal::conformance {
namespace {

class RmppEnds : public Conformance {
protected:
    void SetUp() override
    {
        by_hand_ = sa_agent(by_hand, true, {0x12, 0x14});
        by_kernel_ = sa_agent(by_kernel, false);
    }

    /// A question of so much data by the kernel; its first segment as the other side reads it.
    std::optional<packet> asked(std::size_t size, std::uint32_t timeout_ms, std::uint32_t retries)
    {
        auto one = sa_question(on, by_kernel_, ++number_);
        one.bytes = sa_message(one.mad(), method::get_multi, size);
        one.header.timeout_ms = timeout_ms;
        one.header.retries = retries;
        EXPECT_EQ(by_kernel.write(one), 0);
        return by_hand.read();
    }
    /// A packet of the transfer that `received` is of, by the side that does it by hand.
    void write(packet const& received, method how, rmpp_header header)
    {
        auto one = answer_to(received, by_hand_);
        std::fill(one.bytes.begin() + mad_header_size, one.bytes.end(), std::byte{0});
        one.mad().set_method(how);
        header.version = header.version == 0 ? rmpp_version : header.version;
        header.flags.set(rmpp_flag::active);
        ASSERT_TRUE(set_rmpp_header(one.mad(), header));
        ASSERT_EQ(by_hand.write(one), 0);
    }
    void acknowledge(packet const& received, std::uint32_t segment, std::uint32_t window)
    {
        auto const how = rmpp_other_direction(received.mad().method());
        write(received, how, {.type = rmpp_type::ack, .segment = segment, .length_or_window = window});
    }
    std::string heard(milliseconds within = 10s)
    {
        auto const got = by_hand.read(within);
        return got ? to_string(got->mad().method()) + ": " + describe_rmpp(got->mad()) : "nothing";
    }
    void expect_report(method of, milliseconds within = 10s)
    {
        auto const report = by_kernel.read(within);
        ASSERT_TRUE(report);
        EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
        EXPECT_EQ(report->bytes.size(), mad_header_size);
        EXPECT_EQ(report->mad().method(), of);
    }

    raw_file by_hand{on};
    raw_file by_kernel{on};
    std::uint32_t by_hand_ = 0;
    std::uint32_t by_kernel_ = 0;

private:
    std::uint32_t number_ = 0;
};

TEST_F(RmppEnds, AQuestionThatIsNotAnsweredIsReportedItsTimeoutAfterTheLastAcknowledgement)
{
    auto const first = asked(300, 3'000, 5);
    ASSERT_TRUE(first);
    acknowledge(*first, 1, 65);
    EXPECT_EQ(heard(), "GetMulti: DATA 2, last, payload 120");
    auto const before = on.now();
    acknowledge(*first, 2, 65);
    EXPECT_EQ(heard(), "GetMulti: ACK 0, window up to 1");
    expect_report(method::get_multi, 60s);
    auto const took = on.now() - before;
    EXPECT_GE(took, 2'990ms);
    EXPECT_LT(took, 6s) << "what has arrived is not sent again, whatever the retries";
    EXPECT_TRUE(by_hand.silent(50ms)) << heard();
}

TEST_F(RmppEnds, AnAnswerEndsAQuestionOfWhichNotAllIsAcknowledged)
{
    auto const first = asked(1'000, 500, 5);
    ASSERT_TRUE(first);
    auto answer = answer_to(*first, by_hand_);
    std::fill(answer.bytes.begin() + mad_header_size, answer.bytes.end(), std::byte{0});
    answer.mad().set_method(method::get_multi_response);
    ASSERT_EQ(by_hand.write(answer), 0);
    auto const got = by_kernel.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->header.status, 0U);
    EXPECT_EQ(got->bytes.size(), mad_size);
    EXPECT_TRUE(by_hand.silent(2s)) << heard();
    acknowledge(*first, 1, 65);
    EXPECT_TRUE(by_hand.silent(50ms)) << heard();
    EXPECT_TRUE(by_kernel.silent(50ms));
}

TEST_F(RmppEnds, AQuestionMayTimeOutWhileItsAnswerArrives)
{
    auto plain = sa_question(on, by_kernel_, 77);
    plain.header.timeout_ms = 300;
    ASSERT_EQ(by_kernel.write(plain), 0);
    auto const question = by_hand.read();
    ASSERT_TRUE(question);
    write(*question, method::get_table_response,
        {.type = rmpp_type::data, .flags = rmpp_flag::first, .segment = 1, .length_or_window = 340});
    EXPECT_EQ(heard(), "GetTable: ACK 1, window up to 65");
    expect_report(method::get_table);
    write(*question, method::get_table_response,
        {.type = rmpp_type::data, .flags = rmpp_flag::last, .segment = 2, .length_or_window = 120});
    EXPECT_TRUE(by_hand.silent(500ms)) << heard();
    EXPECT_TRUE(by_kernel.silent(50ms)) << "nobody waits for the message any more";
    EXPECT_EQ(heard(60s), "GetTable: ABORT, 118: total time too long") << "of the segments that came in time";
}

TEST_F(RmppEnds, OfAnAnswerThatIsWholeNothingIsAcknowledgedTwice)
{
    auto plain = sa_question(on, by_kernel_, 79);
    ASSERT_EQ(by_kernel.write(plain), 0);
    auto const question = by_hand.read();
    ASSERT_TRUE(question);
    rmpp_header const whole{.type = rmpp_type::data,
        .flags = flags{rmpp_flag::first, rmpp_flag::last},
        .segment = 1,
        .length_or_window = 120};
    write(*question, method::get_table_response, whole);
    EXPECT_EQ(heard(), "GetTable: ACK 1, window up to 1");
    ASSERT_TRUE(by_kernel.read());
    write(*question, method::get_table_response, whole);
    EXPECT_TRUE(by_hand.silent(500ms)) << "the question is no more: " << heard();
}

TEST_F(RmppEnds, AnAgentThatGoesTellsItsPeersNothing)
{
    auto const question = asked(1'000, 3'000, 1);
    ASSERT_TRUE(question);
    acknowledge(*question, 1, 2);
    EXPECT_EQ(heard(), "GetMulti: DATA 2");
    ASSERT_EQ(by_kernel.unregister(by_kernel_), 0);
    EXPECT_TRUE(by_hand.silent(2'500ms)) << heard();
    acknowledge(*question, 2, 65);
    EXPECT_TRUE(by_hand.silent(50ms)) << heard();
    EXPECT_TRUE(by_kernel.silent(50ms));
}

TEST_F(RmppEnds, PacketsOfNoTransferAreComplainedOfWhereTheyCannotBe)
{
    auto plain = sa_question(on, by_kernel_, 78);
    plain.header.timeout_ms = 1'000;
    ASSERT_EQ(by_kernel.write(plain), 0);
    auto question = by_hand.read();
    ASSERT_TRUE(question);
    expect_report(method::get_table);
    auto const illegal = rmpp_status{9};
    auto const said = [&](rmpp_header const& header) {
        write(*question, method::get_table_response, header);
        return heard(300ms);
    };
    EXPECT_EQ(said({.type = rmpp_type::ack, .status = illegal}), "GetTable: ABORT, 124: illegal status");
    EXPECT_EQ(said({.type = rmpp_type::ack, .segment = 3, .length_or_window = 2}),
        "GetTable: ABORT, 122: NewWindowLast too small");
    EXPECT_EQ(said({.type = rmpp_type::stop, .status = illegal}), "GetTable: ABORT, 124: illegal status");
    EXPECT_EQ(said({.type = rmpp_type::abort, .status = illegal}), "GetTable: ABORT, 124: illegal status");
    EXPECT_EQ(said({.version = 2, .type = rmpp_type::abort}), "GetTable: ABORT, 125: unsupported RMPPVersion");
    EXPECT_EQ(said({.type = rmpp_type{9}}), "GetTable: ABORT, 121: unknown RMPPType");
    EXPECT_EQ(said({.type = rmpp_type::ack, .segment = 3, .length_or_window = 3}), "nothing");
    EXPECT_EQ(said({.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted}), "nothing");
    EXPECT_EQ(said({.type = rmpp_type::abort, .status = rmpp_status::unspecified}), "nothing");
    EXPECT_EQ(said({.type = rmpp_type::data, .segment = 2}), "nothing");
}

TEST_F(RmppEnds, WhatIsLostAfterAnAcknowledgementIsSentAgainButWithATimeoutOfTwoSecondsOrLess)
{
    for (std::uint32_t const timeout_ms : {0, 500, 2'000, 2'001, 3'000}) {
        SCOPED_TRACE(timeout_ms);
        auto const first = asked(1'000, timeout_ms, 1);
        ASSERT_TRUE(first);
        acknowledge(*first, 1, 2);
        EXPECT_EQ(heard(), "GetMulti: DATA 2");
        auto const before = on.now();
        bool const stalls = timeout_ms != 0 && timeout_ms <= 2'000;
        EXPECT_EQ(heard(6s), stalls ? "nothing" : "GetMulti: DATA 2");
        if (!stalls) {
            EXPECT_GE(on.now() - before, 1'900ms);
        }
        EXPECT_TRUE(by_kernel.silent(50ms)) << "not even told";
        write(*first, method::get_multi_response, {.type = rmpp_type::abort, .status = rmpp_status::unspecified});
    }
}

} // namespace
} // namespace madrigal::conformance
