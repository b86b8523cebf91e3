// Captures that Wireshark opens.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/packet_tap.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace madrigal {

/// What stands in a pcap file before each InfiniBand packet, by the number of its link type.
enum class pcap_link_type : int {
    /// LINKTYPE_ERF: a header of 16 bytes that says that InfiniBand follows, and in which direction it went: "capture
    /// interface" 0 sent, 1 received. Wireshark reads this, as ibdump's captures.
    erf = 197,
    /// LINKTYPE_INFINIBAND: nothing. Wireshark 4.0 refuses such files, though it could dissect the packets.
    infiniband = 247,
};

/// A pcap file with times in nanoseconds: each packet from its LRH to its VCRC, built by `route_of` and
/// `build_link_packet` from what the kernel tells. Wireshark and tshark show the MADs with all their fields.
///
///     auto file = pcap_file::create("fabric.pcap").value();
///     port.tap(file.sink());
///     ...
///     if (auto const written = file.close(); !written)
///         spdlog::error("{}", written.error().message()); // fabric.pcap: No space left on device
///
/// Copies share the file; it closes with the last of them and of its sinks. All members and sinks may be used on any
/// thread, so ports of several loops may go into one file.
class pcap_file {
public:
    /// Whether this library was built with libpcap.
    [[nodiscard]] static bool supported() noexcept;

    /// Creates the file, or empties one that is there. Errors: what the system says of the path; `not_supported`, with
    /// a sentence why, where the library was built without libpcap.
    [[nodiscard]] static result<pcap_file> create(
        std::string const& path, pcap_link_type link_type = pcap_link_type::erf);

    /// For `port::tap`. It fails when the file can no longer be written, or has been closed.
    [[nodiscard]] packet_sink sink() const;

    /// Packets written, as far as is known: some may still be in memory.
    [[nodiscard]] std::uint64_t packets() const noexcept;

    /// Writes out what is in memory, so that others can read it.
    [[nodiscard]] result<void> flush() const;
    /// Flushes and closes. The error is the first that writing has come to, now or before; the file then holds the
    /// packets up to there, of which the last may be cut off. Again: the same outcome.
    [[nodiscard]] result<void> close() const;

private:
    class writer;
    explicit pcap_file(std::shared_ptr<writer> to) noexcept : writer_{std::move(to)} {}

    std::shared_ptr<writer> writer_;
};

} // namespace madrigal
