#include <madrigal/fabric/discovery.hpp>
#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/fixed_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace madrigal {
namespace {

std::string node_text(sweep_problem const& problem)
{
    return fmt::format("node {} \"{}\" (directed route {})", to_string(problem.node), printable(problem.description),
        to_string(problem.route));
}

std::string reason_text(sweep_problem const& problem)
{
    auto text = problem.code ? ": " + problem.code.message() : std::string{};
    if (!problem.hint.empty())
        text += " (" + problem.hint + ")";
    return text;
}

} // namespace

std::string to_string(sweep_problem const& problem)
{
    auto node = node_text(problem);
    switch (problem.kind) {
    case problem_kind::unanswered:
        return fmt::format("no {}{} of {}{}",
            attribute_name(management_class::subnet_directed_route, problem.attribute),
            problem.port != 0 ? fmt::format(" of port {}", problem.port) : std::string{}, node, reason_text(problem));
    case problem_kind::no_answer_behind:
        return fmt::format("no answer behind port {} of {}{}", problem.port, node, reason_text(problem));
    case problem_kind::too_far:
        return fmt::format("port {} of {} leads on, but a directed route has 63 hops at most; sweep from a nearer port",
            problem.port, node);
    case problem_kind::changed:
        return fmt::format("the cable at port {} of {} was moved during the sweep{}; sweep again", problem.port, node,
            reason_text(problem));
    case problem_kind::duplicate_guid: {
        std::string routes;
        for (auto const& route : problem.routes)
            routes += (routes.empty() ? "" : " and ") + to_string(route);
        if (problem.missing)
            return fmt::format(
                "several nodes seem to have the GUID {}: directed routes {}; they cannot be told apart for "
                "certain, so nodes and cables may be missing or listed twice; give each node its own GUID",
                to_string(problem.node), routes);
        return fmt::format(
            "{} nodes have the GUID {}: directed routes {}", problem.routes.size(), to_string(problem.node), routes);
    }
    case problem_kind::left_out:
        return fmt::format(
            "what is behind port {} of {} is left out: there are more nodes, or more with its GUID, than a sweep takes",
            problem.port, node);
    case problem_kind::zero_guid: return fmt::format("the GUID of {} is 0", node);
    }
    return node;
}

double sweep_statistics::per_second() const noexcept
{
    auto const seconds = std::chrono::duration<double>{elapsed}.count();
    return seconds > 0 ? static_cast<double>(questions) / seconds : 0;
}

bool discovery::complete() const noexcept
{
    return std::none_of(problems.begin(), problems.end(), [](auto const& one) { return one.missing; });
}

error discovery::check() const
{
    constexpr std::size_t most_named = 20;
    std::string context;
    std::size_t missing = 0;
    for (auto const& one : problems) {
        if (!one.missing || ++missing > most_named)
            continue;
        context += (context.empty() ? "" : "; ") + to_string(one);
    }
    if (missing == 0)
        return {};
    if (missing > most_named)
        context += fmt::format("; and {} more", missing - most_named);
    return error{errc::incomplete_sweep, std::move(context)};
}

} // namespace madrigal
