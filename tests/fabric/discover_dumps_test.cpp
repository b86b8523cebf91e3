// Every published dump in the folder that MADRIGAL_TOPOLOGIES names is found again by a sweep of it.
#include "fabric/world.hpp"

#include <madrigal/topology/ibnetdiscover_reader.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace madrigal::tests {
namespace {

class SweptDump : public testing::TestWithParam<char const*> {
protected:
    void SetUp() override
    {
        auto const* const named = std::getenv("MADRIGAL_TOPOLOGIES");
        std::filesystem::path const folder = named != nullptr ? named : MADRIGAL_TOPOLOGIES_DIR;
        path_ = folder / GetParam();
        if (!std::filesystem::exists(path_)) {
            auto const* const ci = std::getenv("CI");
            if (ci != nullptr && std::string{ci} == "true")
                FAIL() << "no " << path_ << "; CI must have the dumps: set MADRIGAL_TOPOLOGIES to their folder";
            GTEST_SKIP() << "no " << path_ << "; set MADRIGAL_TOPOLOGIES to the folder of the dumps";
        }
        auto read = topology::read_ibnetdiscover_file(path_.string());
        ASSERT_TRUE(read) << read.error().message();
        file_ = std::move(read).value().fabric;
    }

    std::filesystem::path path_;
    topology::fabric file_;
};

/// What a sweep from a port can reach: through switches, not through CAs.
topology::fabric reachable(topology::fabric const& all, topology::endpoint start)
{
    std::vector<bool> seen(all.size());
    std::vector<topology::node_index> order{start.node};
    seen[start.node] = true;
    for (std::size_t next = 0; next != order.size(); ++next) {
        auto const& node = all.at(order[next]);
        for (unsigned p = 1; p <= node.port_count(); ++p) {
            bool const forwards = node.type == node_type::switch_ || (next == 0 && p == start.port);
            auto const peer = node.external_port(p).peer;
            if (forwards && peer && !seen[peer.node]) {
                seen[peer.node] = true;
                order.push_back(peer.node);
            }
        }
    }
    topology::fabric part;
    std::vector<topology::node_index> as(all.size(), topology::no_node);
    for (topology::node_index i = 0; i != all.size(); ++i) {
        if (!seen[i])
            continue;
        auto copy = all.at(i);
        for (auto& port : copy.ports)
            port.peer = {};
        as[i] = part.add(std::move(copy));
    }
    for (topology::node_index i = 0; i != all.size(); ++i)
        for (unsigned p = 1; p <= all.at(i).port_count(); ++p) {
            auto const peer = all.at(i).external_port(p).peer;
            if (peer && as[i] != topology::no_node && as[peer.node] != topology::no_node &&
                !part.at(as[i]).external_port(p).peer)
                (void)part.connect({as[i], static_cast<std::uint8_t>(p)}, {as[peer.node], peer.port});
        }
    return part;
}

/// The file's first CA and its first cabled port: where a host on it is.
topology::endpoint first_host(topology::fabric const& all)
{
    for (topology::node_index i = 0; i != all.size(); ++i)
        if (all.at(i).type == node_type::ca)
            for (unsigned p = 1; p <= all.at(i).port_count(); ++p)
                if (all.at(i).external_port(p).peer)
                    return {i, static_cast<std::uint8_t>(p)};
    return {};
}

TEST_P(SweptDump, IsFoundAgainAsCabledAndConfigured)
{
    auto const start = first_host(file_);
    ASSERT_TRUE(start);
    auto const expected = reachable(file_, start);
    EXPECT_EQ(expected.size(), file_.size()) << "the file has parts that its first CA does not reach";
    for (auto const state : {sim::start_state::as_cabled, sim::start_state::configured}) {
        bool const configured = state == sim::start_state::configured;
        sim::fabric_options options;
        options.start = state;
        world around{file_, options, file_.at(start.node).id, start.port};
        auto const found = around.sweep();
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_TRUE(found.value().problems.empty()) << listed(found.value().problems);
        expect_same(expected, found.value().fabric, {.lids = configured, .identifiers = true});

        // The output, loaded, is the same fabric once more, and prints the same.
        auto const text = write_ibnetdiscover(found.value().fabric);
        auto again = topology::read_ibnetdiscover(text, "the sweep's own output");
        ASSERT_TRUE(again) << again.error().message();
        expect_same(found.value().fabric, again.value().fabric, {.lids = configured});
        world second{again.value().fabric, options, to_string(found.value().fabric.at(0).node_guid), start.port};
        auto const once_more = second.sweep();
        ASSERT_TRUE(once_more) << once_more.error().message();
        EXPECT_EQ(write_ibnetdiscover(once_more.value().fabric), text);
    }
}

TEST_P(SweptDump, IsTheSameWithOneAndWith64Outstanding)
{
    auto const start = first_host(file_);
    std::vector<std::string> texts;
    for (unsigned const outstanding : {1U, 64U}) {
        world around{file_, {}, file_.at(start.node).id, start.port};
        discover_options how;
        how.outstanding = outstanding;
        auto const found = around.sweep(how);
        ASSERT_TRUE(found) << found.error().message();
        texts.push_back(write_ibnetdiscover(found.value().fabric));
    }
    EXPECT_EQ(texts[0], texts[1]);
}

INSTANTIATE_TEST_SUITE_P(Published, SweptDump,
    testing::Values("symbolic-2sw-2hca.topo", "symbolic-2sw-dualport.topo", "sdr-two-hosts-2009.topo",
        "sdr-manpage-2007.topo", "lab-loopbacks-2021.topo", "qdr-fdr10-144hosts-2014.topo",
        "generated-fattree-k4-n3.topo", "ndr-leaf-spine-2025.topo", "qdr-director-2014.topo", "hdr-storage-2021.topo"),
    [](testing::TestParamInfo<char const*> const& each) {
        std::string name{each.param};
        for (auto& c : name)
            c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        return name;
    });

} // namespace
} // namespace madrigal::tests
