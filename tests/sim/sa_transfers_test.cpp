// Tables of the fabric's own subnet administration on their way: with kernels' RMPP and with agents' own, with losses,
// and to who does not play along.
#include "sa_talk.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/path_record.hpp>

#include <gmock/gmock.h>

#include <iterator>
#include <set>

namespace madrigal::sim::test {
namespace {

using ::testing::SizeIs;

constexpr unsigned large_leaves = 100;
constexpr unsigned large_hosts = 29;

/// 3,010 nodes.
topology::fabric large_tree()
{
    return topology::generate(topology::fat_tree{.leaves = large_leaves, .hosts_per_leaf = large_hosts, .spines = 10})
        .value();
}

/// Where the hosts of it begin.
topology::node_index first_host(topology::fabric const& of)
{
    topology::node_index index = 0;
    while (of.at(index).type != node_type::ca)
        ++index;
    return index;
}

void expect_all_nodes_of(topology::fabric const& layout, std::vector<node_record> const& got)
{
    ASSERT_THAT(got, SizeIs(layout.size()));
    std::set<guid> guids;
    for (auto const& one : got)
        guids.insert(one.info.node_guid);
    EXPECT_THAT(guids, SizeIs(layout.size()));
    for (auto const& one : layout.nodes())
        EXPECT_TRUE(guids.contains(one.node_guid)) << one.id;
}

TEST(SaTransfers, BringATableToAnAgentWithTheKernelsRmpp)
{
    sa_talk talk;
    auto const nodes = talk.table<node_record>();
    ASSERT_THAT(nodes, SizeIs(6)); // host_a and its second port, host_b, both switches, host_c
    EXPECT_EQ(nodes[0].base_lid, talk.at({host_a, 1}));
    EXPECT_EQ(nodes[1].info.local_port_num, 2);
    EXPECT_EQ(nodes[2].description.description.view(), "beta mlx5_1");
    EXPECT_EQ(nodes[3].info.type, node_type::switch_);
    EXPECT_EQ(nodes[5].info.node_guid, talk.with.on->layout().at(host_c).node_guid);
}

TEST(SaTransfers, BringItToAnAgentWithRmppOfItsOwn)
{
    sa_talk talk;
    auto const got = talk.ask_by_hand(talk.question(method::get_table, record_query<node_record>{}));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->table<node_record>(), talk.table<node_record>());
}

TEST(SaTransfers, WorkOnThePortOfTheSubnetManagerItself)
{
    sa_talk talk{{}, two_switches(), {host_a, 1}};
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
    auto const by_hand = talk.ask_by_hand(talk.question(method::get_table, record_query<node_record>{}));
    ASSERT_TRUE(by_hand);
    EXPECT_THAT(by_hand->table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, ComeFromASwitchWhereTheSubnetManagerIsOnOne)
{
    sa_talk talk{{}, two_switches(), {switch_1, 0}};
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
    auto const by_hand = talk.ask_by_hand(talk.question(method::get_table, record_query<node_record>{}));
    ASSERT_TRUE(by_hand);
    EXPECT_THAT(by_hand->table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, GoBackByTheAddressesOfTheQuestion)
{
    auto layout = two_switches();
    layout.at(host_b).external_port(1).lmc = 2;
    sa_talk talk{{}, std::move(layout)};
    for (bool const in_segments : {false, true}) {
        auto bytes = talk.question(method::get_table, record_query<node_record>{});
        if (in_segments) {
            ASSERT_TRUE(set_rmpp_header(
                mutable_mad_view{bytes}, {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active}));
        }
        auto to = talk.to_sa(talk.kernel);
        to.lid.set(static_cast<std::uint16_t>(talk.sm_lid.value() + 3));
        to.grh_present = 1;
        to.hop_limit = 0xFF;
        to.flow_label.set(0x12345);
        auto const theirs = talk.gid_of({host_b, 1});
        std::memcpy(to.gid, theirs.bytes().data(), sizeof to.gid);
        talk.with.drain();
        ASSERT_EQ(talk.file().write(to, bytes), 0);
        auto const got = talk.read();
        ASSERT_TRUE(got) << in_segments;
        EXPECT_THAT(got->table<node_record>(), SizeIs(6));
        EXPECT_EQ(got->header.lid.value(), talk.sm_lid.value() + 3);
        EXPECT_EQ(got->header.grh_present, 1);
        EXPECT_EQ(std::memcmp(got->header.gid, theirs.bytes().data(), sizeof to.gid), 0);
    }
}

TEST(SaTransfers, OfNonsenseDoNoHarm)
{
    sa_talk talk;
    std::uint64_t state = 1;
    auto const next = [&] {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return state >> 33;
    };
    constexpr std::uint16_t records[] = {0x0001, 0x0003, 0x0011, 0x0012, 0x0014, 0x0015, 0x0018, 0x0020, 0x0030, 0x0031,
        0x0033, 0x0035, 0x0038, 0x00F3, 0x0036};
    constexpr std::uint8_t methods[] = {0x01, 0x02, 0x12, 0x15, 0x14, 0x05, 0x06, 0x7F};
    for (unsigned i = 0; i != 20'000; ++i) {
        std::array<std::byte, mad_size> bytes;
        for (auto& byte : bytes)
            byte = static_cast<std::byte>(next() % 4 == 0 ? 0 : next());
        mutable_mad_view const mad{bytes};
        mad.set_base_version(1);
        mad.set_mgmt_class(management_class::subnet_administration);
        mad.set_class_version(static_cast<std::uint8_t>(next() % 16 == 0 ? next() : 2));
        mad.set_method(static_cast<method>(methods[next() % std::size(methods)]));
        mad.set_attribute_id(records[next() % std::size(records)]);
        mad.set_transaction_id(talk.with.next_id());
        rmpp_header header;
        if (next() % 3 == 0)
            header = {.version = 1,
                .type = static_cast<rmpp_type>(next() % 6),
                .flags = rmpp_flags::from_value(static_cast<std::uint8_t>(next() % 8)),
                .status = static_cast<rmpp_status>(next() % 3 == 0 ? next() : 0),
                .segment = static_cast<std::uint32_t>(next() % 3),
                .length_or_window = static_cast<std::uint32_t>(next() % 300)};
        ASSERT_TRUE(set_rmpp_header(mad, header));
        store_bits<288, 64>(bytes.data(), next() % 3);                                          // SM_Key
        store_bits<384, 64>(bytes.data(), next() % 2 == 0 ? next() & next() & next() : next()); // components
        auto to = talk.to_sa(next() % 2 == 0 ? talk.none : talk.own);
        to.timeout_ms = 0;
        ASSERT_EQ(talk.file().write(to, bytes), 0);
        if (i % 100 == 0) {
            talk.clock().advance(100ms);
            talk.with.drain();
        }
    }
    EXPECT_LE(talk.server().bytes_on_their_way(), sa_server::most_bytes);
    talk.clock().advance(120s);
    EXPECT_EQ(talk.server().bytes_on_their_way(), 0U);
    EXPECT_EQ(talk.server().transfers().incoming(), 0U);
    EXPECT_EQ(talk.server().transfers().outgoing(), 0U);
    EXPECT_EQ(talk.server().transfers().budget().used(), 0U);
    EXPECT_GT(talk.with.on->counters().answered, 5000U);
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, BeginWithASegmentForAnAgentThatHasNoRmpp)
{
    sa_talk talk;
    auto const bytes = talk.question(method::get_table, record_query<node_record>{});
    talk.with.drain();
    ASSERT_EQ(talk.file().write(talk.to_sa(talk.none), bytes), 0);
    auto const first = talk.file().read();
    ASSERT_TRUE(first);
    auto const header = rmpp_header_of(first->view());
    ASSERT_TRUE(header);
    EXPECT_EQ(header->type, rmpp_type::data);
    EXPECT_EQ(header->segment, 1U);
    EXPECT_TRUE(header->flags.has(rmpp_flag::first));
    EXPECT_EQ(header->length_or_window, rmpp_total_payload(management_class::subnet_administration, 6 * 112));
}

TEST(SaTransfers, BringThousandsOfNodes)
{
    auto const layout = large_tree();
    auto const host = first_host(layout);
    auto const id = layout.at(host + 7).id;
    sa_talk talk{{}, layout, {host, 1}, id};
    expect_all_nodes_of(layout, talk.table<node_record>());
    auto const by_hand = talk.ask_by_hand(talk.question(method::get_table, record_query<node_record>{}));
    ASSERT_TRUE(by_hand);
    expect_all_nodes_of(layout, by_hand->table<node_record>());
    EXPECT_EQ(talk.server().bytes_on_their_way(), 0U);
}

TEST(SaTransfers, RepairWhatIsLostOnTheWay)
{
    auto const layout = large_tree();
    auto const host = first_host(layout);
    sa_talk talk{{.seed = 11, .faults = {.hop_latency = 5us, .jitter = 20us}}, layout, {host, 1},
        layout.at(host + large_hosts * 3).id};
    // The question and its first segments get through; the rest is up to chance.
    auto const bytes = talk.question(method::get_table, record_query<node_record>{});
    talk.with.drain();
    ASSERT_EQ(talk.file().write(talk.to_sa(talk.own), bytes), 0);
    talk.clock().advance(200us);
    talk.with.on->set_faults({.hop_latency = 5us, .jitter = 20us, .loss = 0.005, .duplicate = 0.005});
    engine::rmpp_transfers transfers{engine::rmpp_transfers_options{}};
    std::optional<engine::rmpp_event> whole;
    auto const end = talk.clock().now() + 60s;
    while (!whole) {
        while (auto const got = talk.file().read())
            (void)transfers.on_packet(got->header, got->view(), talk.clock().now());
        for (engine::rmpp_packet next; transfers.next_packet(next, talk.clock().now());) {
            next.to.id = talk.own;
            ASSERT_EQ(talk.file().write(next.to, next.mad), 0);
        }
        whole = transfers.next_event();
        if (!whole && !talk.readable()) {
            ASSERT_TRUE(talk.step(end));
            transfers.expire(talk.clock().now());
        }
    }
    ASSERT_EQ(whole->what, engine::rmpp_event::kind::received);
    expect_all_nodes_of(layout, sa_answer{{}, whole->message.whole()}.table<node_record>());
    EXPECT_GT(talk.with.on->counters().drops(drop_reason::loss), 5U);
    // The last acknowledgement has yet to get there, as often as it takes.
    talk.clock().advance(60s);
    EXPECT_GT(talk.with.on->counters().retransmitted, 5U);
    EXPECT_EQ(talk.server().bytes_on_their_way(), 0U);
}

TEST(SaTransfers, RepairLossesToAKernelToo)
{
    sa_talk talk{{.seed = 5, .faults = {.hop_latency = 5us, .loss = 0.05}}};
    unsigned whole = 0;
    for (unsigned i = 0; i != 50; ++i) {
        auto const bytes = talk.question(method::get_table, record_query<node_record>{});
        auto to = talk.to_sa(talk.kernel);
        to.timeout_ms = 1000;
        to.retries = 10;
        talk.with.drain();
        ASSERT_EQ(talk.file().write(to, bytes), 0);
        if (auto const got = talk.read(120s)) {
            EXPECT_THAT(got->table<node_record>(), SizeIs(6));
            ++whole;
        }
    }
    EXPECT_EQ(whole, 50U);
    EXPECT_GT(talk.with.on->counters().drops(drop_reason::loss), 20U);
}

TEST(SaTransfers, TakeTimeAndMeetFaultRules)
{
    sa_talk talk{{.faults = {.service_time = 1ms}}};
    auto const begin = talk.clock().now();
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
    EXPECT_EQ(talk.clock().now() - begin, 1ms);
    talk.with.on->set_faults({});
    talk.with.on->add_rule(
        {.node = host_b, .mgmt_class = 0x03, .count = 1, .action = fault_action::delay, .delay = 5ms});
    auto const asked = talk.clock().now();
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
    EXPECT_EQ(talk.clock().now() - asked, 5ms);
    talk.with.on->add_rule(
        {.node = host_b, .mgmt_class = 0x03, .count = 1, .action = fault_action::status, .status = mad_status::busy});
    EXPECT_EQ(talk.status_of(method::get_table, record_query<node_record>{}), mad_status::busy);
    auto const right = talk.ask(method::get_table, record_query<node_record>{});
    talk.with.on->add_rule({.node = host_b, .mgmt_class = 0x03, .count = 1, .action = fault_action::corrupt});
    auto const wrong = talk.ask(method::get_table, record_query<node_record>{});
    ASSERT_TRUE(right && wrong);
    EXPECT_EQ(wrong->bytes.size(), right->bytes.size());
    EXPECT_NE(wrong->table<node_record>(), right->table<node_record>());
    talk.with.on->add_rule({.node = host_b, .mgmt_class = 0x03, .count = 1});
    talk.timeout_ms = 100;
    EXPECT_FALSE(talk.ask(method::get_table, record_query<node_record>{}));
}

TEST(SaTransfers, TakeAQuestionThatComesInSegments)
{
    sa_talk talk;
    auto const plain = talk.ask(method::get_table, record_query<node_record>{});
    for (auto const how : {method::get_table, method::get}) {
        auto bytes =
            talk.question(how, record_query<node_record>{}.where<&node_record::base_lid>(talk.at({host_c, 1})));
        ASSERT_TRUE(set_rmpp_header(
            mutable_mad_view{bytes}, {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active}));
        auto const got = talk.ask(bytes);
        ASSERT_TRUE(got) << to_string(how);
        EXPECT_EQ(got->how(), response_to(how));
        EXPECT_EQ(got->status(), 0);
        EXPECT_EQ(got->as<node_record>().info.node_guid, talk.with.on->layout().at(host_c).node_guid);
    }
    talk.clock().advance(60s);
    EXPECT_EQ(talk.server().transfers().incoming(), 0U);
    EXPECT_EQ(talk.server().transfers().budget().used(), 0U);
}

TEST(SaTransfers, StopAQuestionThatIsLongerThanAnyRecord)
{
    sa_talk talk;
    auto const short_one = talk.question(method::get_table, record_query<node_record>{});
    std::vector<std::byte> bytes(short_one.begin(), short_one.end());
    bytes.resize(sa_data_offset + 10 * sa_server::longest_question);
    ASSERT_TRUE(
        set_rmpp_header(mutable_mad_view{bytes}, {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active}));
    EXPECT_FALSE(talk.ask(bytes, 10s));
    EXPECT_EQ(talk.server().transfers().budget().used(), 0U);
}

TEST(SaTransfers, OfQuestionsThatStayHalfOpenHoldNothingForLong)
{
    sa_talk talk;
    auto const begin_one = [&] {
        auto bytes = talk.question(method::get_table, record_query<node_record>{});
        ASSERT_TRUE(
            set_rmpp_header(mutable_mad_view{bytes}, {.version = 1,
                                                         .type = rmpp_type::data,
                                                         .flags = rmpp_flags{rmpp_flag::active, rmpp_flag::first},
                                                         .segment = 1,
                                                         .length_or_window = 440}));
        ASSERT_EQ(talk.file().write(talk.to_sa(talk.own), bytes), 0);
    };
    for (unsigned i = 0; i != 1000; ++i)
        begin_one();
    auto const& transfers = talk.server().transfers();
    EXPECT_GT(transfers.incoming(), 0U);
    EXPECT_LE(transfers.incoming(), 16U);
    EXPECT_LE(transfers.budget().used(), std::size_t{16} * 4160);
    talk.clock().advance(60s);
    EXPECT_EQ(transfers.incoming(), 0U);
    EXPECT_EQ(transfers.budget().used(), 0U);
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, ThatNobodyAcknowledgesHoldNothingForLong)
{
    sa_talk talk;
    constexpr unsigned questions = 500;
    for (unsigned i = 0; i != questions; ++i) {
        auto to = talk.to_sa(talk.own);
        to.timeout_ms = 0;
        ASSERT_EQ(talk.file().write(to, talk.question(method::get_table, record_query<node_record>{})), 0);
    }
    auto const before = talk.server().transfers().outgoing();
    EXPECT_GT(before, 0U);
    EXPECT_LE(before, 64U); // those to one peer
    EXPECT_GT(talk.server().bytes_on_their_way(), 0U);
    EXPECT_LE(talk.server().bytes_on_their_way(), before * (sa_data_offset + 6 * 112));
    // The same peer is told so; another one is answered.
    EXPECT_EQ(talk.status_of(method::get_table, record_query<node_record>{}), mad_status::sa_no_resources);
    auto const machine = host::make(talk.with.on, "H-c").value();
    open_file other{*machine};
    auto const agent = other.register_server(0x03, 2, {}, 0, 1);
    auto const bytes = talk.question(method::get_table, record_query<node_record>{});
    ASSERT_EQ(other.write(header_to(agent, talk.sm_lid, 1), bytes), 0);
    std::vector<std::byte> whole(umad::header_size + sa_data_offset + 6 * 112);
    auto const size = other->read(whole);
    ASSERT_TRUE(size);
    EXPECT_EQ(size.value(), whole.size());
    talk.clock().advance(60s);
    EXPECT_EQ(talk.server().transfers().outgoing(), 0U);
    EXPECT_EQ(talk.server().bytes_on_their_way(), 0U);
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, GoOnWhereTheSameIsAskedAgain)
{
    sa_talk talk{{.faults = {.hop_latency = 30ms}}};
    auto to = talk.to_sa(talk.kernel);
    to.timeout_ms = 130; // it takes 60 ms there, 60 ms back: the first answer is just in time
    to.retries = 5;
    talk.with.drain();
    ASSERT_EQ(talk.file().write(to, talk.question(method::get_table, record_query<node_record>{})), 0);
    auto const got = talk.read(10s);
    ASSERT_TRUE(got);
    EXPECT_THAT(got->table<node_record>(), SizeIs(6));
    // Two packets of one question, close together: one answer.
    talk.with.on->set_faults({.hop_latency = 1ms, .duplicate = 1});
    auto const answered = talk.with.on->counters().answered;
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
    EXPECT_EQ(talk.with.on->counters().answered, answered + 1);
    EXPECT_GT(talk.with.on->counters().drops(drop_reason::repeated_question), 0U);
}

TEST(SaTransfers, LeaveThePortToAnAgentThatServesTheClass)
{
    sa_talk talk;
    auto const machine = host::make(talk.with.on, "H-b").value();
    open_file other{*machine};
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6)); // an open file alone changes nothing
    other.register_server(0x03, 2, {0x12});
    auto const bytes = talk.question(method::get_table, record_query<node_record>{});
    talk.with.drain();
    ASSERT_EQ(talk.file().write(talk.to_sa(talk.none), bytes), 0);
    ASSERT_TRUE(other.read());
    EXPECT_FALSE(talk.file().read());
    // Other methods are nobody's but the subnet manager's.
    EXPECT_EQ(talk.status_of(method::get, record_query<node_record>{}), mad_status::sa_too_many_records);
    other.close();
    EXPECT_THAT(talk.table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, GoOnWhenAnAgentTakesThePort)
{
    sa_talk talk{{.faults = {.hop_latency = 1ms}}};
    auto const bytes = talk.question(method::get_table, record_query<node_record>{});
    talk.with.drain();
    ASSERT_EQ(talk.file().write(talk.to_sa(talk.kernel), bytes), 0);
    talk.clock().advance(2ms);
    EXPECT_EQ(talk.server().transfers().outgoing(), 1U);
    auto const machine = host::make(talk.with.on, "H-b").value();
    open_file other{*machine};
    other.register_server(0x03, 2, {0x12}, 0, 1);
    auto const got = talk.read();
    ASSERT_TRUE(got);
    EXPECT_THAT(got->table<node_record>(), SizeIs(6));
}

TEST(SaTransfers, EndWhenThePowerGoes)
{
    sa_talk talk{{.faults = {.hop_latency = 1ms}}};
    talk.with.drain();
    ASSERT_EQ(
        talk.file().write(talk.to_sa(talk.kernel), talk.question(method::get_table, record_query<node_record>{})), 0);
    talk.clock().advance(2ms);
    ASSERT_EQ(talk.server().transfers().outgoing(), 1U);
    ASSERT_FALSE(talk.with.on->set_power(host_b, false).code());
    EXPECT_EQ(talk.server().transfers().outgoing(), 0U);
    EXPECT_EQ(talk.server().bytes_on_their_way(), 0U);
    EXPECT_FALSE(talk.read(120s));
}

} // namespace
} // namespace madrigal::sim::test
