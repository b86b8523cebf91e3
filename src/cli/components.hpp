// Components of records as people write them: `NodeType=2`, `NodeDescription=leaf-001`, `GUID[3]=0x1`.
#pragma once

#include <madrigal/wire/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace madrigal::cli {

/// Writes the value of such a word into a record's bytes, and gives the component's bits. 0, with the reason in `why`,
/// where the word cannot be understood: no such field, no component, a value that the field cannot have.
[[nodiscard]] std::uint64_t set_component(
    attribute_descriptor const& of, std::span<std::byte> record, std::string const& word, std::string& why);

} // namespace madrigal::cli
