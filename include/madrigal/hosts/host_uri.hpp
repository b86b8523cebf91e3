// A host's URI, taken apart.
#pragma once

#include <madrigal/error.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace madrigal {

/// `scheme:path?name=value&name`, with `%XX` decoded.
struct host_uri {
    std::string scheme;
    std::string path;
    std::vector<std::pair<std::string, std::string>> parameters; ///< in their order; without `=` the value is empty

    /// True where a parameter of this name stands in it, with a value or without.
    [[nodiscard]] bool has(std::string_view parameter) const noexcept;
};

/// errc::malformed_uri with what is wrong: an empty scheme, a `%` without two hexadecimal digits, a null byte, an empty
/// name, a name that stands twice.
[[nodiscard]] result<host_uri> parse_host_uri(std::string_view text);

/// A path, or a name or value of a parameter, as it stands in a URI: what has a meaning there is encoded as `%XX`.
[[nodiscard]] std::string percent_encoded(std::string_view plain);

} // namespace madrigal
