// Fabrics that the program generates for its own tests.
#pragma once

#include "cli/child_process.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace madrigal::cli::test {

/// A test with a generated fabric: two leaves with two hosts each, and two spines.
class with_fabric : public testing::Test {
protected:
    with_fabric()
    {
        auto const made = run_madrigal(
            {"sim", "generate", "fat-tree", "--leaves", "2", "--hosts", "2", "--spines", "2", "--lids", "-o", fabric});
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }

    /// `command` on the fabric as cabled.
    [[nodiscard]] outcome on_fabric(
        std::vector<std::string> command, std::string const& parameters = {}, surroundings const& in = {}) const
    {
        command.insert(command.end(), {"--host", "sim:" + fabric + parameters});
        return run_madrigal(command, in);
    }

    scratch_directory scratch;
    std::string fabric = scratch.file("fabric.topo");
};

} // namespace madrigal::cli::test
