#include <madrigal/capture/pcap_file.hpp>

#include "capture/erf_header.hpp"

#include <madrigal/wire/link_packet.hpp>

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace madrigal {
namespace {

struct close_pcap {
    void operator()(pcap_t* handle) const noexcept { ::pcap_close(handle); }
};
struct close_dumper {
    void operator()(pcap_dumper_t* dumper) const noexcept { ::pcap_dump_close(dumper); }
};
struct close_stream {
    void operator()(std::FILE* stream) const noexcept { (void)std::fclose(stream); }
};

/// The time in the two halves that pcap keeps; in files of that precision `tv_usec` counts nanoseconds.
timeval stamp(std::chrono::sys_time<std::chrono::nanoseconds> when) noexcept
{
    auto const since = std::max(when.time_since_epoch(), std::chrono::nanoseconds::zero());
    auto const seconds = std::chrono::floor<std::chrono::seconds>(since);
    timeval halves{};
    halves.tv_sec = static_cast<decltype(halves.tv_sec)>(seconds.count());
    halves.tv_usec = static_cast<decltype(halves.tv_usec)>((since - seconds).count());
    return halves;
}

} // namespace

/// The open file; all members under the mutex.
class pcap_file::writer {
public:
    writer(std::string path, pcap_link_type link_type) : path_{std::move(path)}, link_type_{link_type} {}

    result<void> open()
    {
        handle_.reset(::pcap_open_dead_with_tstamp_precision(static_cast<int>(link_type_),
            static_cast<int>(erf_header_size + max_link_packet_size), PCAP_TSTAMP_PRECISION_NANO));
        if (!handle_)
            return errno_error(ENOMEM, path_);
        // Not by pcap_dump_open, for which "-" is stdout and which keeps no errno.
        std::unique_ptr<std::FILE, close_stream> stream{std::fopen(path_.c_str(), "wbe")};
        if (!stream)
            return errno_error(path_);
        dumper_.reset(::pcap_dump_fopen(handle_.get(), stream.get()));
        if (!dumper_)
            return errno_error(path_);
        (void)stream.release();
        // The file's header, now: what cannot take it will not take packets either.
        return flush();
    }

    result<void> write(tapped_packet const& packet)
    {
        std::array<std::byte, erf_header_size + max_link_packet_size> memory;
        auto bytes = build_link_packet(std::span{memory}.last<max_link_packet_size>(), route_of(packet), packet.mad);
        if (link_type_ == pcap_link_type::erf) {
            auto const before = erf_header(packet.direction, packet.when, bytes.size());
            std::copy(before.begin(), before.end(), memory.begin());
            bytes = std::span{memory}.first(before.size() + bytes.size());
        }
        pcap_pkthdr header{};
        header.ts = stamp(packet.when);
        header.caplen = header.len = static_cast<bpf_u_int32>(bytes.size());

        std::lock_guard const lock{mutex_};
        if (failure_)
            return *failure_;
        if (!dumper_)
            return errno_error(EBADF, path_ + " has been closed");
        errno = 0;
        ::pcap_dump(reinterpret_cast<u_char*>(dumper_.get()), &header, reinterpret_cast<u_char const*>(bytes.data()));
        if (std::ferror(::pcap_dump_file(dumper_.get())) != 0)
            return fail();
        ++packets_;
        return outcome::success();
    }

    result<void> flush()
    {
        std::lock_guard const lock{mutex_};
        return flush_locked();
    }

    result<void> close()
    {
        std::lock_guard const lock{mutex_};
        auto flushed = flush_locked();
        dumper_.reset();
        return flushed;
    }

    std::uint64_t packets() noexcept
    {
        std::lock_guard const lock{mutex_};
        return packets_;
    }

private:
    result<void> flush_locked()
    {
        if (failure_)
            return *failure_;
        if (dumper_) {
            errno = 0;
            if (::pcap_dump_flush(dumper_.get()) != 0)
                return fail();
        }
        return outcome::success();
    }
    /// Remembers errno as the first failure.
    error fail()
    {
        failure_ = errno_error(errno != 0 ? errno : EIO, path_);
        return *failure_;
    }

    std::string path_;
    pcap_link_type link_type_;
    std::mutex mutex_;
    std::unique_ptr<pcap_t, close_pcap> handle_;
    std::unique_ptr<pcap_dumper_t, close_dumper> dumper_;
    std::optional<error> failure_;
    std::uint64_t packets_ = 0;
};

bool pcap_file::supported() noexcept
{
    return true;
}

result<pcap_file> pcap_file::create(std::string const& path, pcap_link_type link_type)
{
    auto made = std::make_shared<writer>(path, link_type);
    BOOST_OUTCOME_TRY(made->open());
    return pcap_file{std::move(made)};
}

packet_sink pcap_file::sink() const
{
    return [to = writer_](tapped_packet const& packet) { return to->write(packet); };
}

std::uint64_t pcap_file::packets() const noexcept
{
    return writer_->packets();
}

result<void> pcap_file::flush() const
{
    return writer_->flush();
}

result<void> pcap_file::close() const
{
    return writer_->close();
}

} // namespace madrigal
