// The files themselves: what a port shows, several opens, and the issm file.
#include "conformance/raw_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

namespace madrigal::conformance {
namespace {

class Files : public Conformance {};

TEST_F(Files, AnActivePortShowsWhatARuntimeNeeds)
{
    auto const ca = on.host().query_ca(on.ca()).value();
    EXPECT_EQ(ca.type, node_type::ca);
    EXPECT_TRUE(ca.node_guid);
    EXPECT_EQ(ca.ports.front(), on.port());
    auto const port = on.attributes();
    EXPECT_EQ(port.state, port_state::active);
    EXPECT_EQ(port.phys_state, physical_state::link_up);
    EXPECT_GT(port.rate, 0u);
    ASSERT_FALSE(port.gids.empty());
    EXPECT_NE(port.gids.front(), gid{});
    ASSERT_FALSE(port.pkeys.empty());
    EXPECT_EQ(port.pkeys.front(), 0xFFFF);
    if (on.infiniband()) {
        EXPECT_TRUE(port.base_lid.is_unicast());
    } else {
        EXPECT_EQ(port.base_lid.value(), 0) << "there are no LIDs on Ethernet";
    }
}

TEST_F(Files, TheClassDirectoryIsOfVersion5AndNamesDeviceAndPort)
{
    if (on.emulated())
        GTEST_SKIP() << "the emulated kernel shows no files";
    auto const line_of = [](std::filesystem::path const& path) {
        std::ifstream file{path};
        std::string line;
        std::getline(file, line);
        return line;
    };
    std::filesystem::path const directory{"/sys/class/infiniband_mad"};
    EXPECT_EQ(line_of(directory / "abi_version"), "5");
    bool found = false;
    for (auto const& entry : std::filesystem::directory_iterator{directory}) {
        auto const name = entry.path().filename().string();
        if (!name.starts_with("umad") || line_of(entry.path() / "ibdev") != on.ca())
            continue;
        found = true;
        EXPECT_EQ(line_of(entry.path() / "port"), std::to_string(on.port()));
        EXPECT_TRUE(std::filesystem::is_character_file("/dev/infiniband/" + name));
    }
    EXPECT_TRUE(found);
}

TEST_F(Files, MayBeOpenedManyTimes)
{
    std::vector<std::unique_ptr<raw_file>> files;
    for (int i = 0; i != 40; ++i) {
        files.push_back(std::make_unique<raw_file>(on));
        EXPECT_EQ(files.back()->agent(wanted_vendor()), 0u);
    }
}

class IssmFile : public Conformance {
protected:
    void SetUp() override
    {
        auto const first = on.host().open_issm(on.ca(), on.port());
        if (!first && !on.infiniband()) {
            // 6.1 makes an issm file for every port, 6.12 only for those with subnet management.
            EXPECT_GE(on.version(), 6'002u) << first.error().message();
            GTEST_SKIP() << "no issm file: this port has no subnet management (" << first.error().message() << ')';
        }
        ASSERT_TRUE(first) << first.error().message();
    }
    bool is_sm() { return (on.attributes().capability_mask & umad::cap_is_sm) != 0; }
};

TEST_F(IssmFile, ASecondOpenIsRefusedWhileTheFirstHolds)
{
    auto first = on.host().open_issm(on.ca(), on.port());
    ASSERT_TRUE(first) << first.error().message();
    auto const second = on.host().open_issm(on.ca(), on.port());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code().value(), EAGAIN) << second.error().message();
    first.value().reset();
    EXPECT_TRUE(on.host().open_issm(on.ca(), on.port()));
}

TEST_F(IssmFile, HoldingItSetsIsSmInThePortsCapabilities)
{
    if (!on.infiniband())
        GTEST_SKIP() << "soft RoCE keeps no capability mask for it";
    EXPECT_FALSE(is_sm());
    auto held = on.host().open_issm(on.ca(), on.port());
    ASSERT_TRUE(held) << held.error().message();
    EXPECT_TRUE(is_sm());
    held.value().reset();
    EXPECT_FALSE(is_sm());
}

} // namespace
} // namespace madrigal::conformance
