// madrigal query
#include "cli/fabrics.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace madrigal::cli::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Query = with_fabric;

TEST_F(Query, ByDirectedRouteAsksWhoIsThere)
{
    auto const local = on_fabric({"query", "NodeInfo", "-D", "0"});
    EXPECT_EQ(local.exit_code, 0) << local.err;
    EXPECT_THAT(local.err, IsEmpty());
    EXPECT_THAT(local.out, HasSubstr("NodeType:........................CA\n"));
    auto const leaf = on_fabric({"query", "-D", "NodeInfo", "0,1"});
    EXPECT_THAT(leaf.out, HasSubstr("NodeType:........................Switch\n"));
    EXPECT_THAT(leaf.out, HasSubstr("NodeGUID:........................0x024d414453000000\n"));
}

TEST_F(Query, TakesNamesInAnyCaseAndShortOnes)
{
    auto const wanted = on_fabric({"query", "NodeDescription", "-D", "0,1"});
    EXPECT_EQ(wanted.out, "NodeDescription:.................leaf-001\n");
    for (auto const* name : {"nodedescription", "NODEDESC", "nd"})
        EXPECT_EQ(on_fabric({"query", name, "-D", "0,1"}).out, wanted.out);
    EXPECT_EQ(on_fabric({"query", "P_KeyTable", "-D", "0,1"}).out, on_fabric({"query", "pkeytable", "-D", "0,1"}).out);
}

TEST_F(Query, AsksEveryKindOfAttributeWithItsModifier)
{
    EXPECT_THAT(
        on_fabric({"query", "PortInfo", "-D", "0,1", "3"}).out, HasSubstr("PortState:.......................Init\n"));
    EXPECT_THAT(on_fabric({"query", "SwitchInfo", "-D", "0,1"}).out, HasSubstr("LinearFDBCap:"));
    EXPECT_THAT(on_fabric({"query", "GUIDInfo", "-D", "0"}).out, HasSubstr("0x024d414448000001"));
    EXPECT_THAT(on_fabric({"query", "pkeys", "-D", "0"}).out, HasSubstr("P_Key[0]:"));
    EXPECT_THAT(on_fabric({"query", "lft", "1", "--block", "0"}, "?configured").out, HasSubstr("Port[63]:"));
    EXPECT_EQ(on_fabric({"query", "lft", "1", "--block", "0"}, "?configured").out,
        on_fabric({"query", "lft", "1", "0"}, "?configured").out);
}

TEST_F(Query, ByLidOnAConfiguredFabric)
{
    auto const said = on_fabric({"query", "NodeDescription", "3"}, "?configured");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, "NodeDescription:.................spine-001\n");
    EXPECT_EQ(on_fabric({"query", "NodeDescription", "0x3"}, "?configured").out, said.out);
}

TEST_F(Query, ByLidOnAFabricWithoutLidsSaysWhatToDo)
{
    auto const said = on_fabric({"query", "NodeDescription", "3"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(
        said.err, StartsWith("madrigal: LID 3 cannot be reached: mlx5_0 port 1 has no LID itself (state Init)"));
    EXPECT_THAT(said.err, HasSubstr("use -D or -G"));
}

TEST_F(Query, ByGuidFindsNodesAndPorts)
{
    EXPECT_EQ(
        on_fabric({"query", "nd", "-G", "0x024d414453000003"}).out, "NodeDescription:.................spine-002\n");
    EXPECT_EQ(
        on_fabric({"query", "nd", "-G", "024d:4144:5300:0003"}).out, "NodeDescription:.................spine-002\n");
    EXPECT_EQ(on_fabric({"query", "nd", "-G", "024d41444800000d"}).out,
        "NodeDescription:.................host-00004 HCA-1\n");
    auto const nobody = on_fabric({"query", "nd", "-G", "0x1"});
    EXPECT_EQ(nobody.exit_code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("no node or port has the GUID 0x0000000000000001"));
}

TEST_F(Query, PrintsJson)
{
    auto const said = on_fabric({"query", "PortInfo", "-D", "0,1", "3", "--json"});
    ASSERT_EQ(said.exit_code, 0) << said.err;
    auto const object = boost::json::parse(said.out).as_object();
    EXPECT_EQ(object.at("attribute").as_string(), "PortInfo");
    EXPECT_EQ(object.at("attribute_id").as_int64(), 0x15);
    EXPECT_EQ(object.at("attribute_modifier").as_int64(), 3);
    EXPECT_EQ(object.at("destination").as_string(), "directed route 0,1");
    auto const& fields = object.at("fields").as_object();
    EXPECT_EQ(fields.at("PortState").as_string(), "Init");
    EXPECT_EQ(fields.at("LocalPortNum").as_int64(), 1);
    EXPECT_EQ(fields.at("M_Key").as_string(), "0x0000000000000000");
    auto const table = on_fabric({"query", "pkeys", "-D", "0", "--json"});
    auto const keys = boost::json::parse(table.out).at("fields").at("P_Key").as_array();
    EXPECT_EQ(keys.size(), 32U);
    EXPECT_EQ(keys.at(0).as_int64(), 0xFFFF);
}

TEST_F(Query, ARefusalNamesTheStatusAndWhatWasAsked)
{
    auto const said = on_fabric({"query", "PortInfo", "-D", "0,1", "99"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, HasSubstr("Get(PortInfo, 99) of directed route 0,1"));
    EXPECT_THAT(said.err, HasSubstr("status 0x001c"));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1);
}

TEST_F(Query, AsksPerformanceManagementForAPort)
{
    auto const said = on_fabric({"query", "PortCounters", "6", "1"}, "?configured");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("PortSelect:......................1\n"));
    EXPECT_THAT(said.out, HasSubstr("PortRcvData:.....................72\n"));
    EXPECT_EQ(on_fabric({"query", "pc", "-G", "0x024d41444800000d", "1"}, "?configured").exit_code, 0);
    auto const object = boost::json::parse(on_fabric({"query", "pcx", "6", "1", "--json"}, "?configured").out);
    EXPECT_EQ(object.at("class").as_string(), "PerfMgt");
    EXPECT_EQ(object.at("attribute_id").as_int64(), 0x1D);
    EXPECT_EQ(object.at("fields").at("PortSelect").as_int64(), 1);
    auto const refused = on_fabric({"query", "pc", "6", "9"}, "?configured");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("Get(PortCounters) of LID 6"));
}

TEST_F(Query, AsksForClassPortInfoOfTheClassThatIsNamed)
{
    auto const said = on_fabric({"query", "ClassPortInfo", "--class", "perf", "6"}, "?configured");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("CapabilityMask:..................0x9204\n"));
}

TEST_F(Query, WhatNobodyServesIsARefusalOfEveryClass)
{
    for (std::vector<std::string> const& what :
        {std::vector<std::string>{"query", "NodeRecord", "-f", "LID=6"}, {"query", "B_KeyInfo", "6"},
            {"query", "IOUnitInfo", "6"}, {"query", "CongestionInfo", "6"}, {"query", "cpi", "--class", "cm", "6"},
            {"query", "cpi", "--class", "0x0a", "6"}, {"query", "cpi", "--class", "0x32", "6"}}) {
        auto const said = on_fabric(what, "?configured");
        EXPECT_EQ(said.exit_code, 1) << what.at(1);
        EXPECT_THAT(said.out, IsEmpty());
        EXPECT_THAT(said.err, HasSubstr("status 0x000c")) << what.at(1);
    }
}

TEST_F(Query, OfSubnetAdministrationNeedsASubnetManager)
{
    auto const said = on_fabric({"query", "NodeRecord"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, HasSubstr("knows no subnet manager"));
}

TEST_F(Query, SilenceEndsWithATimeoutThatMentionsTheMKey)
{
    auto const said = on_fabric({"query", "NodeInfo", "-D", "0,1,9", "-t", "10", "--retries", "0"}, "?loss=1");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, HasSubstr("Get(NodeInfo) of directed route 0,1,9"));
    EXPECT_THAT(said.err, HasSubstr("no answer"));
    EXPECT_THAT(said.err, HasSubstr("M_Key"));
}

} // namespace
} // namespace madrigal::cli::test
