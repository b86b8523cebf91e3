// Waiting until a descriptor is readable.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <sys/epoll.h>
#include <unistd.h>

namespace madrigal::bench {

/// An epoll instance over one descriptor.
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
    [[nodiscard]] bool wait(std::chrono::nanoseconds at_most) const noexcept
    {
        auto const whole = std::chrono::duration_cast<std::chrono::seconds>(at_most);
        std::timespec const limit{whole.count(), (at_most - whole).count()};
        epoll_event event{};
        int count = 0;
        do {
            count = ::epoll_pwait2(epoll_, &event, 1, &limit, nullptr);
        } while (count < 0 && errno == EINTR);
        return count > 0;
    }

private:
    int epoll_;
};

} // namespace madrigal::bench
