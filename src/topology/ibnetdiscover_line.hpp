// The kinds of line that ibnetdiscover's text consists of, each parsed on its own. Views point into the parsed text.
#pragma once

#include "line_cursor.hpp"

#include <madrigal/topology/fabric.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal::topology::detail {

/// `vendid=0x2c9`, `switchguid=0x2c90200419cb8(2c90200419cb8)`: lines that tell something of the next record.
struct attribute_line {
    enum class kind : std::uint8_t { vendor_id, device_id, system_image_guid, node_guid };

    kind what = kind::vendor_id;
    node_type type = node_type::ca; ///< whose GUID; node_guid only
    std::uint64_t value = 0;
    std::optional<guid> port_guid; ///< in parentheses behind a switch's GUID
};

/// `Switch	36 "S-0002c90200419cb8"		# "description" base port 0 lid 1169 lmc 0`
struct record_line {
    node_type type = node_type::ca;
    unsigned ports = 0;
    std::string_view id;
    std::optional<std::string_view> description;
    bool enhanced_port0 = false;
    std::optional<lid> base_lid;
    std::optional<std::uint8_t> lmc;
    std::string remark; ///< what was not understood behind the id; empty for nothing
};

/// `[1](2c9030008e695) 	"S-0002c9020041dc88"[3]		# lid 920 lmc 0 "description" lid 844 4xQDR`
struct port_line {
    unsigned port = 0;
    std::optional<guid> port_guid;
    std::string_view peer_id;
    unsigned peer_port = 0;
    std::optional<guid> peer_port_guid;
    link_width width = link_width::none;
    link_speed speed = link_speed::none;
    std::optional<lid> base_lid;
    std::optional<std::uint8_t> lmc;
    std::optional<lid> peer_lid;
    std::optional<std::string_view> peer_description;
    std::string remark;
};

/// True where the line begins as an attribute line does.
[[nodiscard]] bool is_attribute_line(std::string_view line) noexcept;
/// True where the line begins with a record's keyword and a blank.
[[nodiscard]] bool is_record_line(std::string_view line) noexcept;

/// `line` is without leading blanks and without its line end.
[[nodiscard]] parsed<attribute_line> parse_attribute_line(std::string_view line);
[[nodiscard]] parsed<record_line> parse_record_line(std::string_view line);
[[nodiscard]] parsed<port_line> parse_port_line(std::string_view line);

/// Type and GUID that an id such as `S-0002c90200419cb8` tells.
struct told_by_id {
    node_type type = node_type::ca;
    guid node_guid;
};
[[nodiscard]] std::optional<told_by_id> parse_canonical_id(std::string_view id) noexcept;

/// At most `limit` bytes of `text`, with unprintable ones as `?`: for messages.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 100);

} // namespace madrigal::topology::detail
