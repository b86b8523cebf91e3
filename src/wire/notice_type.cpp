#include <madrigal/wire/notice_type.hpp>
#include <madrigal/wire/numbers.hpp>

namespace madrigal {

std::string to_string(notice_type value)
{
    switch (value) {
    case notice_type::fatal: return "Fatal";
    case notice_type::urgent: return "Urgent";
    case notice_type::security: return "Security";
    case notice_type::subnet_management: return "SubnetManagement";
    case notice_type::informational: return "Informational";
    case notice_type::empty: return "Empty";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(notice_producer value)
{
    switch (value) {
    case notice_producer::ca: return "CA";
    case notice_producer::switch_: return "Switch";
    case notice_producer::router: return "Router";
    case notice_producer::class_manager: return "ClassManager";
    }
    return hexadecimal(static_cast<std::uint32_t>(value), 6);
}

} // namespace madrigal
