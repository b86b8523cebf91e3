// The subnet management agents: what they tell, what they let themselves be told, what they refuse.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/guid_info.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/mlnx_ext_port_info.hpp>
#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>
#include <madrigal/wire/link_rate.hpp>

namespace madrigal::sim::test {
namespace {

directed_route const to_switch{0, 1};
directed_route const to_b{0, 1, 3};

class Sma : public ::testing::Test {
protected:
    bench with;

    std::uint16_t status(std::optional<received> const& got)
    {
        EXPECT_TRUE(got);
        return got ? got->view().outcome() : std::uint16_t{0xFFFF};
    }
    /// PortInfo with nothing in it that a Set would change by itself.
    port_info settable(directed_route const& to, unsigned port, std::uint64_t key = 0)
    {
        auto info = with.get<port_info>(to, port, key);
        info.state = port_state::no_change;
        info.phys_state = physical_state::no_change;
        return info;
    }
    std::uint16_t set_state(
        directed_route const& to, unsigned port, port_state state, physical_state phys = physical_state::no_change)
    {
        auto info = settable(to, port);
        info.state = state;
        info.phys_state = phys;
        return status(with.set(to, info, port));
    }
};

TEST_F(Sma, PortsStartInInitWhereTheyAreCabledAndDownElsewhere)
{
    for (unsigned const port : {1u, 2u, 3u, 5u, 6u}) {
        auto const info = with.get<port_info>(to_switch, port);
        EXPECT_EQ(info.state, port_state::init) << port;
        EXPECT_EQ(info.phys_state, physical_state::link_up) << port;
        EXPECT_EQ(info.local_port_num, 1) << "the port asked through";
    }
    for (unsigned const port : {4u, 7u, 8u}) {
        auto const info = with.get<port_info>(to_switch, port);
        EXPECT_EQ(info.state, port_state::down);
        EXPECT_EQ(info.phys_state, physical_state::polling);
        EXPECT_EQ(info.link_down_default, link_down_default_state::polling);
    }
    EXPECT_EQ(with.get<port_info>(to_switch, 0).base_lid, lid{});
    EXPECT_EQ(with.get<port_info>(directed_route{}, 0).local_port_num, 1);
}

TEST_F(Sma, PortsComeUpWithTheMtuAndTheLanesThatBothEndsCan)
{
    for (unsigned const port : {1u, 3u, 5u, 8u}) {
        auto const info = with.get<port_info>(to_switch, port);
        EXPECT_EQ(info.neighbor_mtu, info.mtu_cap);
        EXPECT_EQ(info.operational_vls, info.vl_cap);
    }
}

TEST_F(Sma, WidthAndSpeedAreThoseOfTheFile)
{
    struct expectation {
        unsigned port;
        link_width width;
        link_speed speed;
    };
    auto const zero = with.get<port_info>(to_switch, 0);
    for (auto const& expected : {expectation{1, link_width::x4, link_speed::edr},
             {2, link_width::x4, link_speed::fdr10}, {3, link_width::x1, link_speed::sdr},
             {5, link_width::x4, link_speed::hdr}, {6, link_width::x2, link_speed::hdr}}) {
        auto const info = with.get<port_info>(to_switch, expected.port);
        auto const vendor = with.get<mlnx_ext_port_info>(to_switch, expected.port);
        auto const rate = resolve_link(info, &zero, &vendor);
        EXPECT_EQ(rate.active_width, expected.width) << expected.port;
        EXPECT_EQ(rate.active_speed, expected.speed) << expected.port;
    }
    auto const far = with.get<port_info>(directed_route{0, 1, 5, 1}, 1);
    EXPECT_EQ(resolve_link(far).active_speed, link_speed::ndr) << "a CA's port has masks of its own";
}

TEST(SmaLinks, EveryWidthAndSpeedComesBackAsItWentIn)
{
    for (auto const width : {link_width::x1, link_width::x2, link_width::x4, link_width::x8, link_width::x12})
        for (auto const speed : {link_speed::sdr, link_speed::ddr, link_speed::qdr, link_speed::fdr10, link_speed::fdr,
                 link_speed::edr, link_speed::hdr, link_speed::ndr, link_speed::xdr}) {
            auto layout = two_switches();
            layout.at(switch_1).external_port(3).width = layout.at(host_b).external_port(1).width = width;
            layout.at(switch_1).external_port(3).speed = layout.at(host_b).external_port(1).speed = speed;
            bench with{layout};
            auto const zero = with.get<port_info>(to_switch, 0);
            auto const vendor = with.get<mlnx_ext_port_info>(to_switch, 3);
            auto const at_switch = resolve_link(with.get<port_info>(to_switch, 3), &zero, &vendor);
            EXPECT_EQ(at_switch.active_width, width);
            EXPECT_EQ(at_switch.active_speed, speed);
            auto const vendor_b = with.get<mlnx_ext_port_info>(to_b, 1);
            auto const at_ca = resolve_link(with.get<port_info>(to_b, 1), nullptr, &vendor_b);
            EXPECT_EQ(at_ca.active_width, width);
            EXPECT_EQ(at_ca.active_speed, speed);
        }
}

TEST(SmaLinks, UnequalEndsStayUnequalAndAnUntoldOneTakesItsPeers)
{
    auto layout = two_switches();
    layout.at(switch_1).external_port(3).width = link_width::x4;
    layout.at(host_b).external_port(1).width = link_width::x1;
    layout.at(switch_1).external_port(3).speed = link_speed::none;
    layout.at(host_b).external_port(1).speed = link_speed::ddr;
    layout.at(switch_1).external_port(1).width = layout.at(host_a).external_port(1).width = link_width::none;
    layout.at(switch_1).external_port(1).speed = layout.at(host_a).external_port(1).speed = link_speed::none;
    bench with{layout};
    auto const zero = with.get<port_info>(to_switch, 0);
    auto const at_switch = resolve_link(with.get<port_info>(to_switch, 3), &zero);
    EXPECT_EQ(at_switch.active_width, link_width::x4);
    EXPECT_EQ(at_switch.active_speed, link_speed::ddr);
    EXPECT_EQ(resolve_link(with.get<port_info>(to_b, 1)).active_width, link_width::x1);
    auto const untold = resolve_link(with.get<port_info>(to_switch, 1), &zero);
    EXPECT_EQ(untold.active_width, link_width::x4);
    EXPECT_EQ(untold.active_speed, link_speed::sdr);
}

TEST_F(Sma, UnknownAttributesAndReadOnlyOnesAreUnsupported)
{
    for (std::uint16_t const attribute :
        {0x0001, 0x0002, 0x0013, 0x001A, 0x001B, 0x0030, 0x0031, 0x0033, 0x7777, 0xFF00, 0xFFFF})
        EXPECT_EQ(status(with.ask(to_b, attribute)), 0x000C) << attribute;
    EXPECT_EQ(status(with.set(to_b, node_info{})), 0x000C);
    EXPECT_EQ(status(with.set(to_b, node_description{})), 0x000C);
    EXPECT_EQ(status(with.set(to_switch, mlnx_ext_port_info{})), 0x000C);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::switch_info)), 0x000C);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::linear_forwarding_table)), 0x000C);
}

TEST(SmaVendor, OnlyDevicesThatKnowFdr10HaveTheVendorsAttribute)
{
    auto layout = two_switches();
    layout.at(host_b).vendor_id = 0x1175;
    bench with{layout};
    EXPECT_EQ(with.ask(to_b, attribute_id::mlnx_ext_port_info, 1)->view().outcome(), 0x000C);
    EXPECT_EQ(with.ask(to_switch, attribute_id::mlnx_ext_port_info, 9)->view().outcome(), 0x001C);
}

TEST_F(Sma, AnotherVersionOfTheClassIsSaidSo)
{
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, 9, attribute_id::node_info, 0, 0, to_b);
    mutable_mad_view{smp}.set_class_version(2);
    ASSERT_EQ(with.file->write(header_to(with.directed, permissive_lid, 0), smp), 0);
    EXPECT_EQ(status(with.file->read()), mad_status::bad_version);
}

TEST_F(Sma, PortsBeyondTheLastAreInvalid)
{
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::port_info, 9)), 0x001C);
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::port_info, 255)), 0x001C);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::port_info, 2)), 0x001C);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::port_info, 1)), 0);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::port_info, 0x8000'0001)), 0) << "asker knows extended speeds";
}

TEST_F(Sma, APortGoesThroughInitArmedActiveAndNoOtherWay)
{
    EXPECT_EQ(set_state(to_b, 1, port_state::active), 0x001C);
    EXPECT_EQ(set_state(to_b, 1, port_state::init), 0x001C);
    EXPECT_EQ(set_state(to_b, 1, port_state{7}), 0x001C);
    EXPECT_EQ(set_state(to_b, 1, port_state::armed), 0);
    EXPECT_EQ(with.get<port_info>(to_b, 1).state, port_state::armed);
    EXPECT_EQ(set_state(to_b, 1, port_state::active), 0);
    EXPECT_EQ(with.get<port_info>(to_b, 1).state, port_state::active);
    EXPECT_EQ(set_state(to_b, 1, port_state::armed), 0x001C);
    EXPECT_EQ(set_state(to_switch, 8, port_state::armed), 0x001C) << "from Down only a link leads on";
    EXPECT_EQ(set_state(to_switch, 3, port_state::down, physical_state::link_up), 0x001C);
    EXPECT_EQ(set_state(to_switch, 3, port_state::armed, physical_state::polling), 0x001C);
    // Down makes the link train again: both ends are back in Init.
    EXPECT_EQ(set_state(to_switch, 3, port_state::down), 0);
    EXPECT_EQ(with.get<port_info>(to_b, 1).state, port_state::init);
    EXPECT_EQ(with.get<port_info>(to_switch, 3).state, port_state::init);
}

TEST_F(Sma, ADisabledPortTakesItsPeersLinkDown)
{
    ASSERT_EQ(set_state(to_switch, 3, port_state::no_change, physical_state::disabled), 0);
    EXPECT_EQ(with.get<port_info>(to_switch, 3).phys_state, physical_state::disabled);
    EXPECT_EQ(with.get<port_info>(to_switch, 3).state, port_state::down);
    EXPECT_EQ(with.on->look_at({host_b, 1}).value().state, port_state::down);
    EXPECT_EQ(with.on->look_at({host_b, 1}).value().phys_state, physical_state::polling);
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info));
    ASSERT_EQ(set_state(to_switch, 3, port_state::down, physical_state::polling), 0);
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info));
    EXPECT_EQ(with.get<port_info>(to_switch, 3).state, port_state::init);
}

TEST_F(Sma, LinkDownDefaultSleepKeepsALostLinkDown)
{
    auto info = settable(to_switch, 3);
    info.link_down_default = link_down_default_state::sleep;
    ASSERT_EQ(status(with.set(to_switch, info, 3)), 0);
    ASSERT_FALSE(with.on->set_link({switch_1, 3}, false).code());
    ASSERT_FALSE(with.on->set_link({switch_1, 3}, true).code());
    EXPECT_EQ(with.get<port_info>(to_switch, 3).phys_state, physical_state::sleep);
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info));
    ASSERT_EQ(set_state(to_switch, 3, port_state::no_change, physical_state::polling), 0);
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info));
}

TEST_F(Sma, LidsMustBeUnicastAndFitTheirLmc)
{
    auto info = settable(to_b, 1);
    for (std::uint16_t const bad : {0xC000, 0xFFFF}) {
        info.base_lid = lid{bad};
        EXPECT_EQ(status(with.set(to_b, info, 1)), 0x001C) << bad;
    }
    info.base_lid = lid{5};
    info.lmc = 1;
    EXPECT_EQ(status(with.set(to_b, info, 1)), 0x001C) << "the range starts at an even LID";
    info.base_lid = lid{6};
    EXPECT_EQ(status(with.set(to_b, info, 1)), 0);
    EXPECT_EQ(with.get<port_info>(to_b, 1).lmc, 1);
    info.base_lid = lid{};
    info.lmc = 0;
    EXPECT_EQ(status(with.set(to_b, info, 1)), 0x001C);
    info.base_lid = lid{6};
    info.master_sm_lid = lid{0xC001};
    EXPECT_EQ(status(with.set(to_b, info, 1)), 0x001C);
}

TEST_F(Sma, OnlyWhatIsSupportedCanBeEnabled)
{
    auto info = settable(to_switch, 1); // 4x EDR
    info.link_width_enabled = flags<link_width>{link_width::x12};
    EXPECT_EQ(status(with.set(to_switch, info, 1)), 0x001C);
    info.link_width_enabled = flags<link_width>{link_width::x1};
    EXPECT_EQ(status(with.set(to_switch, info, 1)), 0);
    EXPECT_EQ(with.get<port_info>(to_switch, 1).link_width_enabled, flags<link_width>{link_width::x1});
    info.link_width_enabled = flags<link_width>::from_value(0xFF);
    info.link_speed_ext_enabled = flags<extended_speed>::from_value(30);
    EXPECT_EQ(status(with.set(to_switch, info, 1)), 0);
    EXPECT_EQ(with.get<port_info>(to_switch, 1).link_width_enabled, info.link_width_supported);
    EXPECT_TRUE(with.get<port_info>(to_switch, 1).link_speed_ext_enabled.empty());
    info.operational_vls = virtual_lanes::vl0_14;
    EXPECT_EQ(status(with.set(to_switch, info, 1)), 0x001C);
    info.operational_vls = virtual_lanes::vl0_1;
    info.neighbor_mtu = mtu{6};
    EXPECT_EQ(status(with.set(to_switch, info, 1)), 0x001C);
}

TEST_F(Sma, ALinkTrainsToTheFastestAndWidestThatBothEndsMayUse)
{
    auto const trained = [&](unsigned port) {
        auto const zero = with.get<port_info>(to_switch, 0);
        auto const rate = resolve_link(with.get<port_info>(to_switch, port), &zero);
        return std::pair{rate.active_width, rate.active_speed};
    };
    auto info = settable(to_switch, 5); // 4x HDR to the second switch
    info.link_speed_ext_enabled = flags<extended_speed>{extended_speed::fdr, extended_speed::edr};
    info.link_width_enabled = flags<link_width>{link_width::x1};
    ASSERT_EQ(status(with.set(to_switch, info, 5)), 0);
    EXPECT_EQ(trained(5), std::pair(link_width::x4, link_speed::hdr)) << "as it was until it trains anew";
    ASSERT_EQ(set_state(to_switch, 5, port_state::down), 0);
    EXPECT_EQ(trained(5), std::pair(link_width::x1, link_speed::edr));
    auto const far = with.get<port_info>(directed_route{0, 1, 6}, 5);
    EXPECT_EQ(far.link_width_active, link_width::x1) << "the other end too";
    EXPECT_EQ(far.link_width_enabled, far.link_width_supported) << "which may still do more";

    info = settable(to_switch, 5);
    info.link_speed_enabled = flags<legacy_speed>{legacy_speed::sdr};
    info.link_speed_ext_enabled = flags<extended_speed>::from_value(30); // none
    ASSERT_EQ(status(with.set(to_switch, info, 5)), 0);
    ASSERT_EQ(set_state(to_switch, 5, port_state::down), 0);
    EXPECT_EQ(trained(5), std::pair(link_width::x1, link_speed::sdr));

    info = settable(to_switch, 5);
    info.link_width_enabled = flags<link_width>::from_value(0xFF);
    info.link_speed_enabled = flags<legacy_speed>::from_value(0xF);
    info.link_speed_ext_enabled = flags<extended_speed>::from_value(31);
    ASSERT_EQ(status(with.set(to_switch, info, 5)), 0);
    ASSERT_EQ(set_state(to_switch, 5, port_state::down), 0);
    EXPECT_EQ(trained(5), std::pair(link_width::x4, link_speed::hdr));
}

TEST_F(Sma, ALinkWhoseEndsHaveNoWidthInCommonStaysDown)
{
    directed_route const to_far{0, 1, 6}; // the second switch, by the other cable
    auto near = settable(to_switch, 5);
    near.link_width_enabled = flags<link_width>{link_width::x1};
    ASSERT_EQ(status(with.set(to_switch, near, 5)), 0);
    auto far = settable(to_far, 5);
    far.link_width_enabled = flags<link_width>{link_width::x4};
    ASSERT_EQ(status(with.set(to_far, far, 5)), 0);
    EXPECT_EQ(with.get<port_info>(to_switch, 5).state, port_state::init) << "until it trains anew";
    ASSERT_EQ(set_state(to_switch, 5, port_state::down), 0);
    EXPECT_EQ(with.get<port_info>(to_switch, 5).state, port_state::down);
    EXPECT_EQ(with.get<port_info>(to_switch, 5).phys_state, physical_state::polling);
    EXPECT_EQ(with.get<port_info>(to_far, 5).state, port_state::down);
    far.link_width_enabled = flags<link_width>::from_value(0xFF);
    ASSERT_EQ(status(with.set(to_far, far, 5)), 0);
    ASSERT_EQ(set_state(to_far, 5, port_state::no_change, physical_state::polling), 0);
    EXPECT_EQ(with.get<port_info>(to_switch, 5).state, port_state::init);
}

TEST_F(Sma, ForwardingBlocksEndWithTheTop)
{
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::linear_forwarding_table, 0)), 0);
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::linear_forwarding_table, 1)), 0x001C);
    auto info = with.get<switch_info>(to_switch);
    EXPECT_EQ(info.linear_fdb_cap, 0xC000);
    info.linear_fdb_top = 128;
    EXPECT_EQ(status(with.set(to_switch, info)), 0);
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::linear_forwarding_table, 2)), 0);
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::linear_forwarding_table, 3)), 0x001C);
    info.linear_fdb_top = 0xC000;
    EXPECT_EQ(status(with.set(to_switch, info)), 0x001C);
    EXPECT_EQ(status(with.set(to_switch, linear_forwarding_table{}, 0x300)), 0x001C);
    EXPECT_EQ(status(with.set(to_switch, linear_forwarding_table{}, 0x2FF)), 0);
    for (auto const port : with.get<linear_forwarding_table>(to_switch, 2).ports)
        EXPECT_EQ(port, no_route) << "what nobody set leads nowhere";
}

TEST_F(Sma, PortStateChangeIsSetByALinkAndTakenBackByASet)
{
    EXPECT_FALSE(with.get<switch_info>(to_switch).port_state_change);
    ASSERT_FALSE(with.on->set_link({host_b, 1}, false).code());
    auto info = with.get<switch_info>(to_switch);
    EXPECT_TRUE(info.port_state_change);
    info.port_state_change = false;
    ASSERT_EQ(status(with.set(to_switch, info)), 0);
    EXPECT_TRUE(with.get<switch_info>(to_switch).port_state_change);
    info.port_state_change = true;
    ASSERT_EQ(status(with.set(to_switch, info)), 0);
    EXPECT_FALSE(with.get<switch_info>(to_switch).port_state_change);
}

TEST_F(Sma, PartitionKeysAreKeptPerPort)
{
    EXPECT_EQ(with.get<p_key_table>(to_b).p_keys[0], 0xFFFF);
    p_key_table keys;
    keys.p_keys[0] = 0xFFFF;
    keys.p_keys[5] = 0x8123;
    ASSERT_EQ(status(with.set(to_switch, keys, 3u << 16)), 0);
    EXPECT_EQ(with.get<p_key_table>(to_switch, 3u << 16), keys);
    EXPECT_EQ(with.get<p_key_table>(to_switch, 0).p_keys[5], 0);
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::p_key_table, (3u << 16) + 1)), 0x001C);
    EXPECT_EQ(status(with.ask(to_switch, attribute_id::p_key_table, 9u << 16)), 0x001C);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::p_key_table, 3)), 0);
    EXPECT_EQ(status(with.ask(to_b, attribute_id::p_key_table, 4)), 0x001C);
    EXPECT_EQ(with.get<node_info>(to_b).partition_cap, 128);
}

TEST_F(Sma, TheFirstGuidStays)
{
    guid_info wanted;
    wanted.guids[0] = guid{1};
    wanted.guids[3] = guid{0x77};
    ASSERT_EQ(status(with.set(to_b, wanted)), 0);
    auto const got = with.get<guid_info>(to_b);
    EXPECT_EQ(got.guids[0], with.on->look_at({host_b, 1}).value().port_guid);
    EXPECT_EQ(got.guids[3], guid{0x77});
    EXPECT_EQ(status(with.ask(to_b, attribute_id::guid_info, 1)), 0x001C);
}

TEST_F(Sma, CapabilitiesAreWhatIsThere)
{
    auto const of_switch = with.get<port_info>(to_switch, 0).capability_mask;
    EXPECT_TRUE(of_switch.has(port_capability::trap));
    EXPECT_TRUE(of_switch.has(port_capability::multicast_fdb_top));
    EXPECT_TRUE(of_switch.has(port_capability::extended_speeds));
    auto const of_slow_ca = with.get<port_info>(to_b, 1).capability_mask;
    EXPECT_TRUE(of_slow_ca.has(port_capability::sl_mapping));
    EXPECT_FALSE(of_slow_ca.has(port_capability::trap));
    EXPECT_FALSE(of_slow_ca.has(port_capability::extended_speeds));
    EXPECT_FALSE(of_slow_ca.has(port_capability::is_sm));
    for (auto const claim : {port_capability::led_info, port_capability::device_management,
             port_capability::snmp_tunneling, port_capability::reinit, port_capability::hierarchy_info})
        EXPECT_FALSE(of_switch.has(claim)) << to_string(claim);
    auto const issm = with.machine->open_issm("mlx5_0", 1).value();
    EXPECT_TRUE(with.get<port_info>(directed_route{}, 1).capability_mask.has(port_capability::is_sm));
}

class ManagementKey : public Sma {
protected:
    static constexpr std::uint64_t key = 0xABCD'0000'1111;
    void protect(std::uint8_t bits, std::uint16_t lease = 0)
    {
        auto info = settable(to_b, 1);
        info.m_key = key;
        info.m_key_protect_bits = bits;
        info.m_key_lease_period = lease;
        ASSERT_EQ(status(with.set(to_b, info, 1)), 0);
    }
};

TEST_F(ManagementKey, Level0ShowsItselfButLetsNobodyWrite)
{
    protect(0);
    EXPECT_EQ(with.get<port_info>(to_b, 1).m_key, key);
    EXPECT_FALSE(with.set(to_b, settable(to_b, 1), 1));
    EXPECT_EQ(status(with.set(to_b, settable(to_b, 1), 1, key)), 0);
    EXPECT_EQ(with.get<port_info>(to_b, 1).m_key_violations, 1);
}

TEST_F(ManagementKey, Level1HidesTheKey)
{
    protect(1);
    EXPECT_EQ(with.get<port_info>(to_b, 1).m_key, 0u);
    EXPECT_EQ(with.get<port_info>(to_b, 1, key).m_key, key);
    EXPECT_EQ(with.get<port_info>(to_b, 1, key + 1).m_key, 0u);
    EXPECT_FALSE(with.set(to_b, settable(to_b, 1), 1, key + 1));
}

TEST_F(ManagementKey, Levels2And3DoNotAnswerWithoutIt)
{
    protect(2);
    EXPECT_FALSE(with.ask(to_b, attribute_id::port_info, 1));
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info, 0, key + 1));
    EXPECT_EQ(with.on->counters().drops(drop_reason::m_key), 2u);
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info, 0, key));
    EXPECT_EQ(with.on->look_at({host_b, 1}).value().m_key_violations, 2);
    auto info = settable(to_b, 1, key);
    info.m_key_protect_bits = 3;
    ASSERT_EQ(status(with.set(to_b, info, 1, key)), 0);
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info));
    EXPECT_EQ(status(with.ask(to_b, attribute_id::sm_info)), 0x000C) << "SMInfo asks for no key";
    EXPECT_TRUE(with.ask(to_switch, attribute_id::node_info)) << "others are not concerned";
}

TEST_F(ManagementKey, TheLeaseEndsProtectionUnlessTheBearerReturns)
{
    protect(2, 10);
    with.clock.advance(1h);
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info)) << "it starts with the violation";
    with.clock.advance(9s);
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info, 0, key)); // stops it
    with.clock.advance(9s);
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info));
    with.clock.advance(10s);
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info));
    EXPECT_EQ(with.get<port_info>(to_b, 1).m_key, key);
}

} // namespace
} // namespace madrigal::sim::test
