#include "subnet/trap_queue.hpp"

#include <algorithm>
#include <utility>

namespace madrigal::detail {

trap_queue::trap_queue(
    time_source& time, asio::any_io_executor loop, engine::trap_filter_options const& filter, std::size_t limit)
    : time_{time}, filter_{filter}, waiting_{std::move(loop), limit}, alarm_{time.make_alarm([this] {
          deliver_what_is_due();
      })}
{}

void trap_queue::put(lid source, notice const& told, std::uint64_t lost_before)
{
    lost_outside_ = std::max(lost_outside_, lost_before);
    auto const now = time_.now();
    if (filter_.on_trap(now, source, told) == engine::trap_verdict::deliver)
        deliver(source, told);
    deliver_what_is_due();
}

void trap_queue::deliver_what_is_due()
{
    if (!alarm_) // closed
        return;
    auto const now = time_.now();
    if (filter_.deadline() <= now)
        while (auto const one = filter_.next_due(now))
            deliver(one->source, one->told);
    alarm_->arm(filter_.deadline());
}

void trap_queue::deliver(lid source, notice const& told)
{
    auto const& filtered = filter_.counters();
    auto const lost = filtered.forgotten + filtered.replaced + lost_outside_;
    trap_notice one{
        .told = told, .source = source, .details = decode_trap(told), .missed = lost - std::exchange(told_of_, lost)};
    auto const before = waiting_.size() == 0 ? 0 : waiting_.front().missed;
    if (waiting_.put(one))
        return;
    ++dropped_;
    waiting_.front().missed += before + 1; // the next one to be taken says so
}

void trap_queue::close()
{
    alarm_.reset();
    waiting_.clear();
    waiting_.close(errc::agent_closed);
}

} // namespace madrigal::detail
