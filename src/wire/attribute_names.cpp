// The texts of enumerations that stand beside the one attribute they belong to.
#include <madrigal/wire/attributes/congestion_log.hpp>
#include <madrigal/wire/attributes/io_unit_info.hpp>
#include <madrigal/wire/attributes/port_info_extended.hpp>
#include <madrigal/wire/device_management.hpp>
#include <madrigal/wire/transport.hpp>

namespace madrigal {

namespace {

template <class Enum>
std::string number(Enum value)
{
    return std::to_string(static_cast<unsigned>(value));
}

} // namespace

std::string to_string(congestion_log_type value)
{
    switch (value) {
    case congestion_log_type::switch_: return "Switch";
    case congestion_log_type::ca: return "CA";
    }
    return number(value);
}

std::string to_string(io_slot value)
{
    switch (value) {
    case io_slot::not_installed: return "NotInstalled";
    case io_slot::installed: return "Installed";
    case io_slot::no_slot: return "NoSlot";
    }
    return number(value);
}

std::string to_string(fec_mode value)
{
    switch (value) {
    case fec_mode::none: return "None";
    case fec_mode::fire_code: return "FireCode";
    case fec_mode::reed_solomon: return "RS";
    case fec_mode::low_latency_reed_solomon: return "LowLatencyRS";
    }
    return number(value);
}

std::string to_string(io_operation value)
{
    switch (value) {
    case io_operation::send_to: return "ST";
    case io_operation::send_from: return "SF";
    case io_operation::rdma_read_to: return "RT";
    case io_operation::rdma_read_from: return "RF";
    case io_operation::rdma_write_to: return "WT";
    case io_operation::rdma_write_from: return "WF";
    case io_operation::atomic_to: return "AT";
    case io_operation::atomic_from: return "AF";
    }
    return hexadecimal(static_cast<unsigned>(value), 2);
}

std::string to_string(transport_service value)
{
    switch (value) {
    case transport_service::reliable_connection: return "RC";
    case transport_service::unreliable_connection: return "UC";
    case transport_service::reliable_datagram: return "RD";
    case transport_service::unreliable_datagram: return "UD";
    }
    return number(value);
}

} // namespace madrigal
