// `madrigal query`: asks one node for one attribute.
#include "cli/attribute_json.hpp"
#include "cli/attribute_name.hpp"
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/query_question.hpp"
#include "cli/session.hpp"

#include <madrigal/fabric/gmp_client.hpp>
#include <madrigal/fabric/reach.hpp>
#include <madrigal/fabric/resolve.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/wire/ping.hpp>
#include <madrigal/wire/smp.hpp>

#include <boost/json/serialize.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::cli {
namespace {

struct query_arguments {
    host_arguments host;
    smp_arguments smp;
    query_words words;
    query_question question;
    bool json = false;
};

/// The attribute as it arrived, and from where.
struct query_answer {
    destination from{lid{}};
    attribute_descriptor const* table = nullptr;
    std::vector<std::byte> data; ///< empty where subnet administration has no such record
};

/// False, with a word why, for a LID while the own port has none: no answer could come back.
bool can_ask(port const& on, query_question const& what)
{
    auto const& own = on.attributes();
    auto const* const to = std::get_if<lid>(&what.to);
    if (to == nullptr || own.base_lid.is_unicast())
        return true;
    complain("LID " + to_string(*to) + " cannot be reached: " + umad::port_name(own.ca_name, own.number) +
             " has no LID itself (state " + to_string(own.state) + "); use -D or -G until the subnet is configured");
    return false;
}

asio::awaitable<result<destination>> find_destination(port on, query_arguments const& wanted)
{
    auto const& to = wanted.question.to;
    if (auto const* route = std::get_if<directed_route>(&to))
        co_return destination{*route};
    if (auto const* number = std::get_if<lid>(&to))
        co_return destination{*number};
    auto options = wanted.smp.for_sweep();
    auto const found = co_await resolve(on, std::get<guid>(to), std::move(options));
    if (!found)
        co_return found.error();
    co_return destination{found.value().route};
}

raw_mad get_smp(destination const& to, query_arguments const& wanted)
{
    raw_mad mad{to, {}};
    smp_request const request{
        method::get, 0, wanted.question.attribute->layout.id, wanted.question.modifier, wanted.smp.m_key};
    if (to.type() == destination::kind::directed_route)
        build_directed_route_smp(mad.bytes, request, to.route());
    else
        build_lid_routed_smp(mad.bytes, request);
    return mad;
}

asio::awaitable<result<query_answer>> ask(port on, query_arguments const& wanted)
{
    auto to = co_await find_destination(on, wanted);
    if (!to)
        co_return to.error();
    auto const client = smp_client::open(on);
    if (!client)
        co_return client.error();
    auto const mad = get_smp(to.value(), wanted);
    request_options const options{.timeout = wanted.smp.timeout(), .retries = wanted.smp.retries};
    auto const answer = co_await client.value().over().async_request(mad, options, as_result);

    error_code code;
    if (!answer)
        code = answer.error().code();
    else if (answer.value().bytes().size() < smp_data_offset + smp_data_size)
        code = errc::malformed_answer;
    else
        code = make_mad_status(answer.value().mad().mgmt_class(), answer.value().mad().outcome());
    if (code)
        co_return explain_smp(code, to.value(),
            smp_question{
                method::get, wanted.question.attribute->layout.id, wanted.question.modifier, wanted.smp.m_key});
    auto const data = answer.value().bytes().subspan(smp_data_offset, smp_data_size);
    co_return query_answer{to.value(), wanted.question.attribute, {data.begin(), data.end()}};
}

/// Where a GMP goes: whatever is named, or the subnet manager.
asio::awaitable<result<destination>> find_agent(port on, query_arguments const& wanted)
{
    auto const& to = wanted.question.to;
    if (std::holds_alternative<subnet_manager>(to)) {
        auto const& own = on.attributes();
        if (!own.sm_lid.is_unicast())
            co_return error{
                errc::invalid_argument, umad::port_name(own.ca_name, own.number) +
                                            " knows no subnet manager, whose administration could be asked"};
        auto const reachable = reach_directly(own, own.sm_lid);
        if (!reachable)
            co_return reachable.error();
        co_return destination{own.sm_lid}.with_sl(own.sm_sl);
    }
    address whom = lid{};
    if (auto const* number = std::get_if<lid>(&to))
        whom = *number;
    else
        whom = std::get<guid>(to);
    auto options = wanted.smp.for_sweep();
    auto found = co_await reach(on, whom, std::move(options));
    co_return found;
}

umad::registration client_of(management_class of) noexcept
{
    return {.management_class = static_cast<std::uint8_t>(of),
        .class_version = default_class_version(of),
        .oui = is_vendor_with_oui(of) ? ping_oui : 0};
}

/// The same through QP1, for any other class.
asio::awaitable<result<query_answer>> ask_agent(port on, query_arguments const& wanted)
{
    auto const& question = wanted.question;
    auto const to = co_await find_agent(on, wanted);
    if (!to)
        co_return to.error();
    auto const client = gmp_client::open(on, client_of(question.of));
    if (!client)
        co_return client.error();
    auto const mad = gmp_of(question, to.value(), wanted.smp.m_key);
    request_options const options{.timeout = wanted.smp.timeout(), .retries = wanted.smp.retries};
    auto const answer = co_await client.value().ask(mad, options);
    query_answer result{to.value(), question.attribute, {}};
    if (!answer) {
        bool const none = question.of == management_class::subnet_administration &&
                          mad_status_of(answer.error().code()) == mad_status::sa_no_records;
        if (!none)
            co_return answer.error();
        co_return result;
    }
    auto const got = answer.value().mad();
    // A congestion log says itself whose it is.
    if (auto const* const table = find_attribute(got);
        table != nullptr && question.attribute->layout.scope.contains(question.of))
        result.table = table;
    if (got.data().size() < result.table->layout.size)
        co_return error{errc::malformed_answer,
            describe_gmp(question.of, method::get, question.attribute->layout.id, question.modifier, to.value())};
    result.data.assign(got.data().begin(), got.data().end());
    co_return result;
}

std::string json_text(query_question const& question, query_answer const& answer)
{
    auto const& layout = answer.table->layout;
    boost::json::object object{{"attribute", layout.name}, {"attribute_id", layout.id},
        {"attribute_modifier", question.modifier}, {"destination", to_string(answer.from)}, {"fields", nullptr}};
    if (!is_smp(question.of))
        object["class"] = to_string(question.of);
    if (!answer.data.empty())
        object["fields"] = attribute_json(*answer.table, answer.data);
    return boost::json::serialize(object) + "\n";
}

int query_through(session& session, query_arguments const& wanted)
{
    bool const smp = is_smp(wanted.question.of);
    if (smp && !can_ask(session.on(), wanted.question))
        return failed_operation;
    auto const answer = session.run(smp ? ask(session.on(), wanted) : ask_agent(session.on(), wanted));
    if (!answer) {
        auto const& what = answer.error();
        if (session.interrupted())
            return fail(error{what.code(), "interrupted"});
        // What cannot be reached is told in full by the context.
        if (what.code() != errc::invalid_argument || what.context().empty())
            return fail(what);
        complain(what.context());
        return failed_operation;
    }
    if (wanted.json)
        return write_results(json_text(wanted.question, answer.value()));
    if (answer.value().data.empty()) {
        complain("note: subnet administration has no such " + std::string{answer.value().table->layout.name});
        return success;
    }
    return write_results(answer.value().table->text(answer.value().data).value());
}

int run(query_arguments const& wanted)
{
    set_verbosity(wanted.host.verbosity);
    auto const opened = session::open(wanted.host);
    if (!opened)
        return fail(opened.error());
    auto& session = *opened.value();
    return session.conclude(query_through(session, wanted));
}

} // namespace

command query_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("query", "Ask one node for one attribute of any management class");
    auto const wanted = std::make_shared<query_arguments>();
    auto& words = wanted->words;
    add_standard_options(*arguments);
    arguments->add_option("ATTRIBUTE", words.attribute, "Its name, such as NodeInfo, pi or PortCounters, in any case")
        ->type_name("")
        ->required();
    arguments
        ->add_option_function<std::string>(
            "DEST", [&](std::string const& text) { words.to = text; },
            "A LID; with -D a directed route, with -G a GUID; of sa, the subnet manager where there is none")
        ->type_name("");
    constexpr number_range modifiers{0, UINT32_MAX};
    add_number(
        *arguments, "NUMBER", modifiers,
        [&](std::uint64_t number) { words.number = static_cast<std::uint32_t>(number); },
        "The attribute modifier: the port of PortInfo and P_KeyTable, the block of other tables; of perf the port")
        ->type_name("");
    arguments->add_flag("-D,--direct", words.route, "DEST is a directed route, such as 0,1,3; 0 is the local node");
    arguments->add_flag("-G,--guid", words.guid, "DEST is the GUID of a node or port; the fabric is swept for it");
    add_number(
        *arguments, "--block", {0, 0xFFFF},
        [&](std::uint64_t number) { words.block = static_cast<std::uint32_t>(number); }, "The block of a table");
    arguments
        ->add_option_function<std::string>(
            "--class", [&](std::string const& text) { words.mgmt_class = text; },
            "The management class, where the attribute does not tell: " + class_names() + ", or its number")
        ->type_name("CLASS");
    arguments
        ->add_option("-f,--field", words.fields,
            "A field of the question, NAME=VALUE; of sa also its component. May be given more than once")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments->add_flag("--json", wanted->json, "Print JSON");
    wanted->host.add_to(*arguments);
    wanted->smp.add_to(*arguments);
    arguments->footer("Attributes: " + attribute_names());
    arguments->callback([wanted] { wanted->question = understand(wanted->words); });
    return {arguments, [wanted] { return run(*wanted); }};
}

} // namespace madrigal::cli
