// A machine on the fabric as its sysfs would show it, and how people name one.
#include "small_fabric.hpp"

#include <sim/host_names.hpp>
#include <sim/rate_text.hpp>

namespace madrigal::sim::test {
namespace {

TEST(Host, ShowsTheFirstCaWhereNoneIsNamed)
{
    bench with;
    EXPECT_EQ(with.machine->ca_names().value(), std::vector<std::string>{"mlx5_0"});
    auto const ca = with.machine->query_ca("mlx5_0").value();
    EXPECT_EQ(ca.name, "mlx5_0");
    EXPECT_EQ(ca.type, node_type::ca);
    EXPECT_EQ(ca.ca_type, "MT4123");
    EXPECT_EQ(ca.description, "alpha mlx5_0");
    EXPECT_EQ(ca.ports, (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(ca.node_guid, with.on->layout().at(host_a).node_guid);
    EXPECT_EQ(with.machine->query_ca("mlx5_1").error(), errc::no_such_ca);
}

TEST(Host, ShowsItsPorts)
{
    bench with;
    auto const one = with.machine->query_port("mlx5_0", 1).value();
    EXPECT_EQ(one.state, port_state::init);
    EXPECT_EQ(one.phys_state, physical_state::link_up);
    EXPECT_EQ(one.rate_text, "100 Gb/sec (4X EDR)");
    EXPECT_EQ(one.rate, 100u);
    EXPECT_EQ(one.base_lid, lid{});
    EXPECT_EQ(one.layer, umad::link_layer::infiniband);
    EXPECT_EQ(one.port_guid, guid{0x0002'C903'0000'0101});
    ASSERT_FALSE(one.gids.empty());
    EXPECT_EQ(to_string(one.gids[0]), "fe80:0000:0000:0000:0002:c903:0000:0101");
    EXPECT_EQ(one.gids[1], gid{});
    EXPECT_EQ(one.pkeys.at(0), 0xFFFF);
    EXPECT_EQ(with.machine->query_port("mlx5_0", 2).value().rate_text, "40 Gb/sec (4X FDR10)");
    EXPECT_EQ(with.machine->query_port("mlx5_0", 0).error(), errc::no_such_port);
    EXPECT_EQ(with.machine->query_port("mlx5_0", 3).error(), errc::no_such_port);
    EXPECT_EQ(with.machine->open_port("mlx5_0", 0).error(), errc::no_such_port);
}

TEST(Host, ASwitchHasPortZeroOnly)
{
    auto const on = fabric::make(two_switches(), {.start = start_state::configured}).value();
    auto const machine = host::make(on, "S-2").value();
    auto const name = machine->ca_names().value().front();
    EXPECT_EQ(machine->query_ca(name).value().ports, std::vector<unsigned>{0});
    EXPECT_EQ(machine->query_ca(name).value().type, node_type::switch_);
    EXPECT_TRUE(machine->query_port(name, 0));
    EXPECT_EQ(machine->query_port(name, 1).error(), errc::no_such_port);
    EXPECT_TRUE(machine->open_port(name, 0));
}

TEST(Host, IsFoundByGuidIdDescriptionAndDevice)
{
    auto const layout = two_switches();
    for (char const* const name :
        {"H-c", "0x0002c90300000300", "0002c90300000300", "0x0002c90300000301", "gamma mlx5_2", "mlx5_2"})
        EXPECT_EQ(find_ca(layout, name).value(), host_c) << name;
    EXPECT_EQ(find_ca(layout, "second switch").value(), switch_2);
}

TEST(Host, AnUnknownOrAmbiguousNameListsCandidates)
{
    auto layout = two_switches();
    auto const unknown = find_ca(layout, "nobody");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error(), errc::no_such_ca);
    for (char const* const part : {"nobody", "alpha mlx5_0", "H-b", "0x0002c90300000300"})
        EXPECT_NE(unknown.error().message().find(part), std::string::npos) << unknown.error().message();
    layout.at(host_b).description = layout.at(host_c).description;
    auto const several = find_ca(layout, "gamma mlx5_2");
    ASSERT_FALSE(several);
    EXPECT_NE(several.error().message().find("H-b"), std::string::npos);
    EXPECT_NE(several.error().message().find("H-c"), std::string::npos);
    EXPECT_EQ(several.error().message().find("H-a"), std::string::npos);
    EXPECT_FALSE(find_ca(topology::fabric{}, std::nullopt));
}

TEST(Host, DeviceNamesAreThoseThatAKernelWouldGive)
{
    topology::node one;
    one.vendor_id = 0x2C9;
    one.device_id = 0x101B;
    EXPECT_EQ(device_name(one), "mlx5_0");
    one.description = "node12 mlx5_7";
    EXPECT_EQ(device_name(one), "mlx5_7");
    one.description = "MT25408 ConnectX Mellanox Technologies";
    one.device_id = 0x1003;
    EXPECT_EQ(device_name(one), "mlx4_0");
    one.device_id = 0x6340;
    EXPECT_EQ(device_name(one), "mlx4_0");
    one.device_id = 0x5A44;
    EXPECT_EQ(device_name(one), "mthca0");
    one.vendor_id = 0x1175;
    EXPECT_EQ(device_name(one), "qib0");
    one.description = "_0 x_ X_1 9_1";
    EXPECT_EQ(device_name(one), "qib0");
}

TEST(Host, RatesReadAsInSysfs)
{
    EXPECT_EQ(rate_text(link_width::x1, link_speed::sdr), "2.5 Gb/sec (1X SDR)");
    EXPECT_EQ(rate_text(link_width::x4, link_speed::sdr), "10 Gb/sec (4X SDR)");
    EXPECT_EQ(rate_text(link_width::x4, link_speed::fdr), "56 Gb/sec (4X FDR)");
    EXPECT_EQ(rate_text(link_width::x12, link_speed::fdr), "168 Gb/sec (12X FDR)");
    EXPECT_EQ(rate_text(link_width::x2, link_speed::hdr), "100 Gb/sec (2X HDR)");
    EXPECT_EQ(rate_text(link_width::x4, link_speed::xdr), "800 Gb/sec (4X XDR)");
}

TEST(Host, ItsUriSaysWhichFabricAndWhichCa)
{
    auto const uri_for = [](start_state start, char const* uri) {
        return host::make(fabric::make(two_switches(), {.start = start, .uri = uri}).value(), "H-c").value()->uri();
    };
    EXPECT_EQ(uri_for(start_state::as_cabled, "sim:lab.topo"), "sim:lab.topo?ca=0x0002c90300000300");
    EXPECT_EQ(uri_for(start_state::configured, "sim:lab.topo"), "sim:lab.topo?configured&ca=0x0002c90300000300");
    EXPECT_EQ(uri_for(start_state::configured, "sim:lab.topo?configured&loss=0.1"),
        "sim:lab.topo?configured&loss=0.1&ca=0x0002c90300000300");
    EXPECT_EQ(uri_for(start_state::as_cabled, "sim:lab.topo?ca=H-c"), "sim:lab.topo?ca=H-c");
}

TEST(Host, FabricsAreIndependent)
{
    bench first;
    bench second;
    ASSERT_FALSE(first.on->set_power(switch_1, false).code());
    EXPECT_FALSE(first.ask(directed_route{0, 1}, attribute_id::node_info));
    EXPECT_TRUE(second.ask(directed_route{0, 1}, attribute_id::node_info));
}

} // namespace
} // namespace madrigal::sim::test
