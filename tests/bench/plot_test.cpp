#include <load/plot.hpp>
#include <load/table.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal::bench {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

series steady(std::uint64_t requests, std::chrono::nanoseconds latency)
{
    measured round;
    round.requests = requests;
    round.elapsed = 1s;
    round.latencies.record(latency);
    series one;
    one.add(round);
    return one;
}

load_report report_of(std::string const& benchmark, unsigned window, double rate)
{
    load_report report;
    report.benchmark = benchmark;
    report.where = {.cpu = "A CPU", .cores = 2, .kernel = "Linux 6.1"};
    report.options.window = window;
    report.options.rate = rate;
    report.mode = "handlers";
    report.runtime = steady(90 * window, 20us);
    report.others.emplace_back("raw", steady(100 * window, 10us));
    return report;
}

TEST(PlotScript, DrawsEachPeerOverTheWindowOfAClosedLoop)
{
    // Not in their order, as a list on the command line need not be.
    auto const script = plot_script({report_of("request", 16, 0), report_of("request", 4, 0)}, "out.svg");
    EXPECT_THAT(script, HasSubstr("set terminal svg"));
    EXPECT_THAT(script, HasSubstr("set output 'out.svg'"));
    EXPECT_THAT(script, HasSubstr("$peer0 << end\n4 360 20.000 20.000 20.000\n16 1440 20.000"));
    EXPECT_THAT(script, HasSubstr("$peer1 << end\n4 400 10.000 10.000 10.000\n16 1600 10.000"));
    EXPECT_THAT(script, HasSubstr("title 'handlers p99'"));
    EXPECT_THAT(script, HasSubstr("title 'raw'"));
    EXPECT_THAT(script, HasSubstr("set logscale x 2"));
    EXPECT_THAT(script, HasSubstr("'2 cores, Linux 6.1'"));
    EXPECT_THAT(script, Not(HasSubstr("p99.9")));
}

TEST(PlotScript, DrawsAnOpenLoopOverItsRate)
{
    auto const script = plot_script({report_of("open", 1, 1'000), report_of("open", 1, 2'000)}, "it's.png");
    EXPECT_THAT(script, HasSubstr("set terminal pngcairo"));
    EXPECT_THAT(script, HasSubstr("'it''s.png'"));
    EXPECT_THAT(script, HasSubstr("\n1000 90 "));
    EXPECT_THAT(script, HasSubstr("\n2000 90 "));
    EXPECT_THAT(script, HasSubstr("'raw p99.9'"));
    EXPECT_THAT(script, Not(HasSubstr("logscale x")));
}

TEST(Plot, KnowsTwoKindsOfFile)
{
    EXPECT_EQ(check_plot("out.pdf").error(), errc::invalid_argument);
    EXPECT_EQ(check_plot("svg").error(), errc::invalid_argument);
}

TEST(Table, SaysOfEachRowWhetherItsTargetIsMet)
{
    std::vector<target_row> const rows{{"rate", 0.98, 0.97}, {"rate", 0.96, 0.97}, {"time", 99, 100, false, 0, " ns"},
        {"time", 101, 100, false, 0, " ns"}};
    EXPECT_TRUE(rows[0].met());
    EXPECT_FALSE(rows[1].met());
    EXPECT_TRUE(rows[2].met());
    EXPECT_FALSE(rows[3].met());
    auto const text = to_markdown(rows);
    EXPECT_THAT(text, HasSubstr("| rate | 0.98 | ≥ 0.97 | met |\n| rate | 0.96 | ≥ 0.97 | missed |\n"));
    EXPECT_THAT(text, HasSubstr("| time | 99 ns | ≤ 100 ns | met |\n"));
}

} // namespace
} // namespace madrigal::bench
