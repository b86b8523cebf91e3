// What a tap is shown, and what becomes of one that fails.
#include "runtime/ethernet.hpp"
#include "runtime/fake_host.hpp"
#include "runtime/simulated.hpp"

#include <madrigal/runtime/packet_tap.hpp>

#include <stdexcept>
#include <vector>

namespace madrigal::testing {
namespace {

struct seen_packet {
    tap_direction direction;
    std::chrono::sys_time<std::chrono::nanoseconds> when;
    std::vector<std::byte> mad;
    umad::ib_user_mad_hdr header{};

    explicit seen_packet(tapped_packet const& packet)
        : direction{packet.direction},
          when{packet.when},
          mad{packet.mad.begin(), packet.mad.end()},
          header{packet.header}
    {}
};

packet_sink into(std::vector<seen_packet>& all)
{
    return [&all](tapped_packet const& packet) -> result<void> {
        all.emplace_back(packet);
        return outcome::success();
    };
}

/// A port whose kernel is a test's, with one client on it.
struct Tap : ::testing::Test {
    explicit Tap(std::shared_ptr<fake_kernel> of = with_headers(true)) : kernel{std::move(of)} {}
    [[nodiscard]] static std::shared_ptr<fake_kernel> with_headers(bool of_64_bytes)
    {
        auto made = std::make_shared<fake_kernel>();
        made->long_headers = of_64_bytes;
        return made;
    }

    std::shared_ptr<fake_kernel> kernel;
    fake_host host{kernel};
    engine::virtual_time time;
    asio::io_context loop{1};
    reactor on_loop{loop, host, {.time = &time}};
    madrigal::port port = on_loop.open().value();
    agent smp = port.register_agent(subnet_directed_route()).value();
    std::vector<seen_packet> seen;
    std::vector<error_code> outcomes;

    void ask()
    {
        asio::post(loop, [this] {
            smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 10ms, .retries = 0},
                [this](error_code code, node_info const&) { outcomes.push_back(code); });
        });
        ready();
    }
    void ready()
    {
        loop.restart();
        while (loop.poll() != 0)
            ;
    }
    [[nodiscard]] std::vector<std::byte> answer() const
    {
        auto packet = kernel->written.back();
        mutable_mad_view const mad{std::span{packet}.subspan(offset())};
        mad.set_method(method::get_response);
        mad.set_status(mad_status::direction_bit);
        return packet;
    }
    void deliver(std::vector<std::byte> packet)
    {
        kernel->deliver(std::move(packet));
        ready();
    }
    /// Of the MAD in what is written and read.
    [[nodiscard]] std::size_t offset() const
    {
        return kernel->long_headers ? umad::header_size : umad::old_header_size;
    }
    [[nodiscard]] std::vector<std::byte> mad_in(std::vector<std::byte> const& packet) const
    {
        auto const mad = std::span{packet}.subspan(offset());
        return {mad.begin(), mad.end()};
    }
};

TEST_F(Tap, MayCloseTheAgentWhosePacketItSees)
{
    port.tap([this](tapped_packet const&) -> result<void> {
        smp.close();
        return outcome::success();
    });
    ask();
    EXPECT_EQ(outcomes, std::vector<error_code>{errc::agent_closed});
    ask();
    EXPECT_EQ(outcomes.back(), errc::agent_closed);
}

TEST_F(Tap, MayCloseThePortAndDestroyItsAgent)
{
    port.tap([this](tapped_packet const&) -> result<void> {
        port.close();
        smp = {};
        return outcome::success();
    });
    ask();
    EXPECT_EQ(outcomes, std::vector<error_code>{errc::agent_closed});
}

TEST_F(Tap, ShowsWhatIsWrittenAndWhatIsRead)
{
    port.tap(into(seen));
    ask();
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].direction, tap_direction::sent);
    EXPECT_EQ(seen[0].mad, mad_in(kernel->written.back()));
    EXPECT_EQ(seen[0].header.lid.value(), 0xFFFF);
    time.advance(3ms);
    auto const reply = answer();
    deliver(reply);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].direction, tap_direction::received);
    EXPECT_EQ(seen[1].mad, mad_in(reply));
    EXPECT_EQ(seen[1].when - seen[0].when, 3ms);
    EXPECT_EQ(outcomes, std::vector<error_code>{error_code{}});
}

struct TapOnShortHeaders : Tap {
    TapOnShortHeaders() : Tap{with_headers(false)} {}
};

TEST_F(TapOnShortHeaders, ShowsTheSame)
{
    port.tap(into(seen));
    ask();
    ASSERT_EQ(kernel->written.back().size(), umad::old_header_size + mad_size);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].mad, mad_in(kernel->written.back()));
    EXPECT_EQ(seen[0].header.lid.value(), 0xFFFF);
    EXPECT_EQ(seen[0].header.pkey_index, 0);
    auto const reply = answer();
    deliver(reply);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].mad, mad_in(reply));
    EXPECT_EQ(seen[1].header.lid.value(), 0xFFFF);
    EXPECT_EQ(outcomes, std::vector<error_code>{error_code{}});
}

TEST_F(Tap, ShowsWhatNoAgentWants)
{
    port.tap(into(seen));
    ask();
    auto stray = answer();
    reinterpret_cast<umad::ib_user_mad_hdr*>(stray.data())->id = 17;
    deliver(stray);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].header.id, 17u);
    EXPECT_EQ(port.counters().unknown_agent, 1u);
}

TEST_F(Tap, DoesNotShowWhatWasOnNoWire)
{
    port.tap(into(seen));
    kernel->on_write = [](auto) { return EINVAL; };
    ask();
    EXPECT_EQ(outcomes.size(), 1u) << "refused";
    EXPECT_TRUE(seen.empty());

    kernel->on_write = [](auto) { return 0; };
    ask();
    ASSERT_EQ(seen.size(), 1u);
    auto report = kernel->written.back();
    report.resize(umad::header_size + mad_header_size);
    reinterpret_cast<umad::ib_user_mad_hdr*>(report.data())->status = ETIMEDOUT;
    deliver(report);
    EXPECT_EQ(outcomes.back(), errc::timeout);
    EXPECT_EQ(seen.size(), 1u);
}

TEST_F(Tap, DoesNotShowWhatIsTooShortForAMad)
{
    port.tap(into(seen));
    ask();
    auto cut = answer();
    cut.resize(umad::header_size + mad_header_size - 1);
    deliver(cut);
    EXPECT_EQ(seen.size(), 1u);
    EXPECT_EQ(port.counters().malformed, 1u);
}

TEST_F(Tap, CanBeReplacedAndTakenOff)
{
    std::vector<seen_packet> later;
    port.tap(into(seen));
    ask();
    port.tap(into(later));
    ask();
    port.tap({});
    ask();
    EXPECT_EQ(seen.size(), 1u);
    EXPECT_EQ(later.size(), 1u);
}

TEST_F(Tap, MayTakeItselfOff)
{
    auto const alive = std::make_shared<int>(7);
    port.tap([this, alive](tapped_packet const& packet) -> result<void> {
        port.tap({});
        seen.emplace_back(packet); // what it holds is still there
        return *alive == 7 ? result<void>{outcome::success()} : error{errc::invalid_argument};
    });
    ask();
    ask();
    EXPECT_EQ(seen.size(), 1u);
    EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(Tap, MayPutAnotherInItsPlaceAndThenFail)
{
    port.tap([this](tapped_packet const&) -> result<void> {
        port.tap(into(seen));
        return error{errc::invalid_argument};
    });
    ask();
    ask();
    EXPECT_EQ(seen.size(), 1u);
}

TEST_F(Tap, ThatFailsIsTakenOffAndTheMadGoesOn)
{
    auto const alive = std::make_shared<int>();
    int calls = 0;
    port.tap([&calls, alive](tapped_packet const&) -> result<void> {
        ++calls;
        return errno_error(ENOSPC, "capture");
    });
    ask();
    EXPECT_EQ(alive.use_count(), 1) << "the sink is destroyed";
    deliver(answer());
    ask();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(outcomes, std::vector<error_code>{error_code{}});
}

TEST_F(Tap, ThatThrowsIsTakenOffAndTheMadGoesOn)
{
    int calls = 0;
    port.tap([&calls](tapped_packet const&) -> result<void> {
        ++calls;
        throw std::runtime_error{"no more"};
    });
    ask();
    deliver(answer());
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(outcomes, std::vector<error_code>{error_code{}});
}

TEST_F(Tap, StaysOnWhenTheDeviceComesBack)
{
    port.tap(into(seen));
    ask();
    kernel->vanish();
    ready();
    EXPECT_EQ(outcomes.back(), errc::device_gone);
    kernel->gone = false;
    error_code reopened = errc::timeout;
    port.async_reopen(1s, [&](error_code code) { reopened = code; });
    ready();
    ASSERT_FALSE(reopened);
    ask();
    EXPECT_EQ(seen.size(), 2u);
}

TEST_F(ethernet, ATapIsShownWhatTheWritersHaveWrittenAndTheFilesOfAgentsToCome)
{
    std::vector<seen_packet> seen;
    port.tap(into(seen));
    auto third = port.register_agent(umad::vendor_class(0x33, umad::openib_oui)).value();
    now([&] {
        ask(first, 1);
        ask(second, 2);
        ask(third, 3);
    });
    until_outcomes(3);
    std::vector<std::uint32_t> sent;
    std::vector<std::uint32_t> received;
    for (auto const& one : seen)
        (one.direction == tap_direction::sent ? sent : received).push_back(mad_view{one.mad}.attribute_modifier());
    std::ranges::sort(sent);
    std::ranges::sort(received);
    EXPECT_EQ(sent, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(received, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(seen.front().header.grh_present, 1);
}

/// Whom the kernel's header means, told as a packet on a link.
struct RouteOf : ::testing::Test {
    RouteOf()
    {
        port.base_lid = lid{0x40};
        port.lmc = 2;
        port.gids = {gid{default_subnet_prefix, guid{1}}, gid{default_subnet_prefix, guid{2}}};
        port.pkeys = {0xFFFF, 0x8001, 0};
        header.lid.set(12);
        header.sl = 3;
        header.path_bits = 2;
        header.qpn.set(1);
        header.qkey.set(0x1234);
        of(management_class::performance);
    }
    void of(management_class which) { mutable_mad_view{mad}.set_mgmt_class(which); }
    [[nodiscard]] mad_route route(tap_direction direction) const
    {
        return route_of({.direction = direction, .when = {}, .header = header, .mad = mad, .port = port});
    }
    umad::port_attributes port;
    umad::ib_user_mad_hdr header{};
    std::array<std::byte, mad_size> mad{};
};

TEST_F(RouteOf, WhatIsSentGoesFromTheOwnPort)
{
    header.qpn.set(0x4711);
    header.pkey_index = 1;
    auto const found = route(tap_direction::sent);
    EXPECT_EQ(found, (mad_route{.source = lid{0x42},
                         .destination = lid{12},
                         .virtual_lane = 0,
                         .service_level = 3,
                         .global = {},
                         .p_key = 0x8001,
                         .q_key = 0x1234,
                         .source_qp = 1,
                         .destination_qp = 0x4711,
                         .sequence_number = 0}));
}

TEST_F(RouteOf, WhatIsReceivedGoesToTheOwnPort)
{
    header.qpn.set(0x4711);
    auto const found = route(tap_direction::received);
    EXPECT_EQ(found.source, lid{12});
    EXPECT_EQ(found.destination, lid{0x42});
    EXPECT_EQ(found.source_qp, 0x4711u);
    EXPECT_EQ(found.destination_qp, 1u);
    EXPECT_EQ(found.q_key, 0x8001'0000u) << "the kernel does not tell it";
}

TEST_F(RouteOf, PathBitsBeyondTheLmcDoNotCount)
{
    header.path_bits = 0xFE;
    EXPECT_EQ(route(tap_direction::sent).source, lid{0x42});
}

TEST_F(RouteOf, SmpsHaveLaneFifteenAndQueuePairZero)
{
    of(management_class::subnet_lid_routed);
    header.qpn.set(0);
    header.qkey.set(0);
    for (auto const direction : {tap_direction::sent, tap_direction::received}) {
        auto const found = route(direction);
        EXPECT_EQ(found.virtual_lane, 15);
        EXPECT_EQ(found.source_qp, 0u);
        EXPECT_EQ(found.destination_qp, 0u);
        EXPECT_EQ(found.q_key, 0u);
    }
}

TEST_F(RouteOf, APermissivePeerMeansAPermissiveOwnLid)
{
    of(management_class::subnet_directed_route);
    header.lid.set(0xFFFF);
    EXPECT_EQ(route(tap_direction::sent).source, permissive_lid);
    EXPECT_EQ(route(tap_direction::received).destination, permissive_lid);
}

TEST_F(RouteOf, APKeyThatIsNotThereIsTheDefaultOne)
{
    header.pkey_index = 2;
    EXPECT_EQ(route(tap_direction::sent).p_key, 0xFFFF);
    header.pkey_index = 3;
    EXPECT_EQ(route(tap_direction::sent).p_key, 0xFFFF);
}

TEST_F(RouteOf, AGrhGoesBetweenTheTwoGids)
{
    header.grh_present = 1;
    header.gid_index = 1;
    header.hop_limit = 9;
    header.traffic_class = 8;
    header.flow_label.set(0x12345);
    gid const peer{default_subnet_prefix, guid{0x77}};
    std::ranges::copy(peer.bytes(), std::begin(header.gid));
    auto const sent = route(tap_direction::sent).global.value();
    EXPECT_EQ(sent,
        (mad_global_route{
            .source = port.gids[1], .destination = peer, .traffic_class = 8, .flow_label = 0x12345, .hop_limit = 9}));
    auto const received = route(tap_direction::received).global.value();
    EXPECT_EQ(received.source, peer);
    EXPECT_EQ(received.destination, port.gids[1]);
    header.gid_index = 2; // beyond what is known
    port.gid_prefix = default_subnet_prefix;
    port.port_guid = guid{1};
    EXPECT_EQ(route(tap_direction::sent).global->source, port.gids[0]);
}

} // namespace
} // namespace madrigal::testing
