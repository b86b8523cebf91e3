// Trees that change while they are read: at every file that a scan opens, something goes away first.
#include "umad/sysfs_tree.hpp"
#include "umad/test_calls.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace madrigal::umad {
namespace {

using namespace test;

/// Two CAs: `aaa`, to which things happen, and `mlx5_0`, which must stay as it is.
struct changing_machine {
    changing_machine()
    {
        make_dual_port_hca(tree);
        tree.add_ca("aaa");
        tree.add_port("aaa", {.number = 1, .guid = "0000:0000:0000:000a"});
        tree.add_port("aaa", {.number = 2, .guid = "0000:0000:0000:000b"});
        tree.add_umad(2, "aaa", 1);
        tree.add_umad(3, "aaa", 2);
    }

    sysfs_tree tree;
    std::shared_ptr<test_calls> calls = std::make_shared<test_calls>();
    linux_host machine{{.sysfs_root = tree.sys(), .device_root = tree.dev(), .calls = calls}};
};

/// Moves a directory out of the tree just before file number `at` is opened, and back when all is over. A path into it
/// is ENOENT at once, as after a removal.
class vanishing {
public:
    vanishing(changing_machine& changing, unsigned at, std::vector<std::filesystem::path> paths)
        : changing_{changing}, paths_{std::move(paths)}
    {
        changing_.calls->before_open = [this, at](std::string const&) {
            if (opens_++ == at)
                for (auto const& path : paths_)
                    std::filesystem::rename(path, away(path));
        };
    }
    vanishing(vanishing const&) = delete;
    vanishing& operator=(vanishing const&) = delete;
    ~vanishing()
    {
        changing_.calls->before_open = nullptr;
        for (auto const& path : paths_)
            if (std::filesystem::exists(away(path)))
                std::filesystem::rename(away(path), path);
    }

private:
    [[nodiscard]] std::filesystem::path away(std::filesystem::path const& path) const
    {
        return std::filesystem::path{changing_.tree.sys()} / path.filename();
    }

    changing_machine& changing_;
    std::vector<std::filesystem::path> paths_;
    unsigned opens_ = 0;
};

/// How many files `action` opens on a machine where nothing changes.
template <class Action>
unsigned count_opens(changing_machine& whole, Action action)
{
    unsigned opens = 0;
    whole.calls->before_open = [&](std::string const&) { ++opens; };
    action();
    whole.calls->before_open = nullptr;
    return opens;
}

unsigned ports_of(port_list const& list, std::string_view ca)
{
    return static_cast<unsigned>(std::count_if(
        list.ports.begin(), list.ports.end(), [&](port_attributes const& port) { return port.ca_name == ca; }));
}

/// What is reported is whole: nothing is half read.
void expect_whole(port_list const& list, unsigned at)
{
    EXPECT_TRUE(list.unreadable.empty()) << "at file " << at << ": " << list.unreadable[0].why.message();
    for (auto const& port : list.ports) {
        EXPECT_EQ(port.pkeys.size(), 3u) << "at file " << at;
        EXPECT_EQ(port.gids.size(), 3u) << "at file " << at;
        EXPECT_EQ(port.rate, 200u) << "at file " << at;
        EXPECT_EQ(port.sm_lid, lid{3}) << "at file " << at;
    }
}

TEST(LinuxHostChanging, ACaThatGoesAwayAtAnyMomentIsDroppedAndTheScanGoesOn)
{
    changing_machine changing;
    auto const opens = count_opens(changing, [&] { ASSERT_TRUE(list_ports(changing.machine)); });
    ASSERT_GT(opens, 40u);
    unsigned dropped = 0;
    for (unsigned at = 0; at != opens; ++at) {
        vanishing const ca{changing, at, {changing.tree.ca("aaa")}};
        auto const list = list_ports(changing.machine).value();
        EXPECT_EQ(ports_of(list, "mlx5_0"), 2u) << "at file " << at;
        dropped += ports_of(list, "aaa") < 2;
        expect_whole(list, at);
    }
    EXPECT_GT(dropped, opens / 3);
}

TEST(LinuxHostChanging, APortThatGoesAwayAtAnyMomentIsDroppedAndTheScanGoesOn)
{
    changing_machine changing;
    auto const opens = count_opens(changing, [&] { ASSERT_TRUE(list_ports(changing.machine)); });
    unsigned dropped = 0;
    for (unsigned at = 0; at != opens; ++at) {
        vanishing const port{changing, at, {changing.tree.port("aaa", 1)}};
        auto const list = list_ports(changing.machine).value();
        EXPECT_EQ(ports_of(list, "mlx5_0"), 2u) << "at file " << at;
        EXPECT_GE(ports_of(list, "aaa"), 1u) << "at file " << at;
        dropped += ports_of(list, "aaa") == 1;
        expect_whole(list, at);
    }
    EXPECT_GT(dropped, opens / 5);
}

TEST(LinuxHostChanging, ADeviceWhoseFilesAnswerEnodevIsDroppedAndTheScanGoesOn)
{
    for (auto const* const file : {"node_type", "ports/1/state", "ports/1/lid", "ports/1/gids/0"}) {
        changing_machine changing;
        changing.calls->open_errors[(changing.tree.ca("aaa") / file).string()] = ENODEV;
        auto const list = list_ports(changing.machine).value();
        EXPECT_EQ(ports_of(list, "mlx5_0"), 2u) << file;
        EXPECT_TRUE(list.unreadable.empty()) << file;
        auto const port = changing.machine.query_port("aaa", 1);
        if (file != std::string_view{"node_type"}) {
            EXPECT_EQ(port.error(), errc::no_such_port) << file;
        }
    }
}

TEST(LinuxHostChanging, TheAutomaticChoiceSurvivesALossAtAnyMoment)
{
    changing_machine changing;
    auto const opens =
        count_opens(changing, [&] { ASSERT_EQ(open_port(changing.machine).value().attributes.ca_name, "aaa"); });
    for (unsigned at = 0; at != opens; ++at) {
        vanishing const device{changing, at,
            {changing.tree.ca("aaa"), changing.tree.mad_class() / "umad2", changing.tree.mad_class() / "umad3"}};
        auto const opened = open_port(changing.machine);
        ASSERT_TRUE(opened) << "at file " << at << ": " << opened.error().message();
    }
}

TEST(LinuxHostChanging, AUmadEntryThatGoesAwayWhileAnotherIsLookedForIsPassedOver)
{
    for (auto const* const file : {"ibdev", "port"})
        for (int const number : {ENOENT, ENODEV}) {
            changing_machine changing;
            changing.calls->open_errors[(changing.tree.mad_class() / "umad0" / file).string()] = number;
            EXPECT_TRUE(changing.machine.open_port("mlx5_0", 2)) << file << " " << number;
            EXPECT_EQ(changing.machine.open_port("mlx5_0", 1).error(), errc::no_usable_port);
        }
}

TEST(LinuxHostChanging, TheModuleMayBeUnloadedAtAnyMomentOfAnOpen)
{
    changing_machine changing;
    auto const opens = count_opens(changing, [&] { ASSERT_TRUE(changing.machine.open_port("mlx5_0", 2)); });
    auto const before = count_descriptors();
    for (unsigned at = 0; at != opens; ++at) {
        vanishing const module{changing, at, {changing.tree.mad_class(), changing.tree.node("umad0").parent_path()}};
        auto const failed = changing.machine.open_port("mlx5_0", 2);
        ASSERT_FALSE(failed) << at;
        EXPECT_FALSE(failed.error().message().empty());
    }
    EXPECT_EQ(count_descriptors(), before);
}

TEST(LinuxHostChanging, AnInterruptedReadIsTakenUpAgain)
{
    changing_machine machine;
    machine.calls->read_error = EINTR;
    EXPECT_EQ(machine.machine.query_ca("mlx5_0").value().firmware_version, "20.31.1014");
}

} // namespace
} // namespace madrigal::umad
