#include "runtime/asio_time.hpp"

#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace madrigal::detail {
namespace {

class asio_alarm final : public alarm {
public:
    asio_alarm(boost::asio::any_io_executor const& executor, std::function<void()> on_alarm)
        : state_{std::make_shared<state>(executor, std::move(on_alarm))}
    {}
    ~asio_alarm() override
    {
        state_->on_alarm = nullptr;
        state_->timer.cancel();
    }

    void arm(time_point when) override
    {
        // A count of armings, because a timer that has expired already cannot be cancelled any more.
        auto const arming = ++state_->armings;
        if (when == never) {
            state_->timer.cancel();
            return;
        }
        state_->timer.expires_at(when);
        state_->timer.async_wait([state = state_, arming](boost::system::error_code code) {
            if (!code && arming == state->armings && state->on_alarm)
                state->on_alarm();
        });
    }

private:
    struct state {
        state(boost::asio::any_io_executor const& executor, std::function<void()> callback)
            : timer{executor}, on_alarm{std::move(callback)}
        {}
        boost::asio::steady_timer timer;
        std::function<void()> on_alarm;
        std::uint64_t armings = 0;
    };
    std::shared_ptr<state> state_;
};

} // namespace

time_point asio_time::now() const noexcept
{
    return std::chrono::steady_clock::now();
}

std::unique_ptr<alarm> asio_time::make_alarm(std::function<void()> on_alarm)
{
    return std::make_unique<asio_alarm>(executor_, std::move(on_alarm));
}

} // namespace madrigal::detail
