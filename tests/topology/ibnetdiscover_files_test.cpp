// Every published dump in the folder that MADRIGAL_TOPOLOGIES names is read as its counts say.
#include <madrigal/topology/ibnetdiscover_reader.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include "topology/sameness.hpp"

#include <gtest/gtest.h>

#include <cctype>

#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>

namespace {

using madrigal::topology::fabric;
using madrigal::topology::fabric_counts;
using madrigal::topology::ibnetdiscover_options;
using madrigal::topology::read_ibnetdiscover_file;
using madrigal::topology::write_ibnetdiscover;
using madrigal::topology::tests::expect_same;

struct dump {
    char const* name;
    fabric_counts counts;

    friend std::ostream& operator<<(std::ostream& out, dump const& value) { return out << value.name; }
};

class Dump : public testing::TestWithParam<dump> {
protected:
    void SetUp() override
    {
        auto const* const named = std::getenv("MADRIGAL_TOPOLOGIES");
        std::filesystem::path const folder = named != nullptr ? named : MADRIGAL_TOPOLOGIES_DIR;
        path_ = folder / GetParam().name;
        if (std::filesystem::exists(path_))
            return;
        auto const* const ci = std::getenv("CI");
        if (ci != nullptr && std::string{ci} == "true")
            FAIL() << "no " << path_ << "; CI must have the dumps: set MADRIGAL_TOPOLOGIES to their folder";
        GTEST_SKIP() << "no " << path_ << "; set MADRIGAL_TOPOLOGIES to the folder of the dumps";
    }

    std::filesystem::path path_;
};

TEST_P(Dump, HasTheNodesAndCablesThatArePublishedForIt)
{
    auto const read = read_ibnetdiscover_file(path_.string());
    ASSERT_TRUE(read) << read.error().message();
    auto const counts = read.value().fabric.counts();
    EXPECT_EQ(counts.switches, GetParam().counts.switches);
    EXPECT_EQ(counts.cas, GetParam().counts.cas);
    EXPECT_EQ(counts.routers, GetParam().counts.routers);
    EXPECT_EQ(counts.links, GetParam().counts.links);
    for (auto const& passed : read.value().passed_over)
        EXPECT_EQ(passed.reason, "a heading: grouping by chassis is not kept") << passed.line << ": " << passed.text;
}

TEST_P(Dump, IsTheSameAfterWritingAndReadingAgain)
{
    for (auto const style : {ibnetdiscover_options::ids::canonical, ibnetdiscover_options::ids::as_given}) {
        ibnetdiscover_options const options{style, "Tue Feb 23 14:02:12 2021"};
        auto const original = read_ibnetdiscover_file(path_.string());
        ASSERT_TRUE(original) << original.error().message();
        auto const text = write_ibnetdiscover(original.value().fabric, options);
        auto const again = madrigal::topology::tests::read(text);
        EXPECT_EQ(again.passed_over_total, 0U);
        expect_same(original.value().fabric, again.fabric);
        EXPECT_EQ(write_ibnetdiscover(again.fabric, options), text);
        if (style == ibnetdiscover_options::ids::canonical)
            continue;
        for (auto const& node : original.value().fabric.nodes()) {
            EXPECT_NE(again.fabric.find(node.id), madrigal::topology::no_node) << node.id;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Published, Dump,
    testing::Values(dump{"symbolic-2sw-2hca.topo", {2, 2, 0, 4}}, dump{"symbolic-2sw-dualport.topo", {2, 2, 0, 6}},
        dump{"sdr-two-hosts-2009.topo", {1, 2, 0, 2}}, dump{"sdr-manpage-2007.topo", {2, 4, 0, 7}},
        dump{"lab-loopbacks-2021.topo", {2, 13, 0, 16}}, dump{"qdr-fdr10-144hosts-2014.topo", {8, 144, 0, 192}},
        dump{"generated-fattree-k4-n3.topo", {80, 128, 0, 384}}, dump{"ndr-leaf-spine-2025.topo", {40, 582, 0, 1114}},
        dump{"qdr-director-2014.topo", {214, 1356, 0, 4168}}, dump{"hdr-storage-2021.topo", {160, 1247, 0, 3286}}),
    [](testing::TestParamInfo<dump> const& each) {
        std::string name{each.param.name};
        for (auto& c : name)
            c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        return name;
    });

} // namespace
