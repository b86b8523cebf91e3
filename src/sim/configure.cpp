#include <sim/configure.hpp>

#include <sim/host_names.hpp>
#include <sim/min_hop.hpp>
#include <sim/sa_server.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace madrigal::sim {
namespace {

/// One end port that gets a LID.
struct addressee {
    topology::endpoint end;
    std::optional<lid> given;
    std::uint8_t lmc = 0;
};

std::vector<addressee> addressees(core const& of)
{
    std::vector<addressee> all;
    for (topology::node_index index = 0; index != of.nodes.size(); ++index) {
        auto const& from = of.layout.at(index);
        if (of.nodes[index].is_switch()) {
            all.push_back({{index, 0}, from.base_lid, from.lmc.value_or(0)});
            continue;
        }
        for (unsigned number = 1; number <= from.port_count(); ++number) {
            auto const& one = from.external_port(number);
            if (one.peer)
                all.push_back({{index, static_cast<std::uint8_t>(number)}, one.base_lid, one.lmc.value_or(0)});
        }
    }
    return all;
}

std::string name_of(core const& of, topology::endpoint end)
{
    auto const& from = of.layout.at(end.node);
    return fmt::format("{} \"{}\" port {}", from.id, from.description, end.port);
}

/// The LIDs that are taken.
class lid_space {
public:
    [[nodiscard]] bool take(unsigned base, unsigned count)
    {
        if (base < 1 || base + count - 1 > max_unicast_lid.value())
            return false;
        for (unsigned i = base; i != base + count; ++i)
            if (taken_[i])
                return false;
        std::fill_n(taken_.begin() + base, count, true);
        return true;
    }
    /// The lowest free range, aligned to its length; 0 where there is none.
    [[nodiscard]] unsigned find(unsigned count)
    {
        auto& next = count == 1 ? next_ : next_range_;
        for (unsigned base = (next + count - 1) / count * count; base + count - 1 <= max_unicast_lid.value();
             base += count)
            if (take(base, count)) {
                next = base + count;
                return base;
            }
        return 0;
    }

private:
    std::vector<bool> taken_ = std::vector<bool>(max_unicast_lid.value() + 1u);
    unsigned next_ = 1;
    unsigned next_range_ = 1;
};

error assign_lids(core& of)
{
    auto const all = addressees(of);
    lid_space space;
    for (auto const& one : all) {
        if (!one.given)
            continue;
        auto& end = *of.at(one.end).end;
        if (!space.take(one.given->value(), 1u << one.lmc))
            return {errc::invalid_argument,
                fmt::format("{}: LID {} with LMC {} cannot be, since it is no unicast LID or taken already",
                    name_of(of, one.end), one.given->value(), one.lmc)};
        end.base_lid = one.given->value();
        end.lmc = one.lmc;
    }
    for (auto const& one : all) {
        if (one.given)
            continue;
        auto& end = *of.at(one.end).end;
        auto const base = space.find(1u << one.lmc);
        if (base == 0)
            return {errc::invalid_argument,
                fmt::format("{}: no LID left, unicast LIDs end at {}", name_of(of, one.end), max_unicast_lid.value())};
        end.base_lid = static_cast<std::uint16_t>(base);
        end.lmc = one.lmc;
    }
    return {};
}

/// The first cabled port of a node; port 0 of a switch.
topology::endpoint first_port(core const& of, topology::node_index index)
{
    auto const& here = of.nodes[index];
    if (here.is_switch())
        return {index, 0};
    for (unsigned number = 1; number <= here.port_count(); ++number)
        if (here.ports[number].cable)
            return {index, static_cast<std::uint8_t>(number)};
    return {index, 1};
}

result<topology::endpoint> place_of_sm(core const& of)
{
    if (of.options.sm) {
        if (!of.valid(*of.options.sm) || !of.nodes[of.options.sm->node].ports[of.options.sm->port].end)
            return error{errc::invalid_argument, fmt::format("the SM's place, node {} port {}, is no end port",
                                                     of.options.sm->node, of.options.sm->port)};
        return *of.options.sm;
    }
    BOOST_OUTCOME_TRY(auto const index, find_ca(of.layout, of.options.sm_ca));
    return first_port(of, index);
}

void activate(core& of, std::uint16_t sm_lid)
{
    for (auto& here : of.nodes)
        for (auto& one : here.ports) {
            if (one.state == port_state::init) {
                one.state = port_state::active;
                one.neighbor_mtu = mtu::bytes_4096;
                one.operational_vls = virtual_lanes::vl0_3;
            }
            if (one.end && one.end->base_lid != 0)
                one.end->sm_lid = sm_lid;
        }
}

} // namespace

error configure(core& of)
{
    if (of.nodes.empty())
        return {};
    auto const sm = place_of_sm(of);
    if (!sm)
        return sm.error();
    if (auto failed = assign_lids(of); failed.code())
        return failed;
    fill_forwarding_tables(of);
    activate(of, of.at(sm.value()).end->base_lid);
    if (of.options.answer_sa)
        of.sa = std::make_unique<sa_server>(of, sm.value());
    return {};
}

} // namespace madrigal::sim
