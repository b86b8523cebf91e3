// madrigal perf
#include "cli/fabrics.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace madrigal::cli::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// LIDs 1 and 2 are the leaves, 3 and 4 the spines, 5 to 8 the hosts; the program looks from 5, at port 3 of leaf 1.
class Perf : public with_fabric {
protected:
    [[nodiscard]] outcome perf(std::vector<std::string> command, std::string const& more = {}) const
    {
        command.insert(command.begin(), "perf");
        return on_fabric(std::move(command), "?configured" + more);
    }
    static std::ptrdiff_t lines(std::string const& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(Perf, PrintsTheCountersOfAPortAsPerfqueryDoes)
{
    auto const said = perf({"6", "1"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    // ClassPortInfo was asked and answered, and this question has come; a MAD is 72 words long.
    EXPECT_EQ(said.out, "# Port counters: Lid 6 port 1 (CapMask: 0x9204 CapMask2: 0x0000002)\n"
                        "PortSelect:......................1\n"
                        "CounterSelect:...................0x0000\n"
                        "SymbolErrorCounter:..............0\n"
                        "LinkErrorRecoveryCounter:........0\n"
                        "LinkDownedCounter:...............0\n"
                        "PortRcvErrors:...................0\n"
                        "PortRcvRemotePhysicalErrors:.....0\n"
                        "PortRcvSwitchRelayErrors:........0\n"
                        "PortXmitDiscards:................0\n"
                        "PortXmitConstraintErrors:........0\n"
                        "PortRcvConstraintErrors:.........0\n"
                        "CounterSelect2:..................0x00\n"
                        "LocalLinkIntegrityErrors:........0\n"
                        "ExcessiveBufferOverrunErrors:....0\n"
                        "QP1Dropped:......................0\n"
                        "VL15Dropped:.....................0\n"
                        "PortXmitData:....................72\n"
                        "PortRcvData:.....................144\n"
                        "PortXmitPkts:....................1\n"
                        "PortRcvPkts:.....................2\n"
                        "PortXmitWait:....................0\n");
}

TEST_F(Perf, PrintsTheExtendedCountersAsPerfqueryDoes)
{
    auto const said = perf({"-x", "6", "1"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, "# Port extended counters: Lid 6 port 1 (CapMask: 0x9204 CapMask2: 0x0000002)\n"
                        "PortSelect:......................1\n"
                        "CounterSelect:...................0x0000\n"
                        "CounterSelect2:..................0x00000000\n"
                        "PortXmitData:....................72\n"
                        "PortRcvData:.....................144\n"
                        "PortXmitPkts:....................1\n"
                        "PortRcvPkts:.....................2\n"
                        "PortUnicastXmitPkts:.............1\n"
                        "PortUnicastRcvPkts:..............2\n"
                        "PortMulticastXmitPkts:...........0\n"
                        "PortMulticastRcvPkts:............0\n"
                        "SymbolErrorCounter:..............0\n"
                        "LinkErrorRecoveryCounter:........0\n"
                        "LinkDownedCounter:...............0\n"
                        "PortRcvErrors:...................0\n"
                        "PortRcvRemotePhysicalErrors:.....0\n"
                        "PortRcvSwitchRelayErrors:........0\n"
                        "PortXmitDiscards:................0\n"
                        "PortXmitConstraintErrors:........0\n"
                        "PortRcvConstraintErrors:.........0\n"
                        "LocalLinkIntegrityErrors:........0\n"
                        "ExcessiveBufferOverrunErrors:....0\n"
                        "VL15Dropped:.....................0\n"
                        "PortXmitWait:....................0\n"
                        "QP1Dropped:......................0\n");
}

TEST_F(Perf, PrintsTrafficByServiceLevelAndWhatIsBehindErrors)
{
    auto const sent = perf({"--xmtsl", "6", "1"});
    EXPECT_THAT(sent.out, HasSubstr("# PortXmitDataSL counters: Lid 6 port 1 (CapMask: 0x9204"));
    EXPECT_THAT(sent.out, HasSubstr("PortXmitDataSL[0]:...............72\n"));
    EXPECT_THAT(sent.out, HasSubstr("PortXmitDataSL[15]:..............0\n"));
    EXPECT_THAT(perf({"--rcvsl", "6", "1"}).out, HasSubstr("PortRcvDataSL[0]:................144\n"));
    EXPECT_THAT(perf({"-D", "6", "1"}).out, HasSubstr("PortInactiveDiscards:............0\n"));
    EXPECT_THAT(perf({"-E", "6", "1"}).out, HasSubstr("PortDLIDMappingErrors:...........0\n"));
}

TEST_F(Perf, WithoutAPortTakesWhatFits)
{
    // A host's own port; NodeInfo was asked as well.
    auto const host = perf({"6"});
    EXPECT_THAT(host.out, HasSubstr("# Port counters: Lid 6 port 1 (CapMask: 0x9204"));
    EXPECT_THAT(host.out, HasSubstr("PortRcvPkts:.....................3\n"));
    EXPECT_THAT(perf({"1"}).out, HasSubstr("# Port counters: Lid 1 port 255 (CapMask: 0x9304"));
    EXPECT_THAT(perf({}).out, HasSubstr("# Port counters: Lid 5 port 1 (CapMask: 0x9204"));
}

TEST_F(Perf, AllPortsComeAsASumOrOneAfterTheOther)
{
    auto const sum = perf({"-a", "1"});
    EXPECT_EQ(sum.exit_code, 0) << sum.err;
    EXPECT_THAT(sum.err, IsEmpty());
    EXPECT_EQ(lines(sum.out), 22);
    EXPECT_EQ(perf({"1", "255"}).out, sum.out);
    auto const emulated = perf({"-a", "6"});
    EXPECT_EQ(emulated.exit_code, 0);
    EXPECT_THAT(emulated.err, HasSubstr("note: LID 6 has no AllPortSelect"));
    EXPECT_THAT(emulated.out, HasSubstr("# Port counters: Lid 6 port 255 "));
    auto const each = perf({"-l", "1"});
    EXPECT_EQ(each.exit_code, 0) << each.err;
    // The switch has an enhanced port 0.
    for (auto const* port : {"port 0 ", "port 1 ", "port 2 ", "port 3 ", "port 4 "})
        EXPECT_THAT(each.out, HasSubstr(std::string{"# Port counters: Lid 1 "} + port));
    EXPECT_EQ(lines(each.out), 5 * 22);
}

TEST_F(Perf, ResetsWhatItHasReadOrWithoutReading)
{
    auto const read = perf({"-r", "6", "1", "--json"});
    ASSERT_EQ(read.exit_code, 0) << read.err;
    auto const object = boost::json::parse(read.out).as_object();
    EXPECT_TRUE(object.at("reset").as_bool());
    EXPECT_EQ(object.at("counters").at("PortRcvPkts").to_number<unsigned>(), 2U);
    auto const reset = perf({"-R", "6", "1"});
    EXPECT_EQ(reset.exit_code, 0) << reset.err;
    EXPECT_THAT(reset.out, IsEmpty());
    auto const told = boost::json::parse(perf({"-R", "-x", "-l", "6", "--json"}).out).as_object();
    EXPECT_TRUE(told.at("counters").is_null());
    EXPECT_TRUE(told.at("reset").as_bool());
    EXPECT_EQ(told.at("attribute").as_string(), "PortCountersExtended");
    EXPECT_EQ(perf({"-R", "1", "255", "0x1000"}).exit_code, 0);
}

TEST_F(Perf, PrintsJsonALineForEachPort)
{
    auto const said = perf({"-l", "-x", "1", "--json"});
    ASSERT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(lines(said.out), 5);
    auto const first = boost::json::parse(said.out.substr(0, said.out.find('\n'))).as_object();
    EXPECT_EQ(first.at("destination").as_string(), "LID 1");
    EXPECT_EQ(first.at("port").as_int64(), 0) << "an enhanced one";
    EXPECT_EQ(first.at("attribute").as_string(), "PortCountersExtended");
    EXPECT_EQ(first.at("capability_mask").as_int64(), 0x9304);
    EXPECT_FALSE(first.at("port_by_port").as_bool());
    EXPECT_FALSE(first.at("reset").as_bool());
    EXPECT_FALSE(first.at("counters").as_object().contains("PortSelect"));
    EXPECT_EQ(first.at("counters").as_object().size(), 22U);
    auto const lanes = boost::json::parse(perf({"-S", "6", "1", "--json"}).out);
    EXPECT_EQ(lanes.at("counters").at("PortRcvDataSL").as_array().size(), 16U);
    EXPECT_EQ(lanes.at("counters").at("PortRcvDataSL").as_array().at(0).to_number<unsigned>(), 144U);
}

TEST_F(Perf, FindsAPortByItsGuid)
{
    auto const said = perf({"-G", "024d41444800000d"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("# Port counters: Lid 8 port 1 "));
    EXPECT_EQ(perf({"-G", "0x1"}).exit_code, 1);
}

TEST_F(Perf, FailuresNameWhatWasAsked)
{
    auto const refused = perf({"6", "9"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.out, IsEmpty());
    EXPECT_THAT(refused.err, HasSubstr("Get(PortCounters) of LID 6"));
    EXPECT_THAT(refused.err, HasSubstr("status 0x001c"));
    auto const silent = perf({"999", "1", "-t", "10", "--retries", "0"});
    EXPECT_EQ(silent.exit_code, 1);
    EXPECT_THAT(silent.err, HasSubstr("Get(ClassPortInfo) of LID 999"));
    auto const unconfigured = on_fabric({"perf", "6", "1"});
    EXPECT_EQ(unconfigured.exit_code, 1);
    EXPECT_THAT(unconfigured.err, Not(HasSubstr("out of range")));
    EXPECT_EQ(lines(unconfigured.err), 1);
}

} // namespace
} // namespace madrigal::cli::test
