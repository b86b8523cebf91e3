#include "discovery_rate.hpp"

#include <madrigal/fabric/discover.hpp>
#include <madrigal/runtime/reactor.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/topology/generators.hpp>

#include <boost/asio.hpp>

#include <optional>

namespace madrigal::bench {
namespace {

asio::awaitable<void> sweep(port on, std::optional<result<discovery>>& found)
{
    found = co_await discover(std::move(on));
}

} // namespace

result<sweep_cost> sweep_fat_tree()
{
    BOOST_OUTCOME_TRY(auto layout, topology::generate(topology::fat_tree{}));
    BOOST_OUTCOME_TRY(auto fabric, sim::fabric::make(std::move(layout)));
    BOOST_OUTCOME_TRY(auto const host, sim::make_host(std::move(fabric)));
    asio::io_context loop{1};
    reactor const reactor{loop, *host};
    BOOST_OUTCOME_TRY(auto port, reactor.open());
    std::optional<result<discovery>> found;
    asio::co_spawn(loop, sweep(std::move(port), found), asio::detached);
    loop.run();
    if (!found)
        return error{errc::incomplete_sweep, "the sweep ended by an exception"};
    if (!*found)
        return found->error();
    auto const& all = found->value();
    if (auto failed = all.check(); failed.code())
        return failed;
    return sweep_cost{all.fabric.nodes().size(), all.statistics.per_second()};
}

} // namespace madrigal::bench
