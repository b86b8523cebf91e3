// Checks that two fabrics tell the same, untold things included.
#pragma once

#include <madrigal/topology/compare.hpp>
#include <madrigal/topology/fabric.hpp>
#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace madrigal::topology::tests {

inline void expect_same(fabric const& a, fabric const& b)
{
    compare_options const everything{.lids = true, .identifiers = true};
    EXPECT_THAT(differences(a, b, 10, everything), testing::IsEmpty());
    // What the first does not tell is not asked of the second: the other way round finds what was made up.
    EXPECT_THAT(differences(b, a, 10, everything), testing::IsEmpty());
    EXPECT_EQ(a.counts(), b.counts());
    EXPECT_EQ(a.initiated_from_node, b.initiated_from_node);
    EXPECT_EQ(a.initiated_from_port, b.initiated_from_port);
}

/// The fabric of a text that must be acceptable.
inline read_outcome read(std::string_view text)
{
    auto outcome = read_ibnetdiscover(text, "test.topo");
    if (!outcome) {
        ADD_FAILURE() << outcome.error().message();
        return {};
    }
    return std::move(outcome).value();
}

/// The context of the error of a text that must not be.
inline std::string refusal(std::string_view text)
{
    auto const outcome = read_ibnetdiscover(text, "test.topo");
    if (outcome)
        return "accepted";
    EXPECT_EQ(outcome.error(), errc::malformed_topology);
    return outcome.error().context();
}

} // namespace madrigal::topology::tests
