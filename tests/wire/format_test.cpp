#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/format.hpp>
#include <madrigal/wire/mad.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

TEST(Format, PrintsIdentifiersAsTheFieldDoes)
{
    node_info const node{.type = node_type::switch_, .num_ports = 36, .node_guid = guid{0x0002c9030005f34a}};
    EXPECT_EQ(fmt::format("{} {}, {} ports", node.type, node.node_guid, node.num_ports),
        "Switch 0x0002c9030005f34a, 36 ports");
    EXPECT_EQ(fmt::format("{} {}", lid{12}, gid{default_subnet_prefix, guid{1}}),
        "12 fe80:0000:0000:0000:0000:0000:0000:0001");
    EXPECT_EQ(fmt::format("{}", directed_route{0, 1, 3}), "0,1,3");
}

TEST(Format, PrintsEnumerationsFlagsAndText)
{
    EXPECT_EQ(
        fmt::format("{} {} {} {}", method::get, management_class::performance, port_state::active, link_width::x4),
        "Get PerfMgt Active 4x");
    EXPECT_EQ(fmt::format("{}", port_capabilities{port_capability::is_sm}), "0x00000002 (IsSM)");
    EXPECT_EQ(fmt::format("{}", fixed_text<8>{"a\nb"}), "a\\x0ab");
}

TEST(Format, TakesWidthAndAlignment)
{
    EXPECT_EQ(fmt::format("[{:>6}] [{:<7}]", lid{12}, node_type::ca), "[    12] [CA     ]");
}

TEST(Format, PrintsAnAttributeAsItsText)
{
    node_info const node{.num_ports = 3};
    EXPECT_EQ(fmt::format("{}\n", node), to_text(node));
}

} // namespace
} // namespace madrigal
