// A library that was built without libpcap.
#include <madrigal/capture/pcap_file.hpp>

#include <boost/system/errc.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal {
namespace {

TEST(PcapFileWithoutLibpcap, SaysWhatIsMissing)
{
    EXPECT_FALSE(pcap_file::supported());
    auto const made = pcap_file::create("fabric.pcap");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), boost::system::errc::not_supported);
    EXPECT_THAT(made.error().message(), testing::StartsWith("fabric.pcap: this madrigal was built without libpcap"));
}

} // namespace
} // namespace madrigal
