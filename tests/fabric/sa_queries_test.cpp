// Common questions, and the records of an answer told apart.
#include "fabric/sa_world.hpp"

#include <madrigal/fabric/sa_queries.hpp>

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SaQueries : public sa_world {
protected:
    SaQueries() : sa_world{slow(), prefix}
    {
        sa = std::make_unique<minimal_sa>(others[0].at);
        open();
    }
    path_record path_to(machine const& there)
    {
        path_record made;
        made.sgid = own_gid();
        made.dgid = there.at.query_subnet().value().first_gid;
        made.slid = lid_of(own);
        made.dlid = lid_of(there);
        made.reversible = true;
        return made;
    }

    static constexpr std::uint64_t prefix = 0xFEC0'0000'0000'0007;
    std::unique_ptr<minimal_sa> sa;
};

TEST_F(SaQueries, FindsPathsByGidsByLidsAndFromHere)
{
    sa->tables().paths = {path_to(others[0]), path_to(others[1])};
    auto const& wanted = sa->tables().paths[1];
    EXPECT_EQ(wanted.sgid.subnet_prefix(), prefix);
    EXPECT_EQ(s->run(async_path(client, wanted.sgid, wanted.dgid, {}, as_result)).value(), wanted);
    EXPECT_EQ(s->run(async_path(client, wanted.slid, wanted.dlid, {}, as_result)).value(), wanted);
    EXPECT_EQ(s->run(async_path_to(client, wanted.dgid, {}, as_result)).value(), wanted);
    auto const asked = sa->heard().back().query<path_record>();
    EXPECT_EQ(asked.record().sgid.subnet_prefix(), prefix);
    EXPECT_TRUE(asked.mask().has(components<&path_record::reversible>));
}

TEST_F(SaQueries, AskWithTheBytesOfTheSpecification)
{
    constexpr gid from{0x0102'0304'0506'0708, guid{0x090A'0B0C'0D0E'0F10}};
    constexpr gid to{0x1112'1314'1516'1718, guid{0x191A'1B1C'1D1E'1F20}};
    (void)s->run(async_path(client, from, to, {}, as_result));
    auto const& asked = sa->heard().back();
    EXPECT_EQ(asked.attribute_id, 0x0035);
    EXPECT_EQ(asked.mask, 0x80Cu); // DGID, SGID, Reversible (IBA 15.2.5.16)
    for (std::size_t i = 0; i != 16; ++i) {
        EXPECT_EQ(asked.data[8 + i], std::byte{to.bytes()[i]});
        EXPECT_EQ(asked.data[24 + i], std::byte{from.bytes()[i]});
    }
    for (std::size_t i = 0; i != asked.data.size(); ++i)
        if (i < 8 || i >= 40)
            EXPECT_EQ(asked.data[i], std::byte(i == 49 ? 0x80 : 0)) << "byte " << i;
    (void)s->run(client.async_get_table(path_between(from, to), {}, as_result));
    EXPECT_EQ(sa->heard().back().mask, 0x180Cu); // and NumbPath
    EXPECT_EQ(sa->heard().back().data[49], std::byte{0xFF});
}

TEST_F(SaQueries, FindsNodesAndLinks)
{
    sa->tables().nodes = made_nodes(5);
    sa->tables().links = {{lid{1}, 1, 1, lid{2}}, {lid{2}, 1, 1, lid{1}}};
    EXPECT_EQ(s->run(async_node(client, lid{3}, {}, as_result)).value(), made_node(2));
    EXPECT_THAT(s->run(async_all_switches(client, {}, as_result)).value(), ElementsAre(made_node(0)));
    EXPECT_THAT(s->run(async_all_links(client, {}, as_result)).value(), SizeIs(2));
    sa->tables().nodes = made_nodes(1);
    EXPECT_THAT(s->run(async_all_nodes(client, {}, as_result)).value(), SizeIs(1));
    port_info_record of_port;
    of_port.port_num = 4;
    sa->tables().port_infos = {of_port};
    EXPECT_THAT(s->run(async_all_ports(client, {}, as_result)).value(), ElementsAre(of_port));
}

TEST_F(SaQueries, FindsServicesByName)
{
    service_record named;
    named.service_name = fixed_text<64>{"a"};
    sa->tables().services = {named, {}};
    EXPECT_THAT(s->run(client.async_get_table(services_named("a"), {}, as_result)).value(), ElementsAre(named));
}

// --- records

sa_record_range range_of(std::size_t bytes, std::size_t stride)
{
    static std::vector<std::byte> const data(10'000, std::byte{1});
    return find_sa_records(std::span{data}.first(bytes), stride, node_record::layout).value();
}
std::string trouble_of(std::size_t bytes, std::size_t stride)
{
    static std::vector<std::byte> const data(10'000, std::byte{1});
    auto const found = find_sa_records(std::span{data}.first(bytes), stride, node_record::layout);
    if (found)
        return "none";
    EXPECT_EQ(found.error(), errc::malformed_answer);
    return found.error().message();
}

TEST(SaRecords, AreAsManyAsTheStrideSays)
{
    EXPECT_EQ(range_of(0, 0).count, 0u);
    EXPECT_EQ(range_of(0, 112).count, 0u);
    EXPECT_EQ(range_of(112, 112).count, 1u);
    EXPECT_EQ(range_of(1120, 112).count, 10u);
    EXPECT_EQ(range_of(1120 - 4, 112).count, 10u); // the last one is not filled up: 108 bytes
    EXPECT_EQ(range_of(240, 120).count, 2u);       // of a later specification
    EXPECT_EQ(range_of(228, 120).count, 2u);
    EXPECT_EQ(range_of(228, 120)[1].size(), 108u);
    EXPECT_EQ(range_of(110, 8 * 0xFFFF).count, 1u);
}

TEST(SaRecords, SayWhichOneIsCutShort)
{
    EXPECT_THAT(trouble_of(1120 - 5, 112), HasSubstr("NodeRecord number 10 of the table is cut short: 107 of 108"));
    EXPECT_THAT(trouble_of(113, 112), HasSubstr("number 2"));
    EXPECT_THAT(trouble_of(107, 112), HasSubstr("number 1"));
    EXPECT_THAT(trouble_of(1120, 104), HasSubstr("number 1 of the table is cut short: 104 of 108"));
    EXPECT_THAT(trouble_of(1, 8), HasSubstr("1 of 108"));
    EXPECT_THAT(trouble_of(200, 0), HasSubstr("AttributeOffset 0"));
}

TEST(SaRecords, ZeroesWithoutAStrideAreNone)
{
    std::vector<std::byte> const zeroes(200);
    EXPECT_EQ(find_sa_records(zeroes, 0, node_record::layout).value().count, 0u);
}

} // namespace
} // namespace madrigal::testing
