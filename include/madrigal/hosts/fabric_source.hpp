// What a `sim:` URI means: a topology file, and what is made of it.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/sim/fabric.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal {

/// Where a simulated fabric comes from.
struct fabric_source {
    std::string file;                ///< ibnetdiscover text
    std::optional<std::string> ca{}; ///< the CA that the parameter `ca` names, by any of its names
    sim::fabric_options options{};
};

/// Understands `sim:FILE?…` (open_host.hpp has the parameters). errc::malformed_uri with what is wrong and what is
/// known.
[[nodiscard]] result<fabric_source> parse_fabric_source(std::string_view uri);

/// Takes one parameter of a `sim:` URI by its name; one that takes no value has an empty one. errc::malformed_uri,
/// whose context tells what is wrong and what is known, without a URI.
[[nodiscard]] error set_fabric_parameter(fabric_source& to, std::string_view name, std::string_view value);

/// A time as these parameters have it: a number with `ns`, `us`, `ms` or `s`, up to 1000000s. errc::malformed_uri, as
/// `set_fabric_parameter`; `name` is what the time is for.
[[nodiscard]] result<duration> parse_time_span(std::string_view name, std::string_view text);

/// Loads the fabric. errc::malformed_uri where `sa` stands without `configured`; errc::malformed_topology with file
/// and line; the system's own error where the file cannot be read; errc::no_such_ca with candidates.
[[nodiscard]] result<std::shared_ptr<sim::fabric>> open_fabric(
    fabric_source source, open_host_options const& options = {});

} // namespace madrigal
