// madrigal ports
#include "cli/fabrics.hpp"
#include "umad/sysfs_tree.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace madrigal::cli::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using umad::test::sysfs_tree;

class Ports : public with_fabric {
protected:
    static std::string linux_uri(sysfs_tree const& tree) { return "linux?sysfs=" + tree.sys() + "&dev=" + tree.dev(); }

    sysfs_tree machine;
};

TEST_F(Ports, PrintsTheLinesOfIbstat)
{
    auto const said = on_fabric({"ports"}, "?configured");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.err, IsEmpty());
    EXPECT_THAT(said.out,
        ContainsRegex(
            "^CA 'mlx5_0'\n\tCA type: .*\n\tNumber of ports: 1\n\tFirmware version: .*\n\tHardware version: .*\n"
            "\tNode GUID: 0x024d414448000000\n\tSystem image GUID: 0x[0-9a-f]{16}\n\tPort 1:\n"
            "\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 200\n\t\tBase lid: 5\n\t\tLMC: 0\n"
            "\t\tSM lid: [0-9]+\n\t\tCapability mask: 0x[0-9a-f]{8}\n\t\tPort GUID: 0x024d414448000001\n"
            "\t\tLink layer: InfiniBand\n$"));
}

TEST_F(Ports, NamesTheInitStateAsIbstatDoes)
{
    EXPECT_THAT(on_fabric({"ports"}).out, HasSubstr("State: Initializing\n"));
}

TEST_F(Ports, PrintsTheSameAsJson)
{
    auto const said = on_fabric({"ports", "--json"}, "?configured");
    EXPECT_EQ(said.exit_code, 0);
    auto const cas = boost::json::parse(said.out).as_array();
    ASSERT_EQ(cas.size(), 1U);
    auto const& ca = cas[0].as_object();
    EXPECT_EQ(ca.at("name").as_string(), "mlx5_0");
    EXPECT_EQ(ca.at("node_guid").as_string(), "0x024d414448000000");
    auto const& port = ca.at("ports").as_array().at(0).as_object();
    EXPECT_EQ(port.at("port").as_int64(), 1);
    EXPECT_EQ(port.at("state").as_string(), "Active");
    EXPECT_EQ(port.at("base_lid").as_int64(), 5);
    EXPECT_EQ(port.at("rate").as_int64(), 200);
    EXPECT_TRUE(port.at("capability_mask").is_number());
    EXPECT_EQ(port.at("port_guid").as_string(), "0x024d414448000001");
    EXPECT_EQ(port.at("link_layer").as_string(), "InfiniBand");
}

TEST_F(Ports, TakesTheHostFromTheEnvironment)
{
    auto const said = run_madrigal({"ports"}, {.environment = {{"MADRIGAL_HOST", "sim:" + fabric}}});
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.out, HasSubstr("0x024d414448000000"));
}

TEST_F(Ports, WithoutInfiniBandSaysHowToSimulate)
{
    for (auto const* command : {"ports", "discover"}) {
        auto const said = run_madrigal({command, "--host", linux_uri(machine)});
        EXPECT_EQ(said.exit_code, 1);
        EXPECT_THAT(said.out, IsEmpty());
        EXPECT_THAT(said.err, StartsWith("madrigal: "));
        EXPECT_THAT(said.err, HasSubstr("no InfiniBand on this machine"));
        EXPECT_THAT(said.err, HasSubstr("madrigal sim generate fat-tree"));
        EXPECT_THAT(said.err, HasSubstr("--host sim:"));
    }
}

TEST_F(Ports, ShowsEveryPortOfThisMachine)
{
    machine.load_modules();
    make_dual_port_hca(machine);
    auto const said = run_madrigal({"ports", "--host", linux_uri(machine)});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("Port 1:"));
    EXPECT_THAT(said.out, HasSubstr("Port 2:"));
    EXPECT_THAT(said.out, HasSubstr("Capability mask: 0x2651e848"));
    auto const second = run_madrigal({"ports", "-P", "2", "--host", linux_uri(machine)});
    EXPECT_THAT(second.out, Not(HasSubstr("Port 1:")));
    EXPECT_THAT(second.out, HasSubstr("Port 2:"));
}

TEST_F(Ports, ShowsASwitchAsASwitch)
{
    machine.load_modules();
    make_switch(machine);
    auto const said = run_madrigal({"ports", "--host", linux_uri(machine)});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, ContainsRegex("^Switch '.*\n\tSwitch type: "));
    EXPECT_THAT(said.out, HasSubstr("Port 0:"));
}

TEST_F(Ports, APortThatCannotBeReadFailsAloneAndIsNamed)
{
    machine.load_modules();
    make_dual_port_hca(machine);
    std::filesystem::remove(machine.port("mlx5_0", 2) / "state");
    auto const said = run_madrigal({"ports", "--host", linux_uri(machine)});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("Port 1:"));
    EXPECT_THAT(said.out, Not(HasSubstr("Port 2:")));
    EXPECT_THAT(said.err, StartsWith("madrigal: mlx5_0 port 2 cannot be read: "));
    EXPECT_EQ(run_madrigal({"ports", "-P", "1", "--host", linux_uri(machine)}).exit_code, 0);
}

TEST_F(Ports, AnUnknownCaOrPortIsAnErrorThatSaysWhatThereIs)
{
    auto const ca = on_fabric({"ports", "-C", "mlx5_7"});
    EXPECT_EQ(ca.exit_code, 1);
    EXPECT_THAT(ca.out, IsEmpty());
    EXPECT_THAT(ca.err, HasSubstr("'mlx5_7' (there are: mlx5_0)"));
    auto const port = on_fabric({"ports", "-P", "7"});
    EXPECT_EQ(port.exit_code, 1);
    EXPECT_THAT(port.err, HasSubstr("port 7 of mlx5_0"));
}

} // namespace
} // namespace madrigal::cli::test
