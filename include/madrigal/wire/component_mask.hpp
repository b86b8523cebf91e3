/* Component masks of subnet administration (IBA 15.2.1.1): which components of a record a request sets, or which of
   them a record must have to be found.

     constexpr auto mask = components<&path_record::dgid> | components<&path_record::numb_path>;
     constexpr auto of_node = components<&node_record::info, &node_info::node_guid>;

   The number of a component, which is its bit, is its place in the table of the record: reserved bits between two
   fields count as one, and an inner structure counts as all of its fields. The few exceptions are in
   component_exceptions.hpp. */
#pragma once

#include <madrigal/wire/component_exceptions.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/numbers.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace madrigal {

/// Components of records of a type.
template <wire_layout T>
class component_mask {
public:
    constexpr component_mask() noexcept = default;
    /// Bits as they stand in the MAD, in host byte order.
    [[nodiscard]] static constexpr component_mask from_value(std::uint64_t value) noexcept
    {
        component_mask mask;
        mask.value_ = value;
        return mask;
    }

    /// Bits as they stand in the MAD, in host byte order.
    [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return value_ == 0; }
    /// True if all of `other` are in this mask.
    [[nodiscard]] constexpr bool has(component_mask other) const noexcept
    {
        return (value_ & other.value_) == other.value_;
    }

    constexpr component_mask& operator|=(component_mask other) noexcept
    {
        value_ |= other.value_;
        return *this;
    }
    friend constexpr component_mask operator|(component_mask a, component_mask b) noexcept { return a |= b; }
    friend constexpr component_mask operator&(component_mask a, component_mask b) noexcept
    {
        return from_value(a.value_ & b.value_);
    }
    friend constexpr bool operator==(component_mask, component_mask) noexcept = default;

private:
    std::uint64_t value_ = 0;
};

namespace detail {

/// The bits of a field of a record: those of its first element, and how many elements have bits of their own.
struct component_bits {
    std::uint64_t first = 0; ///< 0 for a field without a number
    bool per_element = false;

    [[nodiscard]] constexpr std::uint64_t of(std::size_t element) const noexcept
    {
        return per_element ? first << element : first;
    }
};

[[nodiscard]] constexpr std::uint64_t bits_from(unsigned number, unsigned count) noexcept
{
    return number + count <= 64 ? low_bits(count) << number : 0;
}

template <wire_layout T>
[[nodiscard]] constexpr auto number_components() noexcept
{
    std::array<component_bits, flat_count<T>()> all{};
    unsigned number = 0;
    unsigned end = 0; // of the field before
    for (std::size_t i = 0; i != all.size(); ++i) {
        auto const& field = flattened<T>[i];
        auto const exception = exception_of<T>(field.name, field.count);
        if (exception.kind == component_kind::none)
            continue;
        if (field.offset > end)
            number += exception.reserved_before;
        bool const by_element = exception.kind == component_kind::per_element;
        all[i] = {bits_from(number, by_element ? 1 : exception.numbers), by_element};
        number += by_element ? field.count : exception.numbers;
        end = field.offset + field.width * field.count;
    }
    return all;
}

template <wire_layout T>
inline constexpr auto numbered_components = number_components<T>();

/// Which record, and which value in it, a pointer to member leads to; with two of them, through an inner structure.
template <class Record, class Value>
struct member_path {
    using record_type = Record;
    using value_type = Value;
};
template <class Record, class Value>
member_path<Record, Value> path_of(Value Record::*);
template <class Record, class Part, class Value>
member_path<Record, Value> path_of(Part Record::*, Value Part::*);

template <auto... Members>
using path_to = decltype(path_of(Members...));
template <auto... Members>
using record_of = typename path_to<Members...>::record_type;
template <auto... Members>
using value_of = typename path_to<Members...>::value_type;

template <auto First, auto... Rest, class Record>
[[nodiscard]] constexpr auto& reach(Record& record) noexcept
{
    if constexpr (sizeof...(Rest) == 0)
        return record.*First;
    else
        return reach<Rest...>(record.*First);
}

/// The bits of all values of a member, or of one element of it.
template <auto... Members>
[[nodiscard]] constexpr std::uint64_t component_bits_of(std::size_t only = static_cast<std::size_t>(-1)) noexcept
{
    using record_type = record_of<Members...>;
    record_type const any{};
    auto const& wanted = reach<Members...>(any);
    std::uint64_t bits = 0;
    auto compare = [&](std::size_t field, std::size_t element, auto const& one) {
        auto const inside = [&] {
            if constexpr (is_std_array<value_of<Members...>>) {
                if constexpr (std::same_as<std::remove_cvref_t<decltype(one)>,
                                  typename value_of<Members...>::value_type>)
                    return &one == &wanted[element < wanted.size() ? element : 0] &&
                           (only == static_cast<std::size_t>(-1) || only == element);
                else
                    return false;
            } else if constexpr (std::same_as<decltype(one), value_of<Members...> const&>) {
                return &one == &wanted;
            } else {
                return false;
            }
        }();
        if (inside)
            bits |= numbered_components<record_type>[field].of(element);
    };
    visit_values(any, compare);
    return bits;
}

} // namespace detail

/// The component that a member is, `&path_record::dgid`, or that a member of an inner structure is,
/// `&node_record::info, &node_info::node_guid`. Refused by the compiler where the IBA gives it no number.
template <auto... Members>
inline constexpr component_mask<detail::record_of<Members...>> components = [] {
    constexpr auto bits = detail::component_bits_of<Members...>();
    static_assert(bits != 0, "no component of the record: a request cannot name this member");
    return component_mask<detail::record_of<Members...>>::from_value(bits);
}();

/// `0x000000000000100c (DGID, SGID, NumbPath)`: the number, then the names of the components; a bit without a name
/// comes as a hexadecimal number.
template <wire_layout T>
[[nodiscard]] std::string to_string(component_mask<T> mask)
{
    auto text = hexadecimal(mask.value(), 16);
    auto rest = mask.value();
    char const* separator = " (";
    auto const add = [&](std::string_view name) {
        text += separator;
        text += name;
        separator = ", ";
    };
    auto const fields = flat_fields<T>();
    for (std::size_t i = 0; i != fields.size(); ++i) {
        auto const& bits = detail::numbered_components<T>[i];
        for (std::size_t element = 0; element != (bits.per_element ? fields[i].count : 1); ++element) {
            if ((bits.of(element) & rest) == 0)
                continue;
            add(bits.per_element ? std::string{fields[i].name} + '[' + std::to_string(element) + ']'
                                 : std::string{fields[i].name});
            rest &= ~bits.of(element);
        }
    }
    for (; rest != 0; rest &= rest - 1)
        add(hexadecimal(rest & (~rest + 1), 1));
    if (!mask.empty())
        text += ')';
    return text;
}

} // namespace madrigal
