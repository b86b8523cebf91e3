#include "engine/multicast_registry_world.hpp"

#include <madrigal/engine/ipoib_broadcast_group.hpp>
#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/wire/p_key.hpp>

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <vector>

namespace madrigal::engine {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace testing; // NOLINT: what requests are made of

struct MulticastRegistry : multicast_registry_world {};

TEST_F(MulticastRegistry, TheFirstFullMemberMakesTheGroup)
{
    auto const made = join(creation(group_name, port_gid(1)));
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(made.group_created);
    EXPECT_TRUE(made.membership_changed);
    EXPECT_FALSE(made.group_deleted);
    EXPECT_EQ(made.record.mgid, group_name);
    EXPECT_EQ(made.record.mlid, first_multicast_lid);
    EXPECT_EQ(made.record.port_gid, port_gid(1));
    EXPECT_EQ(made.record.group_mtu, mtu::bytes_2048);
    EXPECT_EQ(made.record.mtu_selector, selector::exactly);
    EXPECT_EQ(made.record.rate, path_rate::gbps_100);
    EXPECT_EQ(made.record.scope, multicast_scope::link_local);
    auto const* const group = groups.group(group_name);
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->common.port_gid, gid{});
    EXPECT_THAT(group->members, SizeIs(1));
}

TEST_F(MulticastRegistry, WhatARequestDoesNotStateIsNotTakenFromIt)
{
    auto record = creation(group_name, port_gid(1)).record();
    record.hop_limit = 17;
    record.mlid = lid{0xC123};
    auto const made = join({record, creation(group_name, port_gid(1)).mask()});
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made.record.hop_limit, 0);
    EXPECT_EQ(made.record.mlid, first_multicast_lid);
}

TEST_F(MulticastRegistry, OnlyAFullMemberMakesAGroup)
{
    EXPECT_EQ(refused(membership(group_name, port_gid(1))), mad_status::sa_insufficient_components);
    EXPECT_EQ(refused(creation(group_name, port_gid(1), join_state::non_member)), mad_status::sa_request_invalid);
    EXPECT_EQ(
        refused(creation(group_name, port_gid(1), join_state::send_only_full_member)), mad_status::sa_request_invalid);
    EXPECT_THAT(groups.groups(), IsEmpty());
}

TEST_F(MulticastRegistry, MembersThatOnlySendMakeAndHoldGroupsWhereThatIsAllowed)
{
    groups = multicast_registry{{.send_only_full_members = true}};
    EXPECT_TRUE(join(creation(group_name, port_gid(1), join_state::send_only_full_member)).group_created);
    EXPECT_TRUE(join(membership(group_name, port_gid(2), join_state::full_member)).ok());
    EXPECT_FALSE(groups.leave(membership(group_name, port_gid(2), join_state::full_member)).group_deleted);
    EXPECT_TRUE(groups.leave(membership(group_name, port_gid(1), join_state::send_only_full_member)).group_deleted);
}

TEST_F(MulticastRegistry, TheLastFullMemberTakesTheGroupWithIt)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    ASSERT_TRUE(join(membership(group_name, port_gid(2))).ok());
    ASSERT_TRUE(join(membership(group_name, port_gid(3), join_state::non_member)).ok());
    auto const first = groups.leave(membership(group_name, port_gid(1)));
    EXPECT_TRUE(first.ok());
    EXPECT_TRUE(first.membership_changed);
    EXPECT_FALSE(first.group_deleted);
    auto const last = groups.leave(membership(group_name, port_gid(2)));
    EXPECT_TRUE(last.group_deleted);
    EXPECT_EQ(last.record.mlid, first_multicast_lid);
    EXPECT_EQ(last.record.port_gid, port_gid(2));
    EXPECT_TRUE(last.record.join_states.empty());
    EXPECT_EQ(groups.members(), 0U);
    EXPECT_EQ(groups.group(group_name), nullptr);
    EXPECT_EQ(groups.leave(membership(group_name, port_gid(3), join_state::non_member)).status,
        mad_status::sa_request_invalid);
}

TEST_F(MulticastRegistry, JoinStatesAddUpAndAreTakenBackOneByOne)
{
    flags<join_state> const both{join_state::non_member, join_state::send_only_non_member};
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    ASSERT_TRUE(join(membership(group_name, port_gid(2), join_state::non_member)).ok());
    auto const more = join(membership(group_name, port_gid(2), join_state::send_only_non_member));
    EXPECT_EQ(more.record.join_states, both);
    EXPECT_TRUE(more.membership_changed);
    auto const same = join(membership(group_name, port_gid(2), both));
    EXPECT_TRUE(same.ok());
    EXPECT_FALSE(same.membership_changed);
    auto const less = groups.leave(membership(group_name, port_gid(2), join_state::non_member));
    EXPECT_TRUE(less.membership_changed);
    EXPECT_EQ(less.record.join_states, flags<join_state>{join_state::send_only_non_member});
    EXPECT_EQ(groups.members(), 2U);
    EXPECT_TRUE(groups.leave(membership(group_name, port_gid(2), join_state::send_only_non_member)).ok());
    EXPECT_EQ(groups.members(), 1U);
}

TEST_F(MulticastRegistry, LeavingNeedsAMembershipOfJustTheseStates)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    auto const refused_leave = [&](query_type const& query) { return groups.leave(query).status; };
    EXPECT_EQ(
        refused_leave(query_type{}.where<&mc_member_record::mgid>(group_name)), mad_status::sa_insufficient_components);
    EXPECT_EQ(refused_leave(membership(other_name, port_gid(1))), mad_status::sa_request_invalid);
    EXPECT_EQ(refused_leave(membership(group_name, port_gid(2))), mad_status::sa_request_invalid);
    EXPECT_EQ(refused_leave(membership(group_name, port_gid(1), {})), mad_status::sa_request_invalid);
    EXPECT_EQ(refused_leave(membership(group_name, port_gid(1), {join_state::full_member, join_state::non_member})),
        mad_status::sa_request_invalid);
    EXPECT_EQ(groups.members(), 1U);
}

TEST_F(MulticastRegistry, WhoHasJoinedByItselfIsNobodyElsesToRemoveOrChange)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    EXPECT_EQ(groups.leave(membership(group_name, port_gid(1)), true).status, mad_status::sa_request_invalid);
    able.by_proxy = true;
    EXPECT_EQ(refused(membership(group_name, port_gid(1), join_state::non_member)), mad_status::sa_request_invalid);
    auto const proxied = join(membership(group_name, port_gid(2)));
    EXPECT_TRUE(proxied.record.proxy_join);
    EXPECT_TRUE(groups.leave(membership(group_name, port_gid(2)), true).ok());
    ASSERT_TRUE(join(membership(group_name, port_gid(2))).ok());
    EXPECT_TRUE(groups.leave(membership(group_name, port_gid(2))).ok());
}

TEST_F(MulticastRegistry, PortsThatCannotDoWhatTheGroupDoesStayOut)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    auto const with = [&](joining_port const& port) {
        return groups.join(membership(group_name, port_gid(2)), &port).status;
    };
    EXPECT_EQ(with({mtu::bytes_1024, path_rate::gbps_100, keys}), mad_status::sa_request_invalid);
    EXPECT_EQ(with({mtu::bytes_4096, path_rate::gbps_56, keys}), mad_status::sa_request_invalid);
    EXPECT_EQ(with({mtu::bytes_4096, path_rate::gbps_100, {}}), mad_status::sa_request_invalid);
    EXPECT_EQ(with({mtu::bytes_2048, path_rate::gbps_112, keys}), mad_status::ok);
}

TEST_F(MulticastRegistry, PropertiesThatAreStatedMustBeTheGroups)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1)).where<&mc_member_record::hop_limit>(3)).ok());
    auto const asks = membership(group_name, port_gid(2));
    EXPECT_EQ(refused(query_type{asks}.where<&mc_member_record::q_key>(1)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(query_type{asks}.where<&mc_member_record::mlid>(lid{0xC001})), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(query_type{asks}.where<&mc_member_record::p_key>(0x8001)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(query_type{asks}.where<&mc_member_record::hop_limit>(4)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(query_type{asks}.where<&mc_member_record::scope>(multicast_scope::global)),
        mad_status::sa_request_invalid);
    EXPECT_TRUE(join(query_type{asks}
                         .where<&mc_member_record::q_key>(0xB1B)
                         .where<&mc_member_record::mlid>(first_multicast_lid)
                         .where<&mc_member_record::hop_limit>(3))
                    .ok());
}

TEST_F(MulticastRegistry, WishesOfAMemberAreAboutTheGroupAsItIs)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok()); // 2048 bytes, 100 Gb/s, 4.096 us · 2^18
    auto const mtu_wish = [&](selector how, mtu wish) {
        return join(membership(group_name, port_gid(2))
                        .where<&mc_member_record::mtu_selector>(how)
                        .where<&mc_member_record::group_mtu>(wish))
            .ok();
    };
    EXPECT_TRUE(mtu_wish(selector::exactly, mtu::bytes_2048));
    EXPECT_FALSE(mtu_wish(selector::exactly, mtu::bytes_1024));
    EXPECT_TRUE(mtu_wish(selector::greater, mtu::bytes_1024));
    EXPECT_FALSE(mtu_wish(selector::greater, mtu::bytes_2048));
    EXPECT_TRUE(mtu_wish(selector::less, mtu::bytes_4096));
    EXPECT_FALSE(mtu_wish(selector::less, mtu::bytes_2048));
    EXPECT_TRUE(mtu_wish(selector::best, mtu::bytes_256));
    EXPECT_FALSE(mtu_wish(selector::greater, mtu{0}));
    EXPECT_FALSE(mtu_wish(selector::less, mtu{63}));
    auto const rate_wish = [&](selector how, path_rate wish) {
        return join(membership(group_name, port_gid(2))
                        .where<&mc_member_record::rate_selector>(how)
                        .where<&mc_member_record::rate>(wish))
            .ok();
    };
    EXPECT_TRUE(rate_wish(selector::exactly, path_rate::gbps_100));
    EXPECT_TRUE(rate_wish(selector::greater, path_rate::gbps_56)); // whose code is a lower number than of 100
    EXPECT_TRUE(rate_wish(selector::less, path_rate::gbps_112));   // and so is this one
    EXPECT_FALSE(rate_wish(selector::greater, path_rate::gbps_100));
    EXPECT_FALSE(rate_wish(selector::less, path_rate{63}));
    EXPECT_FALSE(rate_wish(selector::greater, path_rate{0}));
    auto const life_time_wish = [&](selector how, std::uint8_t wish) {
        return join(membership(group_name, port_gid(2))
                        .where<&mc_member_record::packet_life_time_selector>(how)
                        .where<&mc_member_record::packet_life_time>(wish))
            .ok();
    };
    EXPECT_TRUE(life_time_wish(selector::exactly, 18));
    EXPECT_FALSE(life_time_wish(selector::exactly, 19));
    EXPECT_TRUE(life_time_wish(selector::less, 19));
    EXPECT_TRUE(life_time_wish(selector::greater, 17));
    EXPECT_FALSE(life_time_wish(selector::greater, 18));
}

TEST_F(MulticastRegistry, TheFirstMembersWishesAreWhatTheGroupIs)
{
    auto const made = join(creation(group_name, port_gid(1))
                               .where<&mc_member_record::mtu_selector>(selector::exactly)
                               .where<&mc_member_record::group_mtu>(mtu::bytes_4096)
                               .where<&mc_member_record::rate_selector>(selector::less)
                               .where<&mc_member_record::rate>(path_rate::gbps_30)
                               .where<&mc_member_record::packet_life_time_selector>(selector::exactly)
                               .where<&mc_member_record::packet_life_time>(20));
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made.record.group_mtu, mtu::bytes_4096);
    EXPECT_EQ(made.record.rate, path_rate::gbps_28);
    EXPECT_EQ(made.record.packet_life_time, 20);
    EXPECT_EQ(made.record.rate_selector, selector::exactly);
    EXPECT_EQ(refused(creation(other_name, port_gid(1))
                          .where<&mc_member_record::rate_selector>(selector::greater)
                          .where<&mc_member_record::rate>(path_rate::gbps_100)),
        mad_status::sa_request_invalid);
    EXPECT_EQ(refused(creation(other_name, port_gid(1))
                          .where<&mc_member_record::mtu_selector>(selector::exactly)
                          .where<&mc_member_record::group_mtu>(mtu{9})),
        mad_status::sa_request_invalid);
}

TEST_F(MulticastRegistry, GroupsWithoutANameGetOneOfTheirOwnInTheScopeThatIsAsked)
{
    auto const one = join(creation({}, port_gid(1)));
    auto const two = join(creation({}, port_gid(1)).where<&mc_member_record::scope>(multicast_scope::site_local));
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(one.record.mgid, (gid{0xFF12'A01B'FE80'0000, guid{0xC000}})); // of the prefix fe80::/64
    EXPECT_EQ(two.record.mgid, (gid{0xFF15'A01B'FE80'0000, guid{0xC001}}));
    EXPECT_EQ(two.record.scope, multicast_scope::site_local);
    EXPECT_EQ(refused(creation({}, port_gid(1)).where<&mc_member_record::scope>(multicast_scope{0xF})),
        mad_status::sa_request_invalid);
}

TEST_F(MulticastRegistry, GivenNamesHaveTheSubnetsPrefix)
{
    groups = multicast_registry{{.subnet_prefix = 0x1122'3344'5566'7788}};
    EXPECT_EQ(join(creation({}, port_gid(1))).record.mgid, (gid{0xFF12'A01B'1122'3344, guid{0x5566'7788'0000'C000}}));
}

TEST_F(MulticastRegistry, NobodyMakesAGroupOfANameThatIsForThoseWithout)
{
    gid const name{0xFF12'A01B'FE80'0000, guid{0xC000}};
    EXPECT_EQ(refused(creation(name, port_gid(1))), mad_status::sa_invalid_gid);
    auto const given = join(creation({}, port_gid(1)));
    ASSERT_EQ(given.record.mgid, name);
    EXPECT_TRUE(join(creation(name, port_gid(2))).ok()) << "it is there";
    EXPECT_TRUE(join(creation(gid{0xFF15'A01B'FE80'0000, guid{1}}, port_gid(1))).ok()) << "another scope";
}

TEST_F(MulticastRegistry, QueriesByMtuRateAndLifeTimeHeedTheirSelectors)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok()); // 2048 bytes, 100 Gb/s, 4.096 us · 2^18
    for (bool const trusted : {false, true}) {
        auto const mtu_is = [&](selector how, mtu wish) {
            return found(
                query_type{}.where<&mc_member_record::mtu_selector>(how).where<&mc_member_record::group_mtu>(wish),
                trusted)
                .size();
        };
        EXPECT_EQ(mtu_is(selector::greater, mtu::bytes_1024), 1U);
        EXPECT_EQ(mtu_is(selector::greater, mtu::bytes_2048), 0U);
        EXPECT_EQ(mtu_is(selector::less, mtu::bytes_4096), 1U);
        EXPECT_EQ(mtu_is(selector::exactly, mtu::bytes_2048), 1U);
        EXPECT_EQ(mtu_is(selector::best, mtu::bytes_256), 1U);
        auto const rate_is = [&](selector how, path_rate wish) {
            return found(
                query_type{}.where<&mc_member_record::rate_selector>(how).where<&mc_member_record::rate>(wish), trusted)
                .size();
        };
        EXPECT_EQ(rate_is(selector::greater, path_rate::gbps_56), 1U);
        EXPECT_EQ(rate_is(selector::less, path_rate::gbps_56), 0U);
        EXPECT_EQ(found(query_type{}.where<&mc_member_record::group_mtu>(mtu::bytes_1024), trusted).size(), 0U);
        EXPECT_EQ(found(query_type{}.where<&mc_member_record::mtu_selector>(selector::greater), trusted).size(), 1U);
    }
}

TEST_F(MulticastRegistry, AGivenNameIsNoneThatSomebodyHasChosen)
{
    gid const next{0xFF12'A01B'FE80'0000, guid{0xC001}};
    auto kept = ipoib_broadcast_group();
    kept.mgid = next;
    ASSERT_TRUE(groups.keep_group(kept).ok());
    auto const given = join(creation({}, port_gid(1)));
    ASSERT_TRUE(given.ok());
    EXPECT_NE(given.record.mgid, next);
    EXPECT_THAT(groups.groups(), SizeIs(2));
}

TEST_F(MulticastRegistry, GidsInWrongPlacesAreRefused)
{
    auto const status = mad_status::sa_invalid_gid;
    EXPECT_EQ(refused(creation(port_gid(1), port_gid(1))), status); // a port as a group
    EXPECT_EQ(refused(creation(group_name, group_name)), status);   // a group as a member
    EXPECT_EQ(refused(creation(group_name, gid{})), status);
    EXPECT_EQ(groups.join(creation(group_name, port_gid(1)), nullptr).status, status);      // a port that is not there
    EXPECT_EQ(refused(creation(gid{0xFFF2'0000'0000'0000, guid{1}}, port_gid(1))), status); // flags that are reserved
    EXPECT_EQ(refused(creation(gid{0xFF10'0000'0000'0000, guid{1}}, port_gid(1))), status); // reserved scopes
    EXPECT_EQ(refused(creation(gid{0xFF1F'0000'0000'0000, guid{1}}, port_gid(1))), status);
}

TEST_F(MulticastRegistry, RecordsOfNothingAndOfAllBitsDoNoHarm)
{
    std::array<std::byte, mc_member_record::layout.size> bytes{};
    for (auto const fill : {std::byte{0}, std::byte{0xFF}}) {
        bytes.fill(fill);
        auto const record = *decode<mc_member_record>(bytes);
        for (auto const mask : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
            query_type const query{record, component_mask<mc_member_record>::from_value(mask)};
            EXPECT_NE(refused(query), mad_status::ok);
            EXPECT_NE(groups.leave(query).status, mad_status::ok);
            EXPECT_NE(groups.keep_group(record).status, mad_status::ok);
        }
    }
    EXPECT_THAT(groups.groups(), IsEmpty());
}

TEST_F(MulticastRegistry, LimitedMembersOfItsPartitionMayJoinAGroup)
{
    std::array<std::uint16_t, 1> const limited{0x7FFF};
    auto const asks = membership(group_name, port_gid(2)).where<&mc_member_record::p_key>(0x7FFF);
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    able.p_keys = limited;
    auto const joined = join(asks);
    EXPECT_TRUE(joined.ok());
    EXPECT_EQ(joined.record.p_key, 0xFFFF);
    EXPECT_EQ(refused(membership(group_name, port_gid(3)).where<&mc_member_record::p_key>(0x7FFE)),
        mad_status::sa_request_invalid);
}

TEST_F(MulticastRegistry, AGroupsKeyIsThatOfAFullMemberWhoeverMakesIt)
{
    auto const made = join(creation(group_name, port_gid(1)).where<&mc_member_record::p_key>(0x7FFF));
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made.record.p_key, 0xFFFF);
    EXPECT_TRUE(join(membership(group_name, port_gid(2)).where<&mc_member_record::p_key>(0x7FFF)).ok());
    auto kept = ipoib_broadcast_group({.p_key = 0x8001});
    kept.p_key = 0x0001;
    EXPECT_EQ(groups.keep_group(kept).record.p_key, 0x8001);
}

TEST_F(MulticastRegistry, PartitionZeroIsNone)
{
    std::array<std::uint16_t, 2> const zeros{0, 0x8000};
    able.p_keys = zeros;
    EXPECT_EQ(
        refused(creation(group_name, port_gid(1)).where<&mc_member_record::p_key>(0)), mad_status::sa_request_invalid);
    EXPECT_EQ(refused(creation(group_name, port_gid(1)).where<&mc_member_record::p_key>(0x8000)),
        mad_status::sa_request_invalid);
}

TEST_F(MulticastRegistry, TheTrustedSeeMembersOthersSeeGroups)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    ASSERT_TRUE(join(membership(group_name, port_gid(2), join_state::non_member)).ok());
    ASSERT_TRUE(groups.keep_group(ipoib_broadcast_group({.p_key = 0x8001})).ok());
    auto const by_trusted = found();
    ASSERT_THAT(by_trusted, SizeIs(3)); // the last without a member
    EXPECT_EQ(by_trusted[1].port_gid, port_gid(2));
    EXPECT_EQ(by_trusted[1].join_states, flags<join_state>{join_state::non_member});
    EXPECT_EQ(by_trusted[2].port_gid, gid{});
    auto const by_others = found({}, false);
    ASSERT_THAT(by_others, SizeIs(2));
    EXPECT_EQ(by_others[0].port_gid, gid{});
    EXPECT_TRUE(by_others[0].join_states.empty());
    // They may ask in which groups a port is, but not how.
    auto const of = [](gid const& port) { return query_type{}.where<&mc_member_record::port_gid>(port); };
    EXPECT_THAT(found(of(port_gid(2)), false), SizeIs(1));
    EXPECT_THAT(found(of(port_gid(3)), false), IsEmpty());
    EXPECT_THAT(
        found(of(port_gid(2)).where<&mc_member_record::join_states>(join_state::full_member), false), SizeIs(1));
    EXPECT_THAT(found(of(port_gid(2)).where<&mc_member_record::join_states>(join_state::full_member)), IsEmpty());
}

TEST_F(MulticastRegistry, AQueryEndsWhereNoMoreIsWanted)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    ASSERT_TRUE(join(creation(other_name, port_gid(1))).ok());
    for (bool const trusted : {false, true}) {
        int seen = 0;
        EXPECT_FALSE(groups.find({}, trusted, [&](auto const&) { return ++seen < 1; }));
        EXPECT_EQ(seen, 1);
    }
}

TEST_F(MulticastRegistry, APortThatVanishesLeavesAllItsGroups)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    ASSERT_TRUE(join(membership(group_name, port_gid(2))).ok());
    ASSERT_TRUE(join(creation(other_name, port_gid(1))).ok());
    ASSERT_TRUE(join(membership(other_name, port_gid(3), join_state::non_member)).ok());
    auto const outcomes = groups.remove_port(port_gid(1));
    ASSERT_THAT(outcomes, SizeIs(2));
    EXPECT_TRUE(outcomes[0].membership_changed);
    EXPECT_FALSE(outcomes[0].group_deleted);
    EXPECT_EQ(outcomes[0].record.mgid, group_name);
    EXPECT_EQ(outcomes[0].record.port_gid, port_gid(1));
    EXPECT_TRUE(outcomes[1].group_deleted);
    EXPECT_EQ(groups.members(), 1U);
    EXPECT_THAT(groups.remove_port(port_gid(1)), IsEmpty());
}

TEST_F(MulticastRegistry, AllThatVanishAtOnceDeleteAGroupOnce)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    for (std::uint64_t i = 2; i <= 4; ++i) {
        ASSERT_TRUE(join(membership(group_name, port_gid(i))).ok());
    }
    ASSERT_TRUE(join(membership(group_name, port_gid(5), join_state::non_member)).ok());
    auto const outcomes = groups.remove_ports([](gid const& port) { return port != port_gid(5); });
    ASSERT_THAT(outcomes, SizeIs(4));
    EXPECT_FALSE(outcomes[2].group_deleted);
    EXPECT_TRUE(outcomes[3].group_deleted);
    EXPECT_EQ(groups.members(), 0U);
    EXPECT_THAT(groups.groups(), IsEmpty());
}

TEST_F(MulticastRegistry, AGroupThatStaysNeedsNoMembersAndMayBeJoinedAtOnce)
{
    auto const kept = groups.keep_group(ipoib_broadcast_group());
    ASSERT_TRUE(kept.ok());
    EXPECT_TRUE(kept.group_created);
    EXPECT_EQ(kept.record.mgid, group_name);
    EXPECT_EQ(kept.record.mlid, first_multicast_lid);
    EXPECT_TRUE(join(membership(group_name, port_gid(1), join_state::non_member)).ok());
    EXPECT_TRUE(join(membership(group_name, port_gid(2))).ok());
    EXPECT_FALSE(groups.leave(membership(group_name, port_gid(2))).group_deleted);
    EXPECT_FALSE(groups.remove_port(port_gid(1))[0].group_deleted);
    EXPECT_THAT(groups.group(group_name)->members, IsEmpty());
    auto const gone = groups.let_group_go(group_name);
    EXPECT_TRUE(gone.group_deleted);
    EXPECT_EQ(groups.let_group_go(group_name).status, mad_status::sa_no_records);
}

TEST_F(MulticastRegistry, AGroupThatIsThereMayBeKeptAsItIs)
{
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    auto const kept = groups.keep_group(ipoib_broadcast_group());
    EXPECT_TRUE(kept.ok());
    EXPECT_FALSE(kept.group_created);
    EXPECT_EQ(kept.record.rate, path_rate::gbps_100);
    EXPECT_FALSE(groups.leave(membership(group_name, port_gid(1))).group_deleted);
}

TEST_F(MulticastRegistry, AKeptGroupMayHaveTheMlidThatItHadBefore)
{
    auto group = ipoib_broadcast_group();
    group.mlid = lid{0xC001};
    EXPECT_EQ(groups.keep_group(group).record.mlid, lid{0xC001});
    EXPECT_EQ(join(creation(other_name, port_gid(1))).record.mlid, lid{0xC000});
    EXPECT_EQ(join(creation({}, port_gid(1))).record.mlid, lid{0xC002});
    group.mgid = gid{0xFF12'401B'8001'0000, guid{0xFFFF'FFFF}};
    EXPECT_EQ(groups.keep_group(group).status, mad_status::sa_request_invalid); // it is taken
    group.mlid = lid{5};
    EXPECT_EQ(groups.keep_group(group).status, mad_status::sa_request_invalid);
}

TEST_F(MulticastRegistry, MlidsEndWhereTheSwitchesTablesDo)
{
    groups.set_multicast_lids(2);
    ASSERT_TRUE(join(creation({}, port_gid(1))).ok());
    auto const second = join(creation({}, port_gid(1)));
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(refused(creation({}, port_gid(1))), mad_status::sa_no_resources);
    auto group = ipoib_broadcast_group();
    group.mlid = lid{0xC002};
    EXPECT_EQ(groups.keep_group(group).status, mad_status::sa_no_resources);
    // A smaller table takes nothing from those that are there.
    groups.set_multicast_lids(1);
    EXPECT_NE(groups.group(second.record.mgid), nullptr);
    ASSERT_TRUE(groups.leave(membership(second.record.mgid, port_gid(1))).group_deleted);
    EXPECT_EQ(refused(creation({}, port_gid(1))), mad_status::sa_no_resources);
    groups.set_multicast_lids(0xFFFF);
    EXPECT_EQ(join(creation({}, port_gid(1))).record.mlid, lid{0xC001});
}

TEST_F(MulticastRegistry, GroupsAndMembersAreOnlySoMany)
{
    groups = multicast_registry{{.most_groups = 2, .most_members = 3}};
    ASSERT_TRUE(join(creation(group_name, port_gid(1))).ok());
    ASSERT_TRUE(join(creation(other_name, port_gid(1))).ok());
    EXPECT_EQ(refused(creation({}, port_gid(1))), mad_status::sa_no_resources);
    ASSERT_TRUE(join(membership(group_name, port_gid(2))).ok());
    EXPECT_EQ(refused(membership(group_name, port_gid(3))), mad_status::sa_no_resources);
    // Who is a member may still change how.
    EXPECT_TRUE(join(membership(group_name, port_gid(2), join_state::non_member)).membership_changed);
    EXPECT_THAT(groups.remove_port(port_gid(1)), SizeIs(2));
    EXPECT_TRUE(join(creation({}, port_gid(3))).ok());
}

TEST_F(MulticastRegistry, GroupsAndMembersOfOnePortAreOnlySoManyWhicheverPortItNames)
{
    groups = multicast_registry{{.most_groups_of_one = 2, .most_members_of_one = 3}};
    able.asker = port_gid(9);
    auto const first = join(creation({}, port_gid(1)));
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(join(creation(group_name, port_gid(2))).ok());
    EXPECT_EQ(refused(creation({}, port_gid(3))), mad_status::sa_no_resources);
    ASSERT_TRUE(join(membership(group_name, port_gid(3))).ok());
    EXPECT_EQ(refused(membership(group_name, port_gid(4))), mad_status::sa_no_resources);
    EXPECT_TRUE(join(membership(group_name, port_gid(3), join_state::non_member)).ok()) << "is one already";
    able.asker = {};
    EXPECT_TRUE(join(creation({}, port_gid(4))).ok()) << "others have shares of their own";
    able.asker = port_gid(9);
    ASSERT_TRUE(groups.leave(membership(first.record.mgid, port_gid(1))).group_deleted);
    EXPECT_TRUE(join(creation({}, port_gid(5))).ok());
    EXPECT_THAT(groups.remove_port(port_gid(2)), SizeIs(1));
    EXPECT_TRUE(join(membership(group_name, port_gid(6))).ok());
}

TEST_F(MulticastRegistry, APortThatCanDoNothingMakesNoGroup)
{
    able.longest = mtu{0};
    EXPECT_EQ(refused(creation(group_name, port_gid(1))), mad_status::sa_request_invalid);
    able.longest = mtu::bytes_256;
    able.rate = path_rate{0};
    EXPECT_EQ(refused(creation(group_name, port_gid(1))), mad_status::sa_request_invalid);
}

TEST(IpoibBroadcastGroup, IsNamedByItsPartitionAndScope)
{
    auto const group = ipoib_broadcast_group({.p_key = 0x0012, .scope = multicast_scope::site_local});
    EXPECT_EQ(to_string(group.mgid), "ff15:401b:8012:0000:0000:0000:ffff:ffff");
    EXPECT_EQ(group.p_key, 0x8012);
    EXPECT_EQ(group.q_key, 0x0B1BU);
    EXPECT_EQ(group.group_mtu, mtu::bytes_2048);
    EXPECT_EQ(group.rate, path_rate::gbps_10);
}

} // namespace
} // namespace madrigal::engine
