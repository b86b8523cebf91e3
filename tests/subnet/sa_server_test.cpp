// What a server of subnet administration answers, question by question.
#include "subnet/sa_server_core.hpp"
#include "subnet/sa_server_world.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace madrigal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SaServer : public sa_server_world {
protected:
    SaServer()
    {
        open_server();
        open();
        nodes = made_nodes(30);
    }
    /// What a MAD made byte by byte is answered.
    result<received_mad> ask_raw(method how, std::uint16_t attribute, std::uint8_t class_version = 2)
    {
        if (!raw)
            raw = own.at.register_agent(umad::subnet_administration()).value();
        raw_mad question{destination{lid_of(others[0])}, {}};
        build_sa_request(question.bytes, {.method_of_mad = how}, attribute, 0);
        mutable_mad_view{question.bytes}.set_class_version(class_version);
        return s->run(raw.async_request(question, request_options{.timeout = 100ms, .retries = 0}, as_result));
    }

    agent raw;
};

TEST_F(SaServer, AnswersGetWithTheOneRecordThatMatches)
{
    serve_nodes();
    EXPECT_EQ(get_node(nodes[7].info.node_guid).value(), nodes[7]);
    EXPECT_EQ(server.counters().answered, 1u);
    EXPECT_EQ(server.counters().records, 1u);
    expect_idle();
}

TEST_F(SaServer, AnswersGetByACoroutineToo)
{
    serve_nodes_in_time();
    EXPECT_EQ(get_node(nodes[7].info.node_guid).value(), nodes[7]);
    expect_idle();
}

TEST_F(SaServer, RefusesGetOfNoRecord)
{
    serve_nodes();
    EXPECT_EQ(status_of(get_node(guid{1})), mad_status::sa_no_records);
    EXPECT_EQ(server.counters().refused, 1u);
}

TEST_F(SaServer, RefusesGetOfSeveralRecordsAndStopsAtTheSecond)
{
    std::size_t offered = 0;
    server.serve<node_record>([&](sa_asked<node_record> const&, sa_records<node_record>& out) {
        for (auto const& one : nodes) {
            ++offered;
            if (!out.add(one))
                break;
        }
        return mad_status::ok;
    });
    auto const answer = s->run(client.async_get(record_query<node_record>{}, {}, as_result));
    EXPECT_EQ(status_of(answer), mad_status::sa_too_many_records);
    EXPECT_EQ(offered, 2u);
}

TEST_F(SaServer, AnswersATableWithAllThatMatch)
{
    serve_nodes();
    EXPECT_EQ(all_nodes().value(), nodes);
    auto const switches = s->run(client.async_get_table(
        record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_), {}, as_result));
    EXPECT_THAT(switches.value(), ElementsAre(nodes[0], nodes[10], nodes[20]));
    s->run_out(); // the last acknowledgement
    EXPECT_EQ(server.counters().tables, 2u);
    EXPECT_EQ(server.counters().records, 33u);
    expect_idle();
}

TEST_F(SaServer, AnswersATableWithoutRecordsWithAGoodStatus)
{
    serve_nodes();
    nodes.clear();
    auto const answer = s->run(client.async_request(
        make_sa_question(method::get_table, record_query<node_record>{}, sa_request_options{}), as_result));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().mad().status(), mad_status::ok);
    EXPECT_THAT(find_sa_records(answer.value(), node_record::layout).value().data, IsEmpty());
    EXPECT_EQ(sa_view::from(answer.value().bytes())->record_stride(), 0u);
}

TEST_F(SaServer, LeavesComponentsToAHandlerThatInterpretsThem)
{
    path_record known;
    known.slid = lid{1};
    known.dlid = lid{2};
    known.path_mtu = mtu::bytes_2048;
    std::optional<std::uint8_t> wanted;
    server.serve<path_record>([&](sa_asked<path_record> const& asked, sa_records<path_record>& out) {
        if (asked.has<&path_record::numb_path>())
            wanted = asked.record().numb_path;
        out.interprets(components<&path_record::numb_path> | components<&path_record::mtu_selector> |
                       components<&path_record::path_mtu>);
        (void)out.add(known);
        return mad_status::ok;
    });
    auto const question = record_query<path_record>{}
                              .where<&path_record::dlid>(lid{2})
                              .where<&path_record::mtu_selector>(selector::greater)
                              .where<&path_record::path_mtu>(mtu::bytes_1024)
                              .where<&path_record::numb_path>(3);
    EXPECT_THAT(s->run(client.async_get_table(question, {}, as_result)).value(), ElementsAre(known));
    EXPECT_EQ(wanted, 3);
}

TEST_F(SaServer, HandsSetAndDeleteTheRecordAndAnswersWithOne)
{
    std::vector<mc_member_record> members;
    server.serve<mc_member_record>(
        method::set, [&](sa_asked<mc_member_record> const& asked, sa_records<mc_member_record>& out) {
            auto made = asked.record();
            made.mlid = lid{0xC001};
            members.push_back(made);
            (void)out.add(made);
            return mad_status::ok;
        });
    server.serve<mc_member_record>(
        method::delete_, [&](sa_asked<mc_member_record> const& asked, sa_records<mc_member_record>&) {
            auto const gone = std::erase_if(members, [&](auto const& one) { return one.mgid == asked.record().mgid; });
            return gone != 0 ? mad_status::ok : mad_status::sa_request_invalid;
        });
    auto const wanted = record_query<mc_member_record>{}.where<&mc_member_record::mgid>(gid{1, guid{2}});
    EXPECT_EQ(s->run(client.async_set(wanted, {}, as_result)).value().mlid, lid{0xC001});
    EXPECT_EQ(members.size(), 1u);
    EXPECT_EQ(s->run(client.async_delete(wanted, {}, as_result)).value().mgid, (gid{1, guid{2}}));
    EXPECT_EQ(status_of(s->run(client.async_delete(wanted, {}, as_result))), mad_status::sa_request_invalid);
}

TEST_F(SaServer, AnswersClassPortInfoByItself)
{
    auto const info = s->run(client.async_class_port_info({}, as_result)).value();
    EXPECT_EQ(info.class_version, 2);
    EXPECT_EQ(info.capability_mask, static_cast<std::uint16_t>(sa_capability::capability_mask2));
    EXPECT_EQ(info.resp_time_value, 18);
    server.serve<class_port_info>(method::get, [](sa_asked<class_port_info> const&, sa_records<class_port_info>& out) {
        (void)out.add(class_port_info{1, 2, 0x1234});
        return mad_status::ok;
    });
    EXPECT_EQ(s->run(client.async_class_port_info({}, as_result)).value().capability_mask, 0x1234);
}

TEST_F(SaServer, RefusesWhatNobodyServes)
{
    serve_nodes();
    for (auto const how : {method::set, method::delete_, method::get_multi, method::get_trace_table}) {
        auto const answer = ask_raw(how, attribute_id::node_record);
        ASSERT_TRUE(answer) << to_string(how) << ": " << answer.error().message();
        EXPECT_EQ(answer.value().mad().status(), mad_status::unsupported_method_attribute) << to_string(how);
        EXPECT_EQ(answer.value().mad().method(), response_to(how));
    }
    EXPECT_EQ(ask_raw(method::get, attribute_id::link_record).value().mad().status(),
        mad_status::unsupported_method_attribute);
}

TEST_F(SaServer, TakesNoHandlersOfGetTraceTableAndGetMulti)
{
    for (auto const how : {method::get_multi, method::get_trace_table}) {
        server.serve<node_record>(how, [&](sa_asked<node_record> const&, sa_records<node_record>& out) {
            ++asked_for_nodes;
            (void)out.add(nodes[0]);
            return mad_status::ok;
        });
        auto const answer = ask_raw(how, attribute_id::node_record);
        ASSERT_TRUE(answer) << to_string(how) << ": " << answer.error().message();
        EXPECT_EQ(answer.value().mad().status(), mad_status::unsupported_method_attribute) << to_string(how);
    }
    EXPECT_EQ(asked_for_nodes, 0u);
}

TEST_F(SaServer, TrustsWhoShowsTheKeyDropsAWrongOneAndTellsItNobody)
{
    sa_server_options options;
    options.sm_key = 0x1234;
    server = {};
    s->run_ready();
    open_server(options);
    std::vector<bool> trusted;
    server.serve<node_record>([&](sa_asked<node_record> const& asked, sa_records<node_record>& out) {
        trusted.push_back(asked.trusted());
        (void)out.add(nodes[0]);
        return mad_status::ok;
    });
    auto const ask = [&](std::uint64_t key) {
        return s->run(client.async_request(make_sa_question(method::get, record_query<node_record>{},
                                               sa_request_options{.timeout = 100ms, .retries = 0, .sm_key = key}),
            as_result));
    };
    EXPECT_TRUE(ask(0));
    auto const answer = ask(0x1234);
    EXPECT_EQ(sa_view::from(answer.value().bytes())->sm_key(), 0u);
    auto const denied = ask(0x1235);
    ASSERT_FALSE(denied);
    EXPECT_EQ(denied.error().code(), errc::timeout);
    EXPECT_THAT(trusted, ElementsAre(false, true));
    EXPECT_GE(server.counters().denied, 1u);
    EXPECT_EQ(server.counters().answered, 2u);
    EXPECT_EQ(server.counters().refused, 0u);
}

TEST_F(SaServer, SurvivesHandlersThatThrow)
{
    server.serve<node_record>([](sa_asked<node_record> const&, sa_records<node_record>&) -> std::uint16_t {
        throw std::runtime_error{"the plain one"};
    });
    server.serve<link_record>([](sa_asked<link_record> const&, sa_records<link_record>&) -> waiting_status {
        throw std::runtime_error{"the coroutine"};
        co_return mad_status::ok;
    });
    EXPECT_EQ(status_of(get_node(guid{1})), mad_status::sa_no_resources);
    EXPECT_EQ(status_of(s->run(client.async_get_table(record_query<link_record>{}, {}, as_result))),
        mad_status::sa_no_resources);
    EXPECT_EQ(server.counters().thrown, 2u);
    serve_nodes();
    EXPECT_TRUE(get_node(nodes[3].info.node_guid));
    expect_idle();
}

TEST_F(SaServer, LeavesNothingOfAQuestionWhoseHandlerCouldNotBegin)
{
    // Below `serve`, whose coroutine is what there is no memory for.
    auto const agents = umad::subnet_administration().serving(method::get, method::get_table);
    server.close();
    s->run_ready();
    auto const core = std::make_shared<detail::sa_server_core>(
        others[0].at, others[0].at.register_agent(agents).value(), sa_server_options{});
    core->put(attribute_id::node_record, method::get,
        {.at_once = {}, .in_time = [](detail::sa_exchange&) -> waiting_status { throw std::bad_alloc{}; }});
    server = sa_server{core};
    run_server();
    for (std::size_t i = 0; i != 3 * sa_server_options{}.at_once; ++i)
        ASSERT_EQ(status_of(get_node(guid{1})), mad_status::sa_no_resources) << i;
    expect_idle();
    serve_nodes_in_time();
    EXPECT_TRUE(get_node(nodes[3].info.node_guid));
    expect_idle();
    auto const before = s->time.now();
    server.close();
    ASSERT_TRUE(s->run_until([&] { return ended.has_value(); }));
    EXPECT_EQ(s->time.now(), before) << "it waits for no handler";
}

} // namespace
} // namespace madrigal::testing
