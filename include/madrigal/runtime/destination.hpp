// Where a MAD goes, as a value.
#pragma once

#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// The Q_Key of QP1 (IBA 10.2.4).
inline constexpr std::uint32_t gsi_qkey = 0x8001'0000;

/// What a GRH needs besides the destination GID (IBA 8.3).
struct global_route {
    gid destination;
    std::uint8_t source_gid_index = 0;
    std::uint8_t hop_limit = 64;
    std::uint8_t traffic_class = 0;
    std::uint32_t flow_label = 0; ///< 20 bits, host byte order

    friend bool operator==(global_route const&, global_route const&) = default;
};

/// Where a MAD goes: a directed route, a LID, or a GID with the LID of its first hop. Service level, P_Key index, QP
/// and Q_Key have the defaults of the IBA and can be set; each setter returns the changed value. Trivially
/// destructible.
class destination {
public:
    /// What the address is.
    enum class kind : std::uint8_t { lid, directed_route, gid };

    /// To a LID: `lid{12}`.
    constexpr destination(lid to) noexcept : lid_{to} {} // NOLINT: a LID is a destination
    /// Along a directed route: `directed_route{0, 1, 3}`.
    constexpr destination(directed_route const& route) noexcept // NOLINT: a route is a destination
        : kind_{kind::directed_route}, lid_{permissive_lid}, route_{route}
    {}
    /// To a GID, with a GRH. On InfiniBand `first_hop` is the LID of the router or of the port itself; on Ethernet 0.
    constexpr explicit destination(gid const& to, lid first_hop = lid{}) noexcept
        : kind_{kind::gid}, lid_{first_hop}, global_{.destination = to}
    {}
    /// To a GID with a GRH given in full.
    constexpr destination(global_route const& global, lid first_hop) noexcept
        : kind_{kind::gid}, lid_{first_hop}, global_{global}
    {}

    /// For a directed route: go by LID to `first` and begin the route there; `own` is the LID of the sending port (IBA
    /// 14.2.2).
    [[nodiscard]] constexpr destination starting_at(lid first, lid own) const noexcept
    {
        auto changed = *this;
        changed.lid_ = first;
        changed.dr_slid_ = own;
        return changed;
    }
    /// For a directed route: go on by LID to `last` from its end.
    [[nodiscard]] constexpr destination ending_at(lid last) const noexcept
    {
        auto changed = *this;
        changed.dr_dlid_ = last;
        return changed;
    }

    /// The service level, 0 to 15; 0 unless it is set.
    [[nodiscard]] constexpr destination with_sl(std::uint8_t sl) const noexcept
    {
        auto changed = *this;
        changed.sl_ = sl;
        return changed;
    }
    /// The place of the P_Key in the sending port's table; 0 unless it is set. SMPs go without one.
    [[nodiscard]] constexpr destination with_pkey_index(std::uint16_t index) const noexcept
    {
        auto changed = *this;
        changed.pkey_index_ = index;
        return changed;
    }
    /// Low bits of the source LID; only those within the port's LMC are sent.
    [[nodiscard]] constexpr destination with_path_bits(std::uint8_t bits) const noexcept
    {
        auto changed = *this;
        changed.path_bits_ = bits;
        return changed;
    }
    /// Another QP than the class's own (0 for SMPs, 1 for all else), as a redirection demands it.
    [[nodiscard]] constexpr destination with_qp(std::uint32_t qpn, std::uint32_t qkey) const noexcept
    {
        auto changed = *this;
        changed.qpn_ = qpn;
        changed.qkey_ = qkey;
        changed.own_qp_ = true;
        return changed;
    }

    [[nodiscard]] constexpr kind type() const noexcept { return kind_; }
    [[nodiscard]] constexpr lid to_lid() const noexcept { return lid_; }
    [[nodiscard]] constexpr directed_route const& route() const noexcept { return route_; }
    [[nodiscard]] constexpr lid directed_from() const noexcept { return dr_slid_; }
    [[nodiscard]] constexpr lid directed_to() const noexcept { return dr_dlid_; }
    [[nodiscard]] constexpr global_route const& global() const noexcept { return global_; }
    [[nodiscard]] constexpr std::uint8_t sl() const noexcept { return sl_; }
    [[nodiscard]] constexpr std::uint16_t pkey_index() const noexcept { return pkey_index_; }
    [[nodiscard]] constexpr std::uint8_t path_bits() const noexcept { return path_bits_; }
    [[nodiscard]] constexpr bool has_own_qp() const noexcept { return own_qp_; }
    [[nodiscard]] constexpr std::uint32_t qpn() const noexcept { return qpn_; }
    [[nodiscard]] constexpr std::uint32_t qkey() const noexcept { return qkey_; }

    /// A number that is the same for MADs that end at the same port, for the limit per destination.
    [[nodiscard]] std::uint64_t key() const noexcept;

private:
    kind kind_ = kind::lid;
    bool own_qp_ = false;
    std::uint8_t sl_ = 0;
    std::uint8_t path_bits_ = 0;
    std::uint16_t pkey_index_ = 0;
    lid lid_;
    lid dr_slid_ = permissive_lid;
    lid dr_dlid_ = permissive_lid;
    std::uint32_t qpn_ = 0;
    std::uint32_t qkey_ = 0;
    global_route global_{};
    directed_route route_{};
};

/// `LID 12`, `directed route 0,1,3`, `GID fe80:…`
[[nodiscard]] std::string to_string(destination const& to);

} // namespace madrigal
