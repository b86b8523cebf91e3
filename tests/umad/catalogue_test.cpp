// umad_get_port(3)'s choice of a port, over a machine made of values.
#include "umad/fake_host.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace madrigal::umad {
namespace {

using test::fake_host;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Selectors stand in braces inside `co_await` expressions.
static_assert(std::is_trivially_destructible_v<port_selector>);

class Catalogue : public testing::Test {
protected:
    /// `mlx5_0 port 1` of the port selected, or the error's message.
    std::string selected(port_selector const& wanted = {})
    {
        auto const port = select_port(machine, wanted);
        return port ? port_name(port.value().ca_name, port.value().number) : port.error().message();
    }

    static void set_down(port_attributes& port, physical_state physical)
    {
        port.state = port_state::down;
        port.phys_state = physical;
    }

    fake_host machine;
};

// --- the default port

TEST_F(Catalogue, DefaultPortIsTheFirstThatIsActive)
{
    set_down(machine.add("mlx5_0", 1, 0x11), physical_state::polling);
    machine.add("mlx5_0", 2, 0x12).state = port_state::init;
    machine.add("mlx5_1", 1, 0x13);
    machine.add("mlx5_1", 2, 0x14);
    EXPECT_EQ(selected(), "mlx5_1 port 1");
}

TEST_F(Catalogue, DefaultPortIsElseTheFirstWhoseLinkIsUp)
{
    set_down(machine.add("mlx5_0", 1, 0x11), physical_state::polling);
    machine.add("mlx5_0", 2, 0x12).state = port_state::init;
    machine.add("mlx5_1", 1, 0x13).state = port_state::armed;
    EXPECT_EQ(selected(), "mlx5_0 port 2");
}

TEST_F(Catalogue, DefaultPortIsElseTheFirstThatIsNotDisabled)
{
    set_down(machine.add("mlx5_0", 1, 0x11), physical_state::disabled);
    set_down(machine.add("mlx5_0", 2, 0x12), physical_state::polling);
    set_down(machine.add("mlx5_1", 1, 0x13), physical_state::sleep);
    EXPECT_EQ(selected(), "mlx5_0 port 2");
}

TEST_F(Catalogue, DefaultPortIsNeverADisabledOne)
{
    set_down(machine.add("mlx5_0", 1, 0x11), physical_state::disabled);
    auto const none = select_port(machine);
    EXPECT_EQ(none.error(), errc::no_usable_port);
    EXPECT_THAT(none.error().message(), HasSubstr("mlx5_0 port 1: it is disabled"));
}

TEST_F(Catalogue, DefaultPortIsNeverOnAnEthernetLinkLayer)
{
    machine.add("bnxt_re0", 1, 0x11).layer = link_layer::ethernet;
    EXPECT_EQ(select_port(machine).error(), errc::no_usable_port);
    machine.add("mlx5_0", 1, 0x12).state = port_state::init;
    EXPECT_EQ(selected(), "mlx5_0 port 1");
}

TEST_F(Catalogue, DefaultPortIsNeverOneWithoutGuid)
{
    machine.add("broken", 1, 0);
    set_down(machine.add("mlx5_0", 1, 0x12), physical_state::polling);
    EXPECT_EQ(selected(), "mlx5_0 port 1");
}

TEST_F(Catalogue, DefaultPortIsTheSameAtEveryCall)
{
    machine.add("mlx5_10", 1, 0x11);
    machine.add("mlx5_2", 1, 0x12);
    for (int i = 0; i != 3; ++i)
        EXPECT_EQ(selected(), "mlx5_10 port 1");
}

TEST_F(Catalogue, ASwitchsPort0NeedsNoState)
{
    auto& port = machine.add("sw0", 0, 0x11);
    machine.cas["sw0"].type = node_type::switch_;
    for (auto const physical : {physical_state::no_change, physical_state::disabled, physical_state::polling}) {
        set_down(port, physical);
        EXPECT_EQ(selected(), "sw0 port 0");
        EXPECT_EQ(selected({.ca = "sw0", .port = 0}), "sw0 port 0");
    }
    machine.add("zz", 1, 0x12);
    EXPECT_EQ(selected(), "sw0 port 0");
}

// --- either argument as a filter

TEST_F(Catalogue, ACaAloneChoosesAmongItsPorts)
{
    machine.add("mlx5_0", 1, 0x11);
    set_down(machine.add("mlx5_1", 1, 0x12), physical_state::polling);
    machine.add("mlx5_1", 2, 0x13).state = port_state::init;
    EXPECT_EQ(selected({.ca = "mlx5_1"}), "mlx5_1 port 2");
}

TEST_F(Catalogue, APortAloneChoosesAmongAllCas)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    machine.add("mlx5_1", 2, 0x13).state = port_state::init;
    machine.add("mlx5_2", 2, 0x14);
    EXPECT_EQ(selected({.port = 2}), "mlx5_2 port 2");
}

TEST_F(Catalogue, AFilterThatNothingPassesIsNoSuchPort)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    auto const none = select_port(machine, {.port = 3});
    EXPECT_EQ(none.error(), errc::no_such_port);
    EXPECT_THAT(none.error().message(), HasSubstr("port 3 of mlx5_0 or mlx5_1"));
}

TEST_F(Catalogue, AnUnknownCaIsToldWithThoseThereAre)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    for (port_selector const& wanted : {port_selector{.ca = "mlx5_7"}, port_selector{.ca = "mlx5_7", .port = 1}}) {
        auto const none = select_port(machine, wanted);
        EXPECT_EQ(none.error(), errc::no_such_ca);
        EXPECT_THAT(none.error().message(), HasSubstr("mlx5_7"));
        EXPECT_THAT(none.error().message(), HasSubstr("mlx5_0, mlx5_1"));
    }
}

// --- a port named in full

TEST_F(Catalogue, ANamedPortIsAcceptedInWhateverState)
{
    auto& port = machine.add("mlx5_0", 1, 0x11);
    for (auto const physical :
        {physical_state::polling, physical_state::disabled, physical_state::sleep, physical_state::training}) {
        set_down(port, physical);
        EXPECT_EQ(selected({.ca = "mlx5_0", .port = 1}), "mlx5_0 port 1");
    }
}

TEST_F(Catalogue, ANamedPortMayBeEthernetOrLackAGuid)
{
    machine.add("bnxt_re0", 1, 0x11).layer = link_layer::ethernet;
    machine.add("broken", 1, 0);
    EXPECT_EQ(selected({.ca = "bnxt_re0", .port = 1}), "bnxt_re0 port 1");
    EXPECT_EQ(selected({.ca = "broken", .port = 1}), "broken port 1");
}

TEST_F(Catalogue, ANamedPortThatIsNotThereIsNoSuchPort)
{
    machine.add("mlx5_0", 1, 0x11);
    EXPECT_EQ(select_port(machine, {.ca = "mlx5_0", .port = 2}).error(), errc::no_such_port);
}

TEST_F(Catalogue, SelectingANamedPortOpensNothing)
{
    machine.add("mlx5_0", 1, 0x11);
    ASSERT_TRUE(select_port(machine, {.ca = "mlx5_0", .port = 1}));
    EXPECT_THAT(machine.opened, testing::IsEmpty());
}

TEST_F(Catalogue, OpeningANamedPortReportsItsErrnoAsItIs)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    for (int const number : {ENOENT, EACCES, EPERM, ENXIO}) {
        machine.open_errors[{"mlx5_0", 1}] = test::system_error(number);
        EXPECT_EQ(open_port(machine, {.ca = "mlx5_0", .port = 1}).error(), test::system_error(number));
    }
}

// --- devices that spoil nothing

TEST_F(Catalogue, AutomaticChoiceSkipsWhatCannotBeOpened)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    machine.add("mlx5_2", 1, 0x13).state = port_state::init;
    machine.open_errors[{"mlx5_0", 1}] = test::system_error(ENOENT);
    EXPECT_EQ(selected(), "mlx5_1 port 1");
    machine.open_errors[{"mlx5_1", 1}] = test::system_error(EPERM);
    EXPECT_EQ(selected(), "mlx5_2 port 1");
}

TEST_F(Catalogue, AutomaticChoiceOpensNoMoreThanItMust)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    machine.open_errors[{"mlx5_0", 1}] = test::system_error(EACCES);
    ASSERT_TRUE(open_port(machine));
    EXPECT_THAT(machine.opened, ElementsAre(Pair("mlx5_0", 1u), Pair("mlx5_1", 1u)));
}

TEST_F(Catalogue, WhenNothingOpensTheErrorTellsWhyForEach)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.add("mlx5_1", 1, 0x12);
    machine.open_errors[{"mlx5_0", 1}] = error{test::system_error(EACCES), "open /dev/infiniband/umad0"};
    machine.open_errors[{"mlx5_1", 1}] = error{test::system_error(ENOENT), "open /dev/infiniband/umad1"};
    auto const none = select_port(machine);
    EXPECT_EQ(none.error(), errc::no_usable_port);
    EXPECT_THAT(none.error().message(), HasSubstr("mlx5_0 port 1: open /dev/infiniband/umad0: Permission denied"));
    EXPECT_THAT(none.error().message(), HasSubstr("mlx5_1 port 1: open /dev/infiniband/umad1: No such file"));
}

TEST_F(Catalogue, ACaOrPortThatCannotBeReadSpoilsNoOther)
{
    machine.add("a", 1, 0x11);
    machine.add("b", 1, 0x12);
    machine.add("b", 2, 0x13);
    machine.add("c", 1, 0x14).state = port_state::init;
    machine.ca_errors["a"] = error{errc::malformed_sysfs_value, "a/node_type"};
    machine.port_errors[{"b", 1}] = error{errc::malformed_sysfs_value, "b/lid"};
    EXPECT_EQ(selected(), "b port 2");
    EXPECT_EQ(selected({.ca = "c", .port = 1}), "c port 1");

    auto const list = list_ports(machine).value();
    ASSERT_EQ(list.ports.size(), 2u);
    ASSERT_EQ(list.unreadable.size(), 2u);
    EXPECT_EQ(list.unreadable[0].ca, "a");
    EXPECT_FALSE(list.unreadable[0].port);
    EXPECT_EQ(list.unreadable[1].ca, "b");
    EXPECT_EQ(list.unreadable[1].port, 1u);
    EXPECT_EQ(list.unreadable[1].why, errc::malformed_sysfs_value);
}

TEST_F(Catalogue, AnUnreadableOnlyPortIsToldAsTheReason)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.port_errors[{"mlx5_0", 1}] = error{errc::malformed_sysfs_value, "mlx5_0/ports/1/lid"};
    auto const none = select_port(machine);
    EXPECT_EQ(none.error(), errc::no_usable_port);
    EXPECT_THAT(none.error().message(), HasSubstr("mlx5_0/ports/1/lid"));
}

TEST_F(Catalogue, WhatVanishesWhileItIsReadIsLeftOut)
{
    machine.add("a", 1, 0x11);
    machine.add("b", 1, 0x12);
    machine.add("c", 1, 0x13);
    machine.ca_errors["a"] = errc::no_such_ca;
    machine.port_errors[{"b", 1}] = errc::no_such_port;
    auto const list = list_ports(machine).value();
    ASSERT_EQ(list.ports.size(), 1u);
    EXPECT_EQ(list.ports[0].ca_name, "c");
    EXPECT_TRUE(list.unreadable.empty());
    EXPECT_EQ(selected(), "c port 1");
}

TEST_F(Catalogue, PortsWithoutGuidAndEthernetPortsAreListed)
{
    machine.add("broken", 1, 0);
    machine.add("bnxt_re0", 1, 0x11).layer = link_layer::ethernet;
    EXPECT_EQ(list_ports(machine).value().ports.size(), 2u);
}

// --- no InfiniBand

TEST_F(Catalogue, AMachineWithoutInfiniBandListsNothingAndChoosesWithAClearError)
{
    auto const list = list_ports(machine);
    ASSERT_TRUE(list);
    EXPECT_TRUE(list.value().ports.empty());
    for (port_selector const& wanted : {port_selector{}, port_selector{.ca = "mlx5_0"}, port_selector{.port = 1},
             port_selector{.ca = "mlx5_0", .port = 1}}) {
        auto const none = select_port(machine, wanted);
        EXPECT_EQ(none.error(), errc::no_infiniband);
        EXPECT_THAT(none.error().message(), HasSubstr("modprobe ib_umad"));
        EXPECT_EQ(open_port(machine, wanted).error(), errc::no_infiniband);
    }
}

TEST_F(Catalogue, WhenEveryOpenSaysThatTheModuleIsMissingSoDoesTheChoice)
{
    machine.add("mlx5_0", 1, 0x11);
    machine.open_errors[{"mlx5_0", 1}] = error{errc::no_infiniband, "load ib_umad (modprobe ib_umad)"};
    auto const none = select_port(machine);
    EXPECT_EQ(none.error(), errc::no_infiniband);
    EXPECT_THAT(none.error().message(), HasSubstr("modprobe ib_umad"));
}

// --- opening

TEST_F(Catalogue, OpeningGivesTheAttributesAndANamedFileOfThePortChosen)
{
    machine.add("mlx5_0", 1, 0x11).state = port_state::init;
    machine.add("mlx5_0", 2, 0x12);
    auto opened = open_port(machine);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened.value().attributes.port_guid, guid{0x12});
    EXPECT_EQ(opened.value().file.device(), "mlx5_0 port 2");
    EXPECT_EQ(opened.value().file.header_size(), 64u);
}

} // namespace
} // namespace madrigal::umad
