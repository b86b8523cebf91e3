// Messages, packets and a bad wire for the tests of RMPP.
#pragma once

#include <madrigal/engine/rmpp_receiver.hpp>
#include <madrigal/engine/rmpp_sender.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <random>
#include <vector>

namespace madrigal::engine::testing {

using mad_bytes = std::array<std::byte, mad_size>;
inline constexpr time_point start = time_point{std::chrono::hours{1000}};
inline constexpr auto subn_adm = management_class::subnet_administration;

inline std::byte filling(std::uint64_t i)
{
    return static_cast<std::byte>(i * 31 + i / 251 + i / 65'521);
}

/// A message as a user gives it to a sender: headers, and `size` bytes of data.
inline std::vector<std::byte> message_of(
    std::size_t size, method how = method::get_table_response, management_class of = subn_adm)
{
    std::vector<std::byte> bytes(class_data_offset(of) + size);
    mutable_mad_view const mad{bytes};
    mad.set_base_version(1);
    mad.set_mgmt_class(of);
    mad.set_class_version(default_class_version(of));
    mad.set_method(how);
    mad.set_transaction_id(0x1234'5678'9ABC'DEF0);
    mad.set_attribute_id(0x0011);
    for (std::size_t i = rmpp_headers_size; i != class_data_offset(of); ++i)
        bytes[i] = std::byte{0xC1};
    for (std::size_t i = 0; i != size; ++i)
        bytes[class_data_offset(of) + i] = filling(i);
    return bytes;
}

/// A packet of a transfer with all fields as wished; Active and the version are set.
inline mad_bytes packet_of(rmpp_header header, method how = method::get_table_response, management_class of = subn_adm)
{
    mad_bytes bytes{};
    auto const headers = message_of(0, how, of);
    std::copy(headers.begin(), headers.end(), bytes.begin());
    header.version = header.version == 0 ? rmpp_version : header.version;
    header.flags.set(rmpp_flag::active);
    EXPECT_TRUE(set_rmpp_header(mutable_mad_view{bytes}, header));
    return bytes;
}

inline mad_bytes ack_of(std::uint32_t segment, std::uint32_t window_last, method how = method::get_table)
{
    return packet_of(
        {.type = rmpp_type::ack, .response_time = 0x1F, .segment = segment, .length_or_window = window_last}, how);
}

/// The segment of a message of so many bytes that an honest sender makes.
inline mad_bytes segment_of(std::uint32_t number, std::size_t size, method how = method::get_table_response)
{
    auto const count = rmpp_segments(subn_adm, size);
    rmpp_header header{.type = rmpp_type::data, .segment = number};
    header.flags.set(rmpp_flag::first, number == 1);
    header.flags.set(rmpp_flag::last, number == count);
    if (number == 1)
        header.length_or_window = static_cast<std::uint32_t>(rmpp_total_payload(subn_adm, size));
    if (number == count)
        header.length_or_window = rmpp_last_payload(subn_adm, size);
    auto bytes = packet_of(header, how);
    for (std::size_t i = 0, at = std::size_t{number - 1} * 200; i != 200 && at + i < size; ++i)
        bytes[56 + i] = filling(at + i);
    return bytes;
}

inline std::string text_of(rmpp_reply const& reply)
{
    return reply.empty() ? "nothing" : describe_rmpp(mad_view{reply.mad()});
}

inline void expect_filling(std::vector<std::byte> const& whole, std::size_t size, management_class of = subn_adm)
{
    auto const offset = class_data_offset(of);
    ASSERT_EQ(whole.size(), offset + size);
    for (std::size_t i = 0; i != size; ++i)
        ASSERT_EQ(whole[offset + i], filling(i)) << i;
}

/// What the wire does to packets: chances of 0 to 1.
struct wire_faults {
    double lost = 0;
    double doubled = 0;
    double delayed = 0; ///< by up to 64 packet times: overtaken by others
};

/// A sender and a receiver, each at its end of a bad wire, in virtual time.
class rmpp_pair {
public:
    rmpp_pair(rmpp_sender_options const& sends, rmpp_receiver_options const& receives, std::vector<std::byte> message,
        wire_faults const& faults = {}, std::uint64_t seed = 1)
        : message_{std::move(message)},
          faults_{faults},
          random_{seed},
          sender{sends, message_, start},
          receiver{receives, budget, start}
    {}

    /// Until both have ended, or nothing happens any more. `on_progress` after each packet that the receiver got.
    template <class F>
    void run(F&& on_progress)
    {
        while (sender.outcome().end == rmpp_end::not_yet || receiver.outcome().end == rmpp_end::not_yet) {
            if (sender.has_segment()) {
                mad_bytes segment;
                sender.take_segment(segment, now);
                transmit(false, segment);
                now += packet_time;
                ++segments;
            }
            auto next = std::min(deadline(sender), heard_ ? deadline(receiver) : never);
            if (!wire_.empty())
                next = std::min(next, wire_.top().when);
            if (sender.has_segment())
                next = std::min(next, now);
            if (next == never)
                break;
            now = std::max(now, next);
            deliver(on_progress);
            rmpp_reply reply;
            if (deadline(sender) <= now && sender.expire(now, reply) != rmpp_step::nothing)
                transmit(false, reply);
            reply.clear();
            if (heard_ && deadline(receiver) <= now && receiver.expire(now, reply) != rmpp_step::nothing)
                transmit(true, reply);
        }
    }
    void run()
    {
        run([] {});
    }

private:
    static constexpr duration packet_time = std::chrono::microseconds{1};
    struct in_flight {
        time_point when;
        std::uint64_t order;
        bool to_sender;
        mad_bytes mad;
        friend bool operator<(in_flight const& a, in_flight const& b)
        {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };

    template <class Machine>
    static time_point deadline(Machine const& machine)
    {
        return machine.outcome().end == rmpp_end::not_yet ? machine.next_deadline() : never;
    }
    bool happens(double chance) { return chance > 0 && std::uniform_real_distribution<>{}(random_) < chance; }
    void transmit(bool to_sender, rmpp_reply const& reply)
    {
        if (!reply.empty())
            transmit(to_sender, reply.mad());
    }
    void transmit(bool to_sender, mad_bytes const& mad)
    {
        int const copies = happens(faults_.lost) ? 0 : happens(faults_.doubled) ? 2 : 1;
        for (int i = 0; i != copies; ++i) {
            auto when = now + 10 * packet_time;
            if (happens(faults_.delayed))
                when += packet_time * std::uniform_int_distribution<>{1, 64}(random_);
            wire_.push({when, order_++, to_sender, mad});
        }
    }
    template <class F>
    void deliver(F&& on_progress)
    {
        while (!wire_.empty() && wire_.top().when <= now) {
            auto const packet = wire_.top();
            wire_.pop();
            rmpp_reply reply;
            if (packet.to_sender) {
                (void)sender.on_packet(mad_view{packet.mad}, now, reply);
                transmit(false, reply);
            } else {
                heard_ = true;
                (void)receiver.on_packet(mad_view{packet.mad}, now, reply);
                acks += reply.empty() ? 0 : 1;
                transmit(true, reply);
                on_progress();
            }
        }
    }

    std::vector<std::byte> message_;
    wire_faults faults_;
    std::mt19937_64 random_;
    std::priority_queue<in_flight> wire_;
    std::uint64_t order_ = 0;
    bool heard_ = false;

public:
    std::shared_ptr<rmpp_budget> budget = std::make_shared<rmpp_budget>(std::size_t{64} << 20);
    rmpp_sender sender;
    rmpp_receiver receiver;
    time_point now = start;
    std::uint64_t segments = 0;
    std::uint64_t acks = 0;
};

} // namespace madrigal::engine::testing
