#include <madrigal/subnet/smp_work.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <unordered_map>
#include <utility>

namespace madrigal {
namespace {

/// Nothing that is asked afterwards could be answered.
bool is_fatal(error_code code)
{
    return code == errc::device_gone || code == errc::agent_closed || code == errc::queue_full ||
           code == errc::invalid_argument || code == asio::error::operation_aborted;
}

} // namespace

std::string to_string(smp_failure const& failure)
{
    return explain_smp(failure.code, failure.to, failure.asked).message();
}

/// A list under way. Requests that are on the wire share it, as it may be left alone with them.
struct smp_work::running : std::enable_shared_from_this<running> {
    struct place {
        std::size_t job = 0;
        smp_order order;
        std::uint64_t m_key = 0;
    };
    /// An SMP that has not been answered, and its job.
    struct unanswered {
        std::size_t job = 0;
        smp_order order;
    };
    /// A node and its jobs, which are done one after the other.
    struct node_state {
        std::vector<std::size_t> jobs;
        std::size_t next = 0;          // of `jobs`
        std::vector<unanswered> again; // in an earlier attempt; few, asked before what is next
        std::vector<unanswered> later;
        unsigned under_way = 0;
        unsigned timeouts = 0; // in this attempt
        bool given_up = false; // likewise
        bool in_line = false;

        [[nodiscard]] bool ended() const noexcept { return given_up || (again.empty() && next == jobs.size()); }
    };

    running(std::vector<job> all, smp_client client, smp_work_options with, answered handler,
        asio::any_io_executor const& executor)
        : jobs{std::move(all)},
          over{std::move(client)},
          options{std::move(with)},
          on_answer{std::move(handler)},
          changed{executor, asio::steady_timer::time_point::max()}
    {
        options.at_once = std::max(options.at_once, 1U);
        attempts_left = std::max(options.attempts, 1U) - 1;
        std::unordered_map<std::uint64_t, std::size_t> by_guid;
        for (std::size_t i = 0; i != jobs.size(); ++i) {
            auto const guid = jobs[i].node.value();
            auto const known = guid != 0 ? by_guid.try_emplace(guid, nodes.size()) : std::pair{by_guid.end(), true};
            node_of.push_back(known.second ? nodes.size() : known.first->second);
            if (known.second)
                nodes.emplace_back();
            nodes[node_of.back()].jobs.push_back(i);
        }
        for (std::size_t i = 0; i != nodes.size(); ++i)
            put_in_line(i);
    }

    void put_in_line(std::size_t index)
    {
        auto& node = nodes[index];
        if (node.in_line || node.ended() || (options.per_node != 0 && node.under_way >= options.per_node))
            return;
        node.in_line = true;
        line.push_back(index);
    }

    /// Sends as long as there is room and something to send.
    void fill()
    {
        do
            while (!stopped && under_way < options.at_once && !line.empty())
                guarded([this] { send_next(); });
        while (!stopped && under_way == 0 && begin_next_attempt());
        if (is_over())
            changed.cancel();
    }

    void send_next()
    {
        if (options.go_on && !options.go_on()) {
            stop(asio::error::operation_aborted);
            return;
        }
        auto const index = line.front();
        line.pop_front();
        nodes[index].in_line = false;
        if (nodes[index].given_up)
            return;
        if (auto const one = next_of(nodes[index]))
            send(one->job, one->order);
        put_in_line(index);
    }

    /// Everything has been asked: whether there is something to be asked again.
    bool begin_next_attempt()
    {
        if (attempts_left == 0)
            return false;
        --attempts_left;
        for (std::size_t i = 0; i != nodes.size(); ++i) {
            auto& node = nodes[i];
            // Before what it had not come to.
            node.again.insert(node.again.begin(), node.later.begin(), node.later.end());
            node.later.clear();
            node.timeouts = 0;
            node.given_up = false;
            put_in_line(i);
        }
        return !line.empty();
    }

    /// Calls what is not ours. What it throws is for who awaits the list, not for the loop; it ends the list.
    template <class Call>
    void guarded(Call&& call)
    {
        try {
            call();
        } catch (...) {
            thrown = std::current_exception();
            stopped = true;
        }
    }

    [[nodiscard]] bool is_over() const noexcept { return under_way == 0 || fatal || thrown; }

    /// Calls nobody from now on: sources and handler may refer to what goes with the caller.
    void end() noexcept
    {
        stopped = true;
        on_answer = nullptr;
        options.go_on = nullptr;
        for (auto& one : jobs)
            one.next = nullptr;
    }

    std::optional<unanswered> next_of(node_state& node)
    {
        if (!node.again.empty()) {
            auto const one = node.again.front();
            node.again.erase(node.again.begin());
            return one;
        }
        for (; node.next != node.jobs.size(); ++node.next)
            if (auto const order = jobs[node.jobs[node.next]].next())
                return unanswered{node.jobs[node.next], *order};
        return std::nullopt;
    }

    void stop(error_code why)
    {
        fatal = why;
        stopped = true;
    }

    [[nodiscard]] std::uint64_t key_for(std::size_t index) const
    {
        return options.how.m_key != 0 ? options.how.m_key : over.keys().find(jobs[index].to, jobs[index].node);
    }

    void send(std::size_t index, smp_order const& order)
    {
        auto const& to = jobs[index].to;
        auto how = options.how;
        how.m_key = key_for(index);
        raw_mad mad{without_empty_route(to), {}};
        smp_request const asked{order.ask, 0, order.attribute_id, order.modifier, how.m_key};
        if (mad.to.type() == destination::kind::directed_route)
            build_directed_route_smp(mad.bytes, asked, mad.to.route(), mad.to.directed_from(), mad.to.directed_to());
        else
            build_lid_routed_smp(mad.bytes, asked);
        std::copy(order.data.begin(), order.data.end(), mad.bytes.begin() + smp_data_offset);
        ++nodes[node_of[index]].under_way;
        ++under_way;
        ++report.smps_sent;
        auto& taken = take_place();
        taken = {index, order, how.m_key};
        over.over().async_request(mad, how, [self = shared_from_this(), &taken](error_code code, received_mad answer) {
            self->on_outcome(taken, code, answer);
        });
    }

    place& take_place()
    {
        if (free.empty())
            return places.emplace_back();
        auto* const one = free.back();
        free.pop_back();
        return *one;
    }

    void on_outcome(place& taken, error_code code, received_mad const& answer)
    {
        --nodes[node_of[taken.job]].under_way;
        --under_way;
        if (!code && answer.mad().outcome() != 0)
            code = make_mad_status(answer.mad().mgmt_class(), answer.mad().outcome());
        if (!code) {
            ++report.done;
            if (on_answer && !stopped)
                guarded([&] { on_answer(taken.job, taken.order, answer.mad()); });
        } else if (!stopped) {
            on_failure(taken, code);
        }
        free.push_back(&taken);
        put_in_line(node_of[taken.job]);
        fill();
    }

    void on_failure(place const& taken, error_code code)
    {
        if (is_fatal(code)) {
            stop(code);
            return;
        }
        auto& node = nodes[node_of[taken.job]];
        bool const was_timeout = code == errc::timeout;
        if (was_timeout)
            report.smps_sent += options.how.retries.value_or(0);
        if (was_timeout && attempts_left != 0)
            node.later.push_back({taken.job, taken.order});
        else
            count_failure(taken.job, taken.order, taken.m_key, code);
        if (was_timeout && ++node.timeouts == options.timeouts_per_node)
            give_up(node);
    }

    void count_failure(std::size_t index, smp_order const& order, std::uint64_t m_key, error_code code)
    {
        ++report.failed;
        if (report.failures.size() < options.keep_failures)
            report.failures.push_back(
                {index, jobs[index].to, {order.ask, order.attribute_id, order.modifier, m_key}, code});
    }

    /// Until the next attempt, or for good.
    void give_up(node_state& node)
    {
        node.given_up = true;
        if (attempts_left != 0)
            return;
        for (auto const& one : node.again)
            count_failure(one.job, one.order, key_for(one.job), errc::timeout);
        node.again.clear();
        // Only a look at the sources tells whether there would have been more.
        guarded([&] {
            if (auto const more = next_of(node)) {
                ++report.skipped;
                report.given_up.push_back(more->job);
            }
        });
    }

    std::vector<job> jobs;
    smp_client over;
    smp_work_options options;
    answered on_answer;
    std::vector<node_state> nodes;
    std::vector<std::size_t> node_of; // by job
    std::deque<std::size_t> line;     // nodes that may have something to send
    std::deque<place> places;
    std::vector<place*> free;
    std::size_t under_way = 0;
    unsigned attempts_left = 0; // after this one
    bool stopped = false;
    error_code fatal;
    std::exception_ptr thrown;
    asio::steady_timer changed; // never expires: cancelled when it is over
    smp_work_report report;
};

std::size_t smp_work::add(destination const& to, guid node, source next)
{
    jobs_.push_back({to, node, std::move(next)});
    return jobs_.size() - 1;
}

std::size_t smp_work::add(destination const& to, guid node, smp_order const& order)
{
    return add(to, node, [left = std::optional{order}]() mutable { return std::exchange(left, std::nullopt); });
}

asio::awaitable<result<smp_work_report>> smp_work::run(smp_client over, smp_work_options options, answered on_answer)
{
    auto const executor = co_await asio::this_coro::executor;
    auto const work = std::make_shared<running>(
        std::move(jobs_), std::move(over), std::move(options), std::move(on_answer), executor);
    jobs_.clear();
    // However this coroutine ends, even where it is destroyed.
    struct end_of_work {
        std::shared_ptr<running> of;
        ~end_of_work() { of->end(); }
    } const at_end{work};
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() == asio::cancellation_type::none)
        work->fill();
    while (state.cancelled() == asio::cancellation_type::none && !work->is_over()) {
        co_await work->changed.async_wait(asio::as_tuple(asio::use_awaitable));
        state = co_await asio::this_coro::cancellation_state;
    }
    co_await asio::this_coro::throw_if_cancelled(throwing);
    if (work->thrown)
        std::rethrow_exception(work->thrown);
    if (state.cancelled() != asio::cancellation_type::none)
        co_return error{asio::error::operation_aborted, "work list"};
    if (work->fatal)
        co_return error{work->fatal, "work list"};
    co_return std::move(work->report);
}

} // namespace madrigal
