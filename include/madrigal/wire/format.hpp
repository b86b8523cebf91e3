// fmt and spdlog print the types of this room: `spdlog::info("{} {:>20}", node.type, node.node_guid)`. The only header
// of the room that needs fmt.
#pragma once

#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/fixed_text.hpp>
#include <madrigal/wire/flags.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/types.hpp>

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace madrigal::detail {

template <class T>
inline constexpr bool is_printable_class =
    std::same_as<T, guid> || std::same_as<T, lid> || std::same_as<T, gid> || std::same_as<T, directed_route>;
template <class Bit>
inline constexpr bool is_printable_class<flags<Bit>> = true;
template <std::size_t Size>
inline constexpr bool is_printable_class<fixed_text<Size>> = true;
template <std::size_t Size>
inline constexpr bool is_printable_class<raw_bytes<Size>> = true;

/// Enumerations of any namespace that have a `to_string` beside them, and the classes above.
template <class T>
concept printable = (std::is_enum_v<T> || is_printable_class<T>)&&requires(T const& value)
{
    {
        to_string(value)
        } -> std::convertible_to<std::string_view>;
};

} // namespace madrigal::detail

/// Takes the format specifications of strings.
template <madrigal::detail::printable T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
    /// Called by fmt: writes the text of the value.
    template <class Context>
    auto format(T const& value, Context& context) const
    {
        // `to_string` may return a string by value: it must outlive the call below.
        auto const text = to_string(value);
        return fmt::formatter<std::string_view>::format(text, context);
    }
};

/// An attribute or header: its text of one line per field, without the last line's end.
template <madrigal::wire_layout T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
    /// Called by fmt: writes the text of the fields.
    template <class Context>
    auto format(T const& value, Context& context) const
    {
        auto const text = madrigal::to_text(value);
        return fmt::formatter<std::string_view>::format(std::string_view{text}.substr(0, text.size() - 1), context);
    }
};
