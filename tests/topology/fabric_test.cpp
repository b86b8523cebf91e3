#include <madrigal/topology/fabric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace {

using namespace madrigal;
using namespace madrigal::topology;

node make_switch(std::uint64_t value, std::size_t ports)
{
    node made;
    made.type = node_type::switch_;
    made.node_guid = guid{value};
    made.id = canonical_id(made.type, made.node_guid);
    made.ports.resize(ports);
    return made;
}

TEST(Fabric, NamesNodesAsIbnetdiscoverDoes)
{
    EXPECT_EQ(canonical_id(node_type::switch_, guid{0x2c90200419cb8}), "S-0002c90200419cb8");
    EXPECT_EQ(canonical_id(node_type::ca, guid{1}), "H-0000000000000001");
    EXPECT_EQ(canonical_id(node_type::router, guid{~0ULL}), "R-ffffffffffffffff");
}

TEST(Fabric, ConnectsFreePortsThatExistAndNoOthers)
{
    fabric made;
    made.add(make_switch(1, 254));
    made.add(make_switch(2, 2));
    EXPECT_TRUE(made.connect({0, 254}, {1, 1}));
    EXPECT_FALSE(made.connect({0, 254}, {1, 2})) << "taken";
    EXPECT_FALSE(made.connect({0, 1}, {1, 1})) << "taken at the other end";
    EXPECT_FALSE(made.connect({0, 1}, {1, 3})) << "no such port";
    EXPECT_FALSE(made.connect({0, 0}, {1, 2})) << "port 0 takes no cable";
    EXPECT_FALSE(made.connect({0, 255}, {1, 2}));
    EXPECT_FALSE(made.connect({2, 1}, {1, 2})) << "no such node";
    EXPECT_FALSE(made.connect({no_node, 1}, {1, 2}));
    EXPECT_FALSE(made.at(0).external_port(1).peer) << "a refused cable changes nothing";
    EXPECT_FALSE(made.at(1).external_port(2).peer);
    EXPECT_EQ(made.at(1).external_port(1).peer, (endpoint{0, 254}));
}

TEST(Fabric, CountsEachCableOnceLoopsAndPlugsIncluded)
{
    fabric made;
    made.add(make_switch(1, 8));
    made.add(make_switch(2, 8));
    made.connect({0, 1}, {1, 1});
    made.connect({1, 2}, {0, 2});
    made.connect({0, 4}, {0, 3});
    made.connect({0, 5}, {0, 5});
    EXPECT_EQ(made.counts(), (fabric_counts{2, 0, 0, 4}));
    EXPECT_TRUE(made.disconnect({1, 1}));
    EXPECT_TRUE(made.disconnect({0, 5}));
    EXPECT_FALSE(made.disconnect({0, 5}));
    EXPECT_FALSE(made.disconnect({7, 1}));
    EXPECT_EQ(made.counts().links, 2U);
    EXPECT_TRUE(made.connect({0, 1}, {0, 5}));
}

TEST(Fabric, FindsNodesByGuidIdPortAndDescription)
{
    fabric made;
    auto one = make_switch(0x11, 2);
    one.description = "same";
    one.port_guid = guid{0x12};
    node host;
    host.id = "host";
    host.node_guid = guid{0x21};
    host.description = "same";
    host.ports.resize(2);
    host.ports[1].port_guid = guid{0x23};
    made.add(one);
    made.add(host);
    made.add(make_switch(0x11, 4));
    EXPECT_EQ(made.find(guid{0x11}), 0U) << "the first of two";
    EXPECT_THAT(made.find_all(guid{0x11}), testing::ElementsAre(0, 2));
    EXPECT_THAT(made.find_all(guid{0x99}), testing::IsEmpty());
    EXPECT_EQ(made.find("host"), 1U);
    EXPECT_EQ(made.find("guest"), no_node);
    EXPECT_EQ(made.find(guid{}), no_node) << "0 is no GUID";
    EXPECT_THAT(made.find_all_by_description("same"), testing::ElementsAre(0, 1));
    EXPECT_EQ(made.find_port(guid{0x12}), (endpoint{0, 0}));
    EXPECT_EQ(made.find_port(guid{0x23}), (endpoint{1, 2}));
    EXPECT_FALSE(made.find_port(guid{0x24}));
    EXPECT_FALSE(made.find_port(guid{}));
}

} // namespace
