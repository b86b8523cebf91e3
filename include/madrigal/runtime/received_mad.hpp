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

    /// The MAD, 24 to 256 bytes as received. Of an RMPP message, whoever has put it together, the first MAD and behind
    /// it the data of all others: as many bytes as its sender has sent, be it less than a MAD.
    [[nodiscard]] std::span<std::byte const> bytes() const noexcept
    {
        return packet_ ? std::as_const(*packet_).message().subspan(umad::header_size) : std::span<std::byte const>{};
    }
    /// Its header, and all of its data. Not for an empty object.
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
    /// The attribute's or class's own data, behind the headers of its class; of an RMPP message all of it.
    [[nodiscard]] std::span<std::byte const> payload() const noexcept;

    /// The MAD, of a longer message the first, to be changed in place: what becomes an answer.
    [[nodiscard]] std::span<std::byte> mutable_bytes() noexcept
    {
        return packet_ ? packet_->contents().subspan(umad::header_size) : std::span<std::byte>{};
    }
    /// The same filled up with zeroes to 256 bytes. Not for an empty object.
    [[nodiscard]] std::span<std::byte> whole_mad() noexcept;
    /// Gives the data to a sink, and keeps the headers. Not for an empty object.
    void give_data(engine::data_sink const& sink);
    /// The packet itself; this object is empty afterwards.
    [[nodiscard]] engine::packet_ptr release() noexcept { return std::move(packet_); }

    /// Where an answer to it goes: the LID, QP and, where a GRH was present, the GID it came from.
    [[nodiscard]] destination reply_to() const noexcept;

private:
    engine::packet_ptr packet_;
};

} // namespace madrigal
