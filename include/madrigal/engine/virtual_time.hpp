// A clock that moves when told to.
#pragma once

#include <madrigal/engine/time.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace madrigal::engine {

/// A made-up clock, for tests and for simulations that need not take as long as what they simulate. Belongs to one
/// thread. Alarms are destroyed before it.
///
/// Alarms fire in the order of their times, those of one time in the order of their arming. Callbacks may arm, disarm
/// and destroy any alarm, their own included, but must not move the clock.
class virtual_time final : public time_source {
public:
    /// Where every virtual clock starts: a whole number of seconds, and not the time_point that a forgotten
    /// initialisation would leave.
    static constexpr time_point start = time_point{std::chrono::hours{1000}};

    virtual_time() = default;
    ~virtual_time() override;

    [[nodiscard]] time_point now() const noexcept override { return now_; }
    /// An alarm that fires when `advance` or `advance_to_next` comes to its time.
    [[nodiscard]] std::unique_ptr<alarm> make_alarm(std::function<void()> on_alarm) override;

    /// Jumps to the earliest armed alarm and fires all that are due then. Those that callbacks arm for that time or
    /// before wait for the next call. False, and nothing moved, if no alarm is armed. The clock never goes back: alarms
    /// armed for the past fire now.
    bool advance_to_next();
    /// Moves on by `by` (negative counts as 0) and fires all alarms on the way, each at its own time; also those that
    /// callbacks arm meanwhile. Throws `std::logic_error` when callbacks arm alarms for the same moment without end.
    void advance(duration by);
    /// The time of the earliest armed alarm, which may be in the past; `never` if there is none.
    [[nodiscard]] time_point next() const noexcept;
    /// Alarms armed.
    [[nodiscard]] std::size_t armed() const noexcept { return armed_.size(); }

private:
    class virtual_alarm;
    using key = std::pair<time_point, std::uint64_t>; // when, in which order armed

    /// How often callbacks may arm an alarm for a moment that has come, before it counts as endless.
    static constexpr std::size_t most_rounds = 100'000;

    void fire_due(std::uint64_t before);

    time_point now_ = start;
    std::uint64_t order_ = 0;
    std::map<key, virtual_alarm*> armed_;
    std::size_t alarms_ = 0;
};

} // namespace madrigal::engine
