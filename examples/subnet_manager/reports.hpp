// Tells subscribers what has happened.
#pragma once

#include "managed.hpp"

#include <madrigal/wire/attributes/notice.hpp>

namespace sm {

/// Sends a Report to everybody who has subscribed to a notice. `issuer` is the LID of the port that it came from, or
/// the subnet manager's own. Who does not answer in the end is left alone until the next one.
void report(managed& known, madrigal::notice told, madrigal::lid issuer);

/// Trap 64 to 67: about a GID that came, went, was made a group's, or is no longer.
void report_gid(managed& known, std::uint16_t trap, madrigal::gid const& about);

/// Ports that came or went between two sweeps.
void report_differences(managed& known, subnet const* before, subnet const& now);

} // namespace sm
