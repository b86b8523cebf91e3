#include "cli/field_words.hpp"

#include "cli/folded.hpp"
#include "cli/numbers.hpp"

#include <madrigal/wire/bits.hpp>

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace madrigal::cli {
namespace {

field_value value_at(attribute_descriptor const& of, std::span<std::byte const> record, field_place where)
{
    field_value found;
    auto const& wanted = of.fields[where.field];
    (void)of.visit(record, [&](field_description const& field, std::size_t element, field_value const& value) {
        if (field.name == wanted.name && field.offset == wanted.offset && element == where.element)
            found = value;
    });
    return found;
}

/// The number that a name such as `Switch` stands for.
std::optional<std::uint64_t> number_named(
    attribute_descriptor const& of, std::span<std::byte> record, field_place where, std::string_view name)
{
    constexpr unsigned widest = 8;
    auto const& field = of.fields[where.field];
    if (field.width > widest)
        return std::nullopt;
    for (std::uint64_t number = 0; number != std::uint64_t{1} << field.width; ++number) {
        store_bits(record.data(), field.element_offset(where.element), field.width, number);
        auto const value = value_at(of, record, where);
        if (value.kind_of_value == field_value::kind::named && folded(value.text) == folded(name))
            return number;
    }
    return std::nullopt;
}

bool set_number(attribute_descriptor const& of, std::span<std::byte> record, field_place where, std::string const& text,
    std::string& why)
{
    auto const& field = of.fields[where.field];
    // What is printed can be given back, also where that looks like a number, as an MTU or a rate does.
    auto number = number_named(of, record, where, text);
    if (!number)
        number = parse_number(text);
    if (!number && field.width == 64)
        if (auto const wanted = parse_guid(text))
            number = wanted->value();
    if (!number) {
        why = "'" + text + "' is no value of " + std::string{field.name} + " (" + std::string{field.meaning} +
              "): a number, or a name where it has names";
        return false;
    }
    if (field.width < 64 && *number >> field.width != 0) {
        why = "'" + text + "' is too large for " + std::string{field.name} + ", which has " +
              std::to_string(field.width) + " bits";
        return false;
    }
    store_bits(record.data(), field.element_offset(where.element), field.width, *number);
    return true;
}

bool set_value(attribute_descriptor const& of, std::span<std::byte> record, field_place where, std::string const& text,
    std::string& why)
{
    constexpr unsigned gid_width = 128;
    auto const& field = of.fields[where.field];
    if (field.width <= 64)
        return set_number(of, record, where, text, why);
    auto const bytes = record.subspan(field.element_offset(where.element) / 8, field.width / 8);
    if (field.width == gid_width) {
        boost::system::error_code wrong;
        auto const address = boost::asio::ip::make_address_v6(text, wrong);
        if (wrong) {
            why = "'" + text + "' is no GID for " + std::string{field.name} + ", as in fe80::2c9:300:5:f34b";
            return false;
        }
        auto const all = address.to_bytes();
        std::transform(all.begin(), all.end(), bytes.begin(), [](unsigned char byte) { return std::byte{byte}; });
        return true;
    }
    if (text.size() > bytes.size()) {
        why = "'" + text + "' is longer than " + std::string{field.name} + ", which has " +
              std::to_string(bytes.size()) + " bytes";
        return false;
    }
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    std::transform(text.begin(), text.end(), bytes.begin(), [](char letter) { return static_cast<std::byte>(letter); });
    return true;
}

bool may_be_named(attribute_descriptor const& of, field_place where, naming_of which)
{
    return which == naming_of::all_fields || of.component(where.field, where.element) != 0;
}

std::string names(attribute_descriptor const& of, naming_of which)
{
    std::string all;
    for (std::size_t i = 0; i != of.fields.size(); ++i)
        if (may_be_named(of, {i, 0}, which))
            all += (all.empty() ? "" : ", ") + std::string{of.fields[i].name};
    return all;
}

} // namespace

std::optional<field_place> set_field(attribute_descriptor const& of, std::span<std::byte> bytes,
    std::string const& word, naming_of which, std::string& why)
{
    auto const equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
        why = "'" + word + "' is not NAME=VALUE, as in LID=12";
        return std::nullopt;
    }
    auto const given = word.substr(0, equals);
    auto const open = given.find('[');
    field_place where;
    if (open != std::string::npos) {
        auto const number =
            given.ends_with(']') ? parse_number(given.substr(open + 1, given.size() - open - 2)) : std::nullopt;
        if (!number) {
            why = "'" + given + "' is no field: NAME, or NAME[3]";
            return std::nullopt;
        }
        where.element = static_cast<std::size_t>(*number);
    }
    auto const name = folded(given.substr(0, open));
    auto const found =
        std::find_if(of.fields.begin(), of.fields.end(), [&](auto const& field) { return folded(field.name) == name; });
    where.field = static_cast<std::size_t>(found - of.fields.begin());
    if (found == of.fields.end() || where.element >= found->count || !may_be_named(of, where, which)) {
        why = "'" + given + "' is no " + (which == naming_of::components ? "component" : "field") + " of " +
              std::string{of.layout.name} + ", which has " + names(of, which);
        return std::nullopt;
    }
    if (!set_value(of, bytes, where, word.substr(equals + 1), why))
        return std::nullopt;
    return where;
}

} // namespace madrigal::cli
