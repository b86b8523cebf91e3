#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include "topology/sameness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace madrigal;
using namespace madrigal::topology;
using madrigal::topology::tests::expect_same;
using madrigal::topology::tests::read;
using madrigal::topology::tests::refusal;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// Two switches, a CA with two ports, a router; each record as ibnetdiscover prints it.
constexpr char const* small_fabric = "#\n"
                                     "# Topology file: generated on Tue Feb 23 14:02:12 2021\n"
                                     "#\n"
                                     "# Initiated from node 0000000000000c01 port 0000000000000c02\n"
                                     "\n"
                                     "vendid=0x2c9\n"
                                     "devid=0xd2f0\n"
                                     "sysimgguid=0xa0f\n"
                                     "switchguid=0xa01(a02)\n"
                                     "Switch\t36 \"S-0000000000000a01\"\t\t# \"left\" enhanced port 0 lid 1 lmc 2\n"
                                     "[1]\t\"H-0000000000000c01\"[1](c02) \t\t# \"host HCA-1\" lid 8 4xHDR\n"
                                     "[3]\t\"S-0000000000000b01\"[4]\t\t# \"right\" lid 2 4xSDR\n"
                                     "[5]\t\"S-0000000000000b01\"[6]\t\t# \"right\" lid 2 12xFDR10\n"
                                     "\n"
                                     "vendid=0x2c9\n"
                                     "devid=0xc738\n"
                                     "switchguid=0xb01(b01)\n"
                                     "Switch\t8 \"S-0000000000000b01\"\t\t# \"right\" base port 0 lid 2 lmc 0\n"
                                     "[4]\t\"S-0000000000000a01\"[3]\t\t# \"left\" lid 1 1xSDR\n"
                                     "[6]\t\"S-0000000000000a01\"[5]\t\t# \"left\" lid 1 12xFDR10\n"
                                     "[7]\t\"R-0000000000000d01\"[1](d02) \t\t# \"gate\" lid 9 2xNDR\n"
                                     "[8]\t\"H-0000000000000c01\"[2](c03) \t\t# \"host HCA-1\" lid 16 4xXDR\n"
                                     "\n"
                                     "vendid=0x2c9\n"
                                     "devid=0x1017\n"
                                     "caguid=0xc01\n"
                                     "Ca\t2 \"H-0000000000000c01\"\t\t# \"host HCA-1\"\n"
                                     "[1](c02) \t\"S-0000000000000a01\"[1]\t\t# lid 8 lmc 3 \"left\" lid 1 4xHDR\n"
                                     "[2](c03) \t\"S-0000000000000b01\"[8]\t\t# lid 16 lmc 0 \"right\" lid 2 4xXDR\n"
                                     "\n"
                                     "vendid=0x2c9\n"
                                     "devid=0x1018\n"
                                     "rtguid=0xd01\n"
                                     "Rt\t1 \"R-0000000000000d01\"\t\t# \"gate\"\n"
                                     "[1](d02) \t\"S-0000000000000b01\"[7]\t\t# lid 9 lmc 0 \"right\" lid 2 2xNDR\n";

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

TEST(Reader, TakesEveryFieldOfARecord)
{
    auto const outcome = read(small_fabric);
    auto const& all = outcome.fabric;
    EXPECT_THAT(outcome.passed_over, IsEmpty());
    EXPECT_EQ(all.counts(), (fabric_counts{2, 1, 1, 5}));
    EXPECT_EQ(all.initiated_from_node, guid{0xc01});
    EXPECT_EQ(all.initiated_from_port, guid{0xc02});

    auto const& left = all.at(all.find("S-0000000000000a01"));
    EXPECT_EQ(left.type, node_type::switch_);
    EXPECT_EQ(left.node_guid, guid{0xa01});
    EXPECT_EQ(left.port_guid, guid{0xa02});
    EXPECT_EQ(left.system_image_guid, guid{0xa0f});
    EXPECT_EQ(left.vendor_id, 0x2c9U);
    EXPECT_EQ(left.device_id, 0xd2f0);
    EXPECT_EQ(left.description, "left");
    EXPECT_TRUE(left.enhanced_port0);
    EXPECT_EQ(left.base_lid, lid{1});
    EXPECT_EQ(left.lmc, 2);
    EXPECT_EQ(left.port_count(), 36);
    EXPECT_FALSE(left.external_port(2).peer);
    EXPECT_EQ(left.external_port(5).width, link_width::x12);
    EXPECT_EQ(left.external_port(5).speed, link_speed::fdr10);

    auto const& right = all.at(all.find(guid{0xb01}));
    EXPECT_FALSE(right.enhanced_port0);
    EXPECT_FALSE(right.system_image_guid);

    auto const& host = all.at(all.find(guid{0xc01}));
    EXPECT_EQ(host.type, node_type::ca);
    EXPECT_EQ(host.external_port(1).port_guid, guid{0xc02});
    EXPECT_EQ(host.external_port(1).base_lid, lid{8});
    EXPECT_EQ(host.external_port(1).lmc, 3);
    EXPECT_EQ(host.external_port(2).peer, (endpoint{all.find(guid{0xb01}), 8}));
    EXPECT_EQ(host.external_port(2).speed, link_speed::xdr);
}

TEST(Reader, TakesRoutersForRouters)
{
    for (auto const* const keyword : {"Rt\t1", "Router\t1", "Rt 1"}) {
        auto const outcome = read(replaced(small_fabric, "Rt\t1", keyword));
        auto const& router = outcome.fabric.at(outcome.fabric.find("R-0000000000000d01"));
        EXPECT_EQ(router.type, node_type::router) << keyword;
        EXPECT_EQ(router.node_guid, guid{0xd01}) << keyword;
    }
}

TEST(Reader, KeepsUnequalEndsOfACableAsGiven)
{
    auto const outcome = read(small_fabric);
    auto const& left = outcome.fabric.at(outcome.fabric.find(guid{0xa01})).external_port(3);
    auto const& right = outcome.fabric.at(outcome.fabric.find(guid{0xb01})).external_port(4);
    EXPECT_EQ(left.width, link_width::x4);
    EXPECT_EQ(right.width, link_width::x1);
}

TEST(Reader, TakesCommentsBlankLinesAndLineEndsAnywhere)
{
    auto const plain = read(small_fabric);
    std::string const text{small_fabric};
    std::vector<std::string> const variants{
        replaced(text, "\n", "\r\n"),
        replaced(text, "\n", "\n\n"),
        replaced(text, "\n", "\n# a comment with [1] \"x\" and Switch 3\n"),
        replaced(text, "\n", "  \t\n"),
        replaced(text, "\n[", "\n   ["),
        replaced(replaced(text, "\t\t", "          "), "\t", "     "),
        "\xEF\xBB\xBF" + text,
        text.substr(0, text.size() - 1),
    };
    for (auto const& variant : variants) {
        auto const outcome = read(variant);
        EXPECT_THAT(outcome.passed_over, IsEmpty());
        expect_same(plain.fabric, outcome.fabric);
    }
}

TEST(Reader, CountsLinesRightWhateverStandsBetween)
{
    for (auto const* const end : {"\n", "\r\n"}) {
        std::string const text =
            std::string{"# comment"} + end + end + "Switch 8 \"S\"" + end + "# comment" + end + end + "[9] \"S\"[1]";
        EXPECT_THAT(refusal(text), StartsWith("test.topo:6: ")) << text;
    }
}

TEST(Reader, ListsHeadingsAndUnknownLinesThatItPassesOver)
{
    auto const text = "Chassis 1 (guid 0x8f1)\nHostname: x\nNon-Chassis Nodes\nblah\x01\n" + std::string{small_fabric} +
                      "do something\n";
    auto const outcome = read(text);
    ASSERT_THAT(outcome.passed_over, SizeIs(5));
    EXPECT_EQ(outcome.passed_over_total, 5U);
    EXPECT_EQ(outcome.passed_over[0].line, 1U);
    EXPECT_THAT(outcome.passed_over[0].reason, HasSubstr("chassis"));
    EXPECT_EQ(outcome.passed_over[3].text, "blah?");
    EXPECT_THAT(outcome.passed_over[3].reason, HasSubstr("expected"));
    expect_same(read(small_fabric).fabric, outcome.fabric);
}

TEST(Reader, ListsNoMoreThanItsLimitButCountsAll)
{
    std::string text{small_fabric};
    for (int i = 0; i != 3000; ++i)
        text += "noise\n";
    auto const outcome = read(text);
    EXPECT_THAT(outcome.passed_over, SizeIs(read_outcome::max_listed));
    EXPECT_EQ(outcome.passed_over_total, 3000U);
}

TEST(Reader, TakesGroupingByChassisAndFullInformation)
{
    auto text = replaced(small_fabric, "[1]\t\"H", "[1][ext 17]\t\"H");
    text = replaced(text, "\"[1]\t\t# lid", "\"[1][ext 17]\t\t# lid");
    text = replaced(text, "sysimgguid=0xa0f", "sysimgguid=0xa0f\t\t# Chassis 1");
    text = replaced(text, "(a02)", "(a02)\t# Spine 1 Chip 1");
    text = replaced(text, "4xHDR", "4xHDR s=4 w=2 v=4 slot 3");
    auto const outcome = read(text);
    EXPECT_THAT(outcome.passed_over, IsEmpty());
    expect_same(read(small_fabric).fabric, outcome.fabric);
}

TEST(Reader, TakesIbsimsDialect)
{
    auto const outcome = read("Switch\t8 \"Switch1\"\n"
                              "[1]\t\"Hca1\"[1]\tw=12\n"
                              "[2]\t\"Hca1\"[2] w=1 s=4\n"
                              "[3] \"Hca2\"\n"
                              "Hca\t2 \"Hca1\"\n"
                              "Hca 2 \"Hca2\"   # plain words lid 5 lmc 1\n");
    auto const& all = outcome.fabric;
    EXPECT_THAT(outcome.passed_over, IsEmpty());
    EXPECT_EQ(all.counts(), (fabric_counts{1, 2, 0, 3}));
    auto const& one = all.at(all.find("Switch1"));
    EXPECT_EQ(one.external_port(1).width, link_width::x12);
    EXPECT_EQ(one.external_port(2).width, link_width::x1);
    EXPECT_EQ(one.external_port(2).speed, link_speed::qdr);
    EXPECT_EQ(one.external_port(3).peer, (endpoint{all.find("Hca2"), 1})) << "without a number, port 1";
    EXPECT_EQ(one.description, "Switch1") << "the name is the description where there is no other";
    EXPECT_EQ(all.at(all.find("Hca2")).description, "plain words");
}

TEST(Reader, GivesNodesWithoutGuidUniqueOnesAlwaysTheSame)
{
    // The second CA already has the number that the first one would get.
    auto const* const text = "Switch 8 \"a\"\n[1] \"b\"[1]\n[2] \"c\"[1]\n[3] \"d\"[1]\n"
                             "Ca 2 \"b\"\n"
                             "caguid=0x024d414401000002\nCa 1 \"c\"\n"
                             "caguid=0x0\nCa 1 \"d\"\n"
                             "Rt 1 \"e\"\n"
                             "Ca 1 \"H-0000000000000000\"\n";
    auto const once = read(text);
    auto const twice = read(text);
    std::set<std::uint64_t> seen;
    for (node_index i = 0; i != once.fabric.size(); ++i) {
        auto const value = once.fabric.at(i).node_guid;
        EXPECT_NE(value, guid{}) << once.fabric.at(i).id;
        EXPECT_TRUE(seen.insert(value.value()).second) << once.fabric.at(i).id;
        EXPECT_EQ(value, twice.fabric.at(i).node_guid);
        EXPECT_EQ(once.fabric.find(value), i);
    }
    EXPECT_EQ(once.fabric.at(once.fabric.find("a")).node_guid, guid{0x024d'4144'0200'0000});
    EXPECT_EQ(once.fabric.at(once.fabric.find("e")).node_guid, guid{0x024d'4144'0300'0000});
}

TEST(Reader, KeepsTwoNodesWithOneGuidApart)
{
    auto const outcome = read("switchguid=0xa01\nSwitch 8 \"one\"\n[1] \"two\"[1]\n"
                              "switchguid=0xa01\nSwitch 8 \"two\"\n[1] \"one\"[1]\n");
    EXPECT_EQ(outcome.fabric.counts(), (fabric_counts{2, 0, 0, 1}));
    EXPECT_EQ(outcome.fabric.find(guid{0xa01}), 0U);
    EXPECT_THAT(outcome.fabric.find_all(guid{0xa01}), testing::ElementsAre(0, 1));
}

TEST(Reader, TakesOnlyUnicastLids)
{
    struct given {
        char const* text;
        std::optional<lid> base_lid;
        std::size_t listed;
    };
    for (auto const& [text, base_lid, listed] :
        {given{"1", lid{1}, 0}, given{"49151", lid{0xBFFF}, 0}, given{"0xBFFF", lid{0xBFFF}, 0}, given{"0", {}, 0},
            given{"49152", {}, 1}, given{"65535", {}, 1}, given{"65536", {}, 1}, given{"-1", {}, 1}, given{"x", {}, 1},
            given{"99999999999999999999999", {}, 1}, given{"", {}, 1}}) {
        auto const as_switch = read(std::string{"Switch 8 \"S\" # \"d\" base port 0 lmc 0 lid "} + text);
        EXPECT_EQ(as_switch.fabric.at(0).base_lid, base_lid) << text;
        EXPECT_EQ(as_switch.passed_over_total, listed) << text;
        auto const as_host = read(std::string{"Ca 1 \"H\"\nSwitch 8 \"S\"\n[1] \"H\"[1] # \"d\" lid "} + text);
        EXPECT_EQ(as_host.fabric.at(0).external_port(1).base_lid, base_lid) << text;
        EXPECT_EQ(as_host.passed_over_total, listed) << text;
    }
}

TEST(Reader, TakesOddDescriptionsAsTheyAre)
{
    std::vector<std::string> const odd_ones{"", " ", "ends in a blank ", " begins with one", "a \"quoted\" word", "\"",
        "# hash", "lid 7 lmc 3", "\" lid 9 4xSDR", "enhanced port 0", "back\\slash", "Z\xC3\xBCrich \xE2\x98\x83",
        "\xFF\xFE", "tab\there", "[1] \"x\"[2]", std::string(64, 'x')};
    for (auto const& odd : odd_ones) {
        auto const outcome =
            read("Switch 8 \"S-0000000000000a01\"\t\t# \"" + odd + "\" base port 0 lid 3 lmc 0\n" +
                 "[1]\t\"H-0000000000000c01\"[1](c02) \t\t# \"" + odd + "\" lid 8 4xHDR\n" +
                 "Ca\t1 \"H-0000000000000c01\"\t\t# \"" + odd + "\"\n" +
                 "[1](c02) \t\"S-0000000000000a01\"[1]\t\t# lid 8 lmc 1 \"" + odd + "\" lid 3 4xEDR\n");
        EXPECT_THAT(outcome.passed_over, IsEmpty()) << odd;
        auto const& one = outcome.fabric.at(0);
        auto const& host = outcome.fabric.at(1);
        EXPECT_EQ(one.description, odd);
        EXPECT_EQ(host.description, odd);
        EXPECT_FALSE(one.enhanced_port0) << odd;
        EXPECT_EQ(one.base_lid, lid{3}) << odd;
        EXPECT_EQ(one.external_port(1).speed, link_speed::hdr) << odd;
        EXPECT_EQ(host.external_port(1).base_lid, lid{8}) << odd;
        EXPECT_EQ(host.external_port(1).lmc, 1) << odd;
        EXPECT_EQ(host.external_port(1).speed, link_speed::edr) << odd;
    }
}

TEST(Reader, CutsDescriptionsAtTheLengthOfANodeDescription)
{
    auto const outcome = read("Ca 1 \"H-0000000000000c01\" # \"" + std::string(65, 'x') + "\"\n");
    EXPECT_EQ(outcome.fabric.at(0).description, std::string(64, 'x'));
    ASSERT_THAT(outcome.passed_over, SizeIs(1));
    EXPECT_THAT(outcome.passed_over[0].reason, HasSubstr("64 bytes"));
}

TEST(Reader, TakesWhatOnlyThePeersTell)
{
    // Neither CA tells a description; only the switch's lines tell cables, LIDs and port GUIDs.
    auto const outcome = read("Switch 8 \"S-0000000000000a01\"\n"
                              "[1]\t\"H-0000000000000c01\"[2](c03) \t\t# \"one\" lid 8 4xHDR\n"
                              "Ca 2 \"H-0000000000000c01\"\n");
    auto const& host = outcome.fabric.at(outcome.fabric.find(guid{0xc01}));
    EXPECT_EQ(outcome.fabric.counts().links, 1U);
    EXPECT_EQ(host.description, "one");
    EXPECT_EQ(host.external_port(2).peer, (endpoint{0, 1}));
    EXPECT_EQ(host.external_port(2).port_guid, guid{0xc03});
    EXPECT_EQ(host.external_port(2).base_lid, lid{8});
    EXPECT_EQ(host.external_port(2).width, link_width::none) << "its own end tells no width";
    EXPECT_FALSE(host.external_port(1).port_guid);
}

TEST(Reader, LetsANodesOwnRecordWinAndListsTheContradiction)
{
    auto text = replaced(small_fabric, "[1](c02) \t\t# \"host HCA-1\" lid 8", "[1](eee) \t\t# \"renamed\" lid 9");
    auto const outcome = read(text);
    expect_same(read(small_fabric).fabric, outcome.fabric);
    ASSERT_THAT(outcome.passed_over, SizeIs(2));
    EXPECT_EQ(outcome.passed_over[0].line, 11U);
    EXPECT_THAT(outcome.passed_over[0].reason, HasSubstr("port GUID"));
    EXPECT_THAT(outcome.passed_over[1].reason, HasSubstr("LID"));
}

TEST(Reader, AddsPeersWhoseIdTellsTypeAndGuid)
{
    auto const outcome = read("Switch 8 \"S-0000000000000a01\"\n"
                              "[1]\t\"H-0000000000000c01\"[2](c03) \t\t# \"one\" lid 8 4xHDR\n"
                              "[2]\t\"S-0000000000000b01\"[200]\t\t# \"two\" lid 9 4xHDR\n"
                              "[3]\t\"S-0000000000000b01\"[7]\t\t# \"two\" lid 9 4xHDR\n");
    EXPECT_EQ(outcome.fabric.counts(), (fabric_counts{2, 1, 0, 3}));
    auto const& added = outcome.fabric.at(outcome.fabric.find(guid{0xb01}));
    EXPECT_EQ(added.type, node_type::switch_);
    EXPECT_EQ(added.port_count(), 200) << "port numbers above 127 stay positive";
    EXPECT_EQ(added.description, "two");
    EXPECT_EQ(added.base_lid, lid{9});
    ASSERT_THAT(outcome.passed_over, SizeIs(2));
    EXPECT_THAT(outcome.passed_over[0].reason, HasSubstr("H-0000000000000c01"));
}

TEST(Reader, FindsPeersByGuidWhereTheRecordHasAName)
{
    auto const outcome = read("switchguid=0xa01\nSwitch 8 \"core\"\n"
                              "Ca 1 \"H-0000000000000c01\"\n[1] \"S-0000000000000a01\"[8]\n");
    EXPECT_EQ(outcome.fabric.counts(), (fabric_counts{1, 1, 0, 1}));
    EXPECT_EQ(outcome.fabric.at(0).external_port(8).peer, (endpoint{1, 1}));
}

TEST(Reader, TakesCablesOfASwitchToItselfAndLoopbackPlugs)
{
    auto const outcome = read("Switch 8 \"S\"\n[1] \"S\"[2]\n[2] \"S\"[1]\n[3] \"S\"[3]\n[4] \"S\"[5]\n");
    EXPECT_EQ(outcome.fabric.counts().links, 3U);
    EXPECT_EQ(outcome.fabric.at(0).external_port(3).peer, (endpoint{0, 3}));
    EXPECT_EQ(outcome.fabric.at(0).external_port(5).peer, (endpoint{0, 4}));
}

TEST(Reader, TakesAllPortsThatANodeCanHave)
{
    std::string text = "Switch 254 \"S\"\n";
    for (int i = 1; i <= 254; i += 2)
        text += "[" + std::to_string(i) + "] \"S\"[" + std::to_string(i + 1) + "]\n";
    auto const outcome = read(text);
    EXPECT_EQ(outcome.fabric.at(0).port_count(), 254);
    EXPECT_EQ(outcome.fabric.counts().links, 127U);
    EXPECT_EQ(outcome.fabric.at(0).external_port(254).peer, (endpoint{0, 253}));
}

TEST(Reader, ListsUnknownSpeedsWidthsAndOptions)
{
    for (auto const* const odd :
        {" # \"x\" lid 1 4xGDR", " # \"x\" lid 1 3xSDR", " w=11", " s=7", " w=", " q=1", " words"}) {
        auto const outcome = read(std::string{"Switch 8 \"S\"\n[1] \"S\"[2]"} + odd);
        ASSERT_THAT(outcome.passed_over, SizeIs(1)) << odd;
        EXPECT_EQ(outcome.passed_over[0].line, 2U);
        EXPECT_THAT(outcome.passed_over[0].reason, HasSubstr("expected")) << odd;
    }
}

TEST(Reader, TakesWidthAndSpeedThatTheirWriterCouldNotName)
{
    auto const outcome = read("Switch 8 \"S\"\n[1] \"S\"[2] # \"x\" lid 1 ?????\n[3] \"S\"[4] # \"x\" lid 1 4x???\n[5] "
                              "\"S\"[6] # \"x\" lid 1 ??EDR\n");
    auto const& one = outcome.fabric.at(0);
    EXPECT_THAT(outcome.passed_over, IsEmpty());
    EXPECT_EQ(one.external_port(1).width, link_width::none);
    EXPECT_EQ(one.external_port(1).speed, link_speed::none);
    EXPECT_EQ(one.external_port(3).width, link_width::x4);
    EXPECT_EQ(one.external_port(5).speed, link_speed::edr);
}

TEST(Reader, RefusesWhatCannotBeAFabricAndSaysWhereAndWhatWasExpected)
{
    struct bad {
        std::string text;
        char const* where;
        char const* what;
        char const* instead;
    };
    std::string const one = "Switch 8 \"S\"\n";
    for (auto const& [text, where, what, instead] : {
             bad{"", "test.topo:0: ", "without any node", "expected"},
             bad{"\n\n# nothing\n", "test.topo:3: ", "without any node", "expected"},
             bad{"[1] \"S\"[1]\n", "test.topo:1: ", "before any node", "expected a record"},
             bad{"Switch x \"S\"\n", "test.topo:1: ", "found `x", "the number of ports, 1 to 254"},
             bad{"Switch 0 \"S\"\n", "test.topo:1: ", "found `0", "1 to 254"},
             bad{"Switch 255 \"S\"\n", "test.topo:1: ", "found `255", "1 to 254"},
             bad{"Switch 256 \"S\"\n", "test.topo:1: ", "found `256", "1 to 254"},
             bad{"Ca 99999999999999999999 \"S\"\n", "test.topo:1: ", "found `9999", "1 to 254"},
             bad{"Ca -1 \"S\"\n", "test.topo:1: ", "found `-1", "1 to 254"},
             bad{"Ca 1\n", "test.topo:1: ", "the end of the line", "the node's id in quotation marks"},
             bad{"Ca 1 \"\"\n", "test.topo:1: ", "found", "the node's id"},
             bad{"Ca 1 \"H-00\n", "test.topo:1: ", "found", "a closing quotation mark"},
             bad{one + one, "test.topo:2: ", "\"S\" again", "the first is on line 1"},
             bad{one + "[0] \"S\"[1]\n", "test.topo:2: ", "found `0]", "1 to 254"},
             bad{one + "[255] \"S\"[1]\n", "test.topo:2: ", "found `255]", "1 to 254"},
             bad{one + "[256] \"S\"[1]\n", "test.topo:2: ", "found `256]", "1 to 254"},
             bad{one + "[9] \"S\"[1]\n", "test.topo:2: ", "port 9 of \"S\"",
                 "expected 1 to 8, the ports of the record on line 1"},
             bad{one + "[1] \"S\"[9]\n", "test.topo:2: ", "\"S\"[9] does not exist", "expected 1 to 8"},
             bad{one + "[1] \"S\"[0]\n", "test.topo:2: ", "found `0]", "the peer's port"},
             bad{one + "[1 \"S\"[2]\n", "test.topo:2: ", "found", "`]`"},
             bad{one + "[1]\n", "test.topo:2: ", "the end of the line", "the peer's id in quotation marks"},
             bad{one + "[1](xyz) \"S\"[2]\n", "test.topo:2: ", "found `xyz", "a GUID"},
             bad{one + "[1](11112222333344445) \"S\"[2]\n", "test.topo:2: ", "found", "up to 16 hexadecimal digits"},
             bad{one + "[1] \"S\"[2]\n[1] \"S\"[3]\n", "test.topo:3: ", "\"S\"[1] is cabled to \"S\"[3] here",
                 "on line 2"},
             bad{one + "[1] \"S\"[2]\n[3] \"S\"[2]\n", "test.topo:3: ", "\"S\"[3] is cabled to \"S\"[2] here",
                 "line 2 cables"},
             bad{one + "[1] \"S\"[2]\n[2] \"S\"[3]\n", "test.topo:3: ", "\"S\"[2] is cabled to \"S\"[3] here",
                 "expected one cable a port"},
             bad{one + "[1] \"Swich2\"[1]\n", "test.topo:2: ", "\"Swich2\" has no record",
                 "expected the id of a node in this file"},
             bad{one + "[1] \"S-0000000000000000\"[1]\n", "test.topo:2: ", "has no record", "expected"},
             bad{"vendid=zz\n" + one, "test.topo:1: ", "found `zz", "`vendid=` with a number up to 0xffffff"},
             bad{"vendid=0x1000000\n" + one, "test.topo:1: ", "found", "up to 0xffffff"},
             bad{"devid=0x10000\n" + one, "test.topo:1: ", "found", "up to 0xffff"},
             bad{"switchguid=0x11112222333344445\n" + one, "test.topo:1: ", "found", "`switchguid=`"},
             bad{"switchguid=0x1(\n" + one, "test.topo:1: ", "found", "a GUID"},
             bad{"switchguid=0x1 nonsense\n" + one, "test.topo:1: ", "found `nonsense", "nothing more"},
             bad{"include \"other\"\n" + one, "test.topo:1: ", "include", "expected the records"},
             bad{std::string{"\0\1\2\xff\xfe Switch", 11}, "test.topo:1: ", "without any node", "expected"},
         })
        EXPECT_THAT(refusal(text), AllOf(StartsWith(where), HasSubstr(what), HasSubstr(instead))) << text;
}

TEST(Reader, ListsALineThatRepeatsAnother)
{
    auto const outcome = read("Switch 8 \"S\"\n[1] \"S\"[2] w=4\n[1] \"S\"[2] w=12\n");
    ASSERT_THAT(outcome.passed_over, SizeIs(1));
    EXPECT_EQ(outcome.passed_over[0].reason, "repeats line 2");
    EXPECT_EQ(outcome.fabric.at(0).external_port(1).width, link_width::x4);
}

TEST(Reader, ListsAttributesThatNoRecordFollows)
{
    auto const outcome = read("Switch 8 \"S\"\nvendid=0x2c9\ncaguid=0xc01\n");
    ASSERT_THAT(outcome.passed_over, SizeIs(2));
    EXPECT_EQ(outcome.passed_over[0].line, 2U);
    EXPECT_EQ(outcome.passed_over[1].line, 3U);
}

TEST(Reader, DoesNotCarryAttributesFromOneRecordToTheNext)
{
    auto const outcome =
        read("vendid=0x2c9\ndevid=0x1\nsysimgguid=0x5\nswitchguid=0x6\nSwitch 8 \"a\"\nSwitch 8 \"b\"\n");
    auto const& second = outcome.fabric.at(1);
    EXPECT_EQ(second.vendor_id, 0U);
    EXPECT_EQ(second.device_id, 0);
    EXPECT_FALSE(second.system_image_guid);
    EXPECT_NE(second.node_guid, guid{6});
}

TEST(Reader, NamesTheFileThatItCannotOpenOrRead)
{
    auto const missing = read_ibnetdiscover_file("/nonexistent/fabric.topo");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code(), boost::system::errc::no_such_file_or_directory);
    EXPECT_THAT(missing.error().message(), HasSubstr("/nonexistent/fabric.topo"));
    auto const folder = read_ibnetdiscover_file("/");
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code(), boost::system::errc::is_a_directory);
}

} // namespace
