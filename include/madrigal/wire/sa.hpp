// MADs of subnet administration (IBA 15.2.1.1): their own part of the header, and requests for records.
#pragma once

#include <madrigal/wire/class_header.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/record_query.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace madrigal {

inline constexpr std::size_t sa_data_offset = 56;
inline constexpr std::size_t sa_data_size = 200;
/// AttributeOffset counts in steps of this many bytes.
inline constexpr std::size_t sa_record_step = 8;

/// Reads what the MADs of subnet administration have behind the common header and that of RMPP. Borrows the bytes.
class sa_view {
public:
    /// A view, or nothing where there are fewer than 56 bytes or the class is another one.
    [[nodiscard]] static constexpr std::optional<sa_view> from(std::span<std::byte const> bytes) noexcept
    {
        if (bytes.size() < sa_data_offset || mad_view{bytes}.mgmt_class() != management_class::subnet_administration)
            return std::nullopt;
        return sa_view{bytes};
    }

    /// The same bytes as any MAD.
    [[nodiscard]] constexpr mad_view mad() const noexcept { return mad_view{bytes_}; }
    /// In host byte order; 0 for no trust.
    [[nodiscard]] constexpr std::uint64_t sm_key() const noexcept { return load_bits<288, 64>(bytes_.data()); }
    /// Bytes from the start of one record to that of the next; 0 where the MAD does not tell.
    [[nodiscard]] constexpr std::size_t record_stride() const noexcept
    {
        return sa_record_step * load_bits<352, 16>(bytes_.data());
    }
    /// In host byte order.
    [[nodiscard]] constexpr std::uint64_t component_mask() const noexcept { return load_bits<384, 64>(bytes_.data()); }
    /// The records: all bytes behind the header, which a transfer of several segments has longer than one MAD.
    [[nodiscard]] constexpr std::span<std::byte const> data() const noexcept { return bytes_.subspan(sa_data_offset); }

    /// What the request asks, for a server that knows by AttributeID what it is about. Nothing where the record is cut
    /// off.
    template <wire_layout T>
    [[nodiscard]] constexpr std::optional<record_query<T>> query() const noexcept
    {
        auto const record = decode<T>(data());
        if (!record)
            return std::nullopt;
        return record_query<T>{*record, madrigal::component_mask<T>::from_value(component_mask())};
    }

private:
    constexpr explicit sa_view(std::span<std::byte const> bytes) noexcept : bytes_{bytes} {}

    std::span<std::byte const> bytes_;
};

/// How many bytes a record takes in a table: its size, rounded up to a step of AttributeOffset.
[[nodiscard]] constexpr std::size_t sa_record_stride(std::size_t record_size) noexcept
{
    return (record_size + sa_record_step - 1) / sa_record_step * sa_record_step;
}

/// What a request to subnet administration says besides its record; all in host byte order.
struct sa_request {
    method method_of_mad = method::get;
    std::uint64_t transaction_id = 0;
    std::uint64_t sm_key = 0;
    std::uint32_t attribute_modifier = 0;
};

/// Fills all 256 bytes with a request that fits into one MAD, without RMPP: `mask` is the component mask as it stands
/// in the MAD. The data is zero.
void build_sa_request(std::span<std::byte, mad_size> packet, sa_request const& request, std::uint16_t attribute_id,
    std::uint64_t mask) noexcept;

/// The same with the record of a query.
template <wire_layout T>
void build_sa_request(
    std::span<std::byte, mad_size> packet, sa_request const& request, record_query<T> const& query) noexcept
{
    static_assert(T::layout.size <= sa_data_size);
    build_sa_request(packet, request, T::layout.id, query.mask().value());
    (void)encode(query.record(), packet.template subspan<sa_data_offset>());
}

} // namespace madrigal
