#include <madrigal/topology/summary.hpp>

#include "naming.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace madrigal::topology {

std::map<std::string, std::size_t> link_rates(fabric const& of)
{
    std::map<std::string, std::size_t> rates;
    for (node_index index = 0; index != of.size(); ++index) {
        auto const& here = of.at(index);
        for (unsigned number = 1; number <= here.ports.size(); ++number) {
            auto const* one = &here.external_port(number);
            if (!one->peer || one->peer < endpoint{index, static_cast<std::uint8_t>(number)})
                continue;
            auto const* other = &of.at(one->peer.node).external_port(one->peer.port);
            auto const order = [](port const& end) { return std::pair{lanes(end.width), end.speed}; };
            if (order(*one) < order(*other))
                std::swap(one, other);
            auto name = detail::rate(one->width, one->speed);
            auto const second = detail::rate(other->width, other->speed);
            if (name.empty())
                name = "not told";
            else if (!second.empty() && second != name)
                name += "/" + second;
            ++rates[std::move(name)];
        }
    }
    return rates;
}

std::string summary(fabric const& of)
{
    auto const counts = of.counts();
    auto text = fmt::format("switches {:>8}\nCAs      {:>8}\nrouters  {:>8}\nlinks    {:>8}\n", counts.switches,
        counts.cas, counts.routers, counts.links);
    for (auto const& [rate, links] : link_rates(of))
        fmt::format_to(std::back_inserter(text), "  {:<12} {:>8}\n", rate, links);
    return text;
}

} // namespace madrigal::topology
