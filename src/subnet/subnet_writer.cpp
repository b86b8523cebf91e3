#include <madrigal/subnet/subnet_writer.hpp>

#include <madrigal/subnet/multicast_trees.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <utility>

namespace madrigal {
namespace {

/// A work list, and whose node each of its jobs is about.
class orders {
public:
    orders(managed_subnet& of, switch_tables& written, write_report& report)
        : of_{of}, written_{written}, report_{report}
    {}

    [[nodiscard]] smp_work& list() noexcept { return work_; }
    /// The jobs added since the last call are about this node.
    void were_for(topology::node_index node) { nodes_.resize(work_.size(), node); }

    asio::awaitable<error> run(smp_client by, smp_work_options how)
    {
        auto done = co_await work_.run(std::move(by), std::move(how),
            [this](std::size_t job, smp_order const& order, mad_view answer) { keep(nodes_[job], order, answer); });
        if (!done)
            co_return done.error();
        report_.smps += done.value().smps_sent;
        report_.failed += done.value().failed + done.value().skipped;
        for (auto const& failure : done.value().failures)
            report_.faults.push_back(of_.name(nodes_[failure.job]) + ": " + to_string(failure));
        for (auto const job : done.value().given_up)
            report_.faults.push_back(of_.name(nodes_[job]) + " does not answer, and has not been told the rest");
        co_return error{};
    }

private:
    void keep(topology::node_index node, smp_order const& order, mad_view answer)
    {
        written_.on_answer(of_.node(node).node_guid, order, answer);
        if (order.attribute_id == switch_info::layout.id) {
            if (auto const told = answer.attribute<switch_info>())
                of_.found.attributes[node].switch_info = *told;
        } else if (order.attribute_id == port_info::layout.id) {
            topology::endpoint const at{node, static_cast<std::uint8_t>(order.modifier)};
            if (auto const told = answer.attribute<port_info>())
                of_.info(at) = *told;
            if (auto const asked = decode<port_info>(order.data); asked && asked->client_reregister)
                report_.reregistered.push_back(of_.end_of(at)->port_guid);
        }
    }

    managed_subnet& of_;
    switch_tables& written_;
    write_report& report_;
    smp_work work_;
    std::vector<topology::node_index> nodes_; // by job
};

} // namespace

asio::awaitable<result<write_report>> write_subnet(
    smp_client by, managed_subnet& of, port_policy const& policy, switch_tables& written, smp_work_options how)
{
    write_report report;
    for (auto const pass : {port_pass::arm, port_pass::activate}) {
        orders all{of, written, report};
        for (topology::node_index i = 0; i != of.found.fabric.size(); ++i) {
            order_ports(all.list(), of, i, policy, pass);
            if (pass == port_pass::arm && of.is_switch(i))
                written.order(all.list(), of, of.switch_number(i));
            all.were_for(i);
        }
        if (auto const failed = co_await all.run(by, how); failed.code())
            co_return failed;
    }
    report.not_active = ports_not_active(of);
    if (report.not_active != 0)
        report.faults.push_back(std::to_string(report.not_active) + " ports with cables are not Active");
    co_return report;
}

asio::awaitable<result<write_report>> write_groups(smp_client by, managed_subnet& of,
    engine::multicast_registry const& groups, switch_tables& written, smp_work_options how)
{
    write_report report;
    multicast_trees trees{of};
    trees.add(groups);
    orders all{of, written, report};
    for (unsigned s = 0; s != of.switches.size(); ++s) {
        written.order_groups(all.list(), of, s, std::move(trees.blocks()[s]));
        all.were_for(of.switches[s]);
    }
    if (auto const failed = co_await all.run(by, how); failed.code())
        co_return failed;
    co_return report;
}

} // namespace madrigal
