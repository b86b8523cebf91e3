#include <sim/readiness.hpp>

#include <cstdint>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace madrigal::sim {

readiness::~readiness()
{
    if (event_ >= 0)
        ::close(event_);
    if (epoll_ >= 0)
        ::close(epoll_);
}

error readiness::open(int timer)
{
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ < 0)
        return errno_error("an epoll instance for a simulated umad file");
    event_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (event_ < 0)
        return errno_error("an eventfd for a simulated umad file");
    epoll_event watch{};
    watch.events = EPOLLIN;
    watch.data.fd = event_;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &watch) != 0)
        return errno_error("watching an eventfd");
    watch.data.fd = timer;
    if (timer >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, timer, &watch) != 0)
        return errno_error("watching the fabric's timer");
    return {};
}

void readiness::set() noexcept
{
    if (is_set_)
        return;
    std::uint64_t const one = 1;
    is_set_ = ::write(event_, &one, sizeof one) == sizeof one;
}

void readiness::clear() noexcept
{
    if (!is_set_)
        return;
    std::uint64_t count = 0;
    // A failed read leaves it set: then a later look finds nothing, which does no harm.
    is_set_ = ::read(event_, &count, sizeof count) != sizeof count;
}

} // namespace madrigal::sim
