// Messages of any length between two agents of the public interface, whoever does RMPP for each.
#include "conformance/api_fixture.hpp"

#include <madrigal/wire/rmpp.hpp>

#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace madrigal::conformance {
namespace {

/// Who does RMPP for client and server.
struct sides {
    rmpp_by client;
    rmpp_by server;
    friend void PrintTo(sides const& what, std::ostream* out)
    {
        auto const name = [](rmpp_by whom) { return whom == rmpp_by::agent ? "Agent" : "Kernel"; };
        *out << name(what.client) << "Asks" << name(what.server);
    }
};

std::string name_of(::testing::TestParamInfo<sides> const& info)
{
    std::ostringstream name;
    PrintTo(info.param, &name);
    return name.str();
}

constexpr auto sa = management_class::subnet_administration;

class ApiRmpp : public Api, public ::testing::WithParamInterface<sides> {
protected:
    ApiRmpp()
    {
        agent_options how;
        how.rmpp.transfers.max_question = std::size_t{4} << 20;
        asking = port.register_agent(with(GetParam().client, umad::subnet_administration())).value();
        serving = port.register_agent(with(GetParam().server,
                                          umad::subnet_administration().serving(method::get_table, method::get_multi)),
                          how)
                      .value();
    }

    static umad::registration with(rmpp_by whom, umad::registration what)
    {
        what.flags = whom == rmpp_by::agent ? umad::user_rmpp : 0;
        return what;
    }
    static std::vector<std::byte> filling(std::size_t size)
    {
        std::vector<std::byte> bytes(size);
        for (std::size_t i = 0; i != size; ++i)
            bytes[i] = static_cast<std::byte>((i * 2654435761U) >> 11);
        return bytes;
    }
    /// A question whose modifier says how many bytes its answer has.
    static std::vector<std::byte> question(method how, std::size_t wanted, std::vector<std::byte> const& data = {})
    {
        std::vector<std::byte> mad(class_data_offset(sa));
        mutable_mad_view const view{mad};
        view.set_base_version(mad_base_version);
        view.set_mgmt_class(sa);
        view.set_class_version(2);
        view.set_method(how);
        view.set_attribute_id(0x11);
        view.set_attribute_modifier(static_cast<std::uint32_t>(wanted));
        mad.insert(mad.end(), data.begin(), data.end());
        return mad;
    }
    /// Answers every question with what it wants, and counts the data of the last one.
    void serve_all()
    {
        serve(serving, [this](request asked) -> asio::awaitable<void> {
            auto const got = asked.received().payload();
            received.assign(got.begin(), got.end());
            auto const data = filling(asked.mad().attribute_modifier());
            auto const sent = co_await asked.reply_with(data);
            EXPECT_TRUE(sent) << sent.error().message();
        });
    }

    agent asking;
    agent serving;
    std::vector<std::byte> received;
};

TEST_P(ApiRmpp, AnswersFromOneByteToAMegabyteArriveWhole)
{
    serve_all();
    for (std::size_t const size : {1, 19, 199, 200, 201, 400, 12'800, 12'801, 100'000, 1'000'000}) {
        auto const bytes = question(method::get_table, size);
        auto const answer = run(asking.async_request(raw_message{itself(), bytes}, {.timeout = 60s}, as_result), 120s);
        ASSERT_TRUE(answer) << size << ": " << answer.error().message();
        auto const got = answer.value().payload();
        ASSERT_EQ(got.size(), size);
        EXPECT_EQ(std::vector<std::byte>(got.begin(), got.end()), filling(size)) << size;
    }
    expect_nothing_held(asking);
    EXPECT_EQ(asking.gauges().transfers, 0u);
    EXPECT_EQ(asking.gauges().message_bytes, 0u);
}

TEST_P(ApiRmpp, QuestionsFromOneByteToAMegabyteArriveWholeAndAreAnswered)
{
    serve_all();
    for (std::size_t const size : {1, 200, 201, 20'000, 200'000, 1'000'000}) {
        auto const data = filling(size);
        auto const bytes = question(method::get_multi, 300, data);
        auto const answer = run(asking.async_request(raw_message{itself(), bytes}, {.timeout = 30s}, as_result), 120s);
        ASSERT_TRUE(answer) << size << ": " << answer.error().message();
        EXPECT_EQ(received, data) << size;
        auto const got = answer.value().payload();
        EXPECT_EQ(std::vector<std::byte>(got.begin(), got.end()), filling(300));
    }
    expect_nothing_held(asking);
}

TEST_P(ApiRmpp, AStreamedAnswerIsTheSame)
{
    serve_all();
    std::vector<std::byte> got;
    auto const bytes = question(method::get_table, 300'000);
    auto const answer = run(asking.async_stream(
                                raw_message{itself(), bytes}, {.timeout = 60s},
                                [&](std::span<std::byte const>, std::span<std::byte const> data) {
                                    got.insert(got.end(), data.begin(), data.end());
                                },
                                as_result),
        120s);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(got, filling(300'000));
    EXPECT_EQ(answer.value().mad().method(), method::get_table_response);
}

INSTANTIATE_TEST_SUITE_P(AllWays, ApiRmpp,
    ::testing::Values(sides{rmpp_by::kernel, rmpp_by::kernel}, sides{rmpp_by::kernel, rmpp_by::agent},
        sides{rmpp_by::agent, rmpp_by::kernel}, sides{rmpp_by::agent, rmpp_by::agent}),
    name_of);

} // namespace
} // namespace madrigal::conformance
