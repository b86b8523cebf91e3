#include "subnet/sa_server_core.hpp"

#include "subnet/log.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <madrigal/wire/rmpp.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

namespace madrigal::detail {
namespace {

constexpr std::uint8_t sa_class_version = 2;

std::uint32_t handler_key(std::uint16_t attribute_id, method how) noexcept
{
    return std::uint32_t{attribute_id} << 8 | static_cast<std::uint32_t>(how);
}

bool is_question(method how) noexcept
{
    switch (how) {
    case method::get:
    case method::set:
    case method::get_table:
    case method::get_trace_table:
    case method::get_multi:
    case method::delete_: return true;
    default: return false;
    }
}

/// Options that can be.
sa_server_options with_bounds(sa_server_options options)
{
    // A transfer of less never ends (`request::reply_by`).
    auto const least = 3 * rmpp_segment_data(management_class::subnet_administration);
    if (options.stream_window != 0)
        options.stream_window = std::max(options.stream_window, least);
    return options;
}

std::uint64_t random_seed()
{
    return std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
}

} // namespace

/// Small enough to wait inside the agent, so that nothing is allocated for it.
struct sa_server_core::receiver {
    std::shared_ptr<sa_server_core> self;

    void operator()(error_code const& why, request asked) const
    {
        if (why) {
            self->stop_receiving(why);
            return;
        }
        self->take(std::move(asked));
        self->receive_next();
    }
};

sa_server_core::sa_server_core(port on, agent over, sa_server_options const& options)
    : on_{std::move(on)},
      over_{std::move(over)},
      options_{with_bounds(options)},
      limits_{.budget = std::make_shared<engine::rmpp_budget>(options.max_table_bytes),
          .longest = options.max_table,
          .stream_at = options.user_rmpp && options.stream_window != 0 ? options.stream_at
                                                                       : std::numeric_limits<std::size_t>::max(),
          .begin_stream = [this](sa_exchange& one) { return begin_stream(static_cast<work&>(one)); }},
      in_work_{0, engine::rmpp_key_hash{random_seed()}},
      bell_{on_.executor(), asio::steady_timer::time_point::max()}
{}

void sa_server_core::put(std::uint16_t attribute_id, method how, sa_responder handler)
{
    switch (how) {
    case method::get:
    case method::set:
    case method::get_table:
    case method::delete_: break;
    default: // their questions or answers have another form than handlers know
        madrigal::detail::subnet_log().error(
            "a server of subnet administration cannot serve {} of attribute {:#06x}", to_string(how), attribute_id);
        return;
    }
    handlers_[handler_key(attribute_id, how)] = std::make_shared<sa_responder const>(std::move(handler));
}

sa_server_core::handler_ptr sa_server_core::find(mad_view mad) const
{
    auto const found = handlers_.find(handler_key(mad.attribute_id(), mad.method()));
    return found == handlers_.end() ? nullptr : found->second;
}

void sa_server_core::receive_next()
{
    over_.async_receive(receiver{shared_from_this()});
}

void sa_server_core::stop_receiving(error_code why)
{
    receives_ = false;
    end_ = why;
    bell_.cancel();
}

std::uint16_t sa_server_core::verdict(sa_view const& asked, sa_responder const* handler) const
{
    if (asked.mad().class_version() != sa_class_version)
        return mad_status::bad_version;
    if (handler == nullptr)
        return mad_status::unsupported_method_attribute;
    return closed_ ? mad_status::busy : mad_status::ok;
}

bool sa_server_core::is_forged(sa_view const& asked, lid from)
{
    if (auto const key = asked.sm_key();
        key != 0 && key != options_.sm_key && asked.mad().class_version() == sa_class_version) {
        std::uint64_t before = 0;
        if (denials_.allow(on_.time().now(), &before))
            madrigal::detail::subnet_log().warn(
                "a question from LID {} shows a wrong SM_Key ({} more before it)", from.value(), before);
        ++counters_.denied;
        return true;
    }
    return false;
}

void sa_server_core::take(request asked)
{
    ++counters_.requests;
    auto const view = sa_view::from(asked.received().bytes());
    if (!view || !is_question(asked.method())) {
        ++counters_.dropped;
        return;
    }
    if (paused_) {
        ++counters_.unheard;
        return;
    }
    if (is_forged(*view, asked.source()))
        return;
    auto handler = find(asked.mad());
    if (auto const status = verdict(*view, handler.get()); status != mad_status::ok) {
        refuse(asked, status);
        return;
    }
    bool const trusted = view->sm_key() != 0;
    bool const in_time = static_cast<bool>(handler->in_time);
    auto const key =
        engine::rmpp_key::of(asked.received().address(), asked.mad(), asked.method(), engine::rmpp_direction::incoming);
    if (!in_work_.empty() && in_work_.contains(key))
        ++counters_.repeated;
    else if ((in_time || asked.method() == method::get_table) && is_full(key.peer.lid))
        refuse(asked, mad_status::busy);
    else if (in_time)
        begin(std::move(handler), std::move(asked), trusted, key);
    else
        answer_at_once(handler, std::move(asked), trusted, key);
}

void sa_server_core::answer_at_once(
    handler_ptr const& handler, request asked, bool trusted, engine::rmpp_key const& key)
{
    sa_exchange one{std::move(asked), trusted, limits_};
    std::uint16_t status = mad_status::ok;
    try {
        status = handler->at_once(one);
    } catch (...) {
        status = on_thrown(std::current_exception(), one.mad());
    }
    if (paused_)
        ++counters_.unheard; // by the handler
    else
        finish(one, key, next_number_++, status);
}

void sa_server_core::begin(handler_ptr handler, request asked, bool trusted, engine::rmpp_key const& key)
{
    auto const number = next_number_++;
    auto const one = std::make_shared<work>(std::move(handler), std::move(asked), trusted, limits_, key, number);
    enter(key, {number, one});
    ++handlers_running_;
    auto const on_end = [self = shared_from_this(), one](std::exception_ptr const& thrown, std::uint16_t status) {
        self->ended(*one, thrown, status);
    };
    try {
        asio::co_spawn(
            on_.executor(), one->handler->in_time(*one), asio::bind_cancellation_slot(one->cancel.slot(), on_end));
    } catch (...) { // no memory, for instance: it has never begun, and nobody else would free its place
        on_end(std::current_exception(), mad_status::sa_no_resources);
    }
}

void sa_server_core::ended(work& one, std::exception_ptr const& thrown, std::uint16_t status)
{
    --handlers_running_;
    bell_.cancel();
    if (one.given_up)
        return;
    if (thrown)
        status = on_thrown(thrown, one.mad());
    if (one.stream())
        end_stream(one, status);
    else
        finish(one, one.key, one.number, status);
}

std::uint16_t sa_server_core::on_thrown(std::exception_ptr const& thrown, mad_view asked)
{
    ++counters_.thrown;
    std::uint64_t before = 0;
    if (throws_.allow(on_.time().now(), &before)) {
        auto const what = [&]() -> std::string {
            try {
                std::rethrow_exception(thrown);
            } catch (std::exception const& why) {
                return why.what();
            } catch (...) {
                return "something that is no exception";
            }
        }();
        madrigal::detail::subnet_log().error(
            "the handler of {} of attribute {:#06x} has thrown ({} more before it): {}", to_string(asked.method()),
            asked.attribute_id(), before, what);
    }
    return mad_status::sa_no_resources;
}

void sa_server_core::leave(engine::rmpp_key const& key, std::uint64_t number)
{
    auto const found = in_work_.find(key);
    if (found == in_work_.end() || found->second.number != number)
        return;
    in_work_.erase(found);
    if (auto const from = in_work_from_.find(key.peer.lid); --from->second == 0)
        in_work_from_.erase(from);
}

bool sa_server_core::is_full(std::uint16_t from) const noexcept
{
    if (std::max(in_work_.size(), handlers_running_) >= options_.at_once)
        return true;
    auto const of_one = in_work_from_.find(from);
    return of_one != in_work_from_.end() && of_one->second >= options_.at_once_from_one;
}

void sa_server_core::enter(engine::rmpp_key const& key, place in)
{
    auto& of_one = in_work_from_[key.peer.lid]; // first: nothing is in work and not counted, should memory end here
    of_one += in_work_.insert_or_assign(key, std::move(in)).second ? 1 : 0;
}

void sa_server_core::stop_work(bool answered)
{
    in_work_from_.clear();
    for (auto const& [key, in] : std::exchange(in_work_, decltype(in_work_){0, in_work_.hash_function()})) {
        if (!in.by) {
            if (!answered)
                enter(key, in); // a whole table, which goes on its way
            continue;           // or ends with the agent
        }
        in.by->given_up = true;
        in.by->end();
        if (in.by->stream())
            in.by->stream()->abort();
        else if (answered)
            refuse(in.by->asked, mad_status::busy);
        else
            ++counters_.unheard;
        asio::post(on_.executor(), [one = in.by] { one->cancel.emit(asio::cancellation_type::terminal); });
    }
}

void sa_server_core::pause()
{
    if (!std::exchange(paused_, true))
        stop_work(false);
}

void sa_server_core::close()
{
    if (std::exchange(closed_, true))
        return;
    stop_work(true);
    over_.close();
}

sa_server_counters sa_server_core::counters() const noexcept
{
    auto all = counters_;
    all.dropped += over_.counters().inbox_dropped;
    return all;
}

sa_server_gauges sa_server_core::gauges() const noexcept
{
    return {.in_work = in_work_.size(), .table_bytes = limits_.budget->used()};
}

} // namespace madrigal::detail
