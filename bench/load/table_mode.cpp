#include "contest.hpp"
#include "discovery_rate.hpp"
#include "modes.hpp"
#include "outstanding.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

namespace madrigal::bench {
namespace {

constexpr std::array styles{"coroutines", "handlers"};

/// The rounds of each contender, by its name.
using outcomes = std::map<std::string, series>;

result<outcomes> rounds_of(contest const& of, unsigned rounds)
{
    BOOST_OUTCOME_TRY(auto const all, alternate(of, rounds));
    outcomes named;
    for (std::size_t i = 0; i != all.size(); ++i)
        named.emplace(of.present[i].name, all[i]);
    return named;
}

/// A median over pairs of rounds of one contender and another; nothing where one of them is missing here.
std::optional<double> rate_ratio(outcomes const& of, std::string const& one, std::string const& other)
{
    if (!of.contains(one) || !of.contains(other))
        return std::nullopt;
    return median(ratios(of.at(one), of.at(other)));
}

class table_maker {
public:
    table_maker(venue const& on, settings const& wanted) : on_{on}, wanted_{wanted} {}

    result<void> measure()
    {
        for (auto const window : {1U, 16U, 64U, 256U}) {
            BOOST_OUTCOME_TRY(closed_loop_rows(window));
        }
        BOOST_OUTCOME_TRY(producer_rows());
        BOOST_OUTCOME_TRY(open_rows());
        BOOST_OUTCOME_TRY(outstanding_rows());
        return sweep_row();
    }
    void print() const
    {
        auto const where = this_machine();
        fmt::print(
            "{} cores, {}; {} rounds of each, alternating.\n\n{}\n| window | who | requests/s | p50 us | p99 us | "
            "p99.9 us | CPU us | allocations |\n| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n{}",
            where.cores, where.kernel, wanted_.rounds, to_markdown(rows_), figures_);
    }

private:
    result<void> closed_loop_rows(unsigned window)
    {
        BOOST_OUTCOME_TRY(check_window(on_, window));
        tell(fmt::format("closed loops, window {}", window));
        auto load = wanted_.load;
        load.window = window;
        auto const peers = line_up(on_,
            {"raw", "libibumad", "libibumad-drained", "opensm-style", "coroutines", "handlers"}, &peer::request, load);
        BOOST_OUTCOME_TRY(auto const of, rounds_of(peers, wanted_.rounds));
        for (auto const& one : peers.present)
            add_figures(window, one.name, of.at(one.name));
        for (std::string const style : styles) {
            auto const named = fmt::format("W = {}, {}: ", window, style);
            auto const& runtime = of.at(style);
            auto const to_libibumad = rate_ratio(of, style, "libibumad");
            if (window >= 64) {
                add({named + "rate ÷ raw", *rate_ratio(of, style, "raw"), 0.97});
                add({named + "CPU time − raw's", extra_cpu_ns(runtime, of.at("raw")), 100, false, 0, " ns"});
            }
            if (to_libibumad && window >= 16)
                add({named + "rate ÷ libibumad", *to_libibumad, window >= 64 ? 1.25 : 1.15});
            if (to_libibumad && window == 1)
                add({named + "p50 ÷ libibumad's", runtime.microseconds(0.5) / of.at("libibumad").microseconds(0.5), 1,
                    false});
            if (counts_allocations() && window == 64)
                // As printed: once or twice in a program's life Asio's memory for what is posted grows.
                add({named + "heap allocations a request", std::round(runtime.all().allocations_each() * 1e4) / 1e4, 0,
                    false, 4});
        }
        return outcome::success();
    }
    result<void> producer_rows()
    {
        tell("two producers");
        auto alone = wanted_.load;
        alone.window = 256;
        auto load = alone;
        load.producers = 2;
        auto peers = line_up(on_, {"handlers"}, &peer::request, load);
        auto single = line_up(on_, {"handlers"}, &peer::request, alone);
        single.present.front().name = "single";
        peers.present.insert(peers.present.begin(), std::move(single.present.front()));
        BOOST_OUTCOME_TRY(auto const of, rounds_of(peers, wanted_.rounds));
        add({"W = 256: two producer threads ÷ one loop", *rate_ratio(of, "handlers", "single"), 0.9});
        return outcome::success();
    }
    result<void> open_rows()
    {
        tell("open loop at half the peak");
        auto load = wanted_.load;
        load.window = std::min(1'024U, on_.echo->capacity());
        load.rate = median(peak_) / 2;
        auto const peers = line_up(on_, {"raw", "coroutines", "handlers"}, &peer::open, load);
        BOOST_OUTCOME_TRY(auto const of, rounds_of(peers, wanted_.rounds));
        for (std::string const style : styles)
            add({fmt::format("{}/s, {}: p99 ÷ raw's", static_cast<std::uint64_t>(load.rate), style),
                p99_ratio(of.at(style), of.at("raw")), 1.5, false});
        return outcome::success();
    }
    result<void> outstanding_rows()
    {
        auto held = wanted_;
        auto const many = held.outstanding;
        held.peers = {"raw", "coroutines", "handlers"};
        held.rounds = std::min(wanted_.rounds, 3U);
        tell(fmt::format("{} outstanding", many));
        BOOST_OUTCOME_TRY(auto const report, measure_outstanding(on_, held));
        for (auto const& one : report.peers)
            if (one.is_runtime)
                add({fmt::format("{} outstanding ÷ 64, {}: CPU time of a request", many, one.name), one.cost_ratio(),
                    1.3, false});
        for (auto const& one : report.peers)
            if (one.is_runtime)
                add({"memory of an outstanding request, " + one.name,
                    one.bytes_each(report.outstanding + report.options.window), 640, false, 0, " bytes"});
        // A linear table of that size is slow to fill and to empty, so once, and fewer.
        held.peers = {"opensm-style"};
        held.rounds = 1;
        held.load.warm_up = 0;
        held.load.requests = std::min<std::uint64_t>(held.load.requests, 2'000);
        tell("the same in OpenSM's way");
        BOOST_OUTCOME_TRY(auto const linear, measure_outstanding(on_, held));
        for (auto const& one : linear.peers)
            figures_ += fmt::format("| {} | {}, {:.1f} times the CPU time with 64 | {:.0f} | | | | {:.2f} | |\n", many,
                one.name, one.cost_ratio(), median(one.many.rates()), median(one.many.cpu()));
        return outcome::success();
    }
    result<void> sweep_row()
    {
        tell("discovery");
        std::vector<double> rates;
        std::size_t nodes = 0;
        for (unsigned round = 0; round != wanted_.rounds; ++round) {
            BOOST_OUTCOME_TRY(auto const sweep, sweep_fat_tree());
            rates.push_back(sweep.smps_per_second);
            nodes = sweep.nodes;
        }
        add({fmt::format("discovery of {} nodes in process", nodes), median(rates), 100'000, true, 0, " SMPs/s"});
        return outcome::success();
    }

    static void tell(std::string const& what) { fmt::print(stderr, "measuring: {}\n", what); }
    void add(target_row row) { rows_.push_back(std::move(row)); }
    void add_figures(unsigned window, std::string const& who, series const& of)
    {
        if (window == 64 && who == "raw")
            peak_ = of.rates();
        figures_ += fmt::format("| {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.4f} |\n", window, who,
            median(of.rates()), of.microseconds(0.5), of.microseconds(0.99), of.microseconds(0.999), median(of.cpu()),
            of.all().allocations_each());
    }

    venue const& on_;
    settings const& wanted_;
    std::vector<target_row> rows_;
    std::vector<double> peak_;
    std::string figures_;
};

} // namespace

result<void> run_table_mode(venue const& on, settings const& wanted)
{
    table_maker table{on, wanted};
    BOOST_OUTCOME_TRY(table.measure());
    table.print();
    return outcome::success();
}

} // namespace madrigal::bench
