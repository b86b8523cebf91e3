#include "administration.hpp"
#include "manager.hpp"
#include "reports.hpp"

#include <madrigal/engine/ipoib_broadcast_group.hpp>
#include <madrigal/subnet/find_managers.hpp>
#include <madrigal/subnet/lid_assignment.hpp>
#include <madrigal/subnet/look_for_changes.hpp>
#include <madrigal/subnet/multicast_trees.hpp>
#include <madrigal/subnet/routing.hpp>
#include <madrigal/wire/format.hpp>

#include <spdlog/spdlog.h>

namespace sm {

using madrigal::sm_duty;

namespace {

/// A cable that comes and goes all the time, or clients that join without end, leave room for other things.
constexpr auto least_between_sweeps = std::chrono::milliseconds{50};

} // namespace

/// Looks at everything. Changes nothing but that switches forget what they have told, where we are the master.
asio::awaitable<madrigal::result<swept>> manager::look()
{
    auto found = co_await heavy_sweep(known_.client, known_.with, is_master());
    if (!found)
        co_return found.error();
    ++known_.counted.heavy_sweeps;
    known_.counted.sweep_smps += found.value().smps;
    known_.others = co_await madrigal::find_managers(known_.client, found.value().subnet.found, mastership_.info());
    for (auto const& one : known_.others)
        if (one.silent)
            spdlog::warn("{}: the subnet manager of {} at {} does not say what it is", name(), one.info.port_guid,
                to_string(one.where));
    co_return std::move(found).value();
}

asio::awaitable<madrigal::result<void>> manager::discover()
{
    auto found = co_await look();
    if (!found)
        co_return found.error();
    if (duty_ == sm_duty::discover) {
        fresh_ = std::move(found).value(); // should nobody else be the master, this is what will be configured
        mastership_.on_sweep(known_.others);
    }
    co_return madrigal::outcome::success();
}

/// Another master, or one that goes before us, is to be heard first: its half of the subnet is not ours to change while
/// one of us hands over to the other. And it has written to our switches, perhaps.
bool manager::waits_for_another()
{
    auto const seen = mastership_.counters().masters_seen;
    if (std::exchange(masters_seen_, seen) != seen)
        known_.written.clear();
    return mastership_.waits();
}

/// A heavy sweep, and all that follows from it.
asio::awaitable<madrigal::result<void>> manager::configure_all()
{
    look_again_after(known_.with.sweep_interval);
    if (!fresh_) {
        auto found = co_await look();
        if (!found)
            co_return found.error();
        if (!is_master())
            co_return madrigal::outcome::success();
        mastership_.on_sweep(known_.others);
        if (mastership_.state() != madrigal::sm_state::master)
            co_return madrigal::outcome::success();
        if (waits_for_another()) {
            spdlog::info("{}: another master is to be heard first", name());
            complete_ = false;
            sweep_wanted_ = true; // switches have told this sweep what has changed, and will not say so again
            earliest_sweep_ = known_.port.time().now() + known_.with.poll_interval;
            co_return madrigal::outcome::success();
        }
        fresh_ = std::move(found).value();
    }
    auto swept = std::move(*fresh_);
    fresh_.reset();
    auto const found = std::make_shared<subnet>(std::move(swept.subnet));
    if (found->own() == nullptr)
        co_return madrigal::error{madrigal::errc::no_usable_port, "the port has no link to anybody who answers"};
    found->subnet_prefix = known_.with.subnet_prefix;
    if (std::exchange(new_master_, false))
        begin_anew(*found);
    if (std::exchange(write_anew_, false))
        known_.written.clear();
    BOOST_OUTCOME_CO_TRY(decide(*found));
    auto const before = std::exchange(known_.now, found);
    known_.asked.clear();
    if (!known_.administration) {
        BOOST_OUTCOME_CO_TRY(open_administration(known_));
        start(serve());
    }
    known_.administration.resume();
    madrigal::port_policy policy;
    policy.subnet_prefix = known_.with.subnet_prefix;
    policy.m_key = known_.with.m_key;
    policy.reregister = [this](end_port const& end) { return !known_.registered.contains(end.port_guid); };
    auto const written =
        take_note(co_await madrigal::write_subnet(known_.client, *found, policy, known_.written, how_to_write()));
    if (!written)
        co_return is_master() ? madrigal::result<void>{written.error()} : madrigal::outcome::success();
    known_.registered.insert(written.value().reregistered.begin(), written.value().reregistered.end());
    complete_ = swept.complete && written.value().complete();
    report_differences(known_, before.get(), *found);
    forget_lost_ports();
    BOOST_OUTCOME_CO_TRY(co_await program_groups());
    if (!is_master())
        co_return madrigal::outcome::success();
    ++times_up_;
    auto const now = known_.port.time().now();
    // What does not answer is tried again, ever more seldom.
    incomplete_ = complete_ ? 0 : std::min(incomplete_ + 1, 4U);
    retry_at_ = now + known_.with.sweep_interval * (1U << (incomplete_ > 1 ? incomplete_ - 1 : 0));
    look_again_after(known_.with.sweep_interval);
    earliest_sweep_ = now + least_between_sweeps;
    // What changed while somebody else was the master, or nobody, may have changed after it was looked at.
    sweep_wanted_ = sweep_wanted_ || (!swept.cleared && madrigal::has_port_state_change(*found));
    spdlog::info("{}: subnet up: {} nodes, {} ports with LIDs, {} SMPs{}", name(), found->found.fabric.size(),
        found->ends.size(), swept.smps + written.value().smps, complete_ ? "" : "; not everything as it should be");
    co_return madrigal::outcome::success();
}

/// What is known of the time before somebody else was the master may be wrong by now. All clients are asked to
/// register.
void manager::begin_anew(subnet const& found)
{
    known_.written.clear();
    known_.registered.clear();
    known_.groups = madrigal::engine::multicast_registry{{.subnet_prefix = known_.with.subnet_prefix}};
    (void)known_.groups.keep_group(madrigal::engine::ipoib_broadcast_group());
    known_.services = madrigal::engine::service_registry{};
    known_.subscriptions = madrigal::engine::subscription_registry{};
    if (!std::exchange(stood_by_, false))
        return;
    // The LIDs that the last master gave are in use.
    for (auto const& end : found.ends)
        if (auto const now = found.info(end.at).base_lid; now.is_unicast())
            lids_.insert_or_assign(end.port_guid, now);
}

/// LIDs and tables.
madrigal::result<void> manager::decide(subnet& of)
{
    auto const before = lids_;
    BOOST_OUTCOME_TRY(madrigal::assign_lids(of, lids_, known_.with.lmc));
    if (lids_ != before && !known_.with.lids_file.empty())
        if (auto const kept = write_lids(known_.with.lids_file, lids_); !kept)
            spdlog::error("{}", kept.error().message());
    if (known_.with.routing == routing::min_hop)
        madrigal::route_min_hop(of);
    else
        (void)madrigal::route_up_down(of, known_.with.roots);
    known_.written.forget_lost(of);
    known_.groups.set_multicast_lids(madrigal::most_groups(of));
    return madrigal::outcome::success();
}

madrigal::smp_work_options manager::how_to_write() const
{
    madrigal::smp_work_options how;
    how.go_on = [this] { return is_master(); };
    how.attempts = 2;
    how.at_once = known_.with.smps_on_wire * (known_.with.adaptive ? 4 : 2);
    how.how.timeout = known_.with.timeout;
    how.how.retries = known_.with.retries;
    return how;
}

madrigal::result<madrigal::write_report> manager::take_note(madrigal::result<madrigal::write_report> of)
{
    if (of) {
        known_.counted.configure_smps += of.value().smps;
        known_.counted.failed_smps += of.value().failed;
        for (auto const& fault : of.value().faults)
            spdlog::warn("{}", fault);
    }
    return of;
}

void manager::forget_lost_ports()
{
    auto const gone = [this](madrigal::gid const& gid) { return known_.find(gid) == nullptr; };
    for (auto const& outcome : known_.groups.remove_ports(gone))
        if (outcome.group_deleted)
            report_gid(known_, madrigal::trap_number::multicast_group_deleted, outcome.record.mgid);
    (void)known_.services.remove_ports(gone);
    std::erase_if(known_.registered, [this](madrigal::guid port) { return known_.now->find(port) == nullptr; });
    (void)known_.subscriptions.remove_ports(gone);
}

asio::awaitable<madrigal::result<void>> manager::program_groups()
{
    groups_changed_ = false;
    auto const of = known_.now;
    auto const written =
        take_note(co_await madrigal::write_groups(known_.client, *of, known_.groups, known_.written, how_to_write()));
    if (!written)
        co_return is_master() ? madrigal::result<void>{written.error()} : madrigal::outcome::success();
    complete_ = complete_ && written.value().complete();
    earliest_groups_ = known_.port.time().now() + least_between_sweeps;
    co_return madrigal::outcome::success();
}

asio::awaitable<madrigal::result<void>> manager::look_for_changes()
{
    look_again_after(known_.with.sweep_interval);
    mastership_.count_activity();
    auto const of = known_.now;
    if (!of || (!complete_ && known_.port.time().now() >= retry_at_)) {
        sweep_wanted_ = true; // what has failed before is tried again
        co_return madrigal::outcome::success();
    }
    auto const seen = co_await madrigal::look_for_changes(known_.client, *of, how_to_write());
    if (!seen)
        co_return is_master() ? madrigal::result<void>{seen.error()} : madrigal::outcome::success();
    ++known_.counted.light_sweeps;
    for (auto const index : seen.value().switches)
        spdlog::info("{}: a port of {} has changed", name(), of->name(index));
    sweep_wanted_ = sweep_wanted_ || seen.value().any() || (complete_ && seen.value().unanswered != 0);
    co_return madrigal::outcome::success();
}

} // namespace sm
