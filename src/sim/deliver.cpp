// What a node makes of a packet that reached it: its management agents, its host's kernel, or nobody.
#include <sim/core.hpp>
#include <sim/kernel_port.hpp>
#include <sim/p_keys.hpp>
#include <sim/performance_agent.hpp>
#include <sim/sa_server.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/ping.hpp>

#include <algorithm>

namespace madrigal::sim {

namespace {

/// The kernel behind an end port, as long as somebody has a file open there.
kernel_port* used_kernel(end_port const& end)
{
    return end.kernel != nullptr && !end.kernel->files().empty() ? end.kernel : nullptr;
}

} // namespace

void core::deliver(packet& one)
{
    auto const mad = one.view();
    auto& here = nodes[one.at];
    if (here.is_switch())
        count_received(one, here.ports[0]);
    auto const& end = here.end_for(one.port);
    auto const mgmt_class = mad.mgmt_class();
    bool const for_smi = one.to.destination_qp == 0;
    if (mad.base_version() != mad_base_version || one.to.destination_qp > 1 ||
        for_smi != madrigal::is_smp(mgmt_class) || !(for_smi ? end.has_smi : end.has_gsi)) {
        drop(one, drop_reason::malformed);
        return;
    }
    if (!for_smi) {
        if (one.to.q_key != gsi_q_key) {
            drop(one, drop_reason::q_key);
            return;
        }
        if (options.check_pkeys && !holds_p_key(here.ports[here.end_number(one.port)], one.to.p_key)) {
            drop(one, drop_reason::p_key);
            return;
        }
        if (is_for_performance_agent(one))
            serve(one);
        else if (sa && sa->is_for(one))
            sa->receive(one);
        else if (auto* const kernel = used_kernel(end))
            kernel->receive(one);
        else if (mad.is_response())
            drop(one, drop_reason::late_answer);
        else
            serve(one);
        return;
    }
    auto const method_of_mad = mad.method();
    if (method_of_mad == method::trap_repress && here.trap && here.trap->active &&
        here.trap->transaction_id == mad.transaction_id()) {
        repress_trap(one);
        return;
    }
    // SMInfo belongs to whoever is the subnet manager, as the kernel's drivers have it.
    bool const for_agent =
        end.kernel != nullptr && mad.attribute_id() == attribute_id::sm_info && end.kernel->has_agent_for(one);
    if ((method_of_mad == method::get || method_of_mad == method::set) && !for_agent)
        serve(one);
    else if (end.kernel != nullptr)
        end.kernel->receive(one);
    else
        drop(one, mad.is_response() ? drop_reason::late_answer : drop_reason::unmatched);
}

void core::serve(packet& one)
{
    auto& here = nodes[one.at];
    if (faults.service_time <= duration{}) {
        answer(one);
        return;
    }
    if (faults.queue_limit != 0 && here.waiting >= faults.queue_limit) {
        auto& total = here.ports[one.port].counts.total;
        ++(one.is_smp() ? total.vl15_dropped : total.qp1_dropped);
        drop(one, drop_reason::queue_full);
        return;
    }
    ++here.waiting;
    here.busy_until = std::max(here.busy_until, now) + faults.service_time;
    one.kind = event_kind::packet_served;
    events.push(one, here.busy_until);
}

void core::happen_served(packet& one)
{
    auto& here = nodes[one.at];
    --here.waiting;
    if (here.running())
        answer(one);
    else
        drop(one, drop_reason::node_off);
}

void core::answer(packet& one)
{
    auto* const rule = rules.empty() ? nullptr : strike(one);
    if (rule != nullptr && rule->action == fault_action::drop) {
        drop(one, drop_reason::fault_rule);
        return;
    }
    auto const mad = one.view();
    if (rule != nullptr && rule->action == fault_action::status) {
        mad.set_method(response_to(mad.method()));
        mad.set_status(rule->status);
    } else if (one.is_smp()) {
        if (!answer_smp(*this, one)) {
            drop(one, drop_reason::m_key);
            return;
        }
    } else if (is_for_performance_agent(one)) {
        answer_performance(*this, one);
    } else if (sa && sa->is_for(one)) {
        if (rule != nullptr && rule->action == fault_action::delay && rule->delay > duration{}) {
            one.kind = event_kind::sa_answers;
            events.push(one, now + rule->delay);
        } else {
            sa->answer(one, rule != nullptr && rule->action == fault_action::corrupt);
        }
        return;
    } else if (serves_pings(one)) {
        mad.set_method(method::get_response);
        mad.set_status(mad_status::ok);
        put_ping_name(mad.data(), nodes[one.at].description);
    } else if (refuses(one)) {
        mad.set_method(method::get_response);
        mad.set_status(mad_status::unsupported_method_attribute);
    } else {
        drop(one, drop_reason::unmatched);
        return;
    }
    ++counts.answered;
    if (rule != nullptr && rule->action == fault_action::corrupt)
        corrupt(mad.data());
    if (rule != nullptr && rule->action == fault_action::delay && rule->delay > duration{}) {
        one.kind = event_kind::packet_leaves;
        events.push(one, now + rule->delay);
        return;
    }
    reply(one);
}

void core::corrupt(std::span<std::byte> data)
{
    auto const bit = random.next() % (8 * data.size());
    data[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
}

/// The kernel of a machine refuses what nobody serves; what runs in a switch knows nothing of classes that it has no
/// agent for, and says nothing.
bool core::refuses(packet const& one) const noexcept
{
    auto const mad = one.view();
    return (mad.method() == method::get || mad.method() == method::set) && !nodes[one.at].is_switch();
}

/// A machine whose files somebody has opened answers itself, by its agents.
bool core::serves_pings(packet const& one) const noexcept
{
    auto const& here = nodes[one.at];
    return options.answer_pings && here.type == node_type::ca && is_ping(one.view()) &&
           std::none_of(here.ports.begin(), here.ports.end(),
               [](port const& each) { return each.end && used_kernel(*each.end) != nullptr; });
}

void core::refuse_unmatched(packet& one)
{
    auto const mad = one.view();
    if (mad.method() != method::get && mad.method() != method::set) {
        drop(one, drop_reason::unmatched);
        return;
    }
    mad.set_method(method::get_response);
    mad.set_status(mad_status::unsupported_method_attribute);
    reply(one);
}

void core::reply(packet& one)
{
    auto const mad = one.view();
    if (mad.mgmt_class() == management_class::subnet_directed_route)
        mad.set_status(static_cast<std::uint16_t>(mad.status() | mad_status::direction_bit));
    std::swap(one.to.source_lid, one.to.destination_lid);
    std::swap(one.to.source_qp, one.to.destination_qp);
    if (one.to.has_grh) {
        std::swap(one.to.grh.source, one.to.grh.destination);
        one.to.grh.hop_limit = 0xFF;
    }
    one.hops = 0;
    launch(one, nodes[one.at].end_number(one.port));
}

} // namespace madrigal::sim
