// A closed loop over bare packets: every answer is followed by the next request at once.
#pragma once

#include "meter.hpp"
#include "transport.hpp"

#include <cstdint>
#include <vector>

namespace madrigal::bench {

/// The places of a window. An id names a place and which request of that place it is, so that a late answer to an
/// earlier one is known for what it is.
class request_places {
public:
    static constexpr unsigned place_bits = 20;

    explicit request_places(unsigned window) : places_(window) {}

    /// The id of the next request at a place.
    [[nodiscard]] std::uint32_t next_id(std::uint32_t place, meter::clock::time_point begun) noexcept
    {
        auto& here = places_[place];
        here = {begun, here.id + (1U << place_bits)};
        return (here.id & ~mask) | place;
    }
    /// The place whose present request has this id; nothing for any other.
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t id) const noexcept
    {
        auto const place = id & mask;
        if (place >= places_.size() || (places_[place].id & ~mask) != (id & ~mask))
            return std::nullopt;
        return place;
    }
    [[nodiscard]] meter::clock::time_point begun(std::uint32_t place) const noexcept { return places_[place].begun; }

private:
    static constexpr std::uint32_t mask = (1U << place_bits) - 1;

    struct place_of_one {
        meter::clock::time_point begun{};
        std::uint32_t id = 0;
    };
    std::vector<place_of_one> places_;
};

/// Asks and takes answers with a full window, each wake-up drained until nothing is left. A request that the kernel
/// reports lost is counted and its place asks again.
template <transport Transport>
[[nodiscard]] result<measured> closed_loop(Transport& over, load_options const& options)
{
    meter meter{options};
    request_places places{options.window};
    patience const how{options.timeout, options.retries};
    for (std::uint32_t place = 0; place != options.window; ++place)
        if (auto const refused = over.send(places.next_id(place, meter::clock::now())))
            return errno_error(refused, "writing a request");
    auto outstanding = options.window;
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
            if (!meter.running())
                --outstanding;
            else if (auto const refused = over.send(places.next_id(*place, now)))
                return errno_error(refused, "writing a request");
        }
    }
    return meter.outcome();
}

} // namespace madrigal::bench
