/* One table per attribute: from it come the struct, decoding, encoding, visiting and text.

     #define VENDOR_ECHO(field)                                                          \
         field(std::uint32_t, sequence, "Sequence", 0, 32, "counts requests")            \
         field(std::uint16_t, key, "Key", 32, 16, "chosen by the asker", hexadecimal)
     MADRIGAL_ATTRIBUTE(echo, "Echo", 0x0010, attribute_scope{management_class{0x32}}, 6, VENDOR_ECHO);

   field(type, member, name, offset, width, meaning[, style]): the offset counts bits from the most significant bit of
   byte 0, the width is in bits, both as in the IBA tables. A type is an unsigned integer, bool, an enumeration, guid,
   lid, gid, flags<...>, fixed_text<...>, raw_bytes<...>, another structure with a table (an SA record holds a whole
   NodeInfo), or an alias of std::array<T, N> of such, whose width is that of one element. The compiler refuses fields
   outside the size, fields that overlap, and widths that do not fit their types.

   What prints, or looks at values without knowing their types, sees the values of a structure within a structure as if
   their fields stood in the outer table: `flat_fields` describes them. */
#pragma once

#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/field_codec.hpp>
#include <madrigal/wire/management_class.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace madrigal {

/// How a plain number prints; enumerations, identifiers and flags have their own form.
enum class number_style : std::uint8_t {
    decimal,
    hexadecimal,
};

/// One field of a table.
struct field_description {
    std::string_view name;    ///< as the IBA spells it
    unsigned offset;          ///< bits from the most significant bit of byte 0
    unsigned width;           ///< bits; of one element for an array
    unsigned count;           ///< elements; 1 for anything but an array
    std::string_view meaning; ///< one phrase
    number_style style = number_style::decimal;
    unsigned stride = 0; ///< bits from one element to the next; 0 where they follow each other closely

    /// Where an element begins, counted as `offset` is.
    [[nodiscard]] constexpr unsigned element_offset(std::size_t element) const noexcept
    {
        return offset + static_cast<unsigned>(element) * (stride != 0 ? stride : width);
    }
};

/// The management classes in which an attribute id means this attribute.
class attribute_scope {
public:
    /// Nowhere: a structure that is no attribute of its own, such as a header.
    constexpr attribute_scope() noexcept = default;
    constexpr explicit attribute_scope(management_class only) noexcept : first_{only}, second_{only}, kind_{kind::named}
    {}
    constexpr attribute_scope(management_class first, management_class second) noexcept
        : first_{first}, second_{second}, kind_{kind::named}
    {}
    /// Every class but the two of subnet management.
    [[nodiscard]] static constexpr attribute_scope general() noexcept
    {
        attribute_scope scope;
        scope.kind_ = kind::general;
        return scope;
    }

    /// True if the attribute id has this meaning in MADs of the class.
    [[nodiscard]] constexpr bool contains(management_class value) const noexcept
    {
        switch (kind_) {
        case kind::named: return value == first_ || value == second_;
        case kind::general: return !is_smp(value);
        case kind::nowhere: break;
        }
        return false;
    }

private:
    enum class kind : std::uint8_t { nowhere, named, general };
    management_class first_{};
    management_class second_{};
    kind kind_ = kind::nowhere;
};

/// Attributes of SMPs, LID routed and directed route alike.
inline constexpr attribute_scope subnet_management_scope{
    management_class::subnet_lid_routed, management_class::subnet_directed_route};

/// What a table says about the whole.
struct layout_description {
    std::string_view name; ///< as the IBA spells it
    std::uint16_t id;      ///< AttributeID in host byte order
    attribute_scope scope;
    std::size_t size; ///< bytes
};

namespace detail {

/// A field's type, offset and width as the compiler sees them.
template <class T, unsigned Offset, unsigned Width>
struct field_layout {
    using value_type = T;
    static_assert(field_codec<T>::template fits<Offset, Width>, "the width does not fit the type of the field");

    static constexpr void load(std::byte const* bytes, T& value) noexcept
    {
        field_codec<T>::template load<Offset, Width>(bytes, value);
    }
    static constexpr void store(std::byte* bytes, T const& value) noexcept
    {
        field_codec<T>::template store<Offset, Width>(bytes, value);
    }
};

template <std::size_t Count>
[[nodiscard]] constexpr bool fields_are_inside(
    std::array<field_description, Count> const& fields, std::size_t size) noexcept
{
    for (auto const& field : fields)
        if (field.offset + std::size_t{field.width} * field.count > 8 * size)
            return false;
    return true;
}

template <std::size_t Count>
[[nodiscard]] constexpr bool fields_are_apart(std::array<field_description, Count> const& fields) noexcept
{
    for (std::size_t i = 0; i != Count; ++i)
        for (std::size_t j = 0; j != i; ++j)
            if (fields[i].offset < fields[j].offset + fields[j].width * fields[j].count &&
                fields[j].offset < fields[i].offset + fields[i].width * fields[i].count)
                return false;
    return true;
}

} // namespace detail

/// A struct that MADRIGAL_LAYOUT or MADRIGAL_ATTRIBUTE defined.
template <class T>
concept wire_layout = requires
{
    {
        T::layout
        } -> std::convertible_to<layout_description>;
    T::fields.size();
};

namespace detail {

/// Reads and writes all fields of a structure that begins at `bytes`, wherever it stands: one body for the structure
/// and for all that hold it.
template <wire_layout T>
constexpr void load_fields(std::byte const* bytes, T& value) noexcept
{
    T::visit_layout(value, [bytes](auto field, std::size_t, auto& member) { field.load(bytes, member); });
}
template <wire_layout T>
constexpr void store_fields(std::byte* bytes, T const& value) noexcept
{
    T::visit_layout(value, [bytes](auto field, std::size_t, auto const& member) { field.store(bytes, member); });
}

/// A structure as a field of another one.
template <wire_layout T>
struct field_codec<T> {
    static constexpr unsigned count = 1;
    template <unsigned Offset, unsigned Width>
    static constexpr bool fits = Offset % 8 == 0 && Width == 8 * T::layout.size;

    template <unsigned Offset, unsigned Width>
    static constexpr void load(std::byte const* bytes, T& value) noexcept
    {
        load_fields(bytes + Offset / 8, value);
    }
    template <unsigned Offset, unsigned Width>
    static constexpr void store(std::byte* bytes, T const& value) noexcept
    {
        store_fields(bytes + Offset / 8, value);
    }
};

/// The structure that a field is made of, or that each of its elements is; void for any other field.
template <class T>
struct structure_of {
    using type = void;
};
template <wire_layout T>
struct structure_of<T> {
    using type = T;
};
template <wire_layout T, std::size_t Count>
struct structure_of<std::array<T, Count>> {
    using type = T;
};
template <class T>
using structure_of_t = typename structure_of<T>::type;

/// How many fields there are when those of inner structures are counted.
template <class T>
[[nodiscard]] constexpr std::size_t flat_count() noexcept
{
    std::size_t count = 0;
    T const any{};
    T::visit_layout(any, [&]<class Member>(auto, std::size_t, Member const&) {
        if constexpr (std::is_void_v<structure_of_t<Member>>)
            ++count;
        else
            count += flat_count<structure_of_t<Member>>();
    });
    return count;
}

template <class T>
[[nodiscard]] constexpr std::array<field_description, flat_count<T>()> flatten() noexcept
{
    std::array<field_description, flat_count<T>()> all{};
    std::size_t next = 0;
    T const any{};
    T::visit_layout(any, [&]<class Member>(auto, std::size_t index, Member const&) {
        auto const& field = T::fields[index];
        using inner = structure_of_t<Member>;
        if constexpr (std::is_void_v<inner>) {
            all[next++] = field;
        } else {
            for (auto one : flatten<inner>()) {
                one.offset += field.offset;
                if (is_std_array<Member>) {
                    one.count = field.count;
                    one.stride = field.width;
                }
                all[next++] = one;
            }
        }
    });
    return all;
}

template <class T>
inline constexpr auto flattened = flatten<T>();

/// An array's structures may hold no arrays: there would be two indices.
template <class T>
[[nodiscard]] constexpr bool arrays_are_simple() noexcept
{
    bool simple = true;
    T const any{};
    T::visit_layout(any, [&]<class Member>(auto, std::size_t, Member const&) {
        using inner = structure_of_t<Member>;
        if constexpr (is_std_array<Member> && !std::is_void_v<inner>)
            for (auto const& one : flatten<inner>())
                simple = simple && one.count == 1;
    });
    return simple;
}

/// Calls `visitor(index into the flat fields, element, value)` for each value.
template <class T, class Visitor>
constexpr void visit_values(T& value, Visitor& visitor, std::size_t field = 0, std::size_t element = 0)
{
    std::remove_const_t<T>::visit_layout(value, [&]<class Member>(auto, std::size_t, Member& member) {
        using inner = structure_of_t<std::remove_const_t<Member>>;
        if constexpr (!is_std_array<std::remove_const_t<Member>>) {
            if constexpr (std::is_void_v<inner>)
                visitor(field, element, member);
            else
                visit_values(member, visitor, field, element);
        } else {
            for (std::size_t i = 0; i != member.size(); ++i)
                if constexpr (std::is_void_v<inner>)
                    visitor(field, i, member[i]);
                else
                    visit_values(member[i], visitor, field, i);
        }
        if constexpr (std::is_void_v<inner>)
            ++field;
        else
            field += flat_count<inner>();
    });
}

} // namespace detail

/// The fields of a structure, those of the structures within it in their places.
template <wire_layout T>
[[nodiscard]] constexpr std::span<field_description const> flat_fields() noexcept
{
    return detail::flattened<T>;
}

/// Reads a structure from the first `T::layout.size` bytes; nothing where there are fewer.
template <wire_layout T>
[[nodiscard]] constexpr std::optional<T> decode(std::span<std::byte const> bytes) noexcept
{
    if (bytes.size() < T::layout.size)
        return std::nullopt;
    std::optional<T> value{std::in_place};
    detail::load_fields(bytes.data(), *value);
    return value;
}

/// Writes all `T::layout.size` bytes of a structure, reserved bits as zero. False, with nothing written, where `bytes`
/// is shorter. Bits of a member beyond its field's width are not written.
template <wire_layout T>
[[nodiscard]] constexpr bool encode(T const& value, std::span<std::byte> bytes) noexcept
{
    if (bytes.size() < T::layout.size)
        return false;
    for (auto& byte : bytes.first(T::layout.size))
        byte = std::byte{0};
    detail::store_fields(bytes.data(), value);
    return true;
}

/// The bytes of a structure.
template <wire_layout T>
[[nodiscard]] constexpr std::array<std::byte, T::layout.size> encoded(T const& value) noexcept
{
    std::array<std::byte, T::layout.size> bytes{};
    (void)encode(value, bytes);
    return bytes;
}

/// Calls `visitor(field_description const&, member)` for each field in the order of the table; the member is const
/// where `value` is. A structure or an array is one member.
template <class T, class Visitor>
requires wire_layout<std::remove_const_t<T>>
constexpr void for_each_field(T& value, Visitor&& visitor)
{
    using table = std::remove_const_t<T>;
    table::visit_layout(value, [&](auto, std::size_t field, auto& member) { visitor(table::fields[field], member); });
}

namespace detail {

/// Calls a visitor with the descriptions of the fields instead of their places. Its type does not depend on the
/// structure: one that holds another shares the body that visits the inner one.
template <class Visitor>
struct describing_visitor {
    field_description const* fields;
    Visitor& visitor;

    template <class One>
    constexpr void operator()(std::size_t field, std::size_t element, One& one)
    {
        visitor(fields[field], element, one);
    }
};

} // namespace detail

/// Calls `visitor(field_description const&, element, value)` for every single value: each element of an array, and the
/// values of structures within the structure. The descriptions are those of `flat_fields`; `element` counts from 0.
template <class T, class Visitor>
requires wire_layout<std::remove_const_t<T>>
constexpr void for_each_value(T& value, Visitor&& visitor)
{
    detail::describing_visitor<std::remove_reference_t<Visitor>> describing{
        detail::flattened<std::remove_const_t<T>>.data(), visitor};
    detail::visit_values(value, describing);
}

namespace detail {
void append_text_line(std::string& text, std::string_view name, std::string_view value);
void append_text_line(std::string& text, std::string_view name, std::size_t index, std::string_view value);
void append_text_line(std::string& text, field_description const& field, std::size_t element, std::string_view value);
} // namespace detail

/// The text of one field's value, or of one element of an array.
template <class T>
[[nodiscard]] std::string value_text(field_description const& field, T const& value)
{
    return detail::field_codec<T>::text(value, field.style == number_style::hexadecimal ? (field.width + 3) / 4 : 0);
}

namespace detail {

/// Adds the line of each value: one body per type of value, whatever structures have such.
struct text_lines {
    std::string& text;

    template <class One>
    void operator()(field_description const& field, std::size_t element, One const& one) const
    {
        append_text_line(text, field, element, value_text(field, one));
    }
};

} // namespace detail

/// One line per value, as smpquery shows them: `NodeType:........................Switch`. An array has a line per
/// element.
template <wire_layout T>
[[nodiscard]] std::string to_text(T const& value)
{
    std::string text;
    for_each_value(value, detail::text_lines{text});
    return text;
}

} // namespace madrigal

#define MADRIGAL_DETAIL_MEMBER(field_type, member, ...) field_type member{};
#define MADRIGAL_DETAIL_DESCRIBE(field_type, member, field_name, offset, width, meaning, ...)                          \
    ::madrigal::field_description{field_name, offset, width, ::madrigal::detail::field_codec<field_type>::count,       \
        meaning __VA_OPT__(, ::madrigal::number_style::__VA_ARGS__)},
#define MADRIGAL_DETAIL_VISIT(field_type, member, field_name, offset, width, ...)                                      \
    visitor(::madrigal::detail::field_layout<field_type, offset, width>{}, index++, self.member);

/// An attribute: struct `type` with the members of `TABLE`; see the head of this file. May stand in any namespace.
#define MADRIGAL_ATTRIBUTE(type, attribute_name, attribute_id, attribute_classes, size_in_bytes, TABLE)                \
    struct type {                                                                                                      \
        TABLE(MADRIGAL_DETAIL_MEMBER)                                                                                  \
        static constexpr ::madrigal::layout_description layout{                                                        \
            attribute_name, attribute_id, attribute_classes, size_in_bytes};                                           \
        static constexpr auto fields =                                                                                 \
            ::std::to_array<::madrigal::field_description>({TABLE(MADRIGAL_DETAIL_DESCRIBE)});                         \
        template <class Self, class Visitor>                                                                           \
        static constexpr void visit_layout(Self& self, Visitor&& visitor)                                              \
        {                                                                                                              \
            ::std::size_t index = 0;                                                                                   \
            TABLE(MADRIGAL_DETAIL_VISIT)                                                                               \
        }                                                                                                              \
        friend constexpr bool operator==(type const&, type const&) noexcept = default;                                 \
    };                                                                                                                 \
    static_assert(::std::is_trivially_destructible_v<type> && ::std::is_aggregate_v<type>);                            \
    static_assert(::madrigal::detail::fields_are_inside(type::fields, type::layout.size),                              \
        #type ": a field reaches beyond the size");                                                                    \
    static_assert(::madrigal::detail::fields_are_apart(type::fields), #type ": two fields overlap");                   \
    static_assert(::madrigal::detail::arrays_are_simple<type>(), #type ": an array of structures with arrays")

/// A structure that is no attribute of its own, such as a header or a trap's details.
#define MADRIGAL_LAYOUT(type, structure_name, size_in_bytes, TABLE)                                                    \
    MADRIGAL_ATTRIBUTE(type, structure_name, 0, ::madrigal::attribute_scope{}, size_in_bytes, TABLE)
