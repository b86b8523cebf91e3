// `madrigal sa`: asks the fabric's subnet administration for records.
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/sa_report.hpp"
#include "cli/sa_words.hpp"
#include "cli/session.hpp"

#include <madrigal/fabric/sa_client.hpp>
#include <madrigal/wire/attributes/node_record.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace madrigal::cli {
namespace {

struct sa_arguments {
    host_arguments host;
    sa_words words;
    sa_plan plan;
    unsigned timeout_ms = 1'000;
    unsigned retries = 5;
    std::uint64_t sm_key = 0;
    bool user_rmpp = false;
    bool timeout_given = false;
    bool json = false;

    [[nodiscard]] sa_options how() const
    {
        sa_options options;
        options.timeout = std::chrono::milliseconds{timeout_ms};
        if (timeout_given)
            options.table_timeout = options.timeout;
        options.retries = options.table_retries = retries;
        options.sm_key = sm_key;
        options.user_rmpp = user_rmpp;
        return options;
    }
};

/// An answer and the records in it; none where subnet administration has said so.
struct sa_answer {
    received_mad mad;
    sa_record_range records{};
};

asio::awaitable<result<sa_answer>> ask_once(sa_client client, sa_question what, attribute_descriptor const& of)
{
    auto got = co_await client.async_request(what, as_result);
    if (!got) {
        if (what.ask != method::get && mad_status_of(got.error().code()) == mad_status::sa_no_records)
            co_return sa_answer{};
        co_return got.error();
    }
    sa_answer answer{std::move(got).value()};
    if (what.ask == method::get) {
        auto const data = answer.mad.payload();
        if (data.size() < of.layout.size)
            co_return error{errc::malformed_answer, std::string{of.layout.name} + " of " + std::to_string(data.size()) +
                                                        " bytes, which has " + std::to_string(of.layout.size)};
        answer.records = {.data = data, .stride = of.layout.size, .count = 1};
        co_return answer;
    }
    auto const found = find_sa_records(answer.mad, of.layout);
    if (!found)
        co_return found.error();
    answer.records = found.value();
    co_return answer;
}

/// The LID of the one node of this description, or what is a LID already.
asio::awaitable<result<lid>> lid_of(sa_client client, std::string name)
{
    if (auto const number = parse_lid(name))
        co_return *number;
    auto const answer = co_await ask_once(client, nodes_named(name), *find_attribute(node_record::layout.name));
    if (!answer)
        co_return answer.error();
    auto const& records = answer.value().records;
    if (records.count == 0)
        co_return error{errc::no_such_node, "no node is described as '" + name + "'"};
    co_return decode<node_record>(records[0])->base_lid;
}

asio::awaitable<result<sa_answer>> ask(port on, sa_plan& plan, sa_options const& how)
{
    auto const opened = sa_client::open(on, how);
    if (!opened)
        co_return opened.error();
    auto const& client = opened.value();
    if (plan.ends) {
        auto const from = co_await lid_of(client, plan.ends->first);
        if (!from)
            co_return from.error();
        auto const to = co_await lid_of(client, plan.ends->second);
        if (!to)
            co_return to.error();
        set_path(plan, from.value(), to.value());
    }
    for (auto const& question : plan.questions) {
        auto answer = co_await ask_once(client, question, *plan.attribute);
        if (!answer || answer.value().records.count != 0)
            co_return answer;
    }
    co_return sa_answer{};
}

int ask_through(session& session, sa_arguments& wanted)
{
    auto const answer = session.run(ask(session.on(), wanted.plan, wanted.how()));
    if (!answer) {
        if (answer.error() == errc::timeout && !session.interrupted() && wanted.host.host.starts_with("sim:"))
            complain(
                "note: subnet administration of a simulated fabric answers where the host's parameter sa asks for it");
        return fail(session.interrupted() ? error{answer.error().code(), "interrupted"} : answer.error());
    }
    auto const& records = answer.value().records;
    bool const by_name = wanted.plan.show != sa_view_of::records && wanted.plan.show != sa_view_of::nodes;
    if (by_name && records.count == 0) {
        complain("no node is known as '" + wanted.words.of + "'");
        return failed_operation;
    }
    if (wanted.plan.show == sa_view_of::one_lid && records.count != 1) {
        complain(std::to_string(records.count) + " nodes are known as '" + wanted.words.of + "'; -L lists them all");
        return failed_operation;
    }
    return wanted.json ? report_json(wanted.plan, records) : report_text(wanted.plan, records);
}

int run(sa_arguments& wanted)
{
    set_verbosity(wanted.host.verbosity);
    auto const opened = session::open(wanted.host);
    if (!opened)
        return fail(opened.error());
    auto& session = *opened.value();
    return session.conclude(ask_through(session, wanted));
}

/// Options that stand for an attribute, with saquery's letters.
void add_attribute_options(CLI::App& to, sa_words& words)
{
    struct choice {
        char const* names;
        char const* attribute;
        char const* help;
    };
    for (auto const& [names, attribute, help] : {
             choice{"-N,--node-record", "NodeRecord", "Nodes: NodeRecord, as without any"},
             choice{"-p,--path-record", "PathRecord", "Paths: PathRecord"},
             choice{"-x,--link-record", "LinkRecord", "Links: LinkRecord"},
             choice{"-S,--service-record", "ServiceRecord", "Services: ServiceRecord"},
             choice{"-I,--inform-info-record", "InformInfoRecord", "Subscriptions: InformInfoRecord"},
             choice{"-m,--member-record", "MCMemberRecord", "Multicast groups and members: MCMemberRecord"},
             choice{"-s,--sm-info-record", "SMInfoRecord", "Subnet managers: SMInfoRecord"},
             choice{"-c,--class-port-info", "ClassPortInfo", "What subnet administration can: ClassPortInfo"},
         })
        to.add_flag_callback(
            names, [&words, name = std::string{attribute}] { words.chosen.push_back(name); }, help);
}

/// Options that name nodes.
void add_node_options(CLI::App& to, sa_words& words)
{
    to.add_flag_callback(
        "-D,--list",
        [&words] {
            words.show = sa_view_of::nodes;
            ++words.about_nodes;
        },
        "A line for each node: LID, GUID, type, description");
    auto const add = [&](char const* names, sa_view_of show, bool sa_words::*by, char const* type, char const* help) {
        to.add_option_function<std::string>(
              names,
              [&words, show, by](std::string const& text) {
                  words.show = show;
                  words.of = text;
                  ++words.about_nodes;
                  if (by != nullptr)
                      words.*by = true;
              },
              help)
            ->type_name(type);
    };
    add("-L,--lids-of", sa_view_of::lids, nullptr, "NAME", "The LIDs of the nodes of this description");
    add("-l,--lid-of", sa_view_of::one_lid, nullptr, "NAME", "The LID of the one node of this description");
    add("-G,--guids-of", sa_view_of::guids, nullptr, "NAME", "The port GUIDs of the nodes of this description");
    add("-O,--name-of-lid", sa_view_of::descriptions, &sa_words::by_lid, "LID", "The description of the node");
    add("-U,--name-of-guid", sa_view_of::descriptions, &sa_words::by_guid, "GUID", "The same, by port or node GUID");
}

} // namespace

command sa_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("sa", "Ask subnet administration for records");
    auto const wanted = std::make_shared<sa_arguments>();
    auto& words = wanted->words;
    add_standard_options(*arguments);
    arguments
        ->add_option("ATTRIBUTE", words.words,
            "Its name, such as PathRecord or pr, in any case; then components, NAME=VALUE: only records with this "
            "value, as "
            "in NodeType=Switch, LID=12 or SGID=fe80::1")
        ->type_name("[NAME=VALUE ...]");
    add_attribute_options(*arguments, words);
    add_node_options(*arguments, words);
    arguments->add_option("--src-to-dst", words.path, "The path between two nodes, by LID or description")
        ->type_name("FROM:TO");
    arguments->add_option("--sgid-to-dgid", words.gid_path, "The path between two GIDs")->type_name("FROM-TO");
    arguments->add_flag("--get", words.get, "Get: the one record that fits, instead of the table of all");
    auto* const timeout = add_number(*arguments, "-t,--timeout", timeouts, wanted->timeout_ms,
        "Milliseconds that each question waits for its answer");
    timeout->type_name("MS");
    add_number(*arguments, "--retries", {0, 1000}, wanted->retries, "How often a question is sent again")
        ->type_name("N");
    add_number(*arguments, "--smkey", {0, UINT64_MAX}, wanted->sm_key, "The SM_Key, which shows that we are trusted")
        ->type_name("KEY");
    arguments->add_flag("--user-rmpp", wanted->user_rmpp, "Put tables together here instead of in the kernel");
    arguments->add_flag("--json", wanted->json, "Print JSON");
    wanted->host.add_to(*arguments);
    arguments->footer("Attributes: " + sa_attribute_names());
    arguments->callback([wanted, timeout] {
        wanted->timeout_given = timeout->count() != 0;
        wanted->plan = understand(wanted->words);
    });
    return {arguments, [wanted] { return run(*wanted); }};
}

} // namespace madrigal::cli
