// A subnet administration as small as tests allow: tables that it is given, and the ways in which it misbehaves.
#pragma once

#include <madrigal/fabric/sa_subscription.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/wire/sa.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace madrigal::testing {

/// A subscription to notices as subnet administration keeps it.
struct kept_subscription {
    destination who;
    inform_info wanted;
};

/// What subnet administration knows. Two of them may share it.
struct sa_tables {
    std::vector<node_record> nodes;
    std::vector<path_record> paths;
    std::vector<port_info_record> port_infos;
    std::vector<link_record> links;
    std::vector<service_record> services;
    std::vector<mc_member_record> members;
    std::vector<kept_subscription> subscriptions;
};

/// Node number `number` of a made-up subnet, whose every tenth node is a switch.
[[nodiscard]] node_record made_node(std::uint32_t number);
/// So many of them, from number 0 on.
[[nodiscard]] std::vector<node_record> made_nodes(std::uint32_t count);

/// One question that has arrived.
struct heard_question {
    time_point at{};
    method ask{};
    std::uint16_t attribute_id = 0;
    std::uint64_t mask = 0;
    std::uint64_t sm_key = 0;
    std::uint8_t sl = 0;
    lid source;
    std::uint64_t transaction_id = 0;
    std::array<std::byte, sa_data_size> data{};

    template <wire_layout T>
    [[nodiscard]] record_query<T> query() const
    {
        return {*decode<T>(data), component_mask<T>::from_value(mask)};
    }
};

/// How it sends what is long.
struct minimal_sa_options {
    bool user_rmpp = false;
    agent_options agent{};
};

/// Serves subnet administration on a port, for as long as it lives.
class minimal_sa {
public:
    explicit minimal_sa(port const& on, minimal_sa_options const& options = {},
        std::shared_ptr<sa_tables> tables = std::make_shared<sa_tables>());
    ~minimal_sa();

    /// What it knows.
    [[nodiscard]] sa_tables& tables() const noexcept;

    // How it misbehaves; all of it is off at first.
    struct manner {
        bool silent = false;
        unsigned busy = 0;                             ///< so many answers say that it is
        std::uint16_t status = 0;                      ///< of every answer
        std::optional<class_port_info> redirect;       ///< every answer sends there
        unsigned redirections = 1'000'000;             ///< so many of them
        bool redirects_as_class_port_info = false;     ///< such an answer has the attribute id of its data
        std::optional<class_port_info> class_info;     ///< what Get(ClassPortInfo) is answered
        std::optional<std::uint16_t> attribute_offset; ///< of tables, instead of the right one
        std::size_t cut = 0;                           ///< so many bytes are missing at the end of tables
        bool empty_tables_have_status = true;          ///< sa_no_records; a table without records otherwise
        bool answers_with_get_response = false;        ///< whatever the method
    };
    [[nodiscard]] manner& how() const noexcept;

    /// All questions since it began.
    [[nodiscard]] std::vector<heard_question> const& heard() const noexcept;
    /// Of these, those with this method and attribute.
    [[nodiscard]] std::size_t heard(method ask, std::uint16_t attribute) const;

    /// How those answers have failed that did.
    [[nodiscard]] std::vector<error_code> const& failed() const noexcept;

    /// Tells a notice to all who have subscribed to it; gives how many have answered.
    [[nodiscard]] asio::awaitable<std::size_t> tell(notice_report what);
    /// Forgets subscriptions and memberships, as one that has been started again.
    void forget() const;

    struct state;

private:
    std::shared_ptr<state> state_;
};

} // namespace madrigal::testing
