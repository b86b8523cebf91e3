// What tells RMPP transfers apart.
#pragma once

#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/rmpp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace madrigal::engine {

/// The other end of a transfer: QP and LID, and the GID where its packets carry one.
struct rmpp_peer {
    std::uint32_t qpn = 0; ///< host byte order
    std::uint16_t lid = 0; ///< host byte order
    bool has_gid = false;
    std::array<std::uint8_t, 16> gid{};

    /// Whom a received header comes from, or a header to be written goes to.
    [[nodiscard]] static rmpp_peer of(umad::ib_user_mad_hdr const& header) noexcept
    {
        rmpp_peer peer{.qpn = header.qpn.value(), .lid = header.lid.value(), .has_gid = header.grh_present != 0};
        if (peer.has_gid)
            for (std::size_t i = 0; i != peer.gid.size(); ++i)
                peer.gid[i] = header.gid[i];
        return peer;
    }
    friend bool operator==(rmpp_peer const&, rmpp_peer const&) noexcept = default;
};

/// Which way the data of a transfer goes.
enum class rmpp_direction : std::uint8_t {
    incoming,
    outgoing,
};

/// A transfer among those of one agent: as kernels tell them apart. Of a transaction that this side has begun only the
/// lower half of the id counts: the upper one is the kernel's, and not known when the first packet is written.
struct rmpp_key {
    rmpp_peer peer;
    std::uint64_t transaction_id = 0; ///< host byte order
    management_class mgmt_class{};
    std::uint8_t class_version = 0;
    method how{}; ///< of the data; acknowledgements have the other direction's
    rmpp_direction direction = rmpp_direction::incoming;

    /// The transfer of which the peer's or this side's packet `mad` is, if data of this direction has method `how`.
    [[nodiscard]] static rmpp_key of(
        umad::ib_user_mad_hdr const& header, mad_view mad, method how, rmpp_direction direction) noexcept
    {
        rmpp_key key{.peer = rmpp_peer::of(header),
            .transaction_id = mad.transaction_id(),
            .mgmt_class = mad.mgmt_class(),
            .class_version = mad.class_version(),
            .how = how,
            .direction = direction};
        if (key.is_of_ours())
            key.transaction_id &= 0xFFFF'FFFF;
        return key;
    }
    /// The data is an answer.
    [[nodiscard]] bool is_answer() const noexcept { return (static_cast<std::uint8_t>(how) & response_bit) != 0; }
    /// This side has begun the transaction: it asks, or the peer answers.
    [[nodiscard]] bool is_of_ours() const noexcept { return is_answer() == (direction == rmpp_direction::incoming); }

    friend bool operator==(rmpp_key const&, rmpp_key const&) noexcept = default;
};

/// A hash that peers cannot aim at while they do not know the seed.
class rmpp_key_hash {
public:
    explicit rmpp_key_hash(std::uint64_t seed = 0) noexcept : seed_{seed} {}
    [[nodiscard]] std::size_t operator()(rmpp_key const& key) const noexcept
    {
        auto value = mixed(seed_ ^ key.transaction_id);
        value =
            mixed(value ^ (std::uint64_t{key.peer.qpn} << 32 | std::uint64_t{key.peer.lid} << 16 |
                              static_cast<std::uint64_t>(key.mgmt_class) << 8 | static_cast<std::uint64_t>(key.how)));
        return static_cast<std::size_t>(key.peer.has_gid ? with_gid(value, key.peer) : value);
    }
    [[nodiscard]] std::size_t operator()(rmpp_peer const& peer) const noexcept
    {
        auto const value = mixed(seed_ ^ (std::uint64_t{peer.qpn} << 32 | peer.lid));
        return static_cast<std::size_t>(peer.has_gid ? with_gid(value, peer) : value);
    }

private:
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t key) noexcept // the finaliser of splitmix64
    {
        key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9;
        key = (key ^ (key >> 27)) * 0x94D049BB133111EB;
        return key ^ (key >> 31);
    }
    [[nodiscard]] static std::uint64_t with_gid(std::uint64_t value, rmpp_peer const& peer) noexcept
    {
        auto const* bytes = reinterpret_cast<std::byte const*>(peer.gid.data());
        return mixed(mixed(value ^ load_bits<0, 64>(bytes)) ^ load_bits<64, 64>(bytes));
    }

    std::uint64_t seed_;
};

} // namespace madrigal::engine
