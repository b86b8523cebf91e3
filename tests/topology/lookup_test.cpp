#include <madrigal/topology/lookup.hpp>

#include "topology/sameness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace madrigal;
using namespace madrigal::topology;
using madrigal::topology::tests::read;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

fabric rack()
{
    return read("switchguid=0xa01(a02)\nSwitch 8 \"core\" # \"core switch\"\n"
                "Ca 2 \"H-0000000000000c01\" # \"node-01 HCA-1\"\n[1](c02) \"core\"[1]\n"
                "Ca 2 \"H-0000000000000c11\" # \"node-02 HCA-1\"\n"
                "Ca 1 \"H-0000000000000c21\" # \"Aggregation Node\"\n"
                "Ca 1 \"H-0000000000000c31\" # \"Aggregation Node\"\n"
                "caguid=0xa01\nCa 1 \"twin\" # \"twin\"\n")
        .fabric;
}

TEST(Lookup, TakesIdsGuidsAndDescriptions)
{
    auto const in = rack();
    EXPECT_EQ(find_named(in, "core").value(), 0U);
    EXPECT_EQ(find_named(in, "H-0000000000000c01").value(), 1U);
    EXPECT_EQ(find_named(in, "0xc11").value(), 2U);
    EXPECT_EQ(find_named(in, "0000000000000c11").value(), 2U);
    EXPECT_EQ(find_named(in, "0xc02").value(), 1U) << "a port's GUID";
    EXPECT_EQ(find_named(in, "0xa02").value(), 0U) << "the GUID of a switch's port 0";
    EXPECT_EQ(find_named(in, "node-02 HCA-1").value(), 2U);
}

TEST(Lookup, ListsCandidatesForAnUnknownName)
{
    auto const in = rack();
    for (auto const* const name : {"node-03", "NODE-0", "H-0000000000000c02", "0xdead", "", "\x01"}) {
        auto const found = find_named(in, name);
        ASSERT_FALSE(found) << name;
        EXPECT_EQ(found.error(), errc::no_such_node);
        EXPECT_THAT(found.error().message(), AllOf(HasSubstr("no node \""), HasSubstr("candidates: "))) << name;
    }
    EXPECT_THAT(candidates(in, "NODE-0", 2),
        ElementsAre("H-0000000000000c01 \"node-01 HCA-1\"", "H-0000000000000c11 \"node-02 HCA-1\""));
    EXPECT_THAT(candidates(in, "core-7", 1), ElementsAre("core \"core switch\""));
    EXPECT_THAT(candidates(in, "x", 100), testing::SizeIs(6));
    EXPECT_THAT(find_named(fabric{}, "x").error().message(), HasSubstr("the fabric is empty"));
}

TEST(Lookup, SaysAmongWhichNodesANameDoesNotDecide)
{
    auto const in = rack();
    EXPECT_THAT(find_named(in, "Aggregation Node").error().message(),
        AllOf(HasSubstr("any of 2 nodes"), HasSubstr("H-0000000000000c21"), HasSubstr("0x0000000000000c31")));
    EXPECT_THAT(find_named(in, "0xa01").error().message(), AllOf(HasSubstr("core"), HasSubstr("twin")));
}

} // namespace
