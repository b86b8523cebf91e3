// Messages from kernel to kernel: what their users write, read and are told.
#include "rmpp_talk.hpp"

#include <algorithm>

namespace madrigal::sim::test {
namespace {

using KernelRmpp = RmppTalk;

constexpr std::size_t megabyte = std::size_t{1} << 20;

TEST_F(KernelRmpp, CarriesAMegabyteEachWay)
{
    ASSERT_EQ(ask(megabyte, 10'000), 0);
    auto const question = read(c);
    ASSERT_TRUE(question);
    EXPECT_EQ(question->header.id, serves);
    EXPECT_EQ(question->mad().method(), method::get_multi);
    expect_table(*question, megabyte);
    ASSERT_EQ(reply(*question, megabyte + 1), 0);
    auto const answer = read(a);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.id, asks);
    EXPECT_EQ(answer->mad().transaction_id(), question->mad().transaction_id());
    expect_table(*answer, megabyte + 1);
    EXPECT_FALSE(read(a)) << "the answer has ended the question";
    EXPECT_FALSE(read(c, 0s));
    EXPECT_EQ(with.on->counters().retransmitted, 0U);
}

TEST_F(KernelRmpp, CarriesASegmentAsAPacketOfTheWire)
{
    auto const before = with.on->counters().transmitted;
    auto const question = asked();
    ASSERT_TRUE(question);
    ASSERT_EQ(reply(*question, 1'000), 0);
    ASSERT_TRUE(read(a));
    EXPECT_EQ(with.on->counters().transmitted - before, 1U + 5 + 2) << "ACKs of the first segment and of the last";
}

TEST_F(KernelRmpp, TakesTheRouteByGidToo)
{
    auto const gid_of = [&](topology::node_index node) {
        return gid{default_subnet_prefix, with.on->look_at({node, 1}).value().port_guid};
    };
    to_c.grh_present = 1;
    auto const there = gid_of(host_c);
    std::copy(there.bytes().begin(), there.bytes().end(), std::begin(to_c.gid));
    ASSERT_EQ(ask(5'000, 10'000), 0);
    auto const question = read(c);
    ASSERT_TRUE(question);
    EXPECT_EQ(question->header.grh_present, 1);
    auto const here = gid_of(host_a);
    EXPECT_TRUE(std::equal(here.bytes().begin(), here.bytes().end(), std::begin(question->header.gid)));
    expect_table(*question, 5'000);
    ASSERT_EQ(reply(*question, 6'000), 0);
    auto const answer = read(a);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.grh_present, 1);
    expect_table(*answer, 6'000);
}

TEST_F(KernelRmpp, CarriesTwoTransfersAtOnceEachWay)
{
    with.on->set_faults({.hop_latency = 1us});
    open_file second{*with.machine};
    auto const also_asks = second.register_server(subn_adm, 2, {}, 0, 1);
    ASSERT_EQ(ask(300'000, 60'000), 0);
    ASSERT_EQ(ask(300'001, 60'000), 0);
    to_c.id = also_asks;
    ASSERT_EQ(second.write(to_c, table_of(1, method::get_multi, 299'999)), 0) << "an id is its agent's own";
    std::vector<message> questions;
    for (int i = 0; i != 3; ++i) {
        auto got = read(c);
        ASSERT_TRUE(got);
        questions.push_back(std::move(*got));
    }
    auto const shortest = std::min_element(questions.begin(), questions.end(),
        [](auto const& one, auto const& other) { return one.bytes.size() < other.bytes.size(); });
    expect_table(*shortest, 299'999);
    for (auto const& question : questions)
        ASSERT_EQ(reply(question, 2 * (question.bytes.size() - 56)), 0);
    auto const one = read(a);
    auto const other = read(a);
    ASSERT_TRUE(one && other);
    expect_table(*one, 600'000);
    expect_table(*other, 600'002);
    auto const third = read(second);
    ASSERT_TRUE(third);
    expect_table(*third, 599'998);
    EXPECT_FALSE(read(c)) << "nothing to report";
}

TEST_F(KernelRmpp, AnIdIsTakenUntilItsTransferIsOver)
{
    with.on->set_faults({.hop_latency = 1us});
    auto const question = asked();
    ASSERT_TRUE(question);
    ASSERT_EQ(reply(*question, 100'000), 0);
    EXPECT_EQ(reply(*question, 100'000), EINVAL) << "to the same destination";
    ASSERT_TRUE(read(a));
    clock().advance(1ms); // the last ACK arrives
    EXPECT_EQ(reply(*question, 100), 0);
    ASSERT_EQ(ask(1'000, 1'000), 0);
    --number;
    EXPECT_EQ(ask(2'000, 1'000), EINVAL);
}

TEST_F(KernelRmpp, AQuestionThatNobodyAnswersIsReportedOnceItsTimeIsUpSinceTheLastAcknowledgement)
{
    with.on->set_faults({.hop_latency = 1us});
    ASSERT_EQ(ask(20'000, 3'000, 5), 0);
    ASSERT_TRUE(read(c));
    auto const before = clock().now();
    auto const report = read(a, 600s);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->bytes.size(), mad_header_size);
    EXPECT_EQ(report->mad().method(), method::get_multi);
    EXPECT_GE(clock().now() - before, 3s);
    EXPECT_LT(clock().now() - before, 3s + 1ms) << "what has arrived is not sent again, whatever the retries";
    EXPECT_EQ(with.on->counters().retransmitted, 0U);
}

TEST_F(KernelRmpp, AQuestionMayTimeOutWhileItsAnswerArrives)
{
    with.on->set_faults({.hop_latency = 100us});
    auto const question = asked(5);
    ASSERT_TRUE(question);
    ASSERT_EQ(reply(*question, 200'000), 0);
    auto const report = read(a);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->mad().transaction_id(), question->mad().transaction_id());
    auto const before = clock().now();
    auto const of_reply = read(c);
    ASSERT_TRUE(of_reply) << "what comes later is not acknowledged";
    EXPECT_EQ(of_reply->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(of_reply->mad().method(), method::get_table_response);
    EXPECT_LE(clock().now() - before, 9s);
    EXPECT_GT(with.on->counters().drops(drop_reason::late_answer), 3U);
    EXPECT_FALSE(read(a));
}

TEST_F(KernelRmpp, AnAnswerEndsAQuestionThatIsNotAllAcknowledgedYet)
{
    open_file by_hand{*machine_c};
    ASSERT_FALSE(c->unregister_agent(serves));
    auto const agent = by_hand.register_server(subn_adm, 2, {0x14}, 0, 1, umad::user_rmpp);
    ASSERT_EQ(ask(1'000, 500, 5), 0);
    auto const first = read(by_hand);
    ASSERT_TRUE(first);
    auto to = first->header;
    to.id = agent;
    to.timeout_ms = 0;
    to.qkey.set(0x8001'0000);
    std::array<std::byte, mad_size> plain{};
    std::copy_n(first->bytes.begin(), mad_header_size, plain.begin());
    mutable_mad_view{plain}.set_method(method::get_multi_response);
    ASSERT_EQ(by_hand.write(to, plain), 0);
    auto const answer = read(a);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->bytes.size(), mad_size);
    EXPECT_FALSE(read(by_hand)) << "neither a segment nor an ABORT";
    EXPECT_FALSE(read(a));
}

TEST_F(KernelRmpp, AReplyToAReaderWithOldHeadersHasTheLengthOfThese)
{
    open_file old{*with.machine};
    umad::ib_user_mad_reg_req wanted{};
    wanted.qpn = 1;
    wanted.mgmt_class = subn_adm;
    wanted.mgmt_class_version = 2;
    wanted.rmpp_version = 1;
    ASSERT_FALSE(old->register_agent(wanted));
    auto const mad = table_of(5, method::get_multi, 300);
    std::vector<std::byte> bytes(umad::old_header_size);
    to_c.id = wanted.id;
    std::memcpy(bytes.data(), &to_c, bytes.size());
    bytes.insert(bytes.end(), mad.begin(), mad.end());
    ASSERT_EQ(old->write(bytes).value(), bytes.size());
    auto const question = read(c);
    ASSERT_TRUE(question);
    expect_table(*question, 300);
    ASSERT_EQ(reply(*question, 700), 0);
    constexpr std::size_t needed = umad::old_header_size + 56 + 700;
    std::vector<std::byte> buffer(needed);
    EXPECT_EQ(old->read(std::span{buffer}.first(umad::old_header_size + mad_size - 1)).error().code().value(), EINVAL);
    EXPECT_EQ(old->read(std::span{buffer}.first(needed - 1)).error().code().value(), ENOSPC);
    EXPECT_EQ(old->read(buffer).value(), needed);
    umad::ib_user_mad_hdr header{};
    std::memcpy(static_cast<void*>(&header), buffer.data(), umad::old_header_size);
    EXPECT_EQ(header.length, needed);
    for (std::size_t i = 0; i != 700; ++i)
        ASSERT_EQ(buffer[umad::old_header_size + 56 + i], filling(i)) << i;
}

TEST_F(KernelRmpp, ASegmentedRequestThatNobodyServesIsRefusedAsAPlainOneIs)
{
    ASSERT_FALSE(c->unregister_agent(serves));
    to_c.timeout_ms = 1'000;
    ASSERT_EQ(a.write(to_c, table_of(7, method::set, 20)), 0);
    auto const answer = read(a);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.status, 0U);
    EXPECT_EQ(answer->mad().method(), method::get_response);
    EXPECT_EQ(answer->mad().status(), mad_status::unsupported_method_attribute);
    EXPECT_FALSE(read(a));
}

} // namespace
} // namespace madrigal::sim::test
