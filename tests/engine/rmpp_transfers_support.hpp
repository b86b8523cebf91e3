// Peers and transactions for the tests of many transfers, and two agents on a bad wire.
#pragma once

#include "engine/rmpp_support.hpp"

#include <madrigal/engine/rmpp_transfers.hpp>

namespace madrigal::engine::testing {

/// A header as it is read from the peer with this LID.
inline umad::ib_user_mad_hdr peer(std::uint16_t lid)
{
    umad::ib_user_mad_hdr header{};
    header.id = 3;
    header.qpn.set(1);
    header.lid.set(lid);
    header.pkey_index = 2;
    return header;
}

template <class Bytes>
[[nodiscard]] Bytes with_transaction(Bytes bytes, std::uint64_t number)
{
    mutable_mad_view{bytes}.set_transaction_id(number);
    return bytes;
}

/// Two agents; each is the peer with LID 1 of the other.
class two_tables {
public:
    two_tables(wire_faults const& faults, std::uint64_t seed, bool kernels) : faults_{faults}, random_{seed}
    {
        rmpp_transfers_options options;
        if (kernels)
            options.receiving = rmpp_receiver_options::linux_kernel();
        options.receiving.total = std::chrono::hours{10};
        options.max_questions_per_peer = options.max_questions;
        options.max_answers_to_a_peer = options.max_outgoing;
        for (auto& table : tables)
            table.emplace(options);
    }

    /// Until nothing happens any more. `on_event(side, event)`.
    template <class F>
    void run(F&& on_event)
    {
        for (;;) {
            bool wrote = false;
            auto next = never;
            for (int side = 0; side != 2; ++side) {
                auto& table = *tables[static_cast<std::size_t>(side)];
                rmpp_packet packet;
                if (table.next_packet(packet, now)) {
                    wrote = true;
                    transmit(1 - side, packet);
                }
                while (auto event = table.next_event())
                    on_event(side, *event);
                next = std::min(next, table.next_deadline());
            }
            if (!wire_.empty())
                next = std::min(next, wire_.top().when);
            if (wrote)
                next = std::min(next, now + packet_time);
            if (next == never)
                return;
            now = std::max(now, next);
            for (auto& table : tables)
                table->expire(now);
            while (!wire_.empty() && wire_.top().when <= now) {
                auto const packet = wire_.top();
                wire_.pop();
                ASSERT_TRUE(tables[static_cast<std::size_t>(packet.to)]->on_packet(peer(1), mad_view{packet.mad}, now));
            }
        }
    }

    time_point now = start;
    std::array<std::optional<rmpp_transfers>, 2> tables;

private:
    static constexpr duration packet_time = std::chrono::microseconds{1};
    struct in_flight {
        time_point when;
        std::uint64_t order;
        int to;
        mad_bytes mad;
        friend bool operator<(in_flight const& a, in_flight const& b)
        {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };
    bool happens(double chance) { return std::uniform_real_distribution<>{}(random_) < chance; }
    void transmit(int to, rmpp_packet const& packet)
    {
        int const copies = happens(faults_.lost) ? 0 : happens(faults_.doubled) ? 2 : 1;
        for (int i = 0; i != copies; ++i) {
            auto when = now + 10 * packet_time;
            if (happens(faults_.delayed))
                when += packet_time * std::uniform_int_distribution<>{1, 64}(random_);
            wire_.push({when, order_++, to, packet.mad});
        }
    }

    wire_faults faults_;
    std::mt19937_64 random_;
    std::priority_queue<in_flight> wire_;
    std::uint64_t order_ = 0;
};

} // namespace madrigal::engine::testing
