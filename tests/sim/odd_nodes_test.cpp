// Nodes that are not everyday: routers, base switch ports, switches with very many ports, partitions that are checked.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/attributes/port_info.hpp>

namespace madrigal::sim::test {
namespace {

TEST(Routers, AreNodesOfTypeThree)
{
    auto layout = two_switches();
    layout.at(host_b).type = node_type::router;
    bench with{layout, {.start = start_state::configured}};
    EXPECT_EQ(with.get<node_info>(directed_route{0, 1, 3}).type, node_type::router);
    EXPECT_TRUE(with.ask(with.on->look_at({host_b, 1}).value().base_lid, attribute_id::node_info));
    EXPECT_FALSE(with.ask(directed_route{0, 1, 3, 1}, attribute_id::node_info)) << "no way through it";
    auto const machine = host::make(with.on, "H-b").value();
    EXPECT_EQ(machine->query_ca(machine->ca_names().value().front()).value().type, node_type::router);
}

TEST(BasePortZero, MayReadAnyStateAndStillAnswers)
{
    for (auto const state : {port_state::active, port_state::down, port_state::no_change}) {
        bench with{two_switches(), {.base_port0_state = state}};
        directed_route const to_base{0, 1, 5};
        EXPECT_EQ(with.get<port_info>(to_base, 0).state, state);
        EXPECT_EQ(with.get<port_info>(directed_route{0, 1}, 0).state, port_state::init) << "an enhanced one has states";
        auto info = with.get<port_info>(to_base, 0);
        info.state = port_state::armed; // of no consequence there
        info.phys_state = physical_state::no_change;
        EXPECT_EQ(with.set(to_base, info, 0)->view().outcome(), 0);
        EXPECT_EQ(with.get<port_info>(to_base, 0).state, state);
        info.lmc = 1;
        EXPECT_EQ(with.set(to_base, info, 0)->view().outcome(), 0x001C) << "nor an LMC";
    }
}

TEST(ManyPorts, NumbersBeyond127WorkEverywhere)
{
    topology::fabric layout;
    topology::node hub;
    hub.type = node_type::switch_;
    hub.id = "S-hub";
    hub.node_guid = guid{0x1000};
    hub.ports.resize(topology::max_node_ports);
    auto const hub_index = layout.add(hub);
    for (unsigned port = 1; port <= topology::max_node_ports; ++port) {
        topology::node leaf;
        leaf.id = "H-" + std::to_string(port);
        leaf.node_guid = guid{0x2000 + 2 * port};
        leaf.ports.resize(1);
        auto const index = layout.add(leaf);
        ASSERT_TRUE(layout.connect({index, 1}, {hub_index, static_cast<std::uint8_t>(port)}));
    }
    bench with{layout, {.start = start_state::configured}};
    EXPECT_EQ(with.get<node_info>(directed_route{0, 1}).num_ports, 254);
    for (unsigned port = 1; port <= topology::max_node_ports; ++port) {
        auto const info = with.get<node_info>(directed_route{0, 1, port});
        EXPECT_EQ(info.node_guid, guid{0x2000 + 2 * port});
        auto const by_lid = with.ask(with.on->look_at({port, 1}).value().base_lid, attribute_id::node_info);
        ASSERT_TRUE(by_lid) << port;
        EXPECT_EQ(by_lid->as<node_info>().node_guid, info.node_guid);
    }
    EXPECT_EQ(with.get<port_info>(directed_route{0, 1}, 254).state, port_state::active);
    EXPECT_EQ(with.ask(directed_route{0, 1}, attribute_id::port_info, 255)->view().outcome(), 0x001C);
}

TEST(Partitions, AreCheckedOnlyWhereTheFabricIsToldSo)
{
    for (bool const check : {false, true}) {
        bench with{two_switches(), {.start = start_state::configured, .check_pkeys = check}};
        p_key_table keys;
        keys.p_keys[0] = 0x8001;
        keys.p_keys[1] = 0x7FFF; // a limited member of the default partition
        ASSERT_EQ(with.set(directed_route{0, 1, 5, 1}, keys)->view().outcome(), 0);
        auto const machine = host::make(with.on, "H-c").value();
        open_file far{*machine};
        far.register_server(0x04, 1, {3});
        auto const sender = with.file->register_client(0x04);
        std::array<std::byte, mad_size> gmp{};
        mutable_mad_view const mad{gmp};
        mad.set_base_version(1);
        mad.set_mgmt_class(management_class::performance);
        mad.set_class_version(1);
        mad.set_method(method::send);
        auto to = header_to(sender, with.on->look_at({host_c, 1}).value().base_lid, 1, 0);
        ASSERT_EQ(with.file->write(to, gmp), 0);
        auto const got = far.read();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->header.pkey_index, 1) << "by which entry it was let in";
        keys.p_keys[1] = 0;
        ASSERT_EQ(with.set(directed_route{0, 1, 5, 1}, keys)->view().outcome(), 0);
        ASSERT_EQ(with.file->write(to, gmp), 0);
        EXPECT_EQ(far.read().has_value(), !check);
        EXPECT_EQ(with.on->counters().drops(drop_reason::p_key), check ? 1u : 0u);
    }
}

TEST(Loopbacks, ACableFromASwitchToItselfWorksAndMisleadsNobody)
{
    auto layout = two_switches();
    ASSERT_TRUE(layout.connect({switch_1, 7}, {switch_1, 8}));
    bench with{layout, {.start = start_state::configured}};
    EXPECT_EQ(with.get<node_info>(directed_route{0, 1, 7}).local_port_num, 8);
    EXPECT_EQ(with.get<node_info>(directed_route{0, 1, 7, 3}).node_guid, layout.at(host_b).node_guid);
    ASSERT_FALSE(with.on->set_link({switch_1, 8}, false).code());
    EXPECT_EQ(with.on->look_at({switch_1, 7}).value().state, port_state::down);
    EXPECT_TRUE(with.ask(with.on->look_at({host_c, 1}).value().base_lid, attribute_id::node_info));
}

} // namespace
} // namespace madrigal::sim::test
