#include "cli/perf_words.hpp"

#include "cli/ping_words.hpp"

#include <madrigal/wire/performance.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <utility>

namespace madrigal::cli {
namespace {

[[noreturn]] void wrong(std::string const& what)
{
    throw CLI::ValidationError(what);
}

perf_attribute attribute_of(perf_words const& words)
{
    auto const wanted = std::to_array<std::pair<bool, perf_attribute>>({{words.extended, perf_attribute::extended},
        {words.xmit_sl, perf_attribute::xmit_data_sl}, {words.rcv_sl, perf_attribute::rcv_data_sl},
        {words.discards, perf_attribute::xmit_discards}, {words.errors, perf_attribute::rcv_errors}});
    auto found = perf_attribute::counters;
    for (auto const& [given, attribute] : wanted) {
        if (!given)
            continue;
        if (found != perf_attribute::counters)
            wrong("-x, -X, -S, -D and -E exclude each other");
        found = attribute;
    }
    return found;
}

} // namespace

perf_question understand(perf_words const& words)
{
    perf_question question;
    question.to = understand(ping_words{words.to, false, words.guid});
    question.attribute = attribute_of(words);
    if (words.all_ports && words.loop_ports)
        wrong("-a and -l exclude each other: all ports together, or one after the other");
    bool const every_port = words.all_ports || words.loop_ports;
    if (every_port && words.port.value_or(all_ports) != all_ports)
        wrong(std::string{words.all_ports ? "-a" : "-l"} + " means every port, not port " +
              std::to_string(*words.port) + " (255 may stand for all of them)");
    if (words.loop_ports)
        question.ports = perf_ports::each;
    else if (words.all_ports || words.port == all_ports)
        question.ports = perf_ports::together;
    else if (words.port)
        question.ports = perf_ports::one;
    question.port = words.port.value_or(0);
    if (words.reset_after_read && words.reset_only)
        wrong("-r and -R exclude each other");
    question.read = !words.reset_only;
    question.reset = words.reset_after_read || words.reset_only;
    if (words.reset_mask && !question.reset)
        wrong("a reset mask takes -r or -R");
    question.reset_mask = words.reset_mask;
    return question;
}

} // namespace madrigal::cli
