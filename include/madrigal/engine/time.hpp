// Time as the engine sees it: an argument, never a call.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace madrigal {

/// Steady time. Engine code takes a `time_point now`; only a `time_source` knows where it comes from.
using time_point = std::chrono::steady_clock::time_point;
using duration = std::chrono::steady_clock::duration;

/// "No deadline".
inline constexpr time_point never = time_point::max();

/// One alarm of a time source. Belongs to the thread that drives the source.
class alarm {
public:
    alarm() = default;
    alarm(alarm const&) = delete;
    alarm& operator=(alarm const&) = delete;
    virtual ~alarm() = default; ///< disarms

    /// Calls the callback once, at or after `when`, from the driver of the time source and never from within `arm`.
    /// Replaces an earlier arming; `never` disarms.
    virtual void arm(time_point when) = 0;
};

/// Where `now` and alarms come from: the machine's steady clock (runtime) or a test's own hand (`virtual_time`).
class time_source {
public:
    time_source() = default;
    time_source(time_source const&) = delete;
    time_source& operator=(time_source const&) = delete;
    virtual ~time_source() = default;

    /// The time now; never before an earlier answer.
    [[nodiscard]] virtual time_point now() const noexcept = 0;
    /// An alarm that is not armed yet. It is destroyed before its time source.
    [[nodiscard]] virtual std::unique_ptr<alarm> make_alarm(std::function<void()> on_alarm) = 0;
};

} // namespace madrigal
