#include "cli/console.hpp"

#include "cli/console_report.hpp"
#include "cli/console_words.hpp"
#include "cli/folded.hpp"
#include "cli/numbers.hpp"

#include <madrigal/hosts/fabric_source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace madrigal::cli {
namespace {

using words = std::span<std::string const>;
using answer = result<std::string>;

/// What a command works on.
struct subject {
    std::shared_ptr<sim::fabric> fabric;
    std::function<remote::server_counters()> counters;
};

/// One command: how it is written, what it does, and what its words come to.
struct known_command {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    std::size_t fewest; ///< words behind the name
    std::size_t most;
    result<console_step> (*understand)(subject const& of, words given);
};

error wrong(std::string what)
{
    return {errc::invalid_argument, std::move(what)};
}

console_step command_step(std::function<answer()> run)
{
    console_step step;
    step.what = console_step::kind::command;
    step.run = std::move(run);
    return step;
}

/// `1-4, 7`
std::string ranges(std::vector<unsigned> const& numbers)
{
    std::string text;
    for (std::size_t i = 0; i != numbers.size();) {
        auto last = i;
        while (last + 1 != numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
        if (last != i)
            text += fmt::format("-{}", numbers[last]);
        i = last + 1;
    }
    return text;
}

/// A port of a node; port 0 too, of switches.
result<topology::endpoint> port_named(subject const& of, topology::node_index node, std::string const& text)
{
    auto const& given = of.fabric->layout().at(node);
    unsigned const first = given.type == node_type::switch_ ? 0 : 1;
    auto const number = parse_number(text);
    if (!number || *number < first || *number > given.ports.size())
        return wrong(given.ports.empty() && first == 1
                         ? fmt::format("{} has no ports", node_text(*of.fabric, node))
                         : fmt::format("'{}' is no port of {}, whose ports are {} to {}", text,
                               node_text(*of.fabric, node), first, given.ports.size()));
    return topology::endpoint{node, static_cast<std::uint8_t>(*number)};
}

/// A port that the file has a cable for.
result<topology::endpoint> cabled_port(subject const& of, topology::node_index node, std::string const& text)
{
    BOOST_OUTCOME_TRY(auto const port, port_named(of, node, text));
    auto const& given = of.fabric->layout().at(node);
    if (port.port != 0 && given.external_port(port.port).peer)
        return port;
    std::vector<unsigned> cabled;
    for (unsigned number = 1; number <= given.ports.size(); ++number)
        if (given.external_port(number).peer)
            cabled.push_back(number);
    return wrong(fmt::format("no cable was ever at {}; {}", port_text(*of.fabric, port),
        cabled.empty() ? std::string{"it has none at all"} : "there are some at ports " + ranges(cabled)));
}

/// One of two words.
result<bool> either(std::string const& given, std::string_view yes, std::string_view no)
{
    if (given == yes)
        return true;
    if (given == no)
        return false;
    return wrong(fmt::format("'{}' is neither {} nor {}", given, yes, no));
}

std::string both_ends(sim::fabric const& of, topology::endpoint end)
{
    auto const far = of.layout().at(end.node).external_port(end.port).peer;
    return fmt::format("{}: {}; {}: {}\n", port_text(of, end), link_state_text(of.look_at(end).value()),
        port_text(of, far), link_state_text(of.look_at(far).value()));
}

result<console_step> understand_link(subject const& of, words given)
{
    BOOST_OUTCOME_TRY(bool const up, either(given[0], "up", "down"));
    BOOST_OUTCOME_TRY(auto const node, of.fabric->find_node(given[1]));
    BOOST_OUTCOME_TRY(auto const end, cabled_port(of, node, given[2]));
    return command_step([fabric = of.fabric, end, up]() -> answer {
        if (auto failed = fabric->set_link(end, up); failed.code())
            return failed;
        return both_ends(*fabric, end);
    });
}

result<console_step> understand_node(subject const& of, words given)
{
    BOOST_OUTCOME_TRY(bool const on, either(given[0], "on", "off"));
    BOOST_OUTCOME_TRY(auto const node, of.fabric->find_node(given[1]));
    return command_step([fabric = of.fabric, node, on]() -> answer {
        if (auto failed = fabric->set_power(node, on); failed.code())
            return failed;
        return node_summary(*fabric, node);
    });
}

/// A CA that can be plugged and unplugged: what a switch loses is its power.
result<topology::node_index> adapter_named(subject const& of, std::string const& name)
{
    BOOST_OUTCOME_TRY(auto const node, of.fabric->find_node(name));
    if (of.fabric->layout().at(node).type == node_type::switch_)
        return wrong(fmt::format("{} is a switch, which no machine has: node off", node_text(*of.fabric, node)));
    return node;
}

result<console_step> change_adapter(subject const& of, words given, error (sim::fabric::*change)(topology::node_index))
{
    BOOST_OUTCOME_TRY(auto const node, adapter_named(of, given[0]));
    return command_step([fabric = of.fabric, node, change]() -> answer {
        if (auto failed = (*fabric.*change)(node); failed.code())
            return failed;
        return node_summary(*fabric, node);
    });
}

result<console_step> understand_unplug(subject const& of, words given)
{
    return change_adapter(of, given, &sim::fabric::unplug);
}

result<console_step> understand_plug(subject const& of, words given)
{
    return change_adapter(of, given, &sim::fabric::plug);
}

result<console_step> understand_trap(subject const& of, words given)
{
    BOOST_OUTCOME_TRY(auto const node, of.fabric->find_node(given[0]));
    if (of.fabric->layout().at(node).type != node_type::switch_)
        return wrong(fmt::format("{} is no switch, and only switches send Trap 128", node_text(*of.fabric, node)));
    return command_step([fabric = of.fabric, node]() -> answer {
        auto const whose = node_text(*fabric, node);
        if (!fabric->look_at(node).value().on)
            return wrong(whose + " is off");
        if (fabric->send_link_trap(node).code())
            return wrong(whose + " has no LID, or has not been told the LID of its SM");
        return fmt::format("{}: Trap 128 sent to LID {}\n", whose,
            fabric->look_at(topology::endpoint{node, 0}).value().sm_lid.value());
    });
}

/// Changes one of the fabric-wide faults, as the parameter of a `sim:` URI does.
result<console_step> understand_fault(subject const& of, std::string_view name, std::string const& value)
{
    fabric_source parsed;
    if (auto failed = set_fabric_parameter(parsed, name, value); failed.code())
        return wrong(failed.context());
    return command_step([fabric = of.fabric, name = std::string{name}, value]() -> answer {
        fabric_source changed;
        changed.options.faults = fabric->faults();
        if (auto failed = set_fabric_parameter(changed, name, value); failed.code())
            return failed;
        fabric->set_faults(changed.options.faults);
        return faults_text(changed.options.faults);
    });
}

/// The cables at a node, or at one of its ports.
result<std::vector<topology::endpoint>> cables_of(subject const& of, words given)
{
    BOOST_OUTCOME_TRY(auto const node, of.fabric->find_node(given[0]));
    std::vector<topology::endpoint> ends;
    if (given.size() > 1) {
        BOOST_OUTCOME_TRY(auto const end, cabled_port(of, node, given[1]));
        ends.push_back(end);
        return ends;
    }
    auto const& ports = of.fabric->layout().at(node).ports;
    for (std::size_t i = 0; i != ports.size(); ++i)
        if (ports[i].peer)
            ends.push_back({node, static_cast<std::uint8_t>(i + 1)});
    if (ends.empty())
        return wrong(fmt::format("no cable was ever at {}", node_text(*of.fabric, node)));
    return ends;
}

result<console_step> understand_loss(subject const& of, words given)
{
    if (given.size() == 1)
        return understand_fault(of, "loss", given[0]);
    std::optional<double> loss;
    if (given[0] != "default") {
        fabric_source parsed;
        if (auto failed = set_fabric_parameter(parsed, "loss", given[0]); failed.code())
            return wrong(failed.context() + ", nor 'default' to lose as all others");
        loss = parsed.options.faults.loss;
    }
    BOOST_OUTCOME_TRY(auto ends, cables_of(of, given.subspan(1)));
    return command_step([fabric = of.fabric, ends = std::move(ends), loss]() -> answer {
        for (auto const end : ends)
            if (auto failed = fabric->set_cable_loss(end, loss); failed.code())
                return failed;
        auto const where = ends.size() == 1
                               ? port_text(*fabric, ends.front())
                               : fmt::format("{}, {} cables", node_text(*fabric, ends.front().node), ends.size());
        return loss ? fmt::format("{}: loss {}\n", where, *loss) : fmt::format("{}: loss as elsewhere\n", where);
    });
}

/// NAME=VALUE for a counter, put into `counts`.
error set_counter(port_counters_extended& counts, std::string const& word)
{
    auto const equals = word.find('=');
    auto const name = folded(word.substr(0, equals));
    std::string known;
    std::uint64_t* counter = nullptr;
    for_each_value(counts, [&]<class Value>(field_description const& field, std::size_t, Value& value) {
        if constexpr (std::is_same_v<Value, std::uint64_t>) {
            known += (known.empty() ? "" : ", ") + std::string{field.name};
            if (folded(field.name) == name)
                counter = &value;
        }
    });
    if (equals == std::string::npos || equals == 0)
        return wrong("'" + word + "' is not NAME=VALUE, as in SymbolErrorCounter=12");
    if (counter == nullptr)
        return wrong("'" + word.substr(0, equals) + "' is no counter; known: " + known);
    auto const number = parse_number(word.substr(equals + 1));
    if (!number)
        return wrong("'" + word.substr(equals + 1) + "' is not a whole number, decimal or 0x…, of at most 64 bits");
    *counter = *number;
    return {};
}

result<console_step> understand_counter_change(
    subject const& of, std::vector<topology::endpoint> ports, std::string const& how, words changes)
{
    BOOST_OUTCOME_TRY(bool const set, either(how, "set", "clear"));
    if (set == changes.empty())
        return wrong(set ? "set needs NAME=VALUE, as in SymbolErrorCounter=12" : "clear takes nothing behind it");
    port_counters_extended scratch;
    for (auto const& word : changes)
        if (auto failed = set_counter(scratch, word); failed.code())
            return failed;
    std::vector<std::string> const kept{changes.begin(), changes.end()};
    return command_step([fabric = of.fabric, ports = std::move(ports), kept]() -> answer {
        for (auto const port : ports) {
            // Without changes everything is cleared.
            port_counters_extended counts;
            if (!kept.empty()) {
                BOOST_OUTCOME_TRY(counts, fabric->port_counts(port));
            }
            for (auto const& word : kept)
                if (auto failed = set_counter(counts, word); failed.code())
                    return failed;
            if (auto failed = fabric->set_port_counts(port, counts); failed.code())
                return failed;
        }
        return fmt::format("{}: {}\n",
            ports.size() == 1 ? port_text(*fabric, ports.front()) : node_text(*fabric, ports.front().node),
            kept.empty() ? std::string{"cleared"} : fmt::format("{}", fmt::join(kept, " ")));
    });
}

result<console_step> understand_counters(subject const& of, words given)
{
    if (given.empty())
        return command_step([fabric = of.fabric]() -> answer { return fabric_counters_text(fabric->counters()); });
    BOOST_OUTCOME_TRY(auto const node, of.fabric->find_node(given[0]));
    given = given.subspan(1);
    std::optional<topology::endpoint> port;
    if (!given.empty() && given[0] != "set" && given[0] != "clear") {
        BOOST_OUTCOME_TRY(port, port_named(of, node, given[0]));
        given = given.subspan(1);
    }
    if (given.empty())
        return command_step([fabric = of.fabric, node, port]() -> answer {
            return port ? port_counters_text(*fabric, *port) : node_counters_text(*fabric, node);
        });
    std::vector<topology::endpoint> ports;
    if (port) {
        ports.push_back(*port);
    } else {
        auto const& all = of.fabric->layout().at(node);
        for (unsigned number = all.type == node_type::switch_ ? 0 : 1; number <= all.ports.size(); ++number)
            ports.push_back({node, static_cast<std::uint8_t>(number)});
        if (ports.empty())
            return wrong(fmt::format("{} has no ports", node_text(*of.fabric, node)));
    }
    return understand_counter_change(of, std::move(ports), given[0], given.subspan(1));
}

result<console_step> understand_dump(subject const& of, words given)
{
    std::optional<topology::node_index> node;
    if (!given.empty()) {
        BOOST_OUTCOME_TRY(node, of.fabric->find_node(given[0]));
    }
    return command_step([fabric = of.fabric, node]() -> answer {
        if (node)
            return node_dump(*fabric, *node);
        std::string text;
        for (topology::node_index each = 0; each != fabric->layout().size(); ++each)
            text += node_summary(*fabric, each);
        return text + faults_text(fabric->faults());
    });
}

result<console_step> understand_time(console_step::kind what, std::string_view name, std::string const& text)
{
    auto const time = parse_time_span(name, text);
    if (!time)
        return wrong(time.error().context());
    console_step step;
    step.what = what;
    step.time = time.value();
    return step;
}

constexpr std::size_t any_number = SIZE_MAX;

constexpr std::array commands{
    known_command{
        "link", "link down|up NODE PORT", "take the cable at a port out, or put it back", 3, 3, understand_link},
    known_command{"node", "node off|on NODE", "switch a node off, or on as after power-on", 2, 2, understand_node},
    known_command{
        "unplug", "unplug CA", "take a CA out of its machine: its open files answer EIO", 1, 1, understand_unplug},
    known_command{"plug", "plug CA", "put it back in", 1, 1, understand_plug},
    known_command{"trap", "trap NODE", "send Trap 128 from a switch to its SM", 1, 1, understand_trap},
    known_command{"loss", "loss P [NODE [PORT]]",
        "lose packets with this probability on each link, or on a node's or port's; P 'default': as elsewhere", 1, 3,
        understand_loss},
    known_command{"duplicate", "duplicate P", "deliver packets twice with this probability on each link", 1, 1,
        [](subject const& of, words given) { return understand_fault(of, "duplicate", given[0]); }},
    known_command{"latency", "latency T", "each link takes this time, as in 20us", 1, 1,
        [](subject const& of, words given) { return understand_fault(of, "latency", given[0]); }},
    known_command{"jitter", "jitter T", "and up to this much more", 1, 1,
        [](subject const& of, words given) { return understand_fault(of, "jitter", given[0]); }},
    known_command{"service", "service T", "a node takes this time for each request", 1, 1,
        [](subject const& of, words given) { return understand_fault(of, "service", given[0]); }},
    known_command{"counters", "counters [NODE [PORT] [set NAME=VALUE ... | clear]]",
        "show the fabric's packets or a port's counters, or set those", 0, any_number, understand_counters},
    known_command{"dump", "dump [NODE]", "show the state of all nodes, or of one and its ports", 0, 1, understand_dump},
    known_command{"clients", "clients", "show what the server has done", 0, 0,
        [](subject const& of, words) -> result<console_step> {
            return command_step([counters = of.counters]() -> answer { return server_counters_text(counters()); });
        }},
    known_command{"wait", "wait T", "go on after this time", 1, 1,
        [](subject const&, words given) { return understand_time(console_step::kind::wait, "wait", given[0]); }},
    known_command{"at", "at T", "go on at this time after the start", 1, 1,
        [](subject const&, words given) { return understand_time(console_step::kind::at, "at", given[0]); }},
    known_command{"help", "help", "show this", 0, 0,
        [](subject const&, words) -> result<console_step> {
            return command_step([]() -> answer { return console_help(); });
        }},
    known_command{"quit", "quit", "end the server", 0, 0,
        [](subject const&, words) -> result<console_step> {
            console_step step;
            step.what = console_step::kind::quit;
            return step;
        }},
};

std::string known_names()
{
    std::string all;
    for (auto const& one : commands)
        all += (all.empty() ? "" : ", ") + std::string{one.name};
    return all;
}

} // namespace

console::console(std::shared_ptr<sim::fabric> fabric, std::function<remote::server_counters()> counters)
    : fabric_{std::move(fabric)}, counters_{std::move(counters)}
{}

result<console_step> console::understand(std::string_view line) const
{
    BOOST_OUTCOME_TRY(auto const all, words_of(line));
    if (all.empty())
        return console_step{};
    auto const* const named =
        std::find_if(commands.begin(), commands.end(), [&](auto const& one) { return one.name == all.front(); });
    if (named == commands.end())
        return wrong(fmt::format("unknown command '{}'; known: {}", all.front(), known_names()));
    auto const given = words{all}.subspan(1);
    if (given.size() < named->fewest || given.size() > named->most)
        return wrong(fmt::format("too {} words; {}", given.size() < named->fewest ? "few" : "many", named->usage));
    return named->understand({fabric_, counters_}, given);
}

std::string console_help()
{
    std::string text;
    for (auto const& one : commands)
        text += fmt::format("{}\n    {}\n", one.usage, one.help);
    return text +
           "NODE and CA: an id of the file, a GUID, a description or a device name; in quotes where it has blanks.\n"
           "P: from 0 to 1. T: a number with ns, us, ms or s.\n";
}

} // namespace madrigal::cli
