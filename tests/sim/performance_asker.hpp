// Questions to the performance management agents of a simulated fabric.
#pragma once

#include "small_fabric.hpp"

#include <madrigal/wire/attributes/class_port_info.hpp>
#include <madrigal/wire/attributes/port_counters.hpp>
#include <madrigal/wire/attributes/port_counters_extended.hpp>
#include <madrigal/wire/attributes/port_error_details.hpp>
#include <madrigal/wire/attributes/port_samples.hpp>
#include <madrigal/wire/attributes/port_sl_counters.hpp>

namespace madrigal::sim::test {

/// A configured fabric and a machine that asks.
class performance_asker : public ::testing::Test {
protected:
    performance_asker() : client{with.file->register_client(0x04)} {}

    [[nodiscard]] lid lid_of(topology::endpoint end) const { return with.on->look_at(end).value().base_lid; }

    template <class T>
    std::optional<received> exchange(lid to, method what, T const& value, std::uint32_t modifier = 0,
        std::uint8_t version = 1, std::uint16_t id = T::layout.id)
    {
        with.drain();
        std::array<std::byte, mad_size> mad{};
        mutable_mad_view const view{mad};
        view.set_base_version(mad_base_version);
        view.set_mgmt_class(management_class::performance);
        view.set_class_version(version);
        view.set_method(what);
        view.set_attribute_id(id);
        view.set_attribute_modifier(modifier);
        view.set_transaction_id(with.next_id());
        EXPECT_TRUE(view.set_attribute(value));
        auto header = header_to(client, to, 1);
        header.sl = service_level;
        EXPECT_EQ(with.file->write(header, mad), 0);
        return with.file->read();
    }
    /// The status of the answer; 0xFFFF where there is none.
    template <class T>
    std::uint16_t status(lid to, method what, T const& value, std::uint32_t modifier = 0, std::uint8_t version = 1)
    {
        auto const got = exchange(to, what, value, modifier, version);
        return got ? got->view().status() : std::uint16_t{0xFFFF};
    }
    template <class T>
    T get(lid to, std::uint8_t port)
    {
        T asked;
        asked.port_select = port;
        return answered<T>(exchange(to, method::get, asked));
    }
    template <class T>
    T set(lid to, T const& value)
    {
        return answered<T>(exchange(to, method::set, value));
    }
    [[nodiscard]] port_counters_extended counted(topology::endpoint at) const
    {
        return with.on->port_counts(at).value();
    }

    bench with{two_switches(), {.start = start_state::configured}};
    std::uint32_t client;
    std::uint8_t service_level = 0;

private:
    template <class T>
    T answered(std::optional<received> const& got)
    {
        EXPECT_TRUE(got.has_value()) << T::layout.name;
        if (!got)
            return {};
        EXPECT_EQ(got->view().method(), method::get_response);
        EXPECT_EQ(got->view().status(), 0) << T::layout.name;
        return got->template as<T>();
    }
};

/// A port that has counted something of everything, less than any width holds.
[[nodiscard]] inline port_counters_extended some_of_all(std::uint64_t from)
{
    port_counters_extended counts;
    std::size_t place = 0;
    for_each_value(counts, [&]<class Number>(field_description const& field, std::size_t, Number& value) {
        if constexpr (std::is_same_v<Number, std::uint64_t>)
            value =
                from + (field.name.ends_with("IntegrityErrors") || field.name.starts_with("Excessive") ? 1 : place++);
    });
    return counts;
}

} // namespace madrigal::sim::test
