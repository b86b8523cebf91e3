#include "wire/bytes.hpp"

#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/registry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal {
namespace {

TEST(Registry, HoldsTheAttributesThatTheLibraryPromises)
{
    std::vector<std::string> names;
    for (auto const& attribute : attributes())
        names.emplace_back(attribute.layout.name);
    EXPECT_THAT(names, testing::IsSupersetOf({"ClassPortInfo", "GUIDInfo", "LinearForwardingTable", "MlnxExtPortInfo",
                           "NodeDescription", "NodeInfo", "Notice", "NoticeReport", "P_KeyTable", "PortInfo", "SMInfo",
                           "SwitchInfo"}));
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(Registry, FindsByNameInAnyCase)
{
    ASSERT_NE(find_attribute("nodeinfo"), nullptr);
    EXPECT_EQ(find_attribute("nodeinfo"), find_attribute("NodeInfo"));
    EXPECT_EQ(find_attribute("NodeInf"), nullptr);
    EXPECT_EQ(find_attribute(""), nullptr);
}

TEST(Registry, FindsByClassAndNumber)
{
    for (auto const smp : {management_class::subnet_lid_routed, management_class::subnet_directed_route}) {
        EXPECT_EQ(find_attribute(smp, attribute_id::node_info), find_attribute("NodeInfo"));
        EXPECT_EQ(find_attribute(smp, attribute_id::notice), find_attribute("Notice"));
        EXPECT_EQ(find_attribute(smp, attribute_id::class_port_info), nullptr) << "SMPs have none";
        EXPECT_EQ(find_attribute(smp, attribute_id::mlnx_ext_port_info), find_attribute("MlnxExtPortInfo"));
    }
    EXPECT_EQ(
        find_attribute(management_class::performance, attribute_id::class_port_info), find_attribute("ClassPortInfo"));
    EXPECT_EQ(
        find_attribute(management_class::subnet_administration, attribute_id::notice), find_attribute("NoticeReport"));
    EXPECT_NE(find_attribute(management_class::performance, attribute_id::node_info), find_attribute("NodeInfo"))
        << "0x0011 means another thing there";
    EXPECT_EQ(attribute_name(management_class::subnet_lid_routed, 0x0015), "PortInfo");
    EXPECT_EQ(attribute_name(management_class::subnet_lid_routed, 0x0fff), "0x0fff");
}

TEST(Registry, GivesEachClassAndNumberOneMeaning)
{
    for (unsigned number = 0; number != 256; ++number)
        for (auto const& a : attributes())
            for (auto const& b : attributes())
                EXPECT_FALSE(&a != &b && a.layout.id == b.layout.id &&
                             a.layout.scope.contains(management_class(number)) &&
                             b.layout.scope.contains(management_class(number)))
                    << a.layout.name << " and " << b.layout.name << " in class " << number;
}

TEST(Registry, FitsEveryAttributeIntoItsClasssData)
{
    for (auto const& attribute : attributes())
        EXPECT_LE(
            attribute.layout.size, attribute.layout.scope.contains(management_class::subnet_lid_routed) ? 64U : 192U)
            << attribute.layout.name;
}

} // namespace
} // namespace madrigal
