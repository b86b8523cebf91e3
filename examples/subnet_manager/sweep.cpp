#include "sweep.hpp"

#include <madrigal/fabric/discover.hpp>
#include <madrigal/subnet/smp_work.hpp>

#include <spdlog/spdlog.h>

namespace sm {

madrigal::result<madrigal::smp_client> open_client(madrigal::port const& on, settings const& with)
{
    madrigal::smp_options options;
    options.outstanding = with.smps_on_wire;
    options.adaptive = with.adaptive;
    options.timeout = with.timeout;
    options.retries = with.retries;
    options.keys.set_default(with.m_key);
    return madrigal::smp_client::open(on, options);
}

asio::awaitable<madrigal::result<swept>> heavy_sweep(madrigal::smp_client client, settings const& with)
{
    madrigal::discover_options options;
    options.outstanding = with.adaptive ? 4 * with.smps_on_wire : with.smps_on_wire;
    options.timeout = with.timeout;
    options.retries = with.retries;
    options.attempts = 2;
    options.keys = client.keys();
    options.keep_attributes = true;
    options.ask_makers = false;
    auto found = co_await madrigal::discover(client, options);
    if (!found)
        co_return found.error();
    auto& all = found.value();
    for (auto const& problem : all.problems)
        spdlog::warn("{}", to_string(problem));
    bool const complete = all.complete();
    auto const smps = all.statistics.smps_sent;
    co_return swept{subnet{std::move(all)}, complete, smps};
}

asio::awaitable<madrigal::result<bool>> light_sweep(madrigal::smp_client client, subnet const& of)
{
    madrigal::smp_work work;
    for (auto const index : of.switches)
        work.add(of.route(index), of.node(index).node_guid, madrigal::smp_order::get<madrigal::switch_info>());
    auto const own = work.add(madrigal::directed_route{}, madrigal::guid{},
        madrigal::smp_order::get<madrigal::port_info>(of.own() != nullptr ? of.own()->at.port : 0));
    bool changed = of.own() == nullptr;
    auto const report =
        co_await work.run(client, {}, [&](std::size_t job, madrigal::smp_order const&, madrigal::mad_view answer) {
            if (job == own) {
                bool const has_state = of.own() != nullptr && of.own()->at.port != 0; // a base switch port 0 has none
                auto const info = answer.attribute<madrigal::port_info>();
                changed = changed || (has_state && info->state < madrigal::port_state::active);
                return;
            }
            auto const info = answer.attribute<madrigal::switch_info>();
            if (info && info->port_state_change) {
                spdlog::info("a port of {} has changed", of.name(of.switches[job]));
                changed = true;
            }
        });
    if (!report)
        co_return report.error();
    co_return changed || !report.value().complete();
}

} // namespace sm
