#include "sweep.hpp"

#include <madrigal/subnet/discover_twice.hpp>

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

asio::awaitable<madrigal::result<swept>> heavy_sweep(madrigal::smp_client client, settings const& with, bool master)
{
    madrigal::discover_options options;
    options.outstanding = with.adaptive ? 2 * with.smps_on_wire : with.smps_on_wire;
    options.timeout = with.timeout;
    options.retries = with.retries;
    options.attempts = 2;
    options.keys = client.keys();
    options.keep_attributes = true;
    options.ask_makers = false;
    options.clear_port_state_change = master;
    auto found = co_await madrigal::discover_twice(client, options);
    if (!found)
        co_return found.error();
    auto& all = found.value();
    for (auto const& problem : all.problems)
        spdlog::warn("{}", to_string(problem));
    bool const complete = all.complete();
    auto const smps = all.statistics.smps_sent;
    co_return swept{subnet{std::move(all)}, complete, master, smps};
}

} // namespace sm
