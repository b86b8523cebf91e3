// Pings that nobody serves, and the nodes that serve them where the fabric is told so.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/ping.hpp>

namespace madrigal::sim::test {
namespace {

constexpr std::uint32_t other_oui = 0x123456;

/// host_a of a configured fabric, with an agent that pings.
class pinger {
public:
    explicit pinger(fabric_options options = {})
        : with{two_switches(), configured(options)}, client{with.file->register_server(0x32, 1, {}, ping_oui)}
    {}

    [[nodiscard]] lid at(topology::endpoint end) const { return with.on->look_at(end).value().base_lid; }
    /// What comes back before any time passes.
    std::optional<received> ping(topology::endpoint end, std::uint32_t oui = ping_oui, std::uint8_t version = 1,
        method what = method::get, std::uint8_t mgmt_class = 0x32)
    {
        std::array<std::byte, mad_size> bytes{};
        build_ping(bytes, oui);
        mutable_mad_view const mad{bytes};
        mad.set_class_version(version);
        mad.set_method(what);
        mad.set_mgmt_class(management_class{mgmt_class});
        mad.set_transaction_id(with.next_id());
        with.drain();
        EXPECT_EQ(with.file->write(header_to(client, at(end), 1), bytes), 0);
        return with.file->read();
    }

    bench with;
    std::uint32_t client;

private:
    static fabric_options configured(fabric_options options)
    {
        options.start = start_state::configured;
        return options;
    }
};

void expect_refused(std::optional<received> const& answer)
{
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->view().method(), method::get_response);
    EXPECT_EQ(answer->view().status(), 0x000C);
}

TEST(Pings, AreRefusedByTheKernelOfANodeThatNobodyHasOpened)
{
    pinger from;
    expect_refused(from.ping({host_b, 1}));
    expect_refused(from.ping({host_c, 1}));
    expect_refused(from.ping({host_b, 1}, other_oui));
    expect_refused(from.ping({host_b, 1}, ping_oui, 1, method::set));
    expect_refused(from.ping({host_a, 1}));
    expect_refused(from.ping({host_b, 1}, ping_oui, 1, method::get, 0x0A));
    EXPECT_FALSE(from.ping({host_b, 1}, ping_oui, 1, method::get_table));
}

TEST(Pings, ToASwitchAreNotAnsweredAtAll)
{
    for (bool const answer : {false, true}) {
        pinger from{{.answer_pings = answer}};
        auto const before = from.with.on->counters().drops(drop_reason::unmatched);
        EXPECT_FALSE(from.ping({switch_1, 0}));
        EXPECT_FALSE(from.ping({switch_2, 0}, ping_oui, 1, method::get, 0x0A));
        EXPECT_EQ(from.with.on->counters().drops(drop_reason::unmatched), before + 2);
        expect_refused(from.ping({switch_1, 0}, 0, 1, method::get, 0x04)); // performance management every switch has
    }
}

TEST(Pings, AreAnsweredWithTheNodesDescriptionWhereTheFabricIsToldSo)
{
    pinger from{{.answer_pings = true}};
    for (auto const& [node, name] : {std::pair{host_b, "beta mlx5_1"}, std::pair{host_c, "gamma mlx5_2"}}) {
        auto const answer = from.ping({node, 1});
        ASSERT_TRUE(answer);
        EXPECT_TRUE(is_ping_answer(answer->view()));
        EXPECT_EQ(answer->view().status(), 0);
        EXPECT_EQ(ping_name(answer->view()), name);
        EXPECT_EQ(answer->header.lid.value(), from.at({node, 1}).value());
    }
}

TEST(Pings, OfAnotherKindAreRefusedThereToo)
{
    pinger from{{.answer_pings = true}};
    expect_refused(from.ping({host_b, 1}, other_oui));
    expect_refused(from.ping({host_b, 1}, ping_oui, 2));
    expect_refused(from.ping({host_b, 1}, ping_oui, 1, method::set));
    expect_refused(from.ping({host_b, 1}, ping_oui, 1, method::get, 0x33));
}

TEST(Pings, ToAMachineWithAHostAreItsAgentsBusiness)
{
    pinger from{{.answer_pings = true}};
    expect_refused(from.ping({host_a, 1})); // the one that asks
    auto const machine = host::make(from.with.on, "H-c").value();
    open_file far{*machine};
    expect_refused(from.ping({host_c, 1}));
    auto const server = far.register_server(0x32, 1, {1}, ping_oui);
    EXPECT_FALSE(from.ping({host_c, 1}));
    EXPECT_EQ(far.read()->header.id, server);
}

TEST(Pings, AreAnsweredAgainWhenTheLastFileIsClosed)
{
    pinger from{{.answer_pings = true}};
    auto const machine = host::make(from.with.on, "H-c").value();
    {
        open_file const far{*machine};
        expect_refused(from.ping({host_c, 1}));
    }
    auto const answer = from.ping({host_c, 1});
    ASSERT_TRUE(answer);
    EXPECT_EQ(ping_name(answer->view()), "gamma mlx5_2");
}

TEST(Pings, TakeTimeAndMeetFaultsAsOtherRequestsDo)
{
    pinger from{{.faults = {.hop_latency = 10us, .service_time = 100us}, .answer_pings = true}};
    EXPECT_FALSE(from.ping({host_b, 1}));
    from.with.clock.advance(139us); // two links there and two back
    EXPECT_FALSE(from.with.file->read());
    from.with.clock.advance(1us);
    auto const answer = from.with.file->read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(ping_name(answer->view()), "beta mlx5_1");

    from.with.on->set_faults({});
    from.with.on->add_rule({.node = host_b, .mgmt_class = 0x32, .count = 1});
    EXPECT_FALSE(from.ping({host_b, 1}));
    from.with.on->add_rule({.node = host_b, .count = 1, .action = fault_action::status, .status = 0x0001});
    EXPECT_EQ(from.ping({host_b, 1})->view().status(), 0x0001);
    EXPECT_EQ(ping_name(from.ping({host_b, 1})->view()), "beta mlx5_1");
}

TEST(Pings, NeedAPKeyOfTheReceiversWhereKeysAreChecked)
{
    pinger from{{.check_pkeys = true, .answer_pings = true}};
    EXPECT_TRUE(from.ping({host_c, 1}));
    p_key_table keys;
    keys.p_keys[0] = 0x8001;
    ASSERT_EQ(from.with.set(directed_route{0, 1, 5, 1}, keys)->view().outcome(), 0);
    EXPECT_FALSE(from.ping({host_c, 1}));
    EXPECT_EQ(from.with.on->counters().drops(drop_reason::p_key), 1U);
}

} // namespace
} // namespace madrigal::sim::test
