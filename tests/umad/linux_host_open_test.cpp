// Opening umad and issm files: which file it is, how it is opened, and what each failure says.
#include "umad/sysfs_tree.hpp"
#include "umad/test_calls.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace madrigal::umad {
namespace {

using namespace test;
using testing::HasSubstr;

class LinuxHostOpen : public testing::Test {
protected:
    LinuxHostOpen() { make_dual_port_hca(tree); }

    /// The path of the file behind an open descriptor.
    static std::string path_of(port_file const& file)
    {
        return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file.native_handle())).string();
    }

    sysfs_tree tree;
    std::shared_ptr<test_calls> calls = std::make_shared<test_calls>();
    linux_host machine{{.sysfs_root = tree.sys(), .device_root = tree.dev(), .calls = calls}};
};

TEST_F(LinuxHostOpen, IsForReadingAndWritingWithoutWaitingAndNotForChildren)
{
    auto const file = machine.open_port("mlx5_0", 1).value();
    EXPECT_EQ(calls->last_flags, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    EXPECT_NE(::fcntl(file->native_handle(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(LinuxHostOpen, FollowsTheEntriesFilesAndNotTheirNumbers)
{
    std::filesystem::remove_all(tree.mad_class());
    tree.load_modules();
    tree.add_ca("mlx5_1");
    tree.add_port("mlx5_1", {.number = 1, .guid = "0000:0000:0000:0001"});
    tree.add_umad(0, "mlx5_1", 1);
    tree.add_umad(7, "mlx5_0", 1);
    tree.add_umad(13, "mlx5_0", 2);
    EXPECT_EQ(path_of(*machine.open_port("mlx5_1", 1).value()), tree.node("umad0").string());
    EXPECT_EQ(path_of(*machine.open_port("mlx5_0", 1).value()), tree.node("umad7").string());
    EXPECT_EQ(path_of(*machine.open_port("mlx5_0", 2).value()), tree.node("umad13").string());
}

TEST_F(LinuxHostOpen, TheIssmFileIsTheOneOfTheSamePort)
{
    // Numbered apart from the umad files, and the wrong way round.
    for (auto const* const name : {"issm0", "issm1"})
        std::filesystem::remove_all(tree.mad_class() / name);
    std::vector<std::string> opened;
    calls->before_open = [&](std::string const& path) {
        if (path.starts_with(tree.dev()))
            opened.push_back(path);
    };
    sysfs_tree::write(tree.mad_class() / "issm5/ibdev", "mlx5_0");
    sysfs_tree::write(tree.mad_class() / "issm5/port", "1");
    sysfs_tree::write(tree.mad_class() / "issm4/ibdev", "mlx5_0");
    sysfs_tree::write(tree.mad_class() / "issm4/port", "2");
    for (auto const* const name : {"issm4", "issm5"})
        sysfs_tree::write(tree.node(name), "");
    ASSERT_TRUE(machine.open_issm("mlx5_0", 1));
    EXPECT_EQ(calls->last_flags & O_NONBLOCK, O_NONBLOCK);
    ASSERT_TRUE(machine.open_issm("mlx5_0", 2));
    EXPECT_THAT(opened, testing::ElementsAre(tree.node("issm5").string(), tree.node("issm4").string()));
}

TEST_F(LinuxHostOpen, AnIssmFileThatAnotherProgramHoldsIsEagain)
{
    calls->open_errors[tree.node("issm0").string()] = EAGAIN;
    auto const failed = machine.open_issm("mlx5_0", 1).error();
    EXPECT_EQ(failed, system_error(EAGAIN));
    EXPECT_THAT(failed.message(), HasSubstr("another program holds it open"));
}

TEST_F(LinuxHostOpen, APortWithoutIssmFileSaysSo)
{
    std::filesystem::remove_all(tree.mad_class() / "issm0");
    auto const failed = machine.open_issm("mlx5_0", 1).error();
    EXPECT_EQ(failed, errc::no_usable_port);
    EXPECT_THAT(failed.message(), HasSubstr("no issm entry for mlx5_0 port 1"));
}

/// The errnos of open(2) that users meet.
class LinuxHostOpenErrno : public LinuxHostOpen, public testing::WithParamInterface<int> {};

TEST_P(LinuxHostOpenErrno, StaysDistinctAndNamesTheFile)
{
    calls->open_errors[tree.node("umad0").string()] = GetParam();
    auto const failed = open_port(machine, {.ca = "mlx5_0", .port = 1}).error();
    EXPECT_EQ(failed, system_error(GetParam()));
    EXPECT_THAT(failed.message(), HasSubstr(tree.node("umad0").string()));
    EXPECT_THAT(failed.message(), HasSubstr("mlx5_0 port 1"));
    EXPECT_THAT(failed.message(), HasSubstr(system_error(GetParam()).message()));
}

TEST_P(LinuxHostOpenErrno, MakesTheAutomaticChoiceTakeTheNextPort)
{
    calls->open_errors[tree.node("umad0").string()] = GetParam();
    EXPECT_EQ(select_port(machine).value().number, 2u);
    calls->open_errors[tree.node("umad1").string()] = GetParam();
    EXPECT_EQ(select_port(machine).error(), errc::no_usable_port);
}

INSTANTIATE_TEST_SUITE_P(Errnos, LinuxHostOpenErrno, testing::Values(ENOENT, EACCES, EPERM, ENXIO, EMFILE),
    [](auto const& named) { return "Errno" + std::to_string(named.param); });

TEST_F(LinuxHostOpen, InAContainerWithoutTheNodeIsEnoent)
{
    std::filesystem::remove(tree.node("umad0"));
    auto const failed = machine.open_port("mlx5_0", 1).error();
    EXPECT_EQ(failed, system_error(ENOENT));
    EXPECT_THAT(failed.message(), HasSubstr("container"));
    EXPECT_EQ(select_port(machine).value().number, 2u);
    std::filesystem::remove_all(tree.node("umad0").parent_path());
    EXPECT_EQ(select_port(machine).error(), errc::no_usable_port);
}

TEST_F(LinuxHostOpen, TheNodeMayAppearLater)
{
    std::filesystem::remove(tree.node("umad0"));
    ASSERT_FALSE(machine.open_port("mlx5_0", 1));
    sysfs_tree::write(tree.node("umad0"), "");
    EXPECT_TRUE(machine.open_port("mlx5_0", 1));
}

TEST_F(LinuxHostOpen, AReplacedDeviceIsFoundUnderItsNewNumber)
{
    ASSERT_TRUE(machine.open_port("mlx5_0", 1));
    std::filesystem::remove_all(tree.mad_class() / "umad0");
    std::filesystem::remove(tree.node("umad0"));
    EXPECT_EQ(machine.open_port("mlx5_0", 1).error(), errc::no_usable_port);
    tree.add_umad(2, "mlx5_0", 1);
    EXPECT_EQ(path_of(*machine.open_port("mlx5_0", 1).value()), tree.node("umad2").string());
}

TEST_F(LinuxHostOpen, ANodeThatIsASocketIsEnxio)
{
    std::filesystem::remove(tree.node("umad0"));
    int const socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto const path = tree.node("umad0").string();
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size());
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr const*>(&address), sizeof(address)), 0);
    EXPECT_EQ(machine.open_port("mlx5_0", 1).error(), system_error(ENXIO));
    ::close(socket);
}

TEST_F(LinuxHostOpen, OtherEntriesThatCannotBeReadSpoilNothing)
{
    sysfs_tree::write(tree.mad_class() / "umad0/port", "garbage");
    std::filesystem::remove(tree.mad_class() / "issm0/ibdev");
    sysfs_tree::write(tree.mad_class() / "umad99999999999/port", "1");
    sysfs_tree::write(tree.mad_class() / "umadx/port", "1");
    EXPECT_TRUE(machine.open_port("mlx5_0", 2));
    auto const failed = machine.open_port("mlx5_0", 1).error();
    EXPECT_EQ(failed, errc::no_usable_port);
    EXPECT_THAT(failed.message(), HasSubstr("umad0/port")) << "it may have been the one";
}

TEST_F(LinuxHostOpen, EachOpenIsAFileOfItsOwn)
{
    auto first = machine.open_port("mlx5_0", 1).value();
    auto second = machine.open_port("mlx5_0", 1).value();
    EXPECT_NE(first->native_handle(), second->native_handle());
    first.reset();
    EXPECT_NE(::fcntl(second->native_handle(), F_GETFD), -1);
}

TEST_F(LinuxHostOpen, AThousandFailuresAndSuccessesLeaveNoDescriptorOpen)
{
    auto const before = count_descriptors();
    for (int i = 0; i != 1000; ++i) {
        calls->open_errors[tree.node("umad0").string()] = i % 2 == 0 ? EACCES : ENOENT;
        ASSERT_FALSE(machine.open_port("mlx5_0", 1));
        ASSERT_FALSE(machine.open_port("mlx5_0", 9));
        ASSERT_FALSE(machine.open_port("nowhere", 1));
    }
    for (int i = 0; i != 100; ++i) {
        sysfs_tree::write(tree.port("mlx5_0", 1) / "lid", i % 2 == 0 ? "garbage" : std::string(5000, '1'));
        ASSERT_TRUE(open_port(machine));
        ASSERT_TRUE(machine.open_issm("mlx5_0", 2));
        ASSERT_EQ(list_ports(machine).value().unreadable.size(), 1u);
    }
    EXPECT_EQ(count_descriptors(), before);
}

TEST_F(LinuxHostOpen, AThousandFailedRegistrationsLeaveNoDescriptorOpen)
{
    auto const before = count_descriptors();
    for (int i = 0; i != 1000; ++i) {
        umad_file file{machine.open_port("mlx5_0", 1).value(), "mlx5_0 port 1"};
        ASSERT_FALSE(file.register_agent(performance()));
    }
    EXPECT_EQ(count_descriptors(), before);
}

} // namespace
} // namespace madrigal::umad
