// Which writes may wait in the kernel.
#pragma once

#include <madrigal/umad/host.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace madrigal::detail {

/// What is known of the destinations of one umad file on an Ethernet link layer. There the kernel makes an address
/// handle for each write, and for that resolves the destination GID, by ARP or neighbour discovery, before the write
/// returns (drivers/infiniband/core/user_mad.c, ib_umad_write). For a GID that nobody has this takes a second or more;
/// and a neighbour that has been resolved once may be forgotten before the next write. Only the port's own GIDs are
/// reached through the host's loopback, whose neighbours neither move nor expire: once a write to one has succeeded,
/// later ones do not wait.
class slow_destinations {
public:
    explicit slow_destinations(umad::port_attributes const& port);

    /// Whether a write with this header may wait.
    [[nodiscard]] bool may_wait(umad::ib_user_mad_hdr const& header) const noexcept;
    /// A write with this header has succeeded.
    void on_written(umad::ib_user_mad_hdr const& header);
    /// A write with this header has failed: perhaps the GID is the port's own no more.
    void on_refused(umad::ib_user_mad_hdr const& header) noexcept;

private:
    /// From which of the port's GIDs to which: the kernel looks for a way between the two.
    struct way {
        std::uint8_t from;
        gid to;
        friend bool operator==(way const&, way const&) noexcept = default;
    };
    /// A port talks to itself over one or two GIDs. Those beyond this many are taken for slow, which is always right.
    static constexpr std::size_t most_ways = 32;

    [[nodiscard]] static way of(umad::ib_user_mad_hdr const& header) noexcept;

    std::vector<gid> own_;
    std::vector<way> fast_;
};

} // namespace madrigal::detail
