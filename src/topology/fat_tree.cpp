#include "fabric_builder.hpp"

#include <boost/outcome/try.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace madrigal::topology {

using detail::fabric_builder;
using detail::product;
using detail::sum;

namespace {

std::string host_name(std::uint64_t number)
{
    return fmt::format("host-{:05} HCA-1", number);
}

std::uint64_t power(std::uint64_t base, unsigned exponent) noexcept
{
    std::uint64_t value = 1;
    // 64 factors of 2 or more are too many already.
    for (unsigned i = 0; i != std::min(exponent, 64U); ++i)
        value = product({value, base});
    return value;
}

} // namespace

result<fabric> generate(fat_tree const& shape, generate_options const& options)
{
    BOOST_OUTCOME_TRY(detail::require_positive(
        {{"leaves", shape.leaves}, {"spines", shape.spines}, {"cables between leaf and spine", shape.cables}}));
    fabric_builder builder{options};
    BOOST_OUTCOME_TRY(
        builder.check_size(sum({shape.leaves, shape.spines}), product({shape.leaves, shape.hosts_per_leaf})));
    BOOST_OUTCOME_TRY(
        builder.check_ports("leaf switch", sum({shape.hosts_per_leaf, product({shape.spines, shape.cables})})));
    BOOST_OUTCOME_TRY(builder.check_ports("spine switch", product({shape.leaves, shape.cables})));

    std::vector<node_index> leaves;
    std::vector<node_index> spines;
    for (unsigned i = 0; i != shape.leaves; ++i)
        leaves.push_back(builder.add_switch(fmt::format("leaf-{:03}", i + 1)));
    for (unsigned i = 0; i != shape.spines; ++i)
        spines.push_back(builder.add_switch(fmt::format("spine-{:03}", i + 1)));
    std::uint64_t host = 0;
    for (auto const leaf : leaves)
        for (unsigned i = 0; i != shape.hosts_per_leaf; ++i)
            builder.add_host(leaf, host_name(++host));
    for (auto const leaf : leaves)
        for (auto const spine : spines)
            for (unsigned i = 0; i != shape.cables; ++i)
                builder.cable(leaf, spine);
    return std::move(builder).finish();
}

result<fabric> generate(three_level_fat_tree const& shape, generate_options const& options)
{
    BOOST_OUTCOME_TRY(detail::require_positive({{"pods", shape.pods}, {"leaves per pod", shape.leaves_per_pod},
        {"spines per pod", shape.spines_per_pod}, {"cores per plane", shape.cores_per_plane}}));
    fabric_builder builder{options};
    BOOST_OUTCOME_TRY(builder.check_size(
        sum({product({shape.pods, shape.leaves_per_pod}), product({shape.pods, shape.spines_per_pod}),
            product({shape.spines_per_pod, shape.cores_per_plane})}),
        product({shape.pods, shape.leaves_per_pod, shape.hosts_per_leaf})));
    BOOST_OUTCOME_TRY(builder.check_ports("leaf switch", sum({shape.hosts_per_leaf, shape.spines_per_pod})));
    BOOST_OUTCOME_TRY(builder.check_ports("spine switch", sum({shape.leaves_per_pod, shape.cores_per_plane})));
    BOOST_OUTCOME_TRY(builder.check_ports("core switch", shape.pods));

    std::vector<node_index> cores;
    for (unsigned plane = 0; plane != shape.spines_per_pod; ++plane)
        for (unsigned i = 0; i != shape.cores_per_plane; ++i)
            cores.push_back(builder.add_switch(fmt::format("core-{:03}-{:03}", plane + 1, i + 1)));
    std::uint64_t host = 0;
    for (unsigned pod = 0; pod != shape.pods; ++pod) {
        std::vector<node_index> spines;
        for (unsigned i = 0; i != shape.spines_per_pod; ++i)
            spines.push_back(builder.add_switch(fmt::format("spine-{:03}-{:03}", pod + 1, i + 1)));
        for (unsigned i = 0; i != shape.leaves_per_pod; ++i) {
            auto const leaf = builder.add_switch(fmt::format("leaf-{:03}-{:03}", pod + 1, i + 1));
            for (unsigned j = 0; j != shape.hosts_per_leaf; ++j)
                builder.add_host(leaf, host_name(++host));
            for (auto const spine : spines)
                builder.cable(leaf, spine);
        }
        for (unsigned plane = 0; plane != shape.spines_per_pod; ++plane)
            for (unsigned i = 0; i != shape.cores_per_plane; ++i)
                builder.cable(spines[plane], cores[plane * shape.cores_per_plane + i]);
    }
    return std::move(builder).finish();
}

result<fabric> generate(k_ary_n_tree const& shape, generate_options const& options)
{
    BOOST_OUTCOME_TRY(detail::require_positive({{"n", shape.n}}));
    if (shape.k < 2)
        return error{errc::invalid_argument, fmt::format("k is {}: expected at least 2", shape.k)};
    fabric_builder builder{options};
    auto const width = power(shape.k, shape.n - 1);
    auto const hosts = power(shape.k, shape.n);
    BOOST_OUTCOME_TRY(builder.check_size(product({shape.n, width}), hosts));
    BOOST_OUTCOME_TRY(builder.check_ports("switch", product({shape.n == 1 ? 1U : 2U, shape.k})));

    // Level 0 has the hosts. A switch's place in its level has n-1 digits to the base k; the cables from level l to l+1
    // change digit l and no other.
    std::vector<std::vector<node_index>> levels(shape.n);
    for (unsigned level = 0; level != shape.n; ++level)
        for (std::uint64_t place = 0; place != width; ++place)
            levels[level].push_back(builder.add_switch(fmt::format("level-{}-{:05}", level + 1, place + 1)));
    for (std::uint64_t host = 0; host != hosts; ++host)
        builder.add_host(levels[0][host / shape.k], host_name(host + 1));
    std::uint64_t weight = 1;
    for (unsigned level = 0; level + 1 != shape.n; ++level, weight *= shape.k) {
        for (std::uint64_t place = 0; place != width; ++place) {
            auto const digit = place / weight % shape.k;
            for (std::uint64_t other = 0; other != shape.k; ++other)
                builder.cable(levels[level][place], levels[level + 1][place - digit * weight + other * weight]);
        }
    }
    return std::move(builder).finish();
}

} // namespace madrigal::topology
