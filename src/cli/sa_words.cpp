#include "cli/sa_words.hpp"

#include "cli/field_words.hpp"
#include "cli/folded.hpp"
#include "cli/numbers.hpp"

#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/path_record.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace madrigal::cli {
namespace {

[[noreturn]] void wrong(std::string const& what)
{
    throw CLI::ValidationError(what);
}

struct short_name {
    std::string_view name;
    std::string_view attribute;
};

/// Those of saquery(8).
constexpr std::array short_names{
    short_name{"cpi", "ClassPortInfo"},
    short_name{"gir", "GUIDInfoRecord"},
    short_name{"iir", "InformInfoRecord"},
    short_name{"lftr", "LinearForwardingTableRecord"},
    short_name{"lr", "LinkRecord"},
    short_name{"mcmr", "MCMemberRecord"},
    short_name{"mftr", "MulticastForwardingTableRecord"},
    short_name{"nr", "NodeRecord"},
    short_name{"pir", "PortInfoRecord"},
    short_name{"pktr", "P_KeyTableRecord"},
    short_name{"pr", "PathRecord"},
    short_name{"sl2vl", "SLtoVLMappingTableRecord"},
    short_name{"smir", "SMInfoRecord"},
    short_name{"sr", "ServiceRecord"},
    short_name{"swi", "SwitchInfoRecord"},
    short_name{"vlar", "VLArbitrationTableRecord"},
};

bool can_be_asked(attribute_descriptor const& one)
{
    return one.layout.scope.contains(management_class::subnet_administration) && one.layout.size <= sa_data_size;
}

attribute_descriptor const* find_sa_attribute(std::string_view name)
{
    auto wanted = folded(name);
    for (auto const& one : short_names)
        if (one.name == wanted)
            wanted = folded(one.attribute);
    for (auto const& one : attributes())
        if (can_be_asked(one) && folded(one.layout.name) == wanted)
            return &one;
    return nullptr;
}

/// The same question as one that the library makes of a typed query.
template <wire_layout T>
sa_question question_for(bool get, record_query<T> const& what)
{
    return make_sa_question(get ? method::get : method::get_table, what, {});
}

gid parse_any_gid(std::string const& text)
{
    boost::system::error_code failed;
    auto const address = boost::asio::ip::make_address_v6(text, failed);
    if (failed)
        wrong("'" + text + "' is no GID, as in fe80::2c9:300:5:f34b");
    auto const bytes = address.to_bytes();
    gid::bytes_type all;
    std::copy(bytes.begin(), bytes.end(), all.begin());
    return gid{all};
}

sa_plan plan_for(attribute_descriptor const& attribute)
{
    sa_plan plan;
    plan.attribute = &attribute;
    return plan;
}

sa_plan plan_of_path(std::string const& path)
{
    auto const colon = path.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == path.size())
        wrong("'" + path + "' is no path: SOURCE:DESTINATION, each a LID or the description of a node");
    auto plan = plan_for(*find_attribute(path_record::layout.name));
    auto const from = path.substr(0, colon);
    auto const to = path.substr(colon + 1);
    auto const from_lid = parse_lid(from);
    auto const to_lid = parse_lid(to);
    if (from_lid && to_lid)
        set_path(plan, *from_lid, *to_lid);
    else
        plan.ends = {from, to};
    return plan;
}

sa_plan plan_of_gid_path(std::string const& path)
{
    auto const dash = path.find('-');
    if (dash == std::string::npos)
        wrong("'" + path + "' is no path between GIDs: SOURCE-DESTINATION");
    auto plan = plan_for(*find_attribute(path_record::layout.name));
    plan.questions = {question_for(false, record_query<path_record>{}
                                              .where<&path_record::sgid>(parse_any_gid(path.substr(0, dash)))
                                              .where<&path_record::dgid>(parse_any_gid(path.substr(dash + 1))))};
    return plan;
}

sa_plan plan_of_nodes(sa_words const& words)
{
    auto plan = plan_for(*find_attribute(node_record::layout.name));
    plan.show = words.show;
    using query = record_query<node_record>;
    if (words.by_lid) {
        auto const at = parse_lid(words.of);
        if (!at)
            wrong("'" + words.of + "' is no LID from 1 to 49151");
        plan.questions = {question_for(false, query{}.where<&node_record::base_lid>(*at))};
    } else if (words.by_guid) {
        auto const of = parse_guid(words.of);
        if (!of)
            wrong("'" + words.of + "' is no GUID: up to 16 hexadecimal digits, as in 0x0002c9030005f34a");
        plan.questions = {question_for(false, query{}.where<&node_record::info, &node_info::port_guid>(*of)),
            question_for(false, query{}.where<&node_record::info, &node_info::node_guid>(*of))};
    } else if (words.show != sa_view_of::nodes) {
        plan.questions = {nodes_named(words.of)};
    } else {
        plan.questions = {question_for(false, query{})};
    }
    return plan;
}

} // namespace

sa_question nodes_named(std::string const& name)
{
    if (name.size() > 64)
        wrong("'" + name + "' is longer than a node's description, which has 64 bytes");
    return question_for(
        false, record_query<node_record>{}.where<&node_record::description, &node_description::description>(
                   fixed_text<64>{name}));
}

void set_path(sa_plan& plan, lid from, lid to)
{
    plan.questions = {
        question_for(false, record_query<path_record>{}.where<&path_record::slid>(from).where<&path_record::dlid>(to))};
    plan.ends.reset();
}

std::string sa_attribute_names()
{
    std::string list;
    for (auto const& one : attributes()) {
        if (!can_be_asked(one))
            continue;
        list += (list.empty() ? "" : ", ") + std::string{one.layout.name};
        for (auto const& other : short_names)
            if (other.attribute == one.layout.name)
                list += " (" + std::string{other.name} + ")";
    }
    return list;
}

sa_plan understand(sa_words const& words)
{
    auto components = words.words;
    std::optional<std::string> named;
    if (!components.empty() && components.front().find('=') == std::string::npos) {
        named = components.front();
        components.erase(components.begin());
    }
    auto const wishes =
        words.chosen.size() + words.about_nodes + (words.path ? 1 : 0) + (words.gid_path ? 1 : 0) + (named ? 1 : 0);
    if (wishes > 1)
        wrong("one thing at a time: an attribute, or one of the options that stand for one");
    bool const fixed = words.about_nodes != 0 || words.path || words.gid_path;
    if (fixed && (!components.empty() || words.get))
        wrong("components and --get go with an attribute only");
    if (words.about_nodes != 0)
        return plan_of_nodes(words);
    if (words.path)
        return plan_of_path(*words.path);
    if (words.gid_path)
        return plan_of_gid_path(*words.gid_path);
    auto const name =
        !words.chosen.empty() ? words.chosen.front() : named.value_or(std::string{node_record::layout.name});
    auto const* const attribute = find_sa_attribute(name);
    if (attribute == nullptr)
        wrong("unknown attribute '" + name + "'; known: " + sa_attribute_names());
    auto plan = plan_for(*attribute);
    bool const get = words.get || attribute->layout.name == "ClassPortInfo";
    sa_question question{.ask = get ? method::get : method::get_table, .attribute_id = attribute->layout.id};
    for (auto const& word : components) {
        std::string why;
        auto const where = set_field(*attribute, question.data, word, naming_of::components, why);
        if (!where)
            wrong(why);
        auto const component = attribute->component(where->field, where->element);
        if ((question.component_mask & component) != 0)
            wrong("'" + word + "' gives a component that has a value already");
        question.component_mask |= component;
    }
    if (attribute->layout.name == path_record::layout.name)
        question = question_for(get, record_query<path_record>{*decode<path_record>(question.data),
                                         component_mask<path_record>::from_value(question.component_mask)});
    plan.questions = {question};
    return plan;
}

} // namespace madrigal::cli
