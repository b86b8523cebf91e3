#include <sim/host_names.hpp>

#include <madrigal/topology/lookup.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace madrigal::sim {
namespace {

constexpr std::size_t most_candidates = 8;

bool is_device_name(std::string_view word)
{
    // A driver's name, an underscore and a number: mlx5_0, mthca0 has no underscore and is rare enough.
    auto const underscore = word.rfind('_');
    if (underscore == std::string_view::npos || underscore == 0 || underscore + 1 == word.size() || word.size() > 19)
        return false;
    auto const is_lower = [](unsigned char c) { return (std::islower(c) != 0 || std::isdigit(c) != 0); };
    auto const is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    auto const driver = word.substr(0, underscore);
    auto const number = word.substr(underscore + 1);
    return std::islower(static_cast<unsigned char>(driver[0])) != 0 &&
           std::all_of(driver.begin(), driver.end(), is_lower) && std::all_of(number.begin(), number.end(), is_digit);
}

std::string described_name(std::string_view description)
{
    while (!description.empty()) {
        auto const end = std::min(description.find_first_of(" ;:/"), description.size());
        if (auto const word = description.substr(0, end); is_device_name(word))
            return std::string{word};
        description.remove_prefix(std::min(end + 1, description.size()));
    }
    return {};
}

/// The driver's name for an adapter, by its maker's numbers (PCI device ids as NodeInfo repeats them).
std::string_view driver_of(std::uint32_t vendor, std::uint16_t device)
{
    if (vendor == 0x001175)
        return "qib";
    if (vendor == 0x001405 || vendor == 0x0002C9) {
        if (device == 0x5A44 || device == 0x6278 || device == 0x6282 || device == 0x6274 || device == 0x5E8C)
            return "mthca";
        if ((device >= 0x6340 && device <= 0x6778) || (device >= 0x1002 && device <= 0x1010))
            return "mlx4_";
    }
    return "mlx5_";
}

std::optional<std::uint64_t> parse_guid(std::string_view text)
{
    if (text.starts_with("0x") || text.starts_with("0X"))
        text.remove_prefix(2);
    std::uint64_t value = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.empty() || failed != std::errc{} || end != text.data() + text.size() || value == 0)
        return std::nullopt;
    return value;
}

bool has_guid(topology::node const& one, guid wanted)
{
    if (one.node_guid == wanted || one.port_guid == wanted)
        return true;
    return std::any_of(one.ports.begin(), one.ports.end(), [&](auto const& port) { return port.port_guid == wanted; });
}

error no_such(topology::fabric const& in, std::string_view wanted, std::vector<topology::node_index> const& several)
{
    std::vector<topology::node_index> candidates = several;
    if (candidates.empty())
        for (bool const cas : {true, false})
            for (topology::node_index index = 0; index != in.size(); ++index)
                if ((in.at(index).type == node_type::ca) == cas && candidates.size() <= most_candidates)
                    candidates.push_back(index);
    std::string list;
    for (std::size_t i = 0; i != candidates.size(); ++i) {
        if (i == most_candidates) {
            list += ", ...";
            break;
        }
        auto const& one = in.at(candidates[i]);
        list += fmt::format("{}{} \"{}\" ({})", i == 0 ? "" : ", ", to_string(one.node_guid), one.description, one.id);
    }
    return {errc::no_such_ca, several.empty()
                                  ? fmt::format("no node of the fabric is called \"{}\"; there are {}", wanted, list)
                                  : fmt::format("\"{}\" may mean any of {}: name one by its GUID", wanted, list)};
}

} // namespace

std::string device_name(topology::node const& of)
{
    if (of.type == node_type::switch_)
        return "switch0";
    if (of.type == node_type::router)
        return "router0";
    auto name = described_name(of.description);
    return name.empty() ? fmt::format("{}0", driver_of(of.vendor_id, of.device_id)) : name;
}

result<topology::node_index> find_ca(topology::fabric const& in, std::optional<std::string_view> wanted)
{
    if (in.size() == 0)
        return error{errc::no_such_ca, "the fabric has no nodes"};
    if (!wanted) {
        for (topology::node_index index = 0; index != in.size(); ++index)
            if (in.at(index).type == node_type::ca)
                return index;
        return topology::node_index{0};
    }
    if (auto const index = in.find(*wanted); index != topology::no_node)
        return index;
    // The most certain kind of name first; within a kind there must be one node only.
    auto const number = parse_guid(*wanted);
    auto const by_guid = [&](topology::node const& one) { return number && has_guid(one, guid{*number}); };
    auto const by_description = [&](topology::node const& one) { return one.description == *wanted; };
    auto const by_device = [&](topology::node const& one) {
        return one.type == node_type::ca && device_name(one) == *wanted;
    };
    auto const search = [&](auto const& fits) {
        std::vector<topology::node_index> found;
        for (topology::node_index index = 0; index != in.size(); ++index)
            if (fits(in.at(index)))
                found.push_back(index);
        return found;
    };
    for (auto const& found : {search(by_guid), search(by_description), search(by_device)}) {
        if (found.size() == 1)
            return found.front();
        if (found.size() > 1)
            return no_such(in, *wanted, found);
    }
    return no_such(in, *wanted, {});
}

result<topology::node_index> find_node(topology::fabric const& in, std::string_view wanted)
{
    auto named = topology::find_named(in, wanted);
    if (named)
        return named;
    // A name that no node of the file has may be a device's.
    auto device = find_ca(in, wanted);
    if (device)
        return device;
    bool const is_device = std::any_of(in.nodes().begin(), in.nodes().end(),
        [&](auto const& one) { return one.type == node_type::ca && device_name(one) == wanted; });
    return is_device ? error{errc::no_such_node, device.error().context()} : named.error();
}

} // namespace madrigal::sim
