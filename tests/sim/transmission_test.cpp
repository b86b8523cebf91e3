// Writing, waiting, retrying and reading, as ib_umad does it (Linux: user_mad.c, mad.c).
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/node_info.hpp>

#include <algorithm>

namespace madrigal::sim::test {
namespace {

std::array<std::byte, mad_size> question(std::uint64_t id, directed_route const& route = directed_route{0, 1})
{
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, id, attribute_id::node_info, 0, 0, route);
    return smp;
}

directed_route const nowhere{0, 1, 8};

class Transmission : public ::testing::Test {
protected:
    bench with;
    open_file& file = *with.file;
    umad::ib_user_mad_hdr header = header_to(with.directed, permissive_lid, 0);

    int write(std::uint64_t id, directed_route const& route = directed_route{0, 1})
    {
        return file.write(header, question(id, route));
    }
};

TEST_F(Transmission, TakesFrom36To256BytesBehindTheHeader)
{
    std::array<std::byte, mad_size> smp;
    build_lid_routed_smp(smp, method::get, 1, attribute_id::node_info, 0, 0);
    header = header_to(with.routed, lid{99}, 0);
    std::vector<std::byte> longer(300);
    std::copy(smp.begin(), smp.end(), longer.begin());
    EXPECT_EQ(file.write(header, std::span{longer}.first(35)), EINVAL);
    EXPECT_EQ(file.write(header, std::span{longer}.first(36)), 0);
    EXPECT_EQ(file.write(header, std::span{longer}.first(256)), EINVAL) << "the same transaction is outstanding";
    EXPECT_EQ(file.write(header, std::span{longer}.first(257)), EINVAL);
    EXPECT_EQ(file->write(std::span{longer}.first(3)).error().code().value(), EINVAL);
    EXPECT_EQ(file->write({}).error().code().value(), EINVAL);
}

TEST_F(Transmission, TheOldHeaderIsEightBytesShorter)
{
    open_file old{*with.machine};
    umad::ib_user_mad_reg_req wanted{};
    wanted.mgmt_class = 0x81;
    wanted.mgmt_class_version = 1;
    ASSERT_FALSE(old->register_agent(wanted));
    auto const smp = question(1);
    std::array<std::byte, umad::old_header_size + mad_size> bytes{};
    auto const to = header_to(wanted.id, permissive_lid, 0);
    std::memcpy(bytes.data(), &to, umad::old_header_size);
    std::memcpy(bytes.data() + umad::old_header_size, smp.data(), smp.size());
    ASSERT_EQ(old->write(bytes).value(), bytes.size());
    std::array<std::byte, 400> buffer{};
    ASSERT_EQ(old->read(buffer).value(), bytes.size());
    umad::ib_user_mad_hdr got{};
    std::memcpy(static_cast<void*>(&got), buffer.data(), umad::old_header_size);
    EXPECT_EQ(got.length, bytes.size());
    mad_view const answer{std::span{buffer}.subspan(umad::old_header_size, mad_size)};
    EXPECT_EQ(answer.method(), method::get_response);
}

TEST_F(Transmission, AnUnknownAgentIsEioAndAnImpossibleOneEinval)
{
    header.id = 31;
    EXPECT_EQ(write(1), EIO);
    header.id = 32;
    EXPECT_EQ(write(1), EINVAL);
    header.id = 0xFFFF'FFFF;
    EXPECT_EQ(write(1), EINVAL);
}

TEST_F(Transmission, TheUpperHalfOfARequestsIdIsTheAgentsOwn)
{
    ASSERT_EQ(write(0x1234'5678'0000'0009), 0);
    auto const first = file.read()->view().transaction_id();
    EXPECT_EQ(first & 0xFFFF'FFFF, 9u);
    EXPECT_NE(first >> 32, 0x1234'5678u);
    auto const other = file.register_client(0x81);
    header.id = other;
    ASSERT_EQ(write(9), 0);
    auto const got = file.read();
    EXPECT_EQ(got->header.id, other);
    EXPECT_NE(got->view().transaction_id() >> 32, first >> 32);
}

TEST_F(Transmission, ATransactionIdIsFreeAgainOnceItsRequestHasEnded)
{
    ASSERT_EQ(write(7, nowhere), 0);
    EXPECT_EQ(write(7, nowhere), EINVAL);
    EXPECT_EQ(write(7), EINVAL);
    EXPECT_EQ(write(8, nowhere), 0);
    with.clock.advance(100ms);
    ASSERT_TRUE(file.read());
    ASSERT_TRUE(file.read());
    EXPECT_EQ(write(7), 0);
    ASSERT_TRUE(file.read());
    EXPECT_EQ(write(7), 0);
}

TEST_F(Transmission, TheSameIdInAnotherClassOrFileIsAnotherTransaction)
{
    ASSERT_EQ(write(7, nowhere), 0);
    std::array<std::byte, mad_size> smp;
    build_lid_routed_smp(smp, method::get, 7, attribute_id::node_info, 0, 0);
    EXPECT_EQ(file.write(header_to(with.directed, lid{99}, 0), smp), 0) << "an agent may send any class";
    open_file other{*with.machine};
    auto const id = other.register_client(0x81);
    EXPECT_EQ(other.write(header_to(id, permissive_lid, 0), question(7, nowhere)), 0);
}

TEST_F(Transmission, NRetriesAreNPlusOneTransmissions)
{
    with.on->count_transactions(true);
    for (std::uint32_t const retries : {0u, 1u, 5u}) {
        header.retries = retries;
        header.timeout_ms = 300;
        ASSERT_EQ(write(100 + retries, nowhere), 0);
        for (std::uint32_t i = 0; i != retries; ++i) {
            with.clock.advance(300ms);
            EXPECT_FALSE(file.read()) << "after try " << i;
        }
        with.clock.advance(299ms);
        EXPECT_FALSE(file.read());
        with.clock.advance(1ms);
        auto const report = file.read();
        ASSERT_TRUE(report);
        EXPECT_EQ(with.on->transmissions(report->view().transaction_id()), retries + 1);
    }
    EXPECT_EQ(with.on->counters().retransmitted, 6u);
}

TEST_F(Transmission, ATimeoutIsReportedWithTheHeaderAsItWasWrittenAndTwentyFourBytes)
{
    header.length = 88;
    header.sl = 3;
    header.retries = 2;
    header.timeout_ms = 10;
    ASSERT_EQ(write(5, nowhere), 0);
    with.clock.advance(30ms);
    std::array<std::byte, umad::header_size + mad_size> buffer{};
    EXPECT_EQ(file->read(std::span{buffer}.first(umad::header_size + 23)).error().code().value(), EINVAL);
    auto const report = file.read();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->size, 88u);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->header.length, 88u);
    EXPECT_EQ(report->header.timeout_ms, 10u);
    EXPECT_EQ(report->header.retries, 2u);
    EXPECT_EQ(report->header.sl, 3);
    EXPECT_EQ(report->header.lid.value(), 0xFFFF);
    EXPECT_EQ(report->view().method(), method::get);
    EXPECT_EQ(report->view().transaction_id() & 0xFFFF'FFFF, 5u);
    EXPECT_NE(report->view().transaction_id() >> 32, 0u);
    EXPECT_FALSE(file.read());
}

TEST_F(Transmission, WithoutATimeoutALaterAnswerIsDropped)
{
    header.timeout_ms = 0;
    ASSERT_EQ(write(5), 0);
    with.clock.advance(10s);
    EXPECT_FALSE(file.read());
    EXPECT_EQ(with.on->counters().drops(drop_reason::late_answer), 1u);
    EXPECT_EQ(write(5), 0) << "forgotten, so the id is free";
}

TEST_F(Transmission, AnAnswerAfterTheLastTimeoutIsDropped)
{
    with.on->set_faults({.service_time = 150ms});
    ASSERT_EQ(write(5), 0);
    with.clock.advance(100ms);
    ASSERT_TRUE(file.read());
    with.clock.advance(100ms);
    EXPECT_FALSE(file.read());
    EXPECT_EQ(with.on->counters().drops(drop_reason::late_answer), 1u);
}

TEST_F(Transmission, TheAnswerToAnEarlierTryCompletesTheRequestOnce)
{
    with.on->set_faults({.service_time = 150ms});
    header.retries = 3;
    ASSERT_EQ(write(5), 0);
    with.clock.advance(2s);
    ASSERT_TRUE(file.read());
    EXPECT_FALSE(file.read());
}

TEST_F(Transmission, UnregisteringDeliversNothingForWhatWasOutstanding)
{
    ASSERT_EQ(write(5, nowhere), 0);
    ASSERT_FALSE(file->unregister_agent(with.directed));
    with.clock.advance(1s);
    EXPECT_FALSE(file.read());
    EXPECT_FALSE(with.clock.advance_to_next()) << "nothing is left that could become due";
}

TEST_F(Transmission, UnregisteringOneAgentLeavesTheOthersRequestsAlone)
{
    auto const other = file.register_client(0x81);
    ASSERT_EQ(write(5, nowhere), 0);
    header.id = other;
    ASSERT_EQ(write(6, nowhere), 0);
    ASSERT_FALSE(file->unregister_agent(with.directed));
    with.clock.advance(1s);
    EXPECT_EQ(file.read()->header.id, other);
    EXPECT_FALSE(file.read());
}

TEST_F(Transmission, ClosingWithRequestsOutstandingIsQuiet)
{
    with.on->set_faults({.hop_latency = 1ms});
    for (std::uint64_t id = 1; id != 100; ++id)
        ASSERT_EQ(write(id), 0);
    with.file.reset();
    with.clock.advance(1s);
    EXPECT_EQ(with.on->counters().drops(drop_reason::late_answer), 99u);
}

TEST_F(Transmission, ABufferTooSmallLeavesThePacketWhereItIs)
{
    ASSERT_EQ(write(5), 0);
    std::array<std::byte, 319> small{};
    EXPECT_EQ(file->read(std::span{small}.first(63)).error().code().value(), EINVAL);
    EXPECT_EQ(file->read(small).error().code().value(), EINVAL);
    auto const got = file.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->size, 320u);
    EXPECT_EQ(got->header.length, 320u);
    EXPECT_EQ(got->header.status, 0u);
}

TEST_F(Transmission, ADirectedRouteThatDoesNotLeaveByTheAgentsPortIsInvalid)
{
    EXPECT_EQ(write(5, directed_route{0, 2, 3}), EINVAL);
    open_file second{*with.machine, 2};
    auto const id = second.register_client(0x81);
    EXPECT_EQ(second.write(header_to(id, permissive_lid, 0), question(5, directed_route{0, 2, 3})), 0);
    auto const got = second.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->as<node_info>().node_guid, with.on->layout().at(host_b).node_guid);
}

TEST_F(Transmission, PathBitsBeyondTheLmcAndUnknownGidsAreRefused)
{
    header.path_bits = 1;
    EXPECT_EQ(write(5), EINVAL);
    header.path_bits = 0;
    header.grh_present = 1;
    header.gid_index = 1;
    EXPECT_EQ(write(5), ENODATA);
    header.gid_index = 8;
    EXPECT_EQ(write(5), EINVAL);
    header.gid_index = 0;
    EXPECT_EQ(write(5), 0);
}

TEST_F(Transmission, AnAgentWithRmppSendsNoClassWithoutIt)
{
    for (std::uint32_t const flags : {0U, umad::user_rmpp}) {
        auto const agent = file.register_server(0x03, 2, {}, 0, 1, flags);
        std::array<std::byte, mad_size> mad{};
        mutable_mad_view const view{mad};
        view.set_base_version(1);
        view.set_class_version(1);
        view.set_method(method::get);
        view.set_mgmt_class(management_class::performance);
        EXPECT_EQ(file.write(header_to(agent, lid{1}, 1), mad), EINVAL);
        view.set_mgmt_class(management_class::device_management);
        EXPECT_EQ(file.write(header_to(agent, lid{1}, 1), mad), 0);
    }
}

TEST_F(Transmission, AnActiveRmppWriteOfMoreThanOneMadIsRefusedWhereTheAgentDoesRmpp)
{
    auto const agent = file.register_server(0x03, 2, {}, 0, 1, umad::user_rmpp);
    std::vector<std::byte> bytes(1000);
    mutable_mad_view const mad{bytes};
    mad.set_base_version(1);
    mad.set_mgmt_class(management_class::subnet_administration);
    mad.set_class_version(2);
    mad.set_method(method::get_table);
    bytes[26] = std::byte{1};
    EXPECT_EQ(file.write(header_to(agent, lid{1}, 1), bytes), EINVAL);
}

TEST_F(Transmission, FiftyThousandTimeoutsAtOnceAreAllReported)
{
    header.timeout_ms = 50;
    for (std::uint64_t id = 1; id <= 50'000; ++id)
        ASSERT_EQ(write(id, nowhere), 0);
    with.clock.advance(50ms);
    std::vector<bool> seen(50'001);
    while (auto const report = file.read()) {
        ASSERT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
        auto const id = report->view().transaction_id() & 0xFFFF'FFFF;
        EXPECT_FALSE(seen.at(id));
        seen[id] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 50'000);
}

} // namespace
} // namespace madrigal::sim::test
