#include <fabric/sweep.hpp>

#include <madrigal/wire/link_rate.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace madrigal::detail {
namespace {

std::optional<lid> unicast(lid value)
{
    return value.is_unicast() ? std::optional{value} : std::nullopt;
}

std::optional<guid> told(guid value)
{
    return value ? std::optional{value} : std::nullopt;
}

void describe_port(topology::port& to, found_node const& node, found_port const& found)
{
    bool const asked = found.info.state == ask_state::answered;
    if (asked && !node.is_switch()) {
        to.base_lid = unicast(found.info.value.base_lid);
        if (to.base_lid)
            to.lmc = found.info.value.lmc;
    }
    if (!asked || !found.has_link())
        return;
    // A switch's port 0 says which of the fields of its other ports are valid.
    bool const has_port0 = node.is_switch() && node.ports[0].info.state == ask_state::answered;
    auto const rate = resolve_link(found.info.value, has_port0 ? &node.ports[0].info.value : nullptr,
        found.vendor.get().state == ask_state::answered ? &found.vendor.get().value : nullptr);
    to.width = rate.active_width;
    to.speed = rate.active_speed;
}

topology::node describe(found_node const& found)
{
    topology::node node;
    auto const& info = found.info;
    node.type = info.type;
    node.node_guid = info.node_guid;
    node.id = topology::canonical_id(info.type, info.node_guid);
    node.description = found.description.value.description.view();
    node.system_image_guid = told(info.system_image_guid);
    node.vendor_id = info.vendor_id;
    node.device_id = info.device_id;
    node.ports.resize(info.num_ports);
    for (unsigned p = 1; p <= info.num_ports; ++p)
        describe_port(node.ports[p - 1], found, found.ports[p]);
    if (found.is_switch()) {
        node.port_guid = told(info.port_guid);
        node.enhanced_port0 = found.switch_info.value.enhanced_port0;
        if (found.ports[0].info.state == ask_state::answered) {
            node.base_lid = unicast(found.ports[0].info.value.base_lid);
            if (node.base_lid)
                node.lmc = found.ports[0].info.value.lmc;
        }
    }
    return node;
}

node_attributes attributes_of(found_node const& found)
{
    node_attributes all{found.info, found.switch_info.value, {}};
    all.ports.reserve(found.ports.size());
    for (auto const& port : found.ports)
        all.ports.push_back(port.info.state == ask_state::answered ? port.info.value : port_info{});
    return all;
}

} // namespace

discovery sweep::report()
{
    discovery found;
    auto order = walk(found.routes, found.entry_ports);
    // A node to which no cable leads any more, because it was moved: at the end, by the way it was found.
    std::vector<bool> placed(nodes_.size());
    for (auto const index : order)
        placed[index] = true;
    auto const reached = order.size();
    for (found_index i = 0; i != nodes_.size(); ++i)
        if (!placed[i] && (!options_.max_hops || nodes_[i].hops <= *options_.max_hops))
            order.push_back(i);
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(reached), order.end(),
        [&](found_index a, found_index b) { return nodes_[a].route < nodes_[b].route; });
    for (auto i = reached; i != order.size(); ++i) {
        found.routes.push_back(nodes_[order[i]].route);
        found.entry_ports.push_back(nodes_[order[i]].entry_port);
    }

    found.fabric.reserve(order.size());
    std::vector<topology::node_index> as(nodes_.size(), topology::no_node);
    for (auto const index : order)
        as[index] = found.fabric.add(describe(nodes_[index]));
    for (auto const index : order)
        for (unsigned p = 1; p < nodes_[index].ports.size(); ++p) {
            auto& node = found.fabric.at(as[index]);
            auto const& port = nodes_[index].ports[p];
            if (!nodes_[index].is_switch() && port.reached_from)
                node.ports[p - 1].port_guid =
                    told(nodes_[port.reached_from.node].ports[port.reached_from.port].behind.value.port_guid);
            if (port.leads_to && as[port.leads_to.node] != topology::no_node && !node.ports[p - 1].peer)
                (void)found.fabric.connect(
                    {as[index], static_cast<std::uint8_t>(p)}, {as[port.leads_to.node], port.leads_to.port});
        }
    auto const& local = nodes_[0];
    found.fabric.initiated_from_node = local.info.node_guid;
    found.fabric.initiated_from_port = local.info.port_guid;
    if (!local.is_switch())
        found.fabric.at(0).external_port(local.entry_port).port_guid = told(local.info.port_guid);
    for (std::size_t i = 0; i != order.size(); ++i)
        report_node(found, static_cast<topology::node_index>(i), nodes_[order[i]]);
    report_guids(found, order);
    if (options_.keep_attributes) {
        found.attributes.reserve(order.size());
        for (auto const index : order) {
            found.attributes.push_back(attributes_of(nodes_[index]));
            nodes_[index].ports = std::vector<found_port>{}; // `{}` would keep the memory
        }
    }
    return found;
}

void sweep::report_node(discovery& to, topology::node_index as, found_node const& node) const
{
    auto const note = [&](problem_kind kind, unsigned port, std::uint16_t attribute, error_code code) {
        auto& one = to.problems.emplace_back();
        one.kind = kind;
        one.missing = true;
        one.route = to.routes[as];
        one.node = node.info.node_guid;
        one.description = node.description.value.description.view();
        one.port = static_cast<std::uint8_t>(port);
        one.attribute = attribute;
        one.code = code;
        if (code == errc::timeout) {
            auto const behind = kind == problem_kind::no_answer_behind && one.route.can_extend();
            auto const asked = behind ? one.route.extended(one.port) : one.route;
            one.hint = key_for(asked, behind ? guid{} : one.node) == 0
                           ? "asked without an M_Key; a port that is protected by one does not answer"
                           : "asked with an M_Key; a port that is protected by another one does not answer";
        }
    };
    auto const check = [&](auto const& asked, unsigned port, std::uint16_t attribute) {
        if (asked.state == ask_state::failed)
            note(problem_kind::unanswered, port, attribute, asked.code());
    };
    check(node.description, 0, node_description::layout.id);
    check(node.switch_info, 0, switch_info::layout.id);
    for (unsigned p = 0; p < node.ports.size(); ++p) {
        auto const& port = node.ports[p];
        check(port.info, p, port_info::layout.id);
        check(port.vendor.get(), p, mlnx_ext_port_info::layout.id);
        // A node that says that it does not speak for its other ports has answered.
        if (mad_status_of(port.other_port.get().code()) == 0)
            check(port.other_port.get(), p, port_info::layout.id);
        // A cable that the other end has told is not missing.
        if (port.leads_to || p == 0)
            continue;
        bool const within = !options_.max_hops || node.hops < *options_.max_hops;
        bool const forwards = node.is_switch() || (as == 0 && p == node.entry_port);
        if (port.behind.state == ask_state::failed)
            note(port.looked_again ? problem_kind::changed : problem_kind::no_answer_behind, p, node_info::layout.id,
                port.behind.code());
        else if (port.behind.state == ask_state::not_asked && forwards && within && port.has_link())
            note(problem_kind::too_far, p, node_info::layout.id, error_code{});
        else if (port.behind.state == ask_state::answered)
            note(problem_kind::left_out, p, node_info::layout.id, error_code{});
    }
    if (!node.info.node_guid) {
        note(problem_kind::zero_guid, 0, 0, error_code{});
        to.problems.back().missing = false;
    }
}

void sweep::add_doubts(discovery const& in, std::vector<found_index> const& order, std::size_t place,
    std::vector<directed_route>& routes) const
{
    auto const& node = nodes_[order[place]];
    for (unsigned p = 1; p < node.ports.size(); ++p) {
        auto const number = static_cast<std::uint8_t>(p);
        auto const& port = node.ports[p];
        if (is_doubtful_loop(order[place], number)) {
            routes.push_back(in.routes[place]);
            if (in.routes[place].can_extend())
                routes.push_back(in.routes[place].extended(number));
        } else if (is_denied(order[place], number)) {
            routes.push_back(in.routes[place]);
            for (auto const from : {port.leads_to, node.ports[port.witness].leads_to}) {
                auto const at = std::find(order.begin(), order.end(), from.node);
                if (at != order.end() && in.routes[static_cast<std::size_t>(at - order.begin())].can_extend())
                    routes.push_back(in.routes[static_cast<std::size_t>(at - order.begin())].extended(from.port));
            }
        }
    }
}

void sweep::report_guids(discovery& to, std::vector<found_index> const& order) const
{
    struct sharing {
        std::vector<directed_route> routes;
        std::size_t first = 0;
        std::size_t nodes = 0;
        bool doubtful = false;
    };
    std::map<guid, sharing> shared;
    for (std::size_t i = 0; i != order.size(); ++i) {
        auto const node_guid = nodes_[order[i]].info.node_guid;
        std::vector<directed_route> routes;
        add_doubts(to, order, i, routes);
        bool const several = is_shared(node_guid);
        if (!several && routes.empty())
            continue;
        auto& one = shared[node_guid];
        if (one.nodes++ == 0)
            one.first = i;
        one.doubtful = one.doubtful || !routes.empty() || (several && is_ambiguous(order[i]));
        routes.insert(routes.begin(), to.routes[i]);
        for (auto const& route : routes)
            if (std::find(one.routes.begin(), one.routes.end(), route) == one.routes.end())
                one.routes.push_back(route);
    }
    for (auto& [node_guid, one] : shared) {
        // GUID 0 has its own entry for each node.
        if (!one.doubtful && (one.nodes < 2 || !node_guid))
            continue;
        auto& problem = to.problems.emplace_back();
        problem.kind = problem_kind::duplicate_guid;
        problem.missing = one.doubtful;
        problem.route = to.routes[one.first];
        problem.node = node_guid;
        problem.description = nodes_[order[one.first]].description.value.description.view();
        problem.routes = std::move(one.routes);
    }
}

} // namespace madrigal::detail
