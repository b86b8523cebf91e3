#include "echo_process.hpp"
#include "loops.hpp"

#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/smp.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

namespace madrigal::bench {
namespace {

class epoll_watch {
public:
    explicit epoll_watch(int watched) noexcept : epoll_{::epoll_create1(EPOLL_CLOEXEC)}
    {
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        (void)::epoll_ctl(epoll_, EPOLL_CTL_ADD, watched, &wanted);
    }
    epoll_watch(epoll_watch const&) = delete;
    epoll_watch& operator=(epoll_watch const&) = delete;
    ~epoll_watch() { ::close(epoll_); }

    /// True when there is something to read, false when nothing came in time.
    [[nodiscard]] bool wait(std::chrono::milliseconds at_most) const noexcept
    {
        epoll_event event{};
        int count = 0;
        do {
            count = ::epoll_wait(epoll_, &event, 1, static_cast<int>(at_most.count()));
        } while (count < 0 && errno == EINTR);
        return count > 0;
    }

private:
    int epoll_;
};

/// One packet for all requests, in which only the transaction id changes.
class question {
public:
    question() noexcept
    {
        build_directed_route_smp(std::span{packet_}.subspan<umad::header_size, mad_size>(), method::get, 0,
            node_info::layout.id, 0, 0, directed_route{0, 1});
    }
    [[nodiscard]] bool write(int descriptor, std::uint64_t transaction_id) noexcept
    {
        mutable_mad_view{std::span{packet_}.subspan(umad::header_size)}.set_transaction_id(transaction_id);
        return ::write(descriptor, packet_.data(), packet_.size()) == static_cast<ssize_t>(packet_.size());
    }

private:
    std::array<std::byte, packet_size> packet_{};
};

} // namespace

result<measured> run_raw_loop(int descriptor, load_options const& options)
{
    meter meter{options};
    epoll_watch const watch{descriptor};
    question ask;
    std::array<std::byte, packet_size> answer{};
    std::vector<meter::clock::time_point> begun(options.window, meter::clock::now());
    unsigned outstanding = 0;
    for (; outstanding != options.window; ++outstanding)
        if (!ask.write(descriptor, outstanding + 1))
            return errno_error(errno, "writing to the echo process");
    while (outstanding != 0) {
        if (!watch.wait(options.timeout))
            return error{errc::timeout, "the echo process"};
        for (;;) {
            auto const got = ::read(descriptor, answer.data(), answer.size());
            if (got < 0 && errno == EAGAIN)
                break;
            if (got != static_cast<ssize_t>(answer.size()))
                return errno_error(got < 0 ? errno : EIO, "reading from the echo process");
            mad_view const mad{std::span{answer}.subspan(umad::header_size)};
            auto const place = mad.transaction_id() - 1;
            if (place >= begun.size() || !mad.is_response())
                return error{errc::malformed_answer, "from the echo process"};
            begun[place] = meter.on_answer(begun[place]);
            if (!meter.running())
                --outstanding;
            else if (!ask.write(descriptor, place + 1))
                return errno_error(errno, "writing to the echo process");
        }
    }
    return meter.outcome();
}

} // namespace madrigal::bench
