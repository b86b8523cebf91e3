// Values of fields as people write them: `NodeType=2`, `NodeType=Switch`, `NodeDescription=leaf-001`, `GUID[3]=0x1`.
#pragma once

#include <madrigal/wire/registry.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace madrigal::cli {

/// Which value of an attribute is meant.
struct field_place {
    std::size_t field = 0; ///< its place in the attribute's `fields`
    std::size_t element = 0;
    friend bool operator==(field_place const&, field_place const&) noexcept = default;
};

/// Which fields may be named.
enum class naming_of { all_fields, components };

/// Writes the value of such a word into an attribute's bytes, and tells whose it is. Names are those of the IBA, in any
/// case of letters and with or without `_`. Nothing, with the reason in `why`, where the word cannot be understood: no
/// such field, or a value that the field cannot have.
[[nodiscard]] std::optional<field_place> set_field(attribute_descriptor const& of, std::span<std::byte> bytes,
    std::string const& word, naming_of which, std::string& why);

} // namespace madrigal::cli
