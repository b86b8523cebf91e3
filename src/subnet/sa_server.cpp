#include <madrigal/subnet/sa_server.hpp>

#include "subnet/log.hpp"
#include "subnet/sa_server_core.hpp"

#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/attributes/class_port_info.hpp>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace madrigal {
namespace detail {

asio::awaitable<error_code> sa_server_core::run(std::shared_ptr<sa_server_core> self)
{
    if (self->runs_)
        co_return errc::invalid_argument;
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    self->runs_ = true;
    self->receives_ = true;
    self->end_ = {};
    self->receive_next();
    error_code ended;
    while (self->receives_) {
        if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none)
            self->close();
        co_await self->bell_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    }
    self->stop_work(true);
    bool due = false;
    auto const clock = self->on_.time().make_alarm([&] {
        due = true;
        self->bell_.cancel();
    });
    clock->arm(self->on_.time().now() + self->options_.farewell);
    while (self->handlers_running_ != 0 && !due)
        co_await self->bell_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    if (self->handlers_running_ != 0)
        madrigal::detail::subnet_log().warn(
            "a server of subnet administration ends while {} handlers go on", self->handlers_running_);
    self->runs_ = false;
    auto const why = self->end_;
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return why;
}

} // namespace detail

result<sa_server> sa_server::open(port const& on, sa_server_options const& options)
{
    auto wanted = umad::subnet_administration().serving(
        method::get, method::set, method::get_table, method::get_trace_table, method::get_multi, method::delete_);
    if (options.user_rmpp)
        wanted.flags |= umad::user_rmpp;
    auto over = on.register_agent(wanted, options.agent);
    if (!over)
        return over.error();
    sa_server made{std::make_shared<detail::sa_server_core>(on, std::move(over).value(), options)};
    class_port_info info;
    info.base_version = mad_base_version;
    info.class_version = wanted.class_version;
    info.capability_mask = options.capability_mask;
    info.capability_mask2 = options.capability_mask2;
    info.resp_time_value = options.response_time;
    made.serve<class_port_info>(
        method::get, [info](sa_asked<class_port_info> const&, sa_records<class_port_info>& out) {
            out.interprets_all();
            out.add(info);
            return mad_status::ok;
        });
    return made;
}

sa_server& sa_server::operator=(sa_server&& other) noexcept
{
    if (this != &other) {
        close();
        core_ = std::move(other.core_);
    }
    return *this;
}

sa_server::~sa_server()
{
    close();
}

void sa_server::put(std::uint16_t attribute_id, method how, detail::sa_responder handler) const
{
    core_->put(attribute_id, how, std::move(handler));
}

asio::awaitable<error_code> sa_server::run() const
{
    return detail::sa_server_core::run(core_);
}

void sa_server::pause() const
{
    core_->pause();
}

void sa_server::resume() const noexcept
{
    core_->resume();
}

bool sa_server::is_paused() const noexcept
{
    return core_->is_paused();
}

void sa_server::close() const noexcept
{
    if (core_)
        core_->close();
}

sa_server_counters sa_server::counters() const noexcept
{
    return core_->counters();
}

sa_server_gauges sa_server::gauges() const noexcept
{
    return core_->gauges();
}

agent const& sa_server::over() const noexcept
{
    return core_->over();
}

} // namespace madrigal
