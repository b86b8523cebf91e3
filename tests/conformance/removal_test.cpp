// The device goes away under open files, and comes back.
#include "conformance/raw_file.hpp"

#include <array>
#include <cerrno>
#include <poll.h>

namespace madrigal::conformance {
namespace {

class Removal : public Conformance {
protected:
    void SetUp() override
    {
        if (auto const why = on.cannot_unplug(); !why.empty())
            GTEST_SKIP() << why;
    }
    std::array<std::byte, umad::header_size + mad_size> buffer{};
};

TEST_F(Removal, FromThenOnReadAndWriteAreEioRegisterEpipeAndUnregisterEinval)
{
    pair_of_files files{on};
    raw_file idle{on};
    ASSERT_EQ(files.client.write(question(on, files.asks, 1, method::get, 100)), 0);
    auto const late = question(on, 0, 2);
    on.unplug();
    EXPECT_TRUE(on.wait_readable(files.client.descriptor(), 10s)) << "nobody would notice";
    for (auto* const file : {&files.client, &files.server, &idle}) {
        EXPECT_EQ(file->read_into(std::span{buffer}.first(55)), -EINVAL) << "the size is looked at first";
        EXPECT_EQ(file->read_into(buffer), -EIO);
        EXPECT_EQ(file->write(late), EIO);
        auto again = wanted_vendor();
        EXPECT_EQ(file->register_agent(again), EPIPE);
        auto wrong = wanted_vendor();
        wrong.qpn = 9;
        EXPECT_EQ(file->register_agent(wrong), EPIPE) << "the device is looked at first";
        umad::ib_user_mad_reg_req old{};
        EXPECT_EQ(file->register_agent(old), EPIPE);
        EXPECT_EQ(file->unregister(0), EINVAL);
    }
    pollfd looked{.fd = files.client.descriptor(), .events = POLLIN | POLLOUT, .revents = 0};
    ASSERT_EQ(::poll(&looked, 1, 0), 1);
    EXPECT_EQ(looked.revents, on.gone());
    on.plug();
    EXPECT_EQ(files.client.read_into(buffer), -EIO) << "an old file stays lost";
}

TEST_F(Removal, OutstandingRequestsAreNeverReported)
{
    pair_of_files files{on};
    for (std::uint32_t i = 0; i != 10; ++i)
        ASSERT_EQ(files.client.write(question(on, files.asks, i, method::get, 100)), 0);
    on.unplug();
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(files.client.read_into(buffer), -EIO);
        EXPECT_EQ(files.server.read_into(buffer), -EIO) << "not even what had arrived";
    }
    on.plug();
}

TEST_F(Removal, AfterClosingAndOpeningAgainAllIsAsBefore)
{
    {
        pair_of_files files{on};
        on.unplug();
        on.plug();
    }
    pair_of_files files{on};
    EXPECT_EQ(files.asks, 0u);
    ASSERT_EQ(files.client.write(question(on, files.asks, 1)), 0);
    auto const asked = files.server.read();
    ASSERT_TRUE(asked);
    ASSERT_EQ(files.server.write(answer_to(*asked, files.serves)), 0);
    auto const answer = files.client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.status, 0u);
}

TEST_F(Removal, MethodsHeldByALostFileAreFreeOnTheNewDevice)
{
    raw_file lost{on};
    (void)lost.agent(wanted_vendor({0x01}));
    on.unplug();
    on.plug();
    raw_file fresh{on};
    (void)fresh.agent(wanted_vendor({0x01}));
}

TEST_F(Removal, WhileItIsAwayThePortCannotBeOpened)
{
    on.unplug();
    EXPECT_FALSE(on.host().open_port(on.ca(), on.port()));
    EXPECT_FALSE(on.host().query_port(on.ca(), on.port()));
    on.plug();
    EXPECT_TRUE(on.host().open_port(on.ca(), on.port()));
}

} // namespace
} // namespace madrigal::conformance
