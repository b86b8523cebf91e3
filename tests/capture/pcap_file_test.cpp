// Captures read back by libpcap, and files that cannot be written.
#include "capture/captured.hpp"

#include <gmock/gmock.h>
#include <pcap/pcap.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

namespace madrigal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct read_packet {
    std::chrono::sys_time<std::chrono::nanoseconds> when;
    std::vector<std::byte> bytes;
};

struct read_capture {
    int link_type = -1;
    std::string error;
    std::vector<read_packet> packets;

    explicit read_capture(std::string const& path)
    {
        std::array<char, PCAP_ERRBUF_SIZE> why{};
        std::unique_ptr<pcap_t, decltype(&::pcap_close)> const handle{
            ::pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why.data()),
            &::pcap_close};
        if (!handle) {
            error = why.data();
            return;
        }
        link_type = ::pcap_datalink(handle.get());
        pcap_pkthdr* header = nullptr;
        u_char const* data = nullptr;
        int outcome = 0;
        while ((outcome = ::pcap_next_ex(handle.get(), &header, &data)) == 1) {
            EXPECT_EQ(header->caplen, header->len);
            auto const* const first = reinterpret_cast<std::byte const*>(data);
            packets.push_back(
                {std::chrono::sys_time<std::chrono::nanoseconds>{
                     std::chrono::seconds{header->ts.tv_sec} + std::chrono::nanoseconds{header->ts.tv_usec}},
                    {first, first + header->caplen}});
        }
        if (outcome != PCAP_ERROR_BREAK)
            error = ::pcap_geterr(handle.get());
    }
};

/// Where the MAD is, and the headers before it.
struct taken_apart {
    local_route_header lrh;
    std::optional<global_route_header> grh;
    base_transport_header bth;
    datagram_transport_header deth;
    std::span<std::byte const> mad;

    explicit taken_apart(std::span<std::byte const> bytes, pcap_link_type link_type = pcap_link_type::erf)
    {
        if (link_type == pcap_link_type::erf)
            bytes = bytes.subspan(16);
        lrh = decode<local_route_header>(bytes).value();
        EXPECT_EQ(bytes.size(), lrh.length * 4U + 2);
        bytes = bytes.subspan(8);
        if (lrh.next == next_link_header::global) {
            grh = decode<global_route_header>(bytes);
            bytes = bytes.subspan(40);
        }
        bth = decode<base_transport_header>(bytes).value();
        deth = decode<datagram_transport_header>(bytes.subspan(12)).value();
        mad = bytes.subspan(20, mad_size);
    }
};

struct PcapFile : ::testing::Test {
    PcapFile()
    {
        if (!pcap_file::supported())
            throw std::logic_error{"these tests are built with libpcap, and the library without"};
    }
    scratch directory;
    std::string path = directory.file("fabric.pcap");
};

TEST_F(PcapFile, HoldsEveryPacketInOrderWithItsMad)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    f.make_traffic();
    auto const counted = f.own.counters();
    EXPECT_EQ(f.seen.size(), counted.packets_written + counted.packets_read);
    EXPECT_EQ(file.packets(), f.seen.size());
    ASSERT_TRUE(file.close());

    read_capture const read{path};
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.link_type, 197);
    ASSERT_EQ(read.packets.size(), f.seen.size());
    for (std::size_t i = 0; i != f.seen.size(); ++i) {
        auto const& seen = f.seen[i];
        taken_apart const packet{read.packets[i].bytes};
        EXPECT_EQ(read.packets[i].when, seen.when) << i;
        EXPECT_TRUE(std::ranges::equal(packet.mad, seen.mad)) << i;
        auto const peer = seen.sent() ? packet.lrh.destination : packet.lrh.source;
        EXPECT_EQ(peer.value(), seen.header.lid.value()) << i;
    }
}

TEST_F(PcapFile, MayHoldBareInfinibandPackets)
{
    captured_fabric f;
    auto const file = pcap_file::create(path, pcap_link_type::infiniband).value();
    f.capture_into(file);
    f.make_traffic();
    ASSERT_TRUE(file.close());
    read_capture const read{path};
    EXPECT_EQ(read.link_type, 247);
    ASSERT_EQ(read.packets.size(), f.seen.size());
    for (std::size_t i = 0; i != f.seen.size(); ++i) {
        taken_apart const packet{read.packets[i].bytes, pcap_link_type::infiniband};
        EXPECT_TRUE(std::ranges::equal(packet.mad, f.seen[i].mad)) << i;
    }
}

TEST_F(PcapFile, ShowsSmpsOnQueuePairZeroAndLaneFifteen)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    f.make_traffic();
    ASSERT_TRUE(file.close());
    read_capture const read{path};
    auto const own = f.own.attributes().base_lid;
    std::size_t directed = 0;
    std::size_t by_lid = 0;
    for (auto const& one : read.packets) {
        taken_apart const packet{one.bytes};
        auto const of = mad_view{packet.mad}.mgmt_class();
        if (!is_smp(of))
            continue;
        EXPECT_EQ(packet.lrh.virtual_lane, 15);
        EXPECT_EQ(packet.bth.destination_qp, 0u);
        EXPECT_EQ(packet.deth.source_qp, 0u);
        EXPECT_FALSE(packet.grh);
        bool const answer = mad_view{packet.mad}.is_response();
        if (of == management_class::subnet_directed_route) {
            ++directed;
            EXPECT_EQ(packet.lrh.source, permissive_lid);
            EXPECT_EQ(packet.lrh.destination, permissive_lid);
        } else {
            ++by_lid;
            EXPECT_EQ(packet.lrh.source, answer ? f.other_lid() : own);
            EXPECT_EQ(packet.lrh.destination, answer ? own : f.other_lid());
        }
    }
    EXPECT_GT(directed, 20u);
    EXPECT_EQ(by_lid, 2u);
}

TEST_F(PcapFile, ShowsGmpsOnQueuePairOneWithTheGrhThatTheyHave)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    f.make_traffic();
    ASSERT_TRUE(file.close());
    read_capture const read{path};
    auto const& own = f.own.attributes();
    std::vector<bool> global;
    for (auto const& one : read.packets) {
        taken_apart const packet{one.bytes};
        mad_view const mad{packet.mad};
        if (is_smp(mad.mgmt_class()))
            continue;
        EXPECT_NE(packet.lrh.virtual_lane, 15);
        EXPECT_EQ(packet.bth.destination_qp, 1u);
        EXPECT_EQ(packet.bth.p_key, 0xFFFF);
        EXPECT_EQ(packet.deth.source_qp, 1u);
        EXPECT_EQ(packet.deth.q_key, 0x8001'0000u);
        EXPECT_EQ(packet.lrh.source, mad.is_response() ? f.other_lid() : own.base_lid);
        EXPECT_EQ(packet.lrh.destination, mad.is_response() ? own.base_lid : f.other_lid());
        global.push_back(packet.grh.has_value());
        if (!packet.grh)
            continue;
        EXPECT_EQ(packet.grh->source, mad.is_response() ? f.other_gid() : own.gids.front());
        EXPECT_EQ(packet.grh->destination, mad.is_response() ? own.gids.front() : f.other_gid());
    }
    EXPECT_EQ(global, (std::vector<bool>{false, false, true, true}));
}

TEST_F(PcapFile, TellsTheTimeOfTheReactorsClock)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    auto const smp = f.own.register_agent(umad::subnet_lid_routed()).value();
    auto const before = f.s.time.now();
    ASSERT_TRUE(f.s.run(smp.async_request(get<node_info>(f.other_lid()), {.timeout = 100ms}, as_result)));
    auto const took = f.s.time.now() - before;
    ASSERT_TRUE(file.close());
    read_capture const read{path};
    ASSERT_EQ(read.packets.size(), 2u);
    EXPECT_EQ(read.packets[1].when - read.packets[0].when, took);
    EXPECT_GT(took, 0ns);
    EXPECT_GT(read.packets[0].when.time_since_epoch(), std::chrono::years{50}) << "wall-clock time";
}

TEST_F(PcapFile, TakesThePacketsOfSeveralPorts)
{
    captured_fabric f;
    auto const other_host =
        sim::host::make(f.s.fabric, to_string(f.s.fabric->layout().at(f.other().node).node_guid)).value();
    reactor const other_reactor{f.s.loop, *other_host, reactor_options{.time = &f.s.time}};
    auto const other_port = other_reactor.open().value();
    auto const file = pcap_file::create(path).value();
    f.own.tap(file.sink());
    other_port.tap(file.sink());
    for (auto const& from : {f.own, other_port}) {
        auto const smp = from.register_agent(umad::subnet_directed_route()).value();
        ASSERT_TRUE(f.s.run(smp.async_request(get<node_info>(directed_route{0, 1}), {.timeout = 100ms}, as_result)));
    }
    ASSERT_TRUE(file.close());
    EXPECT_EQ(read_capture{path}.packets.size(), 4u);
}

TEST_F(PcapFile, IsACaptureAlsoWithoutAnyPacket)
{
    ASSERT_TRUE(pcap_file::create(path).value().close());
    read_capture const read{path};
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.link_type, 197);
    EXPECT_TRUE(read.packets.empty());
}

TEST_F(PcapFile, ReplacesOneThatIsThere)
{
    std::ofstream{path} << std::string(10'000, 'x');
    ASSERT_TRUE(pcap_file::create(path).value().close());
    EXPECT_EQ(std::filesystem::file_size(path), 24u);
}

TEST_F(PcapFile, CanBeReadAfterAFlush)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    f.make_traffic();
    ASSERT_TRUE(file.flush());
    EXPECT_EQ(read_capture{path}.packets.size(), f.seen.size());
}

TEST_F(PcapFile, SaysWhyItCannotBeCreated)
{
    auto const nowhere = directory.file("no/such.pcap");
    auto const made = pcap_file::create(nowhere);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message(), nowhere + ": No such file or directory");
    EXPECT_THAT(pcap_file::create("/dev/full").error().message(), StartsWith("/dev/full: No space left on device"));
}

/// Files of this process end after so many bytes, as on a full disk, though with another errno.
class files_end {
public:
    explicit files_end(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        auto changed = before_;
        changed.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &changed);
        handler_ = std::signal(SIGXFSZ, SIG_IGN); // NOLINT(cert-err33-c)
    }
    files_end(files_end const&) = delete;
    files_end& operator=(files_end const&) = delete;
    ~files_end()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        (void)std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

TEST_F(PcapFile, ThatCanNoLongerBeWrittenEndsTheTapAndNothingElse)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    {
        files_end const full{10'000};
        f.make_traffic(); // and all of it succeeds
    }
    auto const counted = f.own.counters();
    EXPECT_LT(f.seen.size(), counted.packets_written + counted.packets_read);
    auto const written = file.close();
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message(), path + ": File too large");
    EXPECT_EQ(file.close().error().message(), written.error().message()) << "again";
    read_capture const read{path};
    EXPECT_THAT(read.error, HasSubstr("truncated"));
    EXPECT_GT(read.packets.size(), 20u);
}

TEST_F(PcapFile, ThatIsClosedTakesNoMore)
{
    captured_fabric f;
    auto const file = pcap_file::create(path).value();
    f.capture_into(file);
    ASSERT_TRUE(file.close());
    f.make_traffic();
    EXPECT_EQ(f.seen.size(), 1u) << "the sink that failed is taken off";
    EXPECT_TRUE(file.close());
    EXPECT_TRUE(read_capture{path}.packets.empty());
}

} // namespace
} // namespace madrigal::testing
