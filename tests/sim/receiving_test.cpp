// MADs that come to a port: several machines on one fabric, servers, and what nobody wants.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/sm_info.hpp>

namespace madrigal::sim::test {
namespace {

std::array<std::byte, mad_size> gmp(
    std::uint8_t mgmt_class, method what, std::uint64_t id, std::uint8_t version = 1, std::uint32_t oui = 0)
{
    std::array<std::byte, mad_size> bytes{};
    mutable_mad_view const mad{bytes};
    mad.set_base_version(1);
    mad.set_mgmt_class(static_cast<management_class>(mgmt_class));
    mad.set_class_version(version);
    mad.set_method(what);
    mad.set_transaction_id(id);
    mad.set_attribute_id(0x11);
    store_bits<296, 24>(bytes.data(), oui);
    return bytes;
}

/// Two machines on a configured fabric, each with an open file: `a` and `c` far apart.
class Receiving : public ::testing::Test {
protected:
    Receiving() : machine_c{host::make(with.on, "H-c").value()}, c{*machine_c}
    {
        lid_a = with.on->look_at({host_a, 1}).value().base_lid;
        lid_c = with.on->look_at({host_c, 1}).value().base_lid;
    }

    bench with{two_switches(), {.start = start_state::configured}};
    std::shared_ptr<host> machine_c;
    open_file& a = *with.file;
    open_file c;
    lid lid_a;
    lid lid_c;
};

TEST_F(Receiving, ARequestReachesTheServerAndItsReplyTheClient)
{
    auto const client = a.register_server(0x32, 1, {}, 0x001405);
    auto const server = c.register_server(0x32, 1, {1}, 0x001405);
    auto to = header_to(client, lid_c, 1);
    to.sl = 2;
    ASSERT_EQ(a.write(to, gmp(0x32, method::get, 77, 1, 0x001405)), 0);
    auto const request = c.read();
    ASSERT_TRUE(request);
    EXPECT_EQ(request->header.id, server);
    EXPECT_EQ(request->header.lid.value(), lid_a.value());
    EXPECT_EQ(request->header.qpn.value(), 1u);
    EXPECT_EQ(request->header.sl, 2);
    EXPECT_EQ(request->header.pkey_index, 0);
    EXPECT_EQ(request->header.grh_present, 0);
    EXPECT_FALSE(a.read());

    auto reply = gmp(0x32, method::get_response, request->view().transaction_id(), 1, 0x001405);
    reply[100] = std::byte{42};
    ASSERT_EQ(c.write(header_to(server, lid{request->header.lid.value()}, 1, 0), reply), 0);
    auto const answer = a.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.id, client);
    EXPECT_EQ(answer->header.lid.value(), lid_c.value());
    EXPECT_EQ(answer->mad[100], std::byte{42});
    EXPECT_EQ(answer->view().transaction_id() & 0xFFFF'FFFF, 77u);
}

TEST_F(Receiving, EachOuiAndVersionHasItsOwnServer)
{
    auto const client = a.register_server(0x32, 1, {}, 0x001405);
    auto const first = c.register_server(0x32, 1, {1}, 0x001405);
    auto const second = c.register_server(0x32, 1, {1}, 0x0002C9);
    auto const third = c.register_server(0x32, 2, {1}, 0x001405);
    ASSERT_EQ(a.write(header_to(client, lid_c, 1), gmp(0x32, method::get, 1, 1, 0x0002C9)), 0);
    ASSERT_EQ(a.write(header_to(client, lid_c, 1), gmp(0x32, method::get, 2, 1, 0x001405)), 0);
    ASSERT_EQ(a.write(header_to(client, lid_c, 1), gmp(0x32, method::get, 3, 2, 0x001405)), 0);
    EXPECT_EQ(c.read()->header.id, second);
    EXPECT_EQ(c.read()->header.id, first);
    EXPECT_EQ(c.read()->header.id, third);
}

TEST_F(Receiving, AGetOrSetThatNobodyServesIsUnsupported)
{
    auto const client = a.register_client(0x09);
    c.register_server(0x09, 1, {2}); // Set only
    for (auto const to : {lid_c, with.on->look_at({host_b, 1}).value().base_lid}) {
        ASSERT_EQ(a.write(header_to(client, to, 1), gmp(0x09, method::get, 5)), 0);
        auto const answer = a.read();
        ASSERT_TRUE(answer) << to_string(to);
        EXPECT_EQ(answer->view().method(), method::get_response);
        EXPECT_EQ(answer->view().status(), 0x000C);
        EXPECT_EQ(answer->header.lid.value(), to.value());
    }
    for (auto const what : {method::trap, method::send, method::report, method::get_table}) {
        ASSERT_EQ(a.write(header_to(client, lid_c, 1, 0), gmp(0x09, what, 6)), 0);
        EXPECT_FALSE(a.read()) << to_string(what);
    }
    EXPECT_FALSE(c.read());
}

TEST_F(Receiving, AnyClassByteIsSafe)
{
    auto const client = a.register_client(0x09);
    for (unsigned mgmt_class = 0; mgmt_class != 256; ++mgmt_class)
        for (unsigned const what : {0u, 1u, 2u, 5u, 7u, 0x12u, 0x7Fu, 0x80u, 0x81u, 0xFFu})
            ASSERT_EQ(a.write(header_to(client, lid_c, 1, 0),
                          gmp(static_cast<std::uint8_t>(mgmt_class), static_cast<method>(what), 1)),
                0);
    EXPECT_FALSE(c.read());
}

TEST_F(Receiving, AnAnswerGoesToTheAgentThatAskedEvenWithoutAMask)
{
    auto const first = a.register_client(0x09);
    auto const second = a.register_client(0x09);
    ASSERT_EQ(a.write(header_to(second, lid_c, 1), gmp(0x09, method::get, 1)), 0);
    ASSERT_EQ(a.write(header_to(first, lid_c, 1), gmp(0x09, method::get, 1)), 0);
    EXPECT_EQ(a.read()->header.id, second);
    EXPECT_EQ(a.read()->header.id, first);
}

TEST_F(Receiving, AnAnswerOfAnotherClassOrWithAStrangersIdIsDropped)
{
    auto const client = a.register_client(0x09);
    auto const server = c.register_server(0x09, 1, {1});
    ASSERT_EQ(a.write(header_to(client, lid_c, 1), gmp(0x09, method::get, 1)), 0);
    auto const id = c.read()->view().transaction_id();
    auto const to_a = header_to(server, lid_a, 1, 0);
    ASSERT_EQ(c.write(to_a, gmp(0x21, method::get_response, id)), 0);
    ASSERT_EQ(c.write(to_a, gmp(0x09, method::get_response, id + 1)), 0);
    ASSERT_EQ(c.write(to_a, gmp(0x09, method::get_response, id ^ (1ull << 40))), 0);
    EXPECT_FALSE(a.read());
    ASSERT_EQ(c.write(to_a, gmp(0x09, method::get_response, id)), 0);
    EXPECT_TRUE(a.read());
    ASSERT_EQ(c.write(to_a, gmp(0x09, method::get_response, id)), 0);
    EXPECT_FALSE(a.read()) << "only while it is outstanding";
}

TEST_F(Receiving, TrapRepressEndsATrapThoughItHasNoResponseBit)
{
    auto const sender = a.register_client(0x01);
    auto const listener = c.register_server(0x01, 1, {5});
    auto trap = gmp(0x01, method::trap, 9);
    mutable_mad_view{trap}.set_attribute_id(attribute_id::notice);
    ASSERT_EQ(a.write(header_to(sender, lid_c, 0, 100, 3), trap), 0);
    auto const got = c.read();
    ASSERT_TRUE(got);
    auto repress = gmp(0x01, method::trap_repress, got->view().transaction_id());
    ASSERT_EQ(c.write(header_to(listener, lid_a, 0, 0), repress), 0);
    auto const end = a.read();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->view().method(), method::trap_repress);
    with.clock.advance(1s);
    EXPECT_FALSE(a.read());
    EXPECT_FALSE(c.read());
}

TEST_F(Receiving, TheGlobalRouteHeaderIsKeptBothWays)
{
    auto const client = a.register_client(0x09);
    auto const server = c.register_server(0x09, 1, {1});
    auto const guid_a = with.on->look_at({host_a, 1}).value().port_guid;
    auto const guid_c = with.on->look_at({host_c, 1}).value().port_guid;
    auto to = header_to(client, lid_c, 1);
    to.grh_present = 1;
    to.hop_limit = 7;
    to.traffic_class = 5;
    to.flow_label.set(0x12345);
    std::memcpy(to.gid, gid{default_subnet_prefix, guid_c}.bytes().data(), 16);
    ASSERT_EQ(a.write(to, gmp(0x09, method::get, 1)), 0);
    auto const got = c.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->header.grh_present, 1);
    EXPECT_EQ(got->header.hop_limit, 7);
    EXPECT_EQ(got->header.traffic_class, 5);
    EXPECT_EQ(got->header.flow_label.value(), 0x12345u);
    EXPECT_EQ(std::memcmp(got->header.gid, gid{default_subnet_prefix, guid_a}.bytes().data(), 16), 0);

    // An answer without one is not the answer to this question.
    auto const answer = gmp(0x09, method::get_response, got->view().transaction_id());
    ASSERT_EQ(c.write(header_to(server, lid_a, 1, 0), answer), 0);
    EXPECT_FALSE(a.read());
    auto back = header_to(server, lid_a, 1, 0);
    back.grh_present = 1;
    std::memcpy(back.gid, got->header.gid, 16);
    ASSERT_EQ(c.write(back, answer), 0);
    EXPECT_EQ(a.read()->header.grh_present, 1);
}

TEST_F(Receiving, AnUnmatchedRequestWithAGlobalRouteIsRefusedWithOne)
{
    auto const client = a.register_client(0x09);
    auto to = header_to(client, lid_c, 1);
    to.grh_present = 1;
    std::memcpy(to.gid, gid{default_subnet_prefix, with.on->look_at({host_c, 1}).value().port_guid}.bytes().data(), 16);
    ASSERT_EQ(a.write(to, gmp(0x09, method::get, 1)), 0);
    EXPECT_EQ(a.read()->header.grh_present, 1);
}

TEST_F(Receiving, AWrongQueueKeyIsSilentlyDropped)
{
    auto const client = a.register_client(0x09);
    auto to = header_to(client, lid_c, 1);
    to.qkey.set(0x1234);
    ASSERT_EQ(a.write(to, gmp(0x09, method::get, 1)), 0);
    EXPECT_FALSE(a.read());
    EXPECT_EQ(with.on->counters().drops(drop_reason::q_key), 1u);
    to.qkey.set(0x8000'0000); // "mine", which is QP1's
    ASSERT_EQ(a.write(to, gmp(0x09, method::get, 2)), 0);
    EXPECT_TRUE(a.read());
}

TEST_F(Receiving, SubnetManagementDoesNotTravelOnQueuePairOne)
{
    auto const client = a.register_client(0x09);
    ASSERT_EQ(a.write(header_to(client, lid_c, 1), gmp(0x01, method::get, 1)), 0);
    EXPECT_FALSE(a.read());
    EXPECT_EQ(with.on->counters().drops(drop_reason::malformed), 1u);
}

TEST_F(Receiving, SmInfoIsTheSubnetManagersOwn)
{
    directed_route const to_c{0, 1, 5, 1};
    EXPECT_EQ(with.ask(to_c, attribute_id::sm_info)->view().outcome(), 0x000C);
    auto const issm = machine_c->open_issm("mlx5_2", 1).value();
    EXPECT_EQ(with.get<sm_info>(to_c).port_guid, with.on->look_at({host_c, 1}).value().port_guid);
    auto const manager = c.register_server(0x81, 1, {1, 2});
    EXPECT_FALSE(with.ask(to_c, attribute_id::sm_info)) << "the process answers, or nobody does";
    auto const asked = c.read();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->header.id, manager);
    EXPECT_TRUE(with.ask(to_c, attribute_id::node_info)) << "the node's own agent still takes the rest";
    EXPECT_FALSE(c.read());

    // The answer walks the directed route back.
    std::array<std::byte, mad_size> answer = asked->mad;
    mutable_mad_view const mad{answer};
    mad.set_method(method::get_response);
    mad.set_status(mad_status::direction_bit);
    ASSERT_EQ(c.write(header_to(manager, permissive_lid, 0, 0), answer), 0);
    auto const got = a.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->view().attribute_id(), attribute_id::sm_info);
}

TEST_F(Receiving, OneAgentsUnreadMadsDoNotHoldBackAnotherFile)
{
    c.register_server(0x09, 1, {3});
    auto const sender = a.register_client(0x09);
    for (std::size_t i = 0; i != 200'010; ++i)
        ASSERT_EQ(a.write(header_to(sender, lid_c, 1, 0), gmp(0x09, method::send, i + 1)), 0);
    EXPECT_EQ(with.on->counters().drops(drop_reason::receive_list_full), 10u);
    // Timeouts are reported however long the list is, and another file of the port is not concerned.
    auto const client = c.register_client(0x81);
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, 1, attribute_id::node_info, 0, 0, directed_route{0, 1, 8});
    ASSERT_EQ(c.write(header_to(client, permissive_lid, 0, 10), smp), 0);
    with.clock.advance(10ms);
    open_file other{*machine_c};
    other.register_server(0x21, 1, {3});
    ASSERT_EQ(a.write(header_to(sender, lid_c, 1, 0), gmp(0x21, method::send, 1)), 0);
    EXPECT_TRUE(other.read());
    std::size_t requests = 0;
    std::size_t timeouts = 0;
    while (auto const got = c.read())
        ++(got->header.status == 0 ? requests : timeouts);
    EXPECT_EQ(requests, 200'000u);
    EXPECT_EQ(timeouts, 1u);
    ASSERT_EQ(a.write(header_to(sender, lid_c, 1, 0), gmp(0x09, method::send, 1)), 0);
    EXPECT_TRUE(c.read()) << "room again";
}

TEST_F(Receiving, AClosedServerReleasesItsMethodsAndLetsItsRequestsTimeOut)
{
    auto const client = a.register_client(0x09);
    c.register_server(0x09, 1, {1});
    ASSERT_EQ(a.write(header_to(client, lid_c, 1, 50), gmp(0x09, method::get, 1)), 0);
    c.close();
    with.clock.advance(50ms);
    EXPECT_EQ(a.read()->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    open_file again{*machine_c};
    again.register_server(0x09, 1, {1});
}

} // namespace
} // namespace madrigal::sim::test
