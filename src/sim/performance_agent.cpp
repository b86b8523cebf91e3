#include <sim/performance_agent.hpp>

#include <madrigal/wire/attributes/class_port_info.hpp>
#include <madrigal/wire/attributes/port_counters.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

namespace madrigal::sim {
namespace {

/// What ClassPortInfo tells: what is here, no more and no less.
constexpr flags<performance_capability> common_capabilities{performance_capability::capability_mask2,
    performance_capability::extended_width, performance_capability::xmit_wait, performance_capability::qp1_dropped};
constexpr flags<performance_capability2> common_capabilities2{performance_capability2::additional_counters_extended};
/// 4.096 us times 2 to this power: about a second.
constexpr std::uint8_t response_time = 18;

std::uint64_t capped(std::uint64_t value, unsigned width) noexcept
{
    return std::min(value, (std::uint64_t{1} << width) - 1);
}

std::uint16_t answer_class_port_info(performance_request const& request)
{
    if (request.is_set) // there are no traps whose receiver could be set
        return mad_status::unsupported_method_attribute;
    auto can = common_capabilities;
    can.set(performance_capability::all_port_select, request.asked().is_switch());
    class_port_info info;
    info.base_version = mad_base_version;
    info.class_version = 1;
    info.capability_mask = can.value();
    info.capability_mask2 = common_capabilities2.value();
    info.resp_time_value = response_time;
    return request.give(info);
}

using totals = port_counters_extended;

/// Calls `visitor(selected bit, width, member of PortCounters, member of the totals)` for each counter of
/// PortCounters; the bits of CounterSelect2 are above those of CounterSelect.
template <class Visitor>
void for_each_short_counter(Visitor&& visitor)
{
    using all = port_counters;
    auto const one = [&](port_counter bit, unsigned width, auto member, std::uint64_t totals::*total) {
        visitor(std::uint32_t{static_cast<std::uint16_t>(bit)}, width, member, total);
    };
    auto const other = [&](port_counter2 bit, unsigned width, auto member, std::uint64_t totals::*total) {
        visitor(std::uint32_t{static_cast<std::uint8_t>(bit)} << 16, width, member, total);
    };
    using bit = port_counter;
    one(bit::symbol_errors, 16, &all::symbol_errors, &totals::symbol_errors);
    one(bit::link_error_recoveries, 8, &all::link_error_recoveries, &totals::link_error_recoveries);
    one(bit::link_downed, 8, &all::link_downed, &totals::link_downed);
    one(bit::rcv_errors, 16, &all::rcv_errors, &totals::rcv_errors);
    one(bit::rcv_remote_physical_errors, 16, &all::rcv_remote_physical_errors, &totals::rcv_remote_physical_errors);
    one(bit::rcv_switch_relay_errors, 16, &all::rcv_switch_relay_errors, &totals::rcv_switch_relay_errors);
    one(bit::xmit_discards, 16, &all::xmit_discards, &totals::xmit_discards);
    one(bit::xmit_constraint_errors, 8, &all::xmit_constraint_errors, &totals::xmit_constraint_errors);
    one(bit::rcv_constraint_errors, 8, &all::rcv_constraint_errors, &totals::rcv_constraint_errors);
    one(bit::local_link_integrity_errors, 4, &all::local_link_integrity_errors, &totals::local_link_integrity_errors);
    one(bit::excessive_buffer_overruns, 4, &all::excessive_buffer_overruns, &totals::excessive_buffer_overruns);
    one(bit::vl15_dropped, 16, &all::vl15_dropped, &totals::vl15_dropped);
    one(bit::xmit_data, 32, &all::xmit_data, &totals::xmit_data);
    one(bit::rcv_data, 32, &all::rcv_data, &totals::rcv_data);
    one(bit::xmit_packets, 32, &all::xmit_packets, &totals::xmit_packets);
    one(bit::rcv_packets, 32, &all::rcv_packets, &totals::rcv_packets);
    other(port_counter2::xmit_wait, 32, &all::xmit_wait, &totals::xmit_wait);
    other(port_counter2::qp1_dropped, 16, &all::qp1_dropped, &totals::qp1_dropped);
}

std::uint16_t answer_port_counters(performance_request const& request)
{
    auto const wanted = request.wanted<port_counters>();
    auto const ports = request.selected(wanted.port_select);
    if (ports.empty())
        return mad_status::invalid_value;
    std::uint32_t const to_write =
        request.is_set ? wanted.counter_select.value() | std::uint32_t{wanted.counter_select2.value()} << 16 : 0;
    port_counters given;
    given.port_select = wanted.port_select;
    for_each_short_counter([&](std::uint32_t bit, unsigned width, auto member, std::uint64_t totals::*total) {
        if ((to_write & bit) != 0)
            for (auto& one : ports)
                one.counts.writable_hidden().*total = one.counts.total.*total - wanted.*member;
        std::uint64_t sum = 0;
        for (auto const& one : ports)
            sum += capped(one.counts.total.*total - one.counts.hidden().*total, width);
        using number = std::remove_cvref_t<decltype(given.*member)>;
        given.*member = static_cast<number>(capped(sum, width));
    });
    return request.give(given);
}

/// The same for PortCountersExtended: `visitor(selected bit, member)`.
template <class Visitor>
void for_each_long_counter(Visitor&& visitor)
{
    // CounterSelect has the first eight members in their order, CounterSelect2 the rest.
    static constexpr std::array first{&totals::xmit_data, &totals::rcv_data, &totals::xmit_packets,
        &totals::rcv_packets, &totals::unicast_xmit_packets, &totals::unicast_rcv_packets,
        &totals::multicast_xmit_packets, &totals::multicast_rcv_packets};
    static constexpr std::array second{&totals::symbol_errors, &totals::link_error_recoveries, &totals::link_downed,
        &totals::rcv_errors, &totals::rcv_remote_physical_errors, &totals::rcv_switch_relay_errors,
        &totals::xmit_discards, &totals::xmit_constraint_errors, &totals::rcv_constraint_errors,
        &totals::local_link_integrity_errors, &totals::excessive_buffer_overruns, &totals::vl15_dropped,
        &totals::xmit_wait, &totals::qp1_dropped};
    for (std::size_t i = 0; i != first.size(); ++i)
        visitor(std::uint64_t{1} << i, first[i]);
    for (std::size_t i = 0; i != second.size(); ++i)
        visitor(std::uint64_t{1} << (16 + i), second[i]);
}

std::uint16_t answer_port_counters_extended(performance_request const& request)
{
    auto const wanted = request.wanted<port_counters_extended>();
    auto const ports = request.selected(wanted.port_select);
    if (ports.empty())
        return mad_status::invalid_value;
    std::uint64_t const to_write =
        request.is_set ? wanted.counter_select.value() | std::uint64_t{wanted.counter_select2.value()} << 16 : 0;
    port_counters_extended given;
    given.port_select = wanted.port_select;
    for_each_long_counter([&](std::uint64_t bit, std::uint64_t totals::*member) {
        for (auto& one : ports) {
            auto& counts = one.counts;
            if ((to_write & bit) != 0) {
                // PortCounters goes on from where it is.
                counts.writable_hidden().*member += wanted.*member - counts.total.*member;
                counts.total.*member = wanted.*member;
            }
            auto const before = given.*member;
            given.*member += counts.total.*member;
            if (given.*member < before)
                given.*member = UINT64_MAX;
        }
    });
    return request.give(given);
}

/// The counters of an attribute that has them behind PortSelect and CounterSelect, bit n for the counter n.
using listed_counters = std::array<std::uint64_t, 16>;
constexpr std::size_t selects = 2;

template <wire_layout T>
listed_counters counters_in(T const& of)
{
    listed_counters all{};
    std::size_t next = 0;
    for_each_value(of, [&](field_description const&, std::size_t, auto const& value) {
        if (next >= selects)
            all[next - selects] = value;
        ++next;
    });
    return all;
}

template <wire_layout T>
void put_counters(T& into, listed_counters const& all)
{
    std::size_t next = 0;
    for_each_value(into, [&]<class Number>(field_description const&, std::size_t, Number& value) {
        if (next >= selects)
            value = static_cast<Number>(capped(all[next - selects], 8 * sizeof(Number)));
        ++next;
    });
}

/// Such an attribute. `read` gives what a port has of it, `place` where that is written.
template <wire_layout T, class Read, class Place>
std::uint16_t answer_listed(performance_request const& request, Read const& read, Place const& place)
{
    auto const wanted = request.wanted<T>();
    auto const ports = request.selected(wanted.port_select);
    if (ports.empty())
        return mad_status::invalid_value;
    if (request.is_set && wanted.counter_select != 0) {
        auto const values = counters_in(wanted);
        for (auto& one : ports) {
            auto changed = counters_in(read(one.counts));
            for (std::size_t i = 0; i != changed.size(); ++i)
                if ((wanted.counter_select >> i & 1) != 0)
                    changed[i] = values[i];
            put_counters(place(one.counts), changed);
        }
    }
    listed_counters sum{};
    for (auto const& one : ports) {
        auto const has = counters_in(read(one.counts));
        for (std::size_t i = 0; i != sum.size(); ++i)
            sum[i] += has[i];
    }
    T given;
    given.port_select = wanted.port_select;
    put_counters(given, sum);
    return request.give(given);
}

std::uint16_t answer_attribute(performance_request const& request, std::uint16_t id)
{
    switch (id) {
    case attribute_id::class_port_info: return answer_class_port_info(request);
    case attribute_id::port_samples_control: return answer_port_samples_control(request);
    case attribute_id::port_samples_result: return answer_port_samples_result(request);
    case attribute_id::port_samples_result_extended: return answer_port_samples_result_extended(request);
    case attribute_id::port_counters: return answer_port_counters(request);
    case attribute_id::port_counters_extended: return answer_port_counters_extended(request);
    case attribute_id::port_rcv_error_details:
        return answer_listed<port_rcv_error_details>(
            request, [](port_counts const& of) { return of.behind_errors().received; },
            [](port_counts & of) -> auto& { return of.writable_details().received; });
    case attribute_id::port_xmit_discard_details:
        return answer_listed<port_xmit_discard_details>(
            request, [](port_counts const& of) { return of.behind_errors().discarded; },
            [](port_counts & of) -> auto& { return of.writable_details().discarded; });
    case attribute_id::port_xmit_data_sl:
        return answer_listed<port_xmit_data_sl>(
            request, [](port_counts const& of) { return of.levels().sent; },
            [](port_counts & of) -> auto& { return of.writable_levels().sent; });
    case attribute_id::port_rcv_data_sl:
        return answer_listed<port_rcv_data_sl>(
            request, [](port_counts const& of) { return of.levels().received; },
            [](port_counts & of) -> auto& { return of.writable_levels().received; });
    default: return mad_status::unsupported_method_attribute;
    }
}

} // namespace

bool is_for_performance_agent(packet const& one) noexcept
{
    auto const mad = one.view();
    return mad.mgmt_class() == management_class::performance &&
           (mad.method() == method::get || mad.method() == method::set);
}

void answer_performance(core& of, packet& one)
{
    auto const mad = one.view();
    performance_request const request{of, one.at, mad.method() == method::set, mad.data()};
    std::uint16_t status = mad_status::bad_version;
    if (mad.class_version() == default_class_version(management_class::performance))
        status =
            mad.attribute_modifier() == 0 ? answer_attribute(request, mad.attribute_id()) : mad_status::invalid_value;
    mad.set_method(method::get_response);
    mad.set_status(status);
}

} // namespace madrigal::sim
