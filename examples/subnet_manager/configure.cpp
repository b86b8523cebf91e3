#include "configure.hpp"

#include <madrigal/subnet/multicast_trees.hpp>
#include <madrigal/subnet/port_plan.hpp>

#include <spdlog/spdlog.h>

namespace sm {
namespace {

using madrigal::port_pass;
using madrigal::smp_order;

/// A work list, and whose node each of its jobs is about.
class orders {
public:
    orders(managed& known, subnet& of) : known_{known}, of_{of} {}

    [[nodiscard]] madrigal::smp_work& list() noexcept { return work_; }
    /// The jobs added since the last call are about this node.
    void were_for(node_index node) { nodes_.resize(work_.size(), node); }

    asio::awaitable<madrigal::result<std::uint64_t>> run()
    {
        auto const on_answer = [this](std::size_t job, smp_order const& order, madrigal::mad_view answer) {
            auto const node = nodes_[job];
            known_.written.on_answer(of_.node(node).node_guid, order, answer);
            if (order.attribute_id == madrigal::port_info::layout.id)
                on_port(node, order, answer);
            else if (order.attribute_id == madrigal::switch_info::layout.id)
                of_.found.attributes[node].switch_info = answer.attribute<madrigal::switch_info>().value();
        };
        madrigal::smp_work_options how;
        how.go_on = known_.go_on;
        how.how.timeout = known_.with.timeout;
        how.how.retries = known_.with.retries;
        auto const done = co_await work_.run(known_.client, how, on_answer);
        if (!done)
            co_return done.error();
        auto const& report = done.value();
        for (auto const& failure : report.failures)
            spdlog::warn("{}: {}", of_.name(nodes_[failure.job]), to_string(failure));
        for (auto const job : report.given_up)
            spdlog::warn("{} does not answer; the rest of what it should be told waits for the next sweep",
                of_.name(nodes_[job]));
        known_.counted.configure_smps += report.smps_sent;
        known_.counted.failed_smps += report.failed;
        co_return report.failed + report.skipped;
    }

private:
    void on_port(node_index node, smp_order const& order, madrigal::mad_view answer)
    {
        auto const asked = madrigal::decode<madrigal::port_info>(order.data);
        auto const told = answer.attribute<madrigal::port_info>();
        endpoint const at{node, static_cast<std::uint8_t>(order.modifier)};
        of_.info(at) = *told; // an SMP has room for it
        if (asked->client_reregister)
            known_.registered.insert(of_.end_of(at)->port_guid);
    }

    managed& known_;
    subnet& of_;
    madrigal::smp_work work_;
    std::vector<node_index> nodes_; // by job
};

} // namespace

asio::awaitable<madrigal::result<std::uint64_t>> configure(managed& known, subnet& of)
{
    madrigal::port_policy policy;
    policy.subnet_prefix = known.with.subnet_prefix;
    policy.m_key = known.with.m_key;
    policy.reregister = [&](end_port const& end) { return !known.registered.contains(end.port_guid); };
    std::uint64_t failed = 0;
    for (auto const pass : {port_pass::arm, port_pass::activate}) {
        orders all{known, of};
        for (node_index i = 0; i != of.found.fabric.size(); ++i) {
            order_ports(all.list(), of, i, policy, pass);
            if (pass == port_pass::arm && of.is_switch(i))
                known.written.order(all.list(), of, of.switch_number(i));
            all.were_for(i);
        }
        auto const done = co_await all.run();
        if (!done)
            co_return done.error();
        failed += done.value();
    }
    auto const inactive = ports_not_active(of);
    if (inactive != 0)
        spdlog::warn("{} ports with cables are not active", inactive);
    co_return failed + inactive;
}

asio::awaitable<madrigal::result<std::uint64_t>> write_groups(managed& known, subnet& of)
{
    madrigal::multicast_trees trees{of};
    trees.add(known.groups);
    orders all{known, of};
    for (unsigned s = 0; s != of.switches.size(); ++s) {
        known.written.order_groups(all.list(), of, s, std::move(trees.blocks()[s]));
        all.were_for(of.switches[s]);
    }
    co_return co_await all.run();
}

} // namespace sm
