// From addresses to destinations.
#include "fabric/world.hpp"

#include <madrigal/fabric/reach.hpp>
#include <madrigal/topology/generators.hpp>

#include <gmock/gmock.h>

namespace madrigal::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr gid link_local{default_subnet_prefix, guid{0x0211'22FF'FE33'4455}};
constexpr gid routable{0x2001'0DB8'0000'0000, guid{0x17}};
constexpr gid ipv4{0, guid{0x0000'FFFF'0A00'0001}};

umad::port_attributes on_infiniband()
{
    umad::port_attributes port;
    port.ca_name = "mlx5_0";
    port.number = 1;
    port.base_lid = lid{5};
    port.state = port_state::active;
    port.port_guid = guid{0x1234};
    port.gid_prefix = 0xFE80'0000'0000'0007;
    port.gids = {gid{port.gid_prefix, port.port_guid}, gid{}, gid{port.gid_prefix, guid{0x99}}};
    return port;
}

umad::port_attributes on_ethernet()
{
    umad::port_attributes port;
    port.ca_name = "rxe0";
    port.number = 1;
    port.state = port_state::active;
    port.layer = umad::link_layer::ethernet;
    port.gids = {gid{}, link_local, routable, ipv4};
    return port;
}

std::string failure(umad::port_attributes const& from, address const& to)
{
    auto const found = reach_directly(from, to);
    return found ? "no error" : found.error().context();
}

destination direct(umad::port_attributes const& from, address const& to)
{
    return reach_directly(from, to).value().value();
}

TEST(ReachDirectly, OnInfiniBandGoesToALidAsItIs)
{
    auto const to = direct(on_infiniband(), lid{12});
    EXPECT_EQ(to.type(), destination::kind::lid);
    EXPECT_EQ(to.to_lid(), lid{12});
    EXPECT_THAT(failure(on_infiniband(), lid{0xC000}), HasSubstr("no unicast LID"));
}

TEST(ReachDirectly, OnInfiniBandFindsThePortsOwnGuidAndGidsAtItsLid)
{
    auto const own = on_infiniband();
    EXPECT_EQ(direct(own, own.port_guid).to_lid(), lid{5});
    for (std::size_t const index : {0U, 2U}) {
        auto const to = direct(own, own.gids[index]);
        EXPECT_EQ(to.type(), destination::kind::gid);
        EXPECT_EQ(to.to_lid(), lid{5});
        EXPECT_EQ(to.global().destination, own.gids[index]);
        EXPECT_EQ(to.global().source_gid_index, index);
    }
}

TEST(ReachDirectly, OnInfiniBandLeavesOthersOfTheSubnetToASweep)
{
    auto const own = on_infiniband();
    for (address const& to : {address{guid{0x77}}, address{gid{own.gid_prefix, guid{0x77}}},
             address{gid{default_subnet_prefix, guid{0x77}}}}) {
        auto const found = reach_directly(own, to);
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_FALSE(found.value());
    }
}

TEST(ReachDirectly, OnInfiniBandKnowsNoRouter)
{
    EXPECT_THAT(failure(on_infiniband(), routable),
        AllOf(HasSubstr("2001:0db8:"), HasSubstr("0xfe80000000000007"), HasSubstr("LID of the router"),
            HasSubstr("without subnet administration")));
}

TEST(ReachDirectly, NeedsALidOfItsOwnAndAnActivePort)
{
    auto own = on_infiniband();
    own.state = port_state::init;
    EXPECT_THAT(failure(own, lid{12}), AllOf(HasSubstr("mlx5_0 port 1 is Init"), HasSubstr("subnet manager")));
    EXPECT_FALSE(reach_itself(own));
    own.state = port_state::active;
    own.base_lid = lid{};
    EXPECT_THAT(failure(own, lid{12}), HasSubstr("mlx5_0 port 1 has no LID"));
    own = on_infiniband();
    own.number = 0; // a switch's own port
    own.state = port_state::down;
    EXPECT_EQ(direct(own, lid{12}).to_lid(), lid{12});
    auto down = on_ethernet();
    down.state = port_state::down;
    EXPECT_THAT(failure(down, routable), HasSubstr("rxe0 port 1 is Down"));
}

TEST(ReachDirectly, OnEthernetGoesToAGidWithoutALid)
{
    for (auto const& [to, index] : {std::pair{link_local, 1}, std::pair{routable, 2}, std::pair{ipv4, 3},
             std::pair{gid{default_subnet_prefix, guid{0x77}}, 1}, std::pair{gid{0, guid{0x0000'FFFF'0A00'0002}}, 3},
             std::pair{gid{0x2001'0DB8'0000'0001, guid{0x18}}, 1}}) {
        auto const found = direct(on_ethernet(), to);
        EXPECT_EQ(found.type(), destination::kind::gid);
        EXPECT_EQ(found.to_lid(), lid{});
        EXPECT_EQ(found.global().destination, to);
        EXPECT_EQ(found.global().source_gid_index, index) << to_string(to);
    }
}

TEST(ReachDirectly, OnEthernetAsksForAGidInstead)
{
    for (address const& to : {address{lid{12}}, address{guid{0x1234}}})
        EXPECT_THAT(failure(on_ethernet(), to),
            AllOf(HasSubstr(std::holds_alternative<lid>(to) ? "LID 12" : "GUID 0x0000000000001234"),
                HasSubstr("rxe0 port 1"), HasSubstr("only GIDs can"), HasSubstr(to_string(link_local)),
                HasSubstr(to_string(ipv4)), testing::Not(HasSubstr(to_string(gid{})))));
    auto bare = on_ethernet();
    bare.gids = {gid{}};
    EXPECT_THAT(failure(bare, lid{12}), HasSubstr("those of this one: none"));
}

TEST(ReachItself, IsTheOwnLidOrTheFirstGidThereIs)
{
    auto const by_lid = reach_itself(on_infiniband()).value();
    EXPECT_EQ(by_lid.type(), destination::kind::lid);
    EXPECT_EQ(by_lid.to_lid(), lid{5});
    auto const by_gid = reach_itself(on_ethernet()).value();
    EXPECT_EQ(by_gid.type(), destination::kind::gid);
    EXPECT_EQ(by_gid.global().destination, link_local);
    EXPECT_EQ(by_gid.global().source_gid_index, 1);
    auto bare = on_ethernet();
    bare.gids = {};
    EXPECT_THAT(reach_itself(bare).error().context(), HasSubstr("has no GID"));
}

/// A host, a switch, and a CA whose node GUID is the GUID of its second port, entered by the first.
topology::fabric with_a_shared_guid()
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto dual = make_ca(0x200, 2, "dual");
    dual.ports[0].port_guid = guid{0x300};
    dual.ports[1].port_guid = guid{0x200};
    auto const both = layout.add(std::move(dual));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {both, 1}, {a, 2});
    plug(layout, {both, 2}, {a, 3});
    return layout;
}

class Reach : public testing::Test {
protected:
    explicit Reach(sim::start_state start = sim::start_state::configured)
        : around{with_a_shared_guid(), [&] {
                     sim::fabric_options options;
                     options.start = start;
                     return options;
                 }()}
    {}
    [[nodiscard]] lid lid_of(topology::node_index node, std::uint8_t number)
    {
        return around.on().look_at({node, number}).value().base_lid;
    }
    result<destination> reach_it(address to)
    {
        discover_options options;
        options.time = &around.time();
        return around.run(reach(around.local(), to, std::move(options)));
    }

    world around;
};

TEST_F(Reach, FindsPortsAndNodesByGuid)
{
    EXPECT_EQ(reach_it(guid{0x300}).value().to_lid(), lid_of(2, 1));
    EXPECT_EQ(reach_it(guid{0x200}).value().to_lid(), lid_of(2, 2)) << "a port GUID comes first";
    EXPECT_EQ(reach_it(guid{0x10}).value().to_lid(), lid_of(1, 0));
    EXPECT_EQ(reach_it(guid{0x77}).error(), errc::no_such_node);
}

TEST_F(Reach, FindsGidsOfItsSubnetByTheirGuid)
{
    gid const to{default_subnet_prefix, guid{0x300}};
    auto const found = reach_it(to).value();
    EXPECT_EQ(found.type(), destination::kind::gid);
    EXPECT_EQ(found.to_lid(), lid_of(2, 1));
    EXPECT_EQ(found.global().destination, to);
    EXPECT_EQ(reach_it(gid{default_subnet_prefix, guid{0x77}}).error(), errc::no_such_node);
}

TEST_F(Reach, SweepsOnlyWhereItMust)
{
    auto const before = around.on().counters().transmitted;
    EXPECT_TRUE(reach_it(lid{3}));
    EXPECT_TRUE(reach_it(around.local().attributes().port_guid));
    EXPECT_FALSE(reach_it(routable));
    EXPECT_EQ(around.on().counters().transmitted, before);
}

TEST_F(Reach, SaysWhichPortHasNoLid)
{
    auto found = around.sweep().value();
    for (topology::node_index i = 0; i != found.fabric.size(); ++i)
        for (unsigned number = 1; number <= found.fabric.at(i).port_count(); ++number)
            found.fabric.at(i).external_port(number).base_lid.reset();
    auto const nothing = locate_lid(found, guid{0x300});
    EXPECT_EQ(nothing.error(), errc::no_such_node);
    EXPECT_THAT(nothing.error().message(), AllOf(HasSubstr("port 1 of \"dual\""), HasSubstr("has no LID")));
}

} // namespace
} // namespace madrigal::tests
