#include "administration.hpp"
#include "configure.hpp"
#include "manager.hpp"
#include "reports.hpp"

#include <madrigal/subnet/lid_assignment.hpp>
#include <madrigal/subnet/routing.hpp>

#include <spdlog/spdlog.h>

namespace sm {

using madrigal::sm_duty;

/// SMInfo of every other port that is a subnet manager's.
asio::awaitable<std::vector<madrigal::seen_sm>> manager::ask_others(subnet const& of)
{
    std::vector<madrigal::seen_sm> others;
    for (auto const& end : of.ends) {
        if (end.at == of.ends.front().at || !of.info(end.at).capability_mask.has(madrigal::port_capability::is_sm))
            continue;
        madrigal::destination const where{of.route(end)};
        auto const info = co_await mastership_.ask(where);
        if (info)
            others.push_back({info.value(), where});
        else
            spdlog::info("the subnet manager at {} does not answer: {}", of.name(end.at.node), info.error().message());
    }
    co_return others;
}

/// Looks, and changes nothing: somebody else may be the master.
asio::awaitable<madrigal::result<void>> manager::discover()
{
    auto found = co_await heavy_sweep(known_.client, known_.with);
    if (!found)
        co_return found.error();
    ++known_.counted.heavy_sweeps;
    known_.counted.sweep_smps += found.value().smps;
    known_.others = co_await ask_others(found.value().subnet);
    if (duty_ == sm_duty::discover) {
        fresh_ = std::move(found).value();
        mastership_.on_sweep(known_.others);
    }
    co_return madrigal::outcome::success();
}

/// A heavy sweep, and all that follows from it.
asio::awaitable<madrigal::result<void>> manager::configure_all()
{
    bool const look = !fresh_; // else what was found while discovering is as new
    if (look) {
        auto found = co_await heavy_sweep(known_.client, known_.with);
        if (!found)
            co_return found.error();
        ++known_.counted.heavy_sweeps;
        known_.counted.sweep_smps += found.value().smps;
        fresh_ = std::move(found).value();
    }
    auto swept = std::move(*fresh_);
    fresh_.reset();
    auto const found = std::make_shared<subnet>(std::move(swept.subnet));
    auto const before = lids_;
    BOOST_OUTCOME_CO_TRY(madrigal::assign_lids(*found, lids_, known_.with.lmc));
    if (lids_ != before)
        keep_lids();
    if (known_.with.routing == routing::min_hop)
        madrigal::route_min_hop(*found);
    else
        (void)madrigal::route_up_down(*found, known_.with.roots);
    known_.written.forget_lost(*found);
    publish(found);

    bool const first = new_master_;
    auto const before_it = known_.counted.configure_smps;
    auto const done = co_await configure(known_, *found, first);
    if (!done)
        co_return done.error();
    if (duty_ != sm_duty::configure)
        co_return madrigal::outcome::success();
    new_master_ = new_master_ && !first;
    complete_ = swept.complete && done.value() == 0;
    BOOST_OUTCOME_CO_TRY(co_await program_groups());
    next_look_ = known_.port.time().now() + known_.with.sweep_interval;
    ++times_up_;
    spdlog::info("{}: subnet up: {} nodes, {} ports with LIDs, {} SMPs{}", name(), found->found.fabric.size(),
        found->ends.size(), swept.smps + known_.counted.configure_smps - before_it,
        complete_ ? "" : "; not all has answered");
    if (look) {
        known_.others = co_await ask_others(*found);
        mastership_.on_sweep(known_.others);
    }
    co_return madrigal::outcome::success();
}

/// From here on questions are answered from what has been found.
void manager::publish(std::shared_ptr<subnet> found)
{
    auto const before = std::exchange(known_.now, std::move(found));
    if (!known_.administration || new_master_) {
        known_.administration.close();
        if (auto const opened = open_administration(known_); !opened)
            spdlog::error("{}: {}", name(), opened.error().message());
        else
            start(serve());
    }
    report_differences(known_, before.get(), *known_.now);
    if (before)
        forget_lost_ports();
}

void manager::forget_lost_ports()
{
    auto const gone = [this](madrigal::gid const& gid) { return known_.find(gid) == nullptr; };
    for (auto const& outcome : known_.groups.remove_ports(gone))
        if (outcome.group_deleted)
            report_gid(known_, madrigal::trap_number::multicast_group_deleted, outcome.record.mgid);
    (void)known_.services.remove_ports(gone);
    (void)known_.subscriptions.remove_ports(gone);
}

asio::awaitable<madrigal::result<void>> manager::program_groups()
{
    auto const of = known_.now;
    groups_changed_ = false;
    auto const done = co_await write_groups(known_, *of);
    if (!done)
        co_return done.error();
    complete_ = complete_ && done.value() == 0;
    co_return madrigal::outcome::success();
}

void manager::keep_lids()
{
    if (known_.with.lids_file.empty())
        return;
    if (auto const kept = write_lids(known_.with.lids_file, lids_); !kept)
        spdlog::error("{}", kept.error().message());
}

asio::awaitable<madrigal::result<void>> manager::look_for_changes()
{
    next_look_ = known_.port.time().now() + known_.with.sweep_interval;
    mastership_.count_activity();
    auto const of = known_.now;
    if (!of || !complete_) {
        sweep_wanted_ = true; // what has failed before is tried again
        co_return madrigal::outcome::success();
    }
    auto const changed = co_await light_sweep(known_.client, *of);
    if (!changed)
        co_return changed.error();
    ++known_.counted.light_sweeps;
    sweep_wanted_ = sweep_wanted_ || changed.value();
    co_return madrigal::outcome::success();
}

} // namespace sm
