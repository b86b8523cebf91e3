// The kernel's user-space interface of ib_umad, byte for byte (Linux: include/uapi/rdma/ib_user_mad.h).
#pragma once

#include <madrigal/wire/endian.hpp>

#include <cstddef>
#include <cstdint>
#include <sys/ioctl.h>

namespace madrigal::umad {

/// `struct ib_user_mad_hdr`: stands before the MAD in every packet read or written. 64 bytes in pkey mode, 56 (without
/// the last two members) otherwise.
struct ib_user_mad_hdr {
    std::uint32_t id;         ///< agent id
    std::uint32_t status;     ///< read: 0 or ETIMEDOUT
    std::uint32_t timeout_ms; ///< write: 0 = do not wait for an answer
    std::uint32_t retries;    ///< write: how often to send again
    std::uint32_t length;     ///< header + MAD
    big_uint32 qpn;           ///< destination on write, source on read
    big_uint32 qkey;          ///< destination's Q_Key
    big_uint16 lid;           ///< destination on write, source on read
    std::uint8_t sl;
    std::uint8_t path_bits;
    std::uint8_t grh_present; ///< 1: the next five members count
    std::uint8_t gid_index;
    std::uint8_t hop_limit;
    std::uint8_t traffic_class;
    std::uint8_t gid[16]; ///< destination on write, source on read
    big_uint32 flow_label;
    std::uint16_t pkey_index; ///< only in pkey mode
    std::uint8_t reserved[6];
};
static_assert(sizeof(ib_user_mad_hdr) == 64);
static_assert(offsetof(ib_user_mad_hdr, qpn) == 20);
static_assert(offsetof(ib_user_mad_hdr, lid) == 28);
static_assert(offsetof(ib_user_mad_hdr, grh_present) == 32);
static_assert(offsetof(ib_user_mad_hdr, gid) == 36);
static_assert(offsetof(ib_user_mad_hdr, flow_label) == 52);
static_assert(offsetof(ib_user_mad_hdr, pkey_index) == 56);

inline constexpr std::size_t header_size = 64;     ///< in pkey mode
inline constexpr std::size_t old_header_size = 56; ///< without `pkey_index`
inline constexpr std::size_t mad_size = 256;
inline constexpr std::uint32_t max_agents = 32; ///< per file

/// `struct ib_user_mad_reg_req`, the argument of REGISTER_AGENT. The kernel packs the method mask, an array of native
/// longs, to 4 bytes.
struct ib_user_mad_reg_req {
    std::uint32_t id;
    std::uint32_t method_mask[4];
    std::uint8_t qpn;
    std::uint8_t mgmt_class;
    std::uint8_t mgmt_class_version;
    std::uint8_t oui[3]; ///< network byte order
    std::uint8_t rmpp_version;
};
static_assert(sizeof(ib_user_mad_reg_req) == 28);
static_assert(offsetof(ib_user_mad_reg_req, qpn) == 20);
static_assert(offsetof(ib_user_mad_reg_req, oui) == 23);
static_assert(offsetof(ib_user_mad_reg_req, rmpp_version) == 26);

/// `struct ib_user_mad_reg_req2`, the argument of REGISTER_AGENT2.
struct ib_user_mad_reg_req2 {
    std::uint32_t id;
    std::uint32_t qpn;
    std::uint8_t mgmt_class;
    std::uint8_t mgmt_class_version;
    std::uint16_t res;
    std::uint32_t flags;
    std::uint64_t method_mask[2];
    std::uint32_t oui; ///< host byte order, 24 bits
    std::uint8_t rmpp_version;
    std::uint8_t reserved[3];
};
static_assert(sizeof(ib_user_mad_reg_req2) == 40);
static_assert(offsetof(ib_user_mad_reg_req2, flags) == 12);
static_assert(offsetof(ib_user_mad_reg_req2, method_mask) == 16);
static_assert(offsetof(ib_user_mad_reg_req2, oui) == 32);
static_assert(offsetof(ib_user_mad_reg_req2, rmpp_version) == 36);

/// The one flag there is: this agent does RMPP itself.
inline constexpr std::uint32_t user_rmpp = 1;

inline constexpr unsigned long register_agent_ioctl = _IOWR(0x1b, 1, ib_user_mad_reg_req);
inline constexpr unsigned long unregister_agent_ioctl = _IOW(0x1b, 2, std::uint32_t);
inline constexpr unsigned long enable_pkey_ioctl = _IO(0x1b, 3);
inline constexpr unsigned long register_agent2_ioctl = _IOWR(0x1b, 4, ib_user_mad_reg_req2);

} // namespace madrigal::umad
