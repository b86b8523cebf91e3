// Networks whose every switch has hosts: torus, dragonfly, random graph.
#include "fabric_builder.hpp"

#include <boost/outcome/try.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::topology {

using detail::fabric_builder;
using detail::product;
using detail::sum;

namespace {

std::string host_name(std::uint64_t number)
{
    return fmt::format("host-{:05} HCA-1", number);
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): unlike the standard library's distributions, the same everywhere.
class dice {
public:
    explicit dice(std::uint64_t seed) noexcept : state_{seed} {}

    /// A number below `bound`, which is far below 2^32.
    std::size_t below(std::size_t bound) noexcept { return static_cast<std::size_t>((next() >> 32U) * bound >> 32U); }

private:
    std::uint64_t next() noexcept
    {
        auto mixed = state_ += 0x9e37'79b9'7f4a'7c15;
        mixed = (mixed ^ mixed >> 30U) * 0xbf58'476d'1ce4'e5b9;
        mixed = (mixed ^ mixed >> 27U) * 0x94d0'49bb'1331'11eb;
        return mixed ^ mixed >> 31U;
    }

    std::uint64_t state_;
};

} // namespace

result<fabric> generate(torus const& shape, generate_options const& options)
{
    if (shape.sizes.empty() || shape.sizes.size() > 6)
        return error{
            errc::invalid_argument, fmt::format("a torus of {} dimensions: expected 1 to 6", shape.sizes.size())};
    std::uint64_t switches = 1;
    std::uint64_t neighbours = 0;
    for (auto const size : shape.sizes) {
        BOOST_OUTCOME_TRY(detail::require_positive({{"a torus' size", size}}));
        switches = product({switches, size});
        neighbours += size == 1 ? 0 : size == 2 ? 1 : 2;
    }
    fabric_builder builder{options};
    BOOST_OUTCOME_TRY(builder.check_size(switches, product({switches, shape.hosts_per_switch})));
    BOOST_OUTCOME_TRY(builder.check_ports("switch", sum({neighbours, shape.hosts_per_switch})));

    std::vector<node_index> grid;
    for (std::uint64_t place = 0; place != switches; ++place) {
        std::string name = "switch";
        auto rest = place;
        for (auto const size : shape.sizes) {
            name += fmt::format("-{}", rest % size);
            rest /= size;
        }
        grid.push_back(builder.add_switch(std::move(name)));
    }
    std::uint64_t host = 0;
    for (auto const at : grid)
        for (unsigned i = 0; i != shape.hosts_per_switch; ++i)
            builder.add_host(at, host_name(++host));
    std::uint64_t stride = 1;
    for (auto const size : shape.sizes) {
        for (std::uint64_t place = 0; place != switches; ++place) {
            auto const coordinate = place / stride % size;
            if (size == 1 || (size == 2 && coordinate == 1))
                continue;
            auto const next = (coordinate + 1) % size;
            builder.cable(grid[place], grid[place - coordinate * stride + next * stride]);
        }
        stride *= size;
    }
    return std::move(builder).finish();
}

result<fabric> generate(dragonfly const& shape, generate_options const& options)
{
    BOOST_OUTCOME_TRY(
        detail::require_positive({{"groups", shape.groups}, {"routers per group", shape.routers_per_group}}));
    fabric_builder builder{options};
    BOOST_OUTCOME_TRY(builder.check_size(product({shape.groups, shape.routers_per_group}),
        product({shape.groups, shape.routers_per_group, shape.hosts_per_router})));
    BOOST_OUTCOME_TRY(builder.check_ports(
        "router", sum({shape.routers_per_group - 1, shape.hosts_per_router, shape.global_links_per_router})));
    std::uint64_t const others = shape.groups - 1;
    auto const global_ports = product({shape.routers_per_group, shape.global_links_per_router});
    if (others > global_ports)
        return error{errc::invalid_argument,
            fmt::format(
                "{} groups of {} routers with {} global links each: expected at most {} groups, so that each is "
                "cabled to each",
                shape.groups, shape.routers_per_group, shape.global_links_per_router, global_ports + 1)};

    std::vector<std::vector<node_index>> groups(shape.groups);
    for (unsigned group = 0; group != shape.groups; ++group)
        for (unsigned i = 0; i != shape.routers_per_group; ++i)
            groups[group].push_back(builder.add_switch(fmt::format("group-{:03}-router-{:03}", group + 1, i + 1)));
    std::uint64_t host = 0;
    for (auto const& group : groups)
        for (auto const at : group)
            for (unsigned i = 0; i != shape.hosts_per_router; ++i)
                builder.add_host(at, host_name(++host));
    for (auto const& group : groups)
        for (std::size_t one = 0; one != group.size(); ++one)
            for (auto other = one + 1; other != group.size(); ++other)
                builder.cable(group[one], group[other]);
    // A group's global ports are dealt out to the other groups in turn, so parallel cables end on different routers.
    auto const rounds = others == 0 ? 0 : global_ports / others;
    auto const router_for = [&](std::uint64_t from, std::uint64_t to, std::uint64_t round) {
        auto const turn = (to + shape.groups - from) % shape.groups - 1;
        return groups[from][(round * others + turn) / shape.global_links_per_router];
    };
    for (std::uint64_t round = 0; round != rounds; ++round)
        for (std::uint64_t one = 0; one != shape.groups; ++one)
            for (auto other = one + 1; other != shape.groups; ++other)
                builder.cable(router_for(one, other, round), router_for(other, one, round));
    return std::move(builder).finish();
}

result<fabric> generate(random_graph const& shape, generate_options const& options)
{
    BOOST_OUTCOME_TRY(detail::require_positive({{"switches", shape.switches}}));
    unsigned const least = shape.switches == 1 ? 0 : shape.switches == 2 ? 1 : 2;
    if (shape.degree < least)
        return error{errc::invalid_argument,
            fmt::format("degree {}: expected at least {} to connect {} switches", shape.degree, least, shape.switches)};
    fabric_builder builder{options};
    BOOST_OUTCOME_TRY(builder.check_size(shape.switches, shape.hosts));
    std::uint64_t const most_hosts = (std::uint64_t{shape.hosts} + shape.switches - 1) / shape.switches;
    BOOST_OUTCOME_TRY(builder.check_ports("switch", sum({most_hosts, shape.switches == 1 ? 0 : shape.degree})));

    std::vector<node_index> all;
    for (unsigned i = 0; i != shape.switches; ++i)
        all.push_back(builder.add_switch(fmt::format("switch-{:05}", i + 1)));
    for (unsigned i = 0; i != shape.hosts; ++i)
        builder.add_host(all[i % shape.switches], host_name(i + 1));

    dice random{shape.seed};
    std::vector<unsigned> free(shape.switches, shape.degree);
    std::vector<std::size_t> open; // switches of the tree that still have free ports
    auto const cable = [&](std::size_t one, std::size_t other) {
        builder.cable(all[one], all[other]);
        --free[one];
        --free[other];
    };
    auto const close_full = [&](std::size_t place) {
        if (free[open[place]] == 0) {
            open[place] = open.back();
            open.pop_back();
        }
    };
    open.push_back(0);
    for (std::size_t next = 1; next != shape.switches; ++next) {
        auto const place = random.below(open.size());
        cable(open[place], next);
        close_full(place);
        if (free[next] != 0)
            open.push_back(next);
    }
    while (open.size() > 1) {
        auto const one = random.below(open.size());
        auto const other = (one + 1 + random.below(open.size() - 1)) % open.size();
        cable(open[one], open[other]);
        close_full(std::max(one, other));
        close_full(std::min(one, other));
    }
    return std::move(builder).finish();
}

} // namespace madrigal::topology
