// Work lists of SMPs: "for every switch, write these forwarding blocks".
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/smp.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace madrigal {

/// One SMP for a node: what is asked, and the attribute's bytes for a Set. Numbers in host byte order.
struct smp_order {
    method ask = method::get;
    std::uint16_t attribute_id = 0;
    std::uint32_t modifier = 0;
    std::array<std::byte, smp_data_size> data{};

    /// Get(Attribute).
    template <class Attribute>
    [[nodiscard]] static smp_order get(std::uint32_t modifier = 0) noexcept
    {
        return {method::get, Attribute::layout.id, modifier, {}};
    }
    /// Set(Attribute) to this value.
    template <class Attribute>
    [[nodiscard]] static smp_order set(Attribute const& value, std::uint32_t modifier = 0) noexcept
    {
        smp_order order{method::set, Attribute::layout.id, modifier, {}};
        (void)encode(value, order.data);
        return order;
    }
};

/// An SMP of a list that was not done.
struct smp_failure {
    std::size_t job = 0; ///< of which node, in the order of `smp_work::add`
    destination to;
    smp_question asked;
    error_code code;
};
/// `Set(LinearForwardingTable, 3) of directed route 0,1: …`
[[nodiscard]] std::string to_string(smp_failure const& failure);

/// What became of a work list.
struct smp_work_report {
    std::uint64_t done = 0;            ///< answered with status 0
    std::uint64_t failed = 0;          ///< refused, or not answered in any attempt
    std::uint64_t skipped = 0;         ///< nodes that were given up before all of their SMPs had been sent
    std::uint64_t smps_sent = 0;       ///< what the kernel repeated of those never answered included, as far as
                                       ///< `smp_work_options::how` says how often it does
    std::vector<smp_failure> failures; ///< the first of them, as many as `smp_work_options::keep_failures`
    std::vector<std::size_t> given_up; ///< jobs of the nodes that were given up, in the order in which they were

    /// Everything has been done.
    [[nodiscard]] bool complete() const noexcept { return failed == 0 && skipped == 0; }
};

/// How a work list is done.
struct smp_work_options {
    smp_work_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice in a `co_await`

    /// SMPs handed to the client at a time: no fewer than its window should ever hold.
    unsigned at_once = 512;
    unsigned per_node = 4;          ///< of them to one node; 0: no limit
    unsigned timeouts_per_node = 1; ///< a node that has left so many unanswered is given up; 0: never
    /// How often an SMP is asked in all, at least 1. What was not answered, and nodes that were given up, have another
    /// turn when everything else is done: a link that loses packets is to cost those packets, not the list.
    unsigned attempts = 1;
    std::size_t keep_failures = 1000;
    /// Asked before each SMP: false ends the work, which then fails with operation_aborted. Always true where empty.
    std::function<bool()> go_on{};
    request_options how{}; ///< timeout, retries: the client's where they are not set. M_Key 0: the client's table's
};

/// SMPs for many nodes, made one by one as there is room for them: a list takes memory for its nodes and for what is
/// under way. The nodes take turns, so that no one of them gets a burst while others wait.
///
///     smp_work work;
///     for (auto const& one : switches)
///         work.add(one.route, one.guid, [&one, block = 0U]() mutable -> std::optional<smp_order> {
///             if (block == one.blocks.size())
///                 return std::nullopt;
///             auto const number = block++;
///             return smp_order::set(one.blocks[number], number);
///         });
///     auto const report = co_await work.run(client);
class smp_work {
public:
    /// The next SMP for a node, or nothing where there are no more; not called again then.
    using source = std::function<std::optional<smp_order>()>;
    /// Called on the loop with each answer of status 0. `job` is that of `add`.
    using answered = std::function<void(std::size_t job, smp_order const& order, mad_view answer)>;

    /// Adds a node and what is to be asked of it. Its SMPs are asked in their order, though `per_node` of them at a
    /// time, and jobs for one node one after the other. `node`, its GUID, tells which jobs are for one node, and
    /// chooses the M_Key; 0 where it is not known. Returns the number of this job: 0, 1, 2 …
    std::size_t add(destination const& to, guid node, source next);
    /// The same for a single SMP.
    std::size_t add(destination const& to, guid node, smp_order const& order);
    [[nodiscard]] std::size_t size() const noexcept { return jobs_.size(); }
    [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }

    /// Does the work, once. The sources are called on the loop and must live until this has ended.
    ///
    /// Errors: errc::device_gone, errc::agent_closed, errc::queue_full (the agent's queue is too short for
    /// `at_once`), errc::invalid_argument; operation_aborted when cancelled (any type that the coroutine lets through):
    /// what is on the wire then stays there, and its outcome is not looked at. What single SMPs come to is in the
    /// report. What a source or `on_answer` throws is thrown here, and ends the list in the same way. To be run on the
    /// loop.
    [[nodiscard]] asio::awaitable<result<smp_work_report>> run(
        smp_client over, smp_work_options options = smp_work_options{}, answered on_answer = nullptr);

private:
    struct job {
        destination to;
        guid node;
        source next;
    };
    struct running;

    std::vector<job> jobs_;
};

} // namespace madrigal
