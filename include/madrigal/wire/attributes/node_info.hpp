// NodeInfo (IBA 14.2.5.3): what a node is.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_NODE_INFO(field)                                                                                      \
    field(std::uint8_t,  base_version,   "BaseVersion",    0,  8, "version of the MAD format")                         \
    field(std::uint8_t,  class_version,  "ClassVersion",   8,  8, "version of the subnet management class")            \
    field(node_type,     type,           "NodeType",      16,  8, "CA, switch or router")                              \
    field(std::uint8_t,  num_ports,      "NumPorts",      24,  8, "external ports")                                    \
    field(guid,          system_image_guid, "SystemImageGUID", 32, 64, "what the nodes of one box share, 0 for none")  \
    field(guid,          node_guid,      "NodeGUID",      96, 64, "the node")                                          \
    field(guid,          port_guid,      "PortGUID",     160, 64, "the port that was asked")                           \
    field(std::uint16_t, partition_cap,  "PartitionCap", 224, 16, "entries of the P_Key table of the node or port 0")  \
    field(std::uint16_t, device_id,      "DeviceID",     240, 16, "device, as its maker numbers them", hexadecimal)    \
    field(std::uint32_t, revision,       "Revision",     256, 32, "device revision", hexadecimal)                      \
    field(std::uint8_t,  local_port_num, "LocalPortNum", 288,  8, "port by which the packet came in")                  \
    field(std::uint32_t, vendor_id,      "VendorID",     296, 24, "OUI of the maker", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(node_info, "NodeInfo", 0x0011, subnet_management_scope, 40, MADRIGAL_NODE_INFO);
} // namespace madrigal
