#include <madrigal/engine/virtual_time.hpp>

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace madrigal::engine {

class virtual_time::virtual_alarm final : public alarm {
public:
    virtual_alarm(virtual_time& clock, std::function<void()> callback)
        : clock_{clock}, callback_{std::make_shared<std::function<void()>>(std::move(callback))}
    {
        ++clock_.alarms_;
    }
    ~virtual_alarm() override
    {
        disarm();
        --clock_.alarms_;
    }

    void arm(time_point when) override
    {
        disarm();
        if (when == never)
            return;
        place_ = {when, clock_.order_++};
        clock_.armed_.emplace(place_, this);
    }

    void fire()
    {
        disarm();
        auto const held = callback_; // the callback may destroy this alarm
        (*held)();
    }

private:
    void disarm() noexcept
    {
        clock_.armed_.erase(place_);
        place_ = unarmed;
    }

    /// No arming has the highest number.
    static constexpr key unarmed{never, ~std::uint64_t{0}};

    virtual_time& clock_;
    key place_ = unarmed;
    std::shared_ptr<std::function<void()>> callback_;
};

virtual_time::~virtual_time()
{
    assert(alarms_ == 0 && "an alarm outlives its clock");
}

std::unique_ptr<alarm> virtual_time::make_alarm(std::function<void()> on_alarm)
{
    return std::make_unique<virtual_alarm>(*this, std::move(on_alarm));
}

time_point virtual_time::next() const noexcept
{
    return armed_.empty() ? never : armed_.begin()->first.first;
}

bool virtual_time::advance_to_next()
{
    if (armed_.empty())
        return false;
    now_ = std::max(now_, next());
    fire_due(order_);
    return true;
}

void virtual_time::advance(duration by)
{
    auto const target = now_ + std::clamp(by, duration::zero(), never - now_);
    for (std::size_t rounds = 0; next() <= target; ++rounds) {
        if (next() > now_) {
            now_ = next();
            rounds = 0;
        }
        if (rounds == most_rounds)
            throw std::logic_error{"virtual_time: alarms are armed for the same moment again and again"};
        fire_due(order_);
    }
    now_ = target;
}

/// Fires what is due and was armed before the given number; what it causes to be armed may wait.
void virtual_time::fire_due(std::uint64_t before)
{
    auto at = armed_.begin();
    while (at != armed_.end() && at->first.first <= now_) {
        if (at->first.second >= before) {
            ++at;
            continue;
        }
        auto* first = at->second;
        auto const place = at->first;
        first->fire();
        at = armed_.upper_bound(place); // the map may have changed in any way
    }
}

} // namespace madrigal::engine
