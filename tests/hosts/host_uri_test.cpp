// Hosts' URIs, taken apart and opened.
#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace madrigal {
namespace {

TEST(HostUri, IsTakenApart)
{
    auto const uri = parse_host_uri("sim:lab%20a.topo?configured&ca=mlx5_0&loss=0.5").value();
    EXPECT_EQ(uri.scheme, "sim");
    EXPECT_EQ(uri.path, "lab a.topo");
    ASSERT_EQ(uri.parameters.size(), 3u);
    EXPECT_EQ(uri.parameters[0], (std::pair<std::string, std::string>{"configured", ""}));
    EXPECT_EQ(uri.parameters[1], (std::pair<std::string, std::string>{"ca", "mlx5_0"}));
    EXPECT_EQ(uri.parameters[2], (std::pair<std::string, std::string>{"loss", "0.5"}));
    EXPECT_EQ(parse_host_uri("linux").value().scheme, "linux");
}

class MalformedUri : public ::testing::TestWithParam<char const*> {};

TEST_P(MalformedUri, IsRefusedWithAMessageThatQuotesIt)
{
    auto const opened = open_host(GetParam());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), errc::malformed_uri) << opened.error().message();
    EXPECT_NE(opened.error().message().find(GetParam()), std::string::npos) << opened.error().message();
}

INSTANTIATE_TEST_SUITE_P(Some, MalformedUri,
    ::testing::Values("", ":x", "foo", "foo:bar", "sim:", "sim", "linux:x", "linux?x=1", "sim:f%", "sim:f%4",
        "sim:f%zz", "sim:f%00x", "sim:f?=1", "sim:f?a&a", "sim:f?loss=2", "sim:f?loss=-1", "sim:f?loss=nan",
        "sim:f?loss=", "sim:f?seed=x", "sim:f?seed=-1", "sim:f?latency=5", "sim:f?latency=-5us", "sim:f?latency=5h",
        "sim:f?configured=1", "sim:f?ping=1", "sim:f?colour=red"));

TEST(OpenHost, SaysWhichFileIsNotThere)
{
    auto const opened = open_host("sim:/nowhere/lab.topo");
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message().find("/nowhere/lab.topo"), std::string::npos) << opened.error().message();
}

TEST(OpenHost, OpensLinuxOnAnyMachine)
{
    auto const opened = open_host("linux?sysfs=/nowhere&dev=/nowhere");
    ASSERT_TRUE(opened);
    EXPECT_TRUE(opened.value()->ca_names().value().empty());
}

TEST(DefaultHost, IsNamedByTheEnvironment)
{
    ::setenv("MADRIGAL_HOST", "sim:x.topo", 1);
    EXPECT_EQ(default_host_uri(), "sim:x.topo");
    ::setenv("MADRIGAL_HOST", "", 1);
    EXPECT_EQ(default_host_uri(), "linux");
    ::unsetenv("MADRIGAL_HOST");
    EXPECT_EQ(default_host_uri(), "linux");
}

} // namespace
} // namespace madrigal
