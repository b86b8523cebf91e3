#include "engine/request_machine_support.hpp"
#include "engine/seeds.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// Says when a kernel is through with a request at the latest: `limit` of an agent's requests are on the wire at a
/// time, in the order of their writes, and each timer may run late by a tick for each transmission.
class slow_kernel {
public:
    explicit slow_kernel(unsigned limit) : free_at_(limit) {}
    time_point take(submission const& written, time_point now, duration tick)
    {
        auto const place = std::min_element(free_at_.begin(), free_at_.end());
        auto const leaves = std::max(*place, now);
        *place = leaves + written.length() + tick * (written.retries + 1);
        return *place;
    }

private:
    std::vector<time_point> free_at_;
};

class RandomGuards : public with_machine, public ::testing::WithParamInterface<std::uint64_t> {
protected:
    std::mt19937_64 random{GetParam()};
    ::testing::ScopedTrace trace{__FILE__, __LINE__, "MADRIGAL_SEED=" + std::to_string(GetParam())};

    std::uint64_t pick(std::uint64_t below)
    {
        return std::uniform_int_distribution<std::uint64_t>{0, below - 1}(random);
    }
};

TEST_P(RandomGuards, AreNeverShorterThanTheRequestsOutstandingCanMakeThem)
{
    for (int round = 0; round < 60; ++round) {
        auto const limit = static_cast<unsigned>(1 + pick(20));
        auto const longest_timeout = round % 2 == 0 ? 5U : 2000U;
        machine m{{.window = {.size = 1000}, .kernel_limit = limit}};
        slow_kernel kernel{limit};
        std::multimap<time_point, std::uint32_t> reports;
        for (int written = 0; written < 400; ++written) {
            auto const asked = ask(m, 1,
                {.timeout = std::chrono::milliseconds{1 + pick(longest_timeout)},
                    .retries = static_cast<unsigned>(pick(4))});
            ASSERT_EQ(asked.how, admission::write);
            ASSERT_TRUE(m.prepare(*asked.entry, now));
            submission const what{header_of(*asked.entry).timeout_ms, header_of(*asked.entry).retries};
            auto const guard = m.written(*asked.entry, now);
            auto const end = kernel.take(what, now, 20ms);
            ASSERT_GE(guard, end) << m.size() << " outstanding, " << limit << " on the wire at a time";
            reports.emplace(end, asked.entry->id());
            if (pick(5) == 0)
                m.cancel(asked.entry->id(), true).complete(); // the kernel goes on with it
            now += duration{pick(2) == 0 ? 0 : pick(20'000'000)};
            while (!reports.empty() && reports.begin()->first <= now) {
                auto const judged = m.on_timeout(reports.begin()->second, now);
                ASSERT_NE(judged.what, verdict::stale);
                if (judged.what == verdict::complete)
                    m.finish(*judged.entry)->operation().complete();
                reports.erase(reports.begin());
            }
            ASSERT_EQ(m.expire(now, [](counted operation) { operation.complete(); }), 0U);
        }
        for (auto& operation : m.end_all())
            operation.complete();
    }
    expect_each_handed_back_once();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGuards, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
