/* Asks subnet administration (IBA 15): records, tables of records, subscriptions, multicast groups.

     auto sa = sa_client::open(port).value();
     auto const path = co_await sa.async_get(
         record_query<path_record>{}.where<&path_record::sgid>(mine).where<&path_record::dgid>(theirs), {}, as_result);
     auto const switches = co_await sa.async_get_table(
         record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_), {}, as_result);

   Common questions have functions of their own in sa_queries.hpp. GetMulti(MultiPathRecord) is not there, since that
   record has no fixed layout. */
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/detail/sa_waiter.hpp>
#include <madrigal/fabric/sa_membership.hpp>
#include <madrigal/fabric/sa_options.hpp>
#include <madrigal/fabric/sa_question.hpp>
#include <madrigal/fabric/sa_record_reader.hpp>
#include <madrigal/fabric/sa_subscription.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/wire/attributes/class_port_info.hpp>

#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace madrigal {

namespace detail {
class sa_core;
[[nodiscard]] asio::any_io_executor const& sa_loop(sa_core const& of) noexcept;
void sa_ask(std::shared_ptr<sa_core> const& of, sa_question const& what, sa_waiter_ptr<received_mad> waiter,
    asio::cancellation_slot slot);
void sa_ask_each(std::shared_ptr<sa_core> const& of, sa_question const& what, std::shared_ptr<sa_record_reader> reader,
    sa_waiter_ptr<std::size_t> waiter, asio::cancellation_slot slot);
void sa_subscribe(std::shared_ptr<sa_core> const& of, inform_info const& wanted, sa_request_options const& how,
    sa_waiter_ptr<sa_subscription> waiter, asio::cancellation_slot slot);
void sa_join(std::shared_ptr<sa_core> const& of, record_query<mc_member_record> const& wanted,
    sa_request_options const& how, sa_waiter_ptr<sa_membership> waiter, asio::cancellation_slot slot);
void sa_reregister(std::shared_ptr<sa_core> const& of, sa_waiter_ptr<sa_nothing> waiter, asio::cancellation_slot slot);
void sa_close(std::shared_ptr<sa_core> const& of, sa_waiter_ptr<sa_nothing> waiter);
} // namespace detail

/// What a client has met since it was opened.
struct sa_counters {
    std::uint64_t busy = 0;         ///< answers that said that subnet administration is busy
    std::uint64_t redirections = 0; ///< followed
    std::uint64_t reports = 0;      ///< received
    std::uint64_t renewals = 0;     ///< of subscriptions and memberships, that succeeded
};

/// A client of the subnet administration that a port's subnet manager has. Copies share it. For the loop's thread, or
/// while the loop does not run.
///
/// Each question begins with a look at the port: it goes to the LID and on the service level of the subnet manager that
/// is there then. Where subnet administration is busy the question is put again, at growing intervals; where it sends
/// its clients elsewhere (a redirection, IBA 13.5.2) it is followed, and later questions go there at once, until one of
/// them gets no answer or the subnet manager has moved.
///
/// Subscriptions and memberships are renewed when the port's LID, GID or subnet manager has changed, or the port has
/// been down; the client looks every `sa_options::watch_interval`, and with each question. What it cannot see is a
/// subnet manager that was started again in the same place: that one sets ClientReregister in the port's PortInfo,
/// which the Linux kernel tells nobody through umad files. A program that learns of it (from libibverbs'
/// IBV_EVENT_CLIENT_REREGISTER and IBV_EVENT_SM_CHANGE, for example) calls `async_reregister`; one that does not may
/// have `sa_options::renew_interval`.
class sa_client {
public:
    sa_client() noexcept = default;
    /// Registers an agent on a port: class 0x03, version 2. Errors: those of `port::register_agent`;
    /// errc::invalid_argument for options that cannot be followed.
    [[nodiscard]] static result<sa_client> open(port const& on, sa_options const& options = sa_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Asks byte by byte.
    ///
    /// @par Completion signature
    /// `void(error_code, received_mad)`; with `as_result` a `result<received_mad>`, whose error says what was asked of
    /// whom.
    /// @par Completion condition
    /// A good answer has come, whole; or one of the errors has happened. A question that waits for a place waits
    /// without a limit, as its total time begins when it has one. Never before this function has returned.
    /// @par Errors
    /// - errc::no_subnet_manager: the port has no LID, or no subnet manager; at once.
    /// - the answer's MAD status (see `make_mad_status`), with the names of mad_status::sa_no_records and so on;
    ///   mad_status::busy where subnet administration was busy until the time was up.
    /// - errc::timeout: nobody has answered.
    /// - errc::malformed_answer: an answer that is none to this question, or too short.
    /// - errc::too_many_redirections: after `sa_redirection_limit` of them; errc::redirected_to_gid,
    ///   errc::unusable_redirection.
    /// - errc::invalid_argument: a timeout of nothing.
    /// - errc::message_too_long, and what becomes of RMPP transfers: `engine::rmpp_category`.
    /// - errc::queue_full, errc::device_gone, errc::agent_closed, operation_aborted, and the kernel's errno for a
    ///   refused write.
    /// @par Cancellation
    /// As for the requests of `agent`; between two transmissions, and while it waits for a place, every type.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run. The handler is called on its own executor, or on the loop if
    /// it has none.
    template <asio::completion_token_for<void(error_code, received_mad)> Token>
    auto async_request(sa_question const& what, Token&& token) const
    {
        return ask<received_mad, detail::sa_waits_for<received_mad>>(what, std::forward<Token>(token));
    }

    /// Get: the one record that has the components that count.
    ///
    /// @par Completion signature
    /// `void(error_code, T)`; with `as_result` a `result<T>`.
    /// @par Completion condition
    /// As of `async_request`.
    /// @par Errors
    /// As of `async_request`. Where there is no such record, MAD status sa_no_records; where there are several,
    /// sa_too_many_records.
    /// @par Cancellation
    /// As of `async_request`.
    /// @par Thread safety
    /// As of `async_request`.
    template <wire_layout T, asio::completion_token_for<void(error_code, T)> Token>
    auto async_get(record_query<T> const& what, sa_request_options const& how, Token&& token) const
    {
        return ask_for_one(method::get, what, how, std::forward<Token>(token));
    }
    /// GetTable: all records that have the components that count. That there are none is no error.
    ///
    /// @par Completion signature
    /// `void(error_code, std::vector<T>)`; with `as_result` a `result<std::vector<T>>`.
    /// @par Completion condition
    /// As of `async_request`.
    /// @par Errors
    /// As of `async_request`, without sa_no_records; errc::malformed_answer names the record that is cut short.
    /// @par Cancellation
    /// As of `async_request`.
    /// @par Thread safety
    /// As of `async_request`.
    template <wire_layout T, asio::completion_token_for<void(error_code, std::vector<T>)> Token>
    auto async_get_table(record_query<T> const& what, sa_request_options const& how, Token&& token) const
    {
        return ask<std::vector<T>, detail::sa_reads<detail::sa_all_records<T>>>(
            make_sa_question(method::get_table, what, how), std::forward<Token>(token));
    }
    /// GetTable, record by record: `on_record` is called on the loop's thread with each as it comes, so that a table of
    /// any length takes no memory. Where the kernel does RMPP (`sa_options::user_rmpp`) they come all at once, at the
    /// end. `on_record` may use the client, and close it.
    ///
    /// @par Completion signature
    /// `void(error_code, std::size_t)`, the number of records; with `as_result` a `result<std::size_t>`. With an error
    /// it is how many had come by then.
    /// @par Completion condition
    /// As of `async_request`, after the last record.
    /// @par Errors
    /// As of `async_get_table`. Once a record has come the question is not put again.
    /// @par Cancellation
    /// As of `async_request`. A record may still come until it has completed.
    /// @par Thread safety
    /// As of `async_request`.
    template <wire_layout T, asio::completion_token_for<void(error_code, std::size_t)> Token>
    auto async_for_each(record_query<T> const& what, sa_request_options const& how,
        std::function<void(T const&)> on_record, Token&& token) const
    {
        auto reader = std::make_shared<sa_record_reader>(T::layout,
            [on_record = std::move(on_record)](std::span<std::byte const> bytes) { on_record(*decode<T>(bytes)); });
        return detail::initiate_sa<std::size_t, detail::sa_waits_for<std::size_t>>(detail::sa_loop(*core_),
            std::forward<Token>(token),
            [core = core_, asked = make_sa_question(method::get_table, what, how), reader = std::move(reader)](
                auto waiter, auto slot) { detail::sa_ask_each(core, asked, reader, std::move(waiter), slot); });
    }
    /// Set: makes or changes the record; completes with what it is now. Otherwise as `async_get`.
    ///
    /// Completion signature: `void(error_code, T)`. Errors: those of `async_request`.
    template <wire_layout T, asio::completion_token_for<void(error_code, T)> Token>
    auto async_set(record_query<T> const& what, sa_request_options const& how, Token&& token) const
    {
        return ask_for_one(method::set, what, how, std::forward<Token>(token));
    }
    /// Delete: removes the record; completes with what it was. Otherwise as `async_get`.
    ///
    /// Completion signature: `void(error_code, T)`. Errors: those of `async_request`.
    template <wire_layout T, asio::completion_token_for<void(error_code, T)> Token>
    auto async_delete(record_query<T> const& what, sa_request_options const& how, Token&& token) const
    {
        return ask_for_one(method::delete_, what, how, std::forward<Token>(token));
    }
    /// ClassPortInfo of subnet administration: what it can (`capability_names`). Where it names another place to ask,
    /// later questions go there. Otherwise as `async_get`.
    ///
    /// Completion signature: `void(error_code, class_port_info)`. Errors: those of `async_request`.
    template <asio::completion_token_for<void(error_code, class_port_info)> Token>
    auto async_class_port_info(sa_request_options const& how, Token&& token) const
    {
        return ask_for_one(method::get, record_query<class_port_info>{}, how, std::forward<Token>(token));
    }

    /// Subscribes to notices: `inform_about(trap_number::gid_in_service)`. Its member `subscribe` does not count.
    ///
    /// The first one registers another agent, for the method Report, which only one program may have on a port.
    ///
    /// @par Completion signature
    /// `void(error_code, sa_subscription)`; with `as_result` a `result<sa_subscription>`.
    /// @par Completion condition
    /// Subnet administration has accepted it, or one of the errors has happened. Never before this function has
    /// returned.
    /// @par Errors
    /// As of `async_request`; those of `port::register_agent`, errc::registration_refused where another program has
    /// the reports.
    /// @par Cancellation
    /// As of `async_request`. Subnet administration may hold the subscription then; it is ended in the background.
    /// @par Thread safety
    /// As of `async_request`.
    template <asio::completion_token_for<void(error_code, sa_subscription)> Token>
    auto async_subscribe(inform_info const& wanted, sa_request_options const& how, Token&& token) const
    {
        return detail::initiate_sa<sa_subscription, detail::sa_waits_for<sa_subscription>>(
            detail::sa_loop(*core_), std::forward<Token>(token), [core = core_, wanted, how](auto waiter, auto slot) {
                detail::sa_subscribe(core, wanted, how, std::move(waiter), slot);
            });
    }
    /// Joins a multicast group, or makes one: Set(MCMemberRecord). PortGID is the port's own GID and JoinState full
    /// member where the caller has not made them count.
    ///
    ///     auto group = co_await sa.async_join(
    ///         record_query<mc_member_record>{}.where<&mc_member_record::mgid>(all_nodes), {}, as_result);
    ///
    /// @par Completion signature
    /// `void(error_code, sa_membership)`; with `as_result` a `result<sa_membership>`.
    /// @par Completion condition
    /// Subnet administration has accepted it, or one of the errors has happened. Never before this function has
    /// returned.
    /// @par Errors
    /// As of `async_request`.
    /// @par Cancellation
    /// As of `async_request`. The port may be a member then; it leaves in the background.
    /// @par Thread safety
    /// As of `async_request`.
    template <asio::completion_token_for<void(error_code, sa_membership)> Token>
    auto async_join(record_query<mc_member_record> const& wanted, sa_request_options const& how, Token&& token) const
    {
        return detail::initiate_sa<sa_membership, detail::sa_waits_for<sa_membership>>(
            detail::sa_loop(*core_), std::forward<Token>(token), [core = core_, wanted, how](auto waiter, auto slot) {
                detail::sa_join(core, wanted, how, std::move(waiter), slot);
            });
    }

    /// Renews all subscriptions and memberships: to be called when the program has learnt that the subnet manager asks
    /// its clients to register again.
    ///
    /// @par Completion signature
    /// `void(error_code)`; with `as_result` a `result<void>`.
    /// @par Completion condition
    /// All that there were at the call have been renewed or tried. One that was being renewed just then is renewed once
    /// more, which is not waited for. Never before this function has returned.
    /// @par Errors
    /// The first one of those of `async_request`. What could not be renewed is tried again later, by itself.
    /// @par Cancellation
    /// As of `async_request`.
    /// @par Thread safety
    /// As of `async_request`.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_reregister(Token&& token) const
    {
        return detail::initiate_sa<detail::sa_nothing, detail::sa_waits_for<detail::sa_nothing>>(
            detail::sa_loop(*core_), std::forward<Token>(token),
            [core = core_](auto waiter, auto slot) { detail::sa_reregister(core, std::move(waiter), slot); });
    }

    /// Ends all subscriptions and memberships, here at once, and there; then closes the agents.
    ///
    /// @par Completion signature
    /// `void(error_code)`; with `as_result` a `result<void>`.
    /// @par Completion condition
    /// Subnet administration has confirmed all of them or has been silent; after `sa_farewell_limit` at the latest.
    /// Questions under way have ended with errc::agent_closed. Never before this function has returned.
    /// @par Errors
    /// errc::timeout and the others of `async_request`: the first one. It is closed in any case.
    /// @par Cancellation
    /// None: it never waits for longer.
    /// @par Thread safety
    /// As of `async_request`.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_close(Token&& token) const
    {
        return detail::initiate_sa<detail::sa_nothing, detail::sa_waits_for<detail::sa_nothing>>(
            detail::sa_loop(*core_), std::forward<Token>(token),
            [core = core_](auto waiter, auto) { detail::sa_close(core, std::move(waiter)); });
    }
    /// Closes the agents at once: every operation ends with errc::agent_closed, and subnet administration is not told.
    void close() const noexcept;

    /// The port that asks.
    [[nodiscard]] port const& on() const noexcept;
    /// The agent that asks.
    [[nodiscard]] agent const& over() const noexcept;
    [[nodiscard]] sa_counters const& counters() const noexcept;
    /// Where later questions go because of a redirection; nothing where they go to the subnet manager.
    [[nodiscard]] std::optional<destination> redirected_to() const;

private:
    explicit sa_client(std::shared_ptr<detail::sa_core> core) noexcept : core_{std::move(core)} {}

    template <class Value, class Waiter, class Token>
    auto ask(sa_question const& what, Token&& token) const
    {
        return detail::initiate_sa<Value, Waiter>(detail::sa_loop(*core_), std::forward<Token>(token),
            [core = core_, what](auto waiter, auto slot) { detail::sa_ask(core, what, std::move(waiter), slot); });
    }
    template <wire_layout T, class Token>
    auto ask_for_one(method how_asked, record_query<T> const& what, sa_request_options const& how, Token&& token) const
    {
        return ask<T, detail::sa_reads<detail::sa_one_record<T>>>(
            make_sa_question(how_asked, what, how), std::forward<Token>(token));
    }

    std::shared_ptr<detail::sa_core> core_;
};

} // namespace madrigal
