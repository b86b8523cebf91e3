/* Serves subnet administration (IBA 15, class 0x03 version 2): what a subnet manager has for its clients.

     auto server = sa_server::open(port).value();
     server.serve<node_record>([&](sa_asked<node_record> const&, sa_records<node_record>& out) {
         for (auto const& node : nodes)
             if (!out.add(record_of(node)))
                 break;
         return mad_status::ok;
     });
     co_await server.run(); // until it is closed

   A handler that has to wait for something, or makes long tables, is a coroutine:

     server.serve<node_record>(
         [&](sa_asked<node_record> const& asked,
             sa_records<node_record>& out) -> asio::awaitable<std::uint16_t> {
             for (auto const& node : nodes)
                 if (!co_await out.yield(record_of(node)))
                     break;
             co_return mad_status::ok;
         });
*/
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/subnet/sa_asked.hpp>
#include <madrigal/subnet/sa_records.hpp>
#include <madrigal/subnet/sa_server_options.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace madrigal {

namespace detail {

class sa_server_core;

/// Answers at once.
template <class Handler, class T>
concept plain_handler = std::is_same_v < std::invoke_result_t < Handler&,
        sa_asked<T>
const&, sa_records<T>& >, std::uint16_t > ;
/// Is a coroutine.
template <class Handler, class T>
concept waiting_handler = std::is_same_v < std::invoke_result_t < Handler&,
        sa_asked<T>
const&, sa_records<T>& >, asio::awaitable < std::uint16_t >> ;

template <wire_layout T, class Handler>
asio::awaitable<std::uint16_t> run_handler(Handler& handler, sa_exchange& one)
{
    auto const query = one.query<T>();
    if (!query)
        co_return mad_status::sa_request_invalid;
    sa_asked<T> const asked{one, *query};
    sa_records<T> out{one, *query};
    auto const status = co_await handler(asked, out);
    if (status == mad_status::ok && one.stream())
        co_await one.flush();
    co_return status;
}

template <wire_layout T, class Handler>
[[nodiscard]] sa_responder make_handler(Handler handler)
{
    if constexpr (waiting_handler<Handler, T>)
        return {.at_once = {}, .in_time = [handler = std::move(handler)](sa_exchange& one) mutable {
                    return run_handler<T>(handler, one);
                }};
    else
        return {.at_once = [handler = std::move(handler)](sa_exchange& one) mutable -> std::uint16_t {
                    auto const query = one.query<T>();
                    if (!query)
                        return mad_status::sa_request_invalid;
                    sa_asked<T> const asked{one, *query};
                    sa_records<T> out{one, *query};
                    return handler(asked, out);
                },
            .in_time = {}};
}

} // namespace detail

/// Answers a question about records of type T: `std::uint16_t(sa_asked<T> const&, sa_records<T>&)`, which gives a
/// status of `mad_status`, or the same as a coroutine, `asio::awaitable<std::uint16_t>(…)`. May be called again while
/// it runs; copyable.
template <class Handler, class T>
concept sa_handler_of = std::copy_constructible<Handler> &&
    (detail::plain_handler<Handler, T> || detail::waiting_handler<Handler, T>);

/// A server of subnet administration on a port. Closed when it is destroyed. For the loop's thread, or while the loop
/// does not run.
///
/// Every question that arrives, but for those with a wrong SM_Key, is answered: by its handler, or at once with a
/// status.
///  - Another class version than 2: bad_version. A method or an attribute that has no handler:
///    unsupported_method_attribute. A question that is too short for its record: sa_request_invalid.
///  - A wrong SM_Key: dropped without an answer (C15-0.1.5), which would make guessing quick; counted, and logged at a
///    limited rate. No answer carries the key.
///  - More questions in work than may be, of all or from one LID (`sa_server_options::at_once`, `at_once_from_one`):
///  BUSY. What a plain handler answers in one MAD
///    is never in work, so it is never refused so.
///  - A handler that throws: sa_no_resources; logged, and no other question is disturbed.
///  - Questions in work when the server closes: BUSY; their handlers are cancelled.
/// While it is paused nothing is answered.
///
/// A question that comes again while it is in work is not worked twice: the one answer is for both.
///
/// Left to handlers: which records a client may see. Those about ports that share no partition with it are to be kept
/// from it (IBA 15.4.1); `sa_asked::asker` tells which port it is.
class sa_server {
public:
    sa_server() noexcept = default;
    explicit sa_server(std::shared_ptr<detail::sa_server_core> core) noexcept : core_{std::move(core)} {}
    sa_server(sa_server&&) noexcept = default;
    sa_server& operator=(sa_server&& other) noexcept;
    ~sa_server();

    /// Registers an agent for the methods of subnet administration. ClassPortInfo has a handler then, nothing else.
    /// What comes before `run` waits in the agent's inbox. Errors: those of `port::register_agent`,
    /// errc::registration_refused where another subnet manager is there.
    [[nodiscard]] static result<sa_server> open(port const& on, sa_server_options const& options = sa_server_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Has questions of this method about T answered, by this handler from now on. A plain handler must be quick: the
    /// loop stands still meanwhile. For Get, GetTable, Set and Delete: handlers of GetTraceTable and GetMulti are not
    /// taken, which is logged, and such questions are refused with unsupported_method_attribute.
    template <wire_layout T, sa_handler_of<T> Handler>
    void serve(method how, Handler handler) const
    {
        put(T::layout.id, how, detail::make_handler<T>(std::move(handler)));
    }
    /// The same for Get and GetTable.
    template <wire_layout T, sa_handler_of<T> Handler>
    void serve(Handler handler) const
    {
        serve<T>(method::get, handler);
        serve<T>(method::get_table, std::move(handler));
    }

    /// Answers until the server is closed; to be awaited once at a time.
    ///
    /// @par Completion signature
    /// An awaitable that gives the reason of its end.
    /// @par Completion condition
    /// One of the errors has happened, and all handlers have ended, or `sa_server_options::farewell` after their
    /// cancellation. What a handler refers to must outlive it.
    /// @par Errors
    /// errc::agent_closed; errc::device_gone (to be called again after `port::async_reopen`); errc::invalid_argument
    /// where it runs already.
    /// @par Cancellation
    /// Closes the server.
    /// @par Thread safety
    /// To be awaited on the loop, where the handlers run too.
    [[nodiscard]] asio::awaitable<error_code> run() const;

    /// Falls silent: what arrives is dropped and counted (`sa_server_counters::unheard`), what is in work is never
    /// answered, and its handlers are cancelled. Tables that are whole go on their way; of one that is still being made
    /// the client is told that it is not all. The agent stays registered: without one the kernel answers in its place,
    /// which is worse for clients than no answer. For the time when this subnet manager is not the master (C15-0.1.3).
    /// May be repeated, and called by handlers.
    void pause() const;
    /// Answers again. What was in work at `pause` stays unanswered; clients ask again.
    void resume() const noexcept;
    [[nodiscard]] bool is_paused() const noexcept;

    /// Answers what is in work BUSY, cancels its handlers, ends the transfers of tables and unregisters. May be
    /// repeated, and called by handlers.
    void close() const noexcept;

    [[nodiscard]] sa_server_counters counters() const noexcept;
    [[nodiscard]] sa_server_gauges gauges() const noexcept;
    /// The agent beneath, for reports and traps of its class.
    [[nodiscard]] agent const& over() const noexcept;

private:
    void put(std::uint16_t attribute_id, method how, detail::sa_responder handler) const;

    std::shared_ptr<detail::sa_server_core> core_;
};

} // namespace madrigal
