// The console of `madrigal sim serve`, line by line, on fabrics in this process.
#include "cli/console.hpp"
#include "cli/console_words.hpp"
#include "sim/small_fabric.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/trap.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace madrigal::cli::test {
namespace {

using namespace std::chrono_literals;
using namespace sim::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> words(std::string_view line)
{
    return words_of(line).value();
}

TEST(ConsoleWords, AreSeparatedByBlanksAndHeldTogetherByQuotes)
{
    EXPECT_THAT(words("link  down\tS-1 5"), ElementsAre("link", "down", "S-1", "5"));
    EXPECT_THAT(words("dump \"first switch\""), ElementsAre("dump", "first switch"));
    EXPECT_THAT(words("dump 'the \"first\" one' ''"), ElementsAre("dump", "the \"first\" one", ""));
    EXPECT_THAT(words("a\"b c\"d"), ElementsAre("ab cd"));
}

TEST(ConsoleWords, CommentsBlankLinesAndBothEndsOfLinesAreNothing)
{
    for (auto const* const line : {"", " \t ", "# all", "  # of it", "\r", "\r\n", "\n"})
        EXPECT_THAT(words(line), IsEmpty()) << line;
    EXPECT_THAT(words("quit # now\r\n"), ElementsAre("quit"));
    EXPECT_THAT(words("dump \"#1\" S#2"), ElementsAre("dump", "#1", "S#2"));
}

TEST(ConsoleWords, AQuoteEnds)
{
    auto const open = words_of("dump \"first switch");
    ASSERT_FALSE(open);
    EXPECT_THAT(open.error().context(), HasSubstr("\"first switch"));
    EXPECT_FALSE(words_of(std::string_view{"a\0b", 3}));
}

class Console : public testing::Test {
protected:
    Console() { listener = file.register_server(0x01, 1, {5}); }

    /// The answer to a line that can be carried out.
    std::string say(std::string_view line) const
    {
        auto const step = understands.understand(line);
        if (!step) {
            ADD_FAILURE() << line << ": " << step.error().message();
            return {};
        }
        EXPECT_EQ(step.value().what, console_step::kind::command) << line;
        auto const answer = step.value().run();
        if (!answer) {
            ADD_FAILURE() << line << ": " << answer.error().message();
            return {};
        }
        EXPECT_TRUE(answer.value().ends_with('\n')) << line << ": " << answer.value();
        return answer.value();
    }
    /// What is wrong with a line.
    std::string refusal(std::string_view line) const
    {
        auto const step = understands.understand(line);
        EXPECT_FALSE(step) << line;
        return step ? std::string{} : step.error().context();
    }
    [[nodiscard]] sim::fabric::port_view at(topology::node_index node, unsigned port) const
    {
        return with.on->look_at(topology::endpoint{node, static_cast<std::uint8_t>(port)}).value();
    }
    /// Who sent the traps that wait.
    std::vector<lid> traps()
    {
        std::vector<lid> senders;
        while (auto const got = file.read())
            if (got->view().method() == method::trap)
                senders.push_back(std::get<link_state_trap>(decode_trap(got->as<notice>()).value()).switch_lid);
        return senders;
    }

    bench with{two_switches(), {.start = sim::start_state::configured}};
    open_file& file = *with.file;
    std::uint32_t listener = 0;
    remote::server_counters served;
    console understands{with.on, [this] { return served; }};
};

TEST_F(Console, ALinkGoesDownAtBothEndsAndItsSwitchesTellTheSm)
{
    EXPECT_EQ(say("link down S-1 6"),
        "S-1 \"first switch\" port 6: Down, Polling; S-2 \"second switch\" port 6: Down, Polling\n");
    EXPECT_EQ(at(switch_1, 6).state, port_state::down);
    EXPECT_EQ(at(switch_2, 6).phys_state, physical_state::polling);
    EXPECT_THAT(traps(), testing::UnorderedElementsAre(at(switch_1, 0).base_lid, at(switch_2, 0).base_lid));
    say("link up \"second switch\" 6");
    EXPECT_EQ(at(switch_1, 6).state, port_state::init);
    EXPECT_EQ(at(switch_1, 6).phys_state, physical_state::link_up);
    EXPECT_EQ(at(switch_2, 6).state, port_state::init);
}

TEST_F(Console, ANodeThatIsOffAnswersNobodyAndItsNeighboursTell)
{
    EXPECT_THAT(say("node off S-2"), HasSubstr("off"));
    EXPECT_FALSE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
    EXPECT_EQ(at(switch_1, 5).state, port_state::down);
    EXPECT_EQ(at(host_c, 1).state, port_state::down);
    EXPECT_THAT(say("node on S-2"), HasSubstr("on, LID 0"));
    EXPECT_EQ(at(switch_1, 5).state, port_state::init);
    EXPECT_TRUE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
}

TEST_F(Console, ACaThatIsUnpluggedIsGoneForWhoHasItOpen)
{
    EXPECT_THAT(say("unplug H-a"), HasSubstr("unplugged"));
    std::array<std::byte, umad::header_size + mad_size> buffer{};
    EXPECT_EQ(file->read(buffer).error().code().value(), EIO);
    EXPECT_THAT(with.machine->ca_names().value(), IsEmpty());
    EXPECT_THAT(say("plug mlx5_0"), HasSubstr(": on"));
    EXPECT_THAT(with.machine->ca_names().value(), ElementsAre("mlx5_0"));
    EXPECT_THAT(refusal("unplug S-1"), HasSubstr("node off"));
}

TEST_F(Console, ATrapIsSentWhereThereIsAnSmToSendItTo)
{
    EXPECT_THAT(say("trap S-2"), HasSubstr("Trap 128 sent to LID"));
    EXPECT_THAT(traps(), ElementsAre(at(switch_2, 0).base_lid));
    EXPECT_THAT(refusal("trap H-a"), HasSubstr("no switch"));
    say("node off S-2");
    say("node on S-2");
    auto const step = understands.understand("trap S-2").value();
    EXPECT_THAT(step.run().error().context(), HasSubstr("SM"));
    say("node off S-2");
    EXPECT_THAT(step.run().error().context(), HasSubstr("off"));
}

TEST_F(Console, FaultsAreChangedOneByOne)
{
    EXPECT_EQ(say("latency 20us"), "loss 0, duplicate 0, latency 20us, jitter 0, service 0\n");
    EXPECT_EQ(say("loss 0.25"), "loss 0.25, duplicate 0, latency 20us, jitter 0, service 0\n");
    EXPECT_EQ(say("duplicate 0.5"), "loss 0.25, duplicate 0.5, latency 20us, jitter 0, service 0\n");
    EXPECT_EQ(say("jitter 1500ns"), "loss 0.25, duplicate 0.5, latency 20us, jitter 1500ns, service 0\n");
    EXPECT_EQ(say("service 3ms"), "loss 0.25, duplicate 0.5, latency 20us, jitter 1500ns, service 3ms\n");
    EXPECT_EQ(with.on->faults().hop_latency, 20us);
    EXPECT_THAT(refusal("loss 2"), HasSubstr("from 0 to 1"));
    EXPECT_THAT(refusal("latency 5"), HasSubstr("ns, us, ms or s"));
}

TEST_F(Console, ACableLosesOnItsOwn)
{
    say("loss 1 S-2 1");
    EXPECT_FALSE(with.ask(directed_route{0, 1, 5, 1}, attribute_id::node_info));
    EXPECT_TRUE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info));
    EXPECT_EQ(at(host_c, 1).cable_loss, 1.0) << "both ends are of one cable";
    EXPECT_EQ(with.on->counters().drops(sim::drop_reason::loss), 1u);
    say("loss 1");
    say("loss 0 S-1");
    EXPECT_TRUE(with.ask(directed_route{0, 1, 5}, attribute_id::node_info)) << "this switch's cables lose nothing";
    say("loss default S-1");
    EXPECT_FALSE(with.ask(directed_route{0, 1}, attribute_id::node_info));
    say("loss 0");
    EXPECT_TRUE(with.ask(directed_route{0, 1}, attribute_id::node_info));
    EXPECT_THAT(refusal("loss much S-1"), HasSubstr("default"));
    EXPECT_THAT(refusal("loss 1 S-1 4"), HasSubstr("1-3, 5-6"));
}

TEST_F(Console, CountersAreShownAndSet)
{
    EXPECT_EQ(say("counters S-1 5 set SymbolErrorCounter=7 portrcverrors=0x10"),
        "S-1 \"first switch\" port 5: SymbolErrorCounter=7 portrcverrors=0x10\n");
    auto const counts = with.on->port_counts({switch_1, 5}).value();
    EXPECT_EQ(counts.symbol_errors, 7u);
    EXPECT_EQ(counts.rcv_errors, 16u);
    EXPECT_THAT(say("counters S-1 5"), AllOf(HasSubstr("  SymbolErrorCounter 7\n"), HasSubstr("  VL15Dropped 0\n")));
    EXPECT_THAT(say("counters S-1"), AllOf(HasSubstr("port 5: SymbolErrorCounter 7 PortRcvErrors 16\n"),
                                         HasSubstr("port 8: all 0\n"), Not(HasSubstr("VL15"))));
    say("counters S-1 5 set PortRcvErrors=0");
    EXPECT_EQ(with.on->port_counts({switch_1, 5}).value().symbol_errors, 7u) << "the others stay";
    say("counters S-1 clear");
    EXPECT_EQ(with.on->port_counts({switch_1, 5}).value().symbol_errors, 0u);
}

TEST_F(Console, CountersMoveWithTheTraffic)
{
    auto const before = with.on->port_counts({switch_2, 1}).value().xmit_packets;
    ASSERT_TRUE(with.ask(directed_route{0, 1, 5, 1}, attribute_id::node_info));
    EXPECT_THAT(say("counters S-2 1"), HasSubstr("PortXmitPkts " + std::to_string(before + 1) + "\n"));
    EXPECT_THAT(say("counters"), AllOf(HasSubstr("answered 1,"), HasSubstr("dropped 0\n")));
    say("loss 1");
    EXPECT_FALSE(with.ask(directed_route{0, 1}, attribute_id::node_info));
    EXPECT_THAT(say("counters"), HasSubstr("dropped 1 (loss 1)\n"));
}

TEST_F(Console, WrongCountersAreRefusedWithThoseThatThereAre)
{
    EXPECT_THAT(refusal("counters S-1 5 set Errors=1"), HasSubstr("SymbolErrorCounter, LinkErrorRecoveryCounter"));
    EXPECT_THAT(refusal("counters S-1 5 set VL15Dropped"), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(refusal("counters S-1 5 set VL15Dropped=-1"), HasSubstr("whole number"));
    EXPECT_THAT(refusal("counters S-1 5 set"), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(refusal("counters S-1 5 add VL15Dropped=1"), HasSubstr("neither set nor clear"));
    EXPECT_THAT(refusal("counters S-1 5 set PortSelect=1"), HasSubstr("no counter"));
}

TEST_F(Console, ADumpShowsEveryNodeOrAllOfOne)
{
    auto const all = say("dump");
    for (auto const* const node : {"CA H-a \"alpha mlx5_0\": on", "switch S-1 \"first switch\": on, LID",
             "switch S-2 \"second switch\"", "ports: 3 Active, 5 Down", "1 umad files open", "loss 0, duplicate 0"})
        EXPECT_THAT(all, HasSubstr(node));
    auto const held = with.machine->open_issm("mlx5_0", 1).value();
    EXPECT_THAT(say("dump H-a"), AllOf(HasSubstr("port 1: Active, LinkUp, LID"), HasSubstr("IsSM"),
                                     HasSubstr("4x EDR, to S-1 \"first switch\" port 1\n")));
    say("link down S-1 5");
    EXPECT_THAT(
        say("dump S-1"), HasSubstr("port 5: Down, Polling, 4x HDR, taken out of S-2 \"second switch\" port 5\n"));
}

TEST_F(Console, ClientsAreTheServersCounts)
{
    served.clients = 3;
    served.packets_in = 17;
    EXPECT_THAT(say("clients"), AllOf(HasSubstr("clients 3,"), HasSubstr("packets in 17,")));
}

TEST_F(Console, NodesHaveManyNames)
{
    for (auto const* const name : {"H-c", "\"gamma mlx5_2\"", "mlx5_2", "0x2c90300000300", "0x2c90300000301"})
        EXPECT_THAT(say("dump " + std::string{name}), HasSubstr("CA H-c")) << name;
    EXPECT_THAT(refusal("dump H-z"), AllOf(HasSubstr("H-z"), HasSubstr("candidates: H-a")));
    EXPECT_THAT(refusal("link down S-1 9"), HasSubstr("ports are 0 to 8"));
    EXPECT_THAT(refusal("link down S-1 0"), HasSubstr("1-3, 5-6"));
    EXPECT_THAT(refusal("link down S-1 4"), HasSubstr("no cable was ever at"));
    EXPECT_THAT(refusal("link down H-a 0"), HasSubstr("ports are 1 to 2"));
}

TEST(ConsoleNames, ADeviceNameThatManyHaveDoesNotDecide)
{
    auto layout = two_switches();
    layout.at(host_b).description = "delta mlx5_0";
    auto const fabric = sim::fabric::make(std::move(layout)).value();
    auto const several = fabric->find_node("mlx5_0");
    ASSERT_FALSE(several);
    EXPECT_EQ(several.error(), errc::no_such_node);
    EXPECT_THAT(several.error().context(), AllOf(HasSubstr("H-a"), HasSubstr("H-b"), Not(HasSubstr("H-c"))));
    EXPECT_EQ(fabric->find_node("mlx5_2").value(), host_c);
}

TEST_F(Console, TimeIsWaitedForAndTheEndIsAsked)
{
    auto const wait = understands.understand("wait 20ms").value();
    EXPECT_EQ(wait.what, console_step::kind::wait);
    EXPECT_EQ(wait.time, 20ms);
    EXPECT_EQ(understands.understand("at 1.5s").value().what, console_step::kind::at);
    EXPECT_EQ(understands.understand("quit").value().what, console_step::kind::quit);
    EXPECT_EQ(understands.understand(" # quit\r").value().what, console_step::kind::nothing);
    EXPECT_THAT(refusal("wait"), HasSubstr("wait T"));
    EXPECT_THAT(refusal("at noon"), HasSubstr("at must be a number"));
}

TEST_F(Console, WhatIsNotUnderstoodIsAnsweredWithWhatIs)
{
    EXPECT_THAT(refusal("explode S-1"), AllOf(HasSubstr("explode"), HasSubstr("link, node, unplug")));
    EXPECT_THAT(refusal("link S-1 5"), HasSubstr("too few words; link down|up NODE PORT"));
    EXPECT_THAT(refusal("link sideways S-1 5"), HasSubstr("neither up nor down"));
    EXPECT_THAT(refusal("quit now"), HasSubstr("too many words"));
    auto const help = say("help");
    for (auto const* const command : {"link down|up", "node off|on", "loss P", "latency T", "counters", "unplug CA",
             "plug CA", "trap NODE", "dump", "clients", "wait T", "quit"})
        EXPECT_THAT(help, HasSubstr(command));
}

} // namespace
} // namespace madrigal::cli::test
