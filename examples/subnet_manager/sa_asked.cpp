#include "administration.hpp"

#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/wire/attributes/guid_info_record.hpp>
#include <madrigal/wire/attributes/lane_table_record.hpp>
#include <madrigal/wire/attributes/p_key_table_record.hpp>

#include <unordered_map>

namespace sm {
namespace {

using namespace madrigal; // NOLINT: records and components are named all over this file

constexpr std::size_t enough_at_a_time = 256; ///< questions to nodes

/// A record, and the modifier of the attribute that it holds.
template <class Record>
struct question {
    Record record;
    std::uint32_t modifier;
    bool answered = false;
};

/// Serves records of which each holds an attribute that its node is asked for now. `list(found, end)` gives the
/// questions for an end port; those that cannot match, whatever the attribute is, are not asked.
template <class Record, class Attribute, class List>
void serve_from_nodes(sa_server const& server, managed& known, Attribute Record::*member, bool secret, List list)
{
    server.serve<Record>([&known, member, secret, list](
                             sa_asked<Record> const& asked, sa_records<Record>& out) -> asio::awaitable<std::uint16_t> {
        if (secret && !asked.trusted())
            co_return mad_status::sa_request_invalid;
        auto const found = known.now;
        if (!found)
            co_return not_yet;
        auto const ends = ends_for<&Record::base_lid>(asked, *found);
        std::vector<question<Record>> all;
        smp_work work;
        std::unordered_map<std::uint64_t, std::size_t> place; // in `all`, by job and modifier
        for (auto const& end : ends) {
            auto const first = all.size();
            for (auto& one : list(*found, end)) {
                one.record.*member = asked.record().*member; // as it would have to be
                if (out.matches(one.record)) {
                    place.emplace(std::uint64_t{work.size()} << 32 | one.modifier, all.size());
                    all.push_back(one);
                }
            }
            work.add(found->route(end), found->node(end.at.node).node_guid,
                [&all, next = first, last = all.size()]() mutable {
                    return next == last ? std::nullopt : std::optional{smp_order::get<Attribute>(all[next++].modifier)};
                });
            if (all.size() < enough_at_a_time && &end != &ends.back()) {
                if (!co_await out.go_on())
                    co_return mad_status::ok;
                continue;
            }
            smp_work_options how;
            how.per_node = 0;
            auto const done =
                co_await work.run(known.on_behalf, how, [&](std::size_t job, smp_order const& order, mad_view answer) {
                    auto& one = all[place.at(std::uint64_t{job} << 32 | order.modifier)];
                    one.record.*member = answer.attribute<Attribute>().value_or(Attribute{});
                    one.answered = true;
                });
            if (!done)
                co_return mad_status::busy;
            for (auto const& one : all)
                if (one.answered && !co_await out.yield(one.record)) // else it does not have it, or is gone
                    co_return mad_status::ok;
            all.clear();
            place.clear();
        }
        co_return mad_status::ok;
    });
}

unsigned blocks_of(unsigned entries, unsigned block)
{
    return (entries + block - 1) / block;
}

} // namespace

void serve_asked(sa_server const& server, managed& known)
{
    serve_from_nodes(server, known, &guid_info_record::info, false, [](subnet const& of, end_port const& end) {
        std::vector<question<guid_info_record>> all;
        for (unsigned block = 0; block != blocks_of(of.info(end.at).guid_cap, 8); ++block)
            all.push_back({{end.base_lid, static_cast<std::uint8_t>(block), {}}, block});
        return all;
    });
    serve_from_nodes(server, known, &p_key_table_record::table, true, [](subnet const& of, end_port const& end) {
        std::vector<question<p_key_table_record>> all;
        auto const& attributes = of.found.attributes[end.at.node];
        bool const is_switch = of.is_switch(end.at.node);
        auto const [first, last] = ports_of(of, end);
        for (auto p = first; p <= last; ++p) {
            unsigned const entries =
                is_switch && p != 0 ? attributes.switch_info.partition_enforcement_cap : attributes.info.partition_cap;
            for (unsigned block = 0; block != blocks_of(entries, 32); ++block)
                all.push_back({{end.base_lid, static_cast<std::uint16_t>(block),
                                   static_cast<std::uint8_t>(is_switch ? p : 0), {}},
                    (is_switch ? p << 16 : 0) | block});
        }
        return all;
    });
    serve_from_nodes(
        server, known, &sl_to_vl_mapping_table_record::table, false, [](subnet const& of, end_port const& end) {
            std::vector<question<sl_to_vl_mapping_table_record>> all;
            if (!of.is_switch(end.at.node)) {
                all.push_back({{end.base_lid, 0, 0, {}}, 0});
                return all;
            }
            auto const last = of.node(end.at.node).port_count();
            for (unsigned out = 1; out <= last; ++out)
                for (unsigned in = 0; in <= last; ++in)
                    if (in != out)
                        all.push_back(
                            {{end.base_lid, static_cast<std::uint8_t>(in), static_cast<std::uint8_t>(out), {}},
                                in << 8 | out});
            return all;
        });
    serve_from_nodes(
        server, known, &vl_arbitration_table_record::table, false, [](subnet const& of, end_port const& end) {
            std::vector<question<vl_arbitration_table_record>> all;
            bool const is_switch = of.is_switch(end.at.node);
            auto const [first, last] = ports_of(of, end);
            for (auto p = is_switch ? 1U : first; p <= last; ++p) {
                auto const& info = of.info({end.at.node, static_cast<std::uint8_t>(p)});
                auto const low = blocks_of(info.vl_arbitration_low_cap, 32);
                auto const high = blocks_of(info.vl_arbitration_high_cap, 32);
                for (unsigned block = 1; block <= 4; ++block)
                    if (block <= 2 ? block <= low : block - 2 <= high)
                        all.push_back({{end.base_lid, static_cast<std::uint8_t>(is_switch ? p : 0),
                                           static_cast<std::uint8_t>(block), {}},
                            block << 16 | (is_switch ? p : 0)});
            }
            return all;
        });
}

} // namespace sm
