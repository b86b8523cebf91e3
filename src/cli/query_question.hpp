// What `madrigal query` asks, from the words of the command line.
#pragma once

#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/registry.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace madrigal::cli {

/// The words.
struct query_words {
    std::string attribute;
    std::string to;
    bool route = false; ///< `to` is a directed route
    bool guid = false;  ///< `to` is a GUID
    std::optional<std::uint32_t> number;
    std::optional<std::uint32_t> block;
};

/// Their meaning.
struct query_question {
    attribute_descriptor const* attribute = nullptr;
    std::variant<lid, directed_route, guid> to;
    std::uint32_t modifier = 0;
};

/// Throws CLI::ValidationError, which is wrong usage, for words without a meaning.
[[nodiscard]] query_question understand(query_words const& words);

} // namespace madrigal::cli
