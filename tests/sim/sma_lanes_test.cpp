// What a port does with virtual lanes and a switch with multicast LIDs: tables that are kept and read back.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/multicast_forwarding_table.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/sl_to_vl_mapping_table.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>
#include <madrigal/wire/attributes/vl_arbitration_table.hpp>

namespace madrigal::sim::test {
namespace {

directed_route const to_switch{0, 1};
directed_route const to_b{0, 1, 3};

class SmaLanes : public ::testing::Test {
protected:
    bench with;

    template <class T>
    std::uint16_t set(directed_route const& to, T const& value, std::uint32_t modifier)
    {
        auto const got = with.set(to, value, modifier);
        EXPECT_TRUE(got);
        return got ? got->view().outcome() : std::uint16_t{0xFFFF};
    }
    std::uint16_t asked(directed_route const& to, std::uint16_t attribute, std::uint32_t modifier)
    {
        auto const got = with.ask(to, attribute, modifier);
        EXPECT_TRUE(got);
        return got ? got->view().outcome() : std::uint16_t{0xFFFF};
    }
};

TEST_F(SmaLanes, ServiceLevelsTakeTheLanesInTurnUntilSomebodySaysOtherwise)
{
    auto mapping = with.get<sl_to_vl_mapping_table>(to_b);
    for (unsigned sl = 0; sl != mapping.vls.size(); ++sl)
        EXPECT_EQ(mapping.vls[sl], sl % 8);
    mapping.vls[9] = 15;
    ASSERT_EQ(set(to_b, mapping, 0), 0);
    EXPECT_EQ(with.get<sl_to_vl_mapping_table>(to_b), mapping);
    EXPECT_EQ(with.get<sl_to_vl_mapping_table>(to_b, 1), mapping) << "0 is the port that is asked";
}

TEST_F(SmaLanes, ASwitchMapsByInputAndOutput)
{
    sl_to_vl_mapping_table mapping;
    mapping.vls[1] = 3;
    ASSERT_EQ(set(to_switch, mapping, 0x0205), 0);
    EXPECT_EQ(with.get<sl_to_vl_mapping_table>(to_switch, 0x0205), mapping);
    EXPECT_EQ(with.get<sl_to_vl_mapping_table>(to_switch, 0x0005).vls[1], 1) << "another input";
    EXPECT_EQ(with.get<sl_to_vl_mapping_table>(to_switch, 0x0502).vls[1], 1) << "another output";
    EXPECT_EQ(asked(to_switch, attribute_id::sl_to_vl_mapping_table, 0x0009), 0x001C);
    EXPECT_EQ(asked(to_switch, attribute_id::sl_to_vl_mapping_table, 0x0900), 0x001C);
    EXPECT_EQ(asked(to_switch, attribute_id::sl_to_vl_mapping_table, 0x1'0000), 0x001C) << "no optimised programming";
    EXPECT_EQ(asked(to_b, attribute_id::sl_to_vl_mapping_table, 0x0100), 0x001C) << "a CA has no inputs";
}

TEST_F(SmaLanes, ArbitrationHasAsManyEntriesAsPortInfoSays)
{
    auto const info = with.get<port_info>(to_b, 1);
    ASSERT_EQ(info.vl_arbitration_low_cap, 8);
    ASSERT_EQ(info.vl_arbitration_high_cap, 8);
    vl_arbitration_table wanted;
    wanted.entries.fill({.vl = 2, .weight = 77});
    ASSERT_EQ(set(to_b, wanted, 0x3'0001), 0);
    auto const high = with.get<vl_arbitration_table>(to_b, 0x3'0001);
    EXPECT_EQ(high.entries[7], (vl_arbitration_entry{.vl = 2, .weight = 77}));
    EXPECT_EQ(high.entries[8], vl_arbitration_entry{}) << "behind the end";
    EXPECT_EQ(with.get<vl_arbitration_table>(to_b, 0x1'0001).entries[5], (vl_arbitration_entry{.vl = 5, .weight = 1}));
    for (std::uint32_t const block : {0u, 2u, 4u, 5u})
        EXPECT_EQ(asked(to_b, attribute_id::vl_arbitration_table, block << 16 | 1), 0x001C) << block;
    EXPECT_EQ(asked(to_switch, attribute_id::vl_arbitration_table, 0x1'0009), 0x001C);
    EXPECT_EQ(asked(to_switch, attribute_id::vl_arbitration_table, 0x1'0000), 0x001C) << "port 0 has no link";
    EXPECT_EQ(with.get<port_info>(to_switch, 0).vl_arbitration_low_cap, 0);
}

TEST_F(SmaLanes, PowerOffForgetsTheTables)
{
    sl_to_vl_mapping_table mapping;
    ASSERT_EQ(set(to_b, mapping, 0), 0);
    ASSERT_FALSE(with.on->set_power(host_b, false).code());
    ASSERT_FALSE(with.on->set_power(host_b, true).code());
    EXPECT_EQ(with.get<sl_to_vl_mapping_table>(to_b).vls[7], 7);
}

TEST_F(SmaLanes, MulticastMasksAreKeptByBlockAndPosition)
{
    auto const info = with.get<switch_info>(to_switch);
    ASSERT_EQ(info.multicast_fdb_cap, 1024);
    multicast_forwarding_table masks;
    masks.port_masks[3] = 0x0106;
    ASSERT_EQ(set(to_switch, masks, 2), 0);
    EXPECT_EQ(with.get<multicast_forwarding_table>(to_switch, 2), masks);
    EXPECT_EQ(with.get<multicast_forwarding_table>(to_switch, 1), multicast_forwarding_table{});
    EXPECT_EQ(with.get<multicast_forwarding_table>(to_switch, 31), multicast_forwarding_table{});
    EXPECT_EQ(asked(to_switch, attribute_id::multicast_forwarding_table, 32), 0x001C) << "behind the last block";
    EXPECT_EQ(asked(to_switch, attribute_id::multicast_forwarding_table, 0x1000'0000), 0x001C) << "ports 16 to 31";
    EXPECT_EQ(asked(to_switch, attribute_id::multicast_forwarding_table, 0x200), 0x001C) << "a bit without a meaning";
    EXPECT_EQ(asked(to_b, attribute_id::multicast_forwarding_table, 0), 0x000C);
}

TEST_F(SmaLanes, TheTopOfTheMulticastTableIsAMulticastLidOfIt)
{
    auto info = with.get<switch_info>(to_switch);
    for (std::uint16_t const good : {0xBFFF, 0xC000, 0xC3FF, 0}) {
        info.multicast_fdb_top = good;
        EXPECT_EQ(set(to_switch, info, 0), 0) << good;
        EXPECT_EQ(with.get<switch_info>(to_switch).multicast_fdb_top, good);
    }
    for (std::uint16_t const bad : {1, 0xBFFE, 0xC400, 0xFFFF}) {
        info.multicast_fdb_top = bad;
        EXPECT_EQ(set(to_switch, info, 0), 0x001C) << bad;
    }
}

} // namespace
} // namespace madrigal::sim::test
