// IOControllerProfile (IBA 16.3.3.4): an I/O controller. The attribute modifier is the slot.
#pragma once

#include <madrigal/wire/device_management.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_IO_CONTROLLER_PROFILE(field)                                                                          \
    field(guid, controller_guid, "GUID", 0, 64, "the controller")                                                      \
    field(std::uint32_t, vendor_id, "VendorID", 64, 24, "OUI of the maker", hexadecimal)                               \
    field(std::uint32_t, device_id, "DeviceID", 96, 32, "device, as its maker numbers them", hexadecimal)              \
    field(std::uint16_t, device_version, "DeviceVersion", 128, 16, "its version", hexadecimal)                         \
    field(std::uint32_t, subsystem_vendor_id, "SubsystemVendorID", 160, 24,                                            \
        "OUI of the maker of the enclosure", hexadecimal)                                                              \
    field(std::uint32_t, subsystem_id, "SubsystemID", 192, 32,                                                         \
        "the enclosure, as its maker numbers them", hexadecimal)                                                       \
    field(std::uint16_t, io_class, "IOClass", 224, 16, "kind of controller, 0xffff for a vendor's", hexadecimal)       \
    field(std::uint16_t, io_subclass, "IOSubclass", 240, 16, "kind within the kind", hexadecimal)                      \
    field(std::uint16_t, protocol, "Protocol", 256, 16, "protocol that it speaks", hexadecimal)                        \
    field(std::uint16_t, protocol_version, "ProtocolVersion", 272, 16, "version of the protocol")                      \
    field(std::uint16_t, send_message_depth, "SendMessageDepth", 320, 16, "most messages on the way")                  \
    field(std::uint8_t, rdma_read_depth, "RDMAReadDepth", 344, 8, "most RDMA reads on the way")                        \
    field(std::uint32_t, send_message_size, "SendMessageSize", 352, 32, "longest message in bytes")                    \
    field(std::uint32_t, rdma_transfer_size, "RDMATransferSize", 384, 32, "longest RDMA in bytes")                     \
    field(flags<io_operation>, operations, "ControllerOperationsMask", 416, 8, "what it can send and be sent")         \
    field(std::uint8_t, service_entries, "ServiceEntries", 432, 8, "services that it has")                             \
    field(fixed_text<64>, id_string, "IDString", 512, 512, "UTF-8 name")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(io_controller_profile, "IOControllerProfile", 0x0011,
    attribute_scope{management_class::device_management}, 128, MADRIGAL_IO_CONTROLLER_PROFILE);
} // namespace madrigal
