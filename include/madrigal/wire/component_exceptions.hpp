// Where the components of a record are numbered in another way than one by one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace madrigal {

struct guid_info_record;
struct path_record;
struct port_info_record;
struct service_record;

namespace detail {

enum class component_kind : std::uint8_t {
    whole,       ///< the field has one number, or a few that go together
    per_element, ///< each element of an array has one
    none,        ///< the field has none, as if its bits were reserved
};

struct component_exception {
    std::string_view field;
    component_kind kind = component_kind::whole;
    unsigned numbers = 1;         ///< how many the field has
    unsigned reserved_before = 1; ///< how many the reserved bits before it have
};

/// A table that is a block of another one has no number: SAs find records by what stands before it.
template <class Record>
inline constexpr std::array<component_exception, 0> component_exceptions{};

/// ServiceID was two fields of 8 and 56 bits when the numbers were given.
template <>
inline constexpr std::array component_exceptions<path_record>{
    component_exception{"ServiceID", component_kind::whole, 2}};

/// The speeds from XDR came later, into bits that had been reserved and have one number for all of them.
template <>
inline constexpr std::array component_exceptions<port_info_record>{
    component_exception{"LinkSpeedExtActive2", component_kind::none},
    component_exception{"LinkSpeedExtSupported2", component_kind::none},
    component_exception{"LinkSpeedExtEnabled2", component_kind::none}};

template <>
inline constexpr std::array component_exceptions<guid_info_record>{
    component_exception{"GUID", component_kind::per_element, 1, 2}};

template <>
inline constexpr std::array component_exceptions<service_record>{
    component_exception{"ServiceData8", component_kind::per_element},
    component_exception{"ServiceData16", component_kind::per_element},
    component_exception{"ServiceData32", component_kind::per_element},
    component_exception{"ServiceData64", component_kind::per_element}};

/// The exception for a field of a record; one that changes nothing where there is none.
template <class Record>
[[nodiscard]] constexpr component_exception exception_of(std::string_view field, unsigned elements) noexcept
{
    for (auto const& one : component_exceptions<Record>)
        if (one.field == field)
            return one;
    return {field, elements == 1 ? component_kind::whole : component_kind::none};
}

} // namespace detail
} // namespace madrigal
