// What a machine behind a server shows of itself.
#include "remote/served.hpp"

#include <madrigal/sim/host.hpp>

namespace madrigal {
namespace {

using namespace testing;
using ::testing::HasSubstr;

struct ServedHosts : Served {};

TEST_F(ServedHosts, HaveOneCaAndItsAttributesAreTheFabrics)
{
    auto const machine = client(guid_of(1));
    auto const names = machine->ca_names().value();
    ASSERT_EQ(names.size(), 1u);
    auto const guid = guid_of(1);
    auto const told = server.run([&] {
        auto const host =
            sim::host::make(std::shared_ptr<sim::fabric>{std::shared_ptr<void>{}, &server.fabric()}, guid).value();
        auto const name = host->ca_names().value().front();
        return std::tuple{
            host->query_ca(name).value(), host->query_port(name, 1).value(), host->query_subnet(name, 1).value()};
    });
    auto const& [ca, port, subnet] = told;
    auto const here = machine->query_ca(names.front()).value();
    EXPECT_EQ(here.name, ca.name);
    EXPECT_EQ(here.type, ca.type);
    EXPECT_EQ(here.firmware_version, ca.firmware_version);
    EXPECT_EQ(here.hardware_version, ca.hardware_version);
    EXPECT_EQ(here.ca_type, ca.ca_type);
    EXPECT_EQ(here.description, ca.description);
    EXPECT_EQ(here.node_guid, ca.node_guid);
    EXPECT_EQ(here.system_image_guid, ca.system_image_guid);
    EXPECT_EQ(here.ports, ca.ports);
    auto const end = machine->query_port(names.front(), 1).value();
    EXPECT_EQ(end.number, 1u);
    EXPECT_EQ(end.base_lid, port.base_lid);
    EXPECT_EQ(end.lmc, port.lmc);
    EXPECT_EQ(end.sm_lid, port.sm_lid);
    EXPECT_EQ(end.sm_sl, port.sm_sl);
    EXPECT_EQ(end.state, port.state);
    EXPECT_EQ(end.phys_state, port.phys_state);
    EXPECT_EQ(end.rate_text, port.rate_text);
    EXPECT_EQ(end.rate, port.rate);
    EXPECT_EQ(end.capability_mask, port.capability_mask);
    EXPECT_EQ(end.port_guid, port.port_guid);
    EXPECT_EQ(end.gid_prefix, port.gid_prefix);
    EXPECT_EQ(end.layer, port.layer);
    EXPECT_EQ(end.gids, port.gids);
    EXPECT_EQ(end.pkeys, port.pkeys);
    EXPECT_EQ(machine->query_subnet(names.front(), 1).value(), subnet);
}

TEST_F(ServedHosts, OtherCasAreFoundByTheirNamesAndKeepThem)
{
    auto const machine = client();
    auto const guid = guid_of(2);
    EXPECT_EQ(machine->query_ca(guid).value().name, guid);
    EXPECT_EQ(machine->query_port(guid, 1).value().ca_name, guid);
    EXPECT_NE(machine->query_port(guid, 1).value().base_lid, lid_of(*machine));
    EXPECT_TRUE(machine->open_port(guid, 1));
    EXPECT_EQ(machine->ca_names().value().size(), 1u);
}

TEST_F(ServedHosts, NamesThatNobodyHasAreAnErrorThatListsCandidates)
{
    auto const refused = remote::connect(server.path(), "nobody");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::no_such_ca);
    EXPECT_THAT(refused.error().message(), HasSubstr("nobody"));
    EXPECT_THAT(refused.error().message(), HasSubstr("host-00001"));
    auto const machine = client();
    EXPECT_EQ(machine->open_port("nobody", 1).error(), errc::no_such_ca);
    EXPECT_EQ(machine->query_ca("nobody").error(), errc::no_such_ca);
    EXPECT_EQ(machine->query_port(machine->ca_names().value().front(), 9).error(), errc::no_such_port);
    EXPECT_EQ(machine->open_port(std::string(100'000, 'x'), 1).error(), errc::no_such_ca);
}

TEST_F(ServedHosts, AnUnpluggedCaIsNotListedAndFilesAreLostUntilItIsBack)
{
    auto const machine = client();
    auto const name = machine->ca_names().value().front();
    auto const file = open(*machine);
    auto const first = first_ca();
    server.run([&] { EXPECT_FALSE(server.fabric().unplug(first).code()); });
    EXPECT_THAT(machine->ca_names().value(), ::testing::IsEmpty());
    EXPECT_EQ(code(file->read(buffer)), EIO);
    EXPECT_FALSE(machine->open_port(name, 1));
    server.run([&] { EXPECT_FALSE(server.fabric().plug(first).code()); });
    EXPECT_TRUE(machine->open_port(name, 1));
}

TEST_F(ServedHosts, WhereNobodyListensTheErrorSaysSo)
{
    scratch const empty;
    auto const refused = remote::connect(empty.path() / "nothing.sock");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code().value(), ENOENT);
    EXPECT_THAT(refused.error().message(), HasSubstr("nothing.sock"));
    for (std::size_t size : {0u, 108u, 5'000u})
        EXPECT_EQ(remote::connect(std::string(size, 'x')).error(), errc::invalid_argument);
    EXPECT_EQ(remote::connect(server.path(), std::string(257, 'x')).error(), errc::no_such_ca);
}

} // namespace
} // namespace madrigal
