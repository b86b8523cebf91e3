// Joining and leaving multicast groups.
#include "fabric/sa_world.hpp"

#include <gmock/gmock.h>

namespace madrigal::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t other_prefix = 0xFEC0'0000'0000'1234;
constexpr gid group{0xFF12'401B'FFFF'0000, guid{0xFFFF'FFFF}};

class Membership : public sa_world {
protected:
    Membership() : sa_world{slow(), other_prefix}
    {
        sa = std::make_unique<minimal_sa>(others[0].at);
        open();
    }
    result<sa_membership> join(gid const& mgid = group)
    {
        auto wanted = record_query<mc_member_record>{};
        if (mgid != gid{})
            wanted.where<&mc_member_record::mgid>(mgid);
        return s->run(client.async_join(wanted, {}, as_result));
    }
    [[nodiscard]] auto const& known() const { return sa->tables().members; }

    std::unique_ptr<minimal_sa> sa;
};

TEST_F(Membership, IsOfThePortsOwnGid)
{
    auto const one = join().value();
    ASSERT_THAT(known(), SizeIs(1));
    EXPECT_EQ(known().front().mgid, group);
    EXPECT_EQ(known().front().port_gid, own_gid());
    EXPECT_EQ(known().front().port_gid.subnet_prefix(), other_prefix);
    EXPECT_EQ(known().front().join_states, flags<join_state>{join_state::full_member});
    EXPECT_TRUE(one.record().mlid.is_multicast());
    EXPECT_EQ(one.record().q_key, 0xB1Bu);
}

TEST_F(Membership, KeepsWhatTheCallerChooses)
{
    auto const there = gid{other_prefix, guid{77}};
    auto const one = s->run(client.async_join(
        record_query<mc_member_record>{}
            .where<&mc_member_record::mgid>(group)
            .where<&mc_member_record::port_gid>(there)
            .where<&mc_member_record::join_states>(flags<join_state>{join_state::send_only_full_member}),
        {}, as_result));
    ASSERT_TRUE(one);
    EXPECT_EQ(known().front().port_gid, there);
    EXPECT_EQ(known().front().join_states, flags<join_state>{join_state::send_only_full_member});
}

TEST_F(Membership, EndsWhenItIsLeft)
{
    auto one = join().value();
    EXPECT_TRUE(s->run(one.async_leave(as_result)));
    EXPECT_THAT(known(), IsEmpty());
    EXPECT_FALSE(one);
}

TEST_F(Membership, EndsInTheBackgroundWithItsObject)
{
    join().value();
    ASSERT_THAT(known(), SizeIs(1));
    s->run_out();
    EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Membership, IsNotLeftForLongWhereNobodyAnswers)
{
    auto one = join().value();
    sa->how().silent = true;
    auto const begun = s->time.now();
    EXPECT_EQ(s->run(one.async_leave(as_result)).error(), errc::timeout);
    EXPECT_LE(s->time.now() - begun, 1s);
}

TEST_F(Membership, OfANewGroupIsRenewedUnderItsName)
{
    auto const one = join(gid{}).value();
    auto const named = one.record().mgid;
    EXPECT_NE(named, gid{});
    sa->forget();
    EXPECT_TRUE(s->run(client.async_reregister(as_result)));
    ASSERT_THAT(known(), SizeIs(1));
    EXPECT_EQ(known().front().mgid, named);
}

TEST_F(Membership, IsRenewedWithAChangedGid)
{
    auto const one = join().value();
    constexpr std::uint64_t third_prefix = 0xFEC0'0000'0000'9999;
    end_of(own.node).subnet_prefix = third_prefix;
    end_of(others[0].node).subnet_prefix = third_prefix;
    sa->forget();
    pass(1500ms);
    ASSERT_THAT(known(), SizeIs(1));
    EXPECT_EQ(known().front().port_gid.subnet_prefix(), third_prefix);
    EXPECT_EQ(one.record().port_gid, own_gid());
}

TEST_F(Membership, IsRenewedWhereTheSubnetManagerHasMovedTo)
{
    auto const one = join().value();
    minimal_sa second{others[1].at};
    move_sm(lid_of(others[1]));
    pass(1500ms);
    EXPECT_THAT(second.tables().members, SizeIs(1));
}

TEST_F(Membership, IsNotThereWhereItIsRefused)
{
    auto const wrong = s->run(client.async_join(
        record_query<mc_member_record>{}.where<&mc_member_record::mgid>(group).where<&mc_member_record::port_gid>(
            gid{1, guid{2}}),
        {}, as_result));
    EXPECT_EQ(mad_status_of(wrong.error().code()), mad_status::sa_invalid_gid);
    s->run_out();
    EXPECT_EQ(sa->heard(method::delete_, attribute_id::mc_member_record), 0u);
}

} // namespace
} // namespace madrigal::testing
