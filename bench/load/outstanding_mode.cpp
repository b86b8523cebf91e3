#include "modes.hpp"
#include "outstanding.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace madrigal::bench {

result<void> run_outstanding_mode(venue const& on, settings const& wanted)
{
    BOOST_OUTCOME_TRY(auto const report, measure_outstanding(on, wanted));
    fmt::print("{}\n", to_json(report));
    fmt::print(stderr, "{}\n", to_words(report));
    return outcome::success();
}

} // namespace madrigal::bench
