#include "ibnetdiscover_line.hpp"

#include <boost/outcome/try.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace madrigal::topology::detail {

namespace {

struct attribute_name {
    std::string_view name;
    attribute_line::kind what;
    node_type type;
    std::uint64_t largest;
};

constexpr std::uint64_t any_guid = std::numeric_limits<std::uint64_t>::max();
// `hcaguids` is ibsim's older name of `caguid`.
constexpr std::array attribute_names{
    attribute_name{"vendid", attribute_line::kind::vendor_id, node_type::ca, 0xFF'FFFF},
    attribute_name{"devid", attribute_line::kind::device_id, node_type::ca, 0xFFFF},
    attribute_name{"sysimgguid", attribute_line::kind::system_image_guid, node_type::ca, any_guid},
    attribute_name{"switchguid", attribute_line::kind::node_guid, node_type::switch_, any_guid},
    attribute_name{"caguid", attribute_line::kind::node_guid, node_type::ca, any_guid},
    attribute_name{"hcaguids", attribute_line::kind::node_guid, node_type::ca, any_guid},
    attribute_name{"rtguid", attribute_line::kind::node_guid, node_type::router, any_guid},
};

struct record_name {
    std::string_view name;
    node_type type;
};

constexpr std::array record_names{
    record_name{"Switch", node_type::switch_},
    record_name{"Ca", node_type::ca},
    record_name{"Hca", node_type::ca},
    record_name{"Rt", node_type::router},
    record_name{"Router", node_type::router},
};

complaint expected(std::string_view what, line_cursor const& where)
{
    auto const found = where.at_end() ? std::string{"the end of the line"} : "`" + printable(where.rest(), 40) + "`";
    return complaint{fmt::format("expected {}, found {}", what, found)};
}

/// Keeps the first remark of a line.
void note(std::string& remark, std::string text)
{
    if (remark.empty())
        remark = std::move(text);
}

/// `[12]`: a port number from 1 to 254.
parsed<unsigned> take_port(line_cursor& at, std::string_view what)
{
    if (!at.take("["))
        return expected(fmt::format("{} as `[number]`", what), at);
    auto const before = at;
    auto const number = at.take_number(10);
    if (!number || *number == 0 || *number > max_node_ports || !at.take("]"))
        return expected(fmt::format("{}, a number from 1 to {} and `]`", what, max_node_ports), before);
    // Chassis grouping prints the number on the front panel, too.
    if (at.take("[ext "))
        at.take_until(']');
    return static_cast<unsigned>(*number);
}

/// `(2c9030008e695)`, blanks before it skipped; nothing where there is no parenthesis, and nothing for GUID 0.
parsed<std::optional<guid>> take_guid_in_parentheses(line_cursor& at)
{
    at.skip_blanks();
    if (!at.take("("))
        return std::optional<guid>{};
    auto const before = at;
    auto const value = at.take_hexadecimal();
    if (!value || !at.take(")"))
        return expected("a GUID of up to 16 hexadecimal digits and `)`", before);
    return *value == 0 ? std::optional<guid>{} : std::optional<guid>{guid{*value}};
}

parsed<std::string_view> take_id(line_cursor& at, std::string_view what)
{
    at.skip_blanks();
    if (!at.take("\""))
        return expected(fmt::format("{} in quotation marks", what), at);
    auto const before = at;
    auto const id = at.take_until('"');
    if (!id || id->empty())
        return expected(fmt::format("{} and a closing quotation mark", what), before);
    return *id;
}

void take_lid(line_cursor& at, std::optional<lid>& into, std::string& remark)
{
    auto const word = at.take_word();
    line_cursor digits{word};
    auto const value = digits.take_any_number();
    if (!value || !digits.at_end() || *value > max_unicast_lid.value()) {
        note(remark,
            fmt::format("`lid {}` is left out: expected 0 to {}", printable(word, 20), max_unicast_lid.value()));
        return;
    }
    if (*value != 0)
        into = lid{static_cast<std::uint16_t>(*value)};
}

void take_lmc(line_cursor& at, std::optional<std::uint8_t>& into, std::string& remark)
{
    auto const word = at.take_word();
    line_cursor digits{word};
    auto const value = digits.take_any_number();
    if (!value || !digits.at_end() || *value > 7) {
        note(remark, fmt::format("`lmc {}` is left out: expected 0 to 7", printable(word, 20)));
        return;
    }
    into = static_cast<std::uint8_t>(*value);
}

/// `4xHDR`, `4x???`, `??SDR`, `?????`: ibnetdiscover prints question marks for what it cannot name.
bool take_rate(std::string_view word, port_line& into)
{
    std::size_t length = 0;
    while (length != word.size() && word[length] >= '0' && word[length] <= '9')
        ++length;
    bool const numbered = length != 0 && length != word.size() && word[length] == 'x';
    if (!numbered && !word.starts_with("??"))
        return false;
    length = numbered ? length + 1 : 2;
    auto const width = word.substr(0, length);
    auto const speed = word.substr(length);
    if (numbered) {
        if (auto const known = parse_link_width(width))
            into.width = *known;
        else
            note(into.remark,
                fmt::format("link width `{}` is left out: expected 1x, 2x, 4x, 8x or 12x", printable(width, 20)));
    }
    if (!speed.empty() && speed != "???") {
        if (auto const known = parse_link_speed(speed))
            into.speed = *known;
        else
            note(into.remark, fmt::format("link speed `{}` is left out: expected SDR to XDR", printable(speed, 20)));
    }
    return true;
}

/// ibsim's options between a port and its comment: `w=` in lanes, `s=` as PortInfo's bit for SDR, DDR or QDR.
void take_option(std::string_view word, port_line& into)
{
    line_cursor at{word};
    bool const is_width = at.take("w=");
    if (is_width || at.take("s=")) {
        auto const value = at.take_any_number();
        if (value && at.at_end()) {
            if (is_width) {
                if (auto const width = parse_link_width(std::to_string(*value) + "x"); width) {
                    into.width = *width;
                    return;
                }
            } else if (*value == 1 || *value == 2 || *value == 4) {
                into.speed = *value == 1 ? link_speed::sdr : *value == 2 ? link_speed::ddr : link_speed::qdr;
                return;
            }
        }
    }
    note(into.remark,
        fmt::format("`{}` is left out: expected `w=` with 1, 2, 4, 8 or 12 lanes, `s=` with 1, 2 or 4, or a "
                    "comment behind `#`",
            printable(word, 40)));
}

/// A comment in three: what stands before the description, the description, what stands behind it.
struct comment_parts {
    std::string_view before;
    std::optional<std::string_view> description;
    std::string_view after;
};

/// Descriptions are not escaped and may hold quotation marks, but nothing behind them does: the last one ends it.
comment_parts split_at_description(std::string_view comment, std::string& remark)
{
    auto const first = comment.find('"');
    if (first == std::string_view::npos)
        return {comment, std::nullopt, {}};
    auto const last = comment.rfind('"');
    if (first == last) {
        note(remark, "the description has no closing quotation mark: taken to the end of the line");
        return {comment.substr(0, first), trimmed(comment.substr(first + 1)), {}};
    }
    return {comment.substr(0, first), comment.substr(first + 1, last - first - 1), comment.substr(last + 1)};
}

void parse_record_comment(std::string_view comment, record_line& into)
{
    auto parts = split_at_description(comment, into.remark);
    if (!parts.description) {
        // ibsim also reads descriptions without quotation marks, up to the words that may follow.
        auto end = comment.size();
        for (auto const* const word : {" enhanced port ", " base port ", " lid ", " lmc "})
            end = std::min(end, comment.find(word));
        if (auto const text = trimmed(comment.substr(0, end)); !text.empty())
            parts.description = text;
        parts.after = comment.substr(end);
    }
    into.description = parts.description;
    line_cursor at{parts.after};
    for (auto word = at.take_word(); !word.empty(); word = at.take_word()) {
        if (word == "enhanced")
            into.enhanced_port0 = true;
        else if (word == "lid")
            take_lid(at, into.base_lid, into.remark);
        else if (word == "lmc")
            take_lmc(at, into.lmc, into.remark);
    }
}

void parse_port_comment(std::string_view comment, port_line& into)
{
    auto parts = split_at_description(comment, into.remark);
    if (!parts.description) {
        // Without a description an own LID is told from the peer's by the LMC that follows it.
        auto const lmc = comment.find("lmc ");
        auto const own = lmc == std::string_view::npos ? 0 : comment.find_first_of("0123456789", lmc);
        auto const end = own == std::string_view::npos ? comment.size() : comment.find_first_not_of("0123456789", own);
        auto const split = lmc == std::string_view::npos ? 0 : std::min(end, comment.size());
        parts.before = comment.substr(0, split);
        parts.after = comment.substr(split);
    }
    into.peer_description = parts.description;
    line_cursor before{parts.before};
    for (auto word = before.take_word(); !word.empty(); word = before.take_word()) {
        if (word == "lid")
            take_lid(before, into.base_lid, into.remark);
        else if (word == "lmc")
            take_lmc(before, into.lmc, into.remark);
    }
    line_cursor after{parts.after};
    for (auto word = after.take_word(); !word.empty(); word = after.take_word()) {
        if (word == "lid")
            take_lid(after, into.peer_lid, into.remark);
        else
            take_rate(word, into);
    }
}

} // namespace

std::string printable(std::string_view text, std::size_t limit)
{
    std::string shown;
    shown.reserve(std::min(text.size(), limit) + 3);
    for (char const c : text.substr(0, limit)) {
        auto const byte = static_cast<unsigned char>(c);
        shown += c == '\t' ? ' ' : byte < 0x20 || byte > 0x7E ? '?' : c;
    }
    if (text.size() > limit)
        shown += "...";
    return shown;
}

std::optional<told_by_id> parse_canonical_id(std::string_view id) noexcept
{
    line_cursor at{id};
    told_by_id told;
    if (at.take("S-"))
        told.type = node_type::switch_;
    else if (at.take("R-"))
        told.type = node_type::router;
    else if (!at.take("H-"))
        return std::nullopt;
    if (at.rest().size() != 16)
        return std::nullopt;
    auto const value = at.take_number(16);
    if (!value || !at.at_end())
        return std::nullopt;
    told.node_guid = guid{*value};
    return told;
}

bool is_attribute_line(std::string_view line) noexcept
{
    for (auto const& known : attribute_names)
        if (line.starts_with(known.name) && line.size() > known.name.size() && line[known.name.size()] == '=')
            return true;
    return false;
}

bool is_record_line(std::string_view line) noexcept
{
    for (auto const& known : record_names)
        if (line.starts_with(known.name) && line.size() > known.name.size() && is_blank(line[known.name.size()]))
            return true;
    return false;
}

parsed<attribute_line> parse_attribute_line(std::string_view line)
{
    line_cursor at{line};
    auto const name = at.take_until('=');
    for (auto const& known : attribute_names) {
        if (name != known.name)
            continue;
        attribute_line read{known.what, known.type, 0, std::nullopt};
        at.skip_blanks();
        auto const before = at;
        auto const value = known.largest == any_guid ? at.take_hexadecimal() : at.take_any_number();
        if (!value || *value > known.largest)
            return expected(fmt::format("`{}=` with a number up to {:#x}", known.name, known.largest), before);
        read.value = *value;
        if (known.what == attribute_line::kind::node_guid) {
            BOOST_OUTCOME_TRY(read.port_guid, take_guid_in_parentheses(at));
        }
        at.skip_blanks();
        if (!at.at_end() && !at.take("#"))
            return expected("nothing more on this line but a comment behind `#`", at);
        return read;
    }
    return expected("an attribute such as `vendid=0x2c9`", line_cursor{line});
}

parsed<record_line> parse_record_line(std::string_view line)
{
    line_cursor at{line};
    record_line read;
    auto const keyword = at.take_word();
    for (auto const& known : record_names)
        if (known.name == keyword)
            read.type = known.type;
    at.skip_blanks();
    auto const before = at;
    auto const ports = at.take_number(10);
    if (!ports || *ports == 0 || *ports > max_node_ports)
        return expected(fmt::format("the number of ports, 1 to {}", max_node_ports), before);
    read.ports = static_cast<unsigned>(*ports);
    BOOST_OUTCOME_TRY(read.id, take_id(at, "the node's id"));
    at.skip_blanks();
    if (at.take("#"))
        parse_record_comment(at.rest(), read);
    else if (!at.at_end())
        note(read.remark, fmt::format("`{}` is left out: expected a comment behind `#`", printable(at.rest(), 40)));
    return read;
}

parsed<port_line> parse_port_line(std::string_view line)
{
    line_cursor at{line};
    port_line read;
    BOOST_OUTCOME_TRY(read.port, take_port(at, "the port"));
    BOOST_OUTCOME_TRY(read.port_guid, take_guid_in_parentheses(at));
    BOOST_OUTCOME_TRY(read.peer_id, take_id(at, "the peer's id"));
    at.skip_blanks();
    if (at.rest().starts_with("[")) {
        BOOST_OUTCOME_TRY(read.peer_port, take_port(at, "the peer's port"));
    } else {
        read.peer_port = 1; // as ibsim takes it
    }
    BOOST_OUTCOME_TRY(read.peer_port_guid, take_guid_in_parentheses(at));
    for (at.skip_blanks(); !at.at_end(); at.skip_blanks()) {
        if (at.take("#")) {
            parse_port_comment(at.rest(), read);
            break;
        }
        take_option(at.take_word(), read);
    }
    return read;
}

} // namespace madrigal::topology::detail
