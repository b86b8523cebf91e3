#include <madrigal/subnet/discover_twice.hpp>

#include <madrigal/fabric/discover.hpp>

#include <algorithm>

namespace madrigal {
namespace {

/// What may have been taken for something else.
bool is_doubtful(sweep_problem const& one) noexcept
{
    return one.kind == problem_kind::duplicate_guid || one.kind == problem_kind::changed ||
           one.kind == problem_kind::left_out;
}

void add(sweep_statistics& to, sweep_statistics const& more) noexcept
{
    to.questions += more.questions;
    to.answers += more.answers;
    to.asked_again += more.asked_again;
    to.timeouts += more.timeouts;
    to.refused += more.refused;
    to.smps_sent += more.smps_sent;
    to.elapsed += more.elapsed;
}

} // namespace

asio::awaitable<result<discovery>> discover_twice(smp_client by, discover_options options)
{
    auto first = co_await discover(by, options);
    if (!first || std::none_of(first.value().problems.begin(), first.value().problems.end(), is_doubtful))
        co_return first;
    auto second = co_await discover(by, options);
    if (!second)
        co_return second;
    auto const& before = first.value();
    auto& now = second.value();
    add(now.statistics, before.statistics);
    for (topology::node_index i = 0; i != before.attributes.size(); ++i) {
        auto const at = before.attributes[i].switch_info.port_state_change
                            ? now.fabric.find(before.fabric.at(i).node_guid)
                            : topology::no_node;
        if (at != topology::no_node && at < now.attributes.size())
            now.attributes[at].switch_info.port_state_change = true;
    }
    co_return second;
}

} // namespace madrigal
