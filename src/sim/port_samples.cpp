#include <sim/port_samples.hpp>

#include <sim/performance_agent.hpp>

#include <chrono>
#include <limits>
#include <memory>

namespace madrigal::sim {
namespace {

/// A byte at 2.5 Gb/s with ten bits on the wire: Tick 0.
constexpr std::chrono::nanoseconds tick{4};
/// 32 bits, in steps of 4 above 16.
constexpr std::uint8_t counter_width = 4;
/// Any place samples any of the counters that every agent can.
constexpr std::uint8_t mandatory_counters = 1;
constexpr std::uint8_t extended_width_of_64_bits = 2;

bool can_sample(sampled_counter what) noexcept
{
    return what <= sampled_counter::xmit_wait;
}

sample_counters64 counts_of(port_samples const& of, port const& one)
{
    auto const& total = one.counts.total;
    sample_counters64 counts{};
    for (std::size_t i = 0; i != counts.size(); ++i)
        switch (of.control.counter_selects[i]) {
        case sampled_counter::none: break;
        case sampled_counter::xmit_data: counts[i] = total.xmit_data; break;
        case sampled_counter::rcv_data: counts[i] = total.rcv_data; break;
        case sampled_counter::xmit_packets: counts[i] = total.xmit_packets; break;
        case sampled_counter::rcv_packets: counts[i] = total.rcv_packets; break;
        case sampled_counter::xmit_wait: counts[i] = total.xmit_wait; break;
        }
    return counts;
}

/// Of a node whose sampling was never set, or has been.
port_samples const& samples_of(node const& one)
{
    static port_samples const none{};
    return one.samples ? *one.samples : none;
}

} // namespace

std::uint16_t answer_port_samples_control(performance_request const& request)
{
    auto wanted = request.wanted<port_samples_control>();
    if (wanted.port_select == all_ports || request.selected(wanted.port_select).empty())
        return mad_status::invalid_value;
    auto& owner = request.asked();
    // While one is under way, a Set changes nothing.
    if (request.is_set && samples_of(owner).control.status == sample_status::done) {
        if (!std::all_of(wanted.counter_selects.begin(), wanted.counter_selects.end(), can_sample))
            return mad_status::invalid_value;
        if (!owner.samples)
            owner.samples = std::make_unique<port_samples>();
        auto& samples = *owner.samples;
        samples.kind = event_kind::samples_due;
        samples.node = request.index;
        samples.control = wanted;
        samples.control.status = sample_status::waiting;
        request.fabric.events.push(samples, request.fabric.now + wanted.sample_start * tick);
    }
    auto control = samples_of(owner).control;
    if (!owner.samples)
        control.port_select = wanted.port_select;
    control.op_code = 0;
    control.tick = 0;
    control.counter_width = counter_width;
    control.counter_mask0 = mandatory_counters;
    control.counter_masks1to9.fill(mandatory_counters);
    control.counter_masks10to14.fill(mandatory_counters);
    control.sample_mechanisms = 0;
    control.option_mask = 0;
    control.vendor_mask = 0;
    control.samples_only_option_mask = 0;
    return request.give(control);
}

std::uint16_t answer_port_samples_result(performance_request const& request)
{
    if (request.is_set)
        return mad_status::unsupported_method_attribute;
    auto const& samples = samples_of(request.asked());
    port_samples_result given;
    given.tag = samples.control.tag;
    given.status = samples.control.status;
    if (given.status == sample_status::done)
        for (std::size_t i = 0; i != given.counters.size(); ++i)
            given.counters[i] = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(samples.counted[i], std::numeric_limits<std::uint32_t>::max()));
    return request.give(given);
}

std::uint16_t answer_port_samples_result_extended(performance_request const& request)
{
    if (request.is_set)
        return mad_status::unsupported_method_attribute;
    auto const& samples = samples_of(request.asked());
    port_samples_result_extended given;
    given.tag = samples.control.tag;
    given.status = samples.control.status;
    given.extended_width = extended_width_of_64_bits;
    if (given.status == sample_status::done)
        given.counters = samples.counted;
    return request.give(given);
}

void core::samples_are_due(port_samples& samples)
{
    auto const& one = nodes[samples.node].ports[samples.control.port_select];
    auto const present = counts_of(samples, one);
    if (samples.control.status == sample_status::waiting) {
        samples.control.status = sample_status::running;
        samples.at_start = present;
        events.push(samples, now + samples.control.sample_interval * tick);
        return;
    }
    samples.control.status = sample_status::done;
    // A Set may have made a counter smaller meanwhile.
    for (std::size_t i = 0; i != present.size(); ++i)
        samples.counted[i] = present[i] < samples.at_start[i] ? present[i] : present[i] - samples.at_start[i];
}

} // namespace madrigal::sim
