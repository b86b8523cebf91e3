// What happens to a fabric: cables, power, devices that go and come back, traps.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/trap.hpp>

#include <poll.h>

namespace madrigal::sim::test {
namespace {

directed_route const to_b{0, 1, 3};

TEST(Cables, CanBeTakenOutAndPutBack)
{
    bench with;
    ASSERT_FALSE(with.on->set_link({host_b, 1}, false).code());
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info));
    EXPECT_EQ(with.on->look_at({switch_1, 3}).value().state, port_state::down);
    ASSERT_FALSE(with.on->set_link({switch_1, 3}, true).code());
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info));
    EXPECT_EQ(with.on->set_link({switch_1, 8}, false), errc::invalid_argument);
    EXPECT_EQ(with.on->set_link({switch_1, 9}, false), errc::invalid_argument);
    EXPECT_EQ(with.on->set_link({99, 1}, false), errc::invalid_argument);
}

TEST(Cables, APacketOnALinkThatGoesDownIsLost)
{
    bench with{two_switches(), {.faults = {.hop_latency = 1ms}}};
    EXPECT_FALSE(with.ask(to_b, attribute_id::node_info));
    with.clock.advance(1500us);
    ASSERT_FALSE(with.on->set_link({host_b, 1}, false).code());
    with.clock.advance(50ms);
    EXPECT_FALSE(with.file->read());
    EXPECT_EQ(with.on->counters().drops(drop_reason::link_down), 1u);
}

TEST(Power, ANodeThatComesOnAgainHasForgottenEverything)
{
    bench with{two_switches(), {.start = start_state::configured}};
    ASSERT_NE(with.on->look_at({switch_2, 0}).value().base_lid, lid{});
    ASSERT_FALSE(with.on->set_power(switch_2, false).code());
    EXPECT_FALSE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
    EXPECT_EQ(with.on->look_at({host_c, 1}).value().state, port_state::down);
    ASSERT_FALSE(with.on->set_power(switch_2, true).code());
    EXPECT_EQ(with.on->look_at({switch_2, 0}).value().base_lid, lid{});
    EXPECT_EQ(with.on->look_at({host_c, 1}).value().state, port_state::init);
    EXPECT_EQ(with.on->forwarding_entry(switch_2, lid{1}), 0xFF);
    EXPECT_TRUE(with.ask(directed_route{0, 1, 5, 1}, attribute_id::node_info));
}

class DeviceRemoval : public ::testing::Test {
protected:
    bench with;
    open_file& file = *with.file;

    int error_of_write()
    {
        std::array<std::byte, mad_size> smp;
        build_directed_route_smp(smp, method::get, 1, attribute_id::node_info, 0, 0, directed_route{});
        return file.write(header_to(with.directed, permissive_lid, 0), smp);
    }
};

TEST_F(DeviceRemoval, EveryCallSaysSoInItsOwnWay)
{
    for (std::uint64_t id = 1; id <= 10'000; ++id) {
        std::array<std::byte, mad_size> smp;
        build_directed_route_smp(smp, method::get, id, attribute_id::node_info, 0, 0, directed_route{0, 1, 8});
        ASSERT_EQ(file.write(header_to(with.directed, permissive_lid, 0), smp), 0);
    }
    open_file second{*with.machine, 2};
    ASSERT_FALSE(with.on->unplug(host_a).code());
    pollfd watched[] = {{file->native_handle(), POLLIN, 0}, {second->native_handle(), POLLIN, 0}};
    EXPECT_EQ(::poll(watched, 2, 0), 2) << "readable, so that whoever waits looks";
    std::array<std::byte, 320> buffer{};
    EXPECT_EQ(file->read(buffer).error().code().value(), EIO);
    EXPECT_EQ(file->read(buffer).error().code().value(), EIO) << "and stays so";
    EXPECT_EQ(second->read(buffer).error().code().value(), EIO);
    EXPECT_EQ(error_of_write(), EIO);
    umad::ib_user_mad_reg_req2 request{};
    EXPECT_EQ(file->register_agent2(request).value(), EPIPE);
    umad::ib_user_mad_reg_req old{};
    EXPECT_EQ(file->register_agent(old).value(), EPIPE);
    EXPECT_EQ(file->unregister_agent(with.directed).value(), EINVAL);
    EXPECT_FALSE(with.clock.advance_to_next()) << "outstanding requests are never reported";
    EXPECT_EQ(::poll(watched, 2, 0), 2);
}

TEST_F(DeviceRemoval, WhatComesBackIsAnotherDeviceUnderAnotherNumber)
{
    auto const before = with.machine->umad_number("mlx5_0", 1).value();
    ASSERT_FALSE(with.on->unplug(host_a).code());
    EXPECT_TRUE(with.machine->ca_names().value().empty());
    EXPECT_EQ(with.machine->query_ca("mlx5_0").error(), errc::no_such_ca);
    EXPECT_EQ(with.machine->query_port("mlx5_0", 1).error(), errc::no_such_ca);
    EXPECT_EQ(with.machine->open_port("mlx5_0", 1).error(), errc::no_such_ca);
    EXPECT_EQ(with.on->look_at({switch_1, 1}).value().state, port_state::down);
    ASSERT_FALSE(with.on->plug(host_a).code());
    EXPECT_NE(with.machine->umad_number("mlx5_0", 1).value(), before);
    EXPECT_EQ(error_of_write(), EIO) << "the old file stays dead";
    with.file.emplace(*with.machine);
    with.directed = file.register_client(0x81);
    EXPECT_TRUE(with.ask(to_b, attribute_id::node_info));
}

TEST_F(DeviceRemoval, ClosingDeadFilesAndPluggingTwiceIsHarmless)
{
    ASSERT_FALSE(with.on->unplug(host_a).code());
    ASSERT_FALSE(with.on->unplug(host_a).code());
    with.file.reset();
    ASSERT_FALSE(with.on->plug(host_a).code());
    ASSERT_FALSE(with.on->plug(host_a).code());
    open_file again{*with.machine};
    EXPECT_EQ(again.register_client(0x81), 0u);
}

TEST_F(DeviceRemoval, AFileOutlivesItsHostAndFabric)
{
    auto const agent = with.directed;
    with.machine.reset();
    with.on.reset();
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, 1, attribute_id::node_info, 0, 0, to_b);
    ASSERT_EQ(file.write(header_to(agent, permissive_lid, 0), smp), 0);
    EXPECT_TRUE(file.read());
}

TEST(Issm, IsHeldByOneAndReleasedWithIt)
{
    bench with;
    auto held = with.machine->open_issm("mlx5_0", 1);
    ASSERT_TRUE(held);
    EXPECT_TRUE(with.on->look_at({host_a, 1}).value().is_sm);
    EXPECT_NE(with.machine->query_port("mlx5_0", 1).value().capability_mask & umad::cap_is_sm, 0u);
    auto const process = host::make(with.on).value();
    EXPECT_EQ(process->open_issm("mlx5_0", 1).error().code().value(), EAGAIN);
    EXPECT_TRUE(process->open_issm("mlx5_0", 2));
    held.value().reset();
    EXPECT_FALSE(with.on->look_at({host_a, 1}).value().is_sm);
    auto again = process->open_issm("mlx5_0", 1);
    ASSERT_TRUE(again);
    ASSERT_FALSE(with.on->unplug(host_a).code());
    ASSERT_FALSE(with.on->plug(host_a).code());
    EXPECT_FALSE(with.on->look_at({host_a, 1}).value().is_sm);
    auto newer = with.machine->open_issm("mlx5_0", 1);
    again.value().reset(); // of the device that is gone
    EXPECT_TRUE(with.on->look_at({host_a, 1}).value().is_sm);
}

class Traps : public ::testing::Test {
protected:
    Traps() { listener = file.register_server(0x01, 1, {5}); }

    /// The next trap; fails the test where there is none.
    received next()
    {
        auto const got = file.read();
        EXPECT_TRUE(got);
        return got.value_or(received{});
    }
    void repress(received const& trap, std::uint64_t m_key = 0)
    {
        auto bytes = trap.mad;
        mutable_mad_view{bytes}.set_method(method::trap_repress);
        store_bits<192, 64>(bytes.data(), m_key);
        EXPECT_EQ(file.write(header_to(listener, lid{trap.header.lid.value()}, 0, 0), bytes), 0);
    }
    bench with{two_switches(), {.start = start_state::configured}};
    open_file& file = *with.file;
    std::uint32_t listener = 0;
};

TEST_F(Traps, ALinkThatChangesIsToldToTheSm)
{
    ASSERT_FALSE(with.on->set_link({host_c, 1}, false).code());
    auto const trap = next();
    EXPECT_EQ(trap.header.id, listener);
    EXPECT_EQ(trap.view().method(), method::trap);
    EXPECT_EQ(trap.view().attribute_id(), attribute_id::notice);
    EXPECT_EQ(load_bits(trap.mad.data(), 192, 64), 0u);
    auto const told = trap.as<notice>();
    EXPECT_TRUE(told.is_generic);
    EXPECT_EQ(told.trap_number, trap_number::link_state_changed);
    EXPECT_EQ(told.producer_type, notice_producer::switch_);
    auto const where = with.on->look_at({switch_2, 0}).value().base_lid;
    EXPECT_EQ(told.issuer_lid, where);
    EXPECT_EQ(std::get<link_state_trap>(decode_trap(told).value()).switch_lid, where);
    EXPECT_EQ(trap.header.lid.value(), where.value());
}

TEST_F(Traps, AreRepeatedUntilRepressed)
{
    ASSERT_FALSE(with.on->send_link_trap(switch_1).code());
    auto const first = next();
    EXPECT_FALSE(file.read());
    for (int i = 0; i != 3; ++i) {
        with.clock.advance(1100ms);
        EXPECT_EQ(next().view().transaction_id(), first.view().transaction_id());
    }
    repress(first);
    with.clock.advance(1h);
    EXPECT_FALSE(file.read());
    ASSERT_FALSE(with.on->send_link_trap(switch_1).code());
    EXPECT_NE(next().view().transaction_id(), first.view().transaction_id());
    EXPECT_EQ(with.on->counters().traps, 5u);
}

TEST_F(Traps, ARepressNeedsTheMKeyAndATrapNeverShowsIt)
{
    directed_route const to{0, 1};
    auto info = with.get<port_info>(to, 0);
    info.m_key = 0x1234;
    info.state = port_state::no_change;
    info.phys_state = physical_state::no_change;
    ASSERT_EQ(with.set(to, info, 0)->view().outcome(), 0);
    ASSERT_FALSE(with.on->send_link_trap(switch_1).code());
    auto const trap = next();
    EXPECT_EQ(load_bits(trap.mad.data(), 192, 64), 0u);
    repress(trap);
    with.clock.advance(1100ms);
    EXPECT_EQ(next().view().transaction_id(), trap.view().transaction_id()) << "that was not his to say";
    repress(trap, 0x1234);
    with.clock.advance(1h);
    EXPECT_FALSE(file.read());
}

TEST_F(Traps, EveryByteOfATrapIsSet)
{
    ASSERT_FALSE(with.on->send_link_trap(switch_1).code());
    auto const trap = next();
    auto expected = trap.mad;
    build_lid_routed_smp(expected, {.method_of_mad = method::trap,
                                       .transaction_id = trap.view().transaction_id(),
                                       .attribute_id = attribute_id::notice});
    ASSERT_TRUE(encode(trap.as<notice>(), smp_data(std::span<std::byte, mad_size>{expected})));
    EXPECT_EQ(trap.mad, expected);
}

TEST(TrapsAsCabled, NobodyIsToldWhereNoSmIsKnown)
{
    bench with;
    EXPECT_EQ(with.on->send_link_trap(switch_1), errc::invalid_argument);
    EXPECT_EQ(with.on->send_link_trap(host_a), errc::invalid_argument);
    EXPECT_EQ(with.on->send_link_trap(77), errc::invalid_argument);
    ASSERT_FALSE(with.on->set_link({host_c, 1}, false).code());
    EXPECT_EQ(with.on->counters().traps, 0u);
}

} // namespace
} // namespace madrigal::sim::test
