// The texts of classes, methods, statuses and attributes, as libibumad has them: programs print them, and other
// programs read what they print. So they are not the wire room's, which differ in places.
#include "libibumad/umad_header.hpp"

#include <madrigal/wire/management_class.hpp>
#include <madrigal/wire/method.hpp>
#include <madrigal/wire/sa.hpp>
#include <madrigal/wire/status.hpp>

#include <array>
#include <endian.h>
#include <span>

namespace madrigal::libibumad {
namespace {

constexpr char const* unknown = "<unknown>";
/// Of a method: libibumad's own, without its last letter.
constexpr char const* unknown_method = "<unknown";

struct numbered_text {
    unsigned number;
    char const* text;
};

/// The text of a number; of what the table lacks, `otherwise`.
constexpr char const* find(std::span<numbered_text const> table, unsigned number, char const* otherwise) noexcept
{
    for (auto const& one : table)
        if (one.number == number)
            return one.text;
    return otherwise;
}

constexpr unsigned number_of(management_class value) noexcept
{
    return static_cast<unsigned>(value);
}
constexpr unsigned number_of(method value) noexcept
{
    return static_cast<unsigned>(value);
}

constexpr std::array classes = std::to_array<numbered_text>({
    {number_of(management_class::subnet_lid_routed), "Subn"},
    {number_of(management_class::subnet_directed_route), "Subn"},
    {number_of(management_class::subnet_administration), "SubnAdm"}, {number_of(management_class::performance), "Perf"},
    {number_of(management_class::baseboard), "BM"}, {number_of(management_class::device_management), "DevMgt"},
    {number_of(management_class::communication), "ComMgt"}, {number_of(management_class::snmp), "SNMP"},
    {number_of(management_class::device_administration), "DevAdm"}, {number_of(management_class::boot), "BootMgt"},
    {number_of(management_class::bis), "BIS"},
    {number_of(management_class::congestion), "CongestionManagment"}, // as it is spelt there
});

constexpr std::array common_methods = std::to_array<numbered_text>({
    {number_of(method::get), "Get"},
    {number_of(method::set), "Set"},
    {number_of(method::get_response), "GetResp"},
    {number_of(method::send), "Send"},
    {number_of(method::trap), "Trap"},
    {number_of(method::report), "Report"},
    {number_of(method::report_response), "ReportResp"},
    {number_of(method::trap_repress), "TrapRepress"},
});

constexpr std::array sa_methods = std::to_array<numbered_text>({
    {number_of(method::get_table), "GetTable"},
    {number_of(method::get_table_response), "GetTableResp"},
    {number_of(method::get_trace_table), "GetTraceTable"},
    {number_of(method::get_multi), "GetMulti"},
    {number_of(method::get_multi_response), "GetMultiResp"},
    {number_of(method::delete_), "Delete"},
    {number_of(method::delete_response), "DeleteResp"},
});

constexpr std::array field_statuses = std::to_array<numbered_text>({
    {mad_status::bad_version, "Bad Version"},
    {mad_status::unsupported_method, "Method not supported"},
    {mad_status::unsupported_method_attribute, "Method/Attribute combo not supported"},
    {mad_status::invalid_value, "Invalid attribute/modifier field"},
});

constexpr std::array sa_statuses = std::to_array<numbered_text>({
    {0, "Success"},
    {mad_status::sa_no_resources, "No Resources"},
    {mad_status::sa_request_invalid, "Request Invalid"},
    {mad_status::sa_no_records, "No Records"},
    {mad_status::sa_too_many_records, "Too Many Records"},
    {mad_status::sa_invalid_gid, "Invalid GID"},
    {mad_status::sa_insufficient_components, "Insufficient Components"},
    {mad_status::sa_request_denied, "Request Denied"},
    {mad_status::sa_priority_suggested, "Priority Suggested"},
});

constexpr std::array common_attributes = std::to_array<numbered_text>({
    {0x0001, "Class Port Info"},
    {0x0002, "Notice"},
    {0x0003, "Inform Info"},
});

constexpr std::array sm_attributes = std::to_array<numbered_text>({
    {0x0010, "NodeDescription"},
    {0x0011, "NodeInfo"},
    {0x0012, "SwitchInfo"},
    {0x0014, "GUIDInfo"},
    {0x0015, "PortInfo"},
    {0x0016, "P_KeyTable"},
    {0x0017, "SLtoVLMappingTable"},
    {0x0018, "VLArbitrationTable"},
    {0x0019, "LinearForwardingTable"},
    {0x001A, "RandomForwardingTable"},
    {0x001B, "MulticastForwardingTable"},
    {0x001C, "LinkSpeedWidthPairsTable"},
    {0x001D, "VendorSpecificMadsTable"},
    {0x001E, "HierarchyInfo"},
    {0x0020, "SMInfo"},
    {0x0030, "VendorDiag"},
    {0x0031, "LedInfo"},
    {0x0032, "CableInfo"},
    {0x0033, "PortInfoExtended"},
});

constexpr std::array sa_attributes = std::to_array<numbered_text>({
    {0x0011, "NodeRecord"},
    {0x0012, "PortInfoRecord"},
    {0x0013, "SLtoVLMappingTableRecord"},
    {0x0014, "SwitchInfoRecord"},
    {0x0015, "LinearForwardingTableRecord"},
    {0x0016, "RandomForwardingTableRecord"},
    {0x0017, "MulticastForwardingTableRecord"},
    {0x0018, "SMInfoRecord"},
    {0x0019, "LinkSpeedWidthPairsTableRecord"},
    {0x0020, "LinkRecord"},
    {0x0030, "GuidInfoRecord"},
    {0x0031, "ServiceRecord"},
    {0x0033, "P_KeyTableRecord"},
    {0x0035, "PathRecord"},
    {0x0036, "VLArbitrationTableRecord"},
    {0x0038, "MCMemberRecord"},
    {0x0039, "TraceRecord"},
    {0x003A, "MultiPathRecord"},
    {0x003B, "ServiceAssociationRecord"},
    {0x003C, "HierarchyInfoRecord"},
    {0x003D, "CableInfoRecord"},
    {0x003E, "PortInfoExtendedRecord"},
    {0x00F3, "InformInfoRecord"},
});

constexpr std::array cm_attributes = std::to_array<numbered_text>({
    {0x0010, "ConnectRequest"},
    {0x0011, "MsgRcptAck"},
    {0x0012, "ConnectReject"},
    {0x0013, "ConnectReply"},
    {0x0014, "ReadyToUse"},
    {0x0015, "DisconnectRequest"},
    {0x0016, "DisconnectReply"},
    {0x0017, "ServiceIDResReq"},
    {0x0018, "ServiceIDResReqResp"},
    {0x0019, "LoadAlternatePath"},
    {0x001A, "AlternatePathResponse"},
    {0x001B, "SuggestAlternatePath"},
    {0x001C, "SuggestPathResponse"},
});

std::span<numbered_text const> attributes_of(management_class class_of_mad) noexcept
{
    switch (class_of_mad) {
    case management_class::subnet_lid_routed:
    case management_class::subnet_directed_route: return sm_attributes;
    case management_class::subnet_administration: return sa_attributes;
    case management_class::communication: return cm_attributes;
    default: return {};
    }
}

/// The ranges of classes that have no names of their own.
constexpr char const* range_of(unsigned number) noexcept
{
    if ((number >= 0x09 && number <= 0x0F) || (number >= 0x30 && number <= 0x4F))
        return "Vendor";
    return number >= 0x10 && number <= 0x2F ? "Application" : unknown;
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal;
using namespace madrigal::libibumad;

extern "C" {

char const* umad_class_str(std::uint8_t mgmt_class)
{
    return find(classes, mgmt_class, range_of(mgmt_class));
}

char const* umad_method_str(std::uint8_t mgmt_class, std::uint8_t method)
{
    auto const* const common = find(common_methods, method, unknown_method);
    return management_class{mgmt_class} == management_class::subnet_administration ? find(sa_methods, method, common)
                                                                                   : common;
}

char const* umad_common_mad_status_str(__be16 status)
{
    unsigned const bits = be16toh(status);
    if ((bits & mad_status::busy) != 0)
        return "Busy";
    if ((bits & mad_status::redirect_required) != 0)
        return "Redirection required";
    return find(field_statuses, bits & mad_status::invalid_field_mask, "Success");
}

char const* umad_sa_mad_status_str(__be16 status)
{
    return find(sa_statuses, be16toh(status) & 0xFF00u, "Undefined Error");
}

char const* umad_attribute_str(std::uint8_t mgmt_class, __be16 attr_id)
{
    unsigned const id = be16toh(attr_id);
    return find(attributes_of(management_class{mgmt_class}), id, find(common_attributes, id, unknown));
}

} // extern "C"
