// What a descriptor may give that no kernel should: counted, and harmless.
#include "runtime/fake_host.hpp"
#include "runtime/simulated.hpp"

#include <random>
#include <set>
#include <vector>

namespace madrigal::testing {
namespace {

struct hostile : ::testing::Test {
    std::shared_ptr<fake_kernel> kernel = std::make_shared<fake_kernel>();
    fake_host host{kernel};
    engine::virtual_time time;
    asio::io_context loop{1};
    reactor on_loop{loop, host, {.time = &time}};
    madrigal::port port = on_loop.open().value();
    agent smp = port.register_agent(subnet_directed_route()).value();
    int completions = 0;
    error_code code;

    void ask(directed_route const& to = directed_route{0, 1})
    {
        asio::post(loop, [this, to] {
            smp.async_request(
                get<node_info>(to), {.timeout = 10ms, .retries = 0}, [this](error_code result, node_info const&) {
                    ++completions;
                    code = result;
                });
        });
        ready();
    }
    void ready()
    {
        loop.restart();
        while (loop.poll() != 0)
            ;
    }
    /// The answer that the last written request deserves.
    [[nodiscard]] std::vector<std::byte> answer() const
    {
        auto packet = kernel->written.back();
        mutable_mad_view const mad{std::span{packet}.subspan(umad::header_size)};
        mad.set_method(method::get_response);
        mad.set_status(mad_status::direction_bit);
        mad.set_transaction_id(mad.transaction_id() | std::uint64_t{77} << 32);
        return packet;
    }
    static umad::ib_user_mad_hdr& header(std::vector<std::byte>& packet)
    {
        return *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.data());
    }
    /// The request still waits, and its real answer still completes it.
    void expect_unharmed()
    {
        ready();
        EXPECT_EQ(completions, 0);
        kernel->deliver(answer());
        ready();
        EXPECT_EQ(completions, 1);
        EXPECT_FALSE(code) << code.message();
        expect_nothing_held(smp);
    }
};

TEST_F(hostile, PacketsOfEveryLengthBelowAWholeMadAreHarmless)
{
    ask();
    for (std::size_t size = 0; size != umad::header_size + mad_header_size; ++size) {
        auto packet = answer();
        packet.resize(size);
        if (size != 0) // a read of 0 bytes cannot be delivered
            kernel->deliver(packet);
    }
    expect_unharmed();
    EXPECT_EQ(port.counters().malformed, umad::header_size + mad_header_size - 1);
}

TEST_F(hostile, AnAnswerCutBehindItsHeaderIsMalformed)
{
    ask();
    auto packet = answer();
    packet.resize(umad::header_size + 100);
    kernel->deliver(packet);
    ready();
    EXPECT_EQ(completions, 1);
    EXPECT_EQ(code, errc::malformed_answer);
    expect_nothing_held(smp);
}

TEST_F(hostile, PacketsLongerThanAMadAreTakenOffAndDropped)
{
    ask();
    auto packet = answer();
    packet.resize(3'000);
    header(packet).length = 3'000;
    kernel->deliver(packet);
    packet.resize(2'000);
    header(packet).length = 0xFFFF'FFFF; // a lie
    kernel->deliver(packet);
    expect_unharmed();
    EXPECT_EQ(port.counters().oversized, 2u);
}

TEST_F(hostile, AgentIdsOutOfRangeOrWithoutAnAgentAreCounted)
{
    ask();
    for (std::uint32_t const id : {1u, 31u, 32u, 1'000u, 0x8000'0000u, 0xFFFF'FFFFu}) {
        auto packet = answer();
        header(packet).id = id;
        kernel->deliver(packet);
    }
    expect_unharmed();
    EXPECT_EQ(port.counters().unknown_agent, 6u);
}

TEST_F(hostile, AnswersOfAnotherGenerationSlotClassAttributeOrModifierCompleteNothing)
{
    ask();
    auto const change = [&](auto&& how) {
        auto packet = answer();
        how(mutable_mad_view{std::span{packet}.subspan(umad::header_size)});
        kernel->deliver(packet);
        ready();
        EXPECT_EQ(completions, 0);
    };
    change([](mutable_mad_view m) { m.set_transaction_id(m.transaction_id() + (1u << 20)); });
    change([](mutable_mad_view m) { m.set_transaction_id(m.transaction_id() + 1); });
    change([](mutable_mad_view m) { m.set_transaction_id(0); });
    change([](mutable_mad_view m) { m.set_transaction_id(~std::uint64_t{0}); });
    EXPECT_EQ(smp.counters().stale_answers, 4u);
    change([](mutable_mad_view m) { m.set_mgmt_class(management_class::subnet_lid_routed); });
    change([](mutable_mad_view m) { m.set_attribute_id(port_info::layout.id); });
    change([](mutable_mad_view m) { m.set_attribute_modifier(5); });
    EXPECT_EQ(smp.counters().mismatched_answers, 3u);
    expect_unharmed();
}

TEST_F(hostile, AnAnswerThatComesTwiceCompletesOnce)
{
    ask();
    auto const packet = answer();
    kernel->deliver(packet);
    kernel->deliver(packet);
    ready();
    EXPECT_EQ(completions, 1);
    EXPECT_EQ(smp.counters().stale_answers, 1u);
}

TEST_F(hostile, AReportAboutAReplyOfOursIsNoTimeoutOfARequest)
{
    ask();
    auto packet = answer();
    header(packet).status = ETIMEDOUT;
    packet.resize(umad::header_size + mad_header_size);
    kernel->deliver(packet);
    expect_unharmed();
    EXPECT_EQ(smp.counters().reply_reports, 1u);
}

TEST_F(hostile, UnknownStatusesAreCounted)
{
    ask();
    auto packet = answer();
    header(packet).status = 5;
    kernel->deliver(packet);
    expect_unharmed();
    EXPECT_EQ(port.counters().unknown_status, 1u);
}

TEST_F(hostile, RandomBytesAreHarmless)
{
    std::mt19937_64 random{4'711};
    ask();
    for (int i = 0; i != 20'000; ++i) {
        std::vector<std::byte> packet(1 + random() % 400);
        for (auto& byte : packet)
            byte = static_cast<std::byte>(random());
        if (packet.size() >= umad::header_size && random() % 2 == 0) {
            header(packet).id = 0;
            header(packet).status = random() % 4 == 0 ? ETIMEDOUT : 0;
        }
        kernel->deliver(packet);
    }
    expect_unharmed();
}

TEST_F(hostile, ARequestThatTheKernelForgetsEndsAtItsGuardDeadline)
{
    ask();
    EXPECT_EQ(completions, 0);
    EXPECT_TRUE(time.advance_to_next());
    ready();
    EXPECT_EQ(completions, 1);
    EXPECT_EQ(code, errc::timeout);
    EXPECT_EQ(smp.counters().guard_timeouts, 1u);
    expect_nothing_held(smp);
}

TEST_F(hostile, ARequestBehindACancelledOneThatTheKernelForgotIsSentAtItsGuardDeadline)
{
    auto narrow = port.register_agent(subnet_directed_route(), {.window = {.size = 1}}).value();
    asio::cancellation_signal signal;
    int aborted = 0;
    asio::post(loop, [&] {
        narrow.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 10ms, .retries = 0},
            asio::bind_cancellation_slot(signal.slot(), [&](error_code, node_info const&) { ++aborted; }));
        signal.emit(asio::cancellation_type::terminal);
    });
    ready();
    EXPECT_EQ(aborted, 1);
    EXPECT_EQ(time.armed(), 0u) << "an idle agent keeps a timer";
    asio::post(loop, [&] {
        narrow.async_request(get<node_info>(directed_route{0, 2}), {.timeout = 10ms, .retries = 0},
            [&](error_code result, node_info const&) {
                ++completions;
                code = result;
            });
    });
    ready();
    EXPECT_EQ(kernel->written.size(), 1u);
    EXPECT_TRUE(time.advance_to_next());
    ready();
    EXPECT_EQ(kernel->written.size(), 2u) << "the cancelled request's place is never freed";
    EXPECT_TRUE(time.advance_to_next());
    ready();
    EXPECT_EQ(completions, 1);
    EXPECT_EQ(code, errc::timeout);
    expect_nothing_held(narrow);
}

TEST_F(hostile, AHandlerThatThrowsDoesNotStopTheChannel)
{
    asio::post(loop, [&] {
        smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 10ms, .retries = 0},
            [](error_code, node_info const&) { throw std::runtime_error{"on purpose"}; });
    });
    ready();
    kernel->deliver(answer());
    EXPECT_THROW(ready(), std::runtime_error);
    ask();
    kernel->deliver(answer());
    ready();
    EXPECT_EQ(completions, 1);
    EXPECT_FALSE(code);
}

TEST_F(hostile, TheErrnoOfARefusedWriteIsTheRequestsError)
{
    kernel->on_write = [](auto) { return EINVAL; };
    ask();
    EXPECT_EQ(completions, 1);
    EXPECT_EQ(code.value(), EINVAL);
    EXPECT_EQ(code.category(), boost::system::system_category());
    EXPECT_EQ(smp.counters().failed_writes, 1u);
    expect_nothing_held(smp);
    kernel->on_write = [](auto) { return 0; };
    ask();
    kernel->deliver(answer());
    ready();
    EXPECT_EQ(completions, 2);
    EXPECT_FALSE(code);
}

TEST_F(hostile, TransactionIdsAreNeverZeroNorInFlightTwice)
{
    std::set<std::uint64_t> seen;
    for (int i = 0; i != 10'000; ++i) {
        ask();
        auto const id = mad_view{std::span{kernel->written.back()}.subspan(umad::header_size)}.transaction_id();
        EXPECT_NE(id & 0xFFFF'FFFF, 0u);
        EXPECT_TRUE(seen.insert(id).second) << id;
        kernel->deliver(answer());
        ready();
    }
    EXPECT_EQ(completions, 10'000);
}

TEST_F(hostile, EveryByteOfARequestIsSet)
{
    ask();
    kernel->deliver(answer());
    ready();
    auto const first = kernel->written.back();
    ask(); // from a packet that has been used
    auto second = kernel->written.back();
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i != first.size(); ++i) {
        if (i >= umad::header_size + 8 && i < umad::header_size + 16)
            continue; // the transaction id
        EXPECT_EQ(first[i], second[i]) << "byte " << i;
    }
}

TEST(PathBits, OutsideThePortsLidMaskAreNotSent)
{
    auto const kernel = std::make_shared<fake_kernel>();
    kernel->lmc = 2;
    fake_host host{kernel};
    engine::virtual_time time;
    asio::io_context loop{1};
    reactor on_loop{loop, host, {.time = &time}};
    auto port = on_loop.open().value();
    auto smp = port.register_agent(subnet_lid_routed()).value();
    auto const to = destination{lid{7}}.with_path_bits(0x7E).with_sl(3).with_pkey_index(9);
    smp.async_request(get<node_info>(to), {}, [](error_code, node_info const&) {});
    while (loop.poll() != 0)
        ;
    ASSERT_EQ(kernel->written.size(), 1u);
    auto const& header = *reinterpret_cast<umad::ib_user_mad_hdr const*>(kernel->written.back().data());
    EXPECT_EQ(header.path_bits, 2);
    EXPECT_EQ(header.sl, 3);
    EXPECT_EQ(header.pkey_index, 0) << "QP0 has no P_Key";
    EXPECT_EQ(header.qpn.value(), 0u);
    EXPECT_EQ(header.qkey.value(), 0u);
}

TEST(ShortHeaders, AreSpokenWhereTheKernelKnowsNoOthers)
{
    auto const kernel = std::make_shared<fake_kernel>();
    kernel->long_headers = false;
    fake_host host{kernel};
    engine::virtual_time time;
    asio::io_context loop{1};
    reactor on_loop{loop, host, {.time = &time}};
    auto port = on_loop.open().value();
    auto smp = port.register_agent(subnet_directed_route()).value();
    bool answered = false;
    asio::post(loop, [&] {
        smp.async_request(get<node_info>(directed_route{0, 1}), {},
            [&](error_code code, node_info const& info) { answered = !code && info.num_ports == 36; });
    });
    while (loop.poll() != 0)
        ;
    ASSERT_EQ(kernel->written.size(), 1u);
    auto packet = kernel->written.back();
    ASSERT_EQ(packet.size(), umad::old_header_size + mad_size);
    mutable_mad_view const mad{std::span{packet}.subspan(umad::old_header_size)};
    EXPECT_EQ(mad.mgmt_class(), management_class::subnet_directed_route);
    mad.set_method(method::get_response);
    node_info info;
    info.num_ports = 36;
    EXPECT_TRUE(mad.set_attribute(info));
    kernel->deliver(packet);
    loop.restart();
    while (loop.poll() != 0)
        ;
    EXPECT_TRUE(answered);
}

} // namespace
} // namespace madrigal::testing
