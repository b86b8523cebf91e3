// From the command line's options to an open host, and what is said about it.
#pragma once

#include "cli/options.hpp"

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>

#include <memory>

namespace madrigal::cli {

/// What the rooms of the library log goes to stderr: warnings, from `-v` on what they do, from `-vv` on in detail.
void set_verbosity(unsigned verbosity);

/// The host that `--host` names.
[[nodiscard]] result<std::shared_ptr<umad::host>> open_host(host_arguments const& wanted);

} // namespace madrigal::cli
