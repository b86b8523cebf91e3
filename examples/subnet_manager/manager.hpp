// Manages one subnet: waits for its turn, sweeps, configures, and goes on as things change.
#pragma once

#include "lids_file.hpp"
#include "managed.hpp"
#include "sweep.hpp"

#include <madrigal/runtime/reactor.hpp>
#include <madrigal/runtime/sm_claim.hpp>
#include <madrigal/subnet/mastership.hpp>
#include <madrigal/subnet/smp_server.hpp>
#include <madrigal/subnet/subnet_writer.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>

namespace sm {

/// One of them lives on one port. For the loop's thread.
class manager {
public:
    /// Opens the port and what runs on it. Errors say which port, and what to do.
    [[nodiscard]] static madrigal::result<std::unique_ptr<manager>> open(madrigal::reactor& on, settings const& with);
    manager(manager const&) = delete;
    manager& operator=(manager const&) = delete;
    ~manager() = default;

    /// Manages until `stop`, or, with `once`, until the subnet has been configured once. False where that has not come
    /// to a good end.
    asio::awaitable<bool> run(bool once);
    /// Ends at once all that is under way, and clears IsSM; then `run` ends.
    void stop();
    /// Looks at everything again soon.
    void sweep_again();
    /// The same, and writes all tables as if nothing were known of them.
    void configure_anew();

    [[nodiscard]] managed const& known() const noexcept { return known_; }
    [[nodiscard]] madrigal::mastership const& role() const noexcept { return mastership_; }
    [[nodiscard]] madrigal::smp_server const& traps() const noexcept { return traps_; }
    [[nodiscard]] std::string name() const;
    /// How often the subnet has been configured; whether everything answered the last time; whether nothing is to be
    /// done now.
    [[nodiscard]] std::uint64_t times_up() const noexcept { return times_up_; }
    [[nodiscard]] bool is_complete() const noexcept { return complete_; }
    [[nodiscard]] bool is_quiet() const noexcept { return quiet_ && !sweep_wanted_ && !groups_changed_; }

private:
    manager(madrigal::port port, settings const& with, madrigal::smp_client client, madrigal::known_lids lids);

    // manager.cpp: what to do next
    asio::awaitable<madrigal::result<void>> begin();
    asio::awaitable<bool> work(bool once);
    asio::awaitable<madrigal::result<void>> act();
    asio::awaitable<void> take_duties();
    asio::awaitable<void> serve();
    asio::awaitable<bool> come_back();
    asio::awaitable<madrigal::result<void>> claim();
    void on_duty(madrigal::sm_duty duty);
    void look_again_after(madrigal::duration time);
    void close_administration();
    [[nodiscard]] bool is_master() const noexcept { return !stopping_ && duty_ == madrigal::sm_duty::configure; }
    void wake();
    template <class Awaitable>
    void start(Awaitable task);

    // manager_sweeps.cpp: doing it
    asio::awaitable<madrigal::result<swept>> look();
    asio::awaitable<madrigal::result<void>> discover();
    asio::awaitable<madrigal::result<void>> configure_all();
    asio::awaitable<madrigal::result<void>> program_groups();
    asio::awaitable<madrigal::result<void>> look_for_changes();
    [[nodiscard]] madrigal::smp_work_options how_to_write() const;
    madrigal::result<madrigal::write_report> take_note(madrigal::result<madrigal::write_report> of);
    bool waits_for_another();
    void begin_anew(subnet const& found);
    madrigal::result<void> decide(subnet& of);
    void forget_lost_ports();

    // manager_traps.cpp: what nodes tell
    asio::awaitable<void> take_traps();

    managed known_;
    madrigal::known_lids lids_;
    madrigal::sm_claim claim_;
    madrigal::smp_server traps_;
    madrigal::mastership mastership_;

    std::optional<swept> fresh_; ///< found while discovering, not yet configured
    madrigal::sm_duty duty_ = madrigal::sm_duty::none;
    bool sweep_wanted_ = false;
    bool groups_changed_ = false;
    bool write_anew_ = false;         ///< what is known to have been written is not to be believed
    bool new_master_ = false;         ///< nothing of this subnet is known from before
    bool stood_by_ = false;           ///< somebody else has been the master meanwhile
    unsigned incomplete_ = 0;         ///< sweeps in a row that were
    madrigal::time_point retry_at_{}; ///< when that is tried again
    bool complete_ = false;           ///< the last sweep and all that followed had no failures
    std::uint64_t times_up_ = 0;
    madrigal::time_point next_look_{};
    madrigal::time_point earliest_sweep_{};
    madrigal::time_point earliest_groups_{};
    std::uint64_t masters_seen_ = 0; ///< so many are known to have been there beside us
    bool stopping_ = false;
    bool quiet_ = false;
    std::size_t running_ = 0;
    asio::cancellation_signal end_of_waits_; ///< for what may wait for hours
    asio::steady_timer changed_;             ///< never expires: cancelled when there may be something to do
    std::unique_ptr<madrigal::alarm> alarm_;
};

} // namespace sm
