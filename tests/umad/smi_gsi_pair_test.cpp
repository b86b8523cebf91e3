// Adapters with separate devices for SMPs and GMPs.
#include "umad/fake_host.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/smi_gsi_pair.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal::umad {
namespace {

using test::fake_host;

class SmiGsiPair : public testing::Test {
protected:
    std::string device_for(std::string const& ca, unsigned port, std::uint8_t management_class)
    {
        auto const device = device_for_class(machine, machine.ports.at({ca, port}), management_class);
        return device ? port_name(device.value().ca_name, device.value().number) : device.error().message();
    }

    void make_split()
    {
        machine.add("mlx5_0", 1, 0x11).capability_mask = cap_is_sm_disabled | 0x48;
        machine.add("smi1", 3, 0x11).capability_mask = 0x48;
    }

    fake_host machine;
};

TEST_F(SmiGsiPair, SmpsGoThroughTheDeviceWithoutIsSmDisabledWhicheverWasChosen)
{
    make_split();
    for (std::uint8_t const management_class : {0x01, 0x81}) {
        EXPECT_EQ(device_for("mlx5_0", 1, management_class), "smi1 port 3");
        EXPECT_EQ(device_for("smi1", 3, management_class), "smi1 port 3");
    }
}

TEST_F(SmiGsiPair, AllOtherClassesGoThroughTheGsiPartnerWhicheverWasChosen)
{
    make_split();
    for (unsigned value = 0; value != 256; ++value) {
        if (value == 0x01 || value == 0x81)
            continue;
        EXPECT_EQ(device_for("mlx5_0", 1, static_cast<std::uint8_t>(value)), "mlx5_0 port 1") << value;
        EXPECT_EQ(device_for("smi1", 3, static_cast<std::uint8_t>(value)), "mlx5_0 port 1") << value;
    }
}

TEST_F(SmiGsiPair, OneDeviceUsesTheSamePortForBoth)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_0", 2, 0x12);
    for (std::uint8_t const management_class : {0x01, 0x81, 0x03, 0x04}) {
        EXPECT_EQ(device_for("mlx5_0", 1, management_class), "mlx5_0 port 1");
        EXPECT_EQ(device_for("mlx5_0", 2, management_class), "mlx5_0 port 2");
    }
}

TEST_F(SmiGsiPair, TwoPortsOfOneDeviceAreNoPairEvenWithOneGuid)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_0", 2, 0x11).capability_mask = cap_is_sm_disabled;
    EXPECT_EQ(device_for("mlx5_0", 1, 0x04), "mlx5_0 port 1");
}

TEST_F(SmiGsiPair, TwoOrdinaryDevicesWithOneGuidAreNoPair)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x11);
    EXPECT_EQ(device_for("mlx5_1", 1, 0x81), "mlx5_1 port 1");
    EXPECT_EQ(device_for("mlx5_1", 1, 0x04), "mlx5_1 port 1");
}

TEST_F(SmiGsiPair, PortsWithoutGuidAreNobodysPartner)
{
    machine.add("a", 1, 0).capability_mask = cap_is_sm_disabled;
    machine.add("b", 1, 0);
    EXPECT_EQ(device_for("b", 1, 0x04), "b port 1");
    EXPECT_FALSE(find_smi_gsi_pair(machine, machine.ports.at({"a", 1})).value().smi);
}

TEST_F(SmiGsiPair, EthernetPortsAreNobodysPartner)
{
    machine.add("mlx5_0", 1, 0x11);
    auto& ethernet = machine.add("mlx5_1", 1, 0x11);
    ethernet.layer = link_layer::ethernet;
    ethernet.capability_mask = cap_is_sm_disabled;
    EXPECT_EQ(device_for("mlx5_0", 1, 0x04), "mlx5_0 port 1");
}

TEST_F(SmiGsiPair, SmpsWithoutADeviceForThemAreAClearError)
{
    machine.add("mlx5_0", 1, 0x11).capability_mask = cap_is_sm_disabled;
    auto const none = device_for_class(machine, machine.ports.at({"mlx5_0", 1}), 0x81);
    EXPECT_EQ(none.error(), errc::no_usable_port);
    EXPECT_THAT(none.error().message(), testing::HasSubstr("mlx5_0 port 1 reports IsSMDisabled"));
    EXPECT_EQ(device_for("mlx5_0", 1, 0x04), "mlx5_0 port 1");
}

TEST_F(SmiGsiPair, ASenderChoosesByQueuePair)
{
    make_split();
    auto const& selected = machine.ports.at({"mlx5_0", 1});
    EXPECT_EQ(device_for_qp(machine, selected, 0).value().ca_name, "smi1");
    EXPECT_EQ(device_for_qp(machine, selected, 1).value().ca_name, "mlx5_0");
}

TEST_F(SmiGsiPair, AnUnreadableDeviceSpoilsNoOther)
{
    make_split();
    machine.add("broken", 1, 0x99);
    machine.ca_errors["broken"] = error{errc::malformed_sysfs_value, "broken/node_type"};
    EXPECT_EQ(device_for("mlx5_0", 1, 0x81), "smi1 port 3");
}

TEST_F(SmiGsiPair, TheListHasEveryPhysicalPortOnce)
{
    make_split();
    machine.add("mlx5_2", 1, 0x21);
    machine.add("mlx5_2", 2, 0x22);
    machine.add("roce", 1, 0x31).layer = link_layer::ethernet;
    auto const pairs = list_smi_gsi_pairs(machine).value();
    ASSERT_EQ(pairs.size(), 3u);
    EXPECT_EQ(pairs[0].gsi.ca_name, "mlx5_0");
    EXPECT_EQ(pairs[0].smi->ca_name, "smi1");
    EXPECT_EQ(pairs[1].gsi.number, 1u);
    EXPECT_EQ(pairs[2].gsi.number, 2u);
    EXPECT_EQ(pairs[2].smi->number, 2u);
}

} // namespace
} // namespace madrigal::umad
