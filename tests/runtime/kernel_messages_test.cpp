// Messages that a kernel has put together, or is to take apart, as bytes of its file: both header sizes, and lies.
#include "runtime/fake_host.hpp"
#include "runtime/rmpp_world.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace madrigal::testing {
namespace {

constexpr auto sa = management_class::subnet_administration;

/// A port with headers of 64 bytes or of 56, and a client and server of subnet administration whose RMPP the kernel
/// does.
struct KernelMessages : ::testing::TestWithParam<bool> {
    std::shared_ptr<fake_kernel> kernel = [] {
        auto made = std::make_shared<fake_kernel>();
        made->long_headers = GetParam();
        return made;
    }();
    fake_host host{kernel};
    engine::virtual_time time;
    asio::io_context loop{1};
    reactor on_loop{loop, host, {.time = &time}};
    madrigal::port port = on_loop.open().value();
    agent client = port.register_agent(umad::subnet_administration().serving(method::get_table)).value();
    std::optional<result<received_mad>> outcome;

    [[nodiscard]] static std::size_t header_bytes() { return GetParam() ? umad::header_size : umad::old_header_size; }

    void ready()
    {
        loop.restart();
        while (loop.poll() != 0)
            ;
    }
    void ask(std::vector<std::byte> const& question)
    {
        outcome.reset();
        client.async_request(
            raw_message{lid{5}, question}, {.timeout = 1s}, [this](error_code code, received_mad answer) {
                if (code)
                    outcome.emplace(error{code});
                else
                    outcome.emplace(std::move(answer));
            });
        ready();
    }
    /// What a kernel hands out as the answer to what was written last.
    [[nodiscard]] std::vector<std::byte> answer(std::size_t data_size, method how = method::get_table_response) const
    {
        auto const& asked = kernel->written.back();
        std::vector<std::byte> packet{
            asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(header_bytes() + class_data_offset(sa))};
        auto const data = numbered_bytes(data_size);
        packet.insert(packet.end(), data.begin(), data.end());
        auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.data());
        header.status = header.timeout_ms = header.retries = 0;
        header.length = static_cast<std::uint32_t>(packet.size());
        mutable_mad_view{std::span{packet}.subspan(header_bytes())}.set_method(how);
        return packet;
    }
};

TEST_P(KernelMessages, OfAnyLengthAreReadWholeAndDoNotHoldUpWhatIsBehindThem)
{
    for (std::size_t const size : {0, 10, 200, 201, 208, 209, 5'000, 2'000'000}) {
        ask(question_of(sa, method::get_table, 0));
        auto const table = answer(size);
        kernel->deliver(table);
        ready();
        ASSERT_TRUE(outcome) << size;
        ASSERT_TRUE(*outcome) << size << ": " << outcome->error().message();
        auto const got = outcome->value().payload();
        EXPECT_EQ(std::vector<std::byte>(got.begin(), got.end()), numbered_bytes(size)) << size;
        EXPECT_EQ(outcome->value().source(), lid{5});
    }
    EXPECT_TRUE(kernel->to_read.empty());
}

TEST_P(KernelMessages, AreWrittenInOneCallWithTheFlagThatAKernelLooksFor)
{
    for (std::size_t const size : {201, 207, 208, 209, 70'000}) {
        ask(question_of(sa, method::get_table, 7, numbered_bytes(size)));
        auto const& written = kernel->written.back();
        ASSERT_EQ(written.size(), header_bytes() + class_data_offset(sa) + size);
        auto const& header = *reinterpret_cast<umad::ib_user_mad_hdr const*>(written.data());
        EXPECT_EQ(header.length, written.size());
        EXPECT_EQ(header.lid.value(), 5u);
        EXPECT_GT(header.timeout_ms, 2'000u) << "below, a kernel does not repair what is lost";
        mad_view const mad{std::span{written}.subspan(header_bytes())};
        EXPECT_TRUE(is_active_rmpp(mad_view{mad.bytes().first(mad_size)}));
        EXPECT_EQ(mad.attribute_modifier(), 7u);
        EXPECT_NE(mad.transaction_id(), 0u);
        EXPECT_EQ(std::vector<std::byte>(mad.data().begin(), mad.data().end()), numbered_bytes(size));
        kernel->deliver(answer(10));
        ready();
        ASSERT_TRUE(outcome && *outcome);
    }
}

TEST_P(KernelMessages, WithLengthsThatAreLiesHarmNothing)
{
    for (std::uint32_t const lie : {0U, 1U, 56U, 100U, 320U, 321U, 4'999U, 5'001U, 1'000'000U, 0x7FFF'FFFFU, ~0U}) {
        ask(question_of(sa, method::get_table, 0));
        auto table = answer(5'000);
        reinterpret_cast<umad::ib_user_mad_hdr*>(table.data())->length = lie;
        kernel->deliver(table);
        for (int i = 0; i != 5 && !outcome; ++i) { // whatever cannot be read now is tried again
            ready();
            (void)time.advance_to_next();
        }
        kernel->to_read.clear();
        while (!outcome && time.advance_to_next())
            ready();
        ASSERT_TRUE(outcome) << lie;
        outcome.reset();
        ready();
        EXPECT_EQ(client.gauges().message_bytes, 0u) << lie;
        EXPECT_EQ(client.gauges().slots, 0u) << lie;
    }
}

TEST_P(KernelMessages, ForAnAgentWithoutRmppAreTakenOffAndDropped)
{
    auto plain = port.register_agent(umad::performance()).value();
    raw_mad question{lid{5}};
    mutable_mad_view const mad{question.bytes};
    mad.set_mgmt_class(management_class::performance);
    mad.set_method(method::get);
    bool ended = false;
    plain.async_request(question, {.timeout = 1s}, [&](error_code code, received_mad const&) {
        ended = true;
        EXPECT_FALSE(code) << code.message();
    });
    ready();
    auto const id = reinterpret_cast<umad::ib_user_mad_hdr const*>(kernel->written.back().data())->id;
    auto const written = kernel->written.back();
    kernel->deliver(answer(3'000, method::get_response));
    auto right = written;
    mutable_mad_view{std::span{right}.subspan(header_bytes())}.set_method(method::get_response);
    reinterpret_cast<umad::ib_user_mad_hdr*>(right.data())->id = id;
    kernel->deliver(right);
    ready();
    EXPECT_TRUE(ended);
    EXPECT_EQ(port.counters().oversized, 1u);
    std::vector<std::byte> const longer(400);
    for (auto const bytes : {std::span<std::byte const>{longer}, std::span<std::byte const>{longer}.first(10)}) {
        error_code refused;
        plain.async_request(
            raw_message{lid{5}, bytes}, {}, [&](error_code code, received_mad const&) { refused = code; });
        ready();
        EXPECT_EQ(refused, errc::invalid_argument);
    }
}

TEST_P(KernelMessages, AHandlerThatThrowsAtOneDoesNotTurnTheNextPacketIntoIt)
{
    asio::post(loop, [this] {
        client.async_request(get<class_port_info>(lid{5}), {.timeout = 1s},
            [](error_code, class_port_info const&) { throw std::runtime_error{"on purpose"}; });
    });
    ready();
    kernel->deliver(answer(5'000, method::get_response));
    EXPECT_THROW(ready(), std::runtime_error);
    ask(question_of(sa, method::get, 3));
    auto plain = answer(200, method::get_response);
    ASSERT_LE(plain.size(), header_bytes() + mad_size);
    kernel->deliver(plain);
    ready();
    ASSERT_TRUE(outcome && *outcome);
    EXPECT_EQ(outcome->value().bytes().size(), mad_size);
    EXPECT_EQ(outcome->value().mad().attribute_modifier(), 3u);
}

TEST_P(KernelMessages, ThatFitIntoAMadGoWithoutTheFlagWhateverTheyWere)
{
    auto question = question_of(sa, method::get_table, 7, numbered_bytes(100));
    (void)set_rmpp_header(mutable_mad_view{question},
        {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active, .segment = 1, .length_or_window = 9});
    ask(question);
    auto const& written = kernel->written.back();
    EXPECT_EQ(written.size(), header_bytes() + mad_size);
    EXPECT_EQ(rmpp_header_of(mad_view{std::span{written}.subspan(header_bytes())}), rmpp_header{});
}

TEST_P(KernelMessages, OfAnAgentsOwnThatAreRefusedInTheMiddleEndWithTheKernelsErrno)
{
    if (!GetParam())
        GTEST_SKIP() << "a kernel with short headers knows no user RMPP";
    agent_options how;
    how.window.size = 1;
    how.window.adaptive = false;
    auto own = port.register_agent(with_rmpp(umad::vendor_class(0x32, openib_oui), rmpp_by::agent), how).value();
    kernel->on_write = [](std::span<std::byte const> packet) {
        auto const header = rmpp_header_of(mad_view{packet.subspan(umad::header_size)});
        return header && header->segment == 2 ? EINVAL : 0;
    };
    std::vector<error_code> ended;
    for (int i = 0; i != 3; ++i)
        own.async_request(
            raw_message{lid{5}, question_of(management_class{0x32}, method::set, 0, numbered_bytes(5'000))}, {},
            [&](error_code code, received_mad const&) { ended.push_back(code); });
    ready();
    // The window of the first is one segment: its ACK makes the second go out.
    for (std::size_t seen = 0; seen != kernel->written.size() && ended.size() != 3;) {
        auto packet = kernel->written.at(seen++);
        mutable_mad_view const mad{std::span{packet}.subspan(umad::header_size)};
        auto const header = rmpp_header_of(mad);
        if (header->type != rmpp_type::data)
            continue;
        mad.set_method(rmpp_other_direction(mad.method()));
        (void)set_rmpp_header(mad,
            {.version = 1, .type = rmpp_type::ack, .flags = rmpp_flag::active, .segment = 1, .length_or_window = 64});
        kernel->deliver(packet);
        ready();
    }
    EXPECT_EQ(ended, std::vector<error_code>(3, error_code{EINVAL, boost::system::system_category()}));
    EXPECT_EQ(own.gauges().transfers, 0u);
}

TEST_P(KernelMessages, OfAnotherTransactionAreStale)
{
    ask(question_of(sa, method::get_table, 0));
    auto other = answer(5'000);
    mutable_mad_view const mad{std::span{other}.subspan(header_bytes())};
    mad.set_transaction_id(mad.transaction_id() + 1);
    kernel->deliver(other);
    ready();
    EXPECT_FALSE(outcome);
    EXPECT_EQ(client.counters().stale_answers, 1u);
    EXPECT_EQ(client.gauges().message_bytes, 0u);
}

TEST_P(KernelMessages, AreQuestionsTooAndAnsweredByAMessage)
{
    ask(question_of(sa, method::get_table, 0));
    auto question = answer(6'000, method::get_table);
    std::optional<request> asked;
    client.async_receive([&](error_code code, request what) {
        EXPECT_FALSE(code) << code.message();
        asked.emplace(std::move(what));
    });
    ready();
    kernel->deliver(question);
    ready();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->received().payload().size(), 6'000u);
    EXPECT_GE(client.gauges().message_bytes, 6'000u);
    asked->answer().set_attribute_modifier(9);
    std::optional<error_code> replied;
    asked->reply_with(numbered_bytes(3'000), 0, [&](error_code code) { replied = code; });
    ready();
    EXPECT_EQ(replied, error_code{});
    EXPECT_EQ(client.gauges().message_bytes, 0u);
    auto const& written = kernel->written.back();
    mad_view const mad{std::span{written}.subspan(header_bytes())};
    EXPECT_EQ(mad.method(), method::get_table_response);
    EXPECT_EQ(mad.attribute_modifier(), 9u);
    EXPECT_EQ(mad.data().size(), 3'000u);
    auto const& header = *reinterpret_cast<umad::ib_user_mad_hdr const*>(written.data());
    EXPECT_EQ(header.timeout_ms, 0u) << "with one a kernel takes it for a question";
    EXPECT_GT(header.retries, 0u) << "without any a kernel repairs nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Headers, KernelMessages, ::testing::Bool(), [](auto const& of) { return of.param ? "Of64Bytes" : "Of56Bytes"; });

} // namespace
} // namespace madrigal::testing
