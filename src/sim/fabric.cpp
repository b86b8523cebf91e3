#include <madrigal/sim/fabric.hpp>

#include <sim/core.hpp>
#include <sim/host_names.hpp>
#include <sim/kernel_port.hpp>

#include <fmt/format.h>

#include <utility>

namespace madrigal::sim {
namespace {

error no_port(topology::endpoint end)
{
    return {errc::invalid_argument, fmt::format("the fabric has no node {} with a port {}", end.node, end.port)};
}

error no_cable(topology::endpoint end)
{
    return {errc::invalid_argument, fmt::format("no cable was ever at node {} port {}", end.node, end.port)};
}

error no_node(topology::node_index node)
{
    return {errc::invalid_argument, fmt::format("the fabric has no node {}", node)};
}

} // namespace

fabric::fabric(std::shared_ptr<core> implementation) noexcept : core_{std::move(implementation)} {}
fabric::~fabric() = default;

result<std::shared_ptr<fabric>> fabric::make(topology::fabric layout, fabric_options options)
{
    auto made = std::make_shared<core>(std::move(layout), std::move(options));
    if (auto failed = made->build(); failed.code())
        return failed;
    return std::shared_ptr<fabric>{new fabric{std::move(made)}};
}

topology::fabric const& fabric::layout() const noexcept
{
    return core_->layout;
}

fabric_options const& fabric::options() const noexcept
{
    return core_->options;
}

result<topology::node_index> fabric::find_node(std::string_view name) const
{
    return sim::find_node(core_->layout, name);
}

void fabric::advance()
{
    core::entry const hold{*core_};
}

void fabric::set_faults(fault_options const& faults)
{
    core::entry const hold{*core_};
    core_->faults = faults;
}

fault_options fabric::faults() const
{
    core::entry const hold{*core_};
    return core_->faults;
}

error fabric::set_cable_loss(topology::endpoint end, std::optional<double> loss)
{
    core::entry const hold{*core_};
    if (!core_->valid(end))
        return no_port(end);
    auto& one = core_->at(end);
    if (!one.cable)
        return no_cable(end);
    if (loss && !(*loss >= 0 && *loss <= 1))
        return {errc::invalid_argument, fmt::format("a loss of {}: it is a number from 0 to 1", *loss)};
    one.cable_loss = core_->at(one.cable).cable_loss = loss.value_or(-1);
    return {};
}

fault_rule_id fabric::add_rule(fault_rule rule)
{
    core::entry const hold{*core_};
    core_->rules.emplace_back(++core_->last_rule, rule);
    return core_->last_rule;
}

bool fabric::remove_rule(fault_rule_id rule)
{
    core::entry const hold{*core_};
    return std::erase_if(core_->rules, [&](auto const& one) { return one.first == rule; }) != 0;
}

error fabric::set_link(topology::endpoint end, bool plugged)
{
    core::entry const hold{*core_};
    if (!core_->valid(end))
        return no_port(end);
    auto& one = core_->at(end);
    if (!one.cable)
        return no_cable(end);
    one.plugged = plugged;
    core_->at(one.cable).plugged = plugged;
    core_->settle_link(end);
    return {};
}

error fabric::set_power(topology::node_index node, bool on)
{
    core::entry const hold{*core_};
    if (node >= core_->nodes.size())
        return no_node(node);
    auto& one = core_->nodes[node];
    if (one.on != on) {
        one.on = on;
        core_->restart(node);
    }
    return {};
}

error fabric::unplug(topology::node_index node)
{
    core::entry const hold{*core_};
    if (node >= core_->nodes.size())
        return no_node(node);
    if (std::exchange(core_->nodes[node].in_host, false))
        core_->restart(node);
    return {};
}

error fabric::plug(topology::node_index node)
{
    core::entry const hold{*core_};
    if (node >= core_->nodes.size())
        return no_node(node);
    if (!std::exchange(core_->nodes[node].in_host, true))
        core_->restart(node);
    return {};
}

error fabric::set_services(topology::endpoint port, bool smi, bool gsi)
{
    core::entry const hold{*core_};
    if (!core_->valid(port) || !core_->at(port).end)
        return no_port(port);
    core_->at(port).end->has_smi = smi;
    core_->at(port).end->has_gsi = gsi;
    return {};
}

error fabric::send_link_trap(topology::node_index node)
{
    core::entry const hold{*core_};
    if (node >= core_->nodes.size() || !core_->nodes[node].is_switch() || !core_->nodes[node].running())
        return {errc::invalid_argument, fmt::format("node {} is no running switch", node)};
    if (!core_->send_trap(node))
        return {errc::invalid_argument, fmt::format("switch {} has no LID, or knows none of an SM", node)};
    return {};
}

result<fabric::port_view> fabric::look_at(topology::endpoint port) const
{
    core::entry const hold{*core_};
    if (!core_->valid(port))
        return no_port(port);
    auto const& one = core_->at(port);
    port_view seen;
    seen.state = one.state;
    seen.phys_state = one.phys_state;
    seen.width = one.active_width();
    seen.speed = one.active_speed();
    seen.plugged = one.plugged;
    if (one.cable_loss >= 0)
        seen.cable_loss = one.cable_loss;
    if (one.end) {
        seen.base_lid = lid{one.end->base_lid};
        seen.lmc = one.end->lmc;
        seen.sm_lid = lid{one.end->sm_lid};
        seen.port_guid = one.end->port_guid;
        seen.is_sm = one.end->issm_held;
        seen.m_key_violations = one.end->guard.violations;
    }
    return seen;
}

result<fabric::node_view> fabric::look_at(topology::node_index node) const
{
    core::entry const hold{*core_};
    if (node >= core_->nodes.size())
        return no_node(node);
    auto const& one = core_->nodes[node];
    node_view seen{one.on, one.in_host};
    for (auto const& each : one.ports)
        if (each.end && each.end->kernel != nullptr)
            seen.files += each.end->kernel->files().size();
    return seen;
}

std::uint8_t fabric::forwarding_entry(topology::node_index node, lid destination) const
{
    core::entry const hold{*core_};
    return node < core_->nodes.size() && core_->nodes[node].is_switch()
               ? core_->nodes[node].switching->route(destination.value())
               : std::uint8_t{0xFF};
}

result<port_counters_extended> fabric::port_counts(topology::endpoint port) const
{
    core::entry const hold{*core_};
    if (!core_->valid(port))
        return no_port(port);
    return core_->at(port).counts.total;
}

error fabric::set_port_counts(topology::endpoint port, port_counters_extended const& to)
{
    core::entry const hold{*core_};
    if (!core_->valid(port))
        return no_port(port);
    core_->at(port).counts.set(to);
    return {};
}

fabric_counters fabric::counters() const
{
    core::entry const hold{*core_};
    return core_->counts;
}

std::uint64_t fabric::transmissions(std::uint64_t transaction_id) const
{
    core::entry const hold{*core_};
    if (!core_->transactions)
        return 0;
    auto const found = core_->transactions->find(transaction_id);
    return found == core_->transactions->end() ? 0 : found->second;
}

void fabric::count_transactions(bool on)
{
    core::entry const hold{*core_};
    if (on)
        core_->transactions.emplace();
    else
        core_->transactions.reset();
}

} // namespace madrigal::sim
