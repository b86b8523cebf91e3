// The ping of a vendor class that ibping(8) speaks: a Get, answered with the name of the machine that got it.
#pragma once

#include <madrigal/wire/mad.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace madrigal {

/// The class of pings, of the vendor classes that carry an OUI (IBA 16.5).
inline constexpr management_class ping_class{0x32};
/// Its only version.
inline constexpr std::uint8_t ping_class_version = 1;
/// The OUI under which infiniband-diags' tools ping and answer.
inline constexpr std::uint32_t ping_oui = 0x001405;
/// Where the answer holds the name, and for how many bytes, its null byte included.
inline constexpr std::size_t ping_name_offset = class_data_offset(ping_class);
inline constexpr std::size_t ping_name_size = mad_size - ping_name_offset;

/// Makes the bytes a ping: Get of attribute 0 with modifier 0, RMPP header and data zero. The transaction id is left
/// to whoever sends it. `oui` is in host byte order, of which 24 bits count.
void build_ping(std::span<std::byte, mad_size> bytes, std::uint32_t oui = ping_oui) noexcept;

/// True for a request that a server of this OUI answers: a Get of the class and version, whole up to its data, in one
/// MAD. Attribute and modifier are not looked at, as ibping's server does not.
[[nodiscard]] bool is_ping(mad_view mad, std::uint32_t oui = ping_oui) noexcept;
/// True for what may answer a ping of this OUI: a GetResp of the class and version, whole up to its data. Its status
/// may be anything.
[[nodiscard]] bool is_ping_answer(mad_view mad, std::uint32_t oui = ping_oui) noexcept;

/// Fills the data of an answer: the name, cut where it does not fit, and zeroes, at least one where there is room for
/// any.
void put_ping_name(std::span<std::byte> data, std::string_view name) noexcept;
/// The name in an answer, made printable: all up to the first null byte, or to the end of the MAD where there is none.
[[nodiscard]] std::string ping_name(mad_view answer);

} // namespace madrigal
