// Directed routes hop by hop, and the mixed ones that begin or end LID routed (IBA 14.2.2).
#include "small_fabric.hpp"

#include <sim/directed_route_step.hpp>

#include <madrigal/wire/attributes/node_info.hpp>

namespace madrigal::sim::test {
namespace {

using way = directed_route_step::way;

std::array<std::byte, mad_size> smp_for(
    directed_route const& route, lid source = permissive_lid, lid destination = permissive_lid)
{
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, 1, attribute_id::node_info, 0, 0, route, source, destination);
    return smp;
}

void turn_back(std::array<std::byte, mad_size>& smp)
{
    mutable_mad_view{smp}.set_status(mad_status::direction_bit);
}

TEST(DirectedRouteStep, WalksThereAndBack)
{
    auto smp = smp_for(directed_route{0, 1, 5, 7});
    auto step = step_from_inside(smp);
    EXPECT_EQ(step.go, way::leave);
    EXPECT_EQ(step.port, 1);
    step = step_from_outside(smp, true, 11);
    EXPECT_EQ(step.go, way::leave);
    EXPECT_EQ(step.port, 5);
    step = step_from_outside(smp, true, 12);
    EXPECT_EQ(step.port, 7);
    step = step_from_outside(smp, false, 13);
    EXPECT_EQ(step.go, way::consume);
    auto const walked = decode<directed_route_smp>(smp).value();
    EXPECT_EQ(walked.hop_pointer, 4);
    EXPECT_EQ(walked.return_path[1], 11);
    EXPECT_EQ(walked.return_path[2], 12);
    EXPECT_EQ(walked.return_path[3], 13);

    turn_back(smp);
    step = step_from_inside(smp);
    EXPECT_EQ(step.go, way::leave);
    EXPECT_EQ(step.port, 13);
    EXPECT_EQ(step_from_outside(smp, true, 7).port, 12);
    EXPECT_EQ(step_from_outside(smp, true, 5).port, 11);
    EXPECT_EQ(step_from_outside(smp, false, 1).go, way::consume);
    EXPECT_EQ(decode<directed_route_smp>(smp)->hop_pointer, 0);
}

TEST(DirectedRouteStep, OnlySwitchesPassOn)
{
    auto smp = smp_for(directed_route{0, 1, 5});
    EXPECT_EQ(step_from_inside(smp).go, way::leave);
    EXPECT_EQ(step_from_outside(smp, false, 3).go, way::discard);
    auto back = smp_for(directed_route{0, 1, 5});
    back[6] = std::byte{2};
    turn_back(back);
    EXPECT_EQ(step_from_outside(back, false, 3).go, way::discard);
}

TEST(DirectedRouteStep, EveryHopPointerAndCountIsSafe)
{
    for (unsigned pointer = 0; pointer != 256; ++pointer)
        for (unsigned count = 0; count != 256; ++count)
            for (unsigned kind = 0; kind != 16; ++kind) {
                auto smp =
                    smp_for(directed_route{0, 1}, lid{(kind & 1) != 0 ? std::uint16_t{0xFFFF} : std::uint16_t{4}},
                        lid{(kind & 2) != 0 ? std::uint16_t{0xFFFF} : std::uint16_t{5}});
                smp[6] = static_cast<std::byte>(pointer);
                smp[7] = static_cast<std::byte>(count);
                if ((kind & 4) != 0)
                    turn_back(smp);
                auto again = smp;
                auto const inside = step_from_inside(smp);
                auto const outside = step_from_outside(again, (kind & 8) != 0, 3);
                if (count > 63) {
                    EXPECT_EQ(inside.go, way::discard);
                    EXPECT_EQ(outside.go, way::discard);
                } else if (pointer > count + 1) {
                    EXPECT_EQ(outside.go, way::discard) << pointer << " of " << count;
                }
            }
}

TEST(DirectedRoute, EndsWhereTheCableEnds)
{
    bench with;
    for (auto const& route : {directed_route{0, 1, 7}, directed_route{0, 1, 8}, directed_route{0, 1, 9},
             directed_route{0, 1, 0}, directed_route{0, 1, 255}, directed_route{0, 1, 3, 1}}) {
        EXPECT_FALSE(with.ask(route, attribute_id::node_info)) << to_string(route);
    }
    auto const counts = with.on->counters();
    EXPECT_EQ(counts.drops(drop_reason::link_down), 2u);
    EXPECT_EQ(counts.drops(drop_reason::bad_directed_route), 4u);
}

TEST(DirectedRoute, GoesInCirclesAsFarAsItIsTold)
{
    bench with;
    std::vector<std::uint8_t> ports{1};
    for (int round = 0; round != 30; ++round) // to and fro over the two parallel cables
        ports.insert(ports.end(), {5, 6});
    ports.insert(ports.end(), {5, 1});
    ASSERT_EQ(ports.size(), directed_route::max_hops);
    auto const info = with.get<node_info>(directed_route::from_ports(ports).value());
    EXPECT_EQ(info.node_guid, with.on->layout().at(host_c).node_guid);
}

TEST(DirectedRoute, ASwitchAnswersForItselfByThePortAskedThrough)
{
    bench with;
    auto const first = with.get<node_info>(directed_route{0, 1, 5});
    EXPECT_EQ(first.type, node_type::switch_);
    EXPECT_EQ(first.local_port_num, 5);
    EXPECT_EQ(with.get<node_info>(directed_route{0, 1, 6}).local_port_num, 6);
}

TEST(DirectedRoute, WorksFromASwitchesOwnPort)
{
    bench with{two_switches(), {}, "S-1"};
    EXPECT_EQ(with.get<node_info>(directed_route{}).type, node_type::switch_);
    EXPECT_EQ(with.get<node_info>(directed_route{}).local_port_num, 0);
    EXPECT_EQ(with.get<node_info>(directed_route{0, 3}).node_guid, with.on->layout().at(host_b).node_guid);
    EXPECT_EQ(with.get<node_info>(directed_route{0, 5, 1}).node_guid, with.on->layout().at(host_c).node_guid);
}

class MixedRoute : public ::testing::Test {
protected:
    bench with{two_switches(), {.start = start_state::configured}};

    lid lid_of(topology::endpoint end) { return with.on->look_at(end).value().base_lid; }
    std::optional<received> ask(lid first, directed_route const& route, lid source, lid destination = permissive_lid)
    {
        auto const smp = smp_for(route, source, destination);
        EXPECT_EQ(with.file->write(header_to(with.directed, first, 0), smp), 0);
        return with.file->read();
    }
};

TEST_F(MixedRoute, StartsLidRoutedAndGoesOnDirected)
{
    auto const got = ask(lid_of({switch_2, 0}), directed_route{0, 1}, lid_of({host_a, 1}));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->as<node_info>().node_guid, with.on->layout().at(host_c).node_guid);
    EXPECT_EQ(decode<directed_route_smp>(got->mad)->hop_pointer, 0);
    EXPECT_EQ(got->header.lid.value(), lid_of({switch_2, 0}).value());
}

TEST_F(MixedRoute, WithoutHopsIsPlainLidRouting)
{
    for (topology::endpoint const to : {topology::endpoint{host_c, 1}, {switch_2, 0}, {host_a, 1}}) {
        auto const got = ask(lid_of(to), directed_route{}, lid_of({host_a, 1}));
        ASSERT_TRUE(got);
        EXPECT_EQ(got->as<node_info>().node_guid, with.on->layout().at(to.node).node_guid);
    }
}

TEST_F(MixedRoute, EndsLidRouted)
{
    auto const got = ask(permissive_lid, directed_route{0, 1}, permissive_lid, lid_of({host_c, 1}));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->as<node_info>().node_guid, with.on->layout().at(host_c).node_guid);
}

TEST_F(MixedRoute, DoesNotTurnAtACa)
{
    EXPECT_FALSE(ask(lid_of({host_c, 1}), directed_route{0, 1}, lid_of({host_a, 1})));
    EXPECT_EQ(with.on->counters().drops(drop_reason::bad_directed_route), 1u);
}

TEST_F(MixedRoute, NeedsTheForwardingTables)
{
    bench cabled;
    auto const smp = smp_for(directed_route{0, 1}, lid{1});
    ASSERT_EQ(cabled.file->write(header_to(cabled.directed, lid{4}, 0), smp), 0);
    EXPECT_FALSE(cabled.file->read());
    EXPECT_EQ(cabled.on->counters().drops(drop_reason::no_route), 1u);
}

} // namespace
} // namespace madrigal::sim::test
