// What the interop checks ask this library: whether two texts describe one fabric, and how the switches of one forward.
//
//     madrigal_interop_check same EXPECTED FOUND     files of ibnetdiscover's format; exit 1 with what differs: nodes,
//                                                    cables, widths and speeds; same-lids: LIDs too
//     madrigal_interop_check tables HOST             a line "GUID PORT PORT ..." for each switch, LIDs from 0 upwards
#include "interop/on_port.hpp"

#include <madrigal/fabric/discover.hpp>
#include <madrigal/fabric/forwarding.hpp>
#include <madrigal/topology/compare.hpp>
#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace madrigal {
namespace {

using interop::fail;

int compare(std::string const& expected, std::string const& found, bool lids)
{
    auto const a = topology::read_ibnetdiscover_file(expected);
    if (!a)
        return fail(a.error());
    auto const b = topology::read_ibnetdiscover_file(found);
    if (!b)
        return fail(b.error());
    auto const differing = topology::differences(a.value().fabric, b.value().fabric, 20, {.lids = lids});
    for (auto const& one : differing)
        fmt::print(stderr, "{}\n", one);
    return differing.empty() ? 0 : 1;
}

asio::awaitable<int> print_tables(port on)
{
    auto const found = co_await discover(on);
    if (!found)
        co_return fail(found.error());
    if (auto const incomplete = found.value().check(); incomplete.code())
        co_return fail(incomplete);
    auto const client = smp_client::open(on);
    if (!client)
        co_return fail(client.error());
    auto const& fabric = found.value().fabric;
    for (topology::node_index i = 0; i != fabric.size(); ++i) {
        if (fabric.at(i).type != node_type::switch_)
            continue;
        auto const table = co_await read_forwarding_table(client.value(), found.value().routes[i]);
        if (!table)
            co_return fail(table.error());
        fmt::print("{} {}\n", to_string(fabric.at(i).node_guid), fmt::join(table.value(), " "));
    }
    co_return 0;
}

} // namespace
} // namespace madrigal

int main(int argc, char** argv)
{
    std::string_view const what = argc > 1 ? argv[1] : "";
    if ((what == "same" || what == "same-lids") && argc == 4)
        return madrigal::compare(argv[2], argv[3], what == "same-lids");
    if (what == "tables" && argc == 3)
        return madrigal::interop::on_port(argv[2], madrigal::print_tables);
    fmt::print(stderr, "Usage: madrigal_interop_check same|same-lids EXPECTED FOUND | tables HOST\n");
    return 2;
}
