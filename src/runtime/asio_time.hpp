// The machine's steady clock and Asio's timers as a time source.
#pragma once

#include <madrigal/engine/time.hpp>

#include <boost/asio/any_io_executor.hpp>

namespace madrigal::detail {

/// `std::chrono::steady_clock`; alarms go off on the executor.
class asio_time final : public time_source {
public:
    explicit asio_time(boost::asio::any_io_executor executor) : executor_{std::move(executor)} {}

    [[nodiscard]] time_point now() const noexcept override;
    [[nodiscard]] std::unique_ptr<alarm> make_alarm(std::function<void()> on_alarm) override;

private:
    boost::asio::any_io_executor executor_;
};

} // namespace madrigal::detail
