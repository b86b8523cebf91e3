// What the copies of a client of subnet administration share.
#pragma once

#include "fabric/sa_sleepers.hpp"

#include <madrigal/fabric/sa_client.hpp>
#include <madrigal/runtime/agent.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace madrigal::detail {

class sa_standing;
class sa_subscribed;

/// Whether a port that was `a` and is `b` now has kept what registrations depend on: its addresses and its subnet
/// manager.
[[nodiscard]] inline bool same_place(umad::subnet_attributes const& a, umad::subnet_attributes const& b) noexcept
{
    return a.base_lid == b.base_lid && a.sm_lid == b.sm_lid && a.first_gid == b.first_gid;
}

/// Where a subnet manager's administration has sent its clients.
struct sa_redirection {
    lid from_sm;
    destination to;
};

/// One client: its agents, its places, what it remembers of redirections, and what it keeps registered. Belongs to the
/// loop. Whatever is under way holds it.
class sa_core : public std::enable_shared_from_this<sa_core> {
public:
    sa_core(port on, agent over, sa_options const& options);
    sa_core(sa_core const&) = delete;
    sa_core& operator=(sa_core const&) = delete;
    ~sa_core();

    [[nodiscard]] port const& on() const noexcept { return on_; }
    [[nodiscard]] agent const& over() const noexcept { return over_; }
    [[nodiscard]] sa_options const& options() const noexcept { return options_; }
    [[nodiscard]] sa_places& places() noexcept { return places_; }
    [[nodiscard]] sa_counters& counters() noexcept { return counters_; }
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    [[nodiscard]] time_point now() const noexcept { return on_.time().now(); }
    /// `mlx5_0 port 1`
    [[nodiscard]] std::string name() const;

    /// Sleeps; woken when the client is closed.
    [[nodiscard]] asio::awaitable<waking> sleep(time_point until) { return sleepers_.sleep(on_.time(), until); }

    [[nodiscard]] std::optional<sa_redirection> const& redirection() const noexcept { return redirection_; }
    void set_redirection(std::optional<sa_redirection> to) noexcept { redirection_ = std::move(to); }

    /// Reads the port. errc::device_gone where it has been lost.
    [[nodiscard]] result<umad::subnet_attributes> look_at_port();

    // What is kept registered: sa_standing.cpp.
    void keep(std::shared_ptr<sa_standing> what);
    /// False where it was not kept any more.
    bool drop(sa_standing const& what);
    [[nodiscard]] std::vector<std::shared_ptr<sa_standing>> const& kept() const noexcept { return kept_; }
    /// Asks for it again; the error says why that failed.
    [[nodiscard]] asio::awaitable<error> renew(std::shared_ptr<sa_standing> what);
    /// Tells subnet administration that it has ended; `done` is called once, after `sa_farewell_limit` at the latest.
    void say_farewell(sa_question what, std::function<void(error const&)> done);
    /// Looks at once what is to be renewed.
    void watch_now();

    // Reports: sa_reports.cpp.
    [[nodiscard]] result<void> open_reports();
    void close_reports() noexcept;
    void hear(std::shared_ptr<sa_subscribed> const& subscription);
    void hear_no_more(sa_subscribed const& subscription);

    void close() noexcept;

private:
    // Coroutines that run in the background, and hold what they run on.
    static asio::awaitable<void> watch(std::shared_ptr<sa_core> self);
    static asio::awaitable<void> renew_kept(std::shared_ptr<sa_core> self, std::shared_ptr<sa_standing> what);
    static asio::awaitable<void> take_leave(
        std::shared_ptr<sa_core> self, sa_question what, std::function<void(error const&)> done);
    static asio::awaitable<void> serve_reports(std::shared_ptr<sa_core> self, std::shared_ptr<agent> over);

    void renew_what_is_due(umad::subnet_attributes const* seen);
    [[nodiscard]] time_point next_look() const noexcept;
    void dispatch(notice_report const& told);

    port on_;
    agent over_;
    sa_options options_;
    sa_places places_;
    sa_sleepers sleepers_;
    sa_sleepers watcher_; // at most one
    sa_counters counters_;
    std::optional<sa_redirection> redirection_;
    std::optional<umad::subnet_attributes> seen_; // when the port was looked at last
    std::vector<std::shared_ptr<sa_standing>> kept_;
    std::shared_ptr<agent> reports_;
    std::vector<std::weak_ptr<sa_subscribed>> hearing_;
    bool watching_ = false;
    bool closed_ = false;
};

/// What an operation has come to, until its waiter is told.
template <class T>
struct sa_outcome {
    explicit sa_outcome(sa_waiter_ptr<T> who) noexcept : waiter{std::move(who)} {}

    sa_waiter_ptr<T> waiter;
    error why;
    T value{};
    bool beginning = true; ///< the call that began it has not returned
};

/// Runs a coroutine that fills an outcome, and tells the waiter when it has ended. Cancelled through `slot`.
template <class T>
void run_for(asio::any_io_executor const& loop, std::shared_ptr<sa_outcome<T>> outcome, asio::awaitable<void> what,
    asio::cancellation_slot slot);

/// At the start of a coroutine that `run_for` runs: every type of cancellation gets through, as a state and not as an
/// exception.
[[nodiscard]] asio::awaitable<void> let_cancel();

/// Runs a coroutine in the background.
void run_in_background(asio::any_io_executor const& loop, asio::awaitable<void> what);

} // namespace madrigal::detail

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

template <class T>
void madrigal::detail::run_for(asio::any_io_executor const& loop, std::shared_ptr<sa_outcome<T>> outcome,
    asio::awaitable<void> what, asio::cancellation_slot slot)
{
    // The waiter is told when the coroutine is over, since it may use its cancellation slot for something else then;
    // and never inside the call that began it.
    auto const tell = [outcome] { outcome->waiter->complete(outcome->why, std::move(outcome->value)); };
    asio::co_spawn(loop, std::move(what),
        asio::bind_cancellation_slot(slot, [loop, outcome, tell](std::exception_ptr const& thrown) {
            if (thrown)
                std::rethrow_exception(thrown);
            if (outcome->beginning)
                asio::post(loop, tell);
            else
                tell();
        }));
    outcome->beginning = false;
}
