#include "contest.hpp"
#include "modes.hpp"

#include <algorithm>
#include <iterator>

namespace madrigal::bench {
namespace {

/// The closed loop whose rate shares are taken of.
constexpr unsigned peak_window = 64;

result<std::vector<double>> rates_of(venue const& on, settings const& wanted)
{
    if (!wanted.rates.empty())
        return wanted.rates;
    auto load = wanted.load;
    load.window = std::min(load.window, peak_window);
    series peak;
    for (unsigned round = 0; round != wanted.rounds; ++round) {
        BOOST_OUTCOME_TRY(auto const done, raw_peer().request(on, load));
        peak.add(done);
    }
    std::vector<double> rates;
    for (auto const share : wanted.shares)
        rates.push_back(share * median(peak.rates()));
    return rates;
}

} // namespace

result<std::vector<load_report>> run_open_mode(venue const& on, settings const& wanted)
{
    BOOST_OUTCOME_TRY(check_window(on, wanted.load.window));
    BOOST_OUTCOME_TRY(auto const rates, rates_of(on, wanted));
    std::vector<load_report> all;
    for (auto const rate : rates) {
        auto load = wanted.load;
        load.rate = rate;
        auto const peers = line_up(on, wanted.peers, &peer::open, load);
        BOOST_OUTCOME_TRY(auto const rounds, alternate(peers, wanted.rounds));
        auto report = start_report(on, load);
        report.benchmark = "open";
        auto told = print_results(std::move(report), peers, rounds);
        std::move(told.begin(), told.end(), std::back_inserter(all));
    }
    return all;
}

} // namespace madrigal::bench
