#include "cli/query_question.hpp"

#include "cli/attribute_name.hpp"
#include "cli/numbers.hpp"

#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/attributes/vl_arbitration_table.hpp>

#include <CLI/CLI.hpp>

namespace madrigal::cli {
namespace {

[[noreturn]] void wrong(std::string const& what)
{
    throw CLI::ValidationError(what);
}

std::variant<lid, directed_route, guid> destination_of(query_words const& words)
{
    if (words.route) {
        auto const route = directed_route::parse(words.to);
        if (!route)
            wrong("'" + words.to + "' is no directed route: 0, then the port to leave each node by, as in 0,1,3");
        return *route;
    }
    if (words.guid) {
        auto const wanted = parse_guid(words.to);
        if (!wanted)
            wrong("'" + words.to + "' is no GUID: up to 16 hexadecimal digits, as in 0x0002c9030005f34a");
        return *wanted;
    }
    auto const wanted = parse_lid(words.to);
    if (!wanted)
        wrong("'" + words.to + "' is no LID from 1 to 49151 (-D for a directed route, -G for a GUID)");
    return *wanted;
}

/// The attribute modifier: of most attributes it is the number as given (a port, a block). A P_Key table has both (IBA
/// 14.2.5.7): the upper half is a switch's port, the lower one the block. So has a VL arbitration table (IBA 14.2.5.9),
/// the other way round, whose blocks begin with 1.
std::uint32_t modifier_of(query_words const& words, attribute_descriptor const& attribute)
{
    if (attribute.layout.id == p_key_table::layout.id) {
        if (words.number.value_or(0) > 0xFF)
            wrong(std::to_string(*words.number) + " is no port of a P_Key table: 0 to 255 (--block for its blocks)");
        return words.number.value_or(0) << 16 | words.block.value_or(0);
    }
    if (attribute.layout.id == vl_arbitration_table::layout.id) {
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

} // namespace

query_question understand(query_words const& words)
{
    query_question question;
    question.attribute = find_smp_attribute(words.attribute);
    if (question.attribute == nullptr)
        wrong("unknown attribute '" + words.attribute + "'; known: " + smp_attribute_names());
    if (words.route && words.guid)
        wrong("-D and -G exclude each other");
    question.to = destination_of(words);
    question.modifier = modifier_of(words, *question.attribute);
    return question;
}

} // namespace madrigal::cli
