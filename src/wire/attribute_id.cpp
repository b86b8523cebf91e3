#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/numbers.hpp>
#include <madrigal/wire/registry.hpp>

namespace madrigal {

std::string attribute_name(management_class class_of_mad, std::uint16_t id)
{
    auto const* attribute = find_attribute(class_of_mad, id);
    return attribute != nullptr ? std::string{attribute->layout.name} : hexadecimal(id, 4);
}

} // namespace madrigal
