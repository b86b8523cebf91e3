// What an answer to an SMP may carry, and where its asker can be reached.
#pragma once

#include <madrigal/runtime/destination.hpp>
#include <madrigal/runtime/received_mad.hpp>
#include <madrigal/wire/mad.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace madrigal::detail {

/// The M_Key of an SMP; 0 where it is cut off.
[[nodiscard]] std::uint64_t m_key_of(mad_view smp) noexcept;

/// Zeroes everything but the header and the route, and writes the key: nothing that came is sent back, and nothing that
/// lay there is sent on. Precondition: a whole MAD of a subnet management class.
void clear_for_answer(mutable_mad_view smp, std::uint64_t m_key = 0) noexcept;

/// Where a question may be sent to who has sent this one: its LID, or its directed route the other way round, begun by
/// LID where it ended so. Nothing where the route says too little.
[[nodiscard]] std::optional<destination> way_back(received_mad const& from) noexcept;

} // namespace madrigal::detail
