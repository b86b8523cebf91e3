// Sends that want no answer, over bare packets.
#pragma once

#include "meter.hpp"
#include "pace.hpp"
#include "transport.hpp"

namespace madrigal::bench {

/// One send after the other, as fast as possible or at a rate. The latency of a send is how long it took, at a rate
/// from the time at which it was due.
template <transport Transport>
[[nodiscard]] result<measured> send_loop(Transport& over, load_options const& options)
{
    meter meter{options};
    pace pace{options.rate};
    auto begun = meter::clock::now();
    for (std::uint32_t id = 0; meter.running(); ++id) {
        pace.sleep();
        if (pace.steady())
            begun = pace.due();
        auto const refused = over.send(id);
        if (refused != 0 && !address_not_found(refused))
            return errno_error(refused, "writing");
        pace.advance();
        begun = refused == 0 ? meter.on_answer(begun) : meter.on_loss();
    }
    return meter.outcome();
}

} // namespace madrigal::bench
