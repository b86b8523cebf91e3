// Any attribute as JSON.
#pragma once

#include <madrigal/wire/registry.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <span>

namespace madrigal::cli {

/// One member for each field of the table, by its IBA name; an array for a field with several elements. Numbers are
/// numbers, but strings such as `0x000000000000002a` where a field has more than 53 bits, which JSON's numbers cannot
/// hold; what has a text of its own (GUIDs, LIDs, states, flags) is that text. Empty where the bytes are too short.
[[nodiscard]] boost::json::object attribute_json(attribute_descriptor const& table, std::span<std::byte const> bytes);

} // namespace madrigal::cli
