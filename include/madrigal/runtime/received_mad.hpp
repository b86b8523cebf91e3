// A MAD that has arrived: its bytes, and where it came from.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace madrigal {

/// One received MAD with its address. Move-only; belongs to one thread at a time, whichever.
class received_mad {
public:
    received_mad() noexcept = default;
    explicit received_mad(engine::packet_ptr packet) noexcept : packet_{std::move(packet)} {}

    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(packet_); }

    /// The MAD, 24 to 256 bytes as received.
    [[nodiscard]] std::span<std::byte const> bytes() const noexcept
    {
        return packet_ ? packet_->contents().subspan(umad::header_size) : std::span<std::byte const>{};
    }
    /// Its header. Not for an empty object.
    [[nodiscard]] mad_view mad() const noexcept { return mad_view{bytes()}; }
    /// The kernel's header: source LID, QP, SL, path bits, GRH.
    [[nodiscard]] umad::ib_user_mad_hdr const& address() const noexcept
    {
        return *reinterpret_cast<umad::ib_user_mad_hdr const*>(packet_->bytes.data());
    }
    /// The LID it came from.
    [[nodiscard]] lid source() const noexcept { return lid{address().lid.value()}; }
    /// The GID it came from, where it came with a GRH.
    [[nodiscard]] std::optional<gid> source_gid() const noexcept;
    /// The attribute's or class's own data, behind the headers of its class.
    [[nodiscard]] std::span<std::byte const> payload() const noexcept;

    /// The MAD, to be changed in place: what becomes an answer.
    [[nodiscard]] std::span<std::byte> mutable_bytes() noexcept
    {
        return packet_ ? packet_->contents().subspan(umad::header_size) : std::span<std::byte>{};
    }
    /// The packet itself; this object is empty afterwards.
    [[nodiscard]] engine::packet_ptr release() noexcept { return std::move(packet_); }

    /// Where an answer to it goes: the LID, QP and, where a GRH was present, the GID it came from.
    [[nodiscard]] destination reply_to() const noexcept;

private:
    engine::packet_ptr packet_;
};

} // namespace madrigal
