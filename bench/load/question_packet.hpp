// The packet that peers without the runtime write: umad header and MAD.
#pragma once

#include "echo_process.hpp"
#include "patience.hpp"
#include "venue.hpp"

#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace madrigal::bench {

/// One packet for all requests, of which only the lower half of the transaction id changes.
class question_packet {
public:
    /// A `timeout` of 0 asks for no answer.
    question_packet(venue const& on, std::uint32_t agent, patience const& how) noexcept;

    void set_id(std::uint32_t id) noexcept
    {
        mutable_mad_view{std::span{bytes_}.subspan(umad::header_size)}.set_transaction_id(id);
    }
    [[nodiscard]] std::array<std::byte, packet_size> const& bytes() const noexcept { return bytes_; }

private:
    alignas(umad::ib_user_mad_hdr) std::array<std::byte, packet_size> bytes_{};
};

} // namespace madrigal::bench
