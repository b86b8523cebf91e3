#include <madrigal/wire/management_class.hpp>
#include <madrigal/wire/numbers.hpp>

namespace madrigal {

std::string to_string(management_class value)
{
    auto const number = static_cast<unsigned>(value);
    switch (value) {
    case management_class::subnet_lid_routed: return "SubnLIDRouted";
    case management_class::subnet_directed_route: return "SubnDirectedRoute";
    case management_class::subnet_administration: return "SubnAdm";
    case management_class::performance: return "PerfMgt";
    case management_class::baseboard: return "BM";
    case management_class::device_management: return "DevMgt";
    case management_class::communication: return "ComMgt";
    case management_class::snmp: return "SNMP";
    case management_class::device_administration: return "DevAdm";
    case management_class::boot: return "BootMgt";
    case management_class::bis: return "BIS";
    case management_class::congestion: return "CongestionControl";
    default: break;
    }
    if (is_vendor_without_oui(value) || is_vendor_with_oui(value))
        return "Vendor " + hexadecimal(number, 2);
    if (number >= 0x20 && number <= 0x2F)
        return "Application " + hexadecimal(number, 2);
    return hexadecimal(number, 2);
}

} // namespace madrigal
