// JSON, DOT and the summary.
#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/graphviz.hpp>
#include <madrigal/topology/json.hpp>
#include <madrigal/topology/summary.hpp>

#include "topology/sameness.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using namespace madrigal;
using namespace madrigal::topology;
using madrigal::topology::tests::read;
using testing::HasSubstr;
using testing::Not;

fabric mixed()
{
    return read("# Initiated from node 0000000000000c01 port 0000000000000c02\n"
                "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xa0f\nswitchguid=0xa01(a02)\n"
                "Switch 8 \"S-0000000000000a01\" # \"a \"quoted\" \\name\" enhanced port 0 lid 3 lmc 1\n"
                "[1] \"H-0000000000000c01\"[1](c02) # \"h\" lid 8 4xHDR\n"
                "[2] \"S-0000000000000a01\"[3] # \"x\" lid 3 4xSDR\n"
                "[3] \"S-0000000000000a01\"[2] # \"x\" lid 3 1xSDR\n"
                "[4] \"S-0000000000000a01\"[5]\n"
                "[6] \"R-0000000000000d01\"[1] # \"gate\" lid 9 4xHDR\n"
                "Ca 2 \"H-0000000000000c01\" # \"Z\xC3\xBCrich \xFF\x01\"\n"
                "Rt 1 \"R-0000000000000d01\" # \"gate\"\n")
        .fabric;
}

TEST(Json, HoldsEverythingThatIsTold)
{
    auto const value = boost::json::parse(write_json(mixed()));
    EXPECT_EQ(value.at("counts"), (boost::json::value{{"switches", 1}, {"cas", 1}, {"routers", 1}, {"links", 4}}));
    EXPECT_EQ(value.at("initiated_from"),
        (boost::json::value{{"node", "0x0000000000000c01"}, {"port", "0x0000000000000c02"}}));
    auto const& nodes = value.at("nodes").as_array();
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes[0], (boost::json::value{{"id", "S-0000000000000a01"}, {"type", "switch"},
                            {"guid", "0x0000000000000a01"}, {"description", "a \"quoted\" \\name"}, {"port_count", 8},
                            {"vendor_id", 0x2c9}, {"device_id", 0xd2f0}, {"system_image_guid", "0x0000000000000a0f"},
                            {"port_guid", "0x0000000000000a02"}, {"lid", 3}, {"lmc", 1}, {"enhanced_port0", true}}));
    EXPECT_EQ(nodes[1].at("description").as_string(), "Z\xC3\xBCrich \xEF\xBF\xBD\x01");
    EXPECT_EQ(nodes[1].at("ports"),
        (boost::json::value{{{"port", 1}, {"guid", "0x0000000000000c02"}, {"lid", 8}, {"lmc", 0}}, {{"port", 2}}}));
    EXPECT_EQ(nodes[2].at("type").as_string(), "router");
    auto const& links = value.at("links").as_array();
    ASSERT_EQ(links.size(), 4U);
    EXPECT_EQ(links[1].at("ends"),
        (boost::json::value{{{"node", "S-0000000000000a01"}, {"port", 2}, {"width", "4x"}, {"speed", "SDR"}},
            {{"node", "S-0000000000000a01"}, {"port", 3}, {"width", "1x"}, {"speed", "SDR"}}}));
    EXPECT_EQ(links[2].at("ends"), (boost::json::value{{{"node", "S-0000000000000a01"}, {"port", 4}},
                                       {{"node", "S-0000000000000a01"}, {"port", 5}}}));
}

TEST(Json, OfAnEmptyFabricIsStillJson)
{
    auto const value = boost::json::parse(write_json(fabric{}));
    EXPECT_TRUE(value.at("nodes").as_array().empty());
    EXPECT_TRUE(value.at("links").as_array().empty());
}

TEST(Json, HasNodesAndLinksOfALargeFabric)
{
    auto const made = generate(fat_tree{}).value();
    auto const value = boost::json::parse(write_json(made));
    EXPECT_EQ(value.at("nodes").as_array().size(), made.size());
    EXPECT_EQ(value.at("links").as_array().size(), made.counts().links);
}

TEST(Json, KeepsValidUtf8AndReplacesEachOtherByte)
{
    struct given {
        std::string bytes;
        std::string shown;
    };
    std::string const bad = "\xEF\xBF\xBD";
    for (auto const& [bytes, shown] : {given{"\xC3\xBC", "\xC3\xBC"}, given{"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
             given{"\xC3", bad}, given{"\xC0\x80", bad + bad}, given{"\xE0\x80\x80", bad + bad + bad},
             given{"\xED\xA0\x80", bad + bad + bad}, given{"\xF4\x90\x80\x80", bad + bad + bad + bad},
             given{"\xE2\x98", bad + bad}, given{"a\xFFz", "a" + bad + "z"}}) {
        fabric one;
        node named;
        named.node_guid = guid{1};
        named.description = bytes;
        named.ports.resize(1);
        one.add(named);
        auto const value = boost::json::parse(write_json(one));
        EXPECT_EQ(value.at("nodes").at(0).at("description").as_string(), shown);
    }
}

TEST(Graphviz, ShowsEveryCableWithPortsAndRate)
{
    auto const text = write_graphviz(mixed());
    EXPECT_THAT(text, testing::StartsWith("graph fabric {\n"));
    EXPECT_THAT(text,
        HasSubstr(
            "    \"S-0000000000000a01\" [shape=box, label=\"a \\\"quoted\\\" \\\\name\\n0x0000000000000a01\"];\n"));
    EXPECT_THAT(text, HasSubstr("shape=diamond"));
    EXPECT_THAT(text, HasSubstr("    \"S-0000000000000a01\" -- \"H-0000000000000c01\" [taillabel=\"1\", "
                                "headlabel=\"1\", label=\"4xHDR\"];\n"));
    EXPECT_THAT(text, HasSubstr("\"S-0000000000000a01\" -- \"S-0000000000000a01\" [taillabel=\"2\", headlabel=\"3\", "
                                "label=\"4xSDR/1xSDR\"];\n"));
    EXPECT_THAT(text, HasSubstr("[taillabel=\"4\", headlabel=\"5\", label=\"\"];\n"));
}

TEST(Graphviz, ShowsParallelCablesAsSeveralAndLeavesOutHostsWhereAskedTo)
{
    auto const made = generate(fat_tree{2, 3, 1, 4}).value();
    auto const count = [](std::string const& text, std::string_view what) {
        std::size_t found = 0;
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count(write_graphviz(made), " -- "), 2U * 3 + 2 * 4);
    auto const switches = write_graphviz(made, {.switches_only = true});
    EXPECT_EQ(count(switches, " -- "), 2U * 4);
    EXPECT_EQ(count(switches, "shape="), 3U);
    EXPECT_THAT(switches, Not(HasSubstr("H-")));
}

TEST(Graphviz, IsAcceptedByDot)
{
    if (std::system("command -v dot >/dev/null 2>&1") != 0) // NOLINT(cert-env33-c): a fixed command
        GTEST_SKIP() << "dot (Graphviz) is not installed";
    auto const path =
        std::filesystem::temp_directory_path() / ("madrigal_graphviz_" + std::to_string(getpid()) + ".dot");
    std::ofstream{path} << write_graphviz(mixed());
    auto const command = "dot -Tplain " + path.string() + " >/dev/null 2>" + path.string() + ".err";
    EXPECT_EQ(std::system(command.c_str()), 0); // NOLINT(cert-env33-c): a path made here
    EXPECT_EQ(std::filesystem::file_size(path.string() + ".err"), 0U) << "dot warns of nothing";
    std::filesystem::remove(path);
    std::filesystem::remove(path.string() + ".err");
}

TEST(Summary, CountsNodesAndCablesByRate)
{
    EXPECT_EQ(summary(mixed()), "switches        1\n"
                                "CAs             1\n"
                                "routers         1\n"
                                "links           4\n"
                                "  4xHDR               2\n"
                                "  4xSDR/1xSDR         1\n"
                                "  not told            1\n");
    EXPECT_EQ(link_rates(generate(fat_tree{}).value()), (std::map<std::string, std::size_t>{{"4xHDR", 1296}}));
}

} // namespace
