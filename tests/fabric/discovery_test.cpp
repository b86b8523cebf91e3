// What a sweep's result says in words.
#include <madrigal/fabric/discovery.hpp>
#include <madrigal/wire/attribute_id.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

sweep_problem silent(std::uint8_t port)
{
    sweep_problem one;
    one.kind = problem_kind::no_answer_behind;
    one.missing = true;
    one.route = directed_route{0, 1, 7};
    one.node = guid{0x10};
    one.description = "leaf\n3";
    one.port = port;
    one.code = errc::timeout;
    one.hint = "asked without an M_Key";
    return one;
}

TEST(SweepProblem, SaysWhatIsMissingWhereAndWhy)
{
    auto const text = to_string(silent(5));
    EXPECT_THAT(
        text, testing::StartsWith(
                  R"(no answer behind port 5 of node 0x0000000000000010 "leaf\x0a3" (directed route 0,1,7): )"));
    EXPECT_THAT(text, testing::EndsWith("(asked without an M_Key)"));
    auto one = silent(3);
    one.kind = problem_kind::unanswered;
    one.attribute = attribute_id::port_info;
    EXPECT_THAT(to_string(one), testing::StartsWith("no PortInfo of port 3 of node 0x0000000000000010"));
}

TEST(Discovery, IsCompleteWhereNothingIsMissing)
{
    discovery found;
    EXPECT_TRUE(found.complete());
    EXPECT_FALSE(found.check().code());
    sweep_problem twin;
    twin.kind = problem_kind::duplicate_guid;
    found.problems.push_back(twin);
    EXPECT_TRUE(found.complete());
    found.problems.push_back(silent(1));
    EXPECT_FALSE(found.complete());
    EXPECT_EQ(found.check(), errc::incomplete_sweep);
}

TEST(Discovery, NamesTwentyOfWhatIsMissingAndCountsTheRest)
{
    discovery found;
    for (std::uint8_t port = 1; port <= 25; ++port)
        found.problems.push_back(silent(port));
    auto const text = found.check().message();
    EXPECT_THAT(text, testing::HasSubstr("port 20 of"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("port 21 of")));
    EXPECT_THAT(text, testing::HasSubstr("and 5 more"));
}

TEST(SweepStatistics, CountsQuestionsPerSecond)
{
    sweep_statistics cost;
    EXPECT_EQ(cost.per_second(), 0);
    cost.questions = 300;
    cost.elapsed = 2s;
    EXPECT_EQ(cost.per_second(), 150);
}

} // namespace
} // namespace madrigal::tests
