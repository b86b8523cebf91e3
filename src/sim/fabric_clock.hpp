// What time it is on a fabric, and who calls when something is due.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>

#include <functional>
#include <memory>

namespace madrigal::sim {

/// Either the machine's steady clock with a timerfd that all open files watch, or a time source with an alarm.
class fabric_clock {
public:
    /// `on_alarm` is called by the time source only.
    fabric_clock(time_source* source, std::function<void()> on_alarm);
    fabric_clock(fabric_clock const&) = delete;
    fabric_clock& operator=(fabric_clock const&) = delete;
    ~fabric_clock();

    /// Makes the timerfd where one is needed.
    error open();
    [[nodiscard]] time_point now() const noexcept;
    /// The timerfd; -1 with a time source.
    [[nodiscard]] int timer_descriptor() const noexcept { return timer_; }
    [[nodiscard]] bool is_virtual() const noexcept { return source_ != nullptr; }

    /// With the machine's clock, under the fabric's lock: `next` is due next and it is `now`. A timer that goes off too
    /// early is left alone, since a late event is armed again then and most never come.
    void arm_timer(time_point next, time_point now) noexcept;
    /// With a time source, without the lock: exactly the time that is due next.
    void arm_alarm(time_point next);
    /// The alarm went off.
    void alarm_fired() noexcept { armed_ = never; }

private:
    time_source* source_;
    std::unique_ptr<alarm> alarm_;
    int timer_ = -1;
    time_point armed_ = never;
};

} // namespace madrigal::sim
