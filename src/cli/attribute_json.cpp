#include "cli/attribute_json.hpp"

#include <madrigal/wire/numbers.hpp>

#include <boost/json/array.hpp>

namespace madrigal::cli {
namespace {

boost::json::value json_of(field_description const& field, field_value const& value)
{
    constexpr unsigned exact_bits = 53;
    if (value.kind_of_value != field_value::kind::number)
        return boost::json::value(value.text);
    if (field.width > exact_bits)
        return boost::json::value(hexadecimal(value.number, (field.width + 3) / 4));
    return boost::json::value(value.number);
}

} // namespace

boost::json::object attribute_json(attribute_descriptor const& table, std::span<std::byte const> bytes)
{
    boost::json::object fields;
    (void)table.visit(bytes, [&](field_description const& field, std::size_t, field_value const& value) {
        if (field.count == 1) {
            fields[field.name] = json_of(field, value);
            return;
        }
        auto& array = fields[field.name];
        if (!array.is_array())
            array = boost::json::array{};
        array.as_array().push_back(json_of(field, value));
    });
    return fields;
}

} // namespace madrigal::cli
