// Trees that change while they are read: at every file that a scan opens, something goes away first.
#include "umad/sysfs_tree.hpp"
#include "umad/test_calls.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

/// How many files a scan of all ports opens.
unsigned count_opens()
{
    changing_machine whole;
    unsigned opens = 0;
    whole.calls->before_open = [&](std::string const&) { ++opens; };
    EXPECT_EQ(list_ports(whole.machine).value().ports.size(), 4u);
    return opens;
}

/// Does `change` just before the scan opens its file number `at`, then checks what the scan found.
template <class Change>
port_list scan_with_change(changing_machine& changing, unsigned at, Change change)
{
    unsigned opens = 0;
    changing.calls->before_open = [&](std::string const&) {
        if (opens++ == at)
            change();
    };
    auto list = list_ports(changing.machine);
    EXPECT_TRUE(list);
    return std::move(list).value();
}

unsigned ports_of(port_list const& list, std::string_view ca)
{
    return static_cast<unsigned>(std::count_if(
        list.ports.begin(), list.ports.end(), [&](port_attributes const& port) { return port.ca_name == ca; }));
}

TEST(LinuxHostChanging, ACaThatGoesAwayAtAnyMomentIsDroppedAndTheScanGoesOn)
{
    auto const opens = count_opens();
    ASSERT_GT(opens, 40u);
    for (unsigned at = 0; at != opens; ++at) {
        changing_machine changing;
        auto const list = scan_with_change(changing, at, [&] { std::filesystem::remove_all(changing.tree.ca("aaa")); });
        EXPECT_EQ(ports_of(list, "mlx5_0"), 2u) << "at file " << at;
        EXPECT_LE(ports_of(list, "aaa"), 2u);
        EXPECT_TRUE(list.unreadable.empty()) << "at file " << at << ": " << list.unreadable[0].why.message();
        for (auto const& port : list.ports) {
            // What is reported is whole: nothing is half read.
            EXPECT_EQ(port.pkeys.size(), 3u) << "at file " << at;
            EXPECT_EQ(port.gids.size(), 3u) << "at file " << at;
            EXPECT_EQ(port.rate, 200u) << "at file " << at;
        }
    }
}

TEST(LinuxHostChanging, APortThatGoesAwayAtAnyMomentIsDroppedAndTheScanGoesOn)
{
    auto const opens = count_opens();
    for (unsigned at = 0; at != opens; ++at) {
        changing_machine changing;
        auto const list =
            scan_with_change(changing, at, [&] { std::filesystem::remove_all(changing.tree.port("aaa", 1)); });
        EXPECT_EQ(ports_of(list, "mlx5_0"), 2u) << "at file " << at;
        EXPECT_GE(ports_of(list, "aaa"), 1u) << "at file " << at;
        EXPECT_TRUE(list.unreadable.empty()) << "at file " << at;
    }
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
    unsigned opens = 0;
    {
        changing_machine whole;
        whole.calls->before_open = [&](std::string const&) { ++opens; };
        ASSERT_EQ(open_port(whole.machine).value().attributes.ca_name, "aaa");
    }
    for (unsigned at = 0; at != opens; ++at) {
        changing_machine changing;
        unsigned seen = 0;
        changing.calls->before_open = [&](std::string const&) {
            if (seen++ != at)
                return;
            std::filesystem::remove_all(changing.tree.ca("aaa"));
            for (auto const* const name : {"umad2", "umad3"}) {
                std::filesystem::remove_all(changing.tree.mad_class() / name);
                std::filesystem::remove(changing.tree.node(name));
            }
        };
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
    unsigned opens = 0;
    {
        changing_machine whole;
        whole.calls->before_open = [&](std::string const&) { ++opens; };
        ASSERT_TRUE(whole.machine.open_port("mlx5_0", 2));
    }
    auto const before = count_descriptors();
    for (unsigned at = 0; at != opens; ++at) {
        changing_machine changing;
        unsigned seen = 0;
        changing.calls->before_open = [&](std::string const&) {
            if (seen++ != at)
                return;
            std::filesystem::remove_all(changing.tree.mad_class());
            std::filesystem::remove_all(changing.tree.node("umad0").parent_path());
        };
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
