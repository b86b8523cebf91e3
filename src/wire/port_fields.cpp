#include <madrigal/wire/port_fields.hpp>

namespace madrigal {

namespace {

template <class Enum>
std::string unknown(Enum value)
{
    return "?(" + std::to_string(static_cast<unsigned>(value)) + ")";
}

template <class Enum>
std::string number(Enum value)
{
    return std::to_string(static_cast<unsigned>(value));
}

} // namespace

std::string to_string(link_down_default_state value)
{
    switch (value) {
    case link_down_default_state::no_change: return "NoChange";
    case link_down_default_state::sleep: return "Sleep";
    case link_down_default_state::polling: return "Polling";
    }
    return number(value);
}

std::string to_string(mtu value)
{
    auto const bytes = mtu_bytes(value);
    return bytes != 0 ? std::to_string(bytes) : unknown(value);
}

std::string to_string(virtual_lanes value)
{
    switch (value) {
    case virtual_lanes::no_change: return "NoChange";
    case virtual_lanes::vl0: return "VL0";
    case virtual_lanes::vl0_1: return "VL0-1";
    case virtual_lanes::vl0_3: return "VL0-3";
    case virtual_lanes::vl0_7: return "VL0-7";
    case virtual_lanes::vl0_14: return "VL0-14";
    }
    return unknown(value);
}

std::string to_string(legacy_speed value)
{
    switch (value) {
    case legacy_speed::sdr: return "SDR";
    case legacy_speed::ddr: return "DDR";
    case legacy_speed::qdr: return "QDR";
    }
    return number(value);
}

std::string to_string(extended_speed value)
{
    switch (value) {
    case extended_speed::fdr: return "FDR";
    case extended_speed::edr: return "EDR";
    case extended_speed::hdr: return "HDR";
    case extended_speed::ndr: return "NDR";
    }
    return number(value);
}

std::string to_string(extended_speed2 value)
{
    switch (value) {
    case extended_speed2::xdr: return "XDR";
    }
    return number(value);
}

std::string to_string(vendor_speed value)
{
    switch (value) {
    case vendor_speed::fdr10: return "FDR10";
    }
    return number(value);
}

} // namespace madrigal
