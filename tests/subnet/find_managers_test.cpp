#include "subnet/two_managers.hpp"

#include <madrigal/fabric/discover.hpp>
#include <madrigal/subnet/find_managers.hpp>
#include <madrigal/subnet/smp_server.hpp>

#include <algorithm>

namespace madrigal::testing {
namespace {

sim::fabric_options with_a_manager()
{
    auto options = configured();
    options.answer_sa = true;
    return options;
}

struct FindManagers : ::testing::Test {
    two_hosts w{with_a_manager()};
    simulated& s = w.s;
    smp_client client{smp_client::open(w.first).value()};

    std::vector<seen_sm> find()
    {
        discover_options options;
        options.time = &s.time;
        auto const swept = s.run(discover(w.first, options));
        EXPECT_TRUE(swept.value().complete());
        return s.run(find_managers(client, swept.value()));
    }
};

TEST_F(FindManagers, FindsThePortsThatSayTheyAreOnesAndAnswerSmInfo)
{
    auto const fabrics_own = find();
    ASSERT_EQ(fabrics_own.size(), 1u) << "the one that configured the fabric, at the first port";
    EXPECT_EQ(fabrics_own[0].info.port_guid, w.first.attributes().port_guid);
    EXPECT_EQ(fabrics_own[0].info.state, sm_state::master);
    auto const claim = w.other.port.become_sm().value();
    auto const both = find();
    ASSERT_EQ(both.size(), 2u);
    auto const& other = both[0].info.port_guid == w.first.attributes().port_guid ? both[1] : both[0];
    EXPECT_EQ(other.info.port_guid, w.other.port.attributes().port_guid);
    EXPECT_EQ(s.run(client.get<sm_info>(other.where)).value().port_guid, other.info.port_guid);
}

TEST_F(FindManagers, TellsOfOneThatDoesNotAnswerThatItIsThere)
{
    auto const claim = w.other.port.become_sm().value();
    auto const agent = w.other.port.register_agent(subnet_directed_route().serving(method::get)).value();
    auto const both = find();
    ASSERT_EQ(both.size(), 2u);
    auto const& other = both[0].silent ? both[0] : both[1];
    EXPECT_TRUE(other.silent);
    EXPECT_FALSE((both[0].silent ? both[1] : both[0]).silent);
    EXPECT_EQ(other.info, sm_info{.port_guid = w.other.port.attributes().port_guid});
    EXPECT_EQ(s.run(client.get<node_info>(other.where)).value().port_guid, other.info.port_guid);
}

TEST_F(FindManagers, LeavesOutWhoRefuses)
{
    auto const claim = w.other.port.become_sm().value();
    auto const server = smp_server::open(w.other.port).value(); // that nobody has told who answers
    EXPECT_EQ(find().size(), 1u);
}

TEST(FindManagersOfTwoPorts, AsksEachPortOfACaByItsOwnCable)
{
    topology::fabric layout;
    auto const node = [&](std::uint64_t number, node_type type, unsigned ports) {
        topology::node made;
        made.type = type;
        made.node_guid = guid{number};
        made.id = topology::canonical_id(type, made.node_guid);
        made.ports.resize(ports);
        return layout.add(std::move(made));
    };
    auto const leaf = node(0x10, node_type::switch_, 4);
    auto const one = node(0x20, node_type::ca, 1);
    auto const two = node(0x30, node_type::ca, 2);
    ASSERT_TRUE(layout.connect({one, 1}, {leaf, 1}));
    ASSERT_TRUE(layout.connect({two, 1}, {leaf, 2}));
    ASSERT_TRUE(layout.connect({two, 2}, {leaf, 3}));
    simulated s{std::move(layout)};
    auto port = s.on_loop->open().value();
    auto const machine = sim::host::make(s.fabric, to_string(guid{0x30})).value();
    auto const ca = machine->ca_names().value().front();
    auto const claim = machine->open_issm(ca, 2).value();
    discover_options options;
    options.time = &s.time;
    auto const swept = s.run(discover(port, options));
    auto client = smp_client::open(port).value();
    auto const seen = s.run(find_managers(client, swept.value()));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(to_string(seen[0].where), "directed route 0,1,3");
    EXPECT_EQ(seen[0].info.port_guid, machine->query_port(ca, 2).value().port_guid);
}

} // namespace
} // namespace madrigal::testing
