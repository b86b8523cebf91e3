// One system call for each member, with its errno handed on.
#include "umad/sysfs_tree.hpp"
#include "umad/test_calls.hpp"

#include <madrigal/umad/linux_host.hpp>
#include <madrigal/umad/linux_port_file.hpp>
#include <madrigal/umad/umad_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace madrigal::umad {
namespace {

using namespace test;

/// A port file on one end of a pair of sockets that keep packets apart, as umad files do.
class LinuxPortFile : public testing::Test {
protected:
    LinuxPortFile()
    {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
        file = std::make_unique<linux_port_file>(ends[0], calls);
        peer = ends[1];
    }
    ~LinuxPortFile() override { ::close(peer); }

    std::shared_ptr<test_calls> calls = std::make_shared<test_calls>();
    std::unique_ptr<linux_port_file> file;
    int peer = -1;
};

TEST_F(LinuxPortFile, ReadsOnePacketAtATime)
{
    std::array<std::byte, header_size + mad_size> packet{};
    packet.fill(std::byte{0x5a});
    ASSERT_EQ(::write(peer, packet.data(), packet.size()), 320);
    ASSERT_EQ(::write(peer, packet.data(), 88), 88);
    std::array<std::byte, 512> buffer{};
    EXPECT_EQ(file->read(buffer).value(), 320u);
    EXPECT_EQ(buffer[319], std::byte{0x5a});
    EXPECT_EQ(buffer[320], std::byte{});
    EXPECT_EQ(file->read(buffer).value(), 88u);
}

TEST_F(LinuxPortFile, ReadingNothingIsEagain)
{
    std::array<std::byte, 512> buffer{};
    EXPECT_EQ(file->read(buffer).error(), system_error(EAGAIN));
}

TEST_F(LinuxPortFile, WritesOnePacket)
{
    std::array<std::byte, header_size + mad_size> packet{};
    packet.fill(std::byte{0xa5});
    EXPECT_EQ(file->write(packet).value(), 320u);
    std::array<std::byte, 512> buffer{};
    EXPECT_EQ(::read(peer, buffer.data(), buffer.size()), 320);
    EXPECT_EQ(buffer[319], std::byte{0xa5});
}

TEST_F(LinuxPortFile, ErrnosOfReadComeAsTheyAre)
{
    std::array<std::byte, 512> buffer{};
    for (int const number : {EIO, EINVAL, ENOSPC, EINTR, EFAULT}) {
        calls->read_error = number;
        EXPECT_EQ(file->read(buffer).error(), system_error(number));
    }
}

TEST_F(LinuxPortFile, ErrnosOfWriteComeAsTheyAre)
{
    linux_port_file closed{::open("/dev/null", O_RDONLY | O_CLOEXEC), calls};
    std::array<std::byte, 320> packet{};
    EXPECT_EQ(closed.write(packet).error(), system_error(EBADF));
}

TEST_F(LinuxPortFile, ItsHandleCanBePolled)
{
    pollfd waiting{file->native_handle(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 0), 0);
    ASSERT_EQ(::write(peer, "x", 1), 1);
    EXPECT_EQ(::poll(&waiting, 1, 0), 1);
    EXPECT_EQ(waiting.revents, POLLIN);
}

TEST_F(LinuxPortFile, ClosesItsDescriptorOnce)
{
    int const handle = file->native_handle();
    file.reset();
    EXPECT_EQ(::fcntl(handle, F_GETFD), -1);
}

TEST_F(LinuxPortFile, IoctlsHaveTheKernelsNumbersAndArguments)
{
    // _IOWR(0x1b, 1, 28 bytes), _IOW(0x1b, 2, u32), _IO(0x1b, 3), _IOWR(0x1b, 4, 40 bytes) as Linux lays them out on
    // x86 and ARM.
    calls->kernel = std::make_shared<fake_kernel>();
    EXPECT_FALSE(file->enable_pkey());
    EXPECT_EQ(calls->last_ioctl, 0x0000'1b03u);
    ib_user_mad_reg_req first{};
    first.qpn = 1;
    EXPECT_FALSE(file->register_agent(first));
    EXPECT_EQ(calls->last_ioctl, 0xc01c'1b01u);
    EXPECT_EQ(calls->kernel->first_calls.at(0).qpn, 1);
    ib_user_mad_reg_req2 second{};
    second.oui = 0x123456;
    EXPECT_FALSE(file->register_agent2(second));
    EXPECT_EQ(calls->last_ioctl, 0xc028'1b04u);
    EXPECT_EQ(second.id, 1u);
    EXPECT_EQ(calls->kernel->second_calls.at(0).oui, 0x123456u);
    EXPECT_FALSE(file->unregister_agent(1));
    EXPECT_EQ(calls->last_ioctl, 0x4004'1b02u);
    EXPECT_EQ(file->unregister_agent(1), system_error(EINVAL));
}

TEST_F(LinuxPortFile, RefusedFlagsComeBackInTheRequest)
{
    calls->kernel = std::make_shared<fake_kernel>();
    ib_user_mad_reg_req2 request{};
    request.flags = 6;
    EXPECT_EQ(file->register_agent2(request), system_error(EINVAL));
    EXPECT_EQ(request.flags, user_rmpp);
}

TEST_F(LinuxPortFile, OnAFileThatIsNoUmadFileTheRealKernelKnowsNoneOfTheCalls)
{
    sysfs_tree tree;
    make_dual_port_hca(tree);
    linux_host machine{{.sysfs_root = tree.sys(), .device_root = tree.dev()}};
    umad_file plain{machine.open_port("mlx5_0", 1).value(), "mlx5_0 port 1"};
    EXPECT_EQ(plain.header_size(), 56u);
    registration_detail detail;
    EXPECT_EQ(plain.register_agent(performance(), &detail).error(), errc::registration_refused);
    EXPECT_EQ(detail.kernel, system_error(ENOTTY));
    auto const with_flags = plain.register_agent({.management_class = 0x03, .flags = user_rmpp}, &detail);
    EXPECT_EQ(with_flags.error(), errc::unsupported_flags);
    EXPECT_EQ(detail.supported_flags, 0u);
}

TEST_F(LinuxPortFile, FallsBackToTheFirstIoctlThroughTheWholeStack)
{
    sysfs_tree tree;
    make_dual_port_hca(tree);
    calls->kernel = std::make_shared<fake_kernel>();
    calls->kernel->second_call_unknown = ENOTTY;
    calls->kernel->enable_pkey = 515;
    linux_host machine{{.sysfs_root = tree.sys(), .device_root = tree.dev(), .calls = calls}};
    umad_file old{machine.open_port("mlx5_0", 1).value(), "mlx5_0 port 1"};
    auto const agent = old.register_agent(subnet_administration());
    ASSERT_TRUE(agent);
    EXPECT_EQ(agent.value().call, registration_call::first);
    EXPECT_EQ(old.header_size(), 56u);
    EXPECT_TRUE(old.unregister_agent(agent.value().id));
}

} // namespace
} // namespace madrigal::umad
