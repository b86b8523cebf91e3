#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include "topology/sameness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace {

using namespace madrigal;
using namespace madrigal::topology;
using madrigal::topology::tests::expect_same;
using madrigal::topology::tests::read;
using testing::HasSubstr;
using testing::Not;

node make_node(node_type type, std::uint64_t value, std::string description, unsigned ports)
{
    node made;
    made.type = type;
    made.node_guid = guid{value};
    made.id = canonical_id(type, made.node_guid);
    made.description = std::move(description);
    made.vendor_id = 0x2c9;
    made.device_id = 0xd2f0;
    made.ports.resize(ports);
    for (unsigned i = 0; i != ports && type != node_type::switch_; ++i)
        made.ports[i].port_guid = guid{value + i + 1};
    return made;
}

/// A CA and a router on a switch, a CA cabled to the CA's second port, and a cable of the switch to itself.
fabric mixed_fabric()
{
    fabric made;
    auto host = make_node(node_type::ca, 0x0c42'a103'008b'3bd0, "host-1 HCA-1", 2);
    host.ports[0].base_lid = lid{8};
    host.ports[0].lmc = std::uint8_t{3};
    host.ports[0].width = link_width::x4;
    host.ports[0].speed = link_speed::hdr;
    auto core = make_node(node_type::switch_, 0xb859'9f03'00fc'6de4, "MF0;core:MQM8700/U1", 41);
    core.port_guid = core.node_guid;
    core.system_image_guid = core.node_guid;
    core.enhanced_port0 = true;
    core.base_lid = lid{13};
    core.lmc = std::uint8_t{0};
    for (auto const port : {0, 1, 2, 39}) {
        core.ports[port].width = link_width::x4;
        core.ports[port].speed = link_speed::hdr;
    }
    auto router = make_node(node_type::router, 0x0002'c903'0007'a5e0, "gate", 1);
    router.ports[0].base_lid = lid{20};
    router.ports[0].lmc = std::uint8_t{0};
    auto const ca = made.add(host);
    auto const rt = made.add(router);
    auto const sw = made.add(core);
    auto const far = made.add(make_node(node_type::ca, 0xc1, "host-2", 1));
    EXPECT_TRUE(made.connect({ca, 1}, {sw, 1}));
    EXPECT_TRUE(made.connect({rt, 1}, {sw, 40}));
    EXPECT_TRUE(made.connect({sw, 2}, {sw, 3}));
    EXPECT_TRUE(made.connect({ca, 2}, {far, 1}));
    made.initiated_from_node = host.node_guid;
    made.initiated_from_port = host.ports[0].port_guid;
    return made;
}

TEST(Writer, PrintsWhatIbnetdiscoverPrints)
{
    // Tabs, quotation marks, order and the blanks behind port GUIDs as in dumps of rdma-core's ibnetdiscover.
    EXPECT_EQ(write_ibnetdiscover(mixed_fabric(), {.generated_on = "Sun Feb 21 16:30:17 2021"}),
        "#\n"
        "# Topology file: generated on Sun Feb 21 16:30:17 2021\n"
        "#\n"
        "# Initiated from node 0c42a103008b3bd0 port 0c42a103008b3bd1\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xd2f0\n"
        "sysimgguid=0xb8599f0300fc6de4\n"
        "switchguid=0xb8599f0300fc6de4(b8599f0300fc6de4)\n"
        "Switch\t41 \"S-b8599f0300fc6de4\"\t\t# \"MF0;core:MQM8700/U1\" enhanced port 0 lid 13 lmc 0\n"
        "[1]\t\"H-0c42a103008b3bd0\"[1](c42a103008b3bd1) \t\t# \"host-1 HCA-1\" lid 8 4xHDR\n"
        "[2]\t\"S-b8599f0300fc6de4\"[3]\t\t# \"MF0;core:MQM8700/U1\" lid 13 4xHDR\n"
        "[3]\t\"S-b8599f0300fc6de4\"[2]\t\t# \"MF0;core:MQM8700/U1\" lid 13 4xHDR\n"
        "[40]\t\"R-0002c9030007a5e0\"[1](2c9030007a5e1) \t\t# \"gate\" lid 20 4xHDR\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xd2f0\n"
        "caguid=0xc42a103008b3bd0\n"
        "Ca\t2 \"H-0c42a103008b3bd0\"\t\t# \"host-1 HCA-1\"\n"
        "[1](c42a103008b3bd1) \t\"S-b8599f0300fc6de4\"[1]\t\t# lid 8 lmc 3 \"MF0;core:MQM8700/U1\" lid 13 4xHDR\n"
        "[2](c42a103008b3bd2) \t\"H-00000000000000c1\"[1] (c2) \t\t# lid 0 lmc 0 \"host-2\" lid 0\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xd2f0\n"
        "caguid=0xc1\n"
        "Ca\t1 \"H-00000000000000c1\"\t\t# \"host-2\"\n"
        "[1](c2) \t\"H-0c42a103008b3bd0\"[2] (c42a103008b3bd2) \t\t# lid 0 lmc 0 \"host-1 HCA-1\" lid 0\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xd2f0\n"
        "rtguid=0x2c9030007a5e0\n"
        "Rt\t1 \"R-0002c9030007a5e0\"\t\t# \"gate\"\n"
        "[1](2c9030007a5e1) \t\"S-b8599f0300fc6de4\"[40]\t\t# lid 20 lmc 0 \"MF0;core:MQM8700/U1\" lid 13\n");
}

TEST(Writer, IsReadBackAsTheSameFabric)
{
    auto const original = mixed_fabric();
    auto const text = write_ibnetdiscover(original);
    auto const again = read(text);
    EXPECT_EQ(again.passed_over_total, 0U);
    expect_same(original, again.fabric);
    EXPECT_EQ(write_ibnetdiscover(again.fabric), text);
}

TEST(Writer, LeavesUntoldWhatTheFabricDoesNotTell)
{
    fabric made;
    auto bare = make_node(node_type::switch_, 0xa1, "", 4);
    bare.ports[1].width = link_width::x4;
    bare.ports[2].speed = link_speed::edr;
    auto const at = made.add(bare);
    made.connect({at, 1}, {at, 2});
    made.connect({at, 3}, {at, 4});
    auto const text = write_ibnetdiscover(made);
    EXPECT_THAT(
        text, HasSubstr("switchguid=0xa1\nSwitch\t4 \"S-00000000000000a1\"\t\t# \"\" base port 0 lid 0 lmc 0\n"));
    EXPECT_THAT(text, HasSubstr("[1]\t\"S-00000000000000a1\"[2]\t\t# \"\" lid 0\n"));
    EXPECT_THAT(text, HasSubstr("[2]\t\"S-00000000000000a1\"[1]\t\t# \"\" lid 0 4x???\n"));
    EXPECT_THAT(text, HasSubstr("[3]\t\"S-00000000000000a1\"[4]\t\t# \"\" lid 0 ??EDR\n"));
    EXPECT_THAT(text, Not(HasSubstr("sysimgguid")));
    EXPECT_THAT(text, Not(HasSubstr("Initiated")));
    expect_same(made, read(text).fabric);
}

TEST(Writer, KeepsOddDescriptions)
{
    for (std::string const odd : {"", " ", "ends in a blank ", "a \"quoted\" word", "\"", "\" lid 9 4xSDR", "# hash",
             "Z\xC3\xBCrich", "\xFF\xFE"}) {
        auto original = mixed_fabric();
        for (node_index i = 0; i != original.size(); ++i)
            original.at(i).description = odd;
        expect_same(original, read(write_ibnetdiscover(original)).fabric);
    }
}

TEST(Writer, MakesOneLineOfADescriptionWithControlCharacters)
{
    fabric made;
    made.add(make_node(node_type::ca, 0xc1, std::string{"a\nSwitch 8 \"x\"\r\t\0b\x7F", 19} + std::string(60, 'y'), 1));
    auto const again = read(write_ibnetdiscover(made));
    EXPECT_EQ(again.fabric.size(), 1U);
    EXPECT_EQ(again.fabric.at(0).description, std::string{"a Switch 8 \"x\"   b "} + std::string(45, 'y'));
    EXPECT_EQ(write_ibnetdiscover(again.fabric), write_ibnetdiscover(made));
}

TEST(Writer, GivesNodesOfOneGuidDifferentIds)
{
    fabric made;
    for (auto const* const id : {"S-00000000000000a1", "S-00000000000000a1", "second", "bad\"id"}) {
        auto twin = make_node(node_type::switch_, 0xa1, id, 2);
        twin.id = id;
        made.add(twin);
    }
    made.connect({0, 1}, {1, 1});
    made.connect({2, 1}, {3, 1});
    made.connect({0, 2}, {3, 2});
    auto const text = write_ibnetdiscover(made);
    EXPECT_THAT(text, HasSubstr("\"S-00000000000000a1.2\""));
    EXPECT_THAT(text, HasSubstr("\"second\""));
    EXPECT_THAT(text, HasSubstr("\"S-00000000000000a1.3\""));
    auto const again = read(text);
    expect_same(made, again.fabric);
    EXPECT_EQ(write_ibnetdiscover(again.fabric), text);
}

TEST(Writer, KeepsOtherNamesOnlyWhereAskedTo)
{
    auto const given = read("Switch 8 \"core\"\n[1] \"core\"[2]\n").fabric;
    EXPECT_THAT(write_ibnetdiscover(given), Not(HasSubstr("\"core\"[")));
    auto const kept = write_ibnetdiscover(given, {.node_ids = ibnetdiscover_options::ids::as_given});
    EXPECT_THAT(kept, HasSubstr("[1]\t\"core\"[2]\t"));
    expect_same(given, read(kept).fabric);
}

TEST(PortsReport, PrintsEveryPortInTheColumnsOfIbnetdiscover)
{
    auto shown = mixed_fabric();
    auto& idle = shown.at(shown.find(guid{0xb859'9f03'00fc'6de4})).external_port(41);
    idle.width = link_width::x4;
    idle.speed = link_speed::hdr;
    auto const text = write_ports_report(shown);
    EXPECT_THAT(text,
        testing::StartsWith(
            "CA     0  2 0x0c42a103008b3bd2 ?? ??? - CA     0  1 0x00000000000000c2 ( 'host-1 HCA-1' - 'host-2' )\n"
            "CA     8  1 0x0c42a103008b3bd1 4x HDR - SW    13  1 0xb8599f0300fc6de4 ( 'host-1 HCA-1' - "
            "'MF0;core:MQM8700/U1' )\n"
            "RT    20  1 0x0002c9030007a5e1 ?? ??? - SW    13 40 0xb8599f0300fc6de4 ( 'gate' - "
            "'MF0;core:MQM8700/U1' )\n"));
    // A port without a cable has the same shape up to its rate, whatever the rate is.
    EXPECT_THAT(text,
        HasSubstr("SW    13 41 0xb8599f0300fc6de4 4x HDR                                    'MF0;core:MQM8700/U1'\n"));
    EXPECT_THAT(text,
        HasSubstr("SW    13  4 0xb8599f0300fc6de4 ?? ???                                    'MF0;core:MQM8700/U1'\n"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 41 + 1);
}

} // namespace
