// Methods of a MAD (IBA 13.4.5), and which of them are answers.
#pragma once

#include <madrigal/wire/management_class.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// Method of the MAD header, R bit included (IBA 13.4.5 and, for SubnAdm, 15.2.2).
enum class method : std::uint8_t {
    get = 0x01,
    set = 0x02,
    send = 0x03,
    trap = 0x05,
    report = 0x06,
    trap_repress = 0x07,
    get_table = 0x12,
    get_trace_table = 0x13,
    get_multi = 0x14,
    delete_ = 0x15,
    get_response = 0x81,
    report_response = 0x86,
    get_table_response = 0x92,
    get_multi_response = 0x94,
    delete_response = 0x95,
};

/// `Get`, `GetResp`, `TrapRepress` …; a number for methods without a name.
[[nodiscard]] std::string to_string(method value);

/// The R bit of the method byte.
inline constexpr std::uint8_t response_bit = 0x80;

/// True for a MAD that the kernel treats as the answer to an earlier one: the R bit, TrapRepress, or, in the baseboard
/// class, which has its own response bit, an odd attribute modifier (host byte order).
[[nodiscard]] constexpr bool is_response(
    management_class class_of_mad, method value, std::uint32_t attribute_modifier = 0) noexcept
{
    return (static_cast<std::uint8_t>(value) & response_bit) != 0 || value == method::trap_repress ||
           (class_of_mad == management_class::baseboard && (attribute_modifier & 1) != 0);
}

/// The method of the usual answer: GetResp for Get and Set, TrapRepress for Trap, GetTableResp for GetTable and
/// GetTraceTable (IBA 15.2.2), else the same with the R bit.
[[nodiscard]] constexpr method response_to(method request) noexcept
{
    switch (request) {
    case method::get:
    case method::set: return method::get_response;
    case method::trap: return method::trap_repress;
    case method::get_trace_table: return method::get_table_response;
    default: return static_cast<method>(static_cast<std::uint8_t>(request) | response_bit);
    }
}

} // namespace madrigal
