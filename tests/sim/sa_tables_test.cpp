// What the fabric's own subnet administration tells of nodes, ports, switches and links.
#include "sa_talk.hpp"

#include <madrigal/wire/attributes/class_port_info.hpp>
#include <madrigal/wire/attributes/forwarding_table_record.hpp>
#include <madrigal/wire/attributes/guid_info_record.hpp>
#include <madrigal/wire/attributes/link_record.hpp>
#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/p_key_table_record.hpp>
#include <madrigal/wire/attributes/port_info_record.hpp>
#include <madrigal/wire/attributes/sm_info_record.hpp>
#include <madrigal/wire/attributes/switch_info_record.hpp>
#include <madrigal/wire/class_capability.hpp>

#include <gmock/gmock.h>

#include <set>
#include <tuple>

namespace madrigal::sim::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t trusted = 1;

TEST(SaTables, SayOfNodesWhatTheirOwnAgentsSay)
{
    sa_talk talk;
    for (auto const& one : talk.table<node_record>()) {
        auto const own = talk.with.ask(one.base_lid, attribute_id::node_info);
        ASSERT_TRUE(own);
        EXPECT_EQ(own->as<node_info>().node_guid, one.info.node_guid);
        EXPECT_EQ(own->as<node_info>().port_guid, one.info.port_guid);
        EXPECT_EQ(own->as<node_info>().num_ports, one.info.num_ports);
        auto const name = talk.with.ask(one.base_lid, attribute_id::node_description);
        EXPECT_EQ(name->as<node_description>(), one.description);
    }
}

TEST(SaTables, AreOfTheStateAtTheTimeOfTheQuestion)
{
    sa_talk talk;
    ASSERT_THAT(talk.table<node_record>(), SizeIs(6));
    ASSERT_FALSE(talk.with.on->set_link({host_c, 1}, false).code());
    EXPECT_THAT(talk.table<node_record>(), SizeIs(5));
    EXPECT_THAT(talk.table<link_record>(), SizeIs(10));
    ASSERT_FALSE(talk.with.on->set_power(switch_2, false).code());
    EXPECT_THAT(talk.table<node_record>(), SizeIs(4));
    EXPECT_THAT(talk.table<link_record>(), SizeIs(6));
}

TEST(SaTables, FindByAnyComponentAndTakeTheOthersAsWildcards)
{
    sa_talk talk;
    auto const switches =
        talk.table(record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_));
    ASSERT_THAT(switches, SizeIs(2));
    auto const second = talk.table(record_query<node_record>{}
                                       .where<&node_record::info, &node_info::type>(node_type::switch_)
                                       .where<&node_record::base_lid>(talk.at({switch_2, 0})));
    ASSERT_THAT(second, SizeIs(1));
    EXPECT_EQ(second[0].description.description.view(), "second switch");
    // All bits that there are, and those that stand for nothing: no record is like that, and none is read behind its
    // end.
    record_query<node_record> const all{node_record{}, component_mask<node_record>::from_value(~std::uint64_t{0})};
    EXPECT_THAT(talk.table(all), IsEmpty());
    record_query<node_record> const nothing{
        node_record{}, component_mask<node_record>::from_value(std::uint64_t{1} << 63)};
    EXPECT_THAT(talk.table(nothing), SizeIs(6));
}

TEST(SaTables, HaveEveryPortOfASwitchAndTheOnesThatCasHave)
{
    sa_talk talk;
    auto const ports = talk.table<port_info_record>();
    EXPECT_THAT(ports, SizeIs(9 + 9 + 4));
    std::set<std::pair<std::uint16_t, unsigned>> names;
    for (auto const& one : ports)
        names.emplace(one.endport_lid.value(), one.port_num);
    EXPECT_THAT(names, SizeIs(ports.size()));
    auto const one = talk.get(record_query<port_info_record>{}
                                  .where<&port_info_record::endport_lid>(talk.at({switch_1, 0}))
                                  .where<&port_info_record::port_num>(5));
    auto const own = talk.with.ask(talk.at({switch_1, 0}), attribute_id::port_info, 5)->as<port_info>();
    EXPECT_EQ(one.info.state, port_state::active);
    EXPECT_EQ(one.info.link_speed_ext_active, own.link_speed_ext_active);
    EXPECT_EQ(one.info.neighbor_mtu, own.neighbor_mtu);
    auto const active = talk.table(
        record_query<port_info_record>{}.where<&port_info_record::info, &port_info::state>(port_state::active));
    EXPECT_THAT(active, SizeIs(12 + 2)); // two for each of six links, and both ports 0
}

TEST(SaTables, KeepMKeysFromWhoIsNotTrusted)
{
    sa_talk talk;
    auto own = talk.with.get<port_info>(directed_route{0});
    own.m_key = 0x1234;
    own.state = port_state::no_change;
    own.phys_state = physical_state::no_change;
    ASSERT_EQ(talk.with.set(directed_route{0}, own)->view().outcome(), 0);
    auto const mine = record_query<port_info_record>{}.where<&port_info_record::endport_lid>(talk.at({host_a, 1}));
    EXPECT_EQ(talk.get(mine).info.m_key, 0U);
    EXPECT_EQ(talk.get(mine, trusted).info.m_key, 0x1234U);
    EXPECT_EQ(talk.status_of(method::get, mine, 2), mad_status::sa_request_denied);
}

TEST(SaTables, HaveBothDirectionsOfEveryLink)
{
    sa_talk talk;
    auto const links = talk.table<link_record>();
    ASSERT_THAT(links, SizeIs(12));
    std::set<std::tuple<lid, unsigned, lid, unsigned>> all;
    for (auto const& one : links)
        all.emplace(one.from_lid, one.from_port, one.to_lid, one.to_port);
    EXPECT_THAT(all, SizeIs(12));
    for (auto const& one : links)
        EXPECT_TRUE(all.contains({one.to_lid, one.to_port, one.from_lid, one.from_port}));
    EXPECT_TRUE(all.contains({talk.at({host_c, 1}), 1, talk.at({switch_2, 0}), 1}));
    EXPECT_THAT(
        talk.table(record_query<link_record>{}.where<&link_record::from_lid>(talk.at({switch_1, 0}))), SizeIs(5));
}

TEST(SaTables, HaveWhatSwitchesForwardBy)
{
    sa_talk talk;
    auto const switches = talk.table<switch_info_record>();
    ASSERT_THAT(switches, SizeIs(2));
    auto const own = talk.with.ask(switches[0].base_lid, attribute_id::switch_info)->as<switch_info>();
    EXPECT_EQ(switches[0].info, own);
    auto const blocks = talk.table<linear_forwarding_table_record>();
    ASSERT_THAT(blocks, SizeIs(2 * (own.linear_fdb_top / 64 + 1)));
    auto const to = talk.at({host_c, 1});
    for (auto const& one : blocks)
        if (one.base_lid == talk.at({switch_2, 0}) && one.block_num == to.value() / 64) {
            EXPECT_EQ(one.table.ports[to.value() % 64], 1);
        }
    EXPECT_EQ(talk.status_of(method::get, record_query<linear_forwarding_table_record>{}
                                              .where<&linear_forwarding_table_record::base_lid>(switches[0].base_lid)
                                              .where<&linear_forwarding_table_record::block_num>(767)),
        mad_status::sa_no_records);
}

TEST(SaTables, HaveGuidsAndForTheTrustedPartitionKeys)
{
    sa_talk talk;
    auto const guids = talk.table<guid_info_record>();
    ASSERT_THAT(guids, SizeIs(6));
    EXPECT_EQ(guids[2].info.guids[0], talk.with.on->look_at({host_b, 1}).value().port_guid);
    EXPECT_EQ(talk.status_of(method::get_table, record_query<p_key_table_record>{}), mad_status::sa_request_invalid);
    auto const keys = talk.table<p_key_table_record>({}, trusted);
    EXPECT_THAT(keys, SizeIs(4 * 4 + 2 * (4 + 8))); // four blocks an end port has, one an external port of a switch
    auto const first = talk.get(record_query<p_key_table_record>{}
                                    .where<&p_key_table_record::base_lid>(talk.at({host_c, 1}))
                                    .where<&p_key_table_record::block_num>(0),
        trusted);
    EXPECT_EQ(first.table.p_keys[0], 0xFFFF);
}

TEST(SaTables, NameTheSubnetManagerThatAnswersAsOneToo)
{
    sa_talk talk;
    auto const managers = talk.table<sm_info_record>();
    ASSERT_THAT(managers, SizeIs(1));
    EXPECT_EQ(managers[0].base_lid, talk.at({host_b, 1}));
    EXPECT_EQ(managers[0].info.state, sm_state::master);
    EXPECT_EQ(managers[0].info.sm_key, 0U);
    EXPECT_EQ(talk.table<sm_info_record>({}, trusted)[0].info.sm_key, 1U);
    EXPECT_EQ(talk.with.ask(talk.sm_lid, attribute_id::sm_info)->as<sm_info>(), managers[0].info);
    auto const port = talk.with.ask(talk.sm_lid, attribute_id::port_info)->as<port_info>();
    EXPECT_TRUE(port.capability_mask.has(port_capability::is_sm));
    auto const other = talk.with.ask(talk.at({host_c, 1}), attribute_id::port_info)->as<port_info>();
    EXPECT_FALSE(other.capability_mask.has(port_capability::is_sm));
}

TEST(SaTables, ClaimWhatThereIs)
{
    sa_talk talk;
    auto bytes = talk.question(method::get, record_query<node_record>{});
    mutable_mad_view{bytes}.set_attribute_id(attribute_id::class_port_info);
    auto const got = talk.ask(bytes);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status(), 0);
    auto const info = got->as<class_port_info>();
    EXPECT_EQ(info.class_version, 2);
    EXPECT_THAT(capability_names(management_class::subnet_administration, info),
        ::testing::UnorderedElementsAre(to_string(sa_capability::multicast), to_string(sa_capability::capability_mask2),
            to_string(sa_capability2::extended_speeds)));
}

TEST(SaTables, AreRefusedByTheStatusThatSaysWhy)
{
    sa_talk talk;
    record_query<node_record> const any;
    EXPECT_EQ(talk.status_of(method::get, any), mad_status::sa_too_many_records);
    auto const nobody = record_query<node_record>{}.where<&node_record::base_lid>(lid{4711});
    EXPECT_EQ(talk.status_of(method::get, nobody), mad_status::sa_no_records);
    EXPECT_THAT(talk.table(nobody), IsEmpty());
    EXPECT_EQ(talk.status_of(method::set, any), mad_status::unsupported_method_attribute);
    EXPECT_EQ(talk.status_of(method::delete_, any), mad_status::unsupported_method_attribute);
    EXPECT_EQ(talk.status_of(method::get_multi, any), mad_status::unsupported_method);
    EXPECT_EQ(talk.status_of(method::get_trace_table, any), mad_status::unsupported_method);
    auto bytes = talk.question(method::get, any);
    mutable_mad_view{bytes}.set_attribute_id(attribute_id::multicast_forwarding_table_record);
    EXPECT_EQ(talk.ask(bytes)->status(), mad_status::unsupported_method_attribute);
    bytes = talk.question(method::get_table, any);
    mutable_mad_view{bytes}.set_class_version(1);
    auto const got = talk.ask(bytes);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status(), mad_status::bad_version);
    EXPECT_EQ(got->how(), method::get_table_response);
}

TEST(SaTables, AreNotThereUnlessAskedFor)
{
    bench with{two_switches(), {.start = start_state::configured}};
    auto const agent = with.file->register_server(0x03, 2, {}, 0, 1);
    std::array<std::byte, mad_size> bytes;
    build_sa_request(bytes, {.transaction_id = with.next_id()}, record_query<node_record>{});
    EXPECT_EQ(with.file->write(header_to(agent, with.on->look_at({host_b, 1}).value().base_lid, 1), bytes), 0);
    EXPECT_EQ(with.file->read()->view().status(), mad_status::unsupported_method_attribute);
    auto const port = with.ask(with.on->look_at({host_a, 1}).value().base_lid, attribute_id::port_info);
    EXPECT_FALSE(port->as<port_info>().capability_mask.has(port_capability::is_sm));

    auto const refused = fabric::make(two_switches(), {.answer_sa = true});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::invalid_argument);
    EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("configured"));
}

} // namespace
} // namespace madrigal::sim::test
