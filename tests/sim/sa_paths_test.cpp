// The paths that the fabric's own subnet administration tells, against the ways that packets take.
#include "sa_talk.hpp"

#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/attributes/path_record.hpp>
#include <madrigal/wire/attributes/port_info.hpp>

#include <gmock/gmock.h>

#include <set>

namespace madrigal::sim::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using query_type = record_query<path_record>;

class SaPaths : public ::testing::Test {
protected:
    query_type between(topology::endpoint from, topology::endpoint to)
    {
        return query_type{}.where<&path_record::sgid>(talk.gid_of(from)).where<&path_record::dgid>(talk.gid_of(to));
    }
    std::uint16_t refused(query_type const& query, method how = method::get) { return talk.status_of(how, query); }

    sa_talk talk;
};

TEST_F(SaPaths, AreNamedByGidsOrByLids)
{
    auto const path = talk.get(between({host_a, 1}, {host_c, 1}).where<&path_record::numb_path>(1));
    EXPECT_EQ(path.slid, talk.at({host_a, 1}));
    EXPECT_EQ(path.dlid, talk.at({host_c, 1}));
    EXPECT_EQ(path.sgid, talk.gid_of({host_a, 1}));
    EXPECT_EQ(path.dgid, talk.gid_of({host_c, 1}));
    EXPECT_EQ(path.p_key, 0xFFFF);
    EXPECT_EQ(path.service_level, 0);
    EXPECT_TRUE(path.reversible);
    EXPECT_EQ(path.mtu_selector, selector::exactly);
    EXPECT_EQ(path.packet_life_time, 18); // what the switches on the way say
    EXPECT_EQ(talk.get(query_type{}.where<&path_record::slid>(path.slid).where<&path_record::dlid>(path.dlid)), path);
    EXPECT_EQ(talk.get(between({host_a, 1}, {host_c, 1}).where<&path_record::dlid>(path.dlid)), path);
    EXPECT_EQ(
        refused(between({host_a, 1}, {host_c, 1}).where<&path_record::dlid>(path.slid)), mad_status::sa_no_records);
}

TEST_F(SaPaths, AreAsFastAsTheSlowestLinkAndPacketsAsLongAsTheNarrowestAllows)
{
    EXPECT_EQ(talk.get(between({host_a, 1}, {host_c, 1})).rate, path_rate::gbps_100);
    EXPECT_EQ(talk.get(between({host_a, 2}, {host_c, 1})).rate, path_rate::gbps_40); // FDR10
    EXPECT_EQ(talk.get(between({host_b, 1}, {host_c, 1})).rate, path_rate::gbps_2_5);
    EXPECT_EQ(talk.get(between({switch_2, 0}, {host_c, 1})).rate, path_rate::gbps_400);
    EXPECT_EQ(talk.get(between({host_c, 1}, {host_c, 1})).rate, path_rate::gbps_400);
    EXPECT_EQ(talk.get(between({host_c, 1}, {host_c, 1})).packet_life_time, 0);
    EXPECT_EQ(talk.get(between({host_a, 1}, {host_c, 1})).path_mtu, mtu::bytes_4096);
    auto info = talk.with.get<port_info>(directed_route{0, 1, 5, 1});
    info.state = port_state::no_change;
    info.phys_state = physical_state::no_change;
    info.neighbor_mtu = mtu::bytes_1024;
    ASSERT_EQ(talk.with.set(directed_route{0, 1, 5, 1}, info)->view().outcome(), 0);
    EXPECT_EQ(talk.get(between({host_a, 1}, {host_c, 1})).path_mtu, mtu::bytes_1024);
    EXPECT_EQ(talk.get(between({host_a, 1}, {host_b, 1})).path_mtu, mtu::bytes_4096);
}

TEST_F(SaPaths, FollowTheForwardingTables)
{
    auto const to = talk.at({host_c, 1});
    // The slower one of the cables between the switches, and then none.
    for (std::uint8_t const out : {std::uint8_t{5}, std::uint8_t{6}, std::uint8_t{0xFF}}) {
        linear_forwarding_table block;
        auto const got = talk.with.ask(directed_route{0, 1}, attribute_id::linear_forwarding_table, 0);
        block = got->as<linear_forwarding_table>();
        block.ports.at(to.value()) = out;
        ASSERT_EQ(talk.with.set(directed_route{0, 1}, block, 0)->view().outcome(), 0);
        auto const fast = query_type{between({switch_1, 0}, {host_c, 1})};
        if (out == 0xFF) {
            EXPECT_EQ(refused(fast), mad_status::sa_no_records);
        } else {
            EXPECT_EQ(talk.get(fast).rate, out == 5 ? path_rate::gbps_200 : path_rate::gbps_100);
        }
    }
    // The way back is still there, so that one has no way there.
    auto const back = between({host_c, 1}, {switch_1, 0});
    EXPECT_FALSE(talk.get(back).reversible);
    EXPECT_EQ(refused(query_type{back}.where<&path_record::reversible>(true)), mad_status::sa_no_records);
    EXPECT_FALSE(talk.get(query_type{back}.where<&path_record::reversible>(false)).reversible);
}

TEST_F(SaPaths, EndWhereALinkIsDown)
{
    ASSERT_FALSE(talk.with.on->set_link({host_c, 1}, false).code());
    EXPECT_EQ(refused(between({host_a, 1}, {host_c, 1})), mad_status::sa_no_records);
    EXPECT_EQ(refused(between({host_c, 1}, {host_c, 1})), mad_status::sa_no_records);
    ASSERT_FALSE(talk.with.on->set_link({host_c, 1}, true).code());
    // The link is up again, but nobody has made it ACTIVE.
    EXPECT_EQ(refused(between({host_a, 1}, {host_c, 1})), mad_status::sa_no_records);
}

TEST_F(SaPaths, AreAsManyAsAreWanted)
{
    auto const from = query_type{}.where<&path_record::sgid>(talk.gid_of({host_a, 1}));
    auto const all = talk.table(query_type{from}.where<&path_record::numb_path>(1));
    ASSERT_THAT(all, SizeIs(6)); // one to each port, itself included
    std::set<lid> destinations;
    for (auto const& one : all) {
        EXPECT_EQ(one.slid, talk.at({host_a, 1}));
        destinations.insert(one.dlid);
    }
    EXPECT_THAT(destinations, SizeIs(6));
    EXPECT_THAT(talk.table(from), SizeIs(6));
    EXPECT_THAT(talk.table(query_type{}.where<&path_record::dlid>(talk.at({host_b, 1}))), SizeIs(6));
    EXPECT_EQ(
        refused(query_type{from}.where<&path_record::numb_path>(0), method::get_table), mad_status::sa_request_invalid);
}

TEST_F(SaPaths, NeedBothEndsInAGetAndOneInATable)
{
    auto const from = query_type{}.where<&path_record::sgid>(talk.gid_of({host_a, 1}));
    EXPECT_EQ(refused(from), mad_status::sa_insufficient_components);
    EXPECT_EQ(refused({}), mad_status::sa_insufficient_components);
    EXPECT_EQ(refused({}, method::get_table), mad_status::sa_insufficient_components);
    EXPECT_EQ(refused(query_type{}.where<&path_record::dlid>(lid{1})), mad_status::sa_insufficient_components);
}

TEST_F(SaPaths, ToNobodyAreRefused)
{
    auto const nobody = gid{default_subnet_prefix, guid{0xDEAD}};
    auto const elsewhere = gid{0xFEC0'0000'0000'0000, talk.gid_of({host_c, 1}).interface_id()};
    for (auto const& name : {nobody, elsewhere, gid{}}) {
        auto const to =
            query_type{}.where<&path_record::sgid>(talk.gid_of({host_a, 1})).where<&path_record::dgid>(name);
        EXPECT_EQ(refused(to), mad_status::sa_invalid_gid);
        EXPECT_EQ(refused(to, method::get_table), mad_status::sa_invalid_gid);
    }
    EXPECT_EQ(
        refused(query_type{}.where<&path_record::slid>(talk.at({host_a, 1})).where<&path_record::dlid>(lid{4711})),
        mad_status::sa_no_records);
}

TEST_F(SaPaths, MeetWishesForMtuAndRate)
{
    auto const any = between({host_a, 1}, {host_c, 1}); // 4096 bytes, 100 Gb/s
    auto const with_mtu = [&](selector how, mtu wish) {
        return query_type{any}.where<&path_record::mtu_selector>(how).where<&path_record::path_mtu>(wish);
    };
    EXPECT_EQ(talk.get(with_mtu(selector::exactly, mtu::bytes_2048)).path_mtu, mtu::bytes_2048);
    EXPECT_EQ(talk.get(with_mtu(selector::less, mtu::bytes_2048)).path_mtu, mtu::bytes_1024);
    EXPECT_EQ(talk.get(with_mtu(selector::greater, mtu::bytes_2048)).path_mtu, mtu::bytes_4096);
    EXPECT_EQ(talk.get(with_mtu(selector::best, mtu::bytes_256)).path_mtu, mtu::bytes_4096);
    EXPECT_EQ(refused(with_mtu(selector::greater, mtu::bytes_4096)), mad_status::sa_no_records);
    EXPECT_EQ(refused(with_mtu(selector::less, mtu::bytes_256)), mad_status::sa_no_records);
    EXPECT_EQ(refused(with_mtu(selector::exactly, mtu{63})), mad_status::sa_no_records);
    auto const with_rate = [&](selector how, path_rate wish) {
        return query_type{any}.where<&path_record::rate_selector>(how).where<&path_record::rate>(wish);
    };
    EXPECT_EQ(talk.get(with_rate(selector::exactly, path_rate::gbps_40)).rate, path_rate::gbps_40);
    EXPECT_EQ(talk.get(with_rate(selector::less, path_rate::gbps_56)).rate, path_rate::gbps_50);
    EXPECT_EQ(talk.get(with_rate(selector::greater, path_rate::gbps_56)).rate, path_rate::gbps_100);
    EXPECT_EQ(refused(with_rate(selector::exactly, path_rate::gbps_112)), mad_status::sa_no_records);
    EXPECT_EQ(refused(with_rate(selector::less, path_rate::gbps_2_5)), mad_status::sa_no_records);
    EXPECT_EQ(refused(with_rate(selector::greater, path_rate{0})), mad_status::sa_no_records);
    auto const with_life = [&](selector how, std::uint8_t wish) {
        return query_type{any}
            .where<&path_record::packet_life_time_selector>(how)
            .where<&path_record::packet_life_time>(wish);
    };
    EXPECT_EQ(talk.get(with_life(selector::exactly, 20)).packet_life_time, 20);
    EXPECT_EQ(talk.get(with_life(selector::greater, 20)).packet_life_time, 21);
    EXPECT_EQ(talk.get(with_life(selector::less, 20)).packet_life_time, 18);
    EXPECT_EQ(refused(with_life(selector::less, 18)), mad_status::sa_no_records);
    // A value without its selector says nothing.
    EXPECT_EQ(talk.get(query_type{any}.where<&path_record::rate>(path_rate::gbps_1200)).rate, path_rate::gbps_100);
}

TEST_F(SaPaths, AreOfAPartitionThatBothEndsAreIn)
{
    p_key_table keys;
    keys.p_keys[0] = 0x8001;
    keys.p_keys[1] = 0x7FFF;
    ASSERT_EQ(talk.with.set(directed_route{0, 1, 5, 1}, keys)->view().outcome(), 0);
    auto const any = between({host_a, 1}, {host_c, 1});
    EXPECT_EQ(talk.get(any).p_key, 0xFFFF); // the one is a full member, the other a limited one
    EXPECT_EQ(refused(query_type{any}.where<&path_record::p_key>(0x8001)), mad_status::sa_no_records);
    EXPECT_EQ(talk.get(query_type{any}.where<&path_record::p_key>(0xFFFF)).p_key, 0xFFFF);
    keys.p_keys[1] = 0;
    ASSERT_EQ(talk.with.set(directed_route{0, 1, 5, 1}, keys)->view().outcome(), 0);
    EXPECT_EQ(refused(any), mad_status::sa_no_records);
}

TEST_F(SaPaths, DoNotDependOnWhatThereIsOneKindOf)
{
    auto const path = talk.get(between({host_a, 1}, {host_c, 1})
                                   .where<&path_record::service_id>(0x1234)
                                   .where<&path_record::traffic_class>(3)
                                   .where<&path_record::qos_class>(2)
                                   .where<&path_record::service_level>(0));
    EXPECT_EQ(path.dlid, talk.at({host_c, 1}));
    EXPECT_EQ(
        refused(between({host_a, 1}, {host_c, 1}).where<&path_record::service_level>(1)), mad_status::sa_no_records);
}

TEST(SaPathsWithLmc, AreOneForEachPairOfLids)
{
    auto layout = two_switches();
    layout.at(host_c).external_port(1).lmc = 2;
    layout.at(host_a).external_port(1).lmc = 1;
    sa_talk talk{{}, std::move(layout)};
    auto const any = query_type{}
                         .where<&path_record::sgid>(talk.gid_of({host_a, 1}))
                         .where<&path_record::dgid>(talk.gid_of({host_c, 1}));
    auto const all = talk.table(any);
    ASSERT_THAT(all, SizeIs(8));
    std::set<std::pair<lid, lid>> pairs;
    for (auto const& one : all)
        pairs.emplace(one.slid, one.dlid);
    EXPECT_THAT(pairs, SizeIs(8));
    EXPECT_THAT(talk.table(query_type{any}.where<&path_record::numb_path>(3)), SizeIs(3));
    auto const third = lid{static_cast<std::uint16_t>(talk.at({host_c, 1}).value() + 2)};
    EXPECT_THAT(talk.table(query_type{any}.where<&path_record::dlid>(third)), SizeIs(2));
    auto const by_lid = query_type{}.where<&path_record::slid>(talk.at({host_a, 1})).where<&path_record::dlid>(third);
    EXPECT_EQ(talk.get(by_lid).dlid, third);
    // Of the two cables between the switches one is faster: the best are those that lead over it.
    std::size_t fast = 0;
    auto const from_switch = query_type{}
                                 .where<&path_record::slid>(talk.at({switch_1, 0}))
                                 .where<&path_record::dgid>(talk.gid_of({host_c, 1}));
    for (auto const& one : talk.table(from_switch))
        fast += one.rate == path_rate::gbps_200 ? 1 : 0;
    EXPECT_GT(fast, 0U);
    EXPECT_LT(fast, 4U);
    auto const best = talk.table(query_type{from_switch}
                                     .where<&path_record::rate_selector>(selector::best)
                                     .where<&path_record::rate>(path_rate::gbps_10));
    EXPECT_THAT(best, SizeIs(fast));
}

TEST(SaPathsThatAreSlow, LiveAsLongAsPacketsTake)
{
    sa_talk talk{{.faults = {.hop_latency = 1s, .jitter = 1s}}};
    auto const path =
        query_type{}.where<&path_record::slid>(talk.at({host_a, 1})).where<&path_record::dlid>(talk.at({host_c, 1}));
    EXPECT_EQ(talk.get(path).packet_life_time, 21); // 8.6 s, and three links take up to 6
}

} // namespace
} // namespace madrigal::sim::test
