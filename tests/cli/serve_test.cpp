// madrigal sim serve: a fabric in a process of its own, its console, and other processes on it.
#include "cli/fabrics.hpp"

#include <madrigal/hosts/open_host.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/trap.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

namespace madrigal::cli::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Serve : public with_fabric {
protected:
    [[nodiscard]] std::vector<std::string> serving(std::vector<std::string> options = {}) const
    {
        std::vector<std::string> words{"sim", "serve", fabric, "--socket", socket};
        words.insert(words.end(), options.begin(), options.end());
        return words;
    }
    /// Says that it serves, and is ready then.
    void expect_ready(running_program& server) const
    {
        EXPECT_EQ(server.next_line(), "serving 8 nodes at " + socket);
        EXPECT_TRUE(std::filesystem::is_socket(socket));
    }
    [[nodiscard]] outcome client(std::vector<std::string> command, surroundings const& in = {}) const
    {
        command.insert(command.end(), {"--host", "unix:" + socket});
        return run_madrigal(command, in);
    }

    std::string socket = scratch.file("fabric.sock");
};

TEST_F(Serve, ASignalEndsItAndTheSocketIsGone)
{
    for (int const number : {SIGTERM, SIGINT, SIGHUP}) {
        running_program server{serving()};
        expect_ready(server);
        server.signal(number);
        auto const ended = server.end();
        EXPECT_EQ(ended.exit_code, 0);
        EXPECT_THAT(ended.out, IsEmpty());
        EXPECT_THAT(ended.err, IsEmpty());
        EXPECT_FALSE(std::filesystem::exists(socket));
    }
}

TEST_F(Serve, GoesOnWithoutAConsole)
{
    running_program server{serving()};
    expect_ready(server);
    server.end_input();
    EXPECT_EQ(client({"ports"}).exit_code, 0);
    server.signal(SIGTERM);
    EXPECT_EQ(server.end().exit_code, 0);

    running_program closed{serving(), {.closed = {0}}};
    expect_ready(closed);
    EXPECT_EQ(client({"ports"}).exit_code, 0);
    closed.signal(SIGTERM);
    EXPECT_EQ(closed.end().exit_code, 0);

    running_program deaf{serving({"--no-console"})};
    expect_ready(deaf);
    deaf.say("quit\n");
    EXPECT_EQ(client({"ports"}).exit_code, 0);
    deaf.signal(SIGTERM);
    EXPECT_EQ(deaf.end().exit_code, 0);
}

TEST_F(Serve, OtherProcessesSeeTheFabric)
{
    running_program server{serving({"--configured", "--sa"})};
    expect_ready(server);
    auto const found = client({"discover", "--format", "topo"});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    EXPECT_EQ(found.out, on_fabric({"discover", "--format", "topo"}, "?configured&sa").out);
    EXPECT_EQ(client({"sa"}).exit_code, 0);
    EXPECT_THAT(client({"ports", "-C", "nobody"}).err, HasSubstr("nobody"));
    EXPECT_THAT(client({"ports", "-C", "host-00003 HCA-1"}).out, HasSubstr("Node GUID: 0x024d414448000008"));
    EXPECT_THAT(
        client({"query", "NodeDescription", "-D", "0", "-C", "host-00003 HCA-1"}).out, HasSubstr("host-00003 HCA-1"));
    EXPECT_THAT(client({"ports"}, {.environment = {{"MADRIGAL_CA", "host-00004 HCA-1"}}}).out,
        HasSubstr("Node GUID: 0x024d41444800000c"));
    server.say("clients\n");
    EXPECT_THAT(server.next_line(), HasSubstr("ever 6"));
    server.say("quit\n");
    EXPECT_EQ(server.end().exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST_F(Serve, TheConsoleAnswersEachLineAtOnce)
{
    running_program server{serving()};
    expect_ready(server);
    server.say("# a comment\r\n\r\nlatency 20us\r\n");
    EXPECT_EQ(server.next_line(), "loss 0, duplicate 0, latency 20us, jitter 0, service 0");
    server.say("explode\n");
    EXPECT_THAT(server.next_complaint(), StartsWith("madrigal: unknown command 'explode'; known: link,"));
    server.say("late");
    server.say("ncy 0us\nloss 0.5"); // without an end
    EXPECT_EQ(server.next_line(), "loss 0, duplicate 0, latency 0, jitter 0, service 0");
    server.end_input();
    EXPECT_EQ(server.next_line(), "loss 0.5, duplicate 0, latency 0, jitter 0, service 0");
    server.signal(SIGTERM);
    EXPECT_EQ(server.end().exit_code, 0);
}

TEST_F(Serve, LinesThatAreFarTooLongEndTheConsoleAlone)
{
    running_program server{serving()};
    expect_ready(server);
    server.say(std::string(65'537, 'x'));
    EXPECT_THAT(server.next_complaint(), HasSubstr("longer than 65536 bytes"));
    EXPECT_EQ(client({"ports"}).exit_code, 0);
    server.signal(SIGTERM);
    EXPECT_EQ(server.end().exit_code, 0);
}

TEST_F(Serve, ALinkThatGoesDownIsSeenByClients)
{
    running_program server{serving()};
    expect_ready(server);
    auto const before = boost::json::parse(client({"discover", "--format", "json"}).out);
    server.say("dump leaf-001\n");
    EXPECT_THAT(server.next_line(), HasSubstr("4 Init"));
    for (int port = 0; port <= 4; ++port)
        (void)server.next_line();
    server.say("link down leaf-001 1\n");
    EXPECT_THAT(server.next_line(), HasSubstr("\"leaf-001\" port 1: Down, Polling;"));
    auto const after = client({"discover", "--format", "summary"});
    EXPECT_NE(after.out, on_fabric({"discover", "--format", "summary"}).out);
    server.say("link up leaf-001 1\n");
    EXPECT_THAT(server.next_line(), HasSubstr("\"leaf-001\" port 1: Init, LinkUp;"));
    EXPECT_EQ(
        boost::json::parse(client({"discover", "--format", "json"}).out).as_object().size(), before.as_object().size());
}

/// The next packet of a file, waited for.
std::optional<std::array<std::byte, mad_size>> next_packet(umad::port_file& file)
{
    std::array<std::byte, umad::header_size + mad_size> buffer{};
    for (;;) {
        pollfd waiting{file.native_handle(), POLLIN, 0};
        if (::poll(&waiting, 1, 30'000) <= 0)
            return std::nullopt;
        auto const read = file.read(buffer);
        if (!read && read.error().code().value() == EAGAIN) // time has come to look, and there was nothing
            continue;
        if (!read)
            return std::nullopt;
        std::array<std::byte, mad_size> mad{};
        std::copy_n(buffer.begin() + umad::header_size, mad_size, mad.begin());
        return mad;
    }
}

TEST_F(Serve, TrapsReachTheSubnetManagersProcessUntilItRepressesThem)
{
    running_program server{serving({"--configured"})};
    expect_ready(server);
    auto const machine = open_host("unix:" + socket).value();
    auto const ca = machine->ca_names().value().front();
    auto const file = machine->open_port(ca, 1).value();
    umad::ib_user_mad_reg_req2 listener{};
    listener.mgmt_class = 0x01;
    listener.mgmt_class_version = 1;
    listener.method_mask[0] = 1u << 5;
    ASSERT_FALSE(file->register_agent2(listener));
    server.say("link down leaf-002 1\n");
    EXPECT_THAT(server.next_line(), HasSubstr("Down, Polling"));
    auto const first = next_packet(*file);
    ASSERT_TRUE(first);
    EXPECT_EQ(mad_view{*first}.method(), method::trap);
    auto const told = mad_view{*first}.attribute<notice>().value();
    EXPECT_EQ(told.trap_number, trap_number::link_state_changed);
    EXPECT_EQ(told.issuer_lid, lid{2});
    auto const again = next_packet(*file);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *first) << "nobody has repressed it";
}

TEST_F(Serve, IsSmIsAsLongAsItsHolderLives)
{
    running_program server{serving({"--configured"})};
    expect_ready(server);
    auto const machine = open_host("unix:" + socket).value();
    auto held = machine->open_issm(machine->ca_names().value().front(), 1);
    ASSERT_TRUE(held);
    auto const shown = [&] {
        server.say("dump \"host-00001 HCA-1\"\n");
        auto line = server.next_line();
        (void)server.next_line();
        return line;
    };
    EXPECT_THAT(shown(), HasSubstr("IsSM"));
    held.value().reset();
    EXPECT_THAT(shown(), Not(HasSubstr("IsSM")));
}

TEST_F(Serve, WhatADeadClientHeldIsFreeAtOnce)
{
    running_program server{serving({"--configured"})};
    expect_ready(server);
    auto const ping = [&] {
        return client({"ping", "5", "-c", "1"}, {.environment = {{"MADRIGAL_CA", "host-00002 HCA-1"}}});
    };
    for (int life = 0; life != 3; ++life) {
        running_program holder{{"ping", "--serve", "--host", "unix:" + socket}};
        EXPECT_THAT(holder.next_complaint(), HasSubstr("answering pings"));
        EXPECT_EQ(ping().exit_code, 0) << "what is not asked for reaches who serves it";
        holder.signal(SIGKILL);
        EXPECT_EQ(holder.end().exit_code, 128 + SIGKILL);
        EXPECT_EQ(ping().exit_code, 1);
    }
    server.say("clients\n");
    EXPECT_THAT(server.next_line(), HasSubstr("umad files"));
}

TEST_F(Serve, AScriptRunsInItsOrderAndTime)
{
    auto const script =
        scratch.write("faults", "# first\r\nlatency 1us\n\nwait 1ms\nlatency 2us\nat 5ms\nlatency 3us\nquit\nloss 1\n");
    running_program server{serving({"--script", script})};
    EXPECT_THAT(server.next_line(), StartsWith("serving 8 nodes"));
    EXPECT_THAT(server.next_line(), HasSubstr("latency 1us"));
    EXPECT_THAT(server.next_line(), HasSubstr("latency 2us"));
    EXPECT_THAT(server.next_line(), HasSubstr("latency 3us"));
    auto const ended = server.end();
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(Serve, AScriptThatIsWrongIsRefusedBeforeAnythingIsServed)
{
    auto const script = scratch.write("faults", "loss 0.1\n\nlink down nowhere 1\r\nloss\nlatency 1us");
    auto const said = run_madrigal(serving({"--script", script}));
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, AllOf(HasSubstr(script + ":3: no node \"nowhere\"; candidates: "),
                              HasSubstr(script + ":4: too few words; loss P")));
    EXPECT_FALSE(std::filesystem::exists(socket));
    auto const missing = run_madrigal(serving({"--script", scratch.file("none")}));
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_THAT(missing.err, HasSubstr("none: No such file or directory"));
}

TEST_F(Serve, AScriptsFailureIsToldAndIsTheExitCode)
{
    auto const script = scratch.write("faults", "trap leaf-001\nlatency 1us\nquit\n");
    auto const said = run_madrigal(serving({"--script", script})); // as cabled there is no SM
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, HasSubstr(script + ":1: "));
    EXPECT_THAT(said.out, HasSubstr("latency 1us"));
}

TEST_F(Serve, SaysInJsonThatItIsReady)
{
    socket = scratch.file("a 50%? one.sock");
    running_program server{serving({"--json"})};
    auto const ready = boost::json::parse(server.next_line());
    EXPECT_EQ(ready.at("uri").as_string(), "unix:" + scratch.file("a%2050%25%3F%20one.sock"));
    EXPECT_EQ(ready.at("socket").as_string(), socket);
    EXPECT_EQ(ready.at("nodes").as_int64(), 8);
    EXPECT_EQ(ready.at("switches").as_int64(), 4);
    EXPECT_EQ(ready.at("links").as_int64(), 8);
    EXPECT_EQ(run_madrigal({"ports", "--host", ready.at("uri").as_string().c_str()}).exit_code, 0);
}

TEST_F(Serve, FaultsComeFromOptionsAndFromTheUri)
{
    std::vector<std::string> const ways[] = {
        {fabric, "--loss", "0.5", "--latency", "3us", "--duplicate", "0.25", "--jitter", "1us", "--service", "2us"},
        {"sim:" + fabric + "?loss=0.5&latency=9us&duplicate=0.25&jitter=1us&service=2us", "--latency", "3us"}};
    for (auto const& way : ways) {
        std::vector<std::string> words{"sim", "serve", "--socket", socket};
        words.insert(words.end(), way.begin(), way.end());
        running_program server{words};
        expect_ready(server);
        server.say("loss 0.5\nquit\n");
        EXPECT_EQ(server.next_line(), "loss 0.5, duplicate 0.25, latency 3us, jitter 1us, service 2us");
        EXPECT_EQ(server.end().exit_code, 0);
    }
}

TEST_F(Serve, WhatCannotBeServedIsSaid)
{
    auto const usage = [&](std::vector<std::string> const& options) {
        auto const said = run_madrigal(serving(options));
        EXPECT_EQ(said.exit_code, 2) << said.err;
        EXPECT_THAT(said.out, IsEmpty());
        return said.err;
    };
    EXPECT_THAT(usage({"--loss", "2"}), HasSubstr("--loss must be a number from 0 to 1"));
    EXPECT_THAT(usage({"--latency", "fast"}), HasSubstr("--latency must be a number with ns"));
    EXPECT_THAT(usage({"--sa"}), HasSubstr("sa needs configured"));
    EXPECT_EQ(run_madrigal({"sim", "serve", fabric}).exit_code, 2);
    auto const unknown = run_madrigal({"sim", "serve", "sim:" + fabric + "?colour=red", "--socket", socket});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("unknown parameter 'colour'"));
    auto const nowhere = run_madrigal({"sim", "serve", "/nowhere/lab.topo", "--socket", socket});
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_THAT(nowhere.err, HasSubstr("/nowhere/lab.topo"));
    auto const far = run_madrigal({"sim", "serve", fabric, "--socket", "/nowhere/socket"});
    EXPECT_EQ(far.exit_code, 1);
    EXPECT_THAT(far.err, HasSubstr("/nowhere/socket"));
    auto const unfit = run_madrigal(serving({"--configured", "-C", "nobody"}));
    EXPECT_EQ(unfit.exit_code, 1);
    EXPECT_THAT(unfit.err, HasSubstr("nobody"));
}

TEST_F(Serve, TwoDoNotShareASocketAndAStaleOneIsReplaced)
{
    running_program first{serving()};
    expect_ready(first);
    auto const second = run_madrigal(serving());
    EXPECT_EQ(second.exit_code, 1);
    EXPECT_THAT(second.err, HasSubstr(socket));
    EXPECT_EQ(client({"ports"}).exit_code, 0) << "the first one is not disturbed";
    first.signal(SIGKILL);
    EXPECT_EQ(first.end().exit_code, 128 + SIGKILL);
    running_program third{serving()};
    expect_ready(third);
}

TEST_F(Serve, FabricsAreIndependent)
{
    running_program one{serving()};
    expect_ready(one);
    auto const elsewhere = scratch.file("other.sock");
    running_program other{{"sim", "serve", fabric, "--socket", elsewhere}};
    EXPECT_THAT(other.next_line(), HasSubstr(elsewhere));
    one.say("loss 1\n");
    EXPECT_THAT(one.next_line(), StartsWith("loss 1,"));
    other.say("dump\n");
    for (int node = 0; node != 8; ++node)
        (void)other.next_line();
    EXPECT_THAT(other.next_line(), StartsWith("loss 0,"));
}

} // namespace
} // namespace madrigal::cli::test
