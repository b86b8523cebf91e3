// Kinds of transport between queue pairs.
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// TransportServiceType of communication management (IBA 12.6.5) and of the congestion log (IBA A10.4.3).
enum class transport_service : std::uint8_t {
    reliable_connection = 0,
    unreliable_connection = 1,
    reliable_datagram = 2,
    unreliable_datagram = 3, ///< in a REQ: the extended transport type tells it
};

/// `RC`, `UC`, `RD`, `UD`; a number for anything else.
[[nodiscard]] std::string to_string(transport_service value);

} // namespace madrigal
