// The engine's RMPP against the kernel's, and against itself, through agents that do RMPP themselves.
#include "conformance/rmpp_packets.hpp"

#include <madrigal/engine/rmpp_transfers.hpp>

namespace madrigal::conformance {
namespace {

class RmppEngine : public Conformance {
protected:
    /// A file whose agent does RMPP itself, with the transfers of that agent.
    struct user {
        user(world& on, std::initializer_list<unsigned> methods) : file{on} { agent = sa_agent(file, true, methods); }
        raw_file file;
        std::uint32_t agent = 0;
        engine::rmpp_transfers transfers{
            {.receiving = {.max_message = std::size_t{4} << 20}, .max_question = std::size_t{4} << 20}};
        unsigned lose_every = 0; ///< of the packets of transfers, each way together
        unsigned carried = 0;
        std::optional<packet> plain;               ///< the last MAD that was none of a transfer
        std::optional<std::vector<std::byte>> got; ///< the last message that arrived
        std::optional<engine::rmpp_event> sent;    ///< how the last message to be sent ended
    };

    /// Carries packets between a user's transfers and its file until `done`, or for as long as this.
    template <class F>
    bool run(std::initializer_list<user*> users, F&& done, milliseconds within = 60s)
    {
        auto const end = on.now() + within;
        while (!done()) {
            auto const now = on.now();
            if (now >= end)
                return false;
            bool busy = false;
            for (auto* one : users)
                busy = turn(*one) || busy;
            if (!busy) {
                auto* first = *users.begin();
                (void)on.wait_readable(first->file.descriptor(), users.size() == 1 ? 20ms : 1ms);
            }
        }
        return true;
    }

    static void expect_data(std::span<std::byte const> got, std::size_t size)
    {
        ASSERT_EQ(got.size(), sa_data_offset + size);
        for (std::size_t i = 0; i != size; ++i)
            ASSERT_EQ(got[sa_data_offset + i], sa_filling(i)) << i;
    }
    void send(user& from, umad::ib_user_mad_hdr to, std::vector<std::byte> const& message, bool expects_answer = false)
    {
        to.id = from.agent;
        to.timeout_ms = to.retries = to.status = 0;
        to.qkey.set(0x8001'0000);
        from.sent.reset();
        ASSERT_EQ(from.transfers.start(
                      {.to = to, .message = message, .options = {.expects_answer = expects_answer}}, on.now()),
            engine::rmpp_transfers::started::yes);
    }

    static constexpr std::initializer_list<std::size_t> sizes{
        1, 199, 200, 201, 4'096, 13'000, 13'001, 100'000, 1'000'000};

private:
    static bool loses(user& one) { return one.lose_every != 0 && ++one.carried % one.lose_every == 0; }
    /// True if anything was read or written.
    bool turn(user& one)
    {
        auto const now = on.now();
        bool busy = false;
        while (on.wait_readable(one.file.descriptor(), 0ms)) {
            auto got = one.file.read(0ms);
            if (!got)
                break;
            busy = true;
            if (is_active_rmpp(got->mad()) && loses(one))
                continue;
            if (got->header.status == 0 && one.transfers.on_packet(got->header, got->mad(), now))
                break; // its ACK first
            one.plain = std::move(got);
        }
        one.transfers.expire(now);
        engine::rmpp_packet next;
        for (int most = 16; most != 0 && one.transfers.next_packet(next, now); --most) {
            busy = true;
            packet written{.header = next.to, .bytes = {next.mad.begin(), next.mad.end()}};
            written.header.id = one.agent;
            if (loses(one))
                continue;
            EXPECT_EQ(one.file.write(written), 0);
        }
        while (auto event = one.transfers.next_event()) {
            using kind = engine::rmpp_event::kind;
            EXPECT_EQ(event->outcome.end, engine::rmpp_end::complete) << to_string(event->outcome);
            if (event->what == kind::received || event->what == kind::receive_failed)
                one.got = event->message.whole();
            else
                one.sent = std::move(event);
        }
        return busy;
    }
};

TEST_F(RmppEngine, TakesTheKernelsAnswersOfAnyLengthWhole)
{
    user client{on, {}};
    raw_file server{on};
    auto const serves = sa_agent(server, false, {0x12});
    std::uint32_t number = 0;
    for (auto const size : sizes) {
        ASSERT_EQ(client.file.write(sa_question(on, client.agent, ++number)), 0);
        auto const asked = server.read();
        ASSERT_TRUE(asked);
        auto answer = answer_to(*asked, serves);
        answer.bytes = sa_message(asked->mad(), method::get_table_response, size);
        ASSERT_EQ(server.write(answer), 0);
        client.got.reset();
        ASSERT_TRUE(run({&client}, [&] { return client.got.has_value(); })) << size;
        expect_data(*client.got, size);
        EXPECT_EQ(mad_view{*client.got}.transaction_id(), asked->mad().transaction_id());
    }
    EXPECT_TRUE(server.silent()) << "the kernel has no complaint";
}

TEST_F(RmppEngine, SendsTheKernelAnswersOfAnyLengthWhole)
{
    raw_file client{on};
    auto const asks = sa_agent(client, false);
    user server{on, {0x12}};
    std::uint32_t number = 0;
    for (auto const size : sizes) {
        ASSERT_EQ(client.write(sa_question(on, asks, ++number)), 0);
        server.plain.reset();
        ASSERT_TRUE(run({&server}, [&] { return server.plain.has_value(); }));
        auto const message = sa_message(server.plain->mad(), method::get_table_response, size);
        send(server, server.plain->header, message);
        ASSERT_TRUE(run({&server}, [&] { return server.sent.has_value(); })) << size;
        auto const got = client.read(60s);
        ASSERT_TRUE(got) << size;
        EXPECT_EQ(got->header.status, 0u);
        expect_data(got->bytes, size);
    }
}

TEST_F(RmppEngine, AsksTheKernelQuestionsOfAnyLengthAndTakesTheAnswer)
{
    user client{on, {}};
    raw_file server{on};
    auto const serves = sa_agent(server, false, {0x14});
    std::uint32_t number = 0;
    for (std::size_t const size : {1, 201, 50'000}) {
        auto const headers = sa_question(on, client.agent, ++number);
        auto const message = sa_message(headers.mad(), method::get_multi, size);
        send(client, headers.header, message, true);
        ASSERT_TRUE(run({&client}, [&] { return client.sent.has_value(); })) << size;
        auto const asked = server.read(60s);
        ASSERT_TRUE(asked) << size;
        expect_data(asked->bytes, size);
        auto answer = answer_to(*asked, serves);
        answer.bytes = sa_message(asked->mad(), method::get_multi_response, size + 1);
        ASSERT_EQ(server.write(answer), 0);
        client.got.reset();
        ASSERT_TRUE(run({&client}, [&] { return client.got.has_value(); })) << size;
        expect_data(*client.got, size + 1);
    }
}

TEST_F(RmppEngine, RepairsWhatIsLostOnTheWayToAndFromTheKernel)
{
    {
        user client{on, {}};
        client.lose_every = 50;
        raw_file server{on};
        auto const serves = sa_agent(server, false, {0x12});
        constexpr std::size_t size = 20'000; // the kernel takes two seconds to repair a loss
        ASSERT_EQ(client.file.write(sa_question(on, client.agent, 1)), 0);
        auto const asked = server.read();
        ASSERT_TRUE(asked);
        auto answer = answer_to(*asked, serves);
        answer.bytes = sa_message(asked->mad(), method::get_table_response, size);
        answer.header.retries = 5;
        ASSERT_EQ(server.write(answer), 0);
        ASSERT_TRUE(run({&client}, [&] { return client.got.has_value(); }));
        expect_data(*client.got, size);
    }
    raw_file client{on};
    auto const asks = sa_agent(client, false);
    user server{on, {0x12}};
    server.lose_every = 50;
    constexpr std::size_t size = 200'000;
    ASSERT_EQ(client.write(sa_question(on, asks, 2)), 0);
    ASSERT_TRUE(run({&server}, [&] { return server.plain.has_value(); }));
    auto const message = sa_message(server.plain->mad(), method::get_table_response, size);
    send(server, server.plain->header, message);
    ASSERT_TRUE(run({&server}, [&] { return server.sent.has_value(); }));
    auto const got = client.read(60s);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->header.status, 0u);
    expect_data(got->bytes, size);
}

TEST_F(RmppEngine, CarriesAnyLengthBetweenTwoAgentsThatDoItThemselves)
{
    user client{on, {}};
    user server{on, {0x12}};
    std::uint32_t number = 0;
    for (auto const size : sizes) {
        ASSERT_EQ(client.file.write(sa_question(on, client.agent, ++number)), 0);
        server.plain.reset();
        ASSERT_TRUE(run({&server}, [&] { return server.plain.has_value(); }));
        auto const message = sa_message(server.plain->mad(), method::get_table_response, size);
        send(server, server.plain->header, message);
        client.got.reset();
        ASSERT_TRUE(run({&client, &server}, [&] { return client.got.has_value() && server.sent.has_value(); })) << size;
        expect_data(*client.got, size);
    }
}

} // namespace
} // namespace madrigal::conformance
