#include <load/report.hpp>

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace madrigal::bench {
namespace {

using namespace std::chrono_literals;

measured round_of(std::uint64_t requests, std::chrono::nanoseconds elapsed)
{
    measured round;
    round.requests = requests;
    round.elapsed = elapsed;
    round.cpu = elapsed / 2;
    round.allocations = 3 * requests;
    for (std::uint64_t i = 0; i != requests; ++i)
        round.latencies.record(10us);
    return round;
}

boost::json::object parsed(load_report const& report)
{
    auto const line = to_json(report);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    return boost::json::parse(line).as_object();
}

double number(boost::json::object const& from, char const* name)
{
    return from.at(name).to_number<double>();
}

TEST(Median, IsTheMiddleOfAllValues)
{
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({7}), 7);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({9, 1, 5, 3}), 4);
}

TEST(Report, TakesMediansOfRatesAndTheMedianRatioOfPairs)
{
    load_report report;
    series floor;
    for (auto const& [raw, runtime] : {std::pair{100, 50}, std::pair{1'000, 900}, std::pair{200, 120}}) {
        floor.add(round_of(static_cast<std::uint64_t>(raw), 1s));
        report.runtime.add(round_of(static_cast<std::uint64_t>(runtime), 1s));
    }
    report.others = {{"raw", floor}, {"opensm-style", floor}};
    report.absent = {{"libibumad", "not \"here\""}};
    auto const told = parsed(report);
    EXPECT_DOUBLE_EQ(number(told, "rate"), 120);
    EXPECT_DOUBLE_EQ(number(told, "rate_min"), 50);
    EXPECT_DOUBLE_EQ(number(told, "rate_max"), 900);
    EXPECT_DOUBLE_EQ(number(told.at("raw").as_object(), "rate"), 200);
    // 0.5, 0.9, 0.6: not the ratio of the medians, which happens to be 0.6 too, but of each pair.
    EXPECT_DOUBLE_EQ(number(told, "ratio"), 0.6);
    ASSERT_EQ(told.at("ratios").as_array().size(), 3u);
    EXPECT_DOUBLE_EQ(told.at("ratios").as_array()[1].to_number<double>(), 0.9);
    EXPECT_DOUBLE_EQ(number(told, "ratio_opensm_style"), 0.6);
    EXPECT_DOUBLE_EQ(number(told.at("opensm_style").as_object(), "ratio"), 0.6);
    EXPECT_TRUE(told.at("libibumad").is_null());
    EXPECT_EQ(told.at("libibumad_absent").as_string(), "not \"here\"");
    auto const words = to_words(report);
    EXPECT_EQ(words,
        "request window   64: coroutines 120/s p99 10 us; raw 200/s p99 10 us; opensm-style 200/s p99 10 us; "
        "÷ raw 0.60; ÷ opensm-style 0.60; without libibumad");
    EXPECT_EQ(number(told, "requests"), 1'070);
    EXPECT_EQ(number(told, "rounds"), 3);
    EXPECT_NEAR(number(told, "p50_us"), 10, 10 / 64.0);
}

TEST(Report, DividesAllocationsAndCpuTimeByTheRequests)
{
    load_report report;
    report.runtime.add(round_of(1'000, 10ms));
    report.runtime.add(round_of(3'000, 30ms));
    auto const told = parsed(report);
    EXPECT_DOUBLE_EQ(number(told, "cpu_us_per_request"), 5);
    if (counts_allocations()) {
        EXPECT_DOUBLE_EQ(number(told, "allocations_per_request"), 3);
    } else {
        EXPECT_TRUE(told.at("allocations_per_request").is_null());
    }
    EXPECT_FALSE(told.contains("raw"));
    EXPECT_FALSE(told.contains("ratio"));
}

TEST(Report, TellsTheExtraCpuTimeOfARequestAndWhatWasLost)
{
    load_report report;
    auto slow = round_of(1'000, 20ms); // 10 us of CPU each
    slow.lost = 7;
    report.runtime.add(slow);
    series floor;
    floor.add(round_of(1'000, 16ms)); // 8 us
    report.others.emplace_back("raw", floor);
    auto const told = parsed(report);
    EXPECT_EQ(number(told.at("raw").as_object(), "extra_cpu_ns"), 2'000);
    EXPECT_EQ(number(told, "lost"), 7);
    EXPECT_EQ(number(told.at("raw").as_object(), "lost"), 0);
    EXPECT_NE(to_words(report).find("(7 lost)"), std::string::npos);
}

TEST(Report, CountsInstructionsWhereEveryRoundCould)
{
    load_report report;
    auto round = round_of(1'000, 10ms);
    round.instructions = 2'000'000;
    report.runtime.add(round);
    round.instructions = 4'000'000;
    report.runtime.add(round);
    EXPECT_EQ(number(parsed(report), "instructions_per_request"), 3'000);
    round.instructions.reset();
    report.runtime.add(round);
    EXPECT_TRUE(parsed(report).at("instructions_per_request").is_null());
}

TEST(Report, NamesThePortInsteadOfTheSocket)
{
    load_report report;
    report.runtime.add(round_of(1, 1s));
    EXPECT_TRUE(parsed(report).contains("socket_packets"));
    report.on = {.host = "linux", .port = "rxe0 port 1", .to = "GID fe80::1", .retries = 3};
    auto const told = parsed(report);
    EXPECT_FALSE(told.contains("socket_packets"));
    EXPECT_EQ(told.at("port").as_string(), "rxe0 port 1");
    EXPECT_EQ(number(told, "retries"), 3);
}

TEST(Report, QuotesWhatTheMachineSays)
{
    load_report report;
    report.runtime.add(round_of(1, 1s));
    report.where = {.cpu = "A \"fast\" \\ CPU\t", .cores = 2, .kernel = "Linux 6.1"};
    auto const told = parsed(report);
    auto const& machine = told.at("machine").as_object();
    EXPECT_EQ(machine.at("cpu").as_string(), "A \"fast\" \\ CPU\t");
    EXPECT_EQ(number(machine, "cores"), 2);
    EXPECT_EQ(machine.at("kernel").as_string(), "Linux 6.1");
}

} // namespace
} // namespace madrigal::bench
