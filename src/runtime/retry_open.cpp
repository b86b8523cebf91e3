#include <madrigal/runtime/detail/retry_open.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>

namespace madrigal::detail {
namespace {

constexpr duration longest_interval = std::chrono::milliseconds{250};
constexpr duration brief_wait = std::chrono::seconds{2};

/// `never` for a time that the clock cannot count to.
time_point deadline_after(time_point now, std::chrono::milliseconds within) noexcept
{
    return within >= std::chrono::floor<std::chrono::milliseconds>(never - now) ? never : now + within;
}

} // namespace

bool may_come_later(error const& why) noexcept
{
    auto const code = why.code();
    if (code.category() == errc_category())
        switch (static_cast<errc>(code.value())) {
        case errc::no_infiniband:
        case errc::no_such_ca:
        case errc::no_such_port:
        case errc::no_usable_port:
        case errc::device_gone:
        case errc::malformed_sysfs_value: return true; // of a directory that is just being filled
        default: return false;
        }
    if (code.category() == boost::system::system_category())
        switch (code.value()) {
        case ENOENT:
        case ENODEV:
        case ENXIO:
        case EACCES:
        case EPERM:
        case EIO: return true;
        default: return false;
        }
    return false;
}

patience for_a_device(error const& why) noexcept
{
    return may_come_later(why) ? patience::full : patience::none;
}

patience for_a_claim(error const& why) noexcept
{
    auto const code = why.code();
    if (code == errc::device_gone || code == errc::no_infiniband || code == errc::no_such_ca ||
        code == errc::no_such_port)
        return patience::full;
    if (code.category() == boost::system::system_category())
        switch (code.value()) {
        case EAGAIN:
        case EBUSY:
        case ENODEV:
        case ENXIO:
        case EIO: return patience::full;
        default: break;
        }
    return may_come_later(why) ? patience::brief : patience::none;
}

retry_loop::retry_loop(std::shared_ptr<reactor_core> reactor, std::chrono::milliseconds within,
    std::function<result<void>()> attempt, std::function<void(error_code)> done, worth_waiting waits_for)
    : reactor_{std::move(reactor)},
      deadline_{deadline_after(reactor_->time().now(), within)},
      attempt_{std::move(attempt)},
      done_{std::move(done)},
      waits_for_{waits_for}
{}

void retry_loop::start()
{
    alive_ = shared_from_this();
    reactor_->add(alive_);
    alarm_ = reactor_->time().make_alarm([this] { attempt(); });
    asio::post(reactor_->executor(), [self = shared_from_this()] {
        if (self->done_)
            self->attempt();
    });
}

void retry_loop::attempt()
{
    auto const self = shared_from_this();
    auto const tried = attempt_();
    if (tried) {
        finish({});
        return;
    }
    auto const how_long = waits_for_(tried.error());
    if (how_long == patience::none) {
        finish(tried.error().code());
        return;
    }
    auto const now = reactor_->time().now();
    bool const brief = how_long == patience::brief;
    if (!brief)
        brief_until_.reset();
    else if (!brief_until_)
        brief_until_ = now + brief_wait;
    auto const until = brief ? std::min(*brief_until_, deadline_) : deadline_;
    if (now >= until) {
        if (brief)
            finish(tried.error().code()); // which says more than that the time is up
        else
            finish(errc::timeout);
        return;
    }
    alarm_->arm(std::min(now + interval_, until));
    interval_ = std::min(2 * interval_, longest_interval);
}

void retry_loop::cancel()
{
    if (!done_)
        return;
    alarm_->arm(never);
    asio::post(reactor_->executor(), [self = shared_from_this()] { self->finish(asio::error::operation_aborted); });
}

void retry_loop::abandon() noexcept
{
    auto const self = std::move(alive_);
    auto const done = std::exchange(done_, nullptr);
    attempt_ = nullptr;
    alarm_.reset();
}

void retry_loop::finish(error_code code)
{
    if (!done_)
        return;
    auto const done = std::exchange(done_, nullptr);
    attempt_ = nullptr;
    auto const self = std::move(alive_);
    done(code);
}

} // namespace madrigal::detail
