#include "metrics.hpp"

#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace sm {

struct metrics::families {
    std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
    prometheus::Exposer exposer;

    // Several threads, and not much patience: a connection on which nothing is asked keeps one of them.
    explicit families(std::uint16_t port)
        : exposer{std::vector<std::string>{
              "listening_ports", fmt::format("127.0.0.1:{}", port), "num_threads", "4", "request_timeout_ms", "1000"}}
    {
        exposer.RegisterCollectable(registry);
    }
};

metrics::metrics(std::uint16_t port) : families_{std::make_unique<families>(port)} {}

metrics::~metrics() = default;

void metrics::update(manager const& of)
{
    if (!of.role() || !of.traps())
        return; // has not begun
    auto const& known = of.known();
    auto const set = [&](char const* name, char const* help, auto value) {
        auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(*families_->registry);
        family.Add({{"port", of.name()}}).Set(static_cast<double>(value));
    };
    set("sm_state", "0 not active, 1 discovering, 2 standby, 3 master", static_cast<unsigned>(of.role().state()));
    set("sm_nodes", "Nodes found by the last heavy sweep", known.now ? known.now->found.fabric.size() : 0);
    set("sm_end_ports", "Ports with LIDs", known.now ? known.now->ends.size() : 0);
    set("sm_heavy_sweeps", "Heavy sweeps so far", known.counted.heavy_sweeps);
    set("sm_light_sweeps", "Light sweeps so far", known.counted.light_sweeps);
    set("sm_sweep_smps", "SMPs sent by heavy sweeps", known.counted.sweep_smps);
    set("sm_configure_smps", "SMPs sent to make the subnet as it should be", known.counted.configure_smps);
    set("sm_failed_smps", "Of them, refused or not answered", known.counted.failed_smps);
    set("sm_reports", "Reports sent to subscribers", known.counted.reports);
    set("sm_groups", "Multicast groups", known.groups.groups().size());
    set("sm_services", "Services", known.services.size());
    set("sm_subscriptions", "Subscriptions to notices", known.subscriptions.size());
    auto const traps = of.traps().counters();
    set("sm_traps_received", "Traps that have come", traps.received);
    set("sm_traps_suppressed", "Of them, repressed only", traps.received - traps.delivered);
    if (known.administration) {
        auto const sa = known.administration.counters();
        set("sm_sa_requests", "Questions to subnet administration", sa.requests);
        set("sm_sa_busy", "Of them, answered BUSY", sa.busy);
        set("sm_sa_in_work", "Of them, in work now", known.administration.gauges().in_work);
    }
}

} // namespace sm
