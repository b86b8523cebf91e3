// Which machine a URI and the environment name.
#include "scratch.hpp"

#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace madrigal {
namespace {

struct WhichMachine : ::testing::Test {
    WhichMachine()
    {
        std::ofstream{file.file("lab.topo")} << topology::write_ibnetdiscover(
            topology::generate(topology::fat_tree{.leaves = 1, .hosts_per_leaf = 3, .spines = 1}).value());
    }
    ~WhichMachine() override { ::unsetenv("MADRIGAL_CA"); }

    /// The description of the machine's adapter.
    [[nodiscard]] std::string seen(std::string const& parameters) const
    {
        auto const host = open_host("sim:" + file.file("lab.topo") + parameters);
        if (!host)
            return host.error().message();
        return host.value()->query_ca(host.value()->ca_names().value().front()).value().description;
    }

    testing::scratch file;
};

TEST_F(WhichMachine, IsTheFirstWhereNothingNamesOne)
{
    EXPECT_EQ(seen(""), "host-00001 HCA-1");
}

TEST_F(WhichMachine, IsTheEnvironmentsWhereTheUriNamesNone)
{
    ::setenv("MADRIGAL_CA", "host-00002 HCA-1", 1);
    EXPECT_EQ(seen("?configured"), "host-00002 HCA-1");
    EXPECT_EQ(seen("?ca=" + percent_encoded("host-00003 HCA-1")), "host-00003 HCA-1");
    ::setenv("MADRIGAL_CA", "", 1);
    EXPECT_EQ(seen(""), "host-00001 HCA-1");
}

TEST_F(WhichMachine, ThatNobodyIsIsAnError)
{
    ::setenv("MADRIGAL_CA", "nobody", 1);
    EXPECT_NE(seen("").find("nobody"), std::string::npos);
    EXPECT_EQ(open_host("sim:" + file.file("lab.topo")).error(), errc::no_such_ca);
}

} // namespace
} // namespace madrigal
