// What is due when: a heap of events that can be taken out again before their time.
#pragma once

#include <madrigal/engine/time.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace madrigal::sim {

/// What an event stands for; the struct that derives from `event` is told by it.
enum class event_kind : std::uint8_t {
    packet_arrives, ///< packet: reached the far end of a link
    packet_served,  ///< packet: its node's agent has had it long enough
    packet_leaves,  ///< packet: an answer that a fault rule held back
    send_expires,   ///< kernel_send: no answer in time
    trap_repeats,   ///< pending_trap
    samples_due,    ///< port_samples: the interval begins or ends
    rmpp_due,       ///< kernel_rmpp: a transfer of an agent has a deadline
    sa_due,         ///< sa_server: a transfer of subnet administration has a deadline
    sa_answers,     ///< packet: a question to subnet administration that a fault rule held back
};

/// Something that happens at a time. Owned by whoever made it; the queue only knows where it stands.
struct event {
    static constexpr std::uint32_t not_queued = 0xFFFF'FFFF;

    event_kind kind = event_kind::packet_arrives;
    std::uint32_t place = not_queued;

    [[nodiscard]] bool queued() const noexcept { return place != not_queued; }
};

/// A heap with four children to a place, ordered by time and then by order of arrival. Allocates only while it grows.
class event_queue {
public:
    void push(event& value, time_point when);
    /// Takes an event out where it is queued.
    void remove(event& value) noexcept;
    /// The earliest event; precondition: not empty.
    event& pop() noexcept;

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
    /// `never` where it is empty.
    [[nodiscard]] time_point next() const noexcept { return heap_.empty() ? never : heap_.front().when; }

private:
    struct entry {
        time_point when;
        std::uint64_t order;
        event* what;
        [[nodiscard]] bool before(entry const& other) const noexcept
        {
            return when != other.when ? when < other.when : order < other.order;
        }
    };

    void sift_up(std::size_t place, entry value) noexcept;
    void sift_down(std::size_t place, entry value) noexcept;
    void put(std::size_t place, entry value) noexcept;

    std::vector<entry> heap_;
    std::uint64_t order_ = 0;
};

} // namespace madrigal::sim
