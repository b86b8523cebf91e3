// Where the library is built without libpcap: nothing can be created, so the rest is never called.
#include <madrigal/capture/pcap_file.hpp>

#include <boost/system/errc.hpp>

namespace madrigal {

namespace {

error missing(std::string const& path)
{
    return {make_error_code(boost::system::errc::not_supported),
        path + ": this madrigal was built without libpcap (Debian: libpcap-dev), which writes captures"};
}

} // namespace

class pcap_file::writer {};

bool pcap_file::supported() noexcept
{
    return false;
}

result<pcap_file> pcap_file::create(std::string const& path, pcap_link_type)
{
    return missing(path);
}

packet_sink pcap_file::sink() const
{
    return {};
}

std::uint64_t pcap_file::packets() const noexcept
{
    return 0;
}

result<void> pcap_file::flush() const
{
    return missing("capture");
}

result<void> pcap_file::close() const
{
    return missing("capture");
}

} // namespace madrigal
