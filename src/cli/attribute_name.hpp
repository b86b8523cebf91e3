// The attributes that can be queried, by the names that people use for them, and the classes that have them.
#pragma once

#include <madrigal/wire/management_class.hpp>
#include <madrigal/wire/registry.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace madrigal::cli {

/// An attribute, and the class whose agents are asked for it.
struct named_attribute {
    attribute_descriptor const* table = nullptr;
    management_class of = management_class::subnet_lid_routed;
};

/// What a name leads to.
enum class naming : std::uint8_t {
    found,
    unknown,        ///< no attribute has this name
    of_every_class, ///< the class must be said too
    not_of_class,   ///< the class said has no such attribute
    message,        ///< a message of a class whose agents are not asked with Get
};

/// The attribute with this name: that of the IBA, in any case of letters and with or without `_`, or a short one (`pi`,
/// `nodedesc`, `lft`). Where `of` is not set, of the one class that has it.
[[nodiscard]] naming find_named(std::string_view name, std::optional<management_class> of, named_attribute& found);
/// `GUIDInfo (gi, guids), …; perf: PortCounters (pc), …`: all that can be asked, subnet management first.
[[nodiscard]] std::string attribute_names();

/// A class by its short name, `sm`, `sa`, `perf`, `bm`, `dm`, `cm`, `snmp`, `cc`, or by its number. Nothing for another
/// word, and for a number that is no class.
[[nodiscard]] std::optional<management_class> find_class(std::string_view name);
/// `sm, sa, …`
[[nodiscard]] std::string class_names();

} // namespace madrigal::cli
