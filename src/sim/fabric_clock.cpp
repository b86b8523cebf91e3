#include <sim/fabric_clock.hpp>

#include <algorithm>
#include <chrono>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

namespace madrigal::sim {

fabric_clock::fabric_clock(time_source* source, std::function<void()> on_alarm) : source_{source}
{
    if (source_ != nullptr)
        alarm_ = source_->make_alarm(std::move(on_alarm));
}

fabric_clock::~fabric_clock()
{
    if (timer_ >= 0)
        ::close(timer_);
}

error fabric_clock::open()
{
    if (source_ != nullptr)
        return {};
    timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer_ < 0)
        return errno_error("a timer for the simulated fabric");
    return {};
}

time_point fabric_clock::now() const noexcept
{
    return source_ != nullptr ? source_->now() : std::chrono::steady_clock::now();
}

void fabric_clock::arm_timer(time_point next, time_point now) noexcept
{
    bool const went_off = armed_ <= now;
    if (next >= armed_ && !went_off)
        return;
    if (next == never && armed_ == never)
        return;
    // Setting the timer takes its expiry back as well, so the descriptors that watch it become quiet.
    armed_ = next;
    itimerspec setting{};
    if (next != never) {
        auto const since = std::max(next.time_since_epoch(), duration{1}); // 0 would disarm
        auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
        setting.it_value.tv_sec = seconds.count();
        setting.it_value.tv_nsec = std::chrono::nanoseconds{since - seconds}.count();
    }
    ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &setting, nullptr);
}

void fabric_clock::arm_alarm(time_point next)
{
    if (next == armed_)
        return;
    armed_ = next;
    alarm_->arm(next);
}

} // namespace madrigal::sim
