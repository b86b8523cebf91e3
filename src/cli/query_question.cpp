#include "cli/query_question.hpp"

#include "cli/attribute_name.hpp"
#include "cli/field_words.hpp"
#include "cli/numbers.hpp"

#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/attributes/vl_arbitration_table.hpp>
#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/ping.hpp>
#include <madrigal/wire/sa.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace madrigal::cli {
namespace {

[[noreturn]] void wrong(std::string const& what)
{
    throw CLI::ValidationError(what);
}

std::variant<lid, directed_route, guid, subnet_manager> destination_of(query_words const& words, management_class of)
{
    if (!words.to) {
        if (of != management_class::subnet_administration)
            wrong("DEST is required");
        if (words.route || words.guid)
            wrong(std::string{words.route ? "-D" : "-G"} + " says what DEST is, and there is none");
        return subnet_manager{};
    }
    auto const& to = *words.to;
    if (words.route && !is_smp(of))
        wrong("-D is for subnet management: nothing else travels by directed routes");
    if (words.route) {
        auto const route = directed_route::parse(to);
        if (!route)
            wrong("'" + to + "' is no directed route: 0, then the port to leave each node by, as in 0,1,3");
        return *route;
    }
    if (words.guid) {
        auto const wanted = parse_guid(to);
        if (!wanted)
            wrong("'" + to + "' is no GUID: up to 16 hexadecimal digits, as in 0x0002c9030005f34a");
        return *wanted;
    }
    auto const wanted = parse_lid(to);
    if (!wanted)
        wrong("'" + to + "' is no LID from 1 to 49151 (-D for a directed route, -G for a GUID)");
    return *wanted;
}

/// The attribute modifier: of most attributes it is the number as given (a port, a block). A P_Key table has both (IBA
/// 14.2.5.7): the upper half is a switch's port, the lower one the block. So has a VL arbitration table (IBA 14.2.5.9),
/// the other way round, whose blocks begin with 1.
std::uint32_t modifier_of(query_words const& words, attribute_descriptor const& attribute, management_class of)
{
    if (!is_smp(of) && words.block)
        wrong("--block is for the tables of subnet management");
    bool const smp = is_smp(of);
    if (smp && attribute.layout.id == p_key_table::layout.id) {
        if (words.number.value_or(0) > 0xFF)
            wrong(std::to_string(*words.number) + " is no port of a P_Key table: 0 to 255 (--block for its blocks)");
        return words.number.value_or(0) << 16 | words.block.value_or(0);
    }
    if (smp && attribute.layout.id == vl_arbitration_table::layout.id) {
        if (words.number.value_or(0) > 0xFF)
            wrong(std::to_string(*words.number) +
                  " is no port of a VL arbitration table: 0 to 255 (--block for its blocks)");
        return words.block.value_or(1) << 16 | words.number.value_or(0);
    }
    if (words.number && words.block)
        wrong("--block and " + std::to_string(*words.number) + " both give the attribute modifier; only P_KeyTable " +
              "and VLArbitrationTable have a port and a block");
    return words.number ? *words.number : words.block.value_or(0);
}

named_attribute attribute_of(query_words const& words)
{
    std::optional<management_class> of;
    if (words.mgmt_class) {
        of = find_class(*words.mgmt_class);
        if (!of)
            wrong("'" + *words.mgmt_class + "' is no management class: " + class_names() + ", or a number up to 0x4f");
    }
    named_attribute found;
    switch (find_named(words.attribute, of, found)) {
    case naming::found: break;
    case naming::unknown: wrong("unknown attribute '" + words.attribute + "'; known: " + attribute_names());
    case naming::of_every_class:
        wrong("'" + words.attribute + "' is an attribute of every class; --class says which: " + class_names());
    case naming::not_of_class:
        wrong("class " + to_string(*of) + " has no attribute '" + words.attribute + "'; known: " + attribute_names());
    case naming::message:
        wrong("'" + words.attribute + "' is a message between two machines: nobody can be asked for it");
    }
    return found;
}

/// Writes a field that was given as `NAME=VALUE`.
field_place put_field(query_question& into, std::string const& given)
{
    std::string why;
    auto const where = set_field(*into.attribute, into.data, given, naming_of::all_fields, why);
    if (!where)
        wrong(why);
    if (into.of == management_class::subnet_administration)
        into.component_mask |= into.attribute->component(where->field, where->element);
    return *where;
}

bool selects_a_port(attribute_descriptor const& one)
{
    return std::any_of(
        one.fields.begin(), one.fields.end(), [](auto const& field) { return field.name == "PortSelect"; });
}

} // namespace

query_question understand(query_words const& words)
{
    query_question question;
    auto const named = attribute_of(words);
    question.attribute = named.table;
    question.of = named.of;
    if (words.route && words.guid)
        wrong("-D and -G exclude each other");
    question.to = destination_of(words, named.of);
    question.modifier = modifier_of(words, *named.table, named.of);
    question.data.resize(named.table->layout.size);
    if (named.of == management_class::performance && selects_a_port(*named.table)) {
        // Here the data say which port is meant, and the modifier means nothing.
        (void)put_field(question, "PortSelect=" + std::to_string(words.number.value_or(0)));
        question.modifier = 0;
    }
    if (is_smp(named.of) && !words.fields.empty())
        wrong("--field is for other classes: questions of subnet management carry nothing");
    std::vector<field_place> given;
    for (auto const& one : words.fields) {
        auto const where = put_field(question, one);
        bool const port_too = words.number && named.of == management_class::performance &&
                              named.table->fields[where.field].name == "PortSelect";
        if (port_too || std::find(given.begin(), given.end(), where) != given.end())
            wrong("'" + one + "' gives a field that has a value already");
        given.push_back(where);
    }
    return question;
}

raw_mad gmp_of(query_question const& question, destination const& to, std::uint64_t key) noexcept
{
    raw_mad made{to, {}};
    auto const id = question.attribute->layout.id;
    if (question.of == management_class::subnet_administration) {
        sa_request const request{.sm_key = key, .attribute_modifier = question.modifier};
        build_sa_request(made.bytes, request, id, question.component_mask);
    } else {
        mutable_mad_view const view{made.bytes};
        view.set_base_version(mad_base_version);
        view.set_mgmt_class(question.of);
        view.set_class_version(default_class_version(question.of));
        view.set_method(method::get);
        view.set_attribute_id(id);
        view.set_attribute_modifier(question.modifier);
        constexpr unsigned key_offset = 192; // B_Key and CC_Key, bits from the start
        if (question.of == management_class::baseboard || question.of == management_class::congestion)
            store_bits<key_offset, 64>(made.bytes.data(), key);
        constexpr unsigned oui_offset = 296;
        if (is_vendor_with_oui(question.of))
            store_bits<oui_offset, 24>(made.bytes.data(), ping_oui);
    }
    auto const room = mutable_mad_view{made.bytes}.data();
    std::copy_n(question.data.begin(), std::min(room.size(), question.data.size()), room.begin());
    return made;
}

} // namespace madrigal::cli
