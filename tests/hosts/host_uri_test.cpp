// Hosts' URIs, taken apart and opened.
#include <madrigal/hosts/fabric_source.hpp>
#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>

#include <madrigal/sim/host.hpp>
#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

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

TEST(HostUri, WhatIsEncodedComesBack)
{
    std::string every;
    for (int byte = 1; byte != 256; ++byte)
        every += static_cast<char>(byte);
    auto const uri =
        parse_host_uri("unix:" + percent_encoded(every) + "?" + percent_encoded(every) + "=" + percent_encoded(every))
            .value();
    EXPECT_EQ(uri.path, every);
    EXPECT_EQ(uri.parameters.at(0), (std::pair{every, every}));
    EXPECT_EQ(percent_encoded("/run/lab.sock"), "/run/lab.sock");
}

TEST(FabricSource, IsWhatItsUriSays)
{
    auto const source = parse_fabric_source("sim:lab.topo?configured&seed=7&latency=2us&ca=mlx5_3&ping").value();
    EXPECT_EQ(source.file, "lab.topo");
    EXPECT_EQ(source.ca, "mlx5_3");
    EXPECT_EQ(source.options.start, sim::start_state::configured);
    EXPECT_EQ(source.options.seed, 7u);
    EXPECT_EQ(source.options.faults.hop_latency, std::chrono::microseconds{2});
    EXPECT_TRUE(source.options.answer_pings);
    EXPECT_EQ(parse_fabric_source("linux").error(), errc::malformed_uri);
    fabric_source changed;
    EXPECT_EQ(set_fabric_parameter(changed, "loss", "2").context(), "loss must be a number from 0 to 1, not '2'");
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
        "sim:f?configured=1", "sim:f?ping=1", "sim:f?configured&sa=1", "sim:f?sa", "sim:f?colour=red"));

TEST(OpenHost, SaysWhichFileIsNotThere)
{
    auto const opened = open_host("sim:/nowhere/lab.topo");
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message().find("/nowhere/lab.topo"), std::string::npos) << opened.error().message();
}

TEST(OpenHost, SaysThatSubnetAdministrationNeedsASubnetManager)
{
    auto const opened = open_host("sim:/nowhere/lab.topo?sa&ping");
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message().find("sa needs configured, as in sim:/nowhere/lab.topo?configured&sa"),
        std::string::npos)
        << opened.error().message();
}

TEST(OpenHost, MakesAFabricAsItsParametersSay)
{
    auto pattern = (std::filesystem::temp_directory_path() / "madrigal-hosts-XXXXXX").string();
    int const file = ::mkstemp(pattern.data());
    ASSERT_GE(file, 0);
    ::close(file);
    std::ofstream{pattern} << topology::write_ibnetdiscover(
        topology::generate(topology::fat_tree{.leaves = 1, .hosts_per_leaf = 2, .spines = 1}).value());
    auto const options_of = [&](std::string const& parameters) {
        auto const host = open_host("sim:" + pattern + parameters).value();
        return dynamic_cast<sim::host const&>(*host).on_fabric()->options();
    };
    auto const plain = options_of("");
    EXPECT_EQ(plain.start, sim::start_state::as_cabled);
    EXPECT_FALSE(plain.answer_pings);
    EXPECT_FALSE(plain.answer_sa);
    auto const all = options_of("?sa&configured&ping&loss=0.5&latency=20us&service=1ms&seed=7");
    EXPECT_EQ(all.start, sim::start_state::configured);
    EXPECT_TRUE(all.answer_pings);
    EXPECT_TRUE(all.answer_sa);
    EXPECT_EQ(all.faults.loss, 0.5);
    EXPECT_EQ(all.faults.hop_latency, std::chrono::microseconds{20});
    EXPECT_EQ(all.faults.service_time, std::chrono::milliseconds{1});
    EXPECT_EQ(all.seed, 7U);
    std::filesystem::remove(pattern);
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
