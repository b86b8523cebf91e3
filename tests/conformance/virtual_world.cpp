#include "conformance/virtual_world.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/smp.hpp>

#include <array>
#include <cstring>
#include <poll.h>
#include <span>

namespace madrigal::conformance {
namespace {

port_info ask_itself(world& on, umad::port_file& file, std::uint32_t agent, method ask, std::uint64_t transaction,
    port_info const& value)
{
    std::array<std::byte, umad::header_size + mad_size> packet{};
    umad::ib_user_mad_hdr header{};
    header.id = agent;
    header.timeout_ms = 1'000;
    header.lid.set(permissive_lid.value());
    std::memcpy(packet.data(), &header, sizeof header);
    auto const mad = std::span{packet}.last<mad_size>();
    build_directed_route_smp(mad, ask, transaction, port_info::layout.id, on.port(), 0, directed_route{0});
    EXPECT_TRUE(mutable_mad_view{mad}.set_attribute(value));
    EXPECT_TRUE(file.write(packet));
    EXPECT_TRUE(on.wait_readable(file.native_handle(), 1s));
    EXPECT_TRUE(file.read(packet));
    EXPECT_EQ(mad_view{mad}.outcome(), 0);
    return mad_view{mad}.attribute<port_info>().value();
}

} // namespace

std::shared_ptr<sim::fabric> make_small_fabric(time_source& clock)
{
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    options.time = &clock;
    auto layout = topology::generate(topology::fat_tree{.leaves = 1, .hosts_per_leaf = 2, .spines = 1},
        topology::generate_options{.assign_lids = true});
    return sim::fabric::make(std::move(layout).value(), options).value();
}

topology::node_index first_ca(sim::fabric const& of)
{
    topology::node_index at = 0;
    while (of.layout().at(at).type != node_type::ca)
        ++at;
    return at;
}

bool virtual_world::wait_readable(int descriptor, milliseconds within)
{
    auto const deadline = clock_.now() + within;
    for (;;) {
        settle();
        pollfd looked{.fd = descriptor, .events = POLLIN, .revents = 0};
        if (::poll(&looked, 1, 0) == 1)
            return true;
        if (clock_.now() >= deadline)
            return false;
        pass_until(deadline);
    }
}

bool virtual_world::run_until(asio::io_context& loop, std::function<bool()> const& done, milliseconds within)
{
    auto const deadline = clock_.now() + within;
    for (;;) {
        settle();
        loop.restart();
        bool moved = false;
        while (loop.poll() != 0) {
            moved = true;
            if (done())
                return true;
        }
        if (done())
            return true;
        if (moved)
            continue;
        if (clock_.now() >= deadline)
            return false;
        pass_until(deadline);
    }
}

void virtual_world::unplug()
{
    before_ = attributes();
    with_fabric([](sim::fabric& of) { EXPECT_FALSE(of.unplug(first_ca(of)).code()); });
}

void virtual_world::plug()
{
    with_fabric([](sim::fabric& of) { EXPECT_FALSE(of.plug(first_ca(of)).code()); });
    configure_again();
}

void virtual_world::configure_again()
{
    // There is no subnet manager on this fabric; the port gets its LID back from here.
    auto const file = host().open_port(ca(), port()).value();
    umad::ib_user_mad_reg_req2 client{};
    client.mgmt_class = static_cast<std::uint8_t>(management_class::subnet_directed_route);
    client.mgmt_class_version = 1;
    EXPECT_FALSE(file->register_agent2(client));
    auto wanted = ask_itself(*this, *file, client.id, method::get, 1, port_info{});
    wanted.base_lid = before_.base_lid;
    wanted.master_sm_lid = before_.sm_lid;
    std::uint64_t transaction = 1;
    for (auto const state : {port_state::armed, port_state::active}) {
        wanted.state = state;
        wanted.phys_state = physical_state::no_change;
        EXPECT_EQ(ask_itself(*this, *file, client.id, method::set, ++transaction, wanted).state, state);
    }
}

} // namespace madrigal::conformance
