// Chance that repeats itself: the same seed gives the same faults on every machine.
#pragma once

#include <madrigal/engine/time.hpp>

#include <cstdint>

namespace madrigal::sim {

/// A splitmix64 generator: small, fast, and the same everywhere, which std's distributions do not promise.
class random_source {
public:
    explicit random_source(std::uint64_t seed) noexcept : state_{seed} {}

    [[nodiscard]] std::uint64_t next() noexcept
    {
        state_ += 0x9E37'79B9'7F4A'7C15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EB;
        return mixed ^ (mixed >> 31);
    }
    /// True with this probability; draws nothing where the outcome is certain.
    [[nodiscard]] bool chance(double probability) noexcept
    {
        if (!(probability > 0))
            return false;
        if (probability >= 1)
            return true;
        return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
    }
    /// 0 to `most`.
    [[nodiscard]] duration up_to(duration most) noexcept
    {
        return most.count() <= 0
                   ? duration{}
                   : duration{static_cast<duration::rep>(next() % (static_cast<std::uint64_t>(most.count()) + 1))};
    }

private:
    std::uint64_t state_;
};

} // namespace madrigal::sim
