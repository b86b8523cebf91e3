// libibumad's header, which this library implements, and what newer ones declare beyond it.
#pragma once

#include <infiniband/umad.h>

#include <cstddef>
#include <cstdint>

#ifndef MADRIGAL_UMAD_HEADER_HAS_PAIRS

/// One physical port, or all ports of an ordinary adapter: the device for SMPs and the one for GMPs (rdma-core 56).
struct umad_ca_pair {
    char smi_name[UMAD_CA_NAME_LEN];
    std::uint32_t smi_preferred_port;
    char gsi_name[UMAD_CA_NAME_LEN];
    std::uint32_t gsi_preferred_port;
};

extern "C" {
int umad_open_smi_port(char const* ca_name, int portnum);
int umad_get_smi_gsi_pairs(umad_ca_pair cas[], std::size_t max);
int umad_get_smi_gsi_pair_by_ca_name(
    char const* devname, std::uint8_t portnum, umad_ca_pair* ca_pair, unsigned enforce_smi);
}

#endif

// The binary interface on a 64-bit machine; what the header says has been laid down in programs already.
static_assert(sizeof(ib_mad_addr_t) == 44 && sizeof(ib_user_mad_t) == 64);
static_assert(offsetof(ib_user_mad_t, addr) == 20 && offsetof(ib_user_mad_t, data) == 64);
static_assert(offsetof(ib_mad_addr_t, lid) == 8 && offsetof(ib_mad_addr_t, grh_present) == 12);
static_assert(offsetof(ib_mad_addr_t, gid) == 16 && offsetof(ib_mad_addr_t, pkey_index) == 36);
static_assert(sizeof(umad_port_t) == 112 || sizeof(void*) != 8);
static_assert(offsetof(umad_port_t, portnum) == 20 && offsetof(umad_port_t, capmask) == 52);
static_assert(sizeof(umad_ca_t) == 208 || sizeof(void*) != 8);
static_assert(offsetof(umad_ca_t, ports) == 128 || sizeof(void*) != 8);
static_assert(sizeof(umad_ca_pair) == 48 && offsetof(umad_ca_pair, gsi_name) == 24);
static_assert(sizeof(umad_reg_attr) == 32 && offsetof(umad_reg_attr, method_mask) == 8);
static_assert(sizeof(umad_device_node) == 2 * sizeof(void*));
