// A packet on its way through the fabric: what its transport headers say, and the MAD.
#pragma once

#include <sim/event_queue.hpp>

#include <madrigal/engine/rmpp_message.hpp>
#include <madrigal/topology/fabric.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace madrigal::sim {

/// QP1's Q_Key (IBA 12.2), and that of every sender that asks for its own by the uppermost bit.
inline constexpr std::uint32_t gsi_q_key = 0x8001'0000;

/// Global route header (IBA 5.2.6).
struct global_route {
    gid source;
    gid destination;
    std::uint32_t flow_label = 0;
    std::uint8_t traffic_class = 0;
    std::uint8_t hop_limit = 0;
};

/// What the local, transport and datagram headers of a management packet say (IBA 5.2); numbers in host byte order.
struct addressing {
    std::uint16_t source_lid = 0;
    std::uint16_t destination_lid = 0;
    std::uint32_t source_qp = 0;
    std::uint32_t destination_qp = 0;
    std::uint32_t q_key = 0;
    std::uint16_t p_key = 0;
    std::uint8_t service_level = 0;
    bool has_grh = false;
    global_route grh;
};

/// Lives in a `packet_pool`. The same packet carries a request there, the answer back, and waits in a file's receive
/// list: a MAD is copied when it is written and when it is read, and never between.
struct packet : event {
    packet* next = nullptr; ///< in a receive list, or in the pool
    topology::node_index at = topology::no_node;
    std::uint8_t port = 0; ///< by which it reached that node, or 0 from inside
    std::uint32_t hops = 0;
    addressing to;
    std::array<std::byte, mad_size> mad;
    umad::ib_user_mad_hdr header; ///< in a receive list: what `read` gives
    std::uint32_t length = 0;     ///< in a receive list: bytes of the MAD, or of the message
    /// In a receive list: the message that `mad` is the beginning of; null where it is all.
    std::unique_ptr<engine::rmpp_message> message;

    [[nodiscard]] mutable_mad_view view() noexcept { return mutable_mad_view{mad}; }
    [[nodiscard]] mad_view view() const noexcept { return mad_view{mad}; }
    /// SMPs travel on VL 15, which needs no ACTIVE port.
    [[nodiscard]] bool is_smp() const noexcept { return to.destination_qp == 0; }
};

/// Packets that are used again and again.
class packet_pool {
public:
    [[nodiscard]] packet& take()
    {
        if (free_ == nullptr)
            grow();
        packet& one = *free_;
        free_ = one.next;
        one.next = nullptr;
        one.hops = 0;
        ++in_use_;
        return one;
    }
    void give_back(packet& one) noexcept
    {
        one.message.reset();
        one.next = free_;
        free_ = &one;
        --in_use_;
    }
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }

private:
    static constexpr std::size_t chunk = 64;

    void grow()
    {
        chunks_.push_back(std::make_unique<packet[]>(chunk));
        for (std::size_t i = 0; i != chunk; ++i) {
            chunks_.back()[i].next = free_;
            free_ = &chunks_.back()[i];
        }
    }

    std::vector<std::unique_ptr<packet[]>> chunks_;
    packet* free_ = nullptr;
    std::size_t in_use_ = 0;
};

} // namespace madrigal::sim
