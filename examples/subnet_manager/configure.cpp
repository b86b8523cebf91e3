#include "configure.hpp"

#include <spdlog/spdlog.h>

namespace sm {
namespace {

using madrigal::smp_order;
using madrigal::smp_work;

void complain(subnet const& of, madrigal::smp_work_report const& report, std::vector<node_index> const& nodes)
{
    for (auto const& failure : report.failures)
        spdlog::warn("{}: {}", of.name(nodes[failure.job]), to_string(failure));
    for (auto const job : report.given_up)
        spdlog::warn(
            "{} does not answer; the rest of what it should be told waits for the next sweep", of.name(nodes[job]));
}

} // namespace

asio::awaitable<madrigal::result<configured>> configure(
    madrigal::smp_client client, subnet& of, port_plan plan, written_by_switch& written)
{
    configured all;
    for (auto const pass : {port_pass::arm, port_pass::activate}) {
        smp_work work;
        std::vector<node_index> nodes; // by job
        for (node_index i = 0; i != of.found.fabric.size(); ++i) {
            (void)order_ports(work, plan, i, pass);
            if (pass == port_pass::arm && of.is_switch(i))
                order_switch(work, of, of.switch_number(i), written[of.node(i).node_guid.value()]);
            nodes.resize(work.size(), i);
        }
        if (work.empty())
            continue;
        auto const on_answer = [&](std::size_t job, smp_order const& order, madrigal::mad_view answer) {
            auto const node = nodes[job];
            if (order.attribute_id != madrigal::port_info::layout.id)
                note_answer(written[of.node(node).node_guid.value()], order, answer);
            else if (auto const told = answer.attribute<madrigal::port_info>())
                of.info({node, static_cast<std::uint8_t>(order.modifier)}) = *told;
        };
        auto const report = co_await work.run(client, {}, on_answer);
        if (!report)
            co_return report.error();
        complain(of, report.value(), nodes);
        all.smps += report.value().smps_sent;
        all.failed += report.value().failed + report.value().skipped;
    }
    co_return all;
}

} // namespace sm
