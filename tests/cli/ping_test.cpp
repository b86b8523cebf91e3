// madrigal ping
#include "cli/fabrics.hpp"
#include "umad/sysfs_tree.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <unistd.h>

namespace madrigal::cli::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;
using umad::test::sysfs_tree;

/// The host is LID 5, host-00001; LIDs 1 to 4 are the switches' and 6 to 8 the other hosts'.
class Ping : public with_fabric {
protected:
    [[nodiscard]] outcome ping(std::vector<std::string> const& words, surroundings const& in = {}) const
    {
        return among_servers(words, "", in);
    }
    /// With further parameters of the fabric.
    [[nodiscard]] outcome among_servers(
        std::vector<std::string> words, std::string const& parameters, surroundings const& in = {}) const
    {
        words.insert(words.begin(), "ping");
        return on_fabric(words, "?configured&ping" + parameters, in);
    }
    static std::vector<boost::json::object> objects(std::string const& lines)
    {
        std::vector<boost::json::object> all;
        for (std::size_t at = 0; at < lines.size();) {
            auto const end = lines.find('\n', at);
            all.push_back(boost::json::parse(lines.substr(at, end - at)).as_object());
            at = end + 1;
        }
        return all;
    }
};

TEST_F(Ping, PrintsEachAnswerAndASummary)
{
    auto const said = ping({"-f", "-c", "3", "6"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    EXPECT_THAT(said.out, MatchesRegex("from LID 6 \\(host-00002 HCA-1\\): seq 1, [0-9]+\\.[0-9]{3} ms\n"
                                       "from LID 6 \\(host-00002 HCA-1\\): seq 2, [0-9]+\\.[0-9]{3} ms\n"
                                       "from LID 6 \\(host-00002 HCA-1\\): seq 3, [0-9]+\\.[0-9]{3} ms\n"
                                       "LID 6: 3 sent, 3 received, 0 % lost\n"
                                       "round trip: minimum [0-9]+\\.[0-9]{3} ms, average [0-9]+\\.[0-9]{3} ms, "
                                       "maximum [0-9]+\\.[0-9]{3} ms\n"));
}

TEST_F(Ping, PrintsJsonAnObjectALine)
{
    auto const said = ping({"-f", "-c", "2", "0x6", "--json"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    auto const lines = objects(said.out);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1].at("sequence").as_int64(), 2);
    EXPECT_EQ(lines[1].at("lid").as_int64(), 6);
    EXPECT_EQ(lines[1].at("name").as_string(), "host-00002 HCA-1");
    EXPECT_FALSE(lines[1].contains("gid"));
    auto const& summary = lines[2];
    EXPECT_EQ(summary.at("destination").as_string(), "LID 6");
    EXPECT_EQ(summary.at("sent").as_int64(), 2);
    EXPECT_EQ(summary.at("received").as_int64(), 2);
    EXPECT_EQ(summary.at("loss_percent").to_number<double>(), 0);
    auto const& times = summary.at("round_trip_ns").as_object();
    auto const one = lines[0].at("round_trip_ns").as_int64();
    auto const two = lines[1].at("round_trip_ns").as_int64();
    EXPECT_GT(one, 0);
    EXPECT_EQ(times.at("minimum").as_int64(), std::min(one, two));
    EXPECT_EQ(times.at("maximum").as_int64(), std::max(one, two));
    EXPECT_EQ(times.at("average").as_int64(), (one + two) / 2);
}

TEST_F(Ping, TakesLidsGuidsAndGids)
{
    struct form {
        std::vector<std::string> words;
        std::string whom;
    };
    for (auto const& [words, whom] : {form{{"6"}, "LID 6"}, form{{"0x0006"}, "LID 6"}, form{{"-L", "6"}, "LID 6"},
             form{{"0x024d414448000004"}, "LID 6"}, form{{"0x024d414448000005"}, "LID 6"},
             form{{"024d:4144:4800:0005"}, "LID 6"}, form{{"-G", "24d414448000005"}, "LID 6"},
             form{{"fe80::24d:4144:4800:5"}, "GID fe80:0000:0000:0000:024d:4144:4800:0005"}}) {
        auto command = words;
        command.insert(command.begin(), {"-f", "-c", "1"});
        auto const said = ping(command);
        EXPECT_EQ(said.exit_code, 0) << said.err;
        EXPECT_THAT(said.out, StartsWith("from " + whom + " (host-00002 HCA-1): seq 1, "));
        EXPECT_THAT(said.out, HasSubstr("\n" + whom + ": 1 sent, 1 received, 0 % lost\n"));
    }
    auto const by_gid = objects(ping({"-c", "1", "--json", "fe80::24d:4144:4800:5"}).out);
    ASSERT_EQ(by_gid.size(), 2U);
    EXPECT_EQ(by_gid[0].at("gid").as_string(), "fe80:0000:0000:0000:024d:4144:4800:0005");
    EXPECT_EQ(by_gid[0].at("lid").as_int64(), 6);
}

TEST_F(Ping, OfAMachineThatServesNoneSaysWhatToRunThere)
{
    auto const said = on_fabric({"ping", "-f", "-c", "2", "6"}, "?configured");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, IsEmpty());
    EXPECT_EQ(said.out, "LID 6 answered (seq 1), but nobody serves pings there: run `madrigal ping --serve` or "
                        "`ibping -S` on it\n"
                        "LID 6 answered (seq 2), but nobody serves pings there: run `madrigal ping --serve` or "
                        "`ibping -S` on it\n"
                        "LID 6: 2 sent, 0 received, 100 % lost\n");
    auto const lines = objects(on_fabric({"ping", "-c", "1", "6", "--json"}, "?configured").out);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("lost").as_string(), "not_served");
    EXPECT_THAT(std::string{lines[0].at("error").as_string()}, HasSubstr("nobody serves pings"));
    EXPECT_TRUE(lines[1].at("round_trip_ns").is_null());
    EXPECT_EQ(lines[1].at("loss_percent").to_number<double>(), 100);
}

TEST_F(Ping, WithoutADestinationIsOfThePortItself)
{
    auto const said = ping({"-c", "1"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, StartsWith("LID 5 answered (seq 1), but nobody serves pings there"));
}

TEST_F(Ping, WithoutAnAnswerSaysHowLongItWaited)
{
    auto const said = ping({"-f", "-c", "2", "-t", "20", "1"}); // a switch
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, IsEmpty());
    EXPECT_EQ(said.out, "no answer from LID 1 within 20 ms (seq 1)\n"
                        "no answer from LID 1 within 20 ms (seq 2)\n"
                        "LID 1: 2 sent, 0 received, 100 % lost\n");
    auto const lines = objects(ping({"-c", "1", "-t", "20", "1", "--json"}).out);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("lost").as_string(), "timeout");
}

TEST_F(Ping, ThatLosesAnyFails)
{
    auto const said = among_servers({"-f", "-c", "200", "-t", "2", "7"}, "&loss=0.05&seed=3");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("no answer from LID 7"));
    EXPECT_THAT(said.out, HasSubstr("from LID 7 (host-00003 HCA-1)"));
    EXPECT_THAT(said.out, ContainsRegex("LID 7: 200 sent, [0-9]+ received, [0-9.]+ % lost\nround trip: "));
}

TEST_F(Ping, WithAnotherOuiIsRefusedByWhoServesTheUsualOne)
{
    auto const said = ping({"-c", "1", "-o", "0x123456", "6"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("nobody serves pings there"));
}

TEST_F(Ping, ThatIsInterruptedEndsWithItsSummary)
{
    for (int const signal : {SIGINT, SIGTERM}) {
        surroundings in;
        in.interrupt_with = signal;
        in.interrupt_after_results = true;
        auto const said = ping({"6"}, in);
        EXPECT_EQ(said.exit_code, 0) << said.err;
        EXPECT_THAT(said.err, IsEmpty());
        EXPECT_THAT(said.out, MatchesRegex("(from LID 6 .*\n)+LID 6: ([0-9]+) sent, [0-9]+ received, 0 % lost\n"
                                           "round trip: .*\n"));
    }
}

TEST_F(Ping, ThatIsInterruptedBeforeAnyAnswerHasFailed)
{
    surroundings in;
    in.interrupt_with = SIGINT;
    auto const said = ping({"-v", "-t", "60000", "1"}, in);
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(said.out, "LID 1: 0 sent, 0 received, 0 % lost\n");
}

TEST_F(Ping, EndsQuietlyWithItsReader)
{
    auto const said = ping({"-f", "6"}, {.environment = {}, .close_stdout = true});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, IsEmpty());
}

TEST_F(Ping, ThatCannotGoOutSaysWhy)
{
    auto const as_cabled = on_fabric({"ping", "-c", "1", "6"});
    EXPECT_EQ(as_cabled.exit_code, 1);
    EXPECT_THAT(as_cabled.out, IsEmpty());
    EXPECT_EQ(as_cabled.err, "madrigal: mlx5_0 port 1 is Init; only an Active port carries more than subnet management "
                             "(is a subnet manager running?)\n");
    auto const elsewhere = ping({"-c", "1", "2001:db8::1"});
    EXPECT_EQ(elsewhere.exit_code, 1);
    EXPECT_THAT(elsewhere.err, HasSubstr("the LID of the router to other subnets is not known without subnet"));
    auto const nobody = ping({"-c", "1", "0x0000000000000001"});
    EXPECT_EQ(nobody.exit_code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("no node or port has the GUID 0x0000000000000001"));
    EXPECT_THAT(ping({"-c", "1", "fe80::1"}).err, HasSubstr("no node or port has the GUID 0x0000000000000001"));
}

TEST_F(Ping, OnEthernetAsksForAGid)
{
    sysfs_tree machine;
    machine.load_modules();
    machine.add_ca("rxe0");
    umad::test::sysfs_port port;
    port.link_layer = "Ethernet";
    port.lid = "0x0";
    machine.add_port("rxe0", port);
    machine.add_umad(0, "rxe0", 1);
    auto const uri = "linux?sysfs=" + machine.sys() + "&dev=" + machine.dev();
    for (std::string const to : {"12", "0x0002c9030005f34a"}) {
        auto const said = run_madrigal({"ping", "-c", "1", "-C", "rxe0", "-P", "1", to, "--host", uri});
        EXPECT_EQ(said.exit_code, 1);
        EXPECT_THAT(said.out, IsEmpty());
        EXPECT_THAT(said.err, AllOf(HasSubstr(to),
                                  HasSubstr("cannot be reached from rxe0 port 1: on Ethernet only "
                                            "GIDs can"),
                                  HasSubstr("those of this one: fe80:0000:0000:0000:b859:9f03:0005:f34a")));
    }
}

using PingServer = Ping;

TEST_F(PingServer, AnswersUntilItIsInterrupted)
{
    for (int const signal : {SIGINT, SIGTERM}) {
        surroundings in;
        in.interrupt_with = signal;
        auto const said = ping({"--serve"}, in);
        EXPECT_EQ(said.exit_code, 0);
        EXPECT_EQ(said.out, "0 pings answered\n");
        EXPECT_THAT(said.err, MatchesRegex("madrigal: answering pings on mlx5_0 port 1 as \".+\" until interrupted\n"));
    }
    surroundings in;
    in.interrupt_with = SIGINT;
    auto const said = ping({"-S", "-c", "5", "--json"}, in);
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.out, "{\"answered\":0}\n");
    EXPECT_THAT(said.err, HasSubstr("until interrupted, 5 at most\n"));
}

TEST_F(PingServer, SaysThatNoPingGetsToAPortThatIsNotActiveYet)
{
    surroundings in;
    in.interrupt_with = SIGINT;
    auto const said = on_fabric({"ping", "-S"}, "", in);
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.err, StartsWith("madrigal: note: no ping gets here yet: mlx5_0 port 1 is Init; "));
}

TEST_F(PingServer, CallsItselfAsTheMachineIsCalled)
{
    std::array<char, 256> name{};
    ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
    surroundings in;
    in.interrupt_with = SIGINT;
    EXPECT_THAT(ping({"-S"}, in).err, HasSubstr(" as \"" + std::string{name.data()} + "\" until"));
}

} // namespace
} // namespace madrigal::cli::test
