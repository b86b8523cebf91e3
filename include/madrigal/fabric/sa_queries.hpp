// Questions that are asked often. Completion, errors, cancellation and thread safety are those of
// `sa_client::async_get` where one record is asked for, and of `async_get_table` where all are.
#pragma once

#include <madrigal/fabric/sa_client.hpp>
#include <madrigal/wire/attributes/link_record.hpp>
#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/path_record.hpp>
#include <madrigal/wire/attributes/port_info_record.hpp>
#include <madrigal/wire/attributes/service_record.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace madrigal {

/// A reversible path from one GID to another; reversible ones are what answers need.
[[nodiscard]] constexpr record_query<path_record> path_between(gid const& from, gid const& to) noexcept
{
    return record_query<path_record>{}
        .where<&path_record::sgid>(from)
        .where<&path_record::dgid>(to)
        .where<&path_record::reversible>(true);
}
/// A reversible path from one LID to another.
[[nodiscard]] constexpr record_query<path_record> path_between(lid from, lid to) noexcept
{
    return record_query<path_record>{}
        .where<&path_record::slid>(from)
        .where<&path_record::dlid>(to)
        .where<&path_record::reversible>(true);
}
/// All services of a name.
[[nodiscard]] constexpr record_query<service_record> services_named(std::string_view name) noexcept
{
    return record_query<service_record>{}.where<&service_record::service_name>(fixed_text<64>{name});
}

/// A path between two GIDs: `void(error_code, path_record)`.
template <asio::completion_token_for<void(error_code, path_record)> Token>
auto async_path(sa_client const& with, gid const& from, gid const& to, sa_request_options const& how, Token&& token)
{
    return with.async_get(path_between(from, to), how, std::forward<Token>(token));
}
/// A path between two LIDs: `void(error_code, path_record)`.
template <asio::completion_token_for<void(error_code, path_record)> Token>
auto async_path(sa_client const& with, lid from, lid to, sa_request_options const& how, Token&& token)
{
    return with.async_get(path_between(from, to), how, std::forward<Token>(token));
}
/// A path from the client's own port, whose GID has the prefix that its subnet has now: `void(error_code,
/// path_record)`.
template <asio::completion_token_for<void(error_code, path_record)> Token>
auto async_path_to(sa_client const& with, gid const& to, sa_request_options const& how, Token&& token)
{
    // Where the port cannot be read the question says so.
    auto const own = with.on().query_subnet();
    return with.async_get(path_between(own ? own.value().first_gid : gid{}, to), how, std::forward<Token>(token));
}
/// The node that has a LID: `void(error_code, node_record)`.
template <asio::completion_token_for<void(error_code, node_record)> Token>
auto async_node(sa_client const& with, lid at, sa_request_options const& how, Token&& token)
{
    return with.async_get(
        record_query<node_record>{}.where<&node_record::base_lid>(at), how, std::forward<Token>(token));
}
/// Every node, once for each of its end ports: `void(error_code, std::vector<node_record>)`.
template <asio::completion_token_for<void(error_code, std::vector<node_record>)> Token>
auto async_all_nodes(sa_client const& with, sa_request_options const& how, Token&& token)
{
    return with.async_get_table(record_query<node_record>{}, how, std::forward<Token>(token));
}
/// Every switch: `void(error_code, std::vector<node_record>)`.
template <asio::completion_token_for<void(error_code, std::vector<node_record>)> Token>
auto async_all_switches(sa_client const& with, sa_request_options const& how, Token&& token)
{
    return with.async_get_table(
        record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_), how,
        std::forward<Token>(token));
}
/// Every link, in both directions: `void(error_code, std::vector<link_record>)`.
template <asio::completion_token_for<void(error_code, std::vector<link_record>)> Token>
auto async_all_links(sa_client const& with, sa_request_options const& how, Token&& token)
{
    return with.async_get_table(record_query<link_record>{}, how, std::forward<Token>(token));
}
/// Every port of every node: `void(error_code, std::vector<port_info_record>)`.
template <asio::completion_token_for<void(error_code, std::vector<port_info_record>)> Token>
auto async_all_ports(sa_client const& with, sa_request_options const& how, Token&& token)
{
    return with.async_get_table(record_query<port_info_record>{}, how, std::forward<Token>(token));
}

} // namespace madrigal
