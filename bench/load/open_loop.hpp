// An open loop over bare packets: requests at a rate, whether answers come or not.
#pragma once

#include "meter.hpp"
#include "pace.hpp"
#include "request_places.hpp"
#include "transport.hpp"

#include <vector>

namespace madrigal::bench {

/// Asks at `options.rate`. The latency of a request counts from the time at which it was due, so that a stall shows in
/// all the requests that it delayed. Where the window is full, what is due waits for a place. It does not sleep while
/// more is to come: a timer for each would be measured as well.
template <transport Transport>
[[nodiscard]] result<measured> open_loop(Transport& over, load_options const& options)
{
    meter meter{options};
    request_places places{options.window};
    auto const how = waiting(options);
    std::vector<std::uint32_t> free(options.window);
    for (std::uint32_t place = 0; place != options.window; ++place)
        free[place] = place;
    pace pace{options.rate};
    auto last_heard = meter::clock::now();
    while (meter.running() || free.size() != options.window) {
        auto now = meter::clock::now();
        for (; meter.running() && !free.empty() && pace.due() <= now; pace.advance()) {
            auto const place = free.back();
            free.pop_back();
            auto const refused = over.send(places.next_id(place, pace.due()));
            if (address_not_found(refused)) {
                last_heard = meter.on_loss();
                free.push_back(place);
            } else if (refused != 0) {
                return errno_error(refused, "writing a request");
            }
        }
        bool const more = meter.running() && !free.empty();
        bool const look = over.wait(more ? std::chrono::nanoseconds{0} : how.at_most());
        if (!look && free.size() != options.window && meter::clock::now() - last_heard > how.at_most())
            return error{errc::timeout, "no answer, and no report of a loss"};
        while (look) {
            auto const got = over.take();
            if (got.what == taken::kind::nothing)
                break;
            if (got.what == taken::kind::failed)
                return errno_error(got.number, "reading an answer");
            auto const place = places.find(got.id);
            if (!place)
                continue;
            last_heard = got.what == taken::kind::answer ? meter.on_answer(places.begun(*place)) : meter.on_loss();
            free.push_back(*place);
        }
    }
    return meter.outcome();
}

} // namespace madrigal::bench
