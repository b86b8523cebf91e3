// The client against the subnet administration that a simulated fabric has of its own.
#include "fabric/sa_world.hpp"

#include <madrigal/fabric/sa_queries.hpp>
#include <madrigal/wire/attributes/inform_info_record.hpp>

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

sim::fabric_options answering()
{
    auto options = slow();
    options.answer_sa = true;
    return options;
}

class SaSimulated : public sa_world, public ::testing::WithParamInterface<bool> {
protected:
    SaSimulated() : sa_world{answering()}
    {
        sa_options options;
        options.user_rmpp = GetParam();
        open(options);
    }
    template <wire_layout T>
    std::vector<T> seen_by_the_trusted()
    {
        sa_request_options how;
        how.sm_key = s->fabric->options().sa_key;
        return s->run(client.async_get_table(record_query<T>{}, how, as_result)).value();
    }
};

INSTANTIATE_TEST_SUITE_P(WithTheKernelsRmppAndItsOwn, SaSimulated, ::testing::Bool());

TEST_P(SaSimulated, TellsTheClientOfPaths)
{
    auto const theirs = others[1].at.query_subnet().value().first_gid;
    auto const path = s->run(async_path_to(client, theirs, {}, as_result)).value();
    EXPECT_EQ(path.sgid, own_gid());
    EXPECT_EQ(path.dlid, lid_of(others[1]));
    EXPECT_EQ(path.rate, path_rate::gbps_200);
    EXPECT_EQ(s->run(async_path(client, path.slid, path.dlid, {}, as_result)).value(), path);
    auto const nobody = s->run(async_path_to(client, gid{default_subnet_prefix, guid{1}}, {}, as_result));
    ASSERT_FALSE(nobody);
}

TEST_P(SaSimulated, TellsItOfTheWholeSubnet)
{
    EXPECT_THAT(s->run(async_all_nodes(client, {}, as_result)).value(), SizeIs(8));
    EXPECT_THAT(s->run(async_all_switches(client, {}, as_result)).value(), SizeIs(4));
    EXPECT_THAT(s->run(async_all_links(client, {}, as_result)).value(), SizeIs(2 * (4 + 4)));
    auto const here = s->run(async_node(client, lid_of(own), {}, as_result)).value();
    EXPECT_EQ(here.info.node_guid, s->fabric->layout().at(own.node).node_guid);
    auto const none = s->run(
        client.async_get_table(record_query<node_record>{}.where<&node_record::base_lid>(lid{0x1234}), {}, as_result));
    ASSERT_TRUE(none);
    EXPECT_THAT(none.value(), IsEmpty());
}

TEST_P(SaSimulated, KeepsItsSubscriptions)
{
    {
        auto const news = s->run(client.async_subscribe(inform_about(all_notices), {}, as_result));
        ASSERT_TRUE(news);
        auto const kept = seen_by_the_trusted<inform_info_record>();
        ASSERT_THAT(kept, SizeIs(1));
        EXPECT_EQ(kept[0].subscriber_gid, own_gid());
    }
    pass(10s);
    EXPECT_THAT(seen_by_the_trusted<inform_info_record>(), IsEmpty());
}

TEST_P(SaSimulated, KeepsItsMemberships)
{
    constexpr gid group{0xFF12'401B'FFFF'0000, guid{0xFFFF'FFFF}};
    auto const wanted = record_query<mc_member_record>{}.where<&mc_member_record::mgid>(group);
    EXPECT_FALSE(s->run(client.async_join(wanted, {}, as_result))); // there is no such group yet
    {
        auto const joined = s->run(client.async_join(record_query<mc_member_record>{wanted}
                                                         .where<&mc_member_record::p_key>(0xFFFF)
                                                         .where<&mc_member_record::q_key>(0xB1B)
                                                         .where<&mc_member_record::service_level>(0)
                                                         .where<&mc_member_record::flow_label>(0)
                                                         .where<&mc_member_record::traffic_class>(0),
            {}, as_result));
        ASSERT_TRUE(joined);
        EXPECT_TRUE(joined.value().record().mlid.is_multicast());
        EXPECT_THAT(seen_by_the_trusted<mc_member_record>(), SizeIs(1));
    }
    pass(10s);
    EXPECT_THAT(seen_by_the_trusted<mc_member_record>(), IsEmpty());
}

TEST_P(SaSimulated, FindsServicesUntilTheyAreWithdrawn)
{
    auto const offer = record_query<service_record>{}
                           .where<&service_record::service_id>(0x1000)
                           .where<&service_record::service_gid>(own_gid())
                           .where<&service_record::service_p_key>(0xFFFF)
                           .where<&service_record::service_lease>(indefinite_lease)
                           .where<&service_record::service_name>(fixed_text<64>{"storage"});
    ASSERT_TRUE(s->run(client.async_set(offer, {}, as_result)));
    auto const find = [&] { return s->run(client.async_get_table(services_named("storage"), {}, as_result)).value(); };
    EXPECT_THAT(find(), SizeIs(1));
    ASSERT_TRUE(s->run(client.async_delete(offer, {}, as_result)));
    EXPECT_THAT(find(), IsEmpty());
}

} // namespace
} // namespace madrigal::testing
