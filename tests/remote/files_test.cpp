// Umad files of many clients on one fabric.
#include "remote/served.hpp"

#include <madrigal/wire/rmpp.hpp>

#include <sys/wait.h>
#include <unistd.h>

namespace madrigal {
namespace {

using namespace testing;
using namespace std::chrono_literals;

struct ServedFiles : Served {
    /// A file on each of two machines, with agents for whose messages the kernel does RMPP.
    struct talk {
        std::shared_ptr<umad::host> asker, answerer;
        std::unique_ptr<umad::port_file> from, to;
        std::uint32_t agent = 0;
        lid there;
    };
    talk make_talk()
    {
        talk made{client(), client(guid_of(1)), nullptr, nullptr, 0, {}};
        made.from = open(*made.asker);
        made.to = open(*made.answerer);
        auto asks = vendor_agent(false, 1);
        auto serves = vendor_agent(true, 1);
        EXPECT_FALSE(made.from->register_agent2(asks));
        EXPECT_FALSE(made.to->register_agent2(serves));
        made.agent = asks.id;
        made.there = lid_of(*made.answerer);
        return made;
    }

    /// Runs it in a process of its own, which ends without closing anything.
    template <class Function>
    static int in_a_child(Function what)
    {
        auto const child = ::fork();
        if (child == 0)
            ::_exit(what());
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
};

TEST_F(ServedFiles, ClientsOfOneMachineConflictAndThoseOfTwoDoNot)
{
    auto const first = client();
    auto const second = client();
    auto const elsewhere = client(guid_of(1));
    auto const a = open(*first);
    auto const b = open(*second);
    auto const c = open(*elsewhere);
    auto request = vendor_agent(true);
    EXPECT_FALSE(a->register_agent2(request));
    EXPECT_EQ(b->register_agent2(request).value(), EINVAL);
    EXPECT_FALSE(c->register_agent2(request));
}

TEST_F(ServedFiles, WhatAClosedFileHeldIsFreeAtOnce)
{
    auto const machine = client();
    for (int i = 0; i != 200; ++i) {
        auto const file = open(*machine);
        auto request = vendor_agent(true);
        ASSERT_FALSE(file->register_agent2(request)) << i;
    }
}

TEST_F(ServedFiles, WhatADeadProcessHeldIsFreeAtOnce)
{
    auto const machine = client();
    for (int i = 0; i != 20; ++i) {
        ASSERT_EQ(in_a_child([&] {
            auto* const never_closed = open(*machine).release();
            auto request = vendor_agent(true);
            return never_closed->register_agent2(request) ? 1 : 0;
        }),
            0)
            << i;
    }
    auto const file = open(*machine);
    auto request = vendor_agent(true);
    EXPECT_FALSE(file->register_agent2(request));
}

TEST_F(ServedFiles, AFileIsOpenUntilAllProcessesHaveClosedIt)
{
    auto const machine = client();
    auto file = open(*machine);
    auto request = vendor_agent(true);
    ASSERT_FALSE(file->register_agent2(request));
    int const in = in_a_child([&] {
        file.reset();
        auto* const own = open(*machine).release();
        auto again = vendor_agent(true);
        return own->register_agent2(again).value();
    });
    EXPECT_EQ(in, EINVAL) << "the parent still has it";
    EXPECT_EQ(server.counters().files, 1u);
}

TEST_F(ServedFiles, AChildGoesOnWithAFileOfItsParent)
{
    auto const machine = client();
    auto const file = open(*machine);
    auto const answers = client(guid_of(1));
    auto const server_file = open(*answers);
    auto serves = vendor_agent(true);
    auto asks = vendor_agent(false);
    ASSERT_FALSE(server_file->register_agent2(serves));
    ASSERT_FALSE(file->register_agent2(asks));
    auto const to = lid_of(*answers);
    EXPECT_EQ(in_a_child([&] {
        auto more = vendor_agent(false);
        if (file->register_agent2(more) || more.id != 1)
            return 1;
        return code(file->write(vendor_packet(1, to, method::get, 7, 1000)));
    }),
        0);
    server.settle();
    auto const read = server_file->read(buffer);
    ASSERT_TRUE(read);
    EXPECT_EQ(mad_view{std::span{buffer}.subspan(umad::header_size)}.transaction_id() & 0xFFFF'FFFF, 7u);
}

TEST_F(ServedFiles, WhatWasWrittenBeforeAProcessDiedIsSent)
{
    auto const machine = client();
    auto const answers = client(guid_of(1));
    auto const to = lid_of(*answers);
    auto const served = open(*answers);
    auto serves = vendor_agent(true);
    ASSERT_FALSE(served->register_agent2(serves));
    ASSERT_EQ(in_a_child([&] {
        auto* const file = open(*machine).release();
        auto asks = vendor_agent(false);
        if (file->register_agent2(asks))
            return 1;
        for (std::uint32_t i = 1; i <= 100; ++i)
            if (!file->write(vendor_packet(asks.id, to, method::set, i, 0)))
                return 2;
        return 0;
    }),
        0);
    for (std::uint32_t i = 1; i <= 100; ++i) {
        server.settle();
        ASSERT_TRUE(served->read(buffer)) << i;
        EXPECT_EQ(mad_view{std::span{buffer}.subspan(umad::header_size)}.transaction_id() & 0xFFFF'FFFF, i);
    }
}

TEST_F(ServedFiles, WhatWasWrittenIsSentAlsoWhenTheWriterDiesWithSomethingUnread)
{
    auto const machine = client();
    auto const answers = client(guid_of(1));
    auto const to = lid_of(*answers);
    auto const served = open(*answers);
    auto serves = vendor_agent(true);
    ASSERT_FALSE(served->register_agent2(serves));
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    auto const child = ::fork();
    if (child == 0) {
        auto* const file = open(*machine).release();
        auto asks = vendor_agent(false);
        char go = 0;
        if (file->register_agent2(asks) || !file->write(vendor_packet(asks.id, lid{0x4000}, method::get, 1, 1)) ||
            ::read(pipe_ends[0], &go, 1) != 1)
            ::_exit(1);
        for (std::uint32_t i = 1; i <= 50; ++i)
            if (!file->write(vendor_packet(asks.id, to, method::set, i, 0)))
                ::_exit(2);
        ::_exit(0);
    }
    // The report of its timeout waits for the child by then.
    for (int i = 0; i != 100'000 && server.counters().packets_out == 0; ++i)
        pass(1ms);
    EXPECT_EQ(server.counters().packets_out, 1u);
    ASSERT_EQ(::write(pipe_ends[1], "x", 1), 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    for (std::uint32_t i = 1; i <= 50; ++i) {
        server.settle();
        ASSERT_TRUE(served->read(buffer)) << i;
    }
}

TEST_F(ServedFiles, LongMessagesThatNobodyReadsWaitInTheFileAndArriveInTheirOrder)
{
    auto const [asker, answerer, from, to, agent, there] = make_talk();
    for (std::uint32_t i = 1; i <= 30; ++i) {
        auto const message = vendor_message(agent, there, i, 3'000 + i);
        ASSERT_EQ(code(from->write(message)), 0);
        pass(10ms);
    }
    std::vector<std::byte> got(10'000);
    for (std::uint32_t i = 1; i <= 30; ++i) {
        for (int waited = 0; waited != 100 && !is_readable(to->native_handle()); ++waited)
            pass(1ms);
        ASSERT_TRUE(to->read(got)) << i;
        EXPECT_EQ(mad_view{std::span{got}.subspan(umad::header_size)}.transaction_id() & 0xFFFF'FFFF, i);
    }
}

TEST_F(ServedFiles, ADuplicateIsRefusedWhateverItsTimeout)
{
    auto const machine = client();
    auto const file = open(*machine);
    auto asks = vendor_agent(false);
    ASSERT_FALSE(file->register_agent2(asks));
    ASSERT_TRUE(file->write(vendor_packet(asks.id, lid{0x4000}, method::get, 9, 100)));
    EXPECT_EQ(code(file->write(vendor_packet(asks.id, lid{0x4000}, method::get, 9, 0))), EINVAL);
}

TEST_F(ServedFiles, AClientThatDoesNotReadDisturbsNoOtherAndLosesNothing)
{
    auto const lazy = client(guid_of(1));
    auto const lazy_file = open(*lazy);
    auto serves = vendor_agent(true);
    ASSERT_FALSE(lazy_file->register_agent2(serves));
    auto const busy = client();
    auto const busy_file = open(*busy);
    auto asks = vendor_agent(false);
    ASSERT_FALSE(busy_file->register_agent2(asks));
    auto const to = lid_of(*lazy);
    // Far more than a socket takes.
    constexpr std::uint32_t many = 5'000;
    for (std::uint32_t i = 1; i <= many; ++i)
        ASSERT_TRUE(busy_file->write(vendor_packet(asks.id, to, method::set, i, 0)));
    auto const other = client(guid_of(2));
    EXPECT_TRUE(other->query_port(other->ca_names().value().front(), 1));
    for (std::uint32_t i = 1; i <= many; ++i) {
        if (!is_readable(lazy_file->native_handle()))
            server.settle();
        ASSERT_TRUE(lazy_file->read(buffer)) << i;
        ASSERT_EQ(mad_view{std::span{buffer}.subspan(umad::header_size)}.transaction_id() & 0xFFFF'FFFF, i);
    }
    server.settle();
    EXPECT_EQ(code(lazy_file->read(buffer)), EAGAIN);
}

TEST_F(ServedFiles, ATransactionIdIsFreeAgainAfterItsAnswerAndAfterItsTimeout)
{
    auto const machine = client();
    auto const file = open(*machine);
    auto asks = vendor_agent(false);
    ASSERT_FALSE(file->register_agent2(asks));
    auto const nobody = vendor_packet(asks.id, lid{0x4000}, method::get, 9, 100);
    for (int i = 0; i != 3; ++i) {
        ASSERT_TRUE(file->write(nobody));
        ASSERT_EQ(code(file->write(nobody)), EINVAL) << "a duplicate";
        pass(1s);
        ASSERT_TRUE(file->read(buffer));
    }
    EXPECT_EQ(server.counters().refused_writes, 0u) << "what is refused is told to whoever writes";
}

TEST_F(ServedFiles, AMessageOfTenMegabytesArrivesWhole)
{
    auto const [asker, answerer, from, to, agent, there] = make_talk();
    constexpr std::size_t length = 10'000'000;
    auto const message = vendor_message(agent, there, 5, length);
    auto const mad = std::span{message}.subspan(umad::header_size);
    ASSERT_EQ(code(from->write(message)), 0);
    std::vector<std::byte> got(umad::header_size + length + 1000);
    auto const small = std::span{got}.first(1000);
    for (int i = 0; i != 1000 && !is_readable(to->native_handle()); ++i)
        pass(1ms);
    EXPECT_EQ(code(to->read(std::span{got}.first(100))), EINVAL);
    ASSERT_EQ(code(to->read(small)), ENOSPC) << "and it stays";
    umad::ib_user_mad_hdr header{};
    std::memcpy(&header, got.data(), sizeof header);
    ASSERT_GE(header.length, umad::header_size + length);
    ASSERT_LE(header.length, got.size());
    auto const read = to->read(got);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(std::equal(mad.begin() + 40, mad.end(), got.begin() + umad::header_size + 40));
}

TEST_F(ServedFiles, MoreThanAHundredClientsHaveFilesAtOnce)
{
    std::vector<std::shared_ptr<umad::host>> machines;
    std::vector<std::unique_ptr<umad::port_file>> files;
    for (int i = 0; i != 120; ++i) {
        machines.push_back(client(guid_of(static_cast<unsigned>(i % 3))));
        files.push_back(open(*machines.back()));
        auto asks = vendor_agent(false);
        ASSERT_FALSE(files.back()->register_agent2(asks)) << i;
        ASSERT_TRUE(files.back()->write(vendor_packet(asks.id, lid_of(*machines.back()), method::get, 1, 1000)));
    }
    EXPECT_EQ(server.counters().clients, 120u);
    EXPECT_EQ(server.counters().files, 120u);
    server.settle();
    for (auto const& file : files)
        EXPECT_TRUE(file->read(buffer)) << "the kernel's refusal";
    files.clear();
    machines.clear();
    server.settle();
    EXPECT_EQ(server.counters().clients, 0u);
    EXPECT_EQ(server.counters().files, 0u);
}

TEST_F(ServedFiles, WhenTheServerGoesTheDeviceIsGoneAndWhenItIsBackAllCanBeOpenedAgain)
{
    auto const machine = client();
    auto const file = open(*machine);
    auto asks = vendor_agent(false);
    ASSERT_FALSE(file->register_agent2(asks));
    server.stop_listening();
    EXPECT_TRUE(is_readable(file->native_handle()));
    EXPECT_EQ(code(file->read(buffer)), EIO);
    EXPECT_EQ(code(file->write(vendor_packet(asks.id, lid{1}, method::get, 1, 0))), EIO);
    auto more = vendor_agent(false);
    EXPECT_EQ(file->register_agent2(more).value(), EPIPE);
    EXPECT_EQ(file->unregister_agent(asks.id).value(), EINVAL);
    auto const refused = machine->ca_names();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("no server listens there"));
    server.listen();
    EXPECT_TRUE(machine->ca_names());
    auto const again = open(*machine);
    EXPECT_FALSE(again->register_agent2(more));
    EXPECT_EQ(code(file->read(buffer)), EIO) << "an old file stays lost";
    EXPECT_EQ(file->register_agent2(more).value(), EPIPE);
}

} // namespace
} // namespace madrigal
