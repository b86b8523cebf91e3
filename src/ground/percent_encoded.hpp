// Text in URIs.
#pragma once

#include <string>
#include <string_view>

namespace madrigal::detail {

/// What has a meaning in a host's URI, and what cannot be seen, as `%XX`.
[[nodiscard]] std::string percent_encoded(std::string_view plain);

} // namespace madrigal::detail
