#include <madrigal/subnet/look_for_changes.hpp>

#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <algorithm>
#include <utility>

namespace madrigal {

asio::awaitable<result<subnet_changes>> look_for_changes(smp_client by, managed_subnet const& of, smp_work_options how)
{
    smp_work work;
    for (auto const index : of.switches)
        (void)work.add(of.route(index), of.node(index).node_guid, smp_order::get<switch_info>());
    subnet_changes seen;
    auto const* const own = of.own();
    seen.own_link_lost = own == nullptr;
    auto const number_of_own = work.size();
    // A base switch port 0 has no state worth the name.
    if (own != nullptr && own->at.port != 0)
        (void)work.add(directed_route{}, guid{}, smp_order::get<port_info>(own->at.port));
    auto const report =
        co_await work.run(std::move(by), std::move(how), [&](std::size_t job, smp_order const&, mad_view answer) {
            if (job == number_of_own) {
                auto const info = answer.attribute<port_info>();
                seen.own_link_lost = info && info->state < port_state::active;
            } else if (auto const info = answer.attribute<switch_info>(); info && info->port_state_change) {
                seen.switches.push_back(of.switches[job]);
            }
        });
    if (!report)
        co_return report.error();
    seen.unanswered = report.value().failed + report.value().skipped;
    co_return seen;
}

bool has_port_state_change(managed_subnet const& in) noexcept
{
    return std::any_of(in.switches.begin(), in.switches.end(),
        [&](auto index) { return in.found.attributes[index].switch_info.port_state_change; });
}

} // namespace madrigal
