// Questions to subnet administration, in virtual time.
#include "fabric/sa_world.hpp"

#include <madrigal/wire/class_capability.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SaClient : public sa_world {
protected:
    SaClient()
    {
        sa = std::make_unique<minimal_sa>(others[0].at);
        open();
    }
    path_record path_to(lid there, gid const& dgid = {})
    {
        path_record made;
        made.sgid = own_gid();
        made.dgid = dgid;
        made.slid = lid_of(own);
        made.dlid = there;
        made.service_level = 3;
        return made;
    }
    auto nodes(sa_request_options const& how = {})
    {
        return s->run(client.async_get_table(record_query<node_record>{}, how, as_result));
    }
    auto node_of(lid at, sa_request_options const& how = {})
    {
        return s->run(client.async_get(record_query<node_record>{}.where<&node_record::base_lid>(at), how, as_result));
    }

    std::unique_ptr<minimal_sa> sa;
};

TEST_F(SaClient, GetsAPath)
{
    sa->tables().paths = {path_to(lid{7}), path_to(lid{8})};
    auto const path =
        s->run(client.async_get(record_query<path_record>{}.where<&path_record::dlid>(lid{8}), {}, as_result));
    EXPECT_EQ(path.value(), path_to(lid{8}));
}

TEST_F(SaClient, GetsATable)
{
    sa->tables().nodes = made_nodes(1);
    EXPECT_THAT(nodes().value(), ElementsAre(made_node(0)));
    sa->tables().links.resize(25);
    for (std::uint8_t i = 0; i != 25; ++i)
        sa->tables().links[i] = {lid{1}, i, 1, lid{2}};
    EXPECT_EQ(s->run(client.async_get_table(record_query<link_record>{}, {}, as_result)).value(), sa->tables().links);
}

TEST_F(SaClient, OnlyComponentsThatCountAreCompared)
{
    sa->tables().links = {{lid{1}, 1, 1, lid{2}}, {lid{1}, 2, 7, lid{3}}, {lid{4}, 1, 2, lid{1}}};
    auto const from_1 = s->run(
        client.async_get_table(record_query<link_record>{}.where<&link_record::from_lid>(lid{1}), {}, as_result));
    EXPECT_THAT(from_1.value(), SizeIs(2));
}

TEST_F(SaClient, NamesHowManyPathsInTablesOnly)
{
    sa->tables().paths = {path_to(lid{7})};
    auto const all = record_query<path_record>{}.where<&path_record::dlid>(lid{7});
    EXPECT_THAT(s->run(client.async_get_table(all, {}, as_result)).value(), SizeIs(1));
    auto const asked = sa->heard().back().query<path_record>();
    EXPECT_TRUE(asked.mask().has(components<&path_record::numb_path>));
    EXPECT_EQ(asked.record().numb_path, 127);

    auto few = all;
    few.where<&path_record::numb_path>(2);
    ASSERT_TRUE(s->run(client.async_get_table(few, {}, as_result)));
    EXPECT_EQ(sa->heard().back().query<path_record>().record().numb_path, 2);

    ASSERT_TRUE(s->run(client.async_get(few, {}, as_result)));
    auto const one = sa->heard().back().query<path_record>();
    EXPECT_FALSE(one.mask().has(components<&path_record::numb_path>));
    EXPECT_EQ(one.record().numb_path, 0);
}

TEST_F(SaClient, ATableWithoutRecordsIsNoError)
{
    EXPECT_THAT(nodes().value(), IsEmpty()); // status 0x0300
    sa->how().empty_tables_have_status = false;
    EXPECT_THAT(nodes().value(), IsEmpty()); // AttributeOffset 0
}

TEST_F(SaClient, ARecordThatIsNotThereIsANamedError)
{
    auto const none = node_of(lid{3});
    ASSERT_FALSE(none);
    EXPECT_EQ(mad_status_of(none.error().code()), mad_status::sa_no_records);
    EXPECT_THAT(none.error().message(),
        AllOf(HasSubstr("Get(NodeRecord) of subnet administration at LID"), HasSubstr("0x0300")));
}

TEST_F(SaClient, OtherStatusIsAnErrorOfTablesToo)
{
    for (auto const status : {mad_status::sa_no_resources, mad_status::sa_request_invalid,
             mad_status::sa_too_many_records, mad_status::sa_invalid_gid, mad_status::sa_insufficient_components,
             mad_status::sa_request_denied, mad_status::unsupported_method_attribute}) {
        sa->how().status = status;
        auto const refused = nodes();
        ASSERT_FALSE(refused);
        EXPECT_EQ(mad_status_of(refused.error().code()), status);
        EXPECT_THAT(refused.error().message(), HasSubstr("GetTable(NodeRecord)"));
    }
    EXPECT_EQ(sa->heard().size(), 7u) << "none of them is asked again";
}

TEST_F(SaClient, SaysAtOnceThatThereIsNoSubnetManager)
{
    auto const before = s->fabric->counters().transmitted;
    auto const now = s->time.now();
    move_sm(lid{});
    auto const no_sm = nodes();
    EXPECT_EQ(no_sm.error(), errc::no_subnet_manager);
    EXPECT_THAT(no_sm.error().message(), AllOf(HasSubstr("port 1 has SM LID 0"), HasSubstr("no subnet manager")));
    move_sm(lid_of(others[0]));
    end_of(own.node).base_lid = 0;
    auto const no_lid = nodes();
    EXPECT_EQ(no_lid.error(), errc::no_subnet_manager);
    EXPECT_THAT(no_lid.error().message(), HasSubstr("port 1 has LID 0"));
    EXPECT_EQ(s->fabric->counters().transmitted, before);
    EXPECT_EQ(s->time.now(), now);
}

TEST_F(SaClient, GoesOnTheServiceLevelOfTheSubnetManager)
{
    ASSERT_TRUE(nodes());
    EXPECT_EQ(sa->heard().back().sl, 0);
    move_sm(lid_of(others[0]), 5);
    ASSERT_TRUE(nodes());
    EXPECT_EQ(sa->heard().back().sl, 5);
}

TEST_F(SaClient, AsksTheSubnetManagerThatIsThereNow)
{
    minimal_sa second{others[1].at};
    second.tables().nodes = made_nodes(1);
    EXPECT_THAT(nodes().value(), IsEmpty());
    move_sm(lid_of(others[1]));
    EXPECT_THAT(nodes().value(), SizeIs(1));
    EXPECT_THAT(sa->heard(), SizeIs(1));
    EXPECT_THAT(second.heard(), SizeIs(1));
}

TEST_F(SaClient, TurnsToANewSubnetManagerWhenTheOldOneFallsSilent)
{
    minimal_sa second{others[1].at};
    second.tables().nodes = made_nodes(1);
    sa->how().silent = true;
    std::optional<result<std::vector<node_record>>> came;
    client.async_get_table(record_query<node_record>{}, {.timeout = 500ms, .retries = 1},
        as_result([&](auto all) { came = std::move(all); }));
    pass(100ms);
    move_sm(lid_of(others[1]));
    EXPECT_TRUE(s->run_until([&] { return came.has_value(); }));
    EXPECT_THAT(came->value(), SizeIs(1));
}

TEST_F(SaClient, SetsAndDeletesRecords)
{
    service_record service;
    service.service_id = 17;
    service.service_gid = own_gid();
    service.service_name = fixed_text<64>{"a service"};
    auto const what = record_query<service_record>{}
                          .where<&service_record::service_id>(17)
                          .where<&service_record::service_gid>(own_gid())
                          .where<&service_record::service_name>(service.service_name);
    EXPECT_EQ(s->run(client.async_set(what, {}, as_result)).value(), service);
    EXPECT_THAT(sa->tables().services, ElementsAre(service));
    EXPECT_EQ(s->run(client.async_get(what, {}, as_result)).value(), service);
    EXPECT_EQ(s->run(client.async_delete(what, {}, as_result)).value(), service);
    EXPECT_THAT(sa->tables().services, IsEmpty());
    EXPECT_EQ(
        mad_status_of(s->run(client.async_delete(what, {}, as_result)).error().code()), mad_status::sa_no_records);
    EXPECT_EQ(sa->heard(method::delete_, attribute_id::service_record), 2u);
}

TEST_F(SaClient, TellsWhatSubnetAdministrationCan)
{
    class_port_info can{1, 2};
    can.capability_mask = static_cast<std::uint16_t>(sa_capability::multicast);
    sa->how().class_info = can;
    EXPECT_EQ(s->run(client.async_class_port_info({}, as_result)).value(), can);
    EXPECT_FALSE(client.redirected_to());
}

TEST_F(SaClient, ShowsItsSmKey)
{
    ASSERT_TRUE(nodes());
    EXPECT_EQ(sa->heard().back().sm_key, 0u);
    sa_options options;
    options.sm_key = 0x1234'5678'9ABC'DEF0;
    open(options);
    ASSERT_TRUE(nodes());
    EXPECT_EQ(sa->heard().back().sm_key, 0x1234'5678'9ABC'DEF0u);
    ASSERT_TRUE(nodes({.sm_key = 7}));
    EXPECT_EQ(sa->heard().back().sm_key, 7u);
}

TEST_F(SaClient, UnsetFieldsAreZero)
{
    ASSERT_TRUE(s->run(client.async_get_table(
        record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_), {}, as_result)));
    auto const& asked = sa->heard().back();
    EXPECT_EQ(asked.mask, 1u << 4); // NodeType is component 4 of NodeRecord
    for (std::size_t i = 0; i != asked.data.size(); ++i)
        EXPECT_EQ(asked.data[i], std::byte(i == 6 ? 2 : 0)) << "byte " << i;
}

TEST_F(SaClient, RefusesAnAnswerToSomethingElse)
{
    sa->how().answers_with_get_response = true;
    sa->tables().nodes = made_nodes(1);
    auto const wrong = nodes();
    EXPECT_EQ(wrong.error(), errc::malformed_answer);
    EXPECT_THAT(wrong.error().message(), HasSubstr("GetResp"));
}

TEST_F(SaClient, NamesTheRecordThatIsCutShort)
{
    sa->tables().paths = {path_to(lid{7}), path_to(lid{8}), path_to(lid{9})};
    auto const all = record_query<path_record>{};
    sa->how().cut = 10;
    auto const cut = s->run(client.async_get_table(all, {}, as_result));
    EXPECT_EQ(cut.error(), errc::malformed_answer);
    EXPECT_THAT(cut.error().message(), HasSubstr("PathRecord number 3 of the table is cut short: 54 of 64 bytes"));
    sa->how().cut = 0;
    sa->how().attribute_offset = 7; // 56 bytes
    EXPECT_THAT(s->run(client.async_get_table(all, {}, as_result)).error().message(),
        HasSubstr("PathRecord number 1 of the table is cut short: 56 of 64 bytes"));
    sa->how().attribute_offset = 0;
    EXPECT_THAT(s->run(client.async_get_table(all, {}, as_result)).error().message(), HasSubstr("AttributeOffset 0"));
    sa->how().attribute_offset = 12; // longer records, of which the last is not filled up: 192 bytes are 2 of 96
    EXPECT_THAT(s->run(client.async_get_table(all, {}, as_result)).value(), SizeIs(2));
}

TEST_F(SaClient, TimesOutWhenNobodyAnswers)
{
    sa->how().silent = true;
    auto const begun = s->time.now();
    auto const silent = nodes({.timeout = 300ms, .retries = 2});
    EXPECT_EQ(silent.error(), errc::timeout);
    EXPECT_EQ(sa->heard().size(), 3u);
    EXPECT_GE(s->time.now() - begun, 900ms);
    EXPECT_LT(s->time.now() - begun, 1s);
    EXPECT_THAT(silent.error().message(), HasSubstr("GetTable(NodeRecord) of subnet administration at LID"));
}

TEST_F(SaClient, DoublesItsIntervalsAfterFour)
{
    sa->how().silent = true;
    EXPECT_EQ(node_of(lid{1}, {.timeout = 100ms, .retries = 6}).error(), errc::timeout);
    std::vector<std::chrono::milliseconds> intervals;
    for (std::size_t i = 1; i != sa->heard().size(); ++i)
        intervals.push_back(std::chrono::round<std::chrono::milliseconds>(sa->heard()[i].at - sa->heard()[i - 1].at));
    EXPECT_THAT(intervals, ElementsAre(100ms, 100ms, 100ms, 100ms, 200ms, 400ms));
}

TEST_F(SaClient, KeepsItsTotalTime)
{
    sa->how().silent = true;
    auto const begun = s->time.now();
    EXPECT_EQ(node_of(lid{1}, {.timeout = 100ms, .retries = 1000, .total = 750ms}).error(), errc::timeout);
    EXPECT_LE(s->time.now() - begun, 751ms);
}

TEST_F(SaClient, HasSixteenQuestionsUnderWayAndTheOthersInOrder)
{
    sa->how().silent = true;
    std::vector<std::size_t> ended;
    constexpr std::uint16_t questions = 40;
    for (std::uint16_t i = 0; i != questions; ++i)
        client.async_get(record_query<node_record>{}.where<&node_record::base_lid>(lid{i}),
            {.timeout = 100ms, .retries = 0}, [&ended, i](error_code, node_record const&) { ended.push_back(i); });
    pass(50ms);
    EXPECT_THAT(sa->heard(), SizeIs(16));
    EXPECT_TRUE(s->run_until([&] { return ended.size() == questions; }));
    ASSERT_THAT(sa->heard(), SizeIs(questions));
    for (std::uint16_t i = 0; i != questions; ++i)
        EXPECT_EQ(sa->heard()[i].query<node_record>().record().base_lid, lid{i});
}

TEST_F(SaClient, RefusesQuestionsBeyondItsQueue)
{
    sa_options options;
    options.window = 1;
    options.queue_limit = 1;
    open(options);
    std::vector<error_code> ended;
    for (int i = 0; i != 3; ++i)
        client.async_get_table(
            record_query<node_record>{}, {}, [&](error_code code, auto const&) { ended.push_back(code); });
    s->run_ready();
    EXPECT_THAT(ended, ElementsAre(errc::queue_full));
    EXPECT_TRUE(s->run_until([&] { return ended.size() == 3; }));
    EXPECT_THAT(ended, ElementsAre(errc::queue_full, error_code{}, error_code{}));
}

TEST_F(SaClient, NothingEndsInsideItsCall)
{
    move_sm(lid{});
    bool ended = false;
    client.async_get_table(record_query<node_record>{}, {}, [&](error_code, auto const&) { ended = true; });
    EXPECT_FALSE(ended);
    s->run_ready();
    EXPECT_TRUE(ended);
}

TEST_F(SaClient, TakesAnyToken)
{
    sa->tables().nodes = made_nodes(1);
    s->run([](sa_client from) -> asio::awaitable<void> {
        auto const all = record_query<node_record>{};
        auto const plain = co_await from.async_get_table(all, {}, asio::use_awaitable);
        EXPECT_THAT(plain, SizeIs(1));
        auto const [code, tuple] = co_await from.async_get_table(all, {}, asio::as_tuple(asio::use_awaitable));
        EXPECT_FALSE(code);
        EXPECT_THAT(tuple, SizeIs(1));
        auto const lazy = from.async_get_table(all, {}, asio::deferred);
        auto const later = co_await lazy(asio::use_awaitable);
        EXPECT_THAT(later, SizeIs(1));
    }(client));
}

TEST_F(SaClient, GivesAnswersAsTheyCame)
{
    sa->tables().nodes = made_nodes(1);
    auto const answer =
        s->run(client.async_request(make_sa_question(method::get_table, record_query<node_record>{}, {}), as_result));
    EXPECT_EQ(answer.value().mad().method(), method::get_table_response);
    EXPECT_EQ(answer.value().source(), lid_of(others[0]));
}

TEST_F(SaClient, CanBeCancelledOnTheWireAndInTheQueue)
{
    sa->how().silent = true;
    sa_options options;
    options.window = 1;
    open(options);
    asio::cancellation_signal on_wire;
    asio::cancellation_signal waits;
    std::vector<error_code> ended;
    auto const note = [&](error_code code, auto const&) { ended.push_back(code); };
    client.async_get_table(record_query<node_record>{}, {}, asio::bind_cancellation_slot(on_wire.slot(), note));
    client.async_get_table(record_query<node_record>{}, {}, asio::bind_cancellation_slot(waits.slot(), note));
    pass(50ms);
    waits.emit(asio::cancellation_type::total);
    s->run_ready();
    EXPECT_THAT(ended, ElementsAre(error_code{asio::error::operation_aborted}));
    on_wire.emit(asio::cancellation_type::terminal);
    s->run_ready();
    EXPECT_THAT(ended, SizeIs(2));
    EXPECT_EQ(ended.back(), error_code{asio::error::operation_aborted});
    EXPECT_THAT(sa->heard(), SizeIs(1));
}

TEST_F(SaClient, CanBeCancelledJustWhenItsTurnHasCome)
{
    sa->how().silent = true;
    sa_options options;
    options.window = 1;
    open(options);
    asio::cancellation_signal waits;
    std::vector<error_code> ended;
    client.async_get_table(record_query<node_record>{}, {.timeout = 100ms, .retries = 0},
        [&](error_code, auto const&) { waits.emit(asio::cancellation_type::terminal); });
    client.async_get_table(record_query<node_record>{}, {},
        asio::bind_cancellation_slot(waits.slot(), [&](error_code code, auto const&) { ended.push_back(code); }));
    EXPECT_TRUE(s->run_until([&] { return !ended.empty(); }));
    EXPECT_THAT(ended, ElementsAre(error_code{asio::error::operation_aborted}));
    EXPECT_THAT(sa->heard(), SizeIs(1));
}

TEST_F(SaClient, AClosedClientEndsItsQuestionsOnce)
{
    sa->how().silent = true;
    sa_options options;
    options.window = 1;
    open(options);
    std::vector<error_code> ended;
    for (int i = 0; i != 3; ++i)
        client.async_get_table(
            record_query<node_record>{}, {}, [&](error_code code, auto const&) { ended.push_back(code); });
    pass(50ms);
    client.close();
    s->run_ready();
    EXPECT_THAT(ended, ElementsAre(errc::agent_closed, errc::agent_closed, errc::agent_closed));
    EXPECT_EQ(nodes().error(), errc::agent_closed);
}

TEST_F(SaClient, ALostDeviceIsADifferentError)
{
    s->fabric->unplug(own.node);
    auto const lost = nodes();
    EXPECT_EQ(lost.error(), errc::device_gone);
    EXPECT_THAT(lost.error().message(), HasSubstr("port 1"));
}

TEST_F(SaClient, RefusesOptionsThatCannotBeFollowed)
{
    sa_options options;
    options.timeout = 0ms;
    EXPECT_EQ(sa_client::open(own.at, options).error(), errc::invalid_argument);
    EXPECT_EQ(nodes({.timeout = 0ms}).error(), errc::invalid_argument);
}

} // namespace
} // namespace madrigal::testing
