// The state of one sweep and its workers.
#pragma once

#include <madrigal/fabric/discover.hpp>
#include <madrigal/wire/attributes/mlnx_ext_port_info.hpp>
#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace madrigal::detail {

/// Index of a node in a sweep, in the order in which nodes were found: not the order of the result.
using found_index = std::uint32_t;
inline constexpr found_index not_found = 0xFFFF'FFFF;

/// A port of a node of a sweep.
struct found_end {
    found_index node = not_found;
    std::uint8_t port = 0;

    [[nodiscard]] explicit operator bool() const noexcept { return node != not_found; }
    friend bool operator==(found_end const&, found_end const&) = default;
};

enum class sweep_ask : std::uint8_t {
    behind, ///< NodeInfo of whoever is behind a port
    description,
    switch_info,
    clear_change, ///< Set(SwitchInfo), which takes PortStateChange back
    port_info,
    vendor_link, ///< MlnxExtPortInfo
    around,      ///< NodeInfo beyond the far end of a cable from a switch to itself
    other_port,  ///< PortInfo of a CA's port, asked through another one
};

struct sweep_question {
    found_index node = not_found;
    sweep_ask ask = sweep_ask::behind;
    std::uint8_t port = 0;
    std::uint8_t attempt = 0; ///< how often it has been asked before
};

enum class ask_state : std::uint8_t { not_asked, asked, answered, failed };

/// What has become of one question. Few fail: the reason takes memory only there.
template <class Attribute>
struct asked_attribute {
    Attribute value{};
    ask_state state = ask_state::not_asked;
    std::unique_ptr<error_code> why; ///< it failed

    void fail(error_code code)
    {
        state = ask_state::failed;
        why = std::make_unique<error_code>(code);
    }
    [[nodiscard]] error_code code() const noexcept { return why ? *why : error_code{}; }
};

/// The same of a question that is put to few ports: takes memory for those only.
template <class Attribute>
class rarely_asked {
public:
    /// What has become of it, also where it was never asked.
    [[nodiscard]] asked_attribute<Attribute> const& get() const noexcept
    {
        static asked_attribute<Attribute> const never_asked{};
        return asked_ ? *asked_ : never_asked;
    }
    /// The same, to be changed.
    [[nodiscard]] asked_attribute<Attribute>& make()
    {
        if (!asked_)
            asked_ = std::make_unique<asked_attribute<Attribute>>();
        return *asked_;
    }

private:
    std::unique_ptr<asked_attribute<Attribute>> asked_;
};

struct found_port {
    asked_attribute<port_info> info;
    asked_attribute<node_info> behind;
    rarely_asked<mlnx_ext_port_info> vendor;
    found_end reached_from;             ///< CAs and routers: the port that leads here first
    bool looked_again = false;          ///< asked once more who is behind, as answers contradicted each other
    std::uint8_t denials = 0;           ///< how often it was asked whether the far end really knows of no link
    found_end leads_to;                 ///< as `connect` makes it out of the answers
    rarely_asked<node_info> around;     ///< what `verify` asked about a cable from a switch to itself
    rarely_asked<port_info> other_port; ///< what `verify` asked about a CA's further port
    std::uint8_t witness = 0;           ///< the port by which either was asked
    bool verified_again = false;

    [[nodiscard]] bool has_link() const noexcept
    {
        return info.state == ask_state::answered && info.value.state >= port_state::init &&
               info.value.state <= port_state::active;
    }
};

struct found_node {
    node_info info;
    directed_route route;
    std::uint8_t entry_port = 0;
    unsigned hops = 0; ///< at most `route.hops()`: another way may be shorter than that by which it was found
    asked_attribute<node_description> description;
    asked_attribute<madrigal::switch_info> switch_info;
    std::vector<found_port> ports;       ///< index is the port number; a switch's port 0 too
    std::vector<sweep_question> waiting; ///< few: taken from the front; no memory once all are
    unsigned asking = 0;                 ///< of its own questions under way
    bool in_line = false;                ///< stands in `sweep::ready_`
    bool no_vendor = false;              ///< it does not know the maker's attribute

    [[nodiscard]] bool is_switch() const noexcept { return info.type == node_type::switch_; }
};

/// One sweep. `run` is called once. All of it belongs to the loop.
///
/// Workers take questions one by one: first who is behind a port, then what is waiting at the nodes, one node after
/// the other, then what has failed before. When nothing is left, `settle` compares what the two ends of each cable
/// say; where they contradict each other both are asked again, and if they insist, there are two nodes with one GUID.
/// At last `verify` makes sure that what looks like one node is not two with one GUID.
class sweep {
public:
    sweep(smp_client over, discover_options options, asio::any_io_executor const& executor);

    [[nodiscard]] asio::awaitable<result<discovery>> run();

private:
    // sweep.cpp: workers and their queue
    asio::awaitable<result<void>> ask_local();
    asio::awaitable<void> work();
    asio::awaitable<error_code> ask(sweep_question asked);
    [[nodiscard]] std::optional<sweep_question> take();
    void put_in_line(found_index node);
    void push(sweep_question const& asked);
    void wake();
    void stop();
    void done(sweep_question const& asked, error_code code);
    [[nodiscard]] std::uint64_t key_for(directed_route const& to, guid node) const;
    [[nodiscard]] request_options terms(directed_route const& to, guid node) const;
    [[nodiscard]] directed_route route_of(sweep_question const& asked) const;
    [[nodiscard]] time_point now() const;
    void report_progress();

    // sweep_answers.cpp: what answers lead to
    found_index add(node_info const& info, directed_route const& route, found_end from);
    void on_behind(sweep_question const& asked, node_info const& info);
    void on_switch_info(found_index node, switch_info const& info);
    void on_port_info(sweep_question const& asked, port_info const& info);
    void on_failure(sweep_question const& asked, error_code code);
    void look_behind(found_index node, std::uint8_t port);
    [[nodiscard]] bool may_look_behind(found_node const& node, std::uint8_t port) const noexcept;
    void ask_port(found_index node, std::uint8_t port);
    void ask_ports(found_index node);
    /// The nodes found so far with this GUID.
    [[nodiscard]] std::vector<found_index> const& of_guid(guid value) const;

    // sweep_map.cpp: cables out of answers
    [[nodiscard]] bool settle();
    [[nodiscard]] bool connect();
    [[nodiscard]] found_index match(found_end claim, bool agreed) const;
    [[nodiscard]] bool look_again(found_end claim);
    [[nodiscard]] bool look_at_denial(found_end claim);
    /// A switch that was asked and says that there is no link at this port.
    [[nodiscard]] static bool says_no_link(found_node const& node, std::uint8_t port);
    void look_again_behind(found_end end);
    [[nodiscard]] std::vector<found_index> walk(
        std::vector<directed_route>& routes, std::vector<std::uint8_t>& entry_ports) const;
    [[nodiscard]] bool shorten();

    // sweep_verify.cpp: two nodes that look like one
    [[nodiscard]] bool verify();
    [[nodiscard]] bool verify_loop(found_index index, std::uint8_t number);
    [[nodiscard]] bool verify_ports(found_index index);
    [[nodiscard]] bool is_shared(guid value) const { return of_guid(value).size() > 1; }
    /// A cable with both ends at one node, of which nothing proves that there are not two nodes.
    [[nodiscard]] bool is_doubtful_loop(found_index index, std::uint8_t number) const;
    /// A port of a CA that is cabled, though the CA itself says through another port that it is down.
    [[nodiscard]] bool is_denied(found_index index, std::uint8_t number) const;
    /// Whether nodes with one GUID are cabled so that others might be meant by the same answers.
    [[nodiscard]] bool is_ambiguous(found_index index) const;

    // sweep_report.cpp: the result
    /// The result; takes the nodes apart on the way, so that they are not in memory twice.
    [[nodiscard]] discovery report();
    void report_node(discovery& to, topology::node_index as, found_node const& node) const;
    void report_guids(discovery& to, std::vector<found_index> const& order) const;
    void add_doubts(discovery const& in, std::vector<found_index> const& order, std::size_t place,
        std::vector<directed_route>& routes) const;

    smp_client over_;
    discover_options options_;
    asio::steady_timer work_; // never expires: cancelled when there is something to take
    asio::steady_timer idle_; // never expires: cancelled when nothing is left, or a worker has ended

    std::deque<found_node> nodes_;
    std::unordered_map<std::uint64_t, std::vector<found_index>> by_guid_;
    std::deque<sweep_question> looks_;
    std::deque<found_index> ready_;
    std::deque<sweep_question> again_;
    std::size_t waiting_ = 0; // questions in all queues
    std::size_t under_way_ = 0;
    std::size_t workers_ = 0;
    std::size_t parked_ = 0;
    std::size_t ends_seen_ = 0;
    bool stopping_ = false;
    error_code fatal_;
    std::exception_ptr thrown_;
    sweep_statistics statistics_;
};

} // namespace madrigal::detail
