#include <sim/min_hop.hpp>

#include <madrigal/wire/attributes/linear_forwarding_table.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace madrigal::sim {
namespace {

/// Destinations that are worked on at a time: one bit each in the sweeps.
constexpr std::size_t batch = 64;
constexpr std::uint16_t unreachable = 0xFFFF;

/// LIDs that are reached through a switch: its own by port 0, those of end ports by the port they are cabled to.
struct destination {
    std::uint16_t base;
    std::uint16_t count;
    std::uint8_t port;
};

/// The switches of a fabric and the links between them, as the sweeps need them.
class switch_graph {
public:
    explicit switch_graph(core const& of)
    {
        number_.assign(of.nodes.size(), none);
        for (topology::node_index index = 0; index != of.nodes.size(); ++index)
            if (of.nodes[index].is_switch()) {
                number_[index] = static_cast<std::uint32_t>(switches_.size());
                switches_.push_back(index);
            }
        neighbors_.resize(switches_.size());
        destinations_.resize(switches_.size());
        for (std::size_t s = 0; s != switches_.size(); ++s)
            look_around(of, s);
    }

    struct neighbor {
        std::uint32_t number;
        std::uint8_t port;
    };
    [[nodiscard]] std::size_t size() const noexcept { return switches_.size(); }
    [[nodiscard]] topology::node_index node_of(std::size_t s) const noexcept { return switches_[s]; }
    [[nodiscard]] std::vector<neighbor> const& neighbors(std::size_t s) const noexcept { return neighbors_[s]; }
    [[nodiscard]] std::vector<destination> const& destinations(std::size_t s) const noexcept
    {
        return destinations_[s];
    }

private:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    void look_around(core const& of, std::size_t s)
    {
        auto const& here = of.nodes[switches_[s]];
        auto const add = [&](end_port const& end, unsigned port) {
            if (end.base_lid != 0)
                destinations_[s].push_back(
                    {end.base_lid, static_cast<std::uint16_t>(1u << end.lmc), static_cast<std::uint8_t>(port)});
        };
        add(*here.ports[0].end, 0);
        for (unsigned port = 1; port <= here.port_count(); ++port) {
            auto const& one = here.ports[port];
            if (!one.cable || one.phys_state != physical_state::link_up)
                continue;
            auto const other = number_[one.cable.node];
            if (other == none)
                add(*of.nodes[one.cable.node].ports[one.cable.port].end, port);
            else if (other != s) // a cable from a switch to itself leads nowhere
                neighbors_[s].push_back({other, static_cast<std::uint8_t>(port)});
        }
    }

    std::vector<std::uint32_t> number_;
    std::vector<topology::node_index> switches_;
    std::vector<std::vector<neighbor>> neighbors_;
    std::vector<std::vector<destination>> destinations_;
};

/// Links from each switch to each of up to 64 destination switches, by breadth-first sweeps that all of them share.
class batch_of_distances {
public:
    explicit batch_of_distances(switch_graph const& graph)
        : graph_{graph}, seen_(graph.size()), front_(graph.size()), next_(graph.size()), distance_(graph.size())
    {}

    void sweep(std::size_t first, std::size_t count)
    {
        for (auto& row : distance_)
            row.fill(unreachable);
        std::fill(seen_.begin(), seen_.end(), 0);
        std::fill(front_.begin(), front_.end(), 0);
        for (std::size_t i = 0; i != count; ++i) {
            seen_[first + i] = front_[first + i] = std::uint64_t{1} << i;
            distance_[first + i][i] = 0;
        }
        bool more = true;
        for (std::uint16_t steps = 1; more; ++steps) {
            std::fill(next_.begin(), next_.end(), 0);
            for (std::size_t s = 0; s != graph_.size(); ++s)
                if (front_[s] != 0)
                    for (auto const& to : graph_.neighbors(s))
                        next_[to.number] |= front_[s];
            more = false;
            for (std::size_t s = 0; s != graph_.size(); ++s) {
                front_[s] = next_[s] & ~seen_[s];
                seen_[s] |= front_[s];
                more = more || front_[s] != 0;
                for (auto rest = front_[s]; rest != 0; rest &= rest - 1)
                    distance_[s][static_cast<std::size_t>(std::countr_zero(rest))] = steps;
            }
        }
    }
    [[nodiscard]] std::array<std::uint16_t, batch> const& from(std::size_t s) const noexcept { return distance_[s]; }

private:
    switch_graph const& graph_;
    std::vector<std::uint64_t> seen_;
    std::vector<std::uint64_t> front_;
    std::vector<std::uint64_t> next_;
    std::vector<std::array<std::uint16_t, batch>> distance_;
};

} // namespace

void fill_forwarding_tables(core& of)
{
    std::uint16_t top = 0;
    for (auto const& here : of.nodes)
        for (auto const& one : here.ports)
            if (one.end && one.end->base_lid != 0)
                top = std::max<std::uint16_t>(
                    top, static_cast<std::uint16_t>(one.end->base_lid + (1u << one.end->lmc) - 1));

    switch_graph const graph{of};
    for (std::size_t s = 0; s != graph.size(); ++s) {
        auto& tables = *of.nodes[graph.node_of(s)].switching;
        tables.linear_top = top;
        tables.forwarding.assign(top + 1u, no_route);
        for (auto const& to : graph.destinations(s))
            std::fill_n(tables.forwarding.begin() + to.base, to.count, to.port);
    }
    batch_of_distances distances{graph};
    std::array<std::array<std::uint8_t, 256>, batch> ports;
    std::array<unsigned, batch> found;
    for (std::size_t first = 0; first < graph.size(); first += batch) {
        auto const count = std::min(batch, graph.size() - first);
        distances.sweep(first, count);
        for (std::size_t s = 0; s != graph.size(); ++s) {
            // For each destination switch the ports whose far end is one step nearer.
            found.fill(0);
            auto const& mine = distances.from(s);
            for (auto const& to : graph.neighbors(s)) {
                auto const& theirs = distances.from(to.number);
                for (std::size_t i = 0; i != count; ++i)
                    if (static_cast<std::uint16_t>(theirs[i] + 1) == mine[i] && mine[i] != unreachable)
                        ports[i][found[i]++] = to.port;
            }
            auto& table = of.nodes[graph.node_of(s)].switching->forwarding;
            for (std::size_t i = 0; i != count; ++i) {
                if (found[i] == 0)
                    continue;
                // Each LID behind that switch by the next of them; each switch begins elsewhere.
                std::size_t turn = s;
                for (auto const& to : graph.destinations(first + i))
                    for (unsigned one = to.base; one != to.base + static_cast<unsigned>(to.count); ++one)
                        table[one] = ports[i][turn++ % found[i]];
            }
        }
    }
}

} // namespace madrigal::sim
