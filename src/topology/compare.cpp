#include <madrigal/topology/compare.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace madrigal::topology {

namespace {

/// Which of the nodes with one GUID: almost always number 0.
using node_key = std::pair<std::uint64_t, std::size_t>;

std::vector<node_key> keys_of(fabric const& from)
{
    std::unordered_map<std::uint64_t, std::size_t> seen;
    std::vector<node_key> keys;
    keys.reserve(from.size());
    for (auto const& keyed : from.nodes())
        keys.emplace_back(keyed.node_guid.value(), seen[keyed.node_guid.value()]++);
    return keys;
}

std::string_view name_of(node_type type) noexcept
{
    return type == node_type::switch_ ? "switch" : type == node_type::router ? "router" : "CA";
}

std::string show(std::optional<guid> value)
{
    return value ? fmt::format("0x{:016x}", value->value()) : std::string{"none"};
}

std::string show(std::optional<lid> value)
{
    return value ? std::to_string(value->value()) : std::string{"none"};
}

class comparison {
public:
    comparison(fabric const& a, fabric const& b, std::size_t limit, compare_options const& options)
        : a_{a}, b_{b}, limit_{limit}, options_{options}, a_keys_{keys_of(a)}, b_keys_{keys_of(b)}
    {}

    std::vector<std::string> run()
    {
        std::map<node_key, node_index> in_b;
        for (node_index i = 0; i != b_keys_.size(); ++i)
            in_b.emplace(b_keys_[i], i);
        for (node_index i = 0; i != a_keys_.size() && !full(); ++i) {
            auto const match = in_b.find(a_keys_[i]);
            if (match == in_b.end()) {
                say("{} is missing in the second fabric", whole_name(a_.at(i)));
                continue;
            }
            compare_nodes(a_.at(i), b_.at(match->second));
            in_b.erase(match);
        }
        for (auto const& [key, index] : in_b)
            say("{} is in the second fabric only", whole_name(b_.at(index)));
        return std::move(found_);
    }

private:
    [[nodiscard]] bool full() const noexcept { return found_.size() >= limit_; }

    template <class... Arguments>
    void say(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        if (!full())
            found_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
    }

    static std::string whole_name(node const& named)
    {
        return fmt::format("{} 0x{:016x} \"{}\"", name_of(named.type), named.node_guid.value(), named.description);
    }

    static std::string end_name(fabric const& in, endpoint end)
    {
        return end ? fmt::format("0x{:016x}[{}]", in.at(end.node).node_guid.value(), end.port) : std::string{"nothing"};
    }

    void compare_nodes(node const& a, node const& b)
    {
        auto const name = fmt::format("0x{:016x}", a.node_guid.value());
        if (a.type != b.type)
            say("{} is a {}, but a {} in the second fabric", name, name_of(a.type), name_of(b.type));
        if (a.description != b.description)
            say("{} is described \"{}\", but \"{}\" in the second fabric", name, a.description, b.description);
        if (a.ports.size() != b.ports.size())
            say("{} has {} ports, but {} in the second fabric", name, a.ports.size(), b.ports.size());
        if (options_.lids)
            compare_lids(name, a.base_lid, b.base_lid, a.lmc, b.lmc);
        if (options_.identifiers) {
            if (a.port_guid && a.port_guid != b.port_guid)
                say("{} has port GUID {}, but {} in the second fabric", name, show(a.port_guid), show(b.port_guid));
            if (a.system_image_guid && a.system_image_guid != b.system_image_guid)
                say("{} has system image GUID {}, but {} in the second fabric", name, show(a.system_image_guid),
                    show(b.system_image_guid));
            if (a.vendor_id != b.vendor_id || a.device_id != b.device_id)
                say("{} has vendor and device ID {:#x} and {:#x}, but {:#x} and {:#x} in the second fabric", name,
                    a.vendor_id, a.device_id, b.vendor_id, b.device_id);
            if (a.enhanced_port0 != b.enhanced_port0)
                say("{} has {} port 0, but not in the second fabric", name,
                    a.enhanced_port0 ? "an enhanced" : "a base");
        }
        for (std::size_t i = 0; i != std::min(a.ports.size(), b.ports.size()) && !full(); ++i)
            compare_ports(fmt::format("{}[{}]", name, i + 1), a.ports[i], b.ports[i]);
    }

    void compare_ports(std::string const& name, port const& a, port const& b)
    {
        bool const same_peer =
            bool{a.peer} == bool{b.peer} &&
            (!a.peer || (a.peer.port == b.peer.port && a_keys_[a.peer.node] == b_keys_[b.peer.node]));
        if (!same_peer)
            say("{} is cabled to {}, but to {} in the second fabric", name, end_name(a_, a.peer), end_name(b_, b.peer));
        if (a.width != link_width::none && a.width != b.width)
            say("{} is {} wide, but {} in the second fabric", name, to_string(a.width), to_string(b.width));
        if (a.speed != link_speed::none && a.speed != b.speed)
            say("{} runs at {}, but at {} in the second fabric", name, to_string(a.speed), to_string(b.speed));
        if (options_.lids)
            compare_lids(name, a.base_lid, b.base_lid, a.lmc, b.lmc);
        if (options_.identifiers && a.port_guid && a.port_guid != b.port_guid)
            say("{} has port GUID {}, but {} in the second fabric", name, show(a.port_guid), show(b.port_guid));
    }

    void compare_lids(std::string const& name, std::optional<lid> a, std::optional<lid> b,
        std::optional<std::uint8_t> a_lmc, std::optional<std::uint8_t> b_lmc)
    {
        if (a && a != b)
            say("{} has LID {}, but {} in the second fabric", name, show(a), show(b));
        if (a_lmc && *a_lmc != b_lmc.value_or(0))
            say("{} has LMC {}, but {} in the second fabric", name, *a_lmc, b_lmc.value_or(0));
    }

    fabric const& a_;
    fabric const& b_;
    std::size_t limit_;
    compare_options options_;
    std::vector<node_key> a_keys_;
    std::vector<node_key> b_keys_;
    std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> differences(
    fabric const& a, fabric const& b, std::size_t limit, compare_options const& options)
{
    return comparison{a, b, limit, options}.run();
}

} // namespace madrigal::topology
