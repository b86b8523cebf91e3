// Any attribute as JSON.
#include "cli/attribute_json.hpp"

#include <madrigal/wire/attributes/link_record.hpp>
#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/port_counters_extended.hpp>
#include <madrigal/wire/attributes/vl_arbitration_table.hpp>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace madrigal::cli {
namespace {

template <class T>
boost::json::object json_of(T const& value)
{
    return attribute_json(describe_attribute<T>(), encoded(value));
}

TEST(AttributeJson, HasAMemberForEachField)
{
    EXPECT_EQ(boost::json::serialize(
                  json_of(link_record{.from_lid = lid{1}, .from_port = 2, .to_port = 3, .to_lid = lid{4}})),
        R"({"FromLID":"1","FromPort":2,"ToPort":3,"ToLID":"4"})");
}

TEST(AttributeJson, ShowsTheFieldsOfInnerStructuresAsItsOwn)
{
    node_record record{.base_lid = lid{5}};
    record.info.type = node_type::switch_;
    record.description.description = fixed_text<64>{"leaf"};
    auto const json = json_of(record);
    EXPECT_EQ(json.at("LID"), "5");
    EXPECT_EQ(json.at("NodeType"), "Switch");
    EXPECT_EQ(json.at("NodeDescription"), "leaf");
}

TEST(AttributeJson, HasAnArrayForEachFieldOfEntries)
{
    vl_arbitration_table table;
    table.entries[31] = {.vl = 3, .weight = 64};
    auto const json = json_of(table);
    ASSERT_EQ(json.at("VL").as_array().size(), 32U);
    EXPECT_EQ(json.at("VL").as_array()[31], 3U);
    EXPECT_EQ(json.at("Weight").as_array()[31], 64U);
}

TEST(AttributeJson, KeepsCountersOf64BitsExact)
{
    EXPECT_EQ(
        json_of(port_counters_extended{.xmit_data = 0xFFFFFFFFFFFFFFFF}).at("PortXmitData"), "0xffffffffffffffff");
}

TEST(AttributeJson, IsEmptyWhereTheBytesAreTooShort)
{
    EXPECT_TRUE(attribute_json(describe_attribute<link_record>(), {}).empty());
}

} // namespace
} // namespace madrigal::cli
