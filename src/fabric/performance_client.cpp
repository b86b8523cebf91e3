#include <madrigal/fabric/performance_client.hpp>
#include <madrigal/umad/registration.hpp>

#include <map>
#include <utility>

namespace madrigal {

struct performance_client::state {
    gmp_client over;
    std::map<std::uint64_t, performance_capabilities> known;
};

performance_capabilities performance_capabilities_of(class_port_info const& info) noexcept
{
    return {flags<performance_capability>::from_value(info.capability_mask),
        flags<performance_capability2>::from_value(info.capability_mask2)};
}

port_counters select_all_counters(port_counters values, performance_capabilities const& of) noexcept
{
    values.counter_select = flags<port_counter>::from_value(0xFFFF);
    values.counter_select2 = {};
    values.counter_select2.set(port_counter2::xmit_wait, of.xmit_wait());
    values.counter_select2.set(port_counter2::qp1_dropped, of.qp1_dropped());
    return values;
}

port_counters_extended select_all_counters(port_counters_extended values, performance_capabilities const& of) noexcept
{
    constexpr std::uint16_t all = 0xFF;
    constexpr std::uint16_t without_casts = 0x0F;
    constexpr std::uint32_t errors = 0x1FFF;
    values.counter_select = flags<port_counter_extended>::from_value(of.cast_counters() ? all : without_casts);
    values.counter_select2 = {};
    if (of.extended_errors()) {
        values.counter_select2 = flags<port_counter_extended2>::from_value(errors);
        values.counter_select2.set(port_counter_extended2::qp1_dropped, of.qp1_dropped());
    }
    return values;
}

port_counters_extended widened(port_counters const& from) noexcept
{
    port_counters_extended to;
    to.port_select = from.port_select;
    to.xmit_data = from.xmit_data;
    to.rcv_data = from.rcv_data;
    to.xmit_packets = from.xmit_packets;
    to.rcv_packets = from.rcv_packets;
    to.symbol_errors = from.symbol_errors;
    to.link_error_recoveries = from.link_error_recoveries;
    to.link_downed = from.link_downed;
    to.rcv_errors = from.rcv_errors;
    to.rcv_remote_physical_errors = from.rcv_remote_physical_errors;
    to.rcv_switch_relay_errors = from.rcv_switch_relay_errors;
    to.xmit_discards = from.xmit_discards;
    to.xmit_constraint_errors = from.xmit_constraint_errors;
    to.rcv_constraint_errors = from.rcv_constraint_errors;
    to.local_link_integrity_errors = from.local_link_integrity_errors;
    to.excessive_buffer_overruns = from.excessive_buffer_overruns;
    to.vl15_dropped = from.vl15_dropped;
    to.xmit_wait = from.xmit_wait;
    to.qp1_dropped = from.qp1_dropped;
    return to;
}

result<performance_client> performance_client::open(port const& on, gmp_options const& options)
{
    BOOST_OUTCOME_TRY(auto over, gmp_client::open(on, umad::performance(), options));
    return performance_client{std::make_shared<state>(state{std::move(over), {}})};
}

gmp_client const& performance_client::over() const noexcept
{
    return state_->over;
}

void performance_client::close() const noexcept
{
    state_->over.close();
}

asio::awaitable<result<received_mad>> performance_client::ask(
    destination to, raw_mad question, request_options options) const
{
    auto const of = state_;
    auto answer = co_await of->over.ask(question, options);
    if (!answer && answer.error() == errc::timeout)
        of->known.erase(to.key()); // another agent may be there next time
    co_return answer;
}

error performance_client::cut_off(destination const& to, method ask, std::uint16_t attribute_id) const
{
    return {errc::malformed_answer, describe_gmp(management_class::performance, ask, attribute_id, 0, to)};
}

asio::awaitable<result<performance_capabilities>> performance_client::capabilities(
    destination to, request_options options) const
{
    auto const self = *this;
    if (auto const found = self.state_->known.find(to.key()); found != self.state_->known.end())
        co_return found->second;
    auto const info = co_await self.get<class_port_info>(to, class_port_info{}, options);
    if (!info)
        co_return info.error();
    auto const can = performance_capabilities_of(info.value());
    self.state_->known.insert_or_assign(to.key(), can);
    co_return can;
}

asio::awaitable<result<wide_counters>> performance_client::get_wide(
    destination to, std::uint8_t of, request_options options) const
{
    auto const self = *this;
    auto const can = co_await self.capabilities(to, options);
    if (!can)
        co_return can.error();
    if (can.value().extended()) {
        auto const wide = co_await self.get_port<port_counters_extended>(to, of, options);
        if (!wide)
            co_return wide.error();
        co_return wide_counters{wide.value(), false};
    }
    auto const narrow = co_await self.get_port<port_counters>(to, of, options);
    if (!narrow)
        co_return narrow.error();
    co_return wide_counters{widened(narrow.value()), true};
}

} // namespace madrigal
