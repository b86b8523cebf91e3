// What the generators share: nodes with GUIDs and LIDs, cables between the next free ports.
#pragma once

#include <madrigal/topology/generators.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace madrigal::topology::detail {

/// The product, or the largest number where it does not fit: sizes come from a command line.
[[nodiscard]] std::uint64_t product(std::initializer_list<std::uint64_t> factors) noexcept;
[[nodiscard]] std::uint64_t sum(std::initializer_list<std::uint64_t> terms) noexcept;

class fabric_builder {
public:
    explicit fabric_builder(generate_options const& options) noexcept : options_{options} {}

    /// Says early whether a fabric of this size may be built at all.
    [[nodiscard]] result<void> check_size(std::uint64_t switches, std::uint64_t hosts) const;
    /// `what` as in "leaf switch"; `ports` as its cables will need.
    [[nodiscard]] result<void> check_ports(std::string_view what, std::uint64_t ports) const;

    node_index add_switch(std::string description);
    /// A CA with one port, cabled to the next port of `at`.
    void add_host(node_index at, std::string description);
    /// A cable between the next ports of two switches.
    void cable(node_index one, node_index other);

    [[nodiscard]] result<fabric> finish() &&;

private:
    [[nodiscard]] endpoint next_port(node_index of);

    generate_options options_;
    fabric fabric_;
    std::uint64_t switches_ = 0;
    std::uint64_t hosts_ = 0;
};

/// An error where one of the named numbers is 0.
struct named_number {
    std::string_view name;
    std::uint64_t value;
};
[[nodiscard]] result<void> require_positive(std::initializer_list<named_number> numbers);

} // namespace madrigal::topology::detail
