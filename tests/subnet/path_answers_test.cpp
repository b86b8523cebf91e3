// Questions about paths, asked of a server that knows a subnet's tables.
#include "subnet/sa_server_world.hpp"
#include "subnet/swept.hpp"

#include <madrigal/engine/ipoib_broadcast_group.hpp>
#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/subnet/path_answers.hpp>
#include <madrigal/subnet/routing.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace madrigal::testing {
namespace {

using lid_pair = std::pair<std::uint16_t, std::uint16_t>;

/// Two leaves under two spines, two hosts at each leaf; two LIDs for each host.
class PathAnswers : public sa_server_world {
protected:
    PathAnswers()
    {
        auto layout = topology::generate(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 2}).value();
        known = std::make_shared<managed_subnet>(tests::by_hand(std::move(layout), 1));
        route_min_hop(*known);
        open_server();
        server.serve<path_record>(
            [this](sa_asked<path_record> const& asked, sa_records<path_record>& out) -> waiting_status {
                if (asked.method() == method::get)
                    co_return answer_path(*known, groups, asked, out);
                co_return co_await answer_paths(known, groups, asked, out);
            });
        open();
        for (auto const& end : known->ends)
            if (!known->is_switch(end.at.node))
                hosts.push_back(&end);
    }
    auto table(record_query<path_record> const& wanted)
    {
        return s->run(client.async_get_table(wanted, {}, as_result));
    }
    auto one(record_query<path_record> const& wanted) { return s->run(client.async_get(wanted, {}, as_result)); }
    [[nodiscard]] record_query<path_record> from_to(end_port const& from, end_port const& to) const
    {
        return record_query<path_record>{}
            .where<&path_record::sgid>(known->gid_of(from))
            .where<&path_record::dgid>(known->gid_of(to));
    }
    static std::vector<lid_pair> lids(std::vector<path_record> const& of)
    {
        std::vector<lid_pair> all;
        for (auto const& path : of)
            all.emplace_back(path.slid.value(), path.dlid.value());
        return all;
    }

    std::shared_ptr<managed_subnet> known;
    engine::multicast_registry groups;
    std::vector<end_port const*> hosts;
};

TEST_F(PathAnswers, TableHasAPathFromEachLidOfAPortToEachOfTheOther)
{
    auto const& from = *hosts.front();
    auto const& to = *hosts.back();
    auto const a = from.base_lid.value();
    auto const b = to.base_lid.value();
    auto const found = table(from_to(from, to)).value();
    EXPECT_THAT(lids(found), ::testing::UnorderedElementsAre(
                                 lid_pair{a, b}, lid_pair{a, b + 1}, lid_pair{a + 1, b}, lid_pair{a + 1, b + 1}));
    for (auto const& path : found) {
        EXPECT_EQ(path.sgid, known->gid_of(from));
        EXPECT_EQ(path.dgid, known->gid_of(to));
        EXPECT_EQ(path.numb_path, 1);
        EXPECT_TRUE(path.reversible);
    }
}

TEST_F(PathAnswers, TableOfSoManyPathsTakesDifferentWays)
{
    auto const& from = *hosts.front();
    auto const& to = *hosts.back();
    for (std::uint8_t const most : {1, 2, 3}) {
        auto const found = lids(table(from_to(from, to).where<&path_record::numb_path>(most)).value());
        ASSERT_EQ(found.size(), most);
        EXPECT_EQ(found[0], (lid_pair{from.base_lid.value(), to.base_lid.value()}));
        if (most > 1) {
            EXPECT_NE(found[1].second, found[0].second) << "only another LID to go to is another way";
        }
    }
}

TEST_F(PathAnswers, ThatAreAskedForByLidAreOfThatLidAlone)
{
    auto const& from = *hosts.front();
    auto const& to = *hosts.back();
    auto const second = to.lid_with(1);
    auto const found = table(from_to(from, to).where<&path_record::dlid>(second)).value();
    EXPECT_EQ(found.size(), 2u);
    for (auto const& path : found)
        EXPECT_EQ(path.dlid, second);
    auto const exact =
        record_query<path_record>{}.where<&path_record::slid>(from.lid_with(1)).where<&path_record::dlid>(second);
    EXPECT_EQ(lids(table(exact).value()), (std::vector{lid_pair{from.base_lid.value() + 1, second.value()}}));
    EXPECT_EQ(one(exact).value().dlid, second);
    // A LID and a GID of two different ports are nobody's.
    EXPECT_TRUE(table(from_to(from, to).where<&path_record::dlid>(from.base_lid)).value().empty());
}

TEST_F(PathAnswers, GetIsOnePath)
{
    auto const found = one(from_to(*hosts[0], *hosts[1])).value();
    EXPECT_EQ(found.slid, hosts[0]->base_lid);
    EXPECT_EQ(found.dlid, hosts[1]->base_lid);
    EXPECT_EQ(
        status_of(one(from_to(*hosts[0], *hosts[1]).where<&path_record::service_level>(3))), mad_status::sa_no_records);
}

TEST_F(PathAnswers, TableOfAllHasEachPairOfPorts)
{
    auto const found = table(record_query<path_record>{}).value();
    std::set<std::pair<gid, gid>> pairs;
    for (auto const& path : found)
        pairs.emplace(path.sgid, path.dgid);
    EXPECT_EQ(pairs.size(), known->ends.size() * known->ends.size());
    std::size_t expected = 0;
    for (auto const& from : known->ends)
        for (auto const& to : known->ends)
            expected += std::size_t{from.lid_count()} * to.lid_count();
    EXPECT_EQ(found.size(), expected);
}

TEST_F(PathAnswers, AreRefusedToWhoDoesNotSayEnoughOrAsksForNone)
{
    auto const some = record_query<path_record>{}.where<&path_record::sgid>(known->gid_of(*hosts[0]));
    EXPECT_EQ(status_of(one(some)), mad_status::sa_insufficient_components);
    EXPECT_EQ(status_of(table(from_to(*hosts[0], *hosts[1]).where<&path_record::numb_path>(std::uint8_t{0}))),
        mad_status::sa_request_invalid);
    auto stranger = *hosts[1];
    stranger.port_guid = guid{0xDEAD};
    EXPECT_EQ(status_of(one(from_to(*hosts[0], stranger))), mad_status::sa_invalid_gid);
}

TEST_F(PathAnswers, LeadToAGroupWithWhatItsMembersHaveInCommon)
{
    (void)groups.keep_group(engine::ipoib_broadcast_group());
    auto const broadcast = engine::ipoib_broadcast_group().mgid;
    auto const wanted = record_query<path_record>{}
                            .where<&path_record::sgid>(known->gid_of(*hosts[0]))
                            .where<&path_record::dgid>(broadcast);
    auto const path = one(wanted).value();
    EXPECT_EQ(path.dgid, broadcast);
    EXPECT_EQ(path.dlid, groups.group(broadcast)->common.mlid);
    EXPECT_EQ(table(wanted).value().size(), 1u);
}

} // namespace
} // namespace madrigal::testing
