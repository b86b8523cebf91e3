// What `madrigal query` asks, from the words of the command line.
#pragma once

#include "cli/attribute_name.hpp"

#include <madrigal/runtime/query.hpp>
#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/registry.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace madrigal::cli {

/// The words.
struct query_words {
    std::string attribute;
    std::optional<std::string> to;
    bool route = false; ///< `to` is a directed route
    bool guid = false;  ///< `to` is a GUID
    std::optional<std::string> mgmt_class;
    std::optional<std::uint32_t> number;
    std::optional<std::uint32_t> block;
    std::vector<std::string> fields; ///< `NAME=VALUE`
};

/// The port's subnet manager, where its administration is.
struct subnet_manager {};

/// Their meaning.
struct query_question {
    attribute_descriptor const* attribute = nullptr;
    management_class of = management_class::subnet_lid_routed;
    std::variant<lid, directed_route, guid, subnet_manager> to;
    std::uint32_t modifier = 0;
    std::vector<std::byte> data;      ///< what the question carries: the attribute, of which a few fields are set
    std::uint64_t component_mask = 0; ///< of subnet administration: the fields that were given
};

/// Throws CLI::ValidationError, which is wrong usage, for words without a meaning.
[[nodiscard]] query_question understand(query_words const& words);

/// The question as a MAD, for any class but subnet management. `key` is that of the class, where it has one: SM_Key,
/// B_Key, CC_Key. The OUI of vendor classes is OpenIB's, that of pings.
[[nodiscard]] raw_mad gmp_of(query_question const& question, destination const& to, std::uint64_t key) noexcept;

} // namespace madrigal::cli
