#include <fabric/sweep.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace madrigal::detail {
namespace {

/// Ends a sweep: nothing that is asked afterwards could be answered.
bool is_fatal(error_code code)
{
    return code == errc::device_gone || code == errc::agent_closed || code == errc::queue_full ||
           code == errc::invalid_argument || code == asio::error::operation_aborted;
}

/// Worth another attempt. A node that says that it does not know something will say so again.
bool is_worth_repeating(error_code code)
{
    auto const status = mad_status_of(code);
    return status == 0 || (status & mad_status::busy) != 0;
}

/// Nobody is entered by a port 0 or beyond its last one.
bool can_be_behind(node_info const& info)
{
    bool const known = info.type == node_type::ca || info.type == node_type::switch_ || info.type == node_type::router;
    return known && info.num_ports != 0 && info.num_ports <= topology::max_node_ports && info.local_port_num != 0 &&
           info.local_port_num <= info.num_ports;
}

constexpr std::size_t progress_step = 256;

} // namespace

sweep::sweep(smp_client over, discover_options options, asio::any_io_executor const& executor)
    : over_{std::move(over)},
      options_{std::move(options)},
      work_{executor, asio::steady_timer::time_point::max()},
      idle_{executor, asio::steady_timer::time_point::max()}
{}

time_point sweep::now() const
{
    return options_.time != nullptr ? options_.time->now() : std::chrono::steady_clock::now();
}

std::uint64_t sweep::key_for(directed_route const& to, guid node) const
{
    return options_.keys.find(destination{to}, node);
}

request_options sweep::terms(directed_route const& to, guid node) const
{
    request_options how;
    how.timeout = options_.timeout;
    how.retries = options_.retries;
    how.m_key = key_for(to, node);
    return how;
}

asio::awaitable<result<discovery>> sweep::run()
{
    auto const started = now();
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        co_return error{asio::error::make_error_code(asio::error::operation_aborted)};
    // Workers refer to this object: cancelling must not end this coroutine before theirs.
    co_await asio::this_coro::throw_if_cancelled(false);
    auto const local = co_await ask_local();
    if (!local) {
        co_await asio::this_coro::throw_if_cancelled(throwing);
        co_return local.error();
    }

    auto const executor = co_await asio::this_coro::executor;
    std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
    for (unsigned i = 0; i != options_.outstanding; ++i) {
        ++workers_;
        signals.push_back(std::make_unique<asio::cancellation_signal>());
        asio::co_spawn(executor, work(),
            asio::bind_cancellation_slot(signals.back()->slot(), [this](std::exception_ptr const& thrown) {
                --workers_;
                if (thrown && !thrown_)
                    thrown_ = thrown;
                if (thrown)
                    stop();
                idle_.cancel();
            }));
    }
    state = co_await asio::this_coro::cancellation_state;
    auto parent = state.slot();
    if (parent.is_connected())
        parent.assign([this, &signals](asio::cancellation_type) {
            fatal_ = asio::error::operation_aborted;
            stop();
            for (auto const& signal : signals)
                signal->emit(asio::cancellation_type::terminal);
        });
    while (workers_ != 0) {
        // Nothing is left to ask once every worker has found nothing to do.
        if (!stopping_ && waiting_ == 0 && under_way_ == 0 && !settle())
            stop();
        if (workers_ != 0)
            co_await idle_.async_wait(
                asio::as_tuple(asio::bind_cancellation_slot(asio::cancellation_slot{}, asio::use_awaitable)));
    }
    if (parent.is_connected())
        parent.clear();
    co_await asio::this_coro::throw_if_cancelled(throwing);
    if (thrown_)
        std::rethrow_exception(thrown_);
    if (fatal_)
        co_return error{fatal_, "sweep"};
    auto found = report();
    found.statistics = statistics_;
    // Each of these was sent 1 + retries times before it was given up.
    found.statistics.smps_sent = statistics_.questions + statistics_.timeouts * options_.retries;
    found.statistics.elapsed = now() - started;
    co_return found;
}

asio::awaitable<result<void>> sweep::ask_local()
{
    directed_route const here;
    for (unsigned attempt = 0;; ++attempt) {
        ++statistics_.questions;
        auto const how = terms(here, guid{});
        auto const answer = co_await over_.async_get<node_info>(destination{here}, 0, how, as_result);
        if (answer) {
            ++statistics_.answers;
            auto const& info = answer.value();
            if (info.num_ports == 0 || info.num_ports > topology::max_node_ports ||
                info.local_port_num > info.num_ports)
                co_return error{errc::malformed_answer, "NodeInfo of the local node"};
            (void)add(info, here, found_end{});
            co_return outcome::success();
        }
        auto const code = answer.error().code();
        if (code == errc::timeout)
            ++statistics_.timeouts;
        if (is_fatal(code) || !is_worth_repeating(code) || attempt + 1 >= options_.attempts)
            co_return explain_smp(
                code, destination{here}, smp_question{method::get, node_info::layout.id, 0, how.m_key});
        ++statistics_.asked_again;
    }
}

asio::awaitable<void> sweep::work()
{
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping_) {
        auto const next = take();
        if (!next) {
            if (under_way_ == 0)
                idle_.cancel();
            ++parked_;
            co_await work_.async_wait(asio::as_tuple(asio::use_awaitable));
            continue;
        }
        auto& node = nodes_[next->node];
        if (next->ask == sweep_ask::vendor_link && node.no_vendor) {
            node.ports[next->port].vendor.make().state = ask_state::answered;
            --node.asking;
            put_in_line(next->node);
            continue;
        }
        ++under_way_;
        ++statistics_.questions;
        if (next->attempt != 0)
            ++statistics_.asked_again;
        auto const code = co_await ask(*next);
        --under_way_;
        done(*next, code);
    }
}

asio::awaitable<error_code> sweep::ask(sweep_question asked)
{
    auto const route = route_of(asked);
    auto const to = destination{route};
    auto& node = nodes_[asked.node];
    bool const stranger = asked.ask == sweep_ask::behind || asked.ask == sweep_ask::around;
    auto const how = terms(route, stranger ? guid{} : node.info.node_guid);
    switch (asked.ask) {
    case sweep_ask::behind: {
        auto const answer = co_await over_.async_get<node_info>(to, 0, how, as_result);
        if (!answer)
            co_return answer.error().code();
        auto const& info = answer.value();
        if (!can_be_behind(info))
            co_return errc::malformed_answer;
        on_behind(asked, info);
        co_return error_code{};
    }
    case sweep_ask::description: {
        auto const answer = co_await over_.async_get<node_description>(to, 0, how, as_result);
        if (!answer)
            co_return answer.error().code();
        node.description.value = answer.value();
        node.description.state = ask_state::answered;
        co_return error_code{};
    }
    case sweep_ask::switch_info: {
        auto const answer = co_await over_.async_get<switch_info>(to, 0, how, as_result);
        if (!answer)
            co_return answer.error().code();
        on_switch_info(asked.node, answer.value());
        co_return error_code{};
    }
    case sweep_ask::clear_change: {
        auto const told = co_await over_.async_set<switch_info>(to, node.switch_info.value, 0, how, as_result);
        if (!told)
            co_return told.error().code();
        ask_ports(asked.node);
        co_return error_code{};
    }
    case sweep_ask::port_info: {
        auto const answer = co_await over_.async_get<port_info>(to, asked.port, how, as_result);
        if (!answer)
            co_return answer.error().code();
        on_port_info(asked, answer.value());
        co_return error_code{};
    }
    case sweep_ask::vendor_link: {
        auto& vendor = node.ports[asked.port].vendor.make();
        auto const answer = co_await over_.async_get<mlnx_ext_port_info>(to, asked.port, how, as_result);
        if (!answer)
            co_return answer.error().code();
        vendor.value = answer.value();
        vendor.state = ask_state::answered;
        co_return error_code{};
    }
    case sweep_ask::around: {
        auto const answer = co_await over_.async_get<node_info>(to, 0, how, as_result);
        if (!answer)
            co_return answer.error().code();
        if (!can_be_behind(answer.value()))
            co_return errc::malformed_answer;
        node.ports[asked.port].around.make().value = answer.value();
        node.ports[asked.port].around.make().state = ask_state::answered;
        co_return error_code{};
    }
    case sweep_ask::other_port: {
        auto const answer = co_await over_.async_get<port_info>(to, asked.port, how, as_result);
        if (!answer)
            co_return answer.error().code();
        node.ports[asked.port].other_port.make().value = answer.value();
        node.ports[asked.port].other_port.make().state = ask_state::answered;
        co_return error_code{};
    }
    }
    co_return errc::invalid_argument;
}

void sweep::done(sweep_question const& asked, error_code code)
{
    auto& node = nodes_[asked.node];
    if (asked.ask != sweep_ask::behind) {
        --node.asking;
        put_in_line(asked.node);
    }
    if (!code || mad_status_of(code) != 0 || code == errc::malformed_answer)
        ++statistics_.answers;
    if (mad_status_of(code) != 0)
        ++statistics_.refused;
    if (code == errc::timeout)
        ++statistics_.timeouts;
    if (code) {
        if (is_fatal(code)) {
            if (!fatal_)
                fatal_ = code;
            stop();
        } else if (is_worth_repeating(code) && asked.attempt + 1U < options_.attempts) {
            auto repeated = asked;
            ++repeated.attempt;
            again_.push_back(repeated);
            ++waiting_;
            wake();
        } else {
            on_failure(asked, code);
        }
    }
    if (statistics_.questions % progress_step == 0)
        report_progress();
}

std::optional<sweep_question> sweep::take()
{
    if (!looks_.empty()) {
        auto const next = looks_.front();
        looks_.pop_front();
        --waiting_;
        return next;
    }
    if (!ready_.empty()) {
        auto const index = ready_.front();
        ready_.pop_front();
        auto& node = nodes_[index];
        node.in_line = false;
        auto const next = node.waiting.front();
        node.waiting.erase(node.waiting.begin());
        if (node.waiting.empty())
            node.waiting = std::vector<sweep_question>{}; // `{}` would keep the memory
        ++node.asking;
        put_in_line(index);
        --waiting_;
        return next;
    }
    if (!again_.empty()) {
        auto const next = again_.front();
        again_.pop_front();
        if (next.ask != sweep_ask::behind)
            ++nodes_[next.node].asking;
        --waiting_;
        return next;
    }
    return std::nullopt;
}

void sweep::put_in_line(found_index index)
{
    auto& node = nodes_[index];
    bool const has_room = options_.per_destination == 0 || node.asking < options_.per_destination;
    if (node.in_line || node.waiting.empty() || !has_room)
        return;
    node.in_line = true;
    ready_.push_back(index);
    wake();
}

void sweep::push(sweep_question const& asked)
{
    ++waiting_;
    if (asked.ask == sweep_ask::behind) {
        looks_.push_back(asked);
        wake();
    } else {
        nodes_[asked.node].waiting.push_back(asked);
        put_in_line(asked.node);
    }
}

void sweep::wake()
{
    if (parked_ != 0) {
        --parked_;
        work_.cancel_one();
    }
}

void sweep::stop()
{
    stopping_ = true;
    parked_ = 0;
    work_.cancel();
    idle_.cancel();
}

directed_route sweep::route_of(sweep_question const& asked) const
{
    auto const& node = nodes_[asked.node];
    if (asked.ask == sweep_ask::behind)
        return node.route.extended(asked.port);
    if (asked.ask == sweep_ask::around)
        return node.route.extended(asked.port).extended(node.ports[asked.port].witness);
    if (asked.ask == sweep_ask::other_port) {
        auto const from = node.ports[node.ports[asked.port].witness].leads_to;
        return asked.node == 0 || !from ? node.route : nodes_[from.node].route.extended(from.port);
    }
    // A CA's or router's port is asked through itself: only a switch speaks for all its ports.
    if (!node.is_switch() && asked.port != 0)
        if (auto const from = node.ports[asked.port].reached_from)
            return nodes_[from.node].route.extended(from.port);
    return node.route;
}

void sweep::report_progress()
{
    if (options_.on_progress)
        options_.on_progress(discover_progress{nodes_.size(), ends_seen_ / 2, statistics_.questions, waiting_});
}

} // namespace madrigal::detail
