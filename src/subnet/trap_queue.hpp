// Traps between the wire and those who take them.
#pragma once

#include "subnet/mailbox.hpp"

#include <madrigal/engine/time.hpp>
#include <madrigal/engine/trap_filter.hpp>
#include <madrigal/subnet/trap_notice.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace madrigal::detail {

/// A trap filter with a clock, and a queue behind it. Belongs to the loop.
class trap_queue {
public:
    trap_queue(
        time_source& time, asio::any_io_executor loop, engine::trap_filter_options const& filter, std::size_t limit);

    /// With how many were lost before they came here, up to now.
    void put(lid source, notice const& told, std::uint64_t lost_before = 0);
    void receive(sa_waiter_ptr<trap_notice> waiter, asio::cancellation_slot slot)
    {
        waiting_.receive(std::move(waiter), slot);
    }
    void close();

    [[nodiscard]] engine::trap_filter_counters const& filtered() const noexcept { return filter_.counters(); }
    /// For want of room in the queue.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
    void deliver(lid source, notice const& told);
    void deliver_what_is_due();

    time_source& time_;
    engine::trap_filter filter_;
    mailbox<trap_notice> waiting_;
    std::uint64_t lost_outside_ = 0;
    std::uint64_t told_of_ = 0; // of these, and of those that the filter lost
    std::uint64_t dropped_ = 0;
    std::unique_ptr<alarm> alarm_;
};

} // namespace madrigal::detail
