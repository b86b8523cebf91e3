#include <madrigal/wire/numbers.hpp>
#include <madrigal/wire/status.hpp>

namespace madrigal {

namespace {

std::string_view invalid_field_meaning(std::uint16_t status) noexcept
{
    switch (status & mad_status::invalid_field_mask) {
    case mad_status::bad_version: return "the class or its version is not supported";
    case mad_status::unsupported_method: return "the method is not supported";
    case mad_status::unsupported_method_attribute: return "the method is not supported for this attribute";
    case mad_status::invalid_value: return "a field of the attribute or the modifier has an invalid value";
    case 0: return {};
    default: return "reserved code of an invalid field";
    }
}

std::string class_specific_meaning(management_class class_of_mad, std::uint16_t bits)
{
    if (class_of_mad == management_class::subnet_administration) {
        switch (bits) {
        case mad_status::sa_no_resources: return "the SA lacks resources";
        case mad_status::sa_request_invalid: return "the SA finds the request invalid";
        case mad_status::sa_no_records: return "no records";
        case mad_status::sa_too_many_records: return "too many records for one answer";
        case mad_status::sa_invalid_gid: return "invalid GID";
        case mad_status::sa_insufficient_components: return "too few components are set";
        case mad_status::sa_request_denied: return "the SA denied the request";
        case mad_status::sa_priority_suggested: return "the SA suggests another priority";
        default: break;
        }
    }
    return "bits of the class's own " + hexadecimal(bits, 4);
}

} // namespace

std::string describe_status(management_class class_of_mad, std::uint16_t status)
{
    auto value = status;
    if (class_of_mad == management_class::subnet_directed_route)
        value = static_cast<std::uint16_t>(value & ~mad_status::direction_bit);

    std::string text = hexadecimal(value, 4);
    char const* separator = ": ";
    auto const add = [&](std::string_view meaning) {
        if (meaning.empty())
            return;
        text += separator;
        text += meaning;
        separator = ", ";
    };
    if (value == mad_status::ok)
        add("success");
    if ((value & mad_status::busy) != 0)
        add("busy, ask again later");
    if ((value & mad_status::redirect_required) != 0)
        add("redirected, ask where ClassPortInfo says");
    add(invalid_field_meaning(value));
    constexpr std::uint16_t reserved_bits = 0x00E0;
    if ((value & reserved_bits) != 0)
        add("reserved bits " + hexadecimal(value & reserved_bits, 4));
    if (auto const own = static_cast<std::uint16_t>(value & 0xFF00); own != 0)
        add(class_specific_meaning(class_of_mad, own));
    return text;
}

} // namespace madrigal
