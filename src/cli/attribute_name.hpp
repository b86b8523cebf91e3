// The attributes that can be queried, by the names that people use for them.
#pragma once

#include <madrigal/wire/registry.hpp>

#include <string>
#include <string_view>

namespace madrigal::cli {

/// The attribute of subnet management with this name: that of the IBA, in any case of letters and with or without `_`,
/// or a short one (`pi`, `nodedesc`, `lft`). Null where there is none.
[[nodiscard]] attribute_descriptor const* find_smp_attribute(std::string_view name);
/// `GUIDInfo (gi, guids), …`: all that can be asked.
[[nodiscard]] std::string smp_attribute_names();

} // namespace madrigal::cli
