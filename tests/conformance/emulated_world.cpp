#include "conformance/emulated_world.hpp"

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
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

class emulated_world final : public world {
public:
    emulated_world()
    {
        fabric_ = make_small_fabric(clock_);
        host_ = sim::host::make(fabric_).value();
        ca_ = host_->ca_names().value().front();
    }

    [[nodiscard]] std::string name() const override { return "emulated"; }
    [[nodiscard]] umad::host& host() override { return *host_; }
    [[nodiscard]] unsigned version() const noexcept override { return 0; }
    [[nodiscard]] time_source* time() const noexcept override { return &clock_; }
    [[nodiscard]] time_point now() const noexcept override { return clock_.now(); }

    [[nodiscard]] short pollout() const noexcept override { return 0; }
    [[nodiscard]] short gone() const noexcept override { return POLLIN; }

    bool wait_readable(int descriptor, milliseconds within) override
    {
        auto const deadline = clock_.now() + within;
        for (;;) {
            pollfd looked{.fd = descriptor, .events = POLLIN, .revents = 0};
            if (::poll(&looked, 1, 0) == 1)
                return true;
            if (clock_.now() >= deadline)
                return false;
            pass_until(deadline);
        }
    }

    bool run_until(asio::io_context& loop, std::function<bool()> const& done, milliseconds within) override
    {
        auto const deadline = clock_.now() + within;
        for (;;) {
            loop.restart();
            while (loop.poll() != 0)
                if (done())
                    return true;
            if (done())
                return true;
            if (clock_.now() >= deadline)
                return false;
            pass_until(deadline);
        }
    }

    void unplug() override
    {
        before_ = attributes();
        EXPECT_FALSE(fabric_->unplug(host_->node()).code());
    }
    void plug() override
    {
        EXPECT_FALSE(fabric_->plug(host_->node()).code());
        configure_again(*this, before_);
    }

private:
    /// To the next thing that happens, or to the deadline where that comes first.
    void pass_until(time_point deadline)
    {
        if (clock_.next() <= deadline)
            (void)clock_.advance_to_next();
        else
            clock_.advance(deadline - clock_.now());
    }

    mutable engine::virtual_time clock_;
    std::shared_ptr<sim::fabric> fabric_;
    std::shared_ptr<sim::host> host_;
    umad::port_attributes before_;
};

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

void configure_again(world& on, umad::port_attributes const& before)
{
    // There is no subnet manager on this fabric; the port gets its LID back from here.
    auto const file = on.host().open_port(on.ca(), on.port()).value();
    umad::ib_user_mad_reg_req2 client{};
    client.mgmt_class = static_cast<std::uint8_t>(management_class::subnet_directed_route);
    client.mgmt_class_version = 1;
    EXPECT_FALSE(file->register_agent2(client));
    auto wanted = ask_itself(on, *file, client.id, method::get, 1, port_info{});
    wanted.base_lid = before.base_lid;
    wanted.master_sm_lid = before.sm_lid;
    std::uint64_t transaction = 1;
    for (auto const state : {port_state::armed, port_state::active}) {
        wanted.state = state;
        wanted.phys_state = physical_state::no_change;
        EXPECT_EQ(ask_itself(on, *file, client.id, method::set, ++transaction, wanted).state, state);
    }
}

std::unique_ptr<world> make_emulated_world()
{
    return std::make_unique<emulated_world>();
}

} // namespace madrigal::conformance
