// What is asked of subnet administration, byte by byte, and how the records of an answer are told apart.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/sa_options.hpp>
#include <madrigal/runtime/received_mad.hpp>
#include <madrigal/wire/attributes/path_record.hpp>
#include <madrigal/wire/record_query.hpp>
#include <madrigal/wire/sa.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace madrigal {

/// One question. Numbers in host byte order. Trivially destructible.
struct sa_question {
    method ask = method::get;
    std::uint16_t attribute_id = 0;
    std::uint32_t modifier = 0;
    std::uint64_t component_mask = 0;
    std::array<std::byte, sa_data_size> data{}; ///< the record as it stands on the wire
    sa_request_options how{};
};

/// A record and the components that count, as a question. A path query carries NumbPath exactly where it belongs: a
/// table query has it (127, the most, where the caller has named none), as some subnet managers refuse one without; a
/// Get, which asks for one path anyway, has not.
template <wire_layout T>
[[nodiscard]] sa_question make_sa_question(method ask, record_query<T> what, sa_request_options const& how) noexcept
{
    static_assert(T::layout.size <= sa_data_size, "the record does not fit into one MAD");
    if constexpr (std::same_as<T, path_record>) {
        constexpr auto numb_path = components<&path_record::numb_path>;
        constexpr std::uint8_t most = 127;
        auto record = what.record();
        if (ask == method::get) {
            record.numb_path = 0;
            what = {record, component_mask<T>::from_value(what.mask().value() & ~numb_path.value())};
        } else if (!what.mask().has(numb_path)) {
            what.template where<&path_record::numb_path>(most);
        }
    }
    sa_question asked{.ask = ask,
        .attribute_id = T::layout.id,
        .modifier = 0,
        .component_mask = what.mask().value(),
        .data = {},
        .how = how};
    (void)encode(what.record(), asked.data);
    return asked;
}

/// Where the records of an answer are.
struct sa_record_range {
    std::span<std::byte const> data; ///< of all records
    std::size_t stride = 0;          ///< bytes from one to the next; 0 where there are none
    std::size_t count = 0;

    /// One record and what may follow it up to the next. Precondition: there is such a record.
    [[nodiscard]] std::span<std::byte const> operator[](std::size_t place) const noexcept
    {
        return data.subspan(place * stride);
    }
};

/// Tells the records of a table apart, by the answer's AttributeOffset. No records where there is no data, whatever
/// AttributeOffset says, or where AttributeOffset is 0 and all data is zero. Each record found has the layout's size at
/// least; what a longer one has behind that is of a later specification. The last one may lack what would fill it up to
/// AttributeOffset.
///
/// errc::malformed_answer, with a sentence that names the record: one that is cut short, because AttributeOffset is
/// smaller than the layout or because the data ends.
[[nodiscard]] result<sa_record_range> find_sa_records(
    std::span<std::byte const> data, std::size_t attribute_offset_bytes, layout_description const& of);
/// The same of an answer as it came.
[[nodiscard]] result<sa_record_range> find_sa_records(received_mad const& answer, layout_description const& of);

namespace detail {

[[nodiscard]] error record_is_cut_short(std::size_t bytes, layout_description const& of);

/// Reads an answer with one record.
template <wire_layout T>
struct sa_one_record {
    using value_type = T;
    static constexpr bool may_be_none = false;

    static error read(received_mad const& answer, T& into)
    {
        auto const data = answer.payload();
        auto found = decode<T>(data);
        if (!found)
            return record_is_cut_short(data.size(), T::layout);
        into = *found;
        return {};
    }
};

/// Reads an answer with a table.
template <wire_layout T>
struct sa_all_records {
    using value_type = std::vector<T>;
    static constexpr bool may_be_none = true;

    static error read(received_mad const& answer, std::vector<T>& into)
    {
        auto const found = find_sa_records(answer, T::layout);
        if (!found)
            return found.error();
        auto const& records = found.value();
        into.reserve(records.count);
        for (std::size_t i = 0; i != records.count; ++i)
            into.push_back(*decode<T>(records[i]));
        return {};
    }
};

} // namespace detail
} // namespace madrigal
