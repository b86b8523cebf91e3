// `madrigal perf`: reads and writes the counters of ports.
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/perf_report.hpp"
#include "cli/perf_words.hpp"
#include "cli/session.hpp"

#include <madrigal/fabric/node_ports.hpp>
#include <madrigal/fabric/performance_client.hpp>
#include <madrigal/fabric/reach.hpp>
#include <madrigal/wire/attributes/port_error_details.hpp>
#include <madrigal/wire/attributes/port_sl_counters.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace madrigal::cli {
namespace {

struct perf_arguments {
    host_arguments host;
    smp_arguments smp; ///< for the sweep that finds a GUID, and for the node's ports
    perf_words words;
    perf_question question;
    unsigned timeout_ms = 1'000;
    unsigned retries = 2;
    bool json = false;

    [[nodiscard]] gmp_options how() const
    {
        gmp_options options;
        options.timeout = std::chrono::milliseconds{timeout_ms};
        options.retries = retries;
        return options;
    }
    [[nodiscard]] request_options smps() const
    {
        return {.timeout = std::chrono::milliseconds{timeout_ms}, .retries = retries, .m_key = smp.m_key};
    }
};

/// What everything is done with.
struct perf_work {
    performance_client client;
    destination to{lid{}};
    performance_capabilities can;
    std::optional<node_ports> ports; ///< where every port is meant
    perf_arguments const* wanted = nullptr;
};

/// A Set of zeroes to the counters that are to be reset.
template <class Attribute>
Attribute reset_of(std::optional<std::uint32_t> mask, performance_capabilities const& can)
{
    Attribute zeroes{};
    auto const low = static_cast<std::uint16_t>(mask.value_or(0xFFFF));
    if constexpr (requires { zeroes.counter_select2; }) {
        if (!mask)
            return select_all_counters(zeroes, can);
        using first = decltype(zeroes.counter_select);
        using second = decltype(zeroes.counter_select2);
        zeroes.counter_select = first::from_value(low);
        zeroes.counter_select2 = second::from_value(static_cast<typename second::value_type>(*mask >> 16));
    } else {
        zeroes.counter_select = low;
    }
    return zeroes;
}

/// One port, or all of them together where `port` is 255.
template <class Attribute>
asio::awaitable<result<perf_reading>> read_and_reset(perf_work const& with, std::uint8_t port)
{
    auto const& question = with.wanted->question;
    perf_reading reading;
    reading.from = with.to;
    reading.can = with.can;
    reading.port = port;
    reading.table = find_attribute(Attribute::layout.name);
    if (question.read && port == all_ports && with.ports) {
        auto const sum = co_await with.client.get_all_ports<Attribute>(with.to, *with.ports);
        if (!sum)
            co_return sum.error();
        (void)encode(sum.value().counters, reading.data);
        reading.emulated = sum.value().emulated;
        reading.read = true;
    } else if (question.read) {
        auto const one = co_await with.client.get_port<Attribute>(with.to, port);
        if (!one)
            co_return one.error();
        (void)encode(one.value(), reading.data);
        reading.read = true;
    }
    if (!question.reset)
        co_return reading;
    auto zeroes = reset_of<Attribute>(question.reset_mask, with.can);
    zeroes.port_select = port;
    if (port == all_ports && with.ports) {
        auto const done = co_await with.client.set_all_ports(with.to, zeroes, *with.ports);
        if (!done) {
            reading.not_reset = done.error();
            co_return reading;
        }
        reading.emulated = done.value();
    } else {
        auto const done = co_await with.client.set(with.to, zeroes);
        if (!done) {
            reading.not_reset = done.error();
            co_return reading;
        }
    }
    reading.reset = true;
    co_return reading;
}

asio::awaitable<result<perf_reading>> do_one(perf_work const& with, std::uint8_t port)
{
    switch (with.wanted->question.attribute) {
    case perf_attribute::counters: break;
    case perf_attribute::extended:
        if (with.can.extended())
            co_return co_await read_and_reset<port_counters_extended>(with, port);
        break;
    case perf_attribute::xmit_data_sl: co_return co_await read_and_reset<port_xmit_data_sl>(with, port);
    case perf_attribute::rcv_data_sl: co_return co_await read_and_reset<port_rcv_data_sl>(with, port);
    case perf_attribute::xmit_discards: co_return co_await read_and_reset<port_xmit_discard_details>(with, port);
    case perf_attribute::rcv_errors: co_return co_await read_and_reset<port_rcv_error_details>(with, port);
    }
    co_return co_await read_and_reset<port_counters>(with, port);
}

int print(perf_reading const& what, bool json)
{
    return write_results(json ? perf_json(what) : perf_text(what));
}

asio::awaitable<result<perf_work>> prepare(port on, perf_arguments const& wanted)
{
    perf_work work;
    work.wanted = &wanted;
    if (wanted.question.to) {
        auto options = wanted.smp.for_sweep();
        auto found = co_await reach(on, *wanted.question.to, std::move(options));
        if (!found)
            co_return found.error();
        work.to = found.value();
    } else {
        auto const own = reach_itself(on.attributes());
        if (!own)
            co_return own.error();
        work.to = own.value();
    }
    auto opened = performance_client::open(on, wanted.how());
    if (!opened)
        co_return opened.error();
    work.client = std::move(opened).value();
    if (wanted.question.ports != perf_ports::one) {
        auto const ports = co_await find_node_ports(on, work.to, wanted.smps());
        if (!ports)
            co_return ports.error();
        work.ports = ports.value();
    }
    auto const can = co_await work.client.capabilities(work.to);
    if (!can)
        co_return can.error();
    work.can = can.value();
    co_return work;
}

/// An exit code.
asio::awaitable<result<int>> work_through(port on, perf_arguments const& wanted)
{
    auto const prepared = co_await prepare(on, wanted);
    if (!prepared)
        co_return prepared.error();
    auto const& work = prepared.value();
    if (wanted.question.attribute == perf_attribute::extended && !work.can.extended())
        complain("note: " + to_string(work.to) +
                 " has no counters of 64 bits; these are those of PortCounters, which " +
                 "stop at their largest value");
    unsigned first = wanted.question.port;
    unsigned last = first;
    switch (wanted.question.ports) {
    case perf_ports::one: break;
    case perf_ports::fitting:
        first = last = work.ports->type == node_type::switch_ ? all_ports : work.ports->asked_through;
        break;
    case perf_ports::together: first = last = all_ports; break;
    case perf_ports::each:
        first = work.ports->first;
        last = work.ports->last;
        break;
    }
    if (first == all_ports && !work.can.all_port_select())
        complain("note: " + to_string(work.to) + " has no AllPortSelect; its ports are asked one after the other");
    for (unsigned number = first; number <= last; ++number) {
        auto const done = co_await do_one(work, static_cast<std::uint8_t>(number));
        if (!done)
            co_return done.error();
        auto const& failed = done.value().not_reset;
        // What has been read is perhaps nowhere else any more: it is printed in any case.
        if (done.value().read || !failed.code())
            if (int const written = print(done.value(), wanted.json); written != success)
                co_return written;
        if (failed.code())
            co_return failed;
    }
    co_return success;
}

int work_on(session& on, perf_arguments const& wanted)
{
    auto const done = on.run(work_through(on.on(), wanted));
    if (done)
        return done.value();
    auto const& what = done.error();
    if (on.interrupted())
        return fail(error{what.code(), "interrupted"});
    // What cannot be reached is told in full by the context.
    if (what.code() != errc::invalid_argument || what.context().empty())
        return fail(what);
    complain(what.context());
    return failed_operation;
}

int run(perf_arguments const& wanted)
{
    set_verbosity(wanted.host.verbosity);
    auto const opened = session::open(wanted.host);
    if (!opened)
        return fail(opened.error());
    auto& session = *opened.value();
    return session.conclude(work_on(session, wanted));
}

} // namespace

command perf_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("perf", "Read and reset the counters of ports");
    auto const wanted = std::make_shared<perf_arguments>();
    auto& words = wanted->words;
    add_standard_options(*arguments);
    arguments
        ->add_option_function<std::string>(
            "DEST", [&](std::string const& text) { words.to = text; },
            "A LID, a GUID (0x and 16 digits) or a GID; without it, the port itself")
        ->type_name("");
    add_number(
        *arguments, "PORT", {0, all_ports},
        [&](std::uint64_t number) { words.port = static_cast<std::uint8_t>(number); },
        "The port of that node, 255 for all together; without it, the one that has the LID, or all of a switch")
        ->type_name("");
    add_number(
        *arguments, "MASK", {0, UINT32_MAX},
        [&](std::uint64_t number) { words.reset_mask = static_cast<std::uint32_t>(number); },
        "With -r or -R: CounterSelect, and CounterSelect2 times 65536; without it, every counter")
        ->type_name("");
    arguments->add_flag("-G,--guid", words.guid, "DEST is the GUID of a port or node; the fabric is swept for it");
    arguments->add_flag("-x,--extended", words.extended, "The counters of 64 bits (PortCountersExtended)");
    arguments->add_flag("-X,--xmtsl", words.xmit_sl, "What was sent at each service level (PortXmitDataSL)");
    arguments->add_flag("-S,--rcvsl", words.rcv_sl, "What was received at each service level (PortRcvDataSL)");
    arguments->add_flag("-D,--xmtdisc", words.discards, "Why packets were discarded (PortXmitDiscardDetails)");
    arguments->add_flag("-E,--rcverr", words.errors, "What was wrong with what arrived (PortRcvErrorDetails)");
    arguments->add_flag("-a,--all_ports", words.all_ports, "All ports of the node as a sum");
    arguments->add_flag("-l,--loop_ports", words.loop_ports, "All ports of the node, one after the other");
    arguments->add_flag(
        "-r,--reset_after_read", words.reset_after_read, "Set the counters to 0 when they have been read");
    arguments->add_flag("-R,--Reset_only", words.reset_only, "Set the counters to 0, and read none");
    add_number(
        *arguments, "-t,--timeout", timeouts, wanted->timeout_ms, "Milliseconds that each MAD waits for its answer")
        ->type_name("MS");
    add_number(*arguments, "--retries", {0, 1'000}, wanted->retries, "How often a MAD without an answer is sent again");
    wanted->smp.add_m_key_to(*arguments);
    arguments->add_flag("--json", wanted->json, "Print JSON: one object a line");
    wanted->host.add_to(*arguments);
    arguments->callback([wanted] { wanted->question = understand(wanted->words); });
    return {arguments, [wanted] { return run(*wanted); }};
}

} // namespace madrigal::cli
