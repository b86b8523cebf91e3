// madrigal sa
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

class Sa : public with_fabric {
protected:
    /// On a fabric whose subnet manager answers: two leaves, two spines, four hosts.
    [[nodiscard]] outcome ask(std::vector<std::string> command) const
    {
        command.insert(command.begin(), "sa");
        return on_fabric(std::move(command), "?configured&sa");
    }
    static std::size_t lines(std::string const& text)
    {
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
};

TEST_F(Sa, ListsAllNodesWithoutAnyWord)
{
    auto const all = ask({});
    EXPECT_EQ(all.exit_code, 0) << all.err;
    EXPECT_THAT(all.err, IsEmpty());
    EXPECT_THAT(all.out, StartsWith("# NodeRecord 1 of 8\n"));
    EXPECT_THAT(all.out, HasSubstr("\n# NodeRecord 8 of 8\n"));
    EXPECT_EQ(ask({"NodeRecord"}).out, all.out);
    EXPECT_EQ(ask({"nr"}).out, all.out);
    EXPECT_EQ(ask({"-N"}).out, all.out);
    EXPECT_EQ(ask({"nr", "--user-rmpp"}).out, all.out) << "whoever puts the table together";
}

TEST_F(Sa, AListHasALineForEachNode)
{
    auto const list = ask({"-D"});
    EXPECT_EQ(list.exit_code, 0) << list.err;
    EXPECT_EQ(lines(list.out), 8u) << list.out;
    EXPECT_THAT(list.out, HasSubstr("Switch \"leaf-001\"\n"));
    EXPECT_THAT(list.out, HasSubstr("CA     \"host-00001 HCA-1\"\n"));
}

TEST_F(Sa, ComponentsSayWhichRecordsAreWanted)
{
    auto const switches = ask({"nr", "NodeType=Switch"});
    EXPECT_THAT(switches.out, StartsWith("# NodeRecord 1 of 4\n"));
    EXPECT_EQ(ask({"nr", "nodetype=2"}).out, switches.out);
    auto const spine = ask({"nr", "NodeDescription=spine-001", "NodeType=2"});
    EXPECT_THAT(spine.out, StartsWith("# NodeRecord 1 of 1\n"));
    EXPECT_THAT(spine.out, HasSubstr("NodeDescription:.................spine-001\n"));
    EXPECT_EQ(ask({"nr", "NodeDescription=nobody"}).out, "") << "that there are none is no error";
    EXPECT_EQ(ask({"nr", "NodeDescription=nobody"}).exit_code, 0);
}

TEST_F(Sa, ComponentsGoWithOptionsThatStandForAnAttributeToo)
{
    EXPECT_EQ(ask({"-N", "LID=1"}).out, ask({"nr", "LID=1"}).out);
    EXPECT_EQ(ask({"LID=1"}).out, ask({"nr", "LID=1"}).out);
    EXPECT_THAT(ask({"-p", "SLID=1", "DLID=5"}).out, StartsWith("# PathRecord 1 of 1\n"));
    EXPECT_THAT(ask({"-x", "FromLID=1"}).out, StartsWith("# LinkRecord 1 of "));
}

TEST_F(Sa, WhatIsPrintedCanBeGivenBack)
{
    auto const path = ask({"pr", "SLID=1", "DLID=5"});
    ASSERT_THAT(path.out, HasSubstr("Mtu:.............................4096\n"));
    EXPECT_EQ(ask({"pr", "SLID=1", "DLID=5", "Mtu=4096"}).out, path.out);
    EXPECT_THAT(ask({"pir", "LID=1", "PortState=Active"}).out, StartsWith("# PortInfoRecord 1 of "));
}

TEST_F(Sa, GetIsForOneRecord)
{
    auto const one = ask({"nr", "LID=1", "--get"});
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_THAT(one.out, StartsWith("LID:"));
    auto const none = ask({"nr", "NodeDescription=nobody", "--get"});
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_THAT(none.out, IsEmpty());
    EXPECT_THAT(none.err, HasSubstr("no records"));
    auto const many = ask({"nr", "--get"});
    EXPECT_EQ(many.exit_code, 1);
    EXPECT_THAT(many.err, HasSubstr("too many records"));
}

TEST_F(Sa, NodesAreFoundByNameLidAndGuid)
{
    auto const at = ask({"-l", "spine-002"});
    EXPECT_EQ(at.exit_code, 0) << at.err;
    ASSERT_EQ(lines(at.out), 1u);
    auto const number = at.out.substr(0, at.out.size() - 1);
    EXPECT_EQ(ask({"-L", "spine-002"}).out, at.out);
    EXPECT_EQ(ask({"-O", number}).out, "spine-002\n");
    auto const port = ask({"-G", "spine-002"});
    ASSERT_EQ(lines(port.out), 1u);
    EXPECT_EQ(ask({"-U", port.out.substr(0, port.out.size() - 1)}).out, "spine-002\n");
    for (auto const* option : {"-l", "-L", "-G"}) {
        auto const nobody = ask({option, "nobody"});
        EXPECT_EQ(nobody.exit_code, 1);
        EXPECT_THAT(nobody.err, HasSubstr("no node is known as 'nobody'"));
    }
}

TEST_F(Sa, PathsAreFoundByLidsAndByNames)
{
    auto const from = ask({"-l", "host-00001 HCA-1"}).out;
    auto const to = ask({"-l", "host-00004 HCA-1"}).out;
    ASSERT_THAT(from, testing::Not(IsEmpty()));
    auto const source = from.substr(0, from.size() - 1);
    auto const destination = to.substr(0, to.size() - 1);
    auto const by_lids = ask({"pr", "SLID=" + source, "DLID=" + destination});
    EXPECT_EQ(by_lids.exit_code, 0) << by_lids.err;
    EXPECT_THAT(by_lids.out, StartsWith("# PathRecord 1 of 1\n"));
    EXPECT_EQ(ask({"--src-to-dst", source + ":" + destination}).out, by_lids.out);
    EXPECT_EQ(ask({"--src-to-dst", "host-00001 HCA-1:host-00004 HCA-1"}).out, by_lids.out);
    auto const nobody = ask({"--src-to-dst", "host-00001 HCA-1:nobody"});
    EXPECT_EQ(nobody.exit_code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("no node is described as 'nobody'"));
}

TEST_F(Sa, JsonHasTheRecordsAndTheirFields)
{
    auto const said = ask({"nr", "NodeType=Switch", "--json"});
    ASSERT_EQ(said.exit_code, 0) << said.err;
    auto const all = boost::json::parse(said.out).as_object();
    EXPECT_EQ(all.at("attribute").as_string(), "NodeRecord");
    EXPECT_EQ(all.at("attribute_id").as_int64(), 0x11);
    ASSERT_EQ(all.at("records").as_array().size(), 4u);
    for (auto const& record : all.at("records").as_array())
        EXPECT_EQ(record.as_object().at("NodeType").as_string(), "Switch");
    EXPECT_EQ(lines(said.out), 6u) << "a record a line";
    auto const none = boost::json::parse(ask({"nr", "LID=0xbff0", "--json"}).out).as_object();
    EXPECT_TRUE(none.at("records").as_array().empty());
}

TEST_F(Sa, OptionsStandForAttributes)
{
    EXPECT_THAT(ask({"-x"}).out, StartsWith("# LinkRecord 1 of "));
    EXPECT_THAT(ask({"-s"}).out, StartsWith("# SMInfoRecord 1 of 1\n"));
    EXPECT_THAT(ask({"-c"}).out, HasSubstr("CapabilityMask:"));
    EXPECT_EQ(ask({"-S"}).exit_code, 0);
    EXPECT_EQ(ask({"-m"}).exit_code, 0);
    EXPECT_EQ(ask({"-I"}).exit_code, 0);
    EXPECT_THAT(ask({"pir", "LID=1"}).out, HasSubstr("PortState:"));
    EXPECT_THAT(ask({"lftr", "LID=3"}).out, HasSubstr("# LinearForwardingTableRecord 1 of "));
}

TEST_F(Sa, WhereNobodyAnswersItSaysSo)
{
    auto const cabled = on_fabric({"sa"});
    EXPECT_EQ(cabled.exit_code, 1);
    EXPECT_THAT(cabled.err, HasSubstr("no subnet manager"));
    auto const silent = on_fabric({"sa", "-t", "20", "--retries", "0"}, "?configured");
    EXPECT_EQ(silent.exit_code, 1);
    EXPECT_THAT(silent.err, HasSubstr("no answer"));
    EXPECT_THAT(silent.out, IsEmpty());
}

TEST_F(Sa, WrongWordsAreRefusedBeforeAnythingIsOpened)
{
    auto const refused = [&](std::vector<std::string> words, char const* why) {
        words.insert(words.begin(), "sa");
        auto const said = run_madrigal(words);
        EXPECT_EQ(said.exit_code, 2) << why;
        EXPECT_THAT(said.err, HasSubstr(why));
        EXPECT_EQ(lines(said.err), 1u) << said.err;
    };
    refused({"Foo"}, "unknown attribute 'Foo'; known: ClassPortInfo (cpi)");
    refused({"nr", "Foo=1"}, "'Foo' is no component of NodeRecord, which has LID");
    refused({"nr", "LID"}, "'LID' is not NAME=VALUE");
    refused({"nr", "LID=65536"}, "'65536' is too large for LID, which has 16 bits");
    refused({"nr", "LID=x"}, "'x' is no value of LID");
    refused({"pr", "SGID=x"}, "'x' is no GID for SGID");
    refused({"gir", "GUID[9]=1"}, "'GUID[9]' is no component");
    refused({"pr", "-N"}, "one thing at a time");
    refused({"-D", "-O", "1"}, "one thing at a time");
    refused({"-O", "1", "-L", "x"}, "one thing at a time");
    refused({"nr", "LID=1", "LID=2"}, "'LID=2' gives a component that has a value already");
    refused({"--src-to-dst", ""}, "'' is no path");
    refused({"--sgid-to-dgid", ""}, "'' is no path");
    refused({""}, "unknown attribute ''");
    refused({"-p", "-N"}, "one thing at a time");
    refused({"-D", "--get"}, "go with an attribute only");
    refused({"-O", "0"}, "'0' is no LID");
    refused({"-U", "x"}, "'x' is no GUID");
    refused({"--src-to-dst", "1"}, "'1' is no path");
    refused({"--sgid-to-dgid", "fe80::1"}, "'fe80::1' is no path between GIDs");
    refused({"-L", std::string(65, 'n')}, "is longer than a node's description");
}

} // namespace
} // namespace madrigal::cli::test
