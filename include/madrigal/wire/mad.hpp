// The MAD header (IBA 13.4.2): as a structure, and as views over a packet's bytes.
#pragma once

#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/management_class.hpp>
#include <madrigal/wire/method.hpp>
#include <madrigal/wire/status.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace madrigal {

/// Every MAD on the wire is this long.
inline constexpr std::size_t mad_size = 256;
/// The common header at its front.
inline constexpr std::size_t mad_header_size = 24;
/// BaseVersion of the IBA's MADs.
inline constexpr std::uint8_t mad_base_version = 1;

// clang-format off
#define MADRIGAL_MAD_HEADER(field)                                                                                     \
    field(std::uint8_t,     base_version,   "BaseVersion",     0,  8, "version of the MAD format")                     \
    field(management_class, mgmt_class,     "MgmtClass",       8,  8, "management class")                              \
    field(std::uint8_t,     class_version,  "ClassVersion",   16,  8, "version of the class's format")                 \
    field(method,           method_of_mad,  "Method",         24,  8, "what to do, and the response bit")              \
    field(std::uint16_t,    status,         "Status",         32, 16, "outcome in an answer", hexadecimal)             \
    field(std::uint16_t,    class_specific, "ClassSpecific",  48, 16,                                                  \
        "hop pointer and count in a directed-route SMP", hexadecimal)                                                  \
    field(std::uint64_t,    transaction_id, "TransactionID",  64, 64, "pairs an answer with its request", hexadecimal) \
    field(std::uint16_t,    attribute_id,   "AttributeID",   128, 16, "what it is about", hexadecimal)                 \
    field(std::uint32_t,    attribute_modifier, "AttributeModifier", 160, 32, "which part of it", hexadecimal)
// clang-format on
MADRIGAL_LAYOUT(mad_header, "MADHeader", 24, MADRIGAL_MAD_HEADER);

/// Reads the header of a MAD in place, without copying. Borrows the bytes.
class mad_view {
public:
    /// Precondition: at least 24 bytes.
    constexpr explicit mad_view(std::span<std::byte const> bytes) noexcept : bytes_{bytes}
    {
        assert(bytes.size() >= mad_header_size);
    }
    /// A view, or nothing where there are fewer than 24 bytes.
    [[nodiscard]] static constexpr std::optional<mad_view> from(std::span<std::byte const> bytes) noexcept
    {
        if (bytes.size() < mad_header_size)
            return std::nullopt;
        return mad_view{bytes};
    }

    [[nodiscard]] constexpr std::span<std::byte const> bytes() const noexcept { return bytes_; }
    [[nodiscard]] constexpr std::uint8_t base_version() const noexcept { return get<std::uint8_t, 0>(); }
    [[nodiscard]] constexpr management_class mgmt_class() const noexcept { return get<management_class, 8>(); }
    [[nodiscard]] constexpr std::uint8_t class_version() const noexcept { return get<std::uint8_t, 16>(); }
    [[nodiscard]] constexpr madrigal::method method() const noexcept { return get<madrigal::method, 24>(); }
    /// In host byte order; in a directed-route SMP bit 15 is the direction.
    [[nodiscard]] constexpr std::uint16_t status() const noexcept { return get<std::uint16_t, 32>(); }
    [[nodiscard]] constexpr std::uint16_t class_specific() const noexcept { return get<std::uint16_t, 48>(); }
    /// In host byte order: the upper half is the kernel's.
    [[nodiscard]] constexpr std::uint64_t transaction_id() const noexcept { return get<std::uint64_t, 64>(); }
    [[nodiscard]] constexpr std::uint16_t attribute_id() const noexcept { return get<std::uint16_t, 128>(); }
    [[nodiscard]] constexpr std::uint32_t attribute_modifier() const noexcept { return get<std::uint32_t, 160>(); }

    /// As the kernel decides it; see the function of the same name.
    [[nodiscard]] constexpr bool is_response() const noexcept
    {
        return madrigal::is_response(mgmt_class(), method(), attribute_modifier());
    }
    /// The status without the direction bit that a directed-route SMP keeps there.
    [[nodiscard]] constexpr std::uint16_t outcome() const noexcept
    {
        auto const all = status();
        return mgmt_class() == management_class::subnet_directed_route
                   ? static_cast<std::uint16_t>(all & ~mad_status::direction_bit)
                   : all;
    }
    /// What follows the class's own header; empty where the MAD ends before it. SMPs have 64 bytes of it, and a
    /// congestion log begins earlier.
    [[nodiscard]] constexpr std::span<std::byte const> data() const noexcept
    {
        auto const offset = attribute_data_offset(mgmt_class(), attribute_id());
        if (bytes_.size() < offset)
            return {};
        auto const rest = bytes_.subspan(offset);
        return is_smp(mgmt_class()) && rest.size() > 64 ? rest.first(64) : rest;
    }
    /// The attribute in the data; nothing where it is cut off. Class and id are not compared with `T`'s.
    template <wire_layout T>
    [[nodiscard]] constexpr std::optional<T> attribute() const noexcept
    {
        return decode<T>(data());
    }

private:
    template <class T, unsigned Offset>
    [[nodiscard]] constexpr T get() const noexcept
    {
        return static_cast<T>(load_bits<Offset, 8 * sizeof(T)>(bytes_.data()));
    }

    std::span<std::byte const> bytes_;
};

/// Reads and writes the header of a MAD in place. Borrows the bytes. All values are in host byte order.
class mutable_mad_view {
public:
    /// Precondition: at least 24 bytes.
    constexpr explicit mutable_mad_view(std::span<std::byte> bytes) noexcept : bytes_{bytes}
    {
        assert(bytes.size() >= mad_header_size);
    }
    /// A view, or nothing where there are fewer than 24 bytes.
    [[nodiscard]] static constexpr std::optional<mutable_mad_view> from(std::span<std::byte> bytes) noexcept
    {
        if (bytes.size() < mad_header_size)
            return std::nullopt;
        return mutable_mad_view{bytes};
    }

    [[nodiscard]] constexpr std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// The same bytes for reading; `mad_view` takes any view that may be written too.
    [[nodiscard]] constexpr mad_view view() const noexcept { return mad_view{bytes_}; }
    constexpr operator mad_view() const noexcept { return view(); } // NOLINT: as a pointer turns into one to const

    [[nodiscard]] constexpr std::uint8_t base_version() const noexcept { return view().base_version(); }
    [[nodiscard]] constexpr management_class mgmt_class() const noexcept { return view().mgmt_class(); }
    [[nodiscard]] constexpr std::uint8_t class_version() const noexcept { return view().class_version(); }
    [[nodiscard]] constexpr madrigal::method method() const noexcept { return view().method(); }
    [[nodiscard]] constexpr std::uint16_t status() const noexcept { return view().status(); }
    [[nodiscard]] constexpr std::uint16_t class_specific() const noexcept { return view().class_specific(); }
    [[nodiscard]] constexpr std::uint64_t transaction_id() const noexcept { return view().transaction_id(); }
    [[nodiscard]] constexpr std::uint16_t attribute_id() const noexcept { return view().attribute_id(); }
    [[nodiscard]] constexpr std::uint32_t attribute_modifier() const noexcept { return view().attribute_modifier(); }
    [[nodiscard]] constexpr bool is_response() const noexcept { return view().is_response(); }

    /// BaseVersion, 1 in the IBA's MADs.
    constexpr void set_base_version(std::uint8_t value) const noexcept { put<std::uint8_t, 0>(value); }
    /// MgmtClass. It decides where `data` begins.
    constexpr void set_mgmt_class(management_class value) const noexcept { put<management_class, 8>(value); }
    /// ClassVersion: 1 for SMPs and performance management, 2 for subnet administration.
    constexpr void set_class_version(std::uint8_t value) const noexcept { put<std::uint8_t, 16>(value); }
    /// Method, the response bit included.
    constexpr void set_method(madrigal::method value) const noexcept { put<madrigal::method, 24>(value); }
    /// Status; the direction bit of a directed-route SMP included.
    constexpr void set_status(std::uint16_t value) const noexcept { put<std::uint16_t, 32>(value); }
    /// ClassSpecific; hop pointer and hop count of a directed-route SMP.
    constexpr void set_class_specific(std::uint16_t value) const noexcept { put<std::uint16_t, 48>(value); }
    /// TransactionID; in what is written to a umad file the kernel replaces the upper half.
    constexpr void set_transaction_id(std::uint64_t value) const noexcept { put<std::uint64_t, 64>(value); }
    /// AttributeID.
    constexpr void set_attribute_id(std::uint16_t value) const noexcept { put<std::uint16_t, 128>(value); }
    /// AttributeModifier.
    constexpr void set_attribute_modifier(std::uint32_t value) const noexcept { put<std::uint32_t, 160>(value); }

    /// What follows the class's own header; empty where the MAD ends before it. SMPs have 64 bytes of it.
    [[nodiscard]] constexpr std::span<std::byte> data() const noexcept
    {
        auto const part = view().data();
        return part.empty() ? std::span<std::byte>{}
                            : bytes_.subspan(attribute_data_offset(mgmt_class(), attribute_id()), part.size());
    }
    /// Writes the attribute at the start of the data; false where there is too little room.
    template <wire_layout T>
    [[nodiscard]] constexpr bool set_attribute(T const& value) const noexcept
    {
        return encode(value, data());
    }

private:
    template <class T, unsigned Offset>
    constexpr void put(T value) const noexcept
    {
        store_bits<Offset, 8 * sizeof(T)>(bytes_.data(), static_cast<std::uint64_t>(value));
    }

    std::span<std::byte> bytes_;
};

} // namespace madrigal
