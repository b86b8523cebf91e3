// This machine's own kernel.
#pragma once

#include "conformance/world.hpp"

#include <string>
#include <string_view>

namespace madrigal::conformance {

/// The first port of the CA named. The commands that MADRIGAL_UNPLUG and MADRIGAL_PLUG hold take the device away and
/// bring it back. Null, with the reason in `why`, where there is no such CA.
[[nodiscard]] std::unique_ptr<world> make_linux_world(std::string_view ca, std::string& why);

} // namespace madrigal::conformance
