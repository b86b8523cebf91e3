// The command line itself: help, version, what is refused, and which exit code says so.
#include "cli/child_process.hpp"

#include <madrigal/version.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace madrigal::cli::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::vector<std::string>> const commands{{}, {"ports"}, {"discover"}, {"query"}, {"ping"}, {"perf"},
    {"run"}, {"sim"}, {"sim", "generate"}, {"sim", "generate", "fat-tree"}, {"sim", "generate", "three-level-fat-tree"},
    {"sim", "generate", "k-ary-n-tree"}, {"sim", "generate", "torus"}, {"sim", "generate", "dragonfly"},
    {"sim", "generate", "random"}};

TEST(Usage, HelpIsAResultOfEveryCommand)
{
    for (auto command : commands) {
        command.emplace_back("--help");
        auto const said = run_madrigal(command);
        EXPECT_EQ(said.exit_code, 0);
        EXPECT_THAT(said.out, HasSubstr("Usage: madrigal"));
        EXPECT_THAT(said.err, IsEmpty());
    }
}

TEST(Usage, VersionIsAResultOfEveryCommand)
{
    for (auto command : commands) {
        command.emplace_back("--version");
        auto const said = run_madrigal(command);
        EXPECT_EQ(said.exit_code, 0);
        EXPECT_EQ(said.out, std::string{"madrigal "} + library_version + "\n");
        EXPECT_THAT(said.err, IsEmpty());
    }
}

struct refusal {
    std::string name;
    std::vector<std::string> arguments;
    std::string says;
};

class WrongUsage : public testing::TestWithParam<refusal> {};

TEST_P(WrongUsage, EndsWithTwoAndOneLineOnStderr)
{
    auto const said = run_madrigal(GetParam().arguments);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, StartsWith("madrigal: "));
    EXPECT_THAT(said.err, HasSubstr(GetParam().says));
    EXPECT_THAT(said.err, EndsWith(" --help'\n"));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
}

INSTANTIATE_TEST_SUITE_P(All, WrongUsage,
    testing::Values(refusal{"NoCommand", {}, "subcommand is required"},
        refusal{"UnknownCommand", {"dance"}, "'dance' is neither a command nor an option here; see 'madrigal --help'"},
        refusal{"OptionWithoutCommand", {"--dance"}, "'--dance' is neither"},
        refusal{"OptionInsteadOfWords", {"query", "--dance"}, "'--dance' is neither"},
        refusal{"EndOfOptionsAndNothingElse", {"query", "NodeInfo", "--"}, "DEST is required"},
        refusal{"UnknownOption", {"ports", "--dance"}, "see 'madrigal ports --help'"},
        refusal{"TooManyArguments", {"ports", "mlx5_0"}, "mlx5_0"},
        refusal{"NegativeTimeout", {"discover", "-t", "-5"}, "'-5' is not a whole number from 1 to 86400000"},
        refusal{"ZeroTimeout", {"discover", "-t", "0"}, "'0' is not a whole number from 1"},
        refusal{"TimeoutBeyondAnyNumber", {"discover", "-t", "99999999999999999999999"}, "is not a whole number"},
        refusal{"NumberWithBlank", {"discover", "--retries", " 3"}, "' 3' is not"},
        refusal{"NumberWithTail", {"discover", "-o", "12x"}, "'12x' is not"},
        refusal{"CaptureIntoNoFile", {"discover", "--pcap", ""}, "'' is not the name of a file"},
        refusal{"CaptureAmongTheResults", {"discover", "--pcap", "-"}, "'-' is not the name of a file"},
        refusal{"CaptureWithoutAPort", {"ports", "--pcap", "x.pcap"}, "see 'madrigal ports --help'"},
        refusal{"EmptyNumber", {"discover", "-o", ""}, "'' is not"},
        refusal{"NoneOutstanding", {"discover", "-o", "0"}, "from 1 to 65536"},
        refusal{"NoAttempts", {"discover", "--attempts", "0"}, "from 1 to 100"},
        refusal{"MoreHopsThanARouteHas", {"discover", "--max-hops", "64"}, "from 0 to 63"},
        refusal{"PortBeyondAByte", {"ports", "-P", "256"}, "from 0 to 255"},
        refusal{"UnknownFormat", {"discover", "--format", "xml"}, "summary,topo,json,dot"},
        refusal{"OptionTwice", {"discover", "-t", "5", "-t", "6"}, "timeout"},
        refusal{"OptionWithoutValue", {"discover", "--host"}, "--host"},
        refusal{"MKeyBeyond64Bits", {"query", "ni", "1", "--m-key", "0x10000000000000000"}, "of at most 64 bits"},
        refusal{"NoAttribute", {"query"}, "ATTRIBUTE is required"},
        refusal{"NoDestination", {"query", "NodeInfo"}, "DEST is required; see"},
        refusal{"UnknownAttribute", {"query", "NodeInf", "1"},
            "known: GUIDInfo (gi, guids), LedInfo (led), LinearForwardingTable (lft)"},
        refusal{"AttributeOfEveryClass", {"query", "ClassPortInfo", "1"}, "is an attribute of every class; --class"},
        refusal{"UnknownClass", {"query", "cpi", "1", "--class", "x"}, "'x' is no management class: sm, sa, perf"},
        refusal{
            "AttributeOfAnotherClass", {"query", "NodeInfo", "1", "--class", "perf"}, "has no attribute 'NodeInfo'"},
        refusal{"MessageOfCommunicationManagement", {"query", "REQ", "1"}, "'REQ' is a message between two machines"},
        refusal{"RouteForAnotherClass", {"query", "pc", "-D", "0,1", "1"}, "-D is for subnet management"},
        refusal{"BlockOfAnotherClass", {"query", "pc", "1", "--block", "1"}, "--block is for the tables of subnet"},
        refusal{"PortSelectBeyondAByte", {"query", "pc", "1", "256"},
            "'256' is too large for PortSelect, which has 8 bits"},
        refusal{"FieldOfSubnetManagement", {"query", "ni", "1", "-f", "NodeGUID=1"}, "--field is for other classes"},
        refusal{"FieldWithoutValue", {"query", "nr", "-f", "LID"}, "'LID' is not NAME=VALUE"},
        refusal{
            "FieldThatIsNotThere", {"query", "nr", "-f", "Lido=1"}, "'Lido' is no field of NodeRecord, which has LID"},
        refusal{"FieldBeyondItsWidth", {"query", "nr", "-f", "LID=65536"},
            "'65536' is too large for LID, which has 16 bits"},
        refusal{"FieldThatIsNoGid", {"query", "pr", "-f", "DGID=5"}, "'5' is no GID for DGID"},
        refusal{"FieldBeyondItsArray", {"query", "lftr", "-f", "LID[1]=5"}, "'LID[1]' is no field"},
        refusal{"PerfOfAWord", {"perf", "leaf"}, "no LID from 1 to 49151"},
        refusal{"PerfPortBeyondAByte", {"perf", "5", "256"}, "from 0 to 255"},
        refusal{"PerfTwoAttributes", {"perf", "-x", "-S", "5", "1"}, "-x, -X, -S, -D and -E exclude each other"},
        refusal{"PerfAllPortsAndEach", {"perf", "-a", "-l", "5"}, "-a and -l exclude each other"},
        refusal{"PerfEveryPortAndOne", {"perf", "-l", "5", "3"}, "-l means every port, not port 3"},
        refusal{"PerfTwoResets", {"perf", "-r", "-R", "5", "3"}, "-r and -R exclude each other"},
        refusal{"PerfMaskWithoutReset", {"perf", "5", "3", "0xf"}, "a reset mask takes -r or -R"},
        refusal{"PortOfVlArbitrationBeyondAByte", {"query", "vlarb", "1", "256"}, "is no port of a VL arbitration"},
        refusal{"LidZero", {"query", "NodeInfo", "0"}, "'0' is no LID"},
        refusal{"MulticastLid", {"query", "NodeInfo", "0xC000"}, "is no LID"},
        refusal{"PermissiveLid", {"query", "NodeInfo", "65535"}, "is no LID"},
        refusal{"LidThatIsAWord", {"query", "NodeInfo", "leaf"}, "-D for a directed route, -G for a GUID"},
        refusal{"RouteThatStartsElsewhere", {"query", "NodeInfo", "-D", "1,2"}, "is no directed route"},
        refusal{"RouteWithAPortBeyondAByte", {"query", "NodeInfo", "-D", "0,256"}, "is no directed route"},
        refusal{"RouteWithAnEmptyHop", {"query", "NodeInfo", "-D", "0,,1"}, "is no directed route"},
        refusal{"GuidZero", {"query", "NodeInfo", "-G", "0"}, "is no GUID"},
        refusal{"GuidOf17Digits", {"query", "NodeInfo", "-G", "0x12345678901234567"}, "is no GUID"},
        refusal{"GuidThatIsAWord", {"query", "NodeInfo", "-G", "leaf"}, "is no GUID"},
        refusal{"RouteAndGuid", {"query", "NodeInfo", "-D", "-G", "0"}, "exclude each other"},
        refusal{"ModifierBeyond32Bits", {"query", "PortInfo", "1", "4294967296"}, "from 0 to 4294967295"},
        refusal{"BlockAndModifier", {"query", "LFT", "1", "2", "--block", "3"}, "both give the attribute modifier"},
        refusal{"PKeyPortBeyondAByte", {"query", "pkeys", "1", "256"}, "is no port"},
        refusal{"RunNothing", {"run"}, "COMMAND is required"},
        refusal{"RunNothingAfterTheOptions", {"run", "--"}, "COMMAND is required"},
        refusal{"RunWithoutTwoDashes", {"run", "opensm", "-o"}, "see 'madrigal run --help'"},
        refusal{"PingOfAWord", {"ping", "leaf"}, "no LID from 1 to 49151, no GUID (0x and 16 digits"},
        refusal{"PingOfLidZero", {"ping", "0"}, "'0' is no LID"},
        refusal{"PingOfAMulticastLid", {"ping", "0xC001"}, "'0xC001' is no LID"},
        refusal{"PingOfGuidZero", {"ping", "0x0000000000000000"}, "is no LID"},
        refusal{"PingOfTheZeroGid", {"ping", "::"}, "no unicast GID, as in fe80::"},
        refusal{"PingOfAMulticastGid", {"ping", "ff02::1"}, "no unicast GID"},
        refusal{"PingOfAHalfGid", {"ping", "fe80:1:2"}, "no unicast GID"},
        refusal{"PingLidThatIsAGuid", {"ping", "-L", "0x0002c9030005f34a"}, "is no LID from 1 to 49151"},
        refusal{"PingGuidThatIsAWord", {"ping", "-G", "leaf"}, "'leaf' is no GUID"},
        refusal{"PingLidAndGuid", {"ping", "-L", "-G", "5"}, "-L and -G exclude each other"},
        refusal{"PingLidOfNobody", {"ping", "-L"}, "-L says what DEST is, and there is none"},
        refusal{"PingGuidOfNobody", {"ping", "-G"}, "-G says what DEST is, and there is none"},
        refusal{"PingNever", {"ping", "-c", "0", "5"}, "from 1 to 4294967295"},
        refusal{"PingWithoutTime", {"ping", "-t", "0", "5"}, "from 1 to 86400000"},
        refusal{"PingWithoutOui", {"ping", "-o", "0", "5"}, "from 1 to 16777215"},
        refusal{"PingBeyondAnOui", {"ping", "-o", "0x1000000", "5"}, "from 1 to 16777215"},
        refusal{"ServeSomebody", {"ping", "--serve", "5"}, "it takes no DEST"},
        refusal{"ServeInAFlood", {"ping", "-S", "-f"}, "none of -L, -G, -f, -t and -y"},
        refusal{"ServeWithATimeout", {"ping", "-S", "-t", "5"}, "none of -L, -G, -f, -t and -y"},
        refusal{"PingOfTwo", {"ping", "5", "6"}, "6"},
        refusal{"NoShape", {"sim", "generate"}, "see 'madrigal sim generate --help'"},
        refusal{"UnknownShape", {"sim", "generate", "ring"},
            "'ring' is neither a command nor an option here; see 'madrigal sim generate --help'"},
        refusal{"NoLeaves", {"sim", "generate", "fat-tree", "--leaves", "0"}, "from 1 to 50000"},
        refusal{"DimensionsWithAGap", {"sim", "generate", "torus", "--dims", "4xx4"}, "such as 6x6x6"},
        refusal{"UnknownWidth", {"sim", "generate", "torus", "--width", "3x"}, "none of 1x, 2x"},
        refusal{"UnknownSpeed", {"sim", "generate", "torus", "--speed", "fast"}, "none of SDR, DDR"}),
    [](auto const& one) { return one.param.name; });

TEST(Output, ADiskThatIsFullFailsTheCommand)
{
    for (std::vector<std::string> const& command :
        {std::vector<std::string>{"sim", "generate", "torus"}, {"--help"}, {"--version"}}) {
        auto const said = run_madrigal(command, {.environment = {}, .stdout_path = "/dev/full"});
        EXPECT_EQ(said.exit_code, 1);
        EXPECT_EQ(said.err, "madrigal: cannot write to standard output: No space left on device\n");
    }
}

TEST(Output, AReaderThatGoesAwayEndsTheProgramQuietly)
{
    auto const said =
        run_madrigal({"sim", "generate", "fat-tree"}, {.environment = {}, .stdout_path = {}, .close_stdout = true});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, IsEmpty());
}

TEST(Output, AnOutputThatIsClosedFailsTheCommand)
{
    for (std::vector<std::string> const& command :
        {std::vector<std::string>{"sim", "generate", "torus"}, {"--help"}, {"--version"}}) {
        auto const said = run_madrigal(command, {.environment = {}, .closed = {0, 1}});
        EXPECT_EQ(said.exit_code, 1);
        EXPECT_EQ(said.err, "madrigal: cannot write to standard output: Bad file descriptor\n");
    }
}

TEST(Output, WhatIsOpenedNeverStandsInForAClosedDescriptor)
{
    scratch_directory const scratch;
    auto const usual = run_madrigal({"sim", "generate", "torus"});
    for (std::vector<int> const& closed : {std::vector<int>{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}}) {
        auto const file = scratch.file("torus.topo");
        auto const made = run_madrigal({"sim", "generate", "torus", "-o", file}, {.environment = {}, .closed = closed});
        EXPECT_EQ(made.exit_code, 0);
        EXPECT_EQ(read_file(file), usual.out);

        // With -v, results and remarks are written while devices and an event loop are open.
        auto const swept =
            run_madrigal({"discover", "-v", "--host", "sim:" + file}, {.environment = {}, .closed = closed});
        auto const out_is_closed = std::ranges::count(closed, 1) != 0;
        EXPECT_EQ(swept.exit_code, out_is_closed ? 1 : 0);
        EXPECT_EQ(swept.out.empty(), out_is_closed);
        if (out_is_closed && std::ranges::count(closed, 2) == 0) {
            EXPECT_THAT(swept.err, EndsWith("madrigal: cannot write to standard output: Bad file descriptor\n"));
        }
    }
}

} // namespace
} // namespace madrigal::cli::test
