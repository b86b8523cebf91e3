// Which registrations the kernel accepts, as far as that can be told without looking at other agents.
#pragma once

#include <bitset>
#include <cstdint>

namespace madrigal::sim {

/// What both registration calls ask for. The OUI is in host byte order.
struct agent_request {
    std::uint32_t qpn = 0;
    std::uint8_t mgmt_class = 0; ///< 0: a client that only sends
    std::uint8_t class_version = 0;
    std::uint32_t oui = 0;
    std::uint8_t rmpp_version = 0;
    bool user_rmpp = false;
    std::bitset<128> methods;
};

/// 0, or the errno with which the kernel refuses (Linux: drivers/infiniband/core/mad.c, ib_register_mad_agent).
[[nodiscard]] int check_registration(agent_request const& request) noexcept;

/// True for classes whose transfers the kernel can segment.
[[nodiscard]] bool class_has_rmpp(std::uint8_t mgmt_class) noexcept;

} // namespace madrigal::sim
