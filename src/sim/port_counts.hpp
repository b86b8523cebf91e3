// What a port of a simulated node has counted: what performance management reads and writes.
#pragma once

#include <madrigal/wire/attributes/port_counters_extended.hpp>
#include <madrigal/wire/attributes/port_error_details.hpp>
#include <madrigal/wire/attributes/port_sl_counters.hpp>

#include <cstdint>
#include <limits>
#include <memory>

namespace madrigal::sim {

/// Counts of one port since it was reset. What few ports need is made when it is counted first.
class port_counts {
public:
    /// Words of 4 bytes by service level.
    struct by_level {
        port_xmit_data_sl sent;
        port_rcv_data_sl received;
    };
    /// What is behind the errors.
    struct details {
        port_rcv_error_details received;
        port_xmit_discard_details discarded;
    };

    /// Of 64 bits, as PortCountersExtended reads them.
    port_counters_extended total;

    /// What of each of them PortCounters does not show: each attribute is written without a change to the other.
    [[nodiscard]] port_counters_extended const& hidden() const noexcept { return hidden_ ? *hidden_ : nothing(); }
    [[nodiscard]] port_counters_extended& writable_hidden() { return made(hidden_); }
    /// Zeroes where no packet with a service level has passed.
    [[nodiscard]] by_level levels() const noexcept { return levels_ ? *levels_ : by_level{}; }
    [[nodiscard]] by_level& writable_levels() { return made(levels_); }
    [[nodiscard]] details behind_errors() const noexcept { return details_ ? *details_ : details{}; }
    [[nodiscard]] details& writable_details() { return made(details_); }

    /// Both attributes show these.
    void set(port_counters_extended const& to)
    {
        total = to;
        total.port_select = 0;
        total.counter_select = {};
        total.counter_select2 = {};
        hidden_.reset();
    }

    /// A packet of so many words of 4 bytes. Those of VL 15 have no service level (IBA 3.5.7).
    void sent(unsigned words, bool multicast, bool has_level, std::uint8_t level)
    {
        total.xmit_data += words;
        ++total.xmit_packets;
        ++(multicast ? total.multicast_xmit_packets : total.unicast_xmit_packets);
        if (has_level)
            add(writable_levels().sent.data[level], words);
    }
    void received(unsigned words, bool multicast, bool has_level, std::uint8_t level)
    {
        total.rcv_data += words;
        ++total.rcv_packets;
        ++(multicast ? total.multicast_rcv_packets : total.unicast_rcv_packets);
        if (has_level)
            add(writable_levels().received.data[level], words);
    }
    /// A packet arrived damaged.
    void damaged()
    {
        ++total.rcv_errors;
        add(writable_details().received.local_physical_errors, 1);
    }
    /// A packet's DLID leads nowhere.
    void not_relayed()
    {
        ++total.rcv_switch_relay_errors;
        add(writable_details().received.dlid_mapping_errors, 1);
    }
    /// A packet was to leave by this port, which is down or not active.
    void discarded()
    {
        ++total.xmit_discards;
        add(writable_details().discarded.inactive_discards, 1);
    }

private:
    [[nodiscard]] static port_counters_extended const& nothing() noexcept
    {
        static constexpr port_counters_extended none{};
        return none;
    }
    template <class T>
    [[nodiscard]] static T& made(std::unique_ptr<T>& of)
    {
        if (!of)
            of = std::make_unique<T>();
        return *of;
    }
    /// Counters stop at their largest value.
    template <class T>
    static void add(T& counter, unsigned more) noexcept
    {
        constexpr T most = std::numeric_limits<T>::max();
        counter = more > static_cast<T>(most - counter) ? most : static_cast<T>(counter + more);
    }

    std::unique_ptr<port_counters_extended> hidden_;
    std::unique_ptr<by_level> levels_;
    std::unique_ptr<details> details_;
};

} // namespace madrigal::sim
