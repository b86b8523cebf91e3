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
};

/// errc::malformed_uri with what is wrong: an empty scheme, a `%` without two hexadecimal digits, a null byte, an empty
/// name, a name that stands twice.
[[nodiscard]] result<host_uri> parse_host_uri(std::string_view text);

} // namespace madrigal
