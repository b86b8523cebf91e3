// Clients that send nonsense, and what is found where a socket should be.
#include "remote/message.hpp"
#include "remote/packet_socket.hpp"
#include "remote/protocol.hpp"
#include "remote/served.hpp"

#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace madrigal {
namespace {

using namespace testing;
using remote::descriptor;
using remote::message_head;
using remote::message_writer;
using remote::operation;

struct HostileClients : Served {
    /// Sends it, and gives what comes back: empty at the connection's end.
    std::vector<std::byte> say(descriptor const& socket, std::span<std::byte const> message)
    {
        EXPECT_EQ(remote::send_message(socket.get(), message), 0);
        server.settle();
        std::vector<std::byte> answer(remote::longest_message);
        remote::received_message received;
        if (remote::receive_message(socket.get(), answer, MSG_DONTWAIT, received) != 0)
            received.size = 0;
        answer.resize(received.size);
        return answer;
    }
    static message_writer head(operation what)
    {
        message_writer message;
        message.put(message_head{.what = what});
        return message;
    }
    static message_writer about_the_port(operation what)
    {
        auto question = head(what);
        question.put_text("");
        question.put_text("mlx5_0");
        question.put(std::uint32_t{1});
        return question;
    }
    descriptor connected() { return remote::connect_to(server.path(), 1).value(); }
    descriptor greeted()
    {
        auto socket = connected();
        EXPECT_FALSE(say(socket, head(operation::hello).bytes()).empty());
        return socket;
    }
    /// Everybody else is served as before.
    void expect_service()
    {
        auto const file = open(*machine);
        auto request = vendor_agent(true);
        EXPECT_FALSE(file->register_agent2(request));
        EXPECT_TRUE(file->write(vendor_packet(request.id, lid_of(*machine), method::set, 1, 0)));
        server.settle();
        EXPECT_TRUE(file->read(buffer));
    }

    std::shared_ptr<umad::host> machine = client();
};

TEST_F(HostileClients, RandomMessagesEndTheirConnectionAndNothingElse)
{
    std::mt19937 random{1};
    auto const kept = open(*machine);
    for (int i = 0; i != 3'000; ++i) {
        auto const socket = i % 2 == 0 ? connected() : greeted();
        auto message = head(static_cast<operation>(random() % 16));
        if (i % 5 == 0)
            message = message_writer{};
        for (auto left = random() % 64; left != 0; --left)
            message.put(static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 3));
        if (message.bytes().empty())
            continue;
        (void)say(socket, message.bytes());
    }
    EXPECT_EQ(code(kept->read(buffer)), EAGAIN);
    expect_service();
    EXPECT_EQ(server.counters().files, 1u);
}

TEST_F(HostileClients, EveryBeginningOfAQuestionIsNoQuestion)
{
    auto question = about_the_port(operation::query_port);
    auto const whole = question.bytes();
    EXPECT_FALSE(say(greeted(), whole).empty());
    for (std::size_t size = 1; size != whole.size(); ++size)
        EXPECT_TRUE(say(greeted(), whole.first(size)).empty()) << size;
    question.put(std::uint8_t{0});
    EXPECT_TRUE(say(greeted(), question.bytes()).empty()) << "nor is one with something behind it";
    expect_service();
}

TEST_F(HostileClients, FilesThatAreNotTheirsCannotBeGuessed)
{
    auto const socket = greeted();
    auto const kept = open(*machine);
    for (std::uint64_t token : {0ull, 1ull, ~0ull}) {
        auto question = head(operation::unregister_agent);
        question.put(token);
        question.put(std::uint32_t{0});
        auto const answer = say(socket, question.bytes());
        remote::message_reader reader{answer};
        (void)reader.take<message_head>();
        EXPECT_EQ(reader.take<std::int32_t>(), EINVAL);
        EXPECT_TRUE(reader.ends_well());
    }
}

TEST_F(HostileClients, AnotherVersionIsToldWhichOneIsSpokenHere)
{
    auto const socket = connected();
    message_writer message;
    message.put(message_head{.version = 99});
    auto const answer = say(socket, message.bytes());
    remote::message_reader reader{answer};
    EXPECT_EQ(reader.take<message_head>().version, remote::protocol_version);
    EXPECT_TRUE(reader.is_good());
    EXPECT_TRUE(remote::has_hung_up(socket.get()));
}

TEST_F(HostileClients, DescriptorsThatComeWithMessagesAreDropped)
{
    auto const file = open(*machine);
    auto const control = greeted();
    auto const open_here = [] {
        auto const all = std::filesystem::directory_iterator{"/proc/self/fd"};
        return std::distance(begin(all), std::filesystem::directory_iterator{});
    };
    descriptor const null{::open("/dev/null", O_RDONLY)};
    auto const before = open_here();
    for (std::size_t count : {1u, 2u, 3u, 100u, 253u})
        for (int socket : {file->native_handle(), control.get()}) {
            auto const question = head(operation::hello);
            iovec part{const_cast<std::byte*>(question.bytes().data()), question.bytes().size()};
            std::vector<int> const along(count, null.get());
            std::vector<std::byte> room(CMSG_SPACE(count * sizeof(int)));
            msghdr message{};
            message.msg_iov = &part;
            message.msg_iovlen = 1;
            message.msg_control = room.data();
            message.msg_controllen = room.size();
            auto* const one = CMSG_FIRSTHDR(&message);
            one->cmsg_level = SOL_SOCKET;
            one->cmsg_type = SCM_RIGHTS;
            one->cmsg_len = CMSG_LEN(count * sizeof(int));
            std::memcpy(CMSG_DATA(one), along.data(), count * sizeof(int));
            // Newer kernels refuse it themselves.
            bool const went = ::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
            ASSERT_TRUE(went || errno == EPERM) << count;
            server.settle();
            std::array<std::byte, 64> answer{};
            (void)::recv(control.get(), answer.data(), answer.size(), MSG_DONTWAIT);
        }
    EXPECT_EQ(open_here(), before);
    expect_service();
}

TEST_F(HostileClients, PiecesThatDoNotGoTogetherAreNoPacket)
{
    auto const file_socket = connected();
    auto const opened = say(file_socket, about_the_port(operation::open_port).bytes());
    remote::message_reader reader{opened};
    (void)reader.take<message_head>();
    ASSERT_EQ(reader.take<std::uint8_t>(), 0);
    auto const token = reader.take<std::uint64_t>();
    struct piece {
        std::uint64_t size, from;
        std::size_t length;
    };
    auto const write = [&](descriptor const& control, piece const& one) {
        auto message = head(operation::write_piece);
        message.put(token);
        message.put(one.size);
        message.put(one.from);
        message.put_bytes(std::vector<std::byte>(one.length));
        return say(control, message.bytes());
    };
    for (auto const& one : {piece{100, 50, 10}, piece{100, 0, 101}, piece{~0ull, 0, 10}, piece{~0ull, ~0ull, 10},
             piece{100, 0, 0}, piece{10, 20, 1}, piece{0, 0, 1}})
        EXPECT_TRUE(write(greeted(), one).empty()) << one.size << ' ' << one.from << ' ' << one.length;
    auto const control = greeted();
    EXPECT_FALSE(write(control, {1'000'000, 0, 60'000}).empty());
    EXPECT_TRUE(write(control, {1'000'000, 90'000, 60'000}).empty());
    auto read = head(operation::read_piece);
    read.put(token);
    read.put(std::uint64_t{1});
    read.put(std::uint64_t{0});
    auto const answer = say(greeted(), read.bytes());
    remote::message_reader told{answer};
    (void)told.take<message_head>();
    EXPECT_EQ(told.take<std::int32_t>(), EIO) << "there is no such packet";
    expect_service();
}

TEST_F(HostileClients, PacketsThatNoFileTakesAreCounted)
{
    auto const file = open(*machine);
    std::mt19937 random{2};
    std::size_t sent = 0;
    for (std::size_t size = 1; size < 1'000; size += 7) {
        std::vector<std::byte> packet(size);
        for (auto& one : packet)
            one = static_cast<std::byte>(random());
        sent += remote::send_message(file->native_handle(), packet) == 0 ? 1 : 0;
    }
    EXPECT_GT(sent, 100u);
    EXPECT_EQ(server.counters().refused_writes, sent);
    expect_service();
}

TEST_F(HostileClients, OneThatAsksWithoutEndAndNeverReadsIsPutOut)
{
    auto const socket = greeted();
    auto const question = about_the_port(operation::query_port);
    for (int i = 0; i != 100'000 && !remote::has_hung_up(socket.get()); ++i)
        if (::send(socket.get(), question.bytes().data(), question.bytes().size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            server.settle();
    EXPECT_TRUE(remote::has_hung_up(socket.get()));
    EXPECT_EQ(server.counters().broken_clients, 1u);
    expect_service();
}

TEST_F(HostileClients, OnlyASocketThatNobodyListensAtIsReplaced)
{
    boost::asio::io_context loop;
    auto const listen = [&](std::filesystem::path const& path) {
        return remote::server::listen(
            loop.get_executor(), [](auto) { return error{errc::no_such_ca}; }, {.socket = path});
    };
    auto const busy = listen(server.path());
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code().value(), EADDRINUSE);
    scratch const folder;
    auto const text = folder.path() / "text";
    std::ofstream{text} << "precious";
    EXPECT_EQ(listen(text).error().code().value(), EADDRINUSE);
    EXPECT_EQ(std::filesystem::file_size(text), 8u);
    auto const stale = folder.path() / "stale";
    (void)remote::listen_at(stale).value(); // closed again, and left there
    ASSERT_TRUE(std::filesystem::exists(stale));
    EXPECT_TRUE(listen(stale));
    EXPECT_EQ(listen(std::string(108, 'x')).error(), errc::invalid_argument);
    EXPECT_EQ(listen(folder.path() / "no" / "such").error().code().value(), ENOENT);
}

/// A server of another kind.
TEST_F(HostileClients, AServerThatAnswersNonsenseIsAnErrorWithItsPath)
{
    scratch const folder;
    auto const path = folder.path() / "other.sock";
    for (std::size_t size : {0u, 1u, 15u, 16u, 17u, 100u}) {
        auto const listening = remote::listen_at(path).value();
        std::thread other{[&] {
            int accepted = -1;
            while ((accepted = ::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC)) < 0)
                std::this_thread::yield();
            descriptor const one{accepted};
            std::array<std::byte, 4096> question{};
            (void)::recv(one.get(), question.data(), question.size(), 0);
            std::vector<std::byte> const nonsense(size, std::byte{0x55});
            if (size != 0)
                (void)remote::send_message(one.get(), nonsense);
        }};
        auto const refused = remote::connect(path);
        other.join();
        ASSERT_FALSE(refused) << size;
        EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("other.sock"));
        std::filesystem::remove(path);
    }
}

} // namespace
} // namespace madrigal
