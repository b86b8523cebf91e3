// From GUIDs, LIDs and names to routes.
#include "fabric/world.hpp"

#include <madrigal/fabric/resolve.hpp>
#include <madrigal/topology/generators.hpp>

namespace madrigal::tests {
namespace {

/// A host, two switches, and a CA with a port on each.
topology::fabric with_a_dual_port_ca()
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto const b = layout.add(make_switch(0x11, 4, "b"));
    auto dual = make_ca(0x2, 2, "dual");
    dual.ports[0].port_guid = guid{0x2000};
    dual.ports[1].port_guid = guid{0x2001};
    auto const both = layout.add(std::move(dual));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {a, 2}, {b, 1});
    plug(layout, {both, 1}, {a, 3});
    plug(layout, {both, 2}, {b, 3});
    return layout;
}

class Locate : public testing::Test {
protected:
    Locate()
        : around{with_a_dual_port_ca(),
              [] {
                  sim::fabric_options options;
                  options.start = sim::start_state::configured;
                  return options;
              }()},
          found{around.sweep().value()}
    {}

    template <class Wanted>
    std::string route(Wanted wanted)
    {
        auto const at = locate(found, wanted);
        return at ? to_string(at.value().route) + " port " + std::to_string(at.value().port) : at.error().message();
    }

    world around;
    discovery found;
};

TEST_F(Locate, FindsNodesAndPortsByGuid)
{
    EXPECT_EQ(route(guid{0x1}), "0 port 1");
    EXPECT_EQ(route(guid{0x11}), "0,1,2 port 0");
    EXPECT_EQ(route(guid{0x2}), "0,1,3 port 1");
    EXPECT_EQ(route(guid{0x2000}), "0,1,3 port 1");
    EXPECT_EQ(route(guid{0x2001}), "0,1,2,3 port 2");
    EXPECT_THAT(route(guid{0x77}), testing::HasSubstr("0x0000000000000077"));
    EXPECT_EQ(locate(found, guid{0x77}).error(), errc::no_such_node);
    EXPECT_EQ(locate(found, guid{}).error(), errc::invalid_argument);
}

TEST_F(Locate, FindsPortsByLid)
{
    for (auto const& [node, port, expected] :
        {std::tuple{0U, 1, "0 port 1"}, {2U, 0, "0,1,2 port 0"}, {3U, 1, "0,1,3 port 1"}, {3U, 2, "0,1,2,3 port 2"}})
        EXPECT_EQ(route(around.on().look_at({node, static_cast<std::uint8_t>(port)}).value().base_lid), expected);
    EXPECT_EQ(locate(found, lid{0x7777}).error(), errc::no_such_node);
    EXPECT_EQ(locate(found, lid{0}).error(), errc::invalid_argument);
    EXPECT_EQ(locate(found, lid{0xFFFF}).error(), errc::invalid_argument);
}

TEST_F(Locate, FindsWhatAPersonNames)
{
    EXPECT_EQ(route(std::string_view{"S-0000000000000011"}), "0,1,2 port 0");
    EXPECT_EQ(route(std::string_view{"0x11"}), "0,1,2 port 0");
    EXPECT_EQ(route(std::string_view{"0x2001"}), "0,1,2,3 port 2");
    EXPECT_EQ(route(std::string_view{"dual"}), "0,1,3 port 1");
    EXPECT_EQ(locate(found, std::string_view{"nobody"}).error(), errc::no_such_node);
}

TEST(Resolve, SweepsAndFindsOrSaysThatTheSweepIsIncomplete)
{
    world around{with_a_dual_port_ca()};
    discover_options how;
    how.time = &around.time();
    EXPECT_EQ(to_string(around.run(resolve(around.local(), guid{0x11}, how)).value().route), "0,1,2");
    EXPECT_EQ(to_string(around.run(resolve(around.local(), std::string{"b"}, how)).value().route), "0,1,2");
    EXPECT_EQ(around.run(resolve(around.local(), lid{3}, how)).error(), errc::no_such_node);
    sim::fault_rule rule;
    rule.node = 2;
    (void)around.on().add_rule(rule);
    auto const missing = around.run(resolve(around.local(), guid{0x11}, how));
    EXPECT_EQ(missing.error(), errc::no_such_node);
    EXPECT_THAT(missing.error().message(), testing::HasSubstr("incomplete"));
}

} // namespace
} // namespace madrigal::tests
