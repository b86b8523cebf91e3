// Captures as Wireshark understands them: its dissector is another reading of the IBA's tables.
#include "capture/captured.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include <arpa/inet.h>

namespace madrigal::testing {
namespace {

/// What a shell command prints, and whether it has succeeded.
struct command_output {
    std::string text;
    bool succeeded = false;

    explicit command_output(std::string const& command)
    {
        auto* const stream = ::popen(command.c_str(), "re"); // NOLINT(cert-env33-c): names of the test's own making
        if (stream == nullptr)
            return;
        std::array<char, 4096> part{};
        while (auto const count = std::fread(part.data(), 1, part.size(), stream))
            text.append(part.data(), count);
        succeeded = ::pclose(stream) == 0;
    }
};

std::vector<std::string> split(std::string const& text, char at)
{
    std::vector<std::string> parts;
    std::istringstream in{text};
    for (std::string part; std::getline(in, part, at);)
        parts.push_back(part);
    if (!text.empty() && text.back() == at && at != '\n')
        parts.emplace_back();
    return parts;
}

/// `fe80::1` as tshark prints GIDs, as bytes.
std::string plain(gid const& of)
{
    std::string text;
    for (auto const byte : of.bytes())
        text += fmt::format("{:02x}", byte);
    return text;
}

/// A number as tshark prints it: decimal or 0x…; -1 for none.
std::int64_t number(std::string const& text)
{
    return text.empty() ? -1 : static_cast<std::int64_t>(std::stoull(text, nullptr, 0));
}

class Tshark : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!command_output{"tshark --version 2>/dev/null"}.succeeded)
            GTEST_SKIP() << "tshark is not installed (Debian: tshark)";
        auto const file = pcap_file::create(path).value();
        f.capture_into(file);
        f.make_traffic();
        ASSERT_TRUE(file.close());
    }

    /// A row a packet: the first value of each field, empty where the packet has none.
    [[nodiscard]] std::vector<std::vector<std::string>> dissect(std::vector<std::string> const& fields) const
    {
        std::string command = "tshark -n -r '" + path + "' -T fields -E occurrence=f";
        for (auto const& field : fields)
            command += " -e " + field;
        command_output const said{command + " 2>/dev/null"};
        EXPECT_TRUE(said.succeeded) << command;
        std::vector<std::vector<std::string>> rows;
        for (auto const& line : split(said.text, '\n')) {
            rows.push_back(split(line, '\t'));
            rows.back().resize(fields.size());
        }
        return rows;
    }

    scratch directory;
    std::string path = directory.file("fabric.pcap");
    captured_fabric f;
};

TEST_F(Tshark, ReadsTheHeaderOfEveryMad)
{
    auto const rows = dissect({"infiniband.mad.baseversion", "infiniband.mad.mgmtclass", "infiniband.mad.classversion",
        "infiniband.mad.method", "infiniband.mad.transactionid", "infiniband.mad.attributeid",
        "infiniband.mad.attributemodifier"});
    ASSERT_EQ(rows.size(), f.seen.size());
    for (std::size_t i = 0; i != rows.size(); ++i) {
        auto const mad = f.seen[i].view();
        auto const& row = rows[i];
        EXPECT_EQ(number(row[0]), 1) << i;
        EXPECT_EQ(number(row[1]), static_cast<int>(mad.mgmt_class())) << i;
        EXPECT_EQ(number(row[2]), mad.class_version()) << i;
        EXPECT_EQ(number(row[3]), static_cast<int>(mad.method())) << i;
        EXPECT_EQ(std::stoull(row[4], nullptr, 0), mad.transaction_id()) << i;
        EXPECT_EQ(number(row[5]), mad.attribute_id()) << i;
        EXPECT_EQ(number(row[6]), mad.attribute_modifier()) << i;
    }
}

TEST_F(Tshark, ReadsLidsQueuePairsAndKeys)
{
    auto const rows = dissect({"infiniband.lrh.vl", "infiniband.lrh.lver", "infiniband.lrh.sl", "infiniband.lrh.slid",
        "infiniband.lrh.dlid", "infiniband.lrh.pktlen", "infiniband.bth.opcode", "infiniband.bth.p_key",
        "infiniband.bth.destqp", "infiniband.bth.padcnt", "infiniband.deth.q_key", "infiniband.deth.srcqp"});
    ASSERT_EQ(rows.size(), f.seen.size());
    auto const own = f.own.attributes().base_lid.value();
    for (std::size_t i = 0; i != rows.size(); ++i) {
        auto const& row = rows[i];
        auto const& seen = f.seen[i];
        bool const smp = is_smp(seen.view().mgmt_class());
        auto const peer = seen.header.lid.value();
        auto const here = peer == 0xFFFF ? 0xFFFF : own;
        EXPECT_EQ(number(row[0]), smp ? 15 : 0) << i;
        EXPECT_EQ(number(row[1]), 0) << i;
        EXPECT_EQ(number(row[2]), 0) << i;
        EXPECT_EQ(number(row[3]), seen.sent() ? here : peer) << i;
        EXPECT_EQ(number(row[4]), seen.sent() ? peer : here) << i;
        EXPECT_EQ(number(row[5]), seen.header.grh_present != 0 ? 82 : 72) << i;
        EXPECT_EQ(number(row[6]), 0x64) << i;
        EXPECT_EQ(number(row[7]), 0xFFFF) << i;
        EXPECT_EQ(number(row[8]), smp ? 0 : 1) << i;
        EXPECT_EQ(number(row[9]), 0) << i;
        EXPECT_EQ(number(row[10]), smp ? 0 : 0x8001'0000) << i;
        EXPECT_EQ(number(row[11]), smp ? 0 : 1) << i;
    }
}

TEST_F(Tshark, ReadsTimesAndDirections)
{
    auto const rows = dissect({"frame.time_epoch", "erf.flags.cap", "erf.types.type", "erf.wlen"});
    ASSERT_EQ(rows.size(), f.seen.size());
    for (std::size_t i = 0; i != rows.size(); ++i) {
        auto const& seen = f.seen[i];
        auto const since = seen.when.time_since_epoch().count();
        EXPECT_EQ(rows[i][0], fmt::format("{}.{:09}", since / 1'000'000'000, since % 1'000'000'000)) << i;
        EXPECT_EQ(number(rows[i][1]), seen.sent() ? 0 : 1) << i;
        EXPECT_EQ(number(rows[i][2]), 21) << i;
        EXPECT_EQ(number(rows[i][3]), seen.header.grh_present != 0 ? 330 : 290) << i;
    }
}

TEST_F(Tshark, ReadsTheGrhOfTheMadsThatHaveOne)
{
    auto const rows = dissect({"infiniband.grh.ipver", "infiniband.grh.paylen", "infiniband.grh.nxthdr",
        "infiniband.grh.hoplmt", "infiniband.grh.sgid", "infiniband.grh.dgid"});
    ASSERT_EQ(rows.size(), f.seen.size());
    auto const own = plain(f.own.attributes().gids.front());
    auto const peer = plain(f.other_gid());
    // fe80::2:c903:0:1 has too many spellings: what the IPv6 parser makes of it is compared.
    auto const bytes_of = [](std::string const& text) {
        std::array<unsigned char, 16> bytes{};
        EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), bytes.data()), 1) << text;
        return plain(gid{bytes});
    };
    std::size_t global = 0;
    for (std::size_t i = 0; i != rows.size(); ++i) {
        auto const& row = rows[i];
        auto const& seen = f.seen[i];
        ASSERT_EQ(!row[0].empty(), seen.header.grh_present != 0) << i;
        if (row[0].empty())
            continue;
        ++global;
        EXPECT_EQ(number(row[0]), 6);
        EXPECT_EQ(number(row[1]), 280);
        EXPECT_EQ(number(row[2]), 0x1B);
        EXPECT_EQ(number(row[3]), seen.header.hop_limit);
        EXPECT_EQ(bytes_of(row[4]), seen.sent() ? own : peer);
        EXPECT_EQ(bytes_of(row[5]), seen.sent() ? peer : own);
    }
    EXPECT_EQ(global, 2u);
}

TEST_F(Tshark, ReadsTheAttributesInTheAnswers)
{
    auto const rows = dissect({"infiniband.nodeinfo.nodeguid", "infiniband.nodeinfo.numports",
        "infiniband.nodeinfo.localportnum", "infiniband.smpdirected.hopcount", "infiniband.smpdirected.drslid"});
    ASSERT_EQ(rows.size(), f.seen.size());
    std::size_t node_infos = 0;
    for (std::size_t i = 0; i != rows.size(); ++i) {
        auto const mad = f.seen[i].view();
        if (mad.mgmt_class() == management_class::subnet_directed_route) {
            EXPECT_EQ(number(rows[i][3]), mad.class_specific() & 0xFF) << i;
            EXPECT_EQ(number(rows[i][4]), 0xFFFF) << i;
        }
        if (!mad.is_response() || !is_smp(mad.mgmt_class()) || mad.attribute_id() != node_info::layout.id)
            continue;
        ++node_infos;
        auto const info = mad.attribute<node_info>().value();
        EXPECT_EQ(std::stoull(rows[i][0], nullptr, 0), info.node_guid.value()) << i;
        EXPECT_EQ(number(rows[i][1]), info.num_ports) << i;
        EXPECT_EQ(number(rows[i][2]), info.local_port_num) << i;
    }
    EXPECT_GE(node_infos, 8u);
}

TEST_F(Tshark, FindsNothingMalformed)
{
    command_output const said{"tshark -n -r '" + path + "' -Y '_ws.malformed || _ws.expert' 2>/dev/null"};
    EXPECT_TRUE(said.succeeded);
    EXPECT_EQ(said.text, "");
}

} // namespace
} // namespace madrigal::testing
