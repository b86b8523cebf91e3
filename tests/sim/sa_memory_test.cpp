// What the fabric's own subnet administration keeps: services, multicast groups, subscriptions.
#include "sa_talk.hpp"

#include <madrigal/wire/attributes/inform_info_record.hpp>
#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/service_record.hpp>

#include <gmock/gmock.h>

namespace madrigal::sim::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t trusted = 1;

class SaServices : public ::testing::Test {
protected:
    using query_type = record_query<service_record>;

    query_type service(std::uint64_t id, std::uint32_t lease = indefinite_lease)
    {
        return query_type{}
            .where<&service_record::service_id>(id)
            .where<&service_record::service_gid>(talk.gid_of({host_a, 1}))
            .where<&service_record::service_p_key>(0xFFFF)
            .where<&service_record::service_lease>(lease)
            .where<&service_record::service_name>(fixed_text<64>{"test"});
    }
    static raw_bytes<16> key(std::uint8_t first)
    {
        raw_bytes<16> made{};
        made.bytes[0] = std::byte{first};
        return made;
    }

    sa_talk talk;
};

TEST_F(SaServices, AreFoundUntilTheyAreWithdrawn)
{
    EXPECT_THAT(talk.table<service_record>(), IsEmpty());
    auto const offered = talk.ask(method::set, service(7));
    ASSERT_TRUE(offered);
    EXPECT_EQ(offered->how(), method::get_response);
    EXPECT_EQ(offered->status(), 0);
    EXPECT_EQ(offered->as<service_record>().service_id, 7U);
    ASSERT_EQ(talk.status_of(method::set, service(8)), 0);
    EXPECT_THAT(talk.table<service_record>(), SizeIs(2));
    EXPECT_EQ(talk.get(query_type{}.where<&service_record::service_id>(8)).service_name.view(), "test");
    EXPECT_THAT(talk.table(query_type{}.where<&service_record::service_name>(fixed_text<64>{"test"})), SizeIs(2));
    // The same again is the same service.
    ASSERT_EQ(talk.status_of(method::set, service(8).where_element<&service_record::data8>(0, 5)), 0);
    EXPECT_EQ(talk.get(query_type{}.where<&service_record::service_id>(8)).data8[0], 5);
    auto const withdrawn = talk.ask(method::delete_, service(7));
    ASSERT_TRUE(withdrawn);
    EXPECT_EQ(withdrawn->how(), method::delete_response);
    EXPECT_EQ(withdrawn->status(), 0);
    EXPECT_EQ(talk.status_of(method::delete_, service(7)), mad_status::sa_no_records);
    EXPECT_THAT(talk.table<service_record>(), SizeIs(1));
}

TEST_F(SaServices, EndWithTheirLease)
{
    ASSERT_EQ(talk.status_of(method::set, service(7, 10)), 0);
    talk.clock().advance(3500ms);
    EXPECT_EQ(talk.get(query_type{}).service_lease, 7U);
    talk.clock().advance(6499ms);
    EXPECT_THAT(talk.table<service_record>(), SizeIs(1));
    talk.clock().advance(1ms);
    EXPECT_THAT(talk.table<service_record>(), IsEmpty());
}

TEST_F(SaServices, BelongToWhoHasTheirKey)
{
    ASSERT_EQ(talk.status_of(method::set, service(7).where<&service_record::service_key>(key(1))), 0);
    EXPECT_EQ(talk.get(query_type{}).service_key, key(0));
    EXPECT_EQ(talk.get(query_type{}, trusted).service_key, key(1));
    EXPECT_EQ(talk.status_of(method::set, service(7).where<&service_record::service_key>(key(2))),
        mad_status::sa_request_invalid);
    EXPECT_EQ(talk.status_of(method::delete_, service(7)), mad_status::sa_request_invalid);
    EXPECT_EQ(talk.status_of(method::delete_, service(7), trusted), 0);
}

TEST_F(SaServices, AreRefusedWhereSomethingIsMissing)
{
    auto const no_name = query_type{}
                             .where<&service_record::service_id>(7)
                             .where<&service_record::service_gid>(talk.gid_of({host_a, 1}))
                             .where<&service_record::service_p_key>(0xFFFF)
                             .where<&service_record::service_lease>(1);
    EXPECT_EQ(talk.status_of(method::set, no_name), mad_status::sa_insufficient_components);
    EXPECT_EQ(talk.status_of(method::delete_, query_type{}.where<&service_record::service_id>(7)),
        mad_status::sa_insufficient_components);
    EXPECT_EQ(talk.status_of(
                  method::set, service(7).where<&service_record::service_gid>(gid{default_subnet_prefix, guid{1}})),
        mad_status::sa_invalid_gid);
    EXPECT_EQ(talk.status_of(method::set, service(7).where<&service_record::service_p_key>(0x8001)),
        mad_status::sa_request_invalid);
    EXPECT_THAT(talk.table<service_record>(), IsEmpty());
}

TEST_F(SaServices, AreOnlySoMany)
{
    for (std::size_t i = 0; i != sa_memory::most_services; ++i)
        ASSERT_EQ(talk.status_of(method::set, service(i)), 0);
    EXPECT_EQ(talk.status_of(method::set, service(sa_memory::most_services)), mad_status::sa_no_resources);
    EXPECT_THAT(talk.table<service_record>(), SizeIs(sa_memory::most_services));
    ASSERT_EQ(talk.status_of(method::delete_, service(0)), 0);
    EXPECT_EQ(talk.status_of(method::set, service(sa_memory::most_services)), 0);
}

TEST_F(SaServices, AreForgottenWithThePower)
{
    ASSERT_EQ(talk.status_of(method::set, service(7)), 0);
    auto const bytes = talk.question(method::get_table, query_type{});
    ASSERT_FALSE(talk.with.on->set_power(host_b, false).code());
    ASSERT_FALSE(talk.with.on->set_power(host_b, true).code());
    // Another subnet manager makes the port one of the subnet again.
    for (auto const& [route, state] : {std::pair{directed_route{0, 1, 3}, port_state::armed},
             std::pair{directed_route{0, 1, 3}, port_state::active}}) {
        auto info = talk.with.get<port_info>(route);
        info.base_lid = info.master_sm_lid = talk.sm_lid;
        info.phys_state = physical_state::no_change;
        info.state = state;
        ASSERT_EQ(talk.with.set(route, info)->view().outcome(), 0);
        auto other = talk.with.get<port_info>(directed_route{0, 1}, 3);
        other.phys_state = physical_state::no_change;
        other.state = state;
        ASSERT_EQ(talk.with.set(directed_route{0, 1}, other, 3)->view().outcome(), 0);
    }
    auto const got = talk.ask(bytes);
    ASSERT_TRUE(got);
    EXPECT_THAT(got->table<service_record>(), IsEmpty());
}

class SaGroups : public ::testing::Test {
protected:
    using query_type = record_query<mc_member_record>;

    query_type membership(gid const& name, topology::endpoint port, join_state how = join_state::full_member)
    {
        return query_type{}
            .where<&mc_member_record::mgid>(name)
            .where<&mc_member_record::port_gid>(talk.gid_of(port))
            .where<&mc_member_record::join_states>(flags<join_state>{how});
    }
    query_type creation(gid const& name, topology::endpoint port)
    {
        return membership(name, port)
            .where<&mc_member_record::p_key>(0xFFFF)
            .where<&mc_member_record::q_key>(0xB1B)
            .where<&mc_member_record::service_level>(0)
            .where<&mc_member_record::flow_label>(0)
            .where<&mc_member_record::traffic_class>(0);
    }
    mc_member_record join(query_type const& query)
    {
        auto const got = talk.ask(method::set, query);
        EXPECT_TRUE(got);
        EXPECT_EQ(got->how(), method::get_response);
        EXPECT_EQ(got->status(), 0);
        return got->as<mc_member_record>();
    }
    std::uint16_t refused(query_type const& query, method how = method::set) { return talk.status_of(how, query); }

    static constexpr gid group{0xFF12'401B'FFFF'0000, guid{0xFFFF'FFFF}};
    sa_talk talk;
};

TEST_F(SaGroups, AreMadeByTheFirstFullMemberAndGoWithTheLast)
{
    EXPECT_EQ(refused(membership(group, {host_a, 1})), mad_status::sa_insufficient_components);
    auto const first = join(creation(group, {host_a, 1}));
    EXPECT_EQ(first.mgid, group);
    EXPECT_GE(first.mlid.value(), 0xC000);
    EXPECT_EQ(first.scope, multicast_scope::link_local);
    EXPECT_EQ(first.group_mtu, mtu::bytes_2048);
    EXPECT_EQ(first.rate, path_rate::gbps_100);
    auto const second = join(membership(group, {host_c, 1}, join_state::non_member));
    EXPECT_EQ(second.mlid, first.mlid);
    EXPECT_EQ(second.q_key, 0xB1BU);
    EXPECT_THAT(talk.table<mc_member_record>({}, trusted), SizeIs(2));
    auto const left = talk.ask(method::delete_, membership(group, {host_a, 1}));
    ASSERT_TRUE(left);
    EXPECT_EQ(left->how(), method::delete_response);
    EXPECT_EQ(left->status(), 0);
    EXPECT_THAT(talk.table<mc_member_record>({}, trusted), IsEmpty());
    EXPECT_EQ(refused(membership(group, {host_c, 1}, join_state::non_member), method::delete_),
        mad_status::sa_request_invalid);
}

TEST_F(SaGroups, ShowTheirMembersToTheTrustedOnly)
{
    (void)join(creation(group, {host_a, 1}));
    (void)join(membership(group, {host_c, 1}));
    auto const seen = talk.table<mc_member_record>();
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].mgid, group);
    EXPECT_EQ(seen[0].port_gid, gid{});
    EXPECT_TRUE(seen[0].join_states.empty());
    auto const of_port = [&](topology::endpoint port) {
        return talk.table(query_type{}.where<&mc_member_record::port_gid>(talk.gid_of(port)));
    };
    EXPECT_THAT(of_port({host_c, 1}), SizeIs(1));
    EXPECT_THAT(of_port({switch_1, 0}), IsEmpty());
    EXPECT_THAT(
        talk.table(query_type{}.where<&mc_member_record::port_gid>(talk.gid_of({host_c, 1})), trusted), SizeIs(1));
}

TEST_F(SaGroups, AddUpHowAPortIsAMember)
{
    (void)join(creation(group, {host_a, 1}));
    (void)join(membership(group, {host_c, 1}, join_state::non_member));
    EXPECT_EQ(join(membership(group, {host_c, 1}, join_state::send_only_non_member)).join_states,
        (flags<join_state>{join_state::non_member, join_state::send_only_non_member}));
    EXPECT_EQ(refused(membership(group, {host_c, 1}), method::delete_), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(membership(group, {host_c, 1}, join_state::non_member), method::delete_), 0);
    EXPECT_THAT(talk.table<mc_member_record>({}, trusted), SizeIs(2));
    EXPECT_EQ(refused(membership(group, {host_c, 1}, join_state::send_only_non_member), method::delete_), 0);
    EXPECT_THAT(talk.table<mc_member_record>({}, trusted), SizeIs(1));
}

TEST_F(SaGroups, GetANameWhereTheyHaveNone)
{
    auto const one = join(creation(gid{}, {host_a, 1}));
    auto const two = join(creation(gid{}, {host_a, 1}));
    EXPECT_EQ(one.mgid.bytes()[0], 0xFF);
    EXPECT_NE(one.mgid, two.mgid);
    EXPECT_NE(one.mlid, two.mlid);
}

TEST_F(SaGroups, KeepOutWhomTheyDoNotFit)
{
    EXPECT_EQ(refused(creation(gid{default_subnet_prefix, guid{1}}, {host_a, 1})), mad_status::sa_invalid_gid);
    EXPECT_EQ(
        refused(creation(group, {host_a, 1}).where<&mc_member_record::port_gid>(gid{default_subnet_prefix, guid{1}})),
        mad_status::sa_invalid_gid);
    EXPECT_EQ(refused(query_type{}.where<&mc_member_record::mgid>(group)), mad_status::sa_insufficient_components);
    EXPECT_EQ(refused(creation(group, {host_a, 1}).where<&mc_member_record::join_states>({})),
        mad_status::sa_request_invalid);
    EXPECT_EQ(
        refused(creation(group, {host_a, 1}).where<&mc_member_record::p_key>(0x8001)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(creation(group, {host_a, 1})
                          .where<&mc_member_record::join_states>(flags<join_state>{join_state::non_member})),
        mad_status::sa_request_invalid);
    EXPECT_EQ(refused(membership(group, {host_a, 1}), method::delete_), mad_status::sa_request_invalid);
    (void)join(creation(group, {host_a, 1}));
    EXPECT_EQ(refused(membership(group, {host_b, 1})), mad_status::sa_request_invalid); // its link is too slow
    EXPECT_EQ(
        refused(membership(group, {host_c, 1}).where<&mc_member_record::q_key>(1)), mad_status::sa_request_invalid);
    auto const with_mtu = [&](selector how, mtu wish) {
        return membership(group, {host_c, 1})
            .where<&mc_member_record::mtu_selector>(how)
            .where<&mc_member_record::group_mtu>(wish);
    };
    EXPECT_EQ(refused(with_mtu(selector::greater, mtu::bytes_2048)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(with_mtu(selector::less, mtu::bytes_2048)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(with_mtu(selector::exactly, mtu::bytes_1024)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(with_mtu(selector::exactly, mtu::bytes_2048)), 0);
    EXPECT_EQ(refused(with_mtu(selector::less, mtu::bytes_4096)), 0);
}

TEST_F(SaGroups, AreOnlySoMany)
{
    for (std::size_t i = 0; i != sa_memory::most_groups; ++i)
        ASSERT_EQ(refused(creation(gid{0xFF12'401B'FFFF'0000, guid{i + 1}}, {host_a, 1})), 0);
    EXPECT_EQ(refused(creation(group, {host_a, 1})), mad_status::sa_no_resources);
    ASSERT_EQ(refused(membership(gid{0xFF12'401B'FFFF'0000, guid{5}}, {host_a, 1}), method::delete_), 0);
    EXPECT_EQ(join(creation(group, {host_a, 1})).mlid.value(), 0xC004);
}

class SaSubscriptions : public ::testing::Test {
protected:
    std::array<std::byte, mad_size> subscription(std::uint16_t trap, std::uint8_t subscribe = 1, std::uint32_t qpn = 0)
    {
        inform_info wanted;
        wanted.lid_range_begin = all_lids;
        wanted.is_generic = 1;
        wanted.subscribe = subscribe;
        wanted.type = all_notices;
        wanted.trap_number = trap;
        wanted.qpn = qpn;
        wanted.producer_type = all_producers;
        return question(wanted);
    }
    std::array<std::byte, mad_size> question(inform_info const& wanted)
    {
        std::array<std::byte, mad_size> bytes;
        build_sa_request(
            bytes, {.method_of_mad = method::set, .transaction_id = talk.with.next_id()}, attribute_id::inform_info, 0);
        EXPECT_TRUE(mutable_mad_view{bytes}.set_attribute(wanted));
        return bytes;
    }
    std::uint16_t status_of(std::span<std::byte const> bytes)
    {
        auto const got = talk.ask(bytes);
        EXPECT_TRUE(got);
        return got ? got->status() : std::uint16_t{0xFFFF};
    }

    sa_talk talk;
};

TEST_F(SaSubscriptions, AreKeptUntilTheyAreEnded)
{
    auto const begun = talk.ask(subscription(64));
    ASSERT_TRUE(begun);
    EXPECT_EQ(begun->how(), method::get_response);
    EXPECT_EQ(begun->status(), 0);
    EXPECT_EQ(begun->as<inform_info>().trap_number, 64);
    EXPECT_EQ(status_of(subscription(65)), 0);
    EXPECT_EQ(status_of(subscription(64)), 0); // once more is still once
    auto const all = talk.table<inform_info_record>();
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].subscriber_gid, talk.gid_of({host_a, 1}));
    EXPECT_EQ(all[0].enumeration, 0);
    EXPECT_EQ(all[1].enumeration, 1);
    EXPECT_EQ(all[1].info.trap_number, 65);
    EXPECT_EQ(all[1].info.qpn, 0U); // which is for the trusted
    EXPECT_EQ(talk.table<inform_info_record>({}, trusted).at(1).info.qpn, 1U);
    EXPECT_EQ(status_of(subscription(64, 0, 1)), 0);
    EXPECT_EQ(status_of(subscription(64, 0, 1)), mad_status::sa_request_invalid);
    EXPECT_EQ(talk.get<inform_info_record>().info.trap_number, 65);
    EXPECT_EQ(status_of(subscription(66)), 0);
    EXPECT_EQ(talk.table<inform_info_record>()[1].enumeration, 0);
}

TEST_F(SaSubscriptions, OfOthersAreForTheTrusted)
{
    auto const machine = host::make(talk.with.on, "H-c").value();
    open_file other{*machine};
    auto const agent = other.register_server(0x03, 2, {});
    auto bytes = subscription(64);
    ASSERT_EQ(other.write(header_to(agent, talk.sm_lid, 1), bytes), 0);
    ASSERT_EQ(other.read()->view().status(), 0);
    EXPECT_THAT(talk.table<inform_info_record>(), IsEmpty());
    auto const all = talk.table<inform_info_record>({}, trusted);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].subscriber_gid, talk.gid_of({host_c, 1}));
}

TEST_F(SaSubscriptions, ToTrapsOfSecurityAreForTheTrusted)
{
    EXPECT_EQ(status_of(subscription(256)), mad_status::sa_request_denied);
    EXPECT_EQ(status_of(subscription(259)), mad_status::sa_request_denied);
}

TEST_F(SaSubscriptions, ThatCannotBeAreRefused)
{
    inform_info wanted;
    wanted.subscribe = 2;
    EXPECT_EQ(status_of(question(wanted)), mad_status::sa_request_invalid);
    wanted.subscribe = 1;
    wanted.lid_range_begin = lid{9};
    wanted.lid_range_end = lid{8};
    EXPECT_EQ(status_of(question(wanted)), mad_status::sa_request_invalid);
    auto bytes = subscription(64);
    mutable_mad_view{bytes}.set_method(method::get);
    EXPECT_EQ(status_of(bytes), mad_status::unsupported_method_attribute);
}

TEST_F(SaSubscriptions, AreOnlySoMany)
{
    for (std::size_t i = 0; i != sa_memory::most_subscriptions; ++i)
        ASSERT_EQ(status_of(subscription(static_cast<std::uint16_t>(1'000 + i))), 0);
    EXPECT_EQ(status_of(subscription(0xFFFF)), mad_status::sa_no_resources);
}

} // namespace
} // namespace madrigal::sim::test
