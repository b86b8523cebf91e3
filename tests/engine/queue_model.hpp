// A fabric as a window sees it: a queue of limited depth in front of one server, links that lose, and a kernel that
// sends again.
#pragma once

#include <madrigal/engine/flow_window.hpp>
#include <madrigal/engine/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

namespace madrigal::engine::testing {

/// What the fabric is like at a time.
struct queue_conditions {
    double loss = 0;    ///< of a transmission, whatever the window
    unsigned depth = 0; ///< of the queue; what comes while it is full is lost. 0: no limit
    duration service = std::chrono::microseconds{10}; ///< for each
    double slow = 0;                                  ///< share of requests whose answers take `slow_by` more
    duration slow_by = std::chrono::milliseconds{2};
    double dead = 0; ///< share of requests that are never answered, however often they are sent
};

/// What came of a stretch of time.
struct queue_report {
    double size = 0;   ///< mean of the window's
    double loss = 0;   ///< share of all transmissions, resends included
    double rate = 0;   ///< answers a second
    double failed = 0; ///< share of requests that ended without an answer
    unsigned smallest = ~0U;
    unsigned largest = 0;
    unsigned most_in_use = 0;
};

/// Asks without end, as many at a time as a window allows, all in made-up time.
class queue_model {
public:
    static constexpr duration timeout = std::chrono::milliseconds{200};
    static constexpr unsigned retries = 3;

    queue_model(window_options const& options, queue_conditions const& fabric, std::uint64_t seed = 1)
        : window{options}, conditions{fabric}, random_{seed}
    {}

    /// Goes on for so long.
    queue_report run(duration length)
    {
        report_ = {};
        transmissions_ = lost_ = answered_ = failed_ = 0;
        auto const begin = now_;
        auto const end = now_ + length;
        double area = 0;
        fill();
        while (!events_.empty() && events_.top().when <= end) {
            auto const next = events_.top();
            events_.pop();
            area += static_cast<double>(window.size()) * seconds(next.when - now_);
            now_ = next.when;
            happen(next);
            look();
        }
        area += static_cast<double>(window.size()) * seconds(end - now_);
        now_ = end;
        report_.size = area / seconds(end - begin);
        report_.loss = static_cast<double>(lost_) / static_cast<double>(std::max<std::uint64_t>(transmissions_, 1));
        report_.rate = static_cast<double>(answered_) / seconds(length);
        report_.failed =
            static_cast<double>(failed_) / static_cast<double>(std::max<std::uint64_t>(answered_ + failed_, 1));
        return report_;
    }

    flow_window window;
    queue_conditions conditions;

private:
    enum class step : std::uint8_t { write, arrive, serve, answer, time_out };
    struct event {
        duration when{};
        std::uint64_t order = 0;
        step what{};
        std::size_t request = 0;
        std::uint64_t use = 0; // of the request's slot
        friend bool operator<(event const& a, event const& b)
        {
            return std::tie(a.when, a.order) > std::tie(b.when, b.order); // the earliest is on top
        }
    };
    struct request {
        flow_window::round taken_in = flow_window::no_round;
        duration written{};
        unsigned sent = 0;
        bool is_slow = false;
        bool is_dead = false;
        std::uint64_t use = 0; // 0 while it is free
    };

    static double seconds(duration time) { return std::chrono::duration<double>(time).count(); }
    bool chance(double share) { return std::uniform_real_distribution<>{0, 1}(random_) < share; }
    /// Of one way: 20 to 40 µs.
    duration way() { return std::chrono::nanoseconds{std::uniform_int_distribution<>{20'000, 40'000}(random_)}; }
    void schedule(duration when, step what, std::size_t at)
    {
        events_.push({when, ++order_, what, at, requests_[at].use});
    }
    /// A host writes one every 5 µs.
    void fill()
    {
        while (auto const taken_in = window.try_take()) {
            if (free_.empty()) {
                free_.push_back(requests_.size());
                requests_.emplace_back();
            }
            auto const at = free_.back();
            free_.pop_back();
            requests_[at] = {taken_in, {}, 0, chance(conditions.slow), chance(conditions.dead), ++uses_};
            host_ = std::max(host_, now_) + std::chrono::microseconds{5};
            schedule(host_, step::write, at);
        }
    }
    void transmit(std::size_t at)
    {
        ++requests_[at].sent;
        ++transmissions_;
        schedule(now_ + timeout, step::time_out, at);
        if (chance(conditions.loss))
            ++lost_;
        else
            schedule(now_ + way(), step::arrive, at);
    }
    void end(std::size_t at)
    {
        auto& one = requests_[at];
        one.use = 0;
        free_.push_back(at);
        window.give_back(flow_window::no_round);
        fill();
    }
    void happen(event const& next)
    {
        auto& one = requests_[next.request];
        bool const lives = one.use == next.use;
        switch (next.what) {
        case step::write:
            one.written = now_;
            transmit(next.request);
            break;
        case step::arrive: // also a resend of what has been answered meanwhile
            if (conditions.depth != 0 && queued_ >= conditions.depth) {
                ++lost_;
                break;
            }
            ++queued_;
            server_ = std::max(server_, now_) + conditions.service;
            events_.push({server_, ++order_, step::serve, next.request, next.use});
            break;
        case step::serve:
            --queued_;
            if (!one.is_dead)
                events_.push({now_ + way() + (one.is_slow ? conditions.slow_by : duration{}), ++order_, step::answer,
                    next.request, next.use});
            break;
        case step::answer:
            if (!lives)
                break;
            ++answered_;
            window.on_answer(one.taken_in, static_cast<unsigned>((now_ - one.written) / timeout));
            end(next.request);
            break;
        case step::time_out:
            if (!lives)
                break;
            if (one.sent <= retries) {
                transmit(next.request);
                break;
            }
            ++failed_;
            window.on_timeout(one.taken_in);
            end(next.request);
            break;
        }
    }
    void look()
    {
        report_.smallest = std::min(report_.smallest, window.size());
        report_.largest = std::max(report_.largest, window.size());
        report_.most_in_use = std::max(report_.most_in_use, window.in_use());
    }

    std::mt19937_64 random_;
    std::priority_queue<event> events_;
    std::vector<request> requests_;
    std::vector<std::size_t> free_;
    duration now_{};
    duration host_{};
    duration server_{};
    unsigned queued_ = 0;
    std::uint64_t order_ = 0;
    std::uint64_t uses_ = 0;
    std::uint64_t transmissions_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t answered_ = 0;
    std::uint64_t failed_ = 0;
    queue_report report_;
};

} // namespace madrigal::engine::testing
