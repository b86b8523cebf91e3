#include "ibnetdiscover_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace madrigal::topology::detail {

namespace {

constexpr std::size_t description_bytes = 64; // NodeDescription, IBA 14.2.5.2

/// Merges what a peer's line tells into `own`; true where `own` already says something else.
template <class T>
bool contradicts(std::optional<T>& own, std::optional<T> const& told)
{
    if (!told)
        return false;
    if (!own) {
        own = told;
        return false;
    }
    return *own != *told;
}

/// A LID comes with an LMC, which is 0 where nothing is told of it; without a LID an LMC of 0 tells nothing.
std::optional<std::uint8_t> settled_lmc(std::optional<lid> base_lid, std::optional<std::uint8_t> lmc)
{
    if (base_lid)
        return lmc.value_or(0);
    return lmc == 0 ? std::nullopt : lmc;
}

} // namespace

result<void> assembly::fail(std::size_t line, std::string_view what) const
{
    return error{errc::malformed_topology, fmt::format("{}:{}: {}", file_name_, line, what)};
}

void assembly::pass_over(std::size_t line, std::string_view text, std::string reason)
{
    ++outcome_.passed_over_total;
    if (outcome_.passed_over.size() < read_outcome::max_listed)
        outcome_.passed_over.push_back({line, printable(text), std::move(reason)});
}

std::string assembly::describe(node_index node, unsigned port) const
{
    // Once the fabric stands, the nodes have moved there.
    auto const& id = node < outcome_.fabric.size() ? outcome_.fabric.at(node).id : records_[node].value.id;
    return fmt::format("\"{}\"[{}]", printable(id, 40), port);
}

result<void> assembly::add_attribute(std::size_t line, std::string_view text)
{
    auto const read = parse_attribute_line(text);
    if (!read)
        return fail(line, read.error().text);
    auto const& told = read.value();
    if (told.what == attribute_line::kind::node_guid) {
        pending_guids_[static_cast<std::size_t>(told.type)] =
            pending_guid{guid{told.value}, told.port_guid, line, text};
        return ok();
    }
    pending_.line = line;
    pending_.text = text;
    switch (told.what) {
    case attribute_line::kind::vendor_id: pending_.vendor_id = told.value; break;
    case attribute_line::kind::device_id: pending_.device_id = told.value; break;
    default:
        if (told.value != 0)
            pending_.system_image_guid = guid{told.value};
    }
    return ok();
}

result<void> assembly::add_record(std::size_t line, std::string_view text)
{
    auto const read = parse_record_line(text);
    if (!read)
        return fail(line, read.error().text);
    auto const& told = read.value();
    auto const index = static_cast<node_index>(records_.size());
    if (auto const [known, is_new] = by_id_.try_emplace(told.id, index); !is_new)
        return fail(line, fmt::format("node \"{}\" again: expected one record a node, and the first is on line {}",
                              printable(told.id, 40), records_[known->second].line));
    if (!told.remark.empty())
        pass_over(line, text, told.remark);

    record added;
    added.line = line;
    auto& value = added.value;
    value.type = told.type;
    value.id = told.id;
    value.enhanced_port0 = told.enhanced_port0;
    value.ports.resize(told.ports);
    if (told.type == node_type::switch_) {
        value.base_lid = told.base_lid;
        value.lmc = told.lmc;
    }
    value.vendor_id = static_cast<std::uint32_t>(pending_.vendor_id.value_or(0));
    value.device_id = static_cast<std::uint16_t>(pending_.device_id.value_or(0));
    value.system_image_guid = pending_.system_image_guid;
    pending_ = {};

    auto const by_name = parse_canonical_id(told.id);
    if (by_name)
        value.node_guid = by_name->node_guid;
    if (auto& attribute = pending_guids_[static_cast<std::size_t>(told.type)]) {
        value.node_guid = attribute->node_guid;
        if (told.type == node_type::switch_)
            value.port_guid = attribute->port_guid;
        attribute.reset();
    }
    if (value.node_guid)
        by_guid_.try_emplace(value.node_guid.value(), index);

    if (told.description) {
        value.description = *told.description;
        if (value.description.size() > description_bytes) {
            value.description.resize(description_bytes);
            pass_over(line, text, "the description is cut to the 64 bytes of a NodeDescription");
        }
    } else if (!by_name) {
        value.description = told.id.substr(0, description_bytes);
    } else {
        added.undescribed = true;
    }
    claim_at_.assign(told.ports, 0);
    records_.push_back(std::move(added));
    return ok();
}

result<void> assembly::add_port(std::size_t line, std::string_view text)
{
    if (records_.empty())
        return fail(line, "a port before any node: expected a record such as `Switch 36 \"S-0002c90200419cb8\"`");
    auto read = parse_port_line(text);
    if (!read)
        return fail(line, read.error().text);
    auto& told = read.value();
    auto const node = static_cast<node_index>(records_.size() - 1);
    auto& value = records_[node].value;
    if (told.port > value.ports.size())
        return fail(line, fmt::format("port {} of \"{}\": expected 1 to {}, the ports of the record on line {}",
                              told.port, printable(value.id, 40), value.ports.size(), records_[node].line));
    if (!told.remark.empty())
        pass_over(line, text, std::move(told.remark));
    if (auto const earlier = claim_at_[told.port - 1]; earlier != 0) {
        auto const& first = claims_[earlier - 1];
        if (first.told.peer_id != told.peer_id || first.told.peer_port != told.peer_port)
            return fail(line, fmt::format("{} is cabled to \"{}\"[{}] here, but to \"{}\"[{}] on line {}",
                                  describe(node, told.port), printable(told.peer_id, 40), told.peer_port,
                                  printable(first.told.peer_id, 40), first.told.peer_port, first.line));
        pass_over(line, text, fmt::format("repeats line {}", first.line));
        return ok();
    }

    auto& end = value.ports[told.port - 1];
    end.width = told.width;
    end.speed = told.speed;
    end.port_guid = told.port_guid;
    if (value.type != node_type::switch_) {
        end.base_lid = told.base_lid;
        end.lmc = told.lmc;
    }
    claims_.push_back({node, told, line, text});
    claim_at_[told.port - 1] = static_cast<std::uint32_t>(claims_.size());
    return ok();
}

result<node_index> assembly::peer_of(claim const& from)
{
    if (auto const known = by_id_.find(from.told.peer_id); known != by_id_.end())
        return known->second;
    auto const told = parse_canonical_id(from.told.peer_id);
    if (told && told->node_guid) {
        if (auto const known = by_guid_.find(told->node_guid.value()); known != by_guid_.end())
            return known->second;
        record added;
        added.line = from.line;
        added.undescribed = true;
        added.mentioned_only = true;
        added.value.type = told->type;
        added.value.id = from.told.peer_id;
        added.value.node_guid = told->node_guid;
        auto const index = static_cast<node_index>(records_.size());
        records_.push_back(std::move(added));
        by_id_.emplace(from.told.peer_id, index);
        by_guid_.emplace(told->node_guid.value(), index);
        pass_over(from.line, from.text,
            fmt::format("\"{}\" has no record: added from what the lines of its peers tell", from.told.peer_id));
        return index;
    }
    return fail(
        from.line, fmt::format("\"{}\" has no record: expected the id of a node in this file, or one that tells "
                               "type and GUID such as \"S-0002c90200419cb8\"",
                       printable(from.told.peer_id, 40)))
        .error();
}

result<void> assembly::resolve_peers()
{
    peers_.reserve(claims_.size());
    for (auto const& from : claims_) {
        BOOST_OUTCOME_TRY(auto const peer, peer_of(from));
        peers_.push_back(peer);
        auto& remote = records_[peer];
        if (from.told.peer_port <= remote.value.ports.size())
            continue;
        if (!remote.mentioned_only)
            return fail(
                from.line, fmt::format("{} does not exist: expected 1 to {}, the ports of the record on line {}",
                               describe(peer, from.told.peer_port), remote.value.ports.size(), remote.line));
        remote.value.ports.resize(from.told.peer_port);
    }
    return ok();
}

void assembly::take_mention(claim const& from, node_index peer)
{
    auto& remote = records_[peer];
    auto& end = remote.value.ports[from.told.peer_port - 1];
    bool const is_switch = remote.value.type == node_type::switch_;
    if (!is_switch && contradicts(end.port_guid, from.told.peer_port_guid))
        pass_over(from.line, from.text, "the peer's own record tells another port GUID, which is kept");
    if (contradicts(is_switch ? remote.value.base_lid : end.base_lid, from.told.peer_lid))
        pass_over(from.line, from.text, "the peer's own record tells another LID, which is kept");
    if (remote.undescribed && from.told.peer_description) {
        remote.value.description = from.told.peer_description->substr(0, description_bytes);
        remote.undescribed = false;
    }
}

void assembly::assign_missing_guids()
{
    std::unordered_set<std::uint64_t> taken;
    for (auto const& known : records_) {
        taken.insert(known.value.node_guid.value());
        taken.insert(known.value.port_guid.value_or(guid{}).value());
        for (auto const& end : known.value.ports)
            if (end.port_guid)
                taken.insert(end.port_guid->value());
    }
    // CAs leave room for the port GUIDs that are commonly counted up from the node's.
    std::array<std::uint64_t, 4> next{0, 0x024d'4144'0100'0000, 0x024d'4144'0200'0000, 0x024d'4144'0300'0000};
    for (auto& nameless : records_) {
        if (nameless.value.node_guid)
            continue;
        auto& candidate = next[static_cast<std::size_t>(nameless.value.type)];
        std::uint64_t const room = nameless.value.type == node_type::switch_ ? 1 : nameless.value.ports.size() + 1;
        auto const is_taken = [&](std::uint64_t from) {
            for (std::uint64_t i = 0; i != room; ++i)
                if (taken.contains(from + i))
                    return true;
            return false;
        };
        while (is_taken(candidate))
            candidate += room;
        nameless.value.node_guid = guid{candidate};
        candidate += room;
    }
}

result<void> assembly::connect_all()
{
    auto& fabric = outcome_.fabric;
    // Which line told of the cable in each port, for the message when another line disagrees.
    std::vector<std::size_t> first_port;
    first_port.reserve(fabric.size());
    std::size_t ports = 0;
    for (auto const& node : fabric.nodes()) {
        first_port.push_back(ports);
        ports += node.ports.size();
    }
    std::vector<std::size_t> told_on(ports, 0);

    for (std::size_t i = 0; i != claims_.size(); ++i) {
        auto const& from = claims_[i];
        endpoint const here{from.node, static_cast<std::uint8_t>(from.told.port)};
        endpoint const there{peers_[i], static_cast<std::uint8_t>(from.told.peer_port)};
        if (fabric.at(here.node).external_port(here.port).peer == there)
            continue; // the other end's line told of it already
        if (!fabric.connect(here, there)) {
            auto const taken = fabric.at(here.node).external_port(here.port).peer ? here : there;
            auto const other = fabric.at(taken.node).external_port(taken.port).peer;
            return fail(from.line,
                fmt::format("{} is cabled to {} here, but line {} cables {} to {}: expected one cable a port",
                    describe(here.node, here.port), describe(there.node, there.port),
                    told_on[first_port[taken.node] + taken.port - 1U], describe(taken.node, taken.port),
                    describe(other.node, other.port)));
        }
        told_on[first_port[here.node] + here.port - 1U] = from.line;
        told_on[first_port[there.node] + there.port - 1U] = from.line;
    }
    return ok();
}

result<read_outcome> assembly::finish(std::size_t lines) &&
{
    if (records_.empty())
        return fail(lines, "the end of the text without any node: expected records such as `Switch 36 "
                           "\"S-0002c90200419cb8\"` and `Ca 1 \"H-…\"`")
            .error();
    if (pending_.line != 0)
        pass_over(pending_.line, pending_.text, "no record follows that this could belong to");
    for (auto const& waiting : pending_guids_)
        if (waiting)
            pass_over(waiting->line, waiting->text, "no record of this type follows");

    BOOST_OUTCOME_TRY(resolve_peers());
    for (std::size_t i = 0; i != claims_.size(); ++i)
        take_mention(claims_[i], peers_[i]);
    assign_missing_guids();
    for (auto& settled : records_) {
        auto& value = settled.value;
        value.lmc = settled_lmc(value.base_lid, value.lmc);
        for (auto& end : value.ports)
            end.lmc = settled_lmc(end.base_lid, end.lmc);
        outcome_.fabric.add(std::move(value));
    }
    BOOST_OUTCOME_TRY(connect_all());
    return std::move(outcome_);
}

} // namespace madrigal::topology::detail
