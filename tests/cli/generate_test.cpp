// madrigal sim generate
#include "cli/child_process.hpp"

#include <madrigal/topology/fabric.hpp>
#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace madrigal::cli::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

topology::fabric generated(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), {"sim", "generate"});
    auto const said = run_madrigal(arguments);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    auto read = topology::read_ibnetdiscover(said.out, "stdout");
    if (!read) {
        ADD_FAILURE() << read.error().message();
        return {};
    }
    return std::move(read.value().fabric);
}

struct shape {
    std::string name;
    std::vector<std::string> arguments;
    topology::fabric_counts counts;
};

class Generate : public testing::TestWithParam<shape> {};

TEST_P(Generate, WritesAFabricOfTheSizeThatWasAsked)
{
    EXPECT_EQ(generated(GetParam().arguments).counts(), GetParam().counts);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Generate,
    testing::Values(shape{"FatTreeOf702Nodes", {"fat-tree"}, {54, 648, 0, 36 * 18 + 36 * 18}},
        shape{"FatTree", {"fat-tree", "--leaves", "3", "--hosts", "2", "--spines", "2", "--cables", "2"},
            {5, 6, 0, 6 + 12}},
        shape{"ThreeLevels",
            {"three-level-fat-tree", "--pods", "2", "--leaves", "2", "--hosts", "1", "--spines", "2", "--cores", "1"},
            {2 * 4 + 2, 4, 0, 4 + 2 * 4 + 4}},
        shape{"KAryNTree", {"k-ary-n-tree", "-k", "2", "-n", "3"}, {12, 8, 0, 8 + 16}},
        shape{"Torus", {"torus", "--dims", "6x6x6", "--hosts", "2"}, {216, 432, 0, 432 + 648}},
        shape{"Dragonfly", {"dragonfly"}, {36, 72, 0, 72 + 9 * 6 + 36}},
        shape{"LargestThereIs", {"fat-tree", "--leaves", "250", "--hosts", "198", "--spines", "50"},
            {300, 49500, 0, 49500 + 12500}}),
    [](auto const& one) { return one.param.name; });

TEST(GenerateOptions, RandomFabricsComeFromTheirSeed)
{
    std::vector<std::string> const one{"sim", "generate", "random", "--switches", "8", "--hosts", "8", "--seed", "5"};
    std::vector<std::string> const other{"sim", "generate", "random", "--switches", "8", "--hosts", "8", "--seed", "6"};
    EXPECT_EQ(run_madrigal(one).out, run_madrigal(one).out);
    EXPECT_NE(run_madrigal(one).out, run_madrigal(other).out);
}

TEST(GenerateOptions, LidsAreUnsetOrSet)
{
    EXPECT_EQ(generated({"torus", "--dims", "2x2"}).at(0).base_lid, std::nullopt);
    EXPECT_EQ(generated({"torus", "--dims", "2x2", "--lids"}).at(0).base_lid, lid{1});
}

TEST(GenerateOptions, CablesHaveTheWidthAndSpeedThatWereAsked)
{
    auto const made = generated({"torus", "--dims", "2x2", "--width", "12x", "--speed", "edr"});
    EXPECT_EQ(made.at(0).external_port(1).width, link_width::x12);
    EXPECT_EQ(made.at(0).external_port(1).speed, link_speed::edr);
    EXPECT_EQ(generated({"torus", "--dims", "2x2", "--width", "none", "--speed", "none"}).at(0).external_port(1).speed,
        link_speed::none);
}

TEST(GenerateOptions, TheFileHoldsWhatStdoutWould)
{
    scratch_directory const scratch;
    auto const said = run_madrigal({"sim", "generate", "torus", "-o", scratch.file("x.topo")});
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_EQ(read_file(scratch.file("x.topo")), run_madrigal({"sim", "generate", "torus"}).out);
}

TEST(GenerateOptions, WhatCannotBeGeneratedOrWrittenIsAnError)
{
    auto const large = run_madrigal({"sim", "generate", "fat-tree", "--leaves", "50000"});
    EXPECT_EQ(large.exit_code, 1);
    EXPECT_THAT(large.err, HasSubstr("at most 50000"));
    auto const lids = run_madrigal({"sim", "generate", "random", "--switches", "2000", "--hosts", "48000", "--lids"});
    EXPECT_EQ(lids.exit_code, 1);
    EXPECT_THAT(lids.err, HasSubstr("49151"));
    auto const nowhere = run_madrigal({"sim", "generate", "torus", "-o", "/nonexistent/x.topo"});
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_EQ(nowhere.err, "madrigal: cannot write to /nonexistent/x.topo: No such file or directory\n");
}

} // namespace
} // namespace madrigal::cli::test
