// Requests: timeouts, retries, reports, and who gets what arrives.
#include "conformance/raw_file.hpp"

#include <cerrno>

namespace madrigal::conformance {
namespace {

class Requests : public Conformance {
protected:
    pair_of_files files{on, {0x01, 0x05}};
};

TEST_F(Requests, ATimeoutIsReportedWithTheHeaderAsItWasWrittenAnd24Bytes)
{
    auto const sent = question(on, files.asks, 0x31, method::get, 200);
    auto const before = on.now();
    ASSERT_EQ(files.client.write(sent), 0);
    auto const report = files.client.read();
    ASSERT_TRUE(report);
    EXPECT_GE(on.now() - before, 190ms);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->header.id, files.asks);
    EXPECT_EQ(report->header.timeout_ms, 200u);
    EXPECT_EQ(report->header.retries, 0u);
    EXPECT_EQ(report->header.length, umad::header_size + mad_size) << "the sender's own";
    EXPECT_EQ(report->header.qpn.value(), 1u);
    EXPECT_EQ(report->header.lid.value(), sent.header.lid.value());
    EXPECT_EQ(report->header.grh_present, 1);
    ASSERT_EQ(report->bytes.size(), mad_header_size);
    auto const mad = report->mad();
    EXPECT_EQ(mad.mgmt_class(), management_class{vendor});
    EXPECT_EQ(mad.method(), method::get);
    EXPECT_EQ(mad.attribute_modifier(), 0x31u);
    EXPECT_EQ(mad.transaction_id() & 0xFFFF'FFFF, 0x31u);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    EXPECT_EQ(mad.transaction_id(), asked->mad().transaction_id()) << "the whole id, as it was sent";
    EXPECT_TRUE(files.client.silent()) << "one report";
}

TEST_F(Requests, NRetriesAreNPlusOneTransmissionsATimeoutApart)
{
    auto const before = on.now();
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x32, method::get, 150, 3)), 0);
    auto const report = files.client.read();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->header.retries, 3u);
    EXPECT_GE(on.now() - before, 580ms);
    int copies = 0;
    std::uint64_t id = 0;
    while (auto const asked = files.server.read(50ms)) {
        EXPECT_TRUE(id == 0 || id == asked->mad().transaction_id());
        id = asked->mad().transaction_id();
        ++copies;
    }
    EXPECT_EQ(copies, 4);
}

TEST_F(Requests, AnAnswerEndsTheRetriesAndIsDeliveredOnce)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x33, method::get, 150, 5)), 0);
    ASSERT_TRUE(files.server.read());
    auto const second = files.server.read();
    ASSERT_TRUE(second);
    auto const answer = answer_to(*second, files.serves);
    ASSERT_EQ(files.server.write(answer), 0);
    auto const got = files.client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->header.status, 0u);
    EXPECT_EQ(got->header.id, files.asks);
    EXPECT_EQ(got->header.length, umad::header_size + mad_size);
    EXPECT_EQ(got->mad().method(), method::get_response);
    EXPECT_TRUE(files.client.silent());
    EXPECT_TRUE(files.server.silent()) << "a retry after the answer";
}

TEST_F(Requests, WithoutATimeoutALaterAnswerIsDropped)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x34, method::get, 0)), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    EXPECT_TRUE(files.client.silent());
}

TEST_F(Requests, AnAnswerAfterTheTimeoutIsDropped)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x35, method::get, 100)), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    auto const report = files.client.read();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    EXPECT_TRUE(files.client.silent());
}

TEST_F(Requests, AnAnswerWithAStrangersIdIsDropped)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x36, method::get, 1'000)), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    auto strange = answer_to(*asked, files.serves);
    strange.mad().set_transaction_id(asked->mad().transaction_id() ^ 0x8000'0000'0000'0000);
    ASSERT_EQ(files.server.write(strange), 0);
    strange.mad().set_transaction_id(asked->mad().transaction_id() ^ 1);
    ASSERT_EQ(files.server.write(strange), 0);
    EXPECT_TRUE(files.client.silent(200ms));
    ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    auto const answer = files.client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.status, 0u);
}

TEST_F(Requests, AGetOrSetThatNobodyServesIsAnsweredUnsupportedByTheKernel)
{
    files.server.close();
    for (auto const ask : {method::get, method::set}) {
        ASSERT_EQ(files.client.write(question(on, files.asks, 0x37, ask)), 0);
        auto const answer = files.client.read();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->header.status, 0u);
        ASSERT_EQ(answer->bytes.size(), mad_size);
        EXPECT_EQ(answer->mad().method(), method::get_response);
        EXPECT_EQ(answer->mad().status(), 0x000C);
        EXPECT_EQ(answer->mad().attribute_modifier(), 0x37u);
    }
}

TEST_F(Requests, AnotherMethodThatNobodyServesIsDropped)
{
    for (auto const ask : {method::send, method::report, method{0x45}}) {
        ASSERT_EQ(files.client.write(question(on, files.asks, 0x38, ask, 150)), 0);
        auto const report = files.client.read();
        ASSERT_TRUE(report);
        EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT)) << to_string(ask);
    }
    EXPECT_TRUE(files.server.silent(50ms));
}

TEST_F(Requests, ClassVersionAndOuiMustFit)
{
    auto other_version = question(on, files.asks, 0x39);
    other_version.mad().set_class_version(2);
    ASSERT_EQ(files.client.write(other_version), 0);
    auto answer = files.client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->mad().status(), 0x000C);
    auto other_oui = question(on, files.asks, 0x3A);
    other_oui.bytes[39] ^= std::byte{1};
    ASSERT_EQ(files.client.write(other_oui), 0);
    answer = files.client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->mad().status(), 0x000C);
    EXPECT_TRUE(files.server.silent(50ms));
}

TEST_F(Requests, TrapRepressIsAnAnswerThoughItHasNoResponseBit)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x3B, method::trap)), 0);
    auto const trap = files.server.read();
    ASSERT_TRUE(trap);
    ASSERT_EQ(trap->mad().method(), method::trap);
    auto const repress = answer_to(*trap, files.serves);
    ASSERT_EQ(repress.mad().method(), method::trap_repress);
    ASSERT_EQ(files.server.write(repress), 0);
    auto const answer = files.client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.status, 0u);
    EXPECT_EQ(answer->mad().method(), method::trap_repress);
    EXPECT_EQ(answer->mad().transaction_id(), trap->mad().transaction_id()) << "an answer keeps its whole id";
}

TEST_F(Requests, UnregisteringDeliversNothingForWhatIsOutstanding)
{
    auto const leaves = files.client.agent(wanted_vendor());
    ASSERT_EQ(files.client.write(question(on, leaves, 1, method::get, 1'000)), 0);
    ASSERT_EQ(files.client.write(question(on, files.asks, 2, method::get, 1'000)), 0);
    EXPECT_EQ(files.client.unregister(leaves), 0);
    auto const report = files.client.read();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.id, files.asks);
    EXPECT_TRUE(files.client.silent());
}

TEST_F(Requests, ClosingWithRequestsOutstandingIsQuietAndTheirAnswersAreDropped)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 1, method::get, 150)), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    files.client.close();
    EXPECT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    EXPECT_TRUE(files.server.silent());
}

TEST_F(Requests, AServerThatLeavesLetsItsRequestsTimeOut)
{
    ASSERT_EQ(files.client.write(question(on, files.asks, 0x3C, method::get, 200)), 0);
    ASSERT_TRUE(files.server.read());
    EXPECT_EQ(files.server.unregister(files.serves), 0);
    auto const report = files.client.read();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
}

TEST_F(Requests, AnAnswerGoesToTheAgentThatAskedAmongSeveralOfTheClass)
{
    std::vector<std::uint32_t> agents{files.asks};
    for (int i = 0; i != 3; ++i)
        agents.push_back(files.client.agent(wanted_vendor()));
    for (std::uint32_t i = 0; i != agents.size(); ++i)
        ASSERT_EQ(files.client.write(question(on, agents[i], i)), 0);
    for (std::uint32_t i = 0; i != agents.size(); ++i) {
        auto const asked = files.server.read();
        ASSERT_TRUE(asked);
        ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
        auto const answer = files.client.read();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->header.id, agents.at(asked->mad().attribute_modifier()));
    }
}

TEST_F(Requests, AServerMayAskItsClientMeanwhile)
{
    // The methods of an agent are for requests; answers find their way by the id alone, whatever the agent serves.
    ASSERT_EQ(files.client.write(question(on, files.asks, 1)), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    ASSERT_EQ(files.server.write(question(on, files.serves, 2)), 0);
    auto const own = files.server.read();
    ASSERT_TRUE(own) << "the server's own class is served by itself";
    EXPECT_EQ(own->mad().attribute_modifier(), 2u);
    ASSERT_EQ(files.server.write(answer_to(*own, files.serves)), 0);
    auto const answered = files.server.read();
    ASSERT_TRUE(answered);
    EXPECT_EQ(answered->mad().method(), method::get_response);
    ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    EXPECT_TRUE(files.client.read());
}

} // namespace
} // namespace madrigal::conformance
