// One host, one file, one question: the shortest way through the whole simulator.
#include "small_fabric.hpp"

#include <madrigal/wire/attributes/node_info.hpp>

#include <poll.h>

namespace madrigal::sim::test {
namespace {

bool readable(umad::port_file const& file)
{
    pollfd watched{file.native_handle(), POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1 && (watched.revents & POLLIN) != 0;
}

TEST(FirstContact, TheLocalNodeAnswersForItself)
{
    bench with;
    auto const info = with.get<node_info>(directed_route{});
    EXPECT_EQ(info.type, node_type::ca);
    EXPECT_EQ(info.node_guid, with.on->layout().at(host_a).node_guid);
    EXPECT_EQ(info.num_ports, 2);
    EXPECT_EQ(info.local_port_num, 1);
}

TEST(FirstContact, ANodeBehindTwoSwitchesAnswers)
{
    bench with;
    auto const info = with.get<node_info>(directed_route{0, 1, 5, 1});
    EXPECT_EQ(info.type, node_type::ca);
    EXPECT_EQ(info.node_guid, with.on->layout().at(host_c).node_guid);
    EXPECT_EQ(info.local_port_num, 1);
}

TEST(FirstContact, TheDescriptorIsReadableExactlyWhileSomethingWaits)
{
    bench with;
    EXPECT_FALSE(readable(**with.file));
    std::array<std::byte, mad_size> smp;
    build_directed_route_smp(smp, method::get, 1, attribute_id::node_info, 0, 0, directed_route{0, 1});
    ASSERT_EQ(with.file->write(header_to(with.directed, permissive_lid, 0), smp), 0);
    EXPECT_TRUE(readable(**with.file));
    ASSERT_TRUE(with.file->read());
    EXPECT_FALSE(readable(**with.file));
}

TEST(FirstContact, SilenceIsReportedWhenTheTimeIsUp)
{
    bench with;
    EXPECT_FALSE(with.ask(directed_route{0, 1, 8}, attribute_id::node_info)); // nothing is plugged in there
    EXPECT_FALSE(readable(**with.file));
    with.clock.advance(100ms);
    EXPECT_TRUE(readable(**with.file));
    auto const report = with.file->read();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->size, umad::header_size + mad_header_size);
}

} // namespace
} // namespace madrigal::sim::test
