// --pcap, which every command has that opens a port
#include "cli/fabrics.hpp"

#include <madrigal/capture/pcap_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace madrigal::cli::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

class Pcap : public with_fabric {
protected:
    void SetUp() override
    {
        if (!pcap_file::supported())
            GTEST_SKIP() << "built without libpcap (Debian: libpcap-dev)";
    }
    [[nodiscard]] outcome captured(std::vector<std::string> command, surroundings const& in = {}) const
    {
        command.insert(command.end(), {"--pcap", file});
        return on_fabric(command, "?configured&ping", in);
    }
    /// How many packets of 306 bytes, an ERF header and a MAD without a GRH, the capture has.
    [[nodiscard]] std::size_t packets() const
    {
        auto const bytes = read_file(file);
        constexpr std::size_t header = 24;
        constexpr std::size_t packet = 16 + 306;
        EXPECT_GE(bytes.size(), header);
        EXPECT_EQ(bytes.substr(0, 4), "\x4D\x3C\xB2\xA1") << "times in nanoseconds";
        EXPECT_EQ(bytes.substr(20, 4), std::string("\xC5\0\0\0", 4)) << "LINKTYPE_ERF";
        EXPECT_EQ((bytes.size() - header) % packet, 0u);
        return (bytes.size() - header) / packet;
    }

    std::string file = scratch.file("fabric.pcap");
};

TEST_F(Pcap, OfAQueryHoldsTheQuestionAndTheAnswer)
{
    auto const said = captured({"query", "NodeInfo", "-D", "0,1"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    EXPECT_EQ(packets(), 2u);
}

TEST_F(Pcap, OfPingsHoldsEachWayOfEach)
{
    auto const said = captured({"ping", "-f", "-c", "3", "6"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(packets(), 6u);
}

TEST_F(Pcap, OfADiscoveryHoldsAsManyPacketsAsItTells)
{
    auto const said = captured({"discover", "-v"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_GT(packets(), 50u);
    EXPECT_THAT(said.err, HasSubstr(" " + std::to_string(packets()) + " packets captured"));
}

TEST_F(Pcap, IsThereAlsoWhereTheOperationFails)
{
    auto const said = captured({"query", "NodeInfo", "-D", "0,1,99", "-t", "10", "--retries", "0"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(packets(), 1u);
}

TEST_F(Pcap, ThatCannotBeWrittenEndsTheCommandBeforeAnythingIsSent)
{
    file = scratch.file("no/such/folder.pcap");
    auto const said = captured({"discover"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_EQ(said.err, "madrigal: " + file + ": No such file or directory\n");
    file = "/dev/full";
    auto const full = captured({"discover"});
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.out, IsEmpty());
    EXPECT_EQ(full.err, "madrigal: /dev/full: No space left on device\n");
}

TEST_F(Pcap, ThatIsCutShortIsAFailureThoughTheResultsAreThere)
{
    surroundings in;
    in.longest_file = 10'000;
    auto const said = captured({"discover"}, in);
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("switches     4"));
    EXPECT_THAT(said.err, HasSubstr("madrigal: the capture is incomplete: " + file + ": File too large\n"));
    EXPECT_EQ(std::filesystem::file_size(file), 10'000u);
}

TEST_F(Pcap, StaysAsItWasWhereNoPortCanBeOpened)
{
    std::ofstream{file} << "precious";
    auto const said = captured({"discover", "-C", "nobody"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(read_file(file), "precious");
}

TEST(PcapWithoutLibpcap, SaysWhatIsMissing)
{
    if (pcap_file::supported())
        GTEST_SKIP() << "built with libpcap";
    scratch_directory const scratch;
    auto const fabric = scratch.file("fabric.topo");
    ASSERT_EQ(run_madrigal({"sim", "generate", "fat-tree", "-o", fabric}).exit_code, 0);
    auto const said = run_madrigal({"query", "NodeInfo", "-D", "0", "--pcap", "x.pcap", "--host", "sim:" + fabric});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, HasSubstr("x.pcap: this madrigal was built without libpcap"));
}

} // namespace
} // namespace madrigal::cli::test
