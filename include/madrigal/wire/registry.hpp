// All attributes that have a table, found by name or by number, for programs that learn only at run time which one
// they handle.
#pragma once

#include <madrigal/wire/component_mask.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/mad.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace madrigal {

/// One value of a field, or of one element of an array, as a visitor sees it that does not know the type.
struct field_value {
    /// Which members say what the value is.
    enum class kind : std::uint8_t {
        number, ///< `number` says it all
        named,  ///< a number that has a better text: an enumeration, flags, GUID or LID
        text,   ///< no number: text, GID or bytes
    };
    kind kind_of_value = kind::number;
    std::uint64_t number = 0; ///< host byte order; 0 for `kind::text`
    std::string text;         ///< as `to_text` prints it
};

/// `element` counts the elements of an array from 0 and is 0 for any other field.
using field_visitor =
    std::function<void(field_description const& field, std::size_t element, field_value const& value)>;

/// An attribute's table without its type.
struct attribute_descriptor {
    layout_description layout;
    std::span<field_description const> fields; ///< `flat_fields`

    /// Decodes and calls the visitor for each value in the order of `for_each_value`; false, with nothing called,
    /// where `bytes` is too short.
    bool (*visit)(std::span<std::byte const> bytes, field_visitor const& visitor);
    /// Decodes `from` and encodes it to `to`: the same fields, reserved bits zero. False where either is too short.
    bool (*reencode)(std::span<std::byte const> from, std::span<std::byte> to);
    /// The bit of an element of `fields[field]` in the component mask of a question to subnet administration (IBA
    /// 15.2.1.1), in host byte order; 0 where it has none.
    std::uint64_t (*component)(std::size_t field, std::size_t element) noexcept;

    /// `to_text` of the decoded bytes; nothing where they are too short.
    [[nodiscard]] std::optional<std::string> text(std::span<std::byte const> bytes) const;
};

namespace detail {

/// Shows a visitor each value without its type: one body per type of value, whatever attributes have such.
struct typeless_values {
    field_visitor const& visitor;

    template <class One>
    void operator()(field_description const& field, std::size_t element, One const& one) const
    {
        field_value result;
        result.text = value_text(field, one);
        if constexpr (requires { field_codec<One>::to_number(one); }) {
            result.number = field_codec<One>::to_number(one);
            result.kind_of_value = std::is_integral_v<One> ? field_value::kind::number : field_value::kind::named;
        } else {
            result.kind_of_value = field_value::kind::text;
        }
        visitor(field, element, result);
    }
};

} // namespace detail

/// The descriptor of a type, for tables of one's own too.
template <wire_layout T>
[[nodiscard]] constexpr attribute_descriptor describe_attribute() noexcept
{
    return {T::layout, flat_fields<T>(),
        [](std::span<std::byte const> bytes, field_visitor const& visitor) {
            auto const value = decode<T>(bytes);
            if (value)
                for_each_value(*value, detail::typeless_values{visitor});
            return value.has_value();
        },
        [](std::span<std::byte const> from, std::span<std::byte> to) {
            auto const value = decode<T>(from);
            return value && encode(*value, to);
        },
        [](std::size_t field, std::size_t element) noexcept -> std::uint64_t {
            constexpr auto const& all = detail::numbered_components<T>;
            return field < all.size() ? all[field].of(element) : 0;
        }};
}

/// Every attribute of the library, in the order of their names. Any thread.
[[nodiscard]] std::span<attribute_descriptor const> attributes() noexcept;
/// The attribute that a number means in a class; null where there is no table. Any thread.
[[nodiscard]] attribute_descriptor const* find_attribute(management_class class_of_mad, std::uint16_t id) noexcept;
/// The attribute in a MAD, for `mad.data()`: where one number stands for two tables, as in the congestion log, the data
/// tells which. Null where there is no table. Any thread.
[[nodiscard]] attribute_descriptor const* find_attribute(mad_view mad) noexcept;
/// By its name, `NodeInfo`, in any case of letters; null where there is none. Any thread.
[[nodiscard]] attribute_descriptor const* find_attribute(std::string_view name) noexcept;

} // namespace madrigal
