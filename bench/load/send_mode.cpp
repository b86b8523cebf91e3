#include "contest.hpp"
#include "modes.hpp"

#include <fmt/format.h>

#include <iterator>

namespace madrigal::bench {
namespace {

/// The same run, after which the echo process has read all that was sent.
contender counted_by_echo(contender one, echo_process const& echo)
{
    auto counted = [run = std::move(one.run), &echo]() -> result<measured> {
        echo.discard();
        auto done = run();
        BOOST_OUTCOME_TRY(auto const arrived, echo.settle());
        if (done && arrived < done.value().requests)
            return error{errc::malformed_answer,
                fmt::format("of {} sends only {} have arrived", done.value().requests, arrived)};
        return done;
    };
    return {std::move(one.name), one.is_runtime, std::move(counted)};
}

} // namespace

result<std::vector<load_report>> run_send_mode(venue const& on, settings const& wanted)
{
    auto const rates = wanted.rates.empty() ? std::vector<double>{0} : wanted.rates;
    std::vector<load_report> all;
    for (auto const rate : rates) {
        auto load = wanted.load;
        load.rate = rate;
        auto peers = line_up(on, wanted.peers, &peer::send, load);
        if (on.echo)
            for (auto& one : peers.present)
                one = counted_by_echo(std::move(one), *on.echo);
        BOOST_OUTCOME_TRY(auto const rounds, alternate(peers, wanted.rounds));
        auto report = start_report(on, load);
        report.benchmark = "send";
        auto told = print_results(std::move(report), peers, rounds);
        std::move(told.begin(), told.end(), std::back_inserter(all));
    }
    return all;
}

} // namespace madrigal::bench
