// The MADs of `madrigal query` for classes other than subnet management, byte by byte.
#include <cli/query_question.hpp>

#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/path_record.hpp>
#include <madrigal/wire/attributes/port_counters.hpp>
#include <madrigal/wire/sa.hpp>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace madrigal::cli::test {
namespace {

query_words words(std::string attribute, std::string to)
{
    query_words made;
    made.attribute = std::move(attribute);
    made.to = std::move(to);
    return made;
}

TEST(QueryMads, OfPerformanceManagementSelectThePortInTheData)
{
    auto asked = words("PortCounters", "5");
    asked.number = 3;
    asked.fields = {"CounterSelect=0x8001"};
    auto const question = understand(asked);
    EXPECT_EQ(question.of, management_class::performance);
    auto const mad = gmp_of(question, lid{5}, 0x1234);
    mad_view const view{mad.bytes};
    EXPECT_EQ(view.base_version(), 1);
    EXPECT_EQ(view.mgmt_class(), management_class::performance);
    EXPECT_EQ(view.class_version(), 1);
    EXPECT_EQ(view.method(), method::get);
    EXPECT_EQ(view.attribute_id(), 0x0012);
    EXPECT_EQ(view.attribute_modifier(), 0u);
    auto const data = view.attribute<port_counters>().value();
    EXPECT_EQ(data.port_select, 3);
    EXPECT_EQ(data.counter_select.value(), 0x8001);
    for (std::size_t byte = 24; byte != 64; ++byte)
        EXPECT_EQ(mad.bytes.at(byte), std::byte{0}) << byte;
}

TEST(QueryMads, OfSubnetAdministrationHaveTheComponentsThatAreGiven)
{
    auto asked = words("pr", "1");
    asked.fields = {"DLID=0x1234", "SGID=fe80::2", "NumbPath=1"};
    auto const question = understand(asked);
    auto const mad = gmp_of(question, lid{1}, 0xAB);
    auto const view = sa_view::from(mad.bytes).value();
    EXPECT_EQ(view.mad().class_version(), 2);
    EXPECT_EQ(view.mad().method(), method::get);
    EXPECT_EQ(view.mad().attribute_id(), 0x0035);
    EXPECT_EQ(view.sm_key(), 0xABu);
    auto const wanted =
        components<&path_record::dlid> | components<&path_record::sgid> | components<&path_record::numb_path>;
    EXPECT_EQ(view.component_mask(), wanted.value());
    auto const record = view.query<path_record>().value().record();
    EXPECT_EQ(record.dlid, lid{0x1234});
    EXPECT_EQ(record.sgid, (gid{0xFE80'0000'0000'0000, guid{2}}));
    EXPECT_EQ(record.numb_path, 1);
}

TEST(QueryMads, OfSubnetAdministrationReachIntoInnerStructures)
{
    auto asked = words("NodeRecord", "1");
    asked.fields = {"nodeguid=0x0002c9030005f34a"};
    auto const question = understand(asked);
    auto const wanted = components<&node_record::info, &node_info::node_guid>;
    EXPECT_EQ(question.component_mask, wanted.value());
    auto const record = decode<node_record>(question.data).value();
    EXPECT_EQ(record.info.node_guid, guid{0x0002'C903'0005'F34A});
}

TEST(QueryMads, OfSubnetAdministrationGoToTheSubnetManagerWhereNobodyIsNamed)
{
    auto asked = words("NodeRecord", "1");
    asked.to.reset();
    EXPECT_TRUE(std::holds_alternative<subnet_manager>(understand(asked).to));
}

TEST(QueryMads, CarryTheKeysOfTheirClasses)
{
    for (auto const& [name, of, version] : {std::tuple{"B_KeyInfo", management_class::baseboard, 1},
             {"CongestionInfo", management_class::congestion, 2}}) {
        auto const question = understand(words(name, "1"));
        EXPECT_EQ(question.of, of);
        auto const mad = gmp_of(question, lid{1}, 0x0102'0304'0506'0708);
        EXPECT_EQ(mad_view{mad.bytes}.class_version(), version);
        EXPECT_EQ(load_bits(mad.bytes.data(), 192, 64), 0x0102'0304'0506'0708u);
    }
}

TEST(QueryMads, OfVendorClassesCarryTheOui)
{
    auto asked = words("cpi", "1");
    asked.mgmt_class = "0x32";
    auto const mad = gmp_of(understand(asked), lid{1}, 0);
    EXPECT_EQ(mad_view{mad.bytes}.mgmt_class(), management_class{0x32});
    EXPECT_EQ(load_bits(mad.bytes.data(), 296, 24), 0x001405u);
}

TEST(QueryMads, EveryAttributeThatIsListedCanBeAsked)
{
    unsigned asked = 0;
    unsigned messages = 0;
    for (auto const& one : attributes()) {
        named_attribute found;
        auto outcome = find_named(one.layout.name, std::nullopt, found);
        if (outcome == naming::of_every_class)
            outcome = find_named(one.layout.name, management_class::performance, found);
        if (outcome == naming::message) {
            ++messages;
            continue;
        }
        ASSERT_EQ(outcome, naming::found) << one.layout.name;
        EXPECT_EQ(found.table, &one);
        EXPECT_NE(attribute_names().find(one.layout.name), std::string::npos) << one.layout.name;
        ++asked;
    }
    EXPECT_GT(asked, 60U);
    EXPECT_EQ(messages, 13U) << "eleven of communication management, two of SNMP tunnelling";
}

} // namespace
} // namespace madrigal::cli::test
