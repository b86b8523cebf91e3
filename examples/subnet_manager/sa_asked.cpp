#include "administration.hpp"

#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/wire/attributes/guid_info_record.hpp>
#include <madrigal/wire/attributes/lane_table_record.hpp>
#include <madrigal/wire/attributes/p_key_table_record.hpp>

namespace sm {
namespace {

using namespace madrigal; // NOLINT: records and components are named all over this file

constexpr std::size_t enough_at_a_time = 131'072; ///< questions to nodes
constexpr std::size_t enough_kept = 262'144;      ///< answers, of one attribute

/// A record, and the modifier of the attribute that it holds.
template <class Record>
struct question {
    Record record;
    std::uint32_t modifier;
};

/// Where answers that a subnet's nodes give are kept: begun anew where there are many. Who uses the old one goes on so.
std::shared_ptr<kept_answers> kept_of(managed& known, std::shared_ptr<subnet> const& of, std::uint16_t attribute)
{
    if (of != known.now)
        return std::make_shared<kept_answers>();
    auto& kept = known.asked[attribute];
    return kept && kept->places() <= enough_kept ? kept : kept = std::make_shared<kept_answers>();
}

/// Serves records of which each holds an attribute for which its node is asked, unless it was since the last sweep.
/// `list(found, end)` gives the questions for an end port; those that cannot match, whatever the attribute is, are not
/// asked.
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
        auto const row = [&](end_port const& end) { return static_cast<std::size_t>(&end - found->ends.data()); };
        auto const ends = ends_for<&Record::base_lid>(asked, *found);
        for (auto next = ends.begin(); next != ends.end();) {
            auto const kept = kept_of(known, found, Attribute::layout.id);
            auto first = next;
            smp_work work;
            std::vector<std::size_t> rows; // by job
            for (std::size_t questions = 0; next != ends.end() && questions < enough_at_a_time; ++next) {
                std::vector<std::uint32_t> unknown;
                for (auto& one : list(*found, *next)) {
                    one.record.*member = asked.record().*member; // as it would have to be
                    if (out.matches(one.record) && kept->find(row(*next), one.modifier) == nullptr)
                        unknown.push_back(one.modifier);
                }
                questions += unknown.size();
                kept->make_room(row(*next), unknown);
                rows.push_back(row(*next));
                work.add(found->route(*next), found->node(next->at.node).node_guid,
                    [unknown = std::move(unknown), at = std::size_t{0}]() mutable {
                        return at == unknown.size() ? std::nullopt
                                                    : std::optional{smp_order::get<Attribute>(unknown[at++])};
                    });
                if (!co_await out.go_on())
                    co_return mad_status::ok;
            }
            auto const keep = [&](std::size_t job, smp_order const& order, mad_view answer) {
                (void)kept->keep(rows[job], order.modifier, answer.data());
            };
            if (!co_await work.run(known.on_behalf, {}, keep))
                co_return mad_status::busy;
            for (; first != next; ++first)
                for (auto& one : list(*found, *first)) {
                    auto const* const answer = kept->find(row(*first), one.modifier);
                    one.record.*member = answer != nullptr ? *decode<Attribute>(*answer) : Attribute{};
                    if (answer != nullptr && !co_await out.yield(one.record)) // else it does not have it, or is gone
                        co_return mad_status::ok;
                }
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
            unsigned const last = of.is_switch(end.at.node) ? of.node(end.at.node).port_count() : 0;
            for (unsigned out = 0; out <= last; ++out)
                for (unsigned in = 0; in <= last; ++in)
                    all.push_back({{end.base_lid, static_cast<std::uint8_t>(in), static_cast<std::uint8_t>(out), {}},
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
