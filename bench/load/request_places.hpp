// Where a peer without the runtime keeps what it has asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace madrigal::bench {

/// The places of a window. An id names a place and which request of that place it is, so that a late answer to an
/// earlier one is known for what it is. At most 2^20 places.
class request_places {
public:
    using time_point = std::chrono::steady_clock::time_point;

    explicit request_places(unsigned window) : places_(window) {}

    /// The id of the next request at a place.
    [[nodiscard]] std::uint32_t next_id(std::uint32_t place, time_point begun) noexcept
    {
        auto& here = places_[place];
        here = {begun, here.turn + one_turn};
        return here.turn | place;
    }
    /// The place whose present request has this id; nothing for any other.
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t id) const noexcept
    {
        auto const place = id & (one_turn - 1);
        if (place >= places_.size() || (places_[place].turn | place) != id)
            return std::nullopt;
        return place;
    }
    [[nodiscard]] time_point begun(std::uint32_t place) const noexcept { return places_[place].begun; }

private:
    static constexpr std::uint32_t one_turn = 1U << 20;

    struct slot {
        time_point begun{};
        std::uint32_t turn = 0;
    };
    std::vector<slot> places_;
};

} // namespace madrigal::bench
