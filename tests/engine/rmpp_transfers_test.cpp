// Many transfers of an agent: who gets a place, who has to give way, and what becomes of each.
#include "engine/rmpp_transfers_support.hpp"
#include "engine/seeds.hpp"

#include <map>
#include <set>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using kind = rmpp_event::kind;

class RmppTransfers : public ::testing::Test {
protected:
    void begin(rmpp_transfers_options const& options = {}) { table.emplace(options); }
    /// What the table writes after a packet of this peer; only the first if there are more.
    std::string hear(umad::ib_user_mad_hdr const& from, mad_bytes const& mad, bool may_begin = true)
    {
        EXPECT_TRUE(table->on_packet(from, mad_view{mad}, now, may_begin));
        return written();
    }
    std::string written()
    {
        if (!table->next_packet(packet, now))
            return "nothing";
        return describe_rmpp(mad_view{packet.mad});
    }
    /// The first segment of a question of `size` bytes.
    static mad_bytes question(std::uint64_t number, std::size_t size = 1'000, std::uint32_t segment = 1)
    {
        return with_transaction(segment_of(segment, size, method::get_multi), number);
    }
    static mad_bytes answer(std::uint64_t number, std::size_t size = 1'000, std::uint32_t segment = 1)
    {
        return with_transaction(segment_of(segment, size), number);
    }

    time_point now = start;
    std::optional<rmpp_transfers> table;
    rmpp_packet packet;
};

TEST_F(RmppTransfers, LeavePacketsThatAreNoneToOthers)
{
    begin();
    auto plain = question(1);
    ASSERT_TRUE(set_rmpp_header(mutable_mad_view{plain}, {.version = 1, .type = rmpp_type::data}));
    EXPECT_FALSE(table->on_packet(peer(1), mad_view{plain}, now)) << "not active";
    auto performance = question(1);
    mutable_mad_view{performance}.set_mgmt_class(management_class::performance);
    EXPECT_FALSE(table->on_packet(peer(1), mad_view{performance}, now));
    EXPECT_FALSE(table->on_packet(peer(1), mad_view{std::span{plain}.first(24)}, now));
    auto const whole = question(1);
    EXPECT_TRUE(table->on_packet(peer(1), mad_view{std::span{whole}.first(200)}, now)) << "a piece is nobody's";
    EXPECT_EQ(table->counted().malformed, 1U);
    EXPECT_EQ(written(), "nothing");
}

TEST_F(RmppTransfers, GiveAMessageAwayWholeAndAnswerForItAWhile)
{
    begin();
    EXPECT_EQ(hear(peer(5), answer(7, 300)), "ACK 1, window up to 65");
    EXPECT_EQ(packet.to.lid.value(), 5);
    EXPECT_EQ(packet.to.qkey.value(), 0x80010000U);
    EXPECT_EQ(packet.to.id, 3U) << "the agent's";
    EXPECT_EQ(packet.to.pkey_index, 2);
    EXPECT_EQ(table->incoming(), 1U);
    EXPECT_FALSE(table->next_event());
    EXPECT_EQ(hear(peer(5), answer(7, 300, 2)), "ACK 2, window up to 65");
    auto event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->what, kind::received);
    EXPECT_EQ(event->peer.lid.value(), 5);
    EXPECT_EQ(event->key.transaction_id, 7U);
    expect_filling(event->message.whole(), 300);
    EXPECT_EQ(mad_view{event->message.headers()}.method(), method::get_table_response);
    EXPECT_FALSE(table->next_event());
    EXPECT_EQ(table->incoming(), 0U);
    EXPECT_EQ(table->lingering(), 1U);
    EXPECT_EQ(hear(peer(5), answer(7, 300, 2)), "ACK 2, window up to 65");
    EXPECT_FALSE(table->next_event()) << "it has been given away once";
    EXPECT_EQ(table->next_deadline(), now + 10s);
    now += 10s;
    table->expire(now);
    EXPECT_EQ(table->lingering(), 0U);
    EXPECT_EQ(hear(peer(5), answer(7, 300, 2)), "nothing");
    EXPECT_EQ(table->counted().unmatched, 1U);
    EXPECT_EQ(table->next_deadline(), never);
}

TEST_F(RmppTransfers, TellPeersTransactionsClassesAndMethodsApart)
{
    begin();
    auto other_class = answer(1);
    mutable_mad_view{other_class}.set_mgmt_class(management_class{0x32});
    auto other_version = answer(1);
    mutable_mad_view{other_version}.set_class_version(1);
    auto other_method = answer(1);
    mutable_mad_view{other_method}.set_method(method::get_multi_response);
    auto routed = peer(1);
    routed.grh_present = 1;
    auto elsewhere = routed;
    elsewhere.gid[15] = 1;
    auto other_qp = peer(1);
    other_qp.qpn.set(77);
    std::size_t count = 0;
    for (auto const& [from, mad] : std::initializer_list<std::pair<umad::ib_user_mad_hdr, mad_bytes>>{
             {peer(1), answer(1)},
             {peer(2), answer(1)},
             {other_qp, answer(1)},
             {routed, answer(1)},
             {elsewhere, answer(1)},
             {peer(1), answer(2)},
             {peer(1), question(1)},
             {peer(1), other_class},
             {peer(1), other_version},
             {peer(1), other_method},
         }) {
        hear(from, mad);
        EXPECT_EQ(table->incoming(), ++count);
        hear(from, mad);
        EXPECT_EQ(table->incoming(), count);
    }
}

TEST_F(RmppTransfers, MatchOnlyTheLowerHalfOfAnIdOfOurOwn)
{
    // The kernel puts its own upper half into what this side asks, and hands it back with what belongs to it.
    begin();
    auto const asking = with_transaction(message_of(300, method::get_multi), 0x0000'0000'0000'0009);
    ASSERT_EQ(table->start({.to = peer(1), .message = asking}, now), rmpp_transfers::started::yes);
    EXPECT_EQ(written(), "DATA 1, first, payload 340");
    auto const ack = with_transaction(ack_of(1, 65, method::get_multi_response), 0x0000'0055'0000'0009);
    EXPECT_EQ(hear(peer(1), ack), "DATA 2, last, payload 120");
    hear(peer(1), with_transaction(segment_of(1, 300), 0x0000'0055'0000'0009));
    hear(peer(1), with_transaction(segment_of(2, 300), 0x0000'0055'0000'0009));
    auto const event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->key.transaction_id, 9U);
    EXPECT_EQ(mad_view{event->message.headers()}.transaction_id(), 0x0000'0055'0000'0009U);
    // A stranger's id counts whole.
    hear(peer(1), question(0x0000'0055'0000'0009));
    hear(peer(1), question(0x0000'0056'0000'0009));
    EXPECT_EQ(table->incoming(), 2U);
}

TEST_F(RmppTransfers, SendInTurnsAndTellWhenAllIsAcknowledged)
{
    begin();
    std::map<std::uint64_t, std::vector<std::byte>> messages;
    for (std::uint64_t number = 1; number <= 3; ++number) {
        messages[number] = with_transaction(message_of(500), number);
        ASSERT_EQ(table->start({.to = peer(1), .message = messages[number], .ticket = 10 * number}, now),
            rmpp_transfers::started::yes);
        EXPECT_EQ(table->start({.to = peer(1), .message = messages[number]}, now), rmpp_transfers::started::present);
        EXPECT_EQ(written(), "DATA 1, first, payload 560");
    }
    EXPECT_EQ(written(), "nothing");
    for (std::uint64_t number = 1; number <= 3; ++number)
        (void)table->on_packet(peer(1), mad_view{with_transaction(ack_of(1, 65), number)}, now);
    for (auto const* expected : {"DATA 2", "DATA 2", "DATA 2", "DATA 3, last, payload 120", "DATA 3, last, payload 120",
             "DATA 3, last, payload 120", "nothing"})
        EXPECT_EQ(written(), expected);
    EXPECT_FALSE(table->next_event());
    EXPECT_EQ(hear(peer(1), with_transaction(ack_of(3, 65), 2)), "nothing");
    auto event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->what, kind::sent);
    EXPECT_EQ(event->ticket, 20U);
    EXPECT_EQ(table->outgoing(), 2U);
    hear(peer(1),
        with_transaction(
            packet_of({.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted}, method::get_table), 3));
    event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->what, kind::send_failed);
    EXPECT_EQ(event->ticket, 30U);
    EXPECT_EQ(event->outcome, (rmpp_outcome{rmpp_end::stopped, rmpp_status::resources_exhausted}));
    EXPECT_EQ(table->outgoing(), 1U);
}

TEST_F(RmppTransfers, RepeatAndGiveUpByThemselves)
{
    begin();
    auto const message = message_of(500);
    auto const owner = std::make_shared<int>(0);
    ASSERT_EQ(table->start({.to = peer(1),
                               .message = message,
                               .owner = owner,
                               .ticket = 4,
                               .options = {.timeout = 100ms, .retries = 2}},
                  now),
        rmpp_transfers::started::yes);
    EXPECT_EQ(owner.use_count(), 2);
    for (auto const wait : {100ms, 200ms, 400ms}) {
        EXPECT_EQ(written(), "DATA 1, first, payload 560");
        EXPECT_EQ(written(), "nothing");
        EXPECT_EQ(table->next_deadline(), now + wait);
        now += wait;
        table->expire(now);
    }
    EXPECT_EQ(written(), "ABORT, 126: too many retries");
    auto const event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->what, kind::send_failed);
    EXPECT_EQ(event->outcome.end, rmpp_end::unanswered);
    EXPECT_EQ(table->outgoing(), 0U);
    EXPECT_EQ(owner.use_count(), 1) << "the message is let go";
    EXPECT_EQ(table->counted().segments_sent, 3U);
    EXPECT_EQ(table->counted().repeated, 2U);
}

TEST_F(RmppTransfers, RefuseWhatCannotBeSent)
{
    begin({.max_outgoing = 1});
    auto const start_one = [&](std::vector<std::byte> const& message) {
        return table->start({.to = peer(1), .message = message}, now);
    };
    using started = rmpp_transfers::started;
    EXPECT_EQ(start_one(std::vector<std::byte>(23)), started::invalid);
    EXPECT_EQ(start_one(message_of(100, method::get, management_class::performance)), started::invalid);
    auto cut = message_of(0);
    cut.pop_back();
    EXPECT_EQ(start_one(cut), started::invalid);
    auto const one = message_of(0);
    EXPECT_EQ(start_one(one), started::yes);
    auto const other = with_transaction(message_of(0), 99);
    EXPECT_EQ(start_one(other), started::full);
}

TEST_F(RmppTransfers, SendOnePeerOnlySoManyAnswersAtATime)
{
    begin({.max_answers_to_a_peer = 2});
    std::vector<std::vector<std::byte>> messages;
    for (std::uint64_t number = 0; number != 4; ++number)
        messages.push_back(
            with_transaction(message_of(0, number == 3 ? method::get_multi : method::get_table_response), number));
    using started = rmpp_transfers::started;
    auto const start_one = [&](std::uint16_t lid, std::size_t number) {
        return table->start({.to = peer(lid), .message = messages[number]}, now);
    };
    EXPECT_EQ(start_one(1, 0), started::yes);
    EXPECT_EQ(start_one(1, 1), started::yes);
    EXPECT_EQ(start_one(1, 2), started::full);
    EXPECT_EQ(start_one(1, 3), started::yes) << "a question";
    auto other_qp = peer(1);
    other_qp.qpn.set(77);
    EXPECT_EQ(table->start({.to = other_qp, .message = messages[2]}, now), started::full) << "of the same port";
    EXPECT_EQ(start_one(2, 2), started::yes) << "to another peer";
    while (table->next_packet(packet, now)) {
    }
    hear(peer(1), with_transaction(ack_of(1, 1), 1));
    EXPECT_EQ(start_one(1, 2), started::yes) << "one has ended";
}

TEST_F(RmppTransfers, HandTheDirectionOverAndStartTheAnswerWithTheWindowGiven)
{
    begin();
    EXPECT_EQ(hear(peer(1), question(5, 100)), "ACK 1, window up to 1");
    ASSERT_TRUE(table->next_event());
    auto turn = with_transaction(ack_of(0, 3, method::get_multi), 5);
    EXPECT_EQ(hear(peer(1), turn), "nothing");
    auto const message = with_transaction(message_of(1'000, method::get_multi_response), 5);
    ASSERT_EQ(table->start({.to = peer(1), .message = message}, now), rmpp_transfers::started::yes);
    EXPECT_EQ(written(), "DATA 1, first, payload 1100");
    EXPECT_EQ(written(), "DATA 2");
    EXPECT_EQ(written(), "DATA 3");
    EXPECT_EQ(written(), "nothing");
}

TEST_F(RmppTransfers, TakeAnAbortForTheAnswerOnceTheQuestionHasArrived)
{
    begin();
    auto const asking = with_transaction(message_of(100, method::get_multi), 5);
    ASSERT_EQ(table->start({.to = peer(1), .message = asking, .options = {.expects_answer = true}}, now),
        rmpp_transfers::started::yes);
    EXPECT_EQ(written(), "DATA 1, first, last, payload 120");
    EXPECT_EQ(hear(peer(1), with_transaction(ack_of(1, 1, method::get_multi_response), 5)), "ACK 0, window up to 1");
    EXPECT_EQ(table->next_event()->what, kind::sent);
    auto const answer_of = [](std::uint32_t segment) {
        return with_transaction(segment_of(segment, 1'000, method::get_multi_response), 5);
    };
    EXPECT_EQ(hear(peer(1), answer_of(1)), "ACK 1, window up to 65");
    auto abort = packet_of({.type = rmpp_type::abort, .status = rmpp_status::unspecified}, method::get_multi_response);
    EXPECT_EQ(hear(peer(1), with_transaction(abort, 5)), "nothing");
    auto const event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->what, kind::receive_failed);
    EXPECT_EQ(event->outcome, (rmpp_outcome{rmpp_end::aborted, rmpp_status::unspecified}));
}

TEST_F(RmppTransfers, BeginNothingThatNobodyWants)
{
    begin();
    EXPECT_EQ(hear(peer(1), answer(1), false), "nothing");
    EXPECT_EQ(hear(peer(1), packet_of({.version = 2, .type = rmpp_type::data}), false), "nothing");
    EXPECT_EQ(hear(peer(1), answer(1, 1'000, 2)), "nothing") << "the middle of a transfer that has been forgotten";
    EXPECT_EQ(hear(peer(1), ack_of(3, 65)), "nothing");
    EXPECT_EQ(hear(peer(1), ack_of(0, 1)), "nothing");
    EXPECT_EQ(hear(peer(1), packet_of({.type = rmpp_type::abort})), "nothing");
    EXPECT_EQ(hear(peer(1), packet_of({.version = 3, .type = rmpp_type::abort})), "nothing");
    EXPECT_EQ(table->counted().unmatched, 7U);
    EXPECT_EQ(hear(peer(1), packet_of({.version = 2, .type = rmpp_type::data})), "ABORT, 125: unsupported RMPPVersion");
    EXPECT_EQ(hear(peer(1), packet_of({.type = rmpp_type{9}})), "ABORT, 121: unknown RMPPType");
    EXPECT_EQ(hear(peer(1), packet_of({.type = rmpp_type::data, .segment = 1})),
        "ABORT, 120: First flag and SegmentNumber disagree");
    EXPECT_EQ(table->counted().malformed, 3U);
    EXPECT_EQ(table->incoming(), 0U);
}

TEST_F(RmppTransfers, ComplainAsAKernelOfPacketsThatAreOfNoTransfer)
{
    begin({.receiving = rmpp_receiver_options::linux_kernel()});
    auto const illegal = rmpp_status{9};
    auto const heard = [&](rmpp_header const& header) { return hear(peer(1), packet_of(header)); };
    auto const check = [&] {
        EXPECT_EQ(heard({.type = rmpp_type::ack, .status = illegal}), "ABORT, 124: illegal status");
        EXPECT_EQ(heard({.type = rmpp_type::ack, .segment = 3, .length_or_window = 2}),
            "ABORT, 122: NewWindowLast too small");
        EXPECT_EQ(heard({.type = rmpp_type::stop, .status = illegal}), "ABORT, 124: illegal status");
        EXPECT_EQ(heard({.type = rmpp_type::abort, .status = illegal}), "ABORT, 124: illegal status");
        EXPECT_EQ(heard({.version = 2, .type = rmpp_type::abort}), "ABORT, 125: unsupported RMPPVersion");
        EXPECT_EQ(heard({.type = rmpp_type{9}, .response_time = 17}), "ABORT, 121: unknown RMPPType");
        EXPECT_EQ(rmpp_header_of(mad_view{packet.mad})->response_time, 17) << "given back as it came";
        EXPECT_EQ(heard({.type = rmpp_type::ack, .segment = 3, .length_or_window = 3}), "nothing");
        EXPECT_EQ(heard({.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted}), "nothing");
        EXPECT_EQ(heard({.type = rmpp_type::abort, .status = rmpp_status::unspecified}), "nothing");
    };
    check();
    auto const first = segment_of(1, 1'000);
    ASSERT_EQ(hear(peer(1), first), "ACK 1, window up to 65");
    check(); // one that arrives goes on
    EXPECT_EQ(table->incoming(), 1U);
    EXPECT_FALSE(table->next_event());
}

TEST_F(RmppTransfers, GiveQuestionsAndAnswersPlacesOfTheirOwn)
{
    begin({.max_answers = 2, .max_questions = 3, .max_questions_per_peer = 2});
    EXPECT_EQ(hear(peer(1), question(1)), "ACK 1, window up to 65");
    EXPECT_EQ(hear(peer(1), question(2)), "ACK 1, window up to 65");
    EXPECT_EQ(hear(peer(1), question(3)), "STOP, 1: resources exhausted") << "two a peer";
    EXPECT_EQ(hear(peer(2), question(3)), "ACK 1, window up to 65");
    EXPECT_EQ(hear(peer(3), question(4)), "STOP, 1: resources exhausted") << "three in all";
    EXPECT_EQ(hear(peer(1), answer(1)), "ACK 1, window up to 65");
    EXPECT_EQ(hear(peer(1), answer(2)), "ACK 1, window up to 65");
    EXPECT_EQ(hear(peer(1), answer(3)), "STOP, 1: resources exhausted");
    EXPECT_EQ(table->counted().refused, 3U);
    for (std::uint32_t segment = 2; segment != 6; ++segment)
        hear(peer(1), question(1, 1'000, segment));
    ASSERT_TRUE(table->next_event());
    EXPECT_EQ(hear(peer(1), question(3)), "ACK 1, window up to 65") << "one has ended";
}

TEST_F(RmppTransfers, LetTheLongestIdleGiveWayToANewcomer)
{
    begin({.max_questions = 2, .evictable_after = 1s});
    hear(peer(1), question(1));
    now += 600ms;
    hear(peer(2), question(2));
    now += 600ms;
    hear(peer(1), question(1, 1'000, 2));
    now += 100ms;
    EXPECT_EQ(hear(peer(3), question(3)), "STOP, 1: resources exhausted");
    EXPECT_EQ(packet.to.lid.value(), 3) << "nobody has been idle for a second";
    now += 300ms;
    (void)table->on_packet(peer(3), mad_view{question(3)}, now);
    EXPECT_EQ(written(), "STOP, 1: resources exhausted");
    EXPECT_EQ(packet.to.lid.value(), 2) << "idle since 1 s";
    EXPECT_EQ(written(), "ACK 1, window up to 65");
    EXPECT_EQ(packet.to.lid.value(), 3);
    auto const event = table->next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->what, kind::receive_failed);
    EXPECT_EQ(event->outcome, (rmpp_outcome{rmpp_end::no_resources, rmpp_status::resources_exhausted}));
    EXPECT_EQ(event->peer.lid.value(), 2);
    EXPECT_EQ(mad_view{event->message.headers()}.transaction_id(), 2U);
    EXPECT_EQ(table->counted().evicted, 1U);
    EXPECT_EQ(table->incoming(), 2U);
}

TEST_F(RmppTransfers, LetIdleOnesGiveWayWhereBytesRunShort)
{
    begin({.max_bytes = 40 * rmpp_message::chunk_cost});
    constexpr std::size_t size = 200'000;
    auto const fill = [&](umad::ib_user_mad_hdr const& from, auto packet_of_number, std::uint32_t from_segment) {
        std::string said = "nothing";
        for (std::uint32_t segment = from_segment; segment <= size / 200; ++segment) {
            (void)table->on_packet(from, mad_view{packet_of_number(segment)}, now);
            while (table->next_packet(packet, now)) {
                auto const text = describe_rmpp(mad_view{packet.mad});
                if (text.starts_with("STOP"))
                    return std::to_string(packet.to.lid.value()) + " after " + std::to_string(segment);
            }
        }
        return said;
    };
    auto const q = [](std::uint32_t segment) { return question(1, size, segment); };
    auto const a = [](std::uint32_t segment) { return answer(1, size, segment); };
    EXPECT_EQ(fill(peer(1), q, 1), "1 after 820") << "all of the bytes are its own, and there are no more";
    EXPECT_EQ(table->budget().used(), 0U);
    for (std::uint32_t segment = 1; segment != 400; ++segment)
        hear(peer(2), q(segment));
    now += 2s;
    auto const said = fill(peer(3), a, 1);
    EXPECT_TRUE(said.starts_with("2 after ")) << said;
    EXPECT_LE(table->budget().used(), table->budget().limit());
}

TEST_F(RmppTransfers, ForgetTheOldestOfThoseThatLinger)
{
    begin({.max_lingering = 2});
    for (std::uint64_t number = 1; number <= 3; ++number)
        EXPECT_EQ(hear(peer(1), answer(number, 10)), "ACK 1, window up to 1");
    EXPECT_EQ(table->lingering(), 2U);
    EXPECT_EQ(hear(peer(1), answer(3, 10)), "ACK 1, window up to 1");
    for (int i = 0; i != 3; ++i)
        EXPECT_EQ(table->next_event()->what, kind::received);
    EXPECT_FALSE(table->next_event());
    begin({.max_lingering = 0});
    EXPECT_EQ(hear(peer(1), answer(1, 10)), "ACK 1, window up to 1");
    EXPECT_EQ(table->lingering(), 0U);
    EXPECT_EQ(table->next_deadline(), never);
}

TEST_F(RmppTransfers, TimeOutAPeerThatNeverFinishes)
{
    begin({.receiving = {.total = 60s, .idle = 5s}});
    hear(peer(1), question(1));
    EXPECT_EQ(table->next_deadline(), now + 5s);
    now += 5s;
    table->expire(now);
    EXPECT_EQ(written(), "ABORT, 118: total time too long");
    EXPECT_EQ(table->next_event()->outcome.end, rmpp_end::too_long);
    EXPECT_EQ(table->incoming(), 0U);
    EXPECT_EQ(table->budget().used(), 0U);
    EXPECT_EQ(hear(peer(1), question(1, 1'000, 2)), "ABORT, 118: total time too long");
}

TEST_F(RmppTransfers, CancelEitherSide)
{
    begin();
    hear(peer(1), question(1));
    auto const incoming = rmpp_key::of(peer(1), mad_view{question(1)}, method::get_multi, rmpp_direction::incoming);
    EXPECT_TRUE(table->cancel(incoming, now));
    EXPECT_EQ(written(), "ABORT, 127: unspecified");
    EXPECT_EQ(table->incoming(), 0U);
    EXPECT_EQ(table->lingering(), 1U);
    EXPECT_FALSE(table->cancel(incoming, now));
    auto const message = message_of(500);
    ASSERT_EQ(table->start({.to = peer(1), .message = message}, now), rmpp_transfers::started::yes);
    (void)written();
    auto const outgoing =
        rmpp_key::of(peer(1), mad_view{message}, method::get_table_response, rmpp_direction::outgoing);
    EXPECT_TRUE(table->cancel(outgoing, now));
    EXPECT_EQ(written(), "ABORT, 127: unspecified");
    EXPECT_FALSE(table->cancel(outgoing, now));
    EXPECT_EQ(table->outgoing(), 0U);
    EXPECT_FALSE(table->next_event()) << "who cancels knows it";
}

TEST_F(RmppTransfers, AbandonWithoutAWordWhatGoesOutOrHasGoneOut)
{
    begin();
    auto const message = message_of(500, method::get_multi);
    auto const key = rmpp_key::of(peer(1), mad_view{message}, method::get_multi, rmpp_direction::outgoing);
    EXPECT_FALSE(table->abandon(key));
    rmpp_outgoing const asking{.to = peer(1), .message = message, .options = {.expects_answer = true}};
    ASSERT_EQ(table->start(asking, now), rmpp_transfers::started::yes);
    EXPECT_EQ(written(), "DATA 1, first, payload 560");
    EXPECT_TRUE(table->abandon(key));
    EXPECT_EQ(written(), "nothing");
    EXPECT_EQ(hear(peer(1), ack_of(1, 65, method::get_multi_response)), "nothing") << "it is of none any more";
    ASSERT_EQ(table->start(asking, now), rmpp_transfers::started::yes);
    (void)written();
    (void)hear(peer(1), ack_of(1, 65, method::get_multi_response));
    (void)written();
    EXPECT_EQ(hear(peer(1), ack_of(3, 65, method::get_multi_response)), "ACK 0, window up to 1") << "the turn";
    ASSERT_EQ(table->next_event()->what, kind::sent);
    EXPECT_EQ(table->outgoing(), 1U) << "it would hand the direction over once more";
    EXPECT_TRUE(table->abandon(key));
    EXPECT_EQ(hear(peer(1), ack_of(3, 65, method::get_multi_response)), "nothing");
    EXPECT_EQ(table->outgoing(), 0U);
    EXPECT_EQ(table->next_deadline(), never);
    EXPECT_FALSE(table->next_event());
}

TEST_F(RmppTransfers, TellOfDataBeforeTheEndAndTakeItBackAsItIsConsumed)
{
    begin({.receiving = {.max_message = 20'000}, .announce_data = true});
    constexpr std::size_t size = 100'000;
    std::vector<std::byte> got;
    auto const read = [&](rmpp_message& message) {
        std::vector<std::byte> part(message.readable());
        ASSERT_EQ(message.copy(part), part.size());
        got.insert(got.end(), part.begin(), part.end());
        message.consume(part.size());
    };
    for (std::uint32_t segment = 1; segment <= size / 200; ++segment) {
        auto mad = answer(1, size, segment);
        if (segment == 1) { // the sender does not know how long it will be
            ASSERT_TRUE(set_rmpp_header(mutable_mad_view{mad},
                {.version = 1, .type = rmpp_type::data, .flags = {rmpp_flag::active, rmpp_flag::first}, .segment = 1}));
        }
        hear(peer(1), mad);
        if (segment % 50 != 0)
            continue;
        auto event = table->next_event();
        ASSERT_TRUE(event) << segment;
        if (segment != size / 200) {
            ASSERT_EQ(event->what, kind::arriving);
            auto* message = table->arriving(event->key);
            ASSERT_NE(message, nullptr);
            EXPECT_EQ(message->readable(), 10'000U);
            read(*message);
        } else {
            ASSERT_EQ(event->what, kind::arriving);
            EXPECT_EQ(table->arriving(event->key), nullptr) << "it has ended meanwhile";
            event = table->next_event();
            ASSERT_TRUE(event);
            ASSERT_EQ(event->what, kind::received);
            read(event->message);
        }
        EXPECT_FALSE(table->next_event());
    }
    ASSERT_EQ(got.size(), size);
    for (std::size_t i = 0; i != size; ++i)
        ASSERT_EQ(got[i], filling(i)) << i;
}

/// Two agents that send each other messages over a bad wire.
class RmppTransfersOnABadWire : public seeded {};

TEST_P(RmppTransfersOnABadWire, CarryManyMessagesBothWaysAtATime)
{
    for (bool const kernels : {false, true}) {
        two_tables both{{.lost = 0.02, .doubled = 0.02, .delayed = 0.1}, random(), kernels};
        std::map<std::pair<int, std::uint64_t>, std::vector<std::byte>> messages;
        for (std::uint64_t number = 1; number <= 30; ++number) {
            for (int side = 0; side != 2; ++side) {
                auto const how = pick(2) == 0 ? method::get_multi : method::get_table_response;
                auto& message = messages[{side, number}];
                message = with_transaction(message_of(pick(5) == 0 ? pick(3) * 100 : pick(30'000), how), number);
                auto options = kernels ? rmpp_sender_options::linux_kernel(0, 20) : rmpp_sender_options{};
                options.retries = 30;
                options.total = duration::zero();
                ASSERT_EQ(both.tables[static_cast<std::size_t>(side)]->start(
                              {.to = peer(1), .message = message, .ticket = number, .options = options}, both.now),
                    rmpp_transfers::started::yes);
            }
        }
        std::set<std::pair<int, std::uint64_t>> sent;
        std::set<std::pair<int, std::uint64_t>> received;
        both.run([&](int side, rmpp_event& event) {
            ASSERT_TRUE(event.what == kind::sent || event.what == kind::received) << to_string(event.outcome);
            if (event.what == kind::sent) {
                EXPECT_TRUE(sent.emplace(side, event.ticket).second);
                return;
            }
            auto const number = event.key.transaction_id;
            auto const& expected = messages.at({1 - side, number});
            EXPECT_TRUE(received.emplace(side, number).second);
            auto const whole = event.message.whole();
            ASSERT_EQ(whole.size(), expected.size());
            EXPECT_TRUE(std::equal(whole.begin() + 56, whole.end(), expected.begin() + 56));
        });
        EXPECT_EQ(sent.size(), 60U);
        EXPECT_EQ(received.size(), 60U);
        for (auto const& table : both.tables) {
            EXPECT_EQ(table->outgoing(), 0U);
            EXPECT_EQ(table->incoming(), 0U);
            EXPECT_EQ(table->lingering(), 0U) << "all is forgotten in the end";
            EXPECT_EQ(table->budget().used(), 0U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RmppTransfersOnABadWire, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
