// The benchmark programs, run for a moment: they must work, whatever the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace madrigal::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct ended {
    int exit_code = -1;
    std::string output;
};

/// Runs a command with the shell; `2>&1` in it joins the error output.
ended run(std::string const& command)
{
    ended done;
    auto* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
        return done;
    std::array<char, 4'096> part{};
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) != 0;)
        done.output.append(part.data(), got);
    auto const status = ::pclose(pipe);
    if (WIFEXITED(status))
        done.exit_code = WEXITSTATUS(status);
    return done;
}

std::string const bench_program = "'" MADRIGAL_BENCH "' ";
std::string const load_program = bench_program + "request ";
std::string const micro_program = "'" MADRIGAL_MICROBENCH "' ";
std::string const briefly = "--requests 3000 --warm-up 500 --rounds 2 --timeout 60000 ";

double number(boost::json::object const& from, char const* name)
{
    return from.at(name).to_number<double>();
}

void expect_sane(boost::json::object const& told)
{
    EXPECT_GT(number(told, "rate"), 10);
    EXPECT_LT(number(told, "rate"), 1e8);
    EXPECT_LE(number(told, "rate_min"), number(told, "rate"));
    EXPECT_LE(number(told, "rate"), number(told, "rate_max"));
    EXPECT_GT(number(told, "p50_us"), 0);
    EXPECT_LE(number(told, "p50_us"), number(told, "p99_us"));
    EXPECT_LE(number(told, "p99_us"), number(told, "p99_9_us"));
    EXPECT_LE(number(told, "p99_9_us"), number(told, "max_us"));
    EXPECT_GT(number(told, "cpu_us_per_request"), 0);
    if (auto const& allocations = told.at("allocations_per_request"); !allocations.is_null()) {
        EXPECT_GE(allocations.to_number<double>(), 0);
        EXPECT_LT(allocations.to_number<double>(), 100);
    }
}

class RequestBenchmark : public ::testing::TestWithParam<char const*> {};

TEST_P(RequestBenchmark, PrintsOneLineOfJsonWithSaneFigures)
{
    auto const done = run(load_program + briefly + GetParam() + " 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(std::count(done.output.begin(), done.output.end(), '\n'), 1) << done.output;
    EXPECT_THAT(done.output, EndsWith("}\n"));
    auto const told = boost::json::parse(done.output).as_object();
    EXPECT_EQ(told.at("benchmark").as_string(), "request");
    auto const& machine = told.at("machine").as_object();
    EXPECT_FALSE(machine.at("cpu").as_string().empty());
    EXPECT_GE(number(machine, "cores"), 1);
    EXPECT_THAT(std::string(machine.at("kernel").as_string()), HasSubstr("Linux"));
    EXPECT_EQ(number(told, "rounds"), 2);
    EXPECT_EQ(number(told, "requests"), 6'000);
    EXPECT_EQ(number(told, "warm_up"), 500);
    EXPECT_GE(number(told, "socket_packets"), number(told, "window"));
    EXPECT_GT(number(told, "socket_buffer_bytes"), 0);
    expect_sane(told);

    auto const& raw = told.at("raw").as_object();
    expect_sane(raw);
    if (!raw.at("allocations_per_request").is_null()) {
        EXPECT_EQ(number(raw, "allocations_per_request"), 0);
    }
    EXPECT_EQ(told.at("ratios").as_array().size(), 2u);
    EXPECT_GT(number(told, "ratio"), 0);
    EXPECT_LT(number(told, "ratio"), 100);
}

TEST(RequestBenchmark, RequestsAllocateNothingOnceWarm)
{
    for (std::string const window : {"1", "64", "256"}) {
        auto const done = run(load_program + "--window " + window +
                              " --peers raw,coroutines,handlers --requests 5000 --warm-up 6000 --rounds 1 "
                              "--timeout 60000 2>/dev/null");
        ASSERT_EQ(done.exit_code, 0) << done.output;
        std::istringstream lines{done.output};
        unsigned styles = 0;
        for (std::string line; std::getline(lines, line); ++styles) {
            auto const told = boost::json::parse(line).as_object();
            auto const& allocations = told.at("allocations_per_request");
            if (allocations.is_null())
                GTEST_SKIP() << "the sanitizer has an allocator of its own";
            // Not 0: once or twice in a program's life Asio's memory for what is posted grows.
            EXPECT_LE(allocations.to_number<double>(), 0.0004) << told.at("mode").as_string() << ", window " << window;
        }
        EXPECT_EQ(styles, 2U);
    }
}

INSTANTIATE_TEST_SUITE_P(All, RequestBenchmark,
    ::testing::Values("--window 64", "--window 64 --handlers", "--window 1", "--window 1 --handlers"),
    [](auto const& given) {
        std::string name;
        for (char const letter : std::string{given.param})
            if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
                name += letter;
        return name;
    });

TEST(RequestBenchmark, SaysHowItsClientsAreWritten)
{
    auto const coroutines = run(load_program + briefly + "--no-raw");
    EXPECT_THAT(coroutines.output, HasSubstr(R"("mode":"coroutines")"));
    EXPECT_EQ(coroutines.output.find("\"raw\""), std::string::npos);
    EXPECT_EQ(std::count(coroutines.output.begin(), coroutines.output.end(), '\n'), 1);
    auto const handlers = run(load_program + briefly + "--no-raw --handlers");
    EXPECT_THAT(handlers.output, HasSubstr(R"("mode":"handlers")"));
}

TEST(RequestBenchmark, MeasuresForAGivenTimeToo)
{
    auto const done = run(load_program + "--seconds 0.05 --warm-up 0 --rounds 1 --timeout 60000");
    ASSERT_EQ(done.exit_code, 0);
    auto const told = boost::json::parse(done.output).as_object();
    expect_sane(told);
    EXPECT_LE(number(told, "requests"), number(told, "rate") * 60);
}

TEST(RequestBenchmark, ComparesWithAllPeersOfAListForEachWindowOfAList)
{
    auto const done = run(load_program + briefly +
                          "--window 1,16 --peers handlers,coroutines,raw,libibumad,libibumad-drained 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    std::istringstream lines{done.output};
    std::vector<std::string> seen;
    for (std::string line; std::getline(lines, line);) {
        auto const told = boost::json::parse(line).as_object();
        expect_sane(told);
        expect_sane(told.at("raw").as_object());
        if (told.at("libibumad").is_null()) {
            EXPECT_THAT(std::string(told.at("libibumad_absent").as_string()), HasSubstr("libibumad-dev"));
        } else {
            expect_sane(told.at("libibumad").as_object());
            EXPECT_GT(number(told, "ratio_libibumad"), 0);
        }
        seen.push_back(std::string(told.at("mode").as_string()) + std::to_string(told.at("window").to_number<int>()));
    }
    EXPECT_THAT(seen, ElementsAre("coroutines1", "handlers1", "coroutines16", "handlers16"));
}

TEST(RequestBenchmark, TellsThePeersInALineToReadOnStandardError)
{
    auto const done = run(load_program + briefly + "--window 1,4 2>&1 >/dev/null");
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_THAT(done.output, HasSubstr("request window    1: coroutines "));
    EXPECT_THAT(done.output, HasSubstr("request window    4: coroutines "));
    EXPECT_THAT(done.output, HasSubstr("÷ raw "));
}

TEST(RequestBenchmark, RunsOverAPortOfASimulatedFabricToo)
{
    auto const fabric = ::testing::TempDir() + "madrigal_bench_fabric.topo";
    std::ofstream{fabric} << topology::write_ibnetdiscover(
        topology::generate(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 1, .spines = 1}).value());
    auto const done =
        run(load_program + "--requests 500 --warm-up 50 --rounds 2 --window 8 --timeout 60000 --host 'sim:" + fabric +
            "?configured' 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    auto const told = boost::json::parse(done.output).as_object();
    EXPECT_EQ(number(told, "requests"), 1'000);
    EXPECT_EQ(number(told, "lost"), 0);
    EXPECT_GT(number(told, "ratio"), 0);
    EXPECT_THAT(std::string(told.at("to").as_string()), HasSubstr("LID "));
    EXPECT_TRUE(told.at("libibumad").is_null());

    auto const bare = run(load_program + "--host 'sim:" + fabric + "' 2>&1");
    EXPECT_EQ(bare.exit_code, 1);
    EXPECT_THAT(bare.output, HasSubstr("has no LID"));
}

TEST(RequestBenchmark, RefusesWhatItCannotDoWithAReason)
{
    auto const unknown = run(load_program + "--windows 3 2>&1");
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.output, HasSubstr("--windows"));
    auto const nobody = run(load_program + "--peers somebody 2>&1");
    EXPECT_EQ(nobody.exit_code, 2);
    EXPECT_THAT(nobody.output, HasSubstr("raw, libibumad, "));
    EXPECT_EQ(run(load_program + "--peers raw 2>&1").exit_code, 2);
    auto const zero = run(load_program + "--window 0 2>&1");
    EXPECT_EQ(zero.exit_code, 2);
    auto const huge = run(load_program + "--window 1048576 2>&1");
    EXPECT_EQ(huge.exit_code, 1);
    EXPECT_THAT(huge.output, HasSubstr("a window of 1048576: the socket holds"));
}

/// The objects on the lines that a program printed.
std::vector<boost::json::object> lines_of(std::string const& output)
{
    std::vector<boost::json::object> all;
    std::istringstream lines{output};
    for (std::string line; std::getline(lines, line);)
        all.push_back(boost::json::parse(line).as_object());
    return all;
}

TEST(RequestBenchmark, ComparesProducersWithOneLoop)
{
    auto const done = run(load_program + briefly + "--window 16 --producers 2 --peers handlers 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    auto const told = boost::json::parse(done.output).as_object();
    EXPECT_EQ(number(told, "producers"), 2);
    expect_sane(told);
    expect_sane(told.at("single").as_object());
    EXPECT_EQ(told.at("ratios_single").as_array().size(), 2u);
    EXPECT_EQ(run(load_program + "--window 1 --producers 2 2>/dev/null").exit_code, 1);
}

TEST(RequestBenchmark, ComparesTheCostWithManyOutstanding)
{
    auto const done = run(load_program + "--requests 2000 --warm-up 200 --rounds 2 --window 8 --outstanding 3000 "
                                         "--peers raw,opensm-style,coroutines,handlers 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    auto const told = boost::json::parse(done.output).as_object();
    EXPECT_EQ(told.at("benchmark").as_string(), "outstanding");
    EXPECT_EQ(number(told, "outstanding"), 3'000);
    for (char const* name : {"raw", "opensm_style", "coroutines", "handlers"}) {
        if (told.at(name).is_null())
            continue; // built without libibumad
        auto const& one = told.at(name).as_object();
        expect_sane(one.at("few").as_object());
        expect_sane(one.at("many").as_object());
        // The oldest of 3,008 has waited for the answers of all that were before it.
        EXPECT_GT(number(one.at("many").as_object(), "p50_us"), number(one.at("few").as_object(), "p50_us")) << name;
        EXPECT_GT(number(one, "cost_ratio"), 0);
        EXPECT_LT(number(one, "bytes_per_request"), 20'000);
    }
    EXPECT_GT(number(told.at("handlers").as_object(), "bytes_per_request"), 320) << "a packet is as large";
}

TEST(SendBenchmark, SendsAsFastAsPossibleAndAllArrive)
{
    auto const done =
        run(bench_program + "send --requests 5000 --warm-up 100 --rounds 2 --peers raw,libibumad,coroutines,handlers "
                            "2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    auto const told = lines_of(done.output);
    ASSERT_EQ(told.size(), 2u);
    for (auto const& one : told) {
        EXPECT_EQ(one.at("benchmark").as_string(), "send");
        EXPECT_TRUE(one.at("target_rate").is_null());
        EXPECT_EQ(number(one, "requests"), 10'000);
        expect_sane(one);
        expect_sane(one.at("raw").as_object());
    }
}

TEST(SendBenchmark, KeepsToARateAndTakesProducers)
{
    auto const paced = run(bench_program + "send --requests 200 --warm-up 0 --rounds 1 --rate 2000,20000 2>/dev/null");
    ASSERT_EQ(paced.exit_code, 0);
    auto const told = lines_of(paced.output);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(number(told[0], "target_rate"), 2'000);
    EXPECT_LE(number(told[0], "rate"), 2'200) << "200 sends from the first take 199 intervals at least";
    EXPECT_EQ(number(told[1], "target_rate"), 20'000);

    auto const produced = run(bench_program + "send --requests 3000 --rounds 2 --producers 3 2>/dev/null");
    ASSERT_EQ(produced.exit_code, 0);
    auto const one = boost::json::parse(produced.output).as_object();
    EXPECT_EQ(number(one, "requests"), 6'000);
    EXPECT_GT(number(one, "ratio"), 0);
    EXPECT_TRUE(one.at("p99_us").is_null());
}

TEST(OpenBenchmark, AsksAtARateOrAtAShareOfTheFloorsPeak)
{
    auto const given = run(bench_program + "open --requests 300 --warm-up 10 --rounds 2 --timeout 60000 --rate 3000 "
                                           "--peers raw,libibumad,coroutines,handlers 2>/dev/null");
    ASSERT_EQ(given.exit_code, 0);
    auto const told = lines_of(given.output);
    ASSERT_EQ(told.size(), 2u);
    for (auto const& one : told) {
        EXPECT_EQ(one.at("benchmark").as_string(), "open");
        EXPECT_EQ(number(one, "target_rate"), 3'000);
        EXPECT_EQ(number(one, "requests"), 600);
        expect_sane(one);
        expect_sane(one.at("raw").as_object());
    }
    auto const shared = run(bench_program + "open --requests 2000 --warm-up 100 --rounds 1 --timeout 60000 "
                                            "--share 0.05,0.1 2>/dev/null");
    ASSERT_EQ(shared.exit_code, 0);
    auto const shares = lines_of(shared.output);
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_NEAR(number(shares[1], "target_rate"), 2 * number(shares[0], "target_rate"), 1);
}

TEST(Plot, DrawsWhatWasMeasuredOrSaysWhatIsMissing)
{
    auto const file = ::testing::TempDir() + "madrigal_bench_plot.svg";
    std::remove(file.c_str());
    auto const done = run(load_program + briefly + "--window 1,4 --plot " + file + " 2>&1 >/dev/null");
    if (run("command -v gnuplot").exit_code != 0) {
        EXPECT_EQ(done.exit_code, 1);
        EXPECT_THAT(done.output, HasSubstr("Debian: gnuplot-nox"));
        GTEST_SKIP() << "no gnuplot here";
    }
    ASSERT_EQ(done.exit_code, 0) << done.output;
    std::stringstream drawn;
    drawn << std::ifstream{file}.rdbuf();
    EXPECT_THAT(drawn.str(), HasSubstr("<svg"));
    EXPECT_THAT(drawn.str(), HasSubstr("coroutines p99"));
    EXPECT_EQ(run(load_program + briefly + "--plot out.pdf 2>&1").exit_code, 1);
}

TEST(Table, ComparesEverythingInOneRun)
{
    auto const done =
        run(bench_program + "table --requests 500 --warm-up 100 --rounds 1 --outstanding 2000 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    for (char const* part :
        {"| W = 64, coroutines: rate ÷ raw |", "| W = 256, handlers: CPU time − raw's |", "two producer threads ÷ one",
            "p99 ÷ raw's", "| 2000 outstanding ÷ 64, handlers", "| memory of an outstanding request, coroutines",
            "| discovery of 702 nodes in process |", "| 1 | raw |", "| 256 | handlers |"})
        EXPECT_THAT(done.output, HasSubstr(part));
}

TEST(MicroBenchmarks, AllRunWithoutAFailure)
{
    auto const done = run(micro_program + "--benchmark_min_time=0.001 --benchmark_format=json 2>/dev/null");
    ASSERT_EQ(done.exit_code, 0);
    auto const told = boost::json::parse(done.output).as_object();
    std::vector<std::string> names;
    for (auto const& entry : told.at("benchmarks").as_array()) {
        auto const& one = entry.as_object();
        names.emplace_back(one.at("name").as_string());
        // Google Benchmark's exit code does not tell of benchmarks that gave up.
        EXPECT_FALSE(one.contains("error_occurred")) << names.back() << ": " << one.at("error_message").as_string();
        EXPECT_GT(one.at("real_time").to_number<double>(), 0) << names.back();
    }
    for (char const* family : {"wire/decode/NodeInfo", "wire/decode/PortInfo", "wire/encode/NodeInfo",
             "wire/encode/PortInfo", "wire/header/read", "wire/build_directed_route_smp", "engine/packet_pool/one",
             "engine/send_queue/single_producer/64", "engine/send_queue/producers/real_time/threads:4",
             "engine/queues/send_queue/woken/real_time/threads:4", "engine/queues/linked/alone/woken/64",
             "engine/queues/boost_fixed/polled/real_time/threads:2",
             "engine/queues/boost_nodes/woken/real_time/threads:2", "engine/deadline_wheel/insert_erase/100000",
             "engine/deadline_wheel/expire/100000", "engine/transaction_table/find_release_acquire/100000",
             "engine/flow_window/answer_and_take/adaptive:1", "engine/request_machine/cycle/64",
             "engine/request_machine/cycle/100000"})
        EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](std::string const& name) {
            return name.starts_with(family);
        })) << family;
}

} // namespace
} // namespace madrigal::bench
