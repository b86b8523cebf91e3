// Whether what looks like one node is two with one GUID.
#include <fabric/sweep.hpp>

namespace madrigal::detail {

bool sweep::verify()
{
    bool more = false;
    for (found_index i = 0; i != nodes_.size(); ++i) {
        auto const& node = nodes_[i];
        if (!node.is_switch()) {
            more = verify_ports(i) || more;
            continue;
        }
        for (unsigned p = 1; p < node.ports.size(); ++p)
            if (auto const to = node.ports[p].leads_to; to.node == i && p <= to.port)
                more = verify_loop(i, static_cast<std::uint8_t>(p)) || more;
    }
    return more;
}

/// A cable from a switch to itself: whoever is behind another port of the switch must be there as well when that port
/// is left from the far end of the cable. A second switch has another neighbour there, or none.
bool sweep::verify_loop(found_index index, std::uint8_t number)
{
    auto& node = nodes_[index];
    auto& port = node.ports[number];
    if (port.around.get().state == ask_state::not_asked) {
        port.witness = 0;
        for (unsigned p = 1; p < node.ports.size() && port.witness == 0; ++p) {
            auto const& behind = node.ports[p].behind;
            if (behind.state == ask_state::answered && behind.value.node_guid != node.info.node_guid &&
                !is_shared(behind.value.node_guid))
                port.witness = static_cast<std::uint8_t>(p);
        }
        if (port.witness == 0 || !node.route.can_extend() || !node.route.extended(number).can_extend())
            return false;
        port.around.make().state = ask_state::asked;
        push({index, sweep_ask::around, number, 0});
        return true;
    }
    if (!is_doubtful_loop(index, number) || port.verified_again)
        return false;
    // One of the cables may have been moved meanwhile.
    port.verified_again = true;
    port.around.make().state = ask_state::not_asked;
    look_again_behind({index, number});
    look_again_behind({index, port.witness});
    return waiting_ != 0 || verify_loop(index, number);
}

/// A CA or router that is reached by several ports: it must know of a link at each of them. Asked through one of its
/// ports, a node may refuse to speak for the others; then nothing is learnt.
bool sweep::verify_ports(found_index index)
{
    auto& node = nodes_[index];
    auto const is_cabled = [&](unsigned p) { return node.ports[p].leads_to && node.ports[p].leads_to.node != index; };
    unsigned through = index == 0 ? node.entry_port : 0;
    for (unsigned p = 1; p < node.ports.size() && through == 0; ++p)
        if (is_cabled(p))
            through = p;
    bool more = false;
    for (unsigned p = 1; p < node.ports.size(); ++p) {
        auto& port = node.ports[p];
        auto const number = static_cast<std::uint8_t>(p);
        if (p == through || !is_cabled(p))
            continue;
        if (port.other_port.get().state == ask_state::not_asked) {
            port.witness = static_cast<std::uint8_t>(through);
            port.other_port.make().state = ask_state::asked;
            push({index, sweep_ask::other_port, number, 0});
            more = true;
        } else if (is_denied(index, number) && !port.verified_again) {
            // The cable may have been pulled out meanwhile.
            port.verified_again = true;
            auto const before = waiting_;
            look_again_behind(port.leads_to);
            more = more || waiting_ != before;
        }
    }
    return more;
}

bool sweep::is_doubtful_loop(found_index index, std::uint8_t number) const
{
    auto const& node = nodes_[index];
    auto const& port = node.ports[number];
    if (port.leads_to.node != index || number > port.leads_to.port)
        return false;
    // Nothing that can be read tells a loopback plug at a CA from a twin of that CA.
    if (!node.is_switch() || port.around.get().state != ask_state::answered)
        return true;
    auto const& expected = node.ports[port.witness].behind;
    return expected.state != ask_state::answered || port.around.get().value.node_guid != expected.value.node_guid ||
           port.around.get().value.local_port_num != expected.value.local_port_num;
}

bool sweep::is_denied(found_index index, std::uint8_t number) const
{
    auto const& port = nodes_[index].ports[number];
    return port.leads_to && port.other_port.get().state == ask_state::answered &&
           port.other_port.get().value.state == port_state::down;
}

bool sweep::is_ambiguous(found_index index) const
{
    auto const& node = nodes_[index];
    unsigned cabled = 0;
    for (auto const& port : node.ports) {
        if (!port.leads_to)
            continue;
        ++cabled;
        if (is_shared(nodes_[port.leads_to.node].info.node_guid))
            return true;
    }
    // Which of the twins a further port of a CA belongs to is not told by any answer.
    return !node.is_switch() && cabled > 1;
}

} // namespace madrigal::detail
