#include "contest.hpp"
#include "modes.hpp"

#include <fmt/format.h>

#include <iterator>

namespace madrigal::bench {
namespace {

/// Puts the runtime without producers before each that has them.
void add_single(contest& to, venue const& on, load_options const& load)
{
    for (auto const& one : all_peers())
        for (std::size_t i = 0; i != to.present.size(); ++i)
            if (one.is_runtime && to.present[i].name == one.name) {
                to.present.insert(to.present.begin() + static_cast<std::ptrdiff_t>(i),
                    {"single", false, [run = one.request, &on, &load] { return run(on, load); }});
                return;
            }
}

} // namespace

result<std::vector<load_report>> run_request_mode(venue const& on, settings const& wanted)
{
    for (auto const window : wanted.windows) {
        BOOST_OUTCOME_TRY(check_window(on, window));
        if (window < wanted.load.producers)
            return error{errc::invalid_argument,
                fmt::format("{} producers cannot share a window of {}", wanted.load.producers, window)};
    }
    std::vector<load_report> all;
    for (auto const window : wanted.windows) {
        auto load = wanted.load;
        load.window = window;
        auto alone = load;
        alone.producers = 0;
        auto peers = line_up(on, wanted.peers, &peer::request, load);
        if (load.producers != 0)
            add_single(peers, on, alone);
        BOOST_OUTCOME_TRY(auto const rounds, alternate(peers, wanted.rounds));
        auto told = print_results(start_report(on, load), peers, rounds);
        std::move(told.begin(), told.end(), std::back_inserter(all));
    }
    return all;
}

} // namespace madrigal::bench
