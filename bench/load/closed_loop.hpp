// A closed loop over bare packets: every answer is followed by the next request at once.
#pragma once

#include "meter.hpp"
#include "request_places.hpp"
#include "transport.hpp"

namespace madrigal::bench {

/// Asks and takes answers with a full window, each wake-up drained until nothing is left. A request that the kernel
/// reports lost, or cannot send, is counted and its place asks again.
template <transport Transport>
[[nodiscard]] result<measured> closed_loop(Transport& over, load_options const& options)
{
    meter meter{options};
    request_places places{options.window};
    auto const how = waiting(options);
    auto outstanding = options.window;
    // 0 or an errno.
    auto const ask = [&](std::uint32_t place, meter::clock::time_point now) {
        while (meter.running()) {
            auto const refused = over.send(places.next_id(place, now));
            if (!address_not_found(refused))
                return refused;
            now = meter.on_loss();
        }
        --outstanding;
        return 0;
    };
    for (std::uint32_t place = 0; place != options.window; ++place)
        if (auto const refused = ask(place, meter::clock::now()))
            return errno_error(refused, "writing a request");
    while (outstanding != 0) {
        if (!over.wait(how.at_most()))
            return error{errc::timeout, "no answer, and no report of a loss"};
        for (;;) {
            auto const got = over.take();
            if (got.what == taken::kind::nothing)
                break;
            if (got.what == taken::kind::failed)
                return errno_error(got.number, "reading an answer");
            auto const place = places.find(got.id);
            if (!place)
                continue;
            auto const now = got.what == taken::kind::answer ? meter.on_answer(places.begun(*place)) : meter.on_loss();
            if (auto const refused = ask(*place, now))
                return errno_error(refused, "writing a request");
        }
    }
    return meter.outcome();
}

} // namespace madrigal::bench
