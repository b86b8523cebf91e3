// Whom `madrigal ping` pings, from the words of the command line.
#pragma once

#include <madrigal/fabric/reach.hpp>

#include <optional>
#include <string>

namespace madrigal::cli {

/// The words.
struct ping_words {
    std::optional<std::string> to;
    bool lid = false;  ///< `to` is a LID
    bool guid = false; ///< `to` is a GUID
};

/// Their meaning; nothing for the port itself. Throws CLI::ValidationError, which is wrong usage, for words without
/// one.
[[nodiscard]] std::optional<address> understand(ping_words const& words);

} // namespace madrigal::cli
