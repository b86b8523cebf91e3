// Being subnet manager on a served fabric.
#include "remote/served.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace madrigal {
namespace {

using namespace testing;

struct ServedIssm : Served {
    std::shared_ptr<umad::host> machine = client(guid_of(0));
    std::string ca = machine->ca_names().value().front();
    bool is_sm() { return look_at(guid_of(0)).is_sm; }
};

TEST_F(ServedIssm, StandsAsLongAsTheFileIsHeldAndIsHeldByOne)
{
    auto held = machine->open_issm(ca, 1);
    ASSERT_TRUE(held);
    EXPECT_TRUE(is_sm());
    EXPECT_NE(machine->query_port(ca, 1).value().capability_mask & umad::cap_is_sm, 0u);
    auto const second = client(guid_of(0))->open_issm(ca, 1);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code().value(), EAGAIN);
    held.value().reset();
    EXPECT_TRUE(machine->open_issm(ca, 1)) << "at once";
    server.settle();
    EXPECT_FALSE(is_sm());
}

TEST_F(ServedIssm, EndsWithTheProcessThatHeldIt)
{
    auto const child = ::fork();
    if (child == 0)
        ::_exit(machine->open_issm(ca, 1).value().release() != nullptr ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(machine->open_issm(ca, 1));
    server.settle();
    EXPECT_FALSE(is_sm());
}

TEST_F(ServedIssm, IsSetByOpeningThePathAndClearedByClosingIt)
{
    auto const path = machine->issm_path(ca, 1).value();
    EXPECT_EQ(machine->issm_path(ca, 1).value(), path);
    EXPECT_FALSE(is_sm());
    for (int i = 0; i != 3; ++i) {
        int const held = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
        ASSERT_GE(held, 0);
        server.settle();
        EXPECT_TRUE(is_sm());
        EXPECT_EQ(machine->open_issm(ca, 1).error().code().value(), EAGAIN);
        int const second = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
        server.settle();
        ::close(second);
        server.settle();
        EXPECT_TRUE(is_sm());
        ::close(held);
        server.settle();
        EXPECT_FALSE(is_sm());
    }
}

TEST_F(ServedIssm, ThePathsOpenerBecomesSubnetManagerWhenTheOtherIsDone)
{
    auto held = machine->open_issm(ca, 1);
    ASSERT_TRUE(held);
    auto const path = machine->issm_path(ca, 1).value();
    int const waiting = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    server.settle();
    held.value().reset();
    server.settle();
    EXPECT_TRUE(is_sm());
    ::close(waiting);
    server.settle();
    EXPECT_FALSE(is_sm());
}

TEST_F(ServedIssm, WhoOpensThePathAfterTheCaWasPluggedAgainIsSubnetManagerThough)
{
    auto const path = machine->issm_path(ca, 1).value();
    int const before = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    server.settle();
    auto const first = first_ca();
    server.run([&] { EXPECT_FALSE(server.fabric().unplug(first).code()); });
    server.run([&] { EXPECT_FALSE(server.fabric().plug(first).code()); });
    EXPECT_FALSE(is_sm());
    int const after = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    server.settle();
    EXPECT_TRUE(is_sm());
    ::close(before);
    ::close(after);
    server.settle();
    EXPECT_FALSE(is_sm());
}

TEST_F(ServedIssm, AFolderThatOthersCouldHaveMadeIsNotUsed)
{
    auto const folder = server.path().native() + ".issm";
    ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
    ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
    EXPECT_EQ(machine->issm_path(ca, 1).error().code().value(), EPERM);
    ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
    EXPECT_TRUE(machine->issm_path(ca, 1));
}

TEST_F(ServedIssm, PathsGoWithTheServer)
{
    auto const path = machine->issm_path(ca, 1).value();
    struct stat told {};
    ASSERT_EQ(::stat(path.c_str(), &told), 0);
    EXPECT_TRUE(S_ISFIFO(told.st_mode));
    server.stop_listening();
    EXPECT_NE(::stat(path.c_str(), &told), 0);
    EXPECT_FALSE(std::filesystem::exists(server.path()));
}

} // namespace
} // namespace madrigal
