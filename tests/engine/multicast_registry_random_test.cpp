// A registry of multicast groups that is asked anything.
#include "engine/multicast_registry_world.hpp"
#include "engine/seeds.hpp"

#include <array>
#include <map>

namespace madrigal::engine {
namespace {

using testing::creation;
using testing::membership;
using testing::port_gid;

class RandomMulticastRegistry : public testing::seeded {};

TEST_P(RandomMulticastRegistry, IsWhatItsOutcomesSay)
{
    std::array<std::uint16_t, 1> const keys{default_p_key};
    joining_port const able{.longest = mtu::bytes_4096, .rate = path_rate::gbps_100, .p_keys = keys};
    multicast_registry groups{{.most_groups = 6, .most_members = 20, .multicast_lids = 5}};
    std::map<gid, std::map<gid, unsigned>> model; // states by group and port
    std::size_t deleted = 0;
    auto const note = [&](membership_outcome const& outcome) {
        if (!outcome.ok())
            return;
        auto const& record = outcome.record;
        ASSERT_EQ(outcome.group_created, !model.contains(record.mgid));
        auto& members = model[record.mgid];
        if (record.join_states.empty())
            members.erase(record.port_gid);
        else
            members[record.port_gid] = record.join_states.value();
        if (outcome.group_deleted) {
            model.erase(record.mgid);
            ++deleted;
        }
    };
    for (int step = 0; step < 20'000; ++step) {
        gid const name{0xFF12'401B'FFFF'0000, guid{1 + pick(7)}};
        auto const port = port_gid(1 + pick(6));
        auto const states = flags<join_state>::from_value(static_cast<std::uint8_t>(pick(16)));
        switch (pick(20)) {
        case 0:
            for (auto const& outcome : groups.remove_port(port))
                note(outcome);
            break;
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8: note(groups.leave(membership(name, port, states))); break;
        default: note(groups.join(creation(name, port, states), &able));
        }
        std::size_t members = 0;
        ASSERT_EQ(groups.groups().size(), model.size());
        ASSERT_LE(model.size(), 5U);
        for (auto const& [mgid, expected] : model) {
            auto const* const group = groups.group(mgid);
            ASSERT_NE(group, nullptr);
            ASSERT_EQ(group->members.size(), expected.size());
            bool full = false;
            for (auto const& [member, how] : expected) {
                ASSERT_EQ(group->members.at(member).states.value(), how);
                full = full || group->members.at(member).states.has(join_state::full_member);
            }
            ASSERT_TRUE(full);
            ASSERT_EQ(&groups.groups().at(group->common.mlid), group);
            members += expected.size();
        }
        ASSERT_EQ(groups.members(), members);
        ASSERT_LE(members, 20U);
    }
    EXPECT_GT(deleted, 100U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMulticastRegistry, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
