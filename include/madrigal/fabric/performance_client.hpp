// Performance management by typed questions: counters of ports, read and written, with what their agents lack made up
// for.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/gmp_client.hpp>
#include <madrigal/fabric/node_ports.hpp>
#include <madrigal/wire/attributes/class_port_info.hpp>
#include <madrigal/wire/attributes/port_counters.hpp>
#include <madrigal/wire/attributes/port_counters_extended.hpp>
#include <madrigal/wire/performance.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace madrigal {

/// The attributes that begin with PortSelect, such as PortCounters: their data say which port is meant.
template <class T>
concept port_attribute = wire_layout<T> && requires(T one)
{
    {
        one.port_select
        } -> std::same_as<std::uint8_t&>;
};

/// What a performance management agent says that it can.
struct performance_capabilities {
    flags<performance_capability> first;
    flags<performance_capability2> second;

    /// Of all ports of a node at once.
    [[nodiscard]] bool all_port_select() const noexcept { return first.has(performance_capability::all_port_select); }
    /// PortCountersExtended.
    [[nodiscard]] bool extended() const noexcept
    {
        return first.has(performance_capability::extended_width) ||
               first.has(performance_capability::extended_width_no_ietf);
    }
    /// The packets of PortCountersExtended by unicast and multicast.
    [[nodiscard]] bool cast_counters() const noexcept { return first.has(performance_capability::extended_width); }
    /// What PortCountersExtended has behind them.
    [[nodiscard]] bool extended_errors() const noexcept
    {
        return first.has(performance_capability::capability_mask2) &&
               second.has(performance_capability2::additional_counters_extended);
    }
    [[nodiscard]] bool xmit_wait() const noexcept { return first.has(performance_capability::xmit_wait); }
    [[nodiscard]] bool qp1_dropped() const noexcept { return first.has(performance_capability::qp1_dropped); }

    friend bool operator==(performance_capabilities const&, performance_capabilities const&) = default;
};

/// What ClassPortInfo of the class says.
[[nodiscard]] performance_capabilities performance_capabilities_of(class_port_info const& info) noexcept;

/// The selects of a Set that writes every counter that there is.
[[nodiscard]] port_counters select_all_counters(port_counters values, performance_capabilities const& of) noexcept;
[[nodiscard]] port_counters_extended select_all_counters(
    port_counters_extended values, performance_capabilities const& of) noexcept;

/// PortCounters with 64 bits: the same numbers, of which those at the end of their width may be more in truth. What
/// PortCounters does not have is 0.
[[nodiscard]] port_counters_extended widened(port_counters const& from) noexcept;

/// Adds the counters of one port to a sum; they stop at their largest value. What selects stays as it is.
template <port_attribute Attribute>
void add_counters(Attribute& sum, Attribute const& more) noexcept;

/// Counters over all ports of a node.
template <class Attribute>
struct port_sum {
    Attribute counters;    ///< with PortSelect 255
    bool emulated = false; ///< port by port, since the agent has no AllPortSelect: not of one moment
};

/// Counters of 64 bits.
struct wide_counters {
    port_counters_extended counters;
    bool narrow = false; ///< the agent has PortCounters only: these are its numbers
};

/// Asks performance management agents (IBA 16.1). Redirections are followed as by `gmp_client`. What an agent can is
/// read once for each destination, when it is needed, and forgotten when a question there times out. Copies share one
/// agent. Belongs to the loop's thread. A client, or a copy of it, must live until a question has been answered. Errors
/// are those of `gmp_client::ask`.
class performance_client {
public:
    performance_client() noexcept = default;
    /// Registers an agent of its own on a port. Errors: those of `port::register_agent`.
    [[nodiscard]] static result<performance_client> open(port const& on, gmp_options const& options = gmp_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Gets any attribute of the class; `asked` is sent with the question, as the class demands where it selects.
    template <wire_layout Attribute>
    [[nodiscard]] asio::awaitable<result<Attribute>> get(
        destination to, Attribute asked = {}, request_options options = {}) const
    {
        co_return co_await exchange<Attribute>(to, method::get, asked, options);
    }
    /// Sets any attribute; gives what the agent says it is now.
    template <wire_layout Attribute>
    [[nodiscard]] asio::awaitable<result<Attribute>> set(
        destination to, Attribute value, request_options options = {}) const
    {
        co_return co_await exchange<Attribute>(to, method::set, value, options);
    }
    /// Gets an attribute of one port: `client.get_port<port_counters>(lid{12}, 3)`.
    template <port_attribute Attribute>
    [[nodiscard]] asio::awaitable<result<Attribute>> get_port(
        destination to, std::uint8_t of, request_options options = {}) const
    {
        Attribute asked{};
        asked.port_select = of;
        co_return co_await exchange<Attribute>(to, method::get, asked, options);
    }

    /// What the agent can; from memory where it has been asked before.
    [[nodiscard]] asio::awaitable<result<performance_capabilities>> capabilities(
        destination to, request_options options = {}) const;

    /// The sum over all ports of a node: by AllPortSelect, or port by port where the agent does not have that.
    template <port_attribute Attribute>
    [[nodiscard]] asio::awaitable<result<port_sum<Attribute>>> get_all_ports(
        destination to, node_ports of, request_options options = {}) const;
    /// The same Set for all ports of a node; true where it was made port by port. `value.port_select` does not matter.
    template <port_attribute Attribute>
    [[nodiscard]] asio::awaitable<result<bool>> set_all_ports(
        destination to, Attribute value, node_ports of, request_options options = {}) const;

    /// PortCountersExtended of a port, or of all where `of` is `all_ports` and the agent has AllPortSelect;
    /// PortCounters where the agent has no more.
    [[nodiscard]] asio::awaitable<result<wide_counters>> get_wide(
        destination to, std::uint8_t of, request_options options = {}) const;

    /// The questions behind these.
    [[nodiscard]] gmp_client const& over() const noexcept;
    /// Ends every question with errc::agent_closed.
    void close() const noexcept;

private:
    struct state;
    explicit performance_client(std::shared_ptr<state> of) noexcept : state_{std::move(of)} {}

    [[nodiscard]] asio::awaitable<result<received_mad>> ask(
        destination to, raw_mad question, request_options options) const;
    [[nodiscard]] error cut_off(destination const& to, method ask, std::uint16_t attribute_id) const;

    template <class Attribute>
    [[nodiscard]] asio::awaitable<result<Attribute>> exchange(
        destination to, method how, Attribute value, request_options options) const;

    std::shared_ptr<state> state_;
};

} // namespace madrigal

/// One question and its answer as an attribute.
template <class Attribute>
madrigal::asio::awaitable<madrigal::result<Attribute>> madrigal::performance_client::exchange(
    destination to, method how, Attribute value, request_options options) const
{
    static_assert(Attribute::layout.scope.contains(management_class::performance));
    auto const self = *this;
    auto question = self.over().question(to, how, Attribute::layout.id);
    (void)mutable_mad_view{question.bytes}.set_attribute(value);
    auto const answer = co_await self.ask(to, question, options);
    if (!answer)
        co_return answer.error();
    auto const given = answer.value().mad().template attribute<Attribute>();
    if (!given)
        co_return self.cut_off(to, how, Attribute::layout.id);
    co_return *given;
}

template <madrigal::port_attribute Attribute>
void madrigal::add_counters(Attribute& sum, Attribute const& more) noexcept
{
    constexpr std::size_t most = 64;
    std::array<std::uint64_t, most> values{};
    static_assert(flat_fields<Attribute>().size() <= most);
    std::size_t next = 0;
    for_each_value(more, [&]<class Number>(field_description const&, std::size_t, Number const& value) {
        if constexpr (std::is_integral_v<Number>)
            if (next < most)
                values[next] = value;
        ++next;
    });
    next = 0;
    for_each_value(sum, [&]<class Number>(field_description const& field, std::size_t, Number& value) {
        if constexpr (std::is_integral_v<Number>)
            if (next < most && !field.name.starts_with("PortSelect") && !field.name.starts_with("CounterSelect")) {
                auto const limit = std::numeric_limits<std::uint64_t>::max() >> (64 - field.width);
                value = static_cast<Number>(
                    values[next] > limit - value ? limit : static_cast<std::uint64_t>(value) + values[next]);
            }
        ++next;
    });
}

/// Reads port by port and adds up.
template <madrigal::port_attribute Attribute>
madrigal::asio::awaitable<madrigal::result<madrigal::port_sum<Attribute>>> madrigal::performance_client::get_all_ports(
    destination to, node_ports of, request_options options) const
{
    auto const self = *this;
    auto const can = co_await self.capabilities(to, options);
    if (!can)
        co_return can.error();
    port_sum<Attribute> all{};
    if (can.value().all_port_select()) {
        auto const sum = co_await self.get_port<Attribute>(to, all_ports, options);
        if (!sum)
            co_return sum.error();
        all.counters = sum.value();
        co_return all;
    }
    all.emulated = true;
    for (unsigned number = of.first; number <= of.last; ++number) {
        auto const one = co_await self.get_port<Attribute>(to, static_cast<std::uint8_t>(number), options);
        if (!one)
            co_return one.error();
        add_counters(all.counters, one.value());
    }
    all.counters.port_select = all_ports;
    co_return all;
}

/// Sets port by port.
template <madrigal::port_attribute Attribute>
madrigal::asio::awaitable<madrigal::result<bool>> madrigal::performance_client::set_all_ports(
    destination to, Attribute value, node_ports of, request_options options) const
{
    auto const self = *this;
    auto const can = co_await self.capabilities(to, options);
    if (!can)
        co_return can.error();
    bool const at_once = can.value().all_port_select();
    unsigned const first = at_once ? all_ports : of.first;
    unsigned const last = at_once ? all_ports : of.last;
    for (unsigned number = first; number <= last; ++number) {
        value.port_select = static_cast<std::uint8_t>(number);
        auto const written = co_await self.set<Attribute>(to, value, options);
        if (!written)
            co_return written.error();
    }
    co_return !at_once;
}
