// What a sweep found, what it missed, and what it cost.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/topology/fabric.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>
#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace madrigal {

/// What is wrong with a fabric, or with what is known of it.
enum class problem_kind : std::uint8_t {
    unanswered,       ///< a question about a node or port; `attribute` tells which
    no_answer_behind, ///< a port has a link, but whoever is at its other end does not answer
    too_far,          ///< a port leads on, but a directed route cannot have more than 63 hops
    changed,          ///< a cable was moved during the sweep, and where it leads now is not known
    duplicate_guid,   ///< several nodes with one node GUID; each of them is swept, unless `missing` is set: then they
                      ///< cannot be told apart for certain, and nodes or cables may be missing or listed twice
    left_out,         ///< a node beyond `discover_options::max_nodes`, or beyond those of one GUID that are told apart
    zero_guid,        ///< a node whose GUID is 0
};

/// One of them.
struct sweep_problem {
    problem_kind kind = problem_kind::unanswered;
    bool missing = false;               ///< the topology lacks something because of it
    directed_route route;               ///< to the node that it is about
    guid node;                          ///< that node's GUID
    std::string description;            ///< that node's description, as far as it is known
    std::uint8_t port = 0;              ///< the port that it is about; 0 the node or a switch's port 0
    std::uint16_t attribute = 0;        ///< the question, where it is about one
    error_code code;                    ///< what its last attempt ended with
    std::vector<directed_route> routes; ///< of all nodes with a duplicate GUID
    std::string hint;                   ///< what may help; empty where nothing is known
};

/// One sentence: `no answer behind port 7 of S-0002c90200419cb8 "leaf 3" by directed route 0,1,7: …`
[[nodiscard]] std::string to_string(sweep_problem const& problem);

/// What a sweep cost.
struct sweep_statistics {
    std::uint64_t questions = 0;   ///< SMPs that the sweep sent, repeated questions included
    std::uint64_t smps_sent = 0;   ///< the same and what the kernel repeated of those that were never answered
    std::uint64_t answers = 0;     ///< with whatever status
    std::uint64_t refused = 0;     ///< answers with a status other than 0
    std::uint64_t timeouts = 0;    ///< questions that ended without an answer
    std::uint64_t asked_again = 0; ///< questions repeated by the sweep
    duration elapsed{};

    /// Questions per second; 0 where no time has passed.
    [[nodiscard]] double per_second() const noexcept;
};

/// What a node has said of itself, as it said it: for who goes on managing it.
struct node_attributes {
    node_info info;
    madrigal::switch_info switch_info; ///< of a switch
    /// By port number, from 0 on. Of a port that was not asked, or has not answered, all is 0, its state too; of CAs
    /// and routers only ports with a cable are asked.
    std::vector<port_info> ports;
};

/// A fabric as a sweep found it. The nodes stand in the order of a breadth-first walk from where it began, ports
/// ascending, whatever the order of the answers was.
struct discovery {
    topology::fabric fabric;
    /// The shortest way to each node, as it stands in `fabric.nodes()`.
    std::vector<directed_route> routes;
    /// The port that each node is entered by on that way; of the first node the one that the sweep left by (0: a
    /// switch).
    std::vector<std::uint8_t> entry_ports;
    /// Of each node, where `discover_options::keep_attributes` is set; else empty.
    std::vector<node_attributes> attributes;
    /// In the order of the nodes.
    std::vector<sweep_problem> problems;
    sweep_statistics statistics;

    /// True where everything that was asked has been answered, and no nodes are mixed up because of their GUIDs.
    [[nodiscard]] bool complete() const noexcept;
    /// errc::incomplete_sweep, with what is missing as its context, or no error.
    [[nodiscard]] error check() const;
};

} // namespace madrigal
