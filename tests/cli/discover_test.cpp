// madrigal discover
#include "cli/fabrics.hpp"

#include <madrigal/topology/compare.hpp>
#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::cli::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using Discover = with_fabric;

TEST_F(Discover, SummarisesInOneLine)
{
    auto const said = on_fabric({"discover"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    EXPECT_THAT(said.out, MatchesRegex("switches +4  CAs +4  routers +0  links +8  SMPs +[0-9]+ +[0-9]+\\.[0-9]{3} s"
                                       " +[0-9]+ SMPs/s\n"));
    EXPECT_EQ(on_fabric({"discover", "-f", "summary"}).out.substr(0, 50), said.out.substr(0, 50));
}

TEST_F(Discover, GivesTheGeneratedFabricBack)
{
    auto const said = on_fabric({"discover", "--format", "topo"}, "?configured");
    ASSERT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    auto const expected = topology::read_ibnetdiscover_file(fabric);
    auto const found = topology::read_ibnetdiscover(said.out, "stdout");
    ASSERT_TRUE(expected && found);
    topology::compare_options const everything{.lids = true, .identifiers = true};
    EXPECT_THAT(topology::differences(expected.value().fabric, found.value().fabric, 10, everything), IsEmpty());

    auto const again = scratch.write("again.topo", said.out);
    auto const second =
        run_madrigal({"discover", "-f", "topo", "--host", "sim:" + again + "?configured&ca=0x024d414448000000"});
    EXPECT_EQ(second.out, said.out);
}

TEST_F(Discover, DoesNotDependOnHowManySmpsAreOutstanding)
{
    auto const one = on_fabric({"discover", "-f", "topo", "-o", "1"});
    auto const many = on_fabric({"discover", "-f", "topo", "-o", "64"});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_EQ(one.out, many.out);
    EXPECT_THAT(one.out, HasSubstr("spine-002"));
}

TEST_F(Discover, PrintsJson)
{
    auto const said = on_fabric({"discover", "-f", "json"});
    ASSERT_EQ(said.exit_code, 0) << said.err;
    auto const object = boost::json::parse(said.out).as_object();
    EXPECT_EQ(object.at("counts").at("switches").as_int64(), 4);
    EXPECT_EQ(object.at("nodes").as_array().size(), 8U);
    EXPECT_EQ(object.at("links").as_array().size(), 8U);
}

TEST_F(Discover, PrintsAGraphThatGraphvizTakes)
{
    auto const said = on_fabric({"discover", "-f", "dot"});
    ASSERT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("graph "));
    if (std::system("dot -V >/dev/null 2>&1") != 0) // NOLINT: no other command processor is meant
        GTEST_SKIP() << "Graphviz is not installed";
    auto const file = scratch.write("fabric.dot", said.out);
    EXPECT_EQ(std::system(("dot -Tplain -o /dev/null " + file).c_str()), 0); // NOLINT
}

TEST_F(Discover, LooksNoFartherThanItIsTold)
{
    auto const near = on_fabric({"discover", "-f", "topo", "--max-hops", "1"});
    EXPECT_EQ(near.exit_code, 0) << near.err;
    EXPECT_THAT(near.out, HasSubstr("leaf-001"));
    EXPECT_THAT(near.out, Not(HasSubstr("\"spine-001\" enhanced")));
}

TEST_F(Discover, SweepsFromTheCaThatTheHostNames)
{
    auto const said = on_fabric({"discover", "-f", "topo", "-C", "mlx5_0", "-P", "1"}, "?ca=0x024d414448000008");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("# Initiated from node 024d414448000008 port 024d414448000009"));
}

TEST_F(Discover, LossAsksAgainOrIsToldAndNeverShrinksTheFabricSilently)
{
    auto const whole = on_fabric({"discover", "-f", "topo"});
    int incomplete = 0;
    for (int seed = 1; seed <= 10; ++seed) {
        auto const said = on_fabric({"discover", "-f", "topo", "-t", "10", "--retries", "1", "--attempts", "2"},
            "?loss=0.05&seed=" + std::to_string(seed));
        if (said.exit_code == 0) {
            EXPECT_EQ(said.out, whole.out) << "seed " << seed;
            EXPECT_THAT(said.err, IsEmpty());
        } else {
            ++incomplete;
            EXPECT_EQ(said.exit_code, 1) << "seed " << seed;
            EXPECT_THAT(said.err, ContainsRegex("madrigal: no .*directed route 0")) << "seed " << seed;
            EXPECT_THAT(said.err, HasSubstr("the sweep is incomplete")) << "seed " << seed;
        }
    }
    EXPECT_LT(incomplete, 10);
}

TEST_F(Discover, AFabricThatDoesNotAnswerIsIncomplete)
{
    auto const said = on_fabric({"discover", "-t", "10", "--retries", "0", "--attempts", "1"}, "?loss=1");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, StartsWith("switches     0  CAs     1 "));
    EXPECT_THAT(said.err, StartsWith("madrigal: no answer behind port 1 of "));
    EXPECT_THAT(said.err, HasSubstr("madrigal: the sweep is incomplete: 1 of its questions"));
}

TEST_F(Discover, AnInterruptEndsItAndSaysSo)
{
    // Nothing answers for a day: only the signal can end it. With -v something is said once it runs.
    auto const said = on_fabric({"discover", "-t", "86400000", "-v"}, "?loss=1",
        {.environment = {}, .stdout_path = {}, .close_stdout = false, .interrupt_with = SIGINT});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, ContainsRegex("madrigal: interrupted; incomplete: [01] nodes and 0 links found"));
}

TEST_F(Discover, VerboseTellsOnStderrWhatItCost)
{
    auto const said = on_fabric({"discover", "-f", "topo", "-v"});
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(
        said.err, ContainsRegex("[0-9]+ questions, 0 of them asked again, [0-9]+ answers, 0 refused, 0 timed out"));
    EXPECT_EQ(said.out, on_fabric({"discover", "-f", "topo"}).out);
}

TEST_F(Discover, AFileThatCannotBeAcceptedIsNamedWithItsLine)
{
    auto const file = scratch.write("broken.topo", "\n# a comment\nSwitch 4 \"S-0000000000000001\"\n[5] \"H-2\"[1]\n");
    auto const said = run_madrigal({"discover", "--host", "sim:" + file});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, HasSubstr("broken.topo:4: "));
}

TEST_F(Discover, AHostThatCannotBeOpenedIsAnError)
{
    for (auto const& [uri, says] : std::vector<std::pair<std::string, std::string>>{
             {"sim:" + scratch.file("none.topo"), "none.topo: No such file"},
             {"sim:" + fabric + "?ca=nobody", "leaf-001"}}) {
        auto const said = run_madrigal({"discover", "--host", uri});
        EXPECT_EQ(said.exit_code, 1);
        EXPECT_THAT(said.out, IsEmpty());
        EXPECT_THAT(said.err, StartsWith("madrigal: "));
        EXPECT_THAT(said.err, HasSubstr(says));
    }
}

TEST_F(Discover, AHostUriThatCannotBeUnderstoodIsWrongUsage)
{
    for (auto const& [uri, says] : std::vector<std::pair<std::string, std::string>>{
             {"ether:eth0", "unknown scheme 'ether'; known: linux, sim:FILE, unix:SOCKET"},
             {"", "it must begin with linux or sim:"}, {"sim:", "needs a topology file, as in sim:lab.topo"},
             {"linux:x", "linux takes no path"}, {"linux?dir=/sys", "unknown parameter 'dir'; known: sysfs, dev"},
             {"sim:" + fabric + "?los=1",
                 "unknown parameter 'los'; known: configured, ping, sa, ca, seed, loss, duplicate, "
                 "latency, jitter, service"},
             {"sim:" + fabric + "%00", "a null byte, which no name can hold"},
             {"sim:" + fabric + "?ca=%00", "a null byte, which no name can hold"},
             {"sim:" + fabric + "?seed%00=1", "a null byte, which no name can hold"},
             {"sim:" + fabric + "%4", "'%' without two hexadecimal digits"},
             {"sim:" + fabric + "?=1", "a parameter without a name"},
             {"sim:" + fabric + "?seed=1&seed=2", "'seed' stands twice"},
             {"sim:" + fabric + "?configured=1", "configured takes no value, and here stands '1'"},
             {"sim:" + fabric + "?seed=18446744073709551616",
                 "seed '18446744073709551616' is too large: at most 18446744073709551615"},
             {"sim:" + fabric + "?seed=-1", "seed must be a whole number, not '-1'"},
             {"sim:" + fabric + "?latency=9999999999s", "latency '9999999999s' is too large: at most 1000000s"},
             {"sim:" + fabric + "?latency=1e999s", "latency '1e999s' is too large: at most 1000000s"},
             {"sim:" + fabric + "?jitter=5", "jitter must be a number with ns, us, ms or s, as in 20us, not '5'"},
             {"sim:" + fabric + "?loss=2", "loss must be a number from 0 to 1, not '2'"}}) {
        for (auto const* command : {"discover", "ports"}) {
            auto const said = run_madrigal({command, "--host", uri});
            EXPECT_EQ(said.exit_code, 2) << uri;
            EXPECT_THAT(said.out, IsEmpty());
            EXPECT_EQ(said.err, "madrigal: host '" + uri + "': " + (uri == "sim:" ? "sim: " : "") + says + "\n");
        }
    }
    EXPECT_EQ(run_madrigal({"ports"}, {.environment = {{"MADRIGAL_HOST", "sim:"}}}).exit_code, 2);
}

char const* const odd_fabric = "caguid=0x1\n"
                               "Ca\t2 \"H-0000000000000001\"\t\t# \"one\"\n"
                               "[1](2)\t\"S-0000000000000010\"[1]\t\t# lid 99999 lmc 0 \"sw\" lid 5 4xHDR\n"
                               "\n"
                               "switchguid=0x10(10)\n"
                               "Switch\t4 \"S-0000000000000010\"\t\t# \"sw\" base port 0 lid 5 lmc 0\n"
                               "[1]\t\"H-0000000000000001\"[1](2)\t\t# \"one\" lid 1 4xHDR\n";

TEST_F(Discover, WhatTheReaderOfAFilePassesOverIsSaidOnce)
{
    auto const file = scratch.write("odd.topo", odd_fabric);
    auto const one = run_madrigal({"discover", "--host", "sim:" + file});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_THAT(one.out, StartsWith("switches     1  CAs     1 "));
    EXPECT_THAT(
        one.err, StartsWith("madrigal: note: " + file + ": 1 line passed over, at " + file + ":3: `lid 99999`"));
    EXPECT_EQ(std::ranges::count(one.err, '\n'), 1) << one.err;

    auto const more = scratch.write("more.topo", odd_fabric + std::string{"[2]\t\"H-00000000000000ff\"[1](3)\n"});
    auto const two = run_madrigal({"ports", "--host", "sim:" + more});
    EXPECT_EQ(two.exit_code, 0);
    EXPECT_THAT(
        two.err, StartsWith("madrigal: note: " + more + ": 2 lines passed over, the first at " + more + ":3: "));
    EXPECT_EQ(std::ranges::count(two.err, '\n'), 1) << two.err;
}

TEST_F(Discover, VerboseTellsEachLineThatIsPassedOver)
{
    auto const file = scratch.write("odd.topo", odd_fabric + std::string{"[2]\t\"H-00000000000000ff\"[1](3)\n"});
    auto const said = run_madrigal({"discover", "-v", "--host", "sim:" + file});
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.err, HasSubstr("\nmadrigal: note: " + file + ":3: `lid 99999`"));
    EXPECT_THAT(said.err, HasSubstr("\nmadrigal: note: " + file + ":8: "));
    EXPECT_THAT(said.err, HasSubstr("([2] \"H-00000000000000ff\"[1](3))\n"));
}

TEST_F(Discover, APortThatIsDownIsSaidToBe)
{
    auto const file = scratch.write("two-ports.topo", "Ca\t2 \"H-0000000000000001\"\t\t# \"one\"\n"
                                                      "[1](2)\t\"H-0000000000000010\"[1](11)\n\n"
                                                      "Ca\t1 \"H-0000000000000010\"\t\t# \"two\"\n"
                                                      "[1](11)\t\"H-0000000000000001\"[1](2)\n");
    auto const up = run_madrigal({"discover", "-P", "1", "--host", "sim:" + file});
    EXPECT_THAT(up.out, StartsWith("switches     0  CAs     2 "));
    EXPECT_THAT(up.err, IsEmpty());
    auto const down = run_madrigal({"discover", "-P", "2", "--host", "sim:" + file});
    EXPECT_EQ(down.exit_code, 0);
    EXPECT_THAT(down.out, StartsWith("switches     0  CAs     1 "));
    EXPECT_EQ(down.err, "madrigal: mlx5_0 port 2 is Down: its own node is all that can be found through it\n");
}

TEST_F(Discover, AReaderThatGoesAwayOrADiskThatIsFullEndsIt)
{
    auto const gone =
        on_fabric({"discover", "-f", "topo"}, {}, {.environment = {}, .stdout_path = {}, .close_stdout = true});
    EXPECT_EQ(gone.exit_code, 1);
    EXPECT_THAT(gone.err, IsEmpty());
    auto const full = on_fabric({"discover", "-f", "topo"}, {}, {.environment = {}, .stdout_path = "/dev/full"});
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.err, HasSubstr("No space left on device"));
}

} // namespace
} // namespace madrigal::cli::test
