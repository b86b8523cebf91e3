// From the command line's options to an open host, and what is said about it.
#pragma once

#include "cli/options.hpp"

#include <madrigal/error.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/umad/host.hpp>

#include <memory>

namespace madrigal::cli {

/// What the rooms of the library log goes to stderr: warnings, from `-v` on what they do, from `-vv` on in detail.
void set_verbosity(unsigned verbosity);

/// What a host or a fabric is opened with: what its file has that is passed over is said on stderr, in detail where
/// the user wants to know.
[[nodiscard]] open_host_options note_options(unsigned verbosity);

/// The host that `--host` names.
[[nodiscard]] result<std::shared_ptr<umad::host>> open_host(host_arguments const& wanted);

} // namespace madrigal::cli
