// An agent: a management class on a port, with requests, sends and a server's inbox.
#pragma once

#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/counters.hpp>
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/build.hpp>
#include <madrigal/runtime/options.hpp>
#include <madrigal/runtime/query.hpp>
#include <madrigal/runtime/received_mad.hpp>
#include <madrigal/runtime/request.hpp>
#include <madrigal/runtime/sender.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace madrigal {

namespace detail {

/// A request that is ready to be started, or the reason why there is none.
struct made_request {
    request_ptr request;
    errc refused{};

    /// Its MAD.
    [[nodiscard]] std::span<std::byte> mad() const noexcept
    {
        return request->packet().contents().subspan(umad::header_size);
    }
};
/// A request for a typed question, of which the data is still zero. Any thread.
[[nodiscard]] made_request make_question(
    agent_core& agent, destination const& to, question const& what, request_options const& how) noexcept;
/// A request for a MAD given byte by byte. Any thread.
[[nodiscard]] made_request make_raw_request(agent_core& agent, raw_mad const& mad, request_options const& how) noexcept;
/// A request for a message of any length. Any thread.
[[nodiscard]] made_request make_message_request(
    agent_core& agent, raw_message const& message, request_options const& how);
/// Has the data of a request's answer given to a sink. Any thread.
[[nodiscard]] std::shared_ptr<engine::data_stream> stream_to(made_request const& made, engine::data_sink sink);
/// A packet for a MAD given byte by byte; empty where there are no more. Any thread.
[[nodiscard]] engine::packet_ptr make_packet(agent_core& agent, raw_mad const& mad) noexcept;

/// Reads an answer as an attribute: errors are the answer's MAD status and errc::malformed_answer.
template <class Attribute, class Handler>
class typed_completion {
public:
    template <class H>
    typed_completion(H&& handler, asio::any_io_executor const& loop) : bound_{std::forward<H>(handler), loop}
    {}
    void operator()(error_code const& ended, engine::packet_ptr& answer)
    {
        if (ended) {
            bound_(ended, Attribute{});
            return;
        }
        mad_view const mad{std::as_const(*answer).contents().subspan(umad::header_size)};
        auto value = mad.template attribute<Attribute>();
        error_code code;
        if (auto const outcome = mad.outcome(); outcome != 0) [[unlikely]]
            code = make_mad_status(mad.mgmt_class(), outcome);
        else if (!value) [[unlikely]]
            code = errc::malformed_answer;
        if (value) [[likely]]
            bound_(code, *std::move(value));
        else
            bound_(code, Attribute{});
    }

private:
    bound_handler<Handler> bound_;
};

/// Hands an answer over as it came.
template <class Handler>
class raw_completion {
public:
    template <class H>
    raw_completion(H&& handler, asio::any_io_executor const& loop) : bound_{std::forward<H>(handler), loop}
    {}
    void operator()(error_code const& code, engine::packet_ptr& answer)
    {
        bound_(code, code ? received_mad{} : received_mad{std::move(answer)});
    }

private:
    bound_handler<Handler> bound_;
};

/// Gives an answer's data to a sink, unless that has been done as it came, and hands its headers over.
template <class Handler>
class streamed_completion {
public:
    template <class H>
    streamed_completion(H&& handler, asio::any_io_executor const& loop, std::shared_ptr<engine::data_stream> stream)
        : bound_{std::forward<H>(handler), loop}, stream_{std::move(stream)}
    {}
    void operator()(error_code const& code, engine::packet_ptr& answer)
    {
        auto const stream = std::move(stream_);
        if (code) {
            bound_(code, received_mad{});
            return;
        }
        received_mad headers{std::move(answer)};
        if (!stream->begun)
            headers.give_data(stream->sink);
        bound_(code, std::move(headers));
    }

private:
    bound_handler<Handler> bound_;
    std::shared_ptr<engine::data_stream> stream_;
};

/// Begins a request with a handler: what an Asio operation calls its initiation. Until then it owns the request.
template <template <class> class Completion>
struct begin_request {
    agent_core* agent;
    made_request made;

    template <class Handler>
    void operator()(Handler&& handler) &&
    {
        using completion = Completion<std::decay_t<Handler>>;
        auto const& loop = agent->reactor().executor();
        if (!made.request) [[unlikely]] {
            agent->complete_later(operation{completion{std::forward<Handler>(handler), loop}}, made.refused);
            return;
        }
        auto const slot = asio::get_associated_cancellation_slot(handler);
        made.request->operation().template emplace<completion>(std::forward<Handler>(handler), loop);
        agent->request(std::move(made.request), slot);
    }
};

/// The same for a request whose answer is streamed.
struct begin_streamed_request {
    agent_core* agent;
    made_request made;
    std::shared_ptr<engine::data_stream> stream;

    template <class Handler>
    void operator()(Handler&& handler) &&
    {
        using completion = streamed_completion<std::decay_t<Handler>>;
        auto const& loop = agent->reactor().executor();
        if (!made.request) [[unlikely]] {
            agent->complete_later(
                operation{completion{std::forward<Handler>(handler), loop, std::move(stream)}}, made.refused);
            return;
        }
        auto const slot = asio::get_associated_cancellation_slot(handler);
        made.request->operation().template emplace<completion>(std::forward<Handler>(handler), loop, std::move(stream));
        agent->request(std::move(made.request), slot);
    }
};

/// Hands an unsolicited MAD over with the means to answer it.
template <class Handler>
class receive_completion {
public:
    receive_completion(Handler handler, std::shared_ptr<agent_core> agent)
        : bound_{std::move(handler), agent->reactor().executor()}, agent_{std::move(agent)}
    {}
    void operator()(error_code const& code, engine::packet_ptr& packet)
    {
        bound_(code, code ? request{} : request{std::move(agent_), std::move(packet)});
    }

private:
    bound_handler<Handler> bound_;
    std::shared_ptr<agent_core> agent_;
};

template <class Token>
auto async_receive(std::shared_ptr<agent_core> core, Token&& token)
{
    return asio::async_initiate<Token, void(error_code, request)>(
        [core = std::move(core)]<class Handler>(Handler&& handler) {
            auto const slot = asio::get_associated_cancellation_slot(handler);
            core->receive(
                operation{receive_completion<std::decay_t<Handler>>{std::forward<Handler>(handler), core}}, slot);
        },
        token);
}

} // namespace detail

/// How `agent::serve` works.
struct serve_options {
    std::size_t at_once = 1'024; ///< handlers running at a time; while so many run, further MADs wait in the inbox
};

/// A registered agent. Closed when it is destroyed. `async_request`, `async_send`, `async_receive`, `sender` and
/// `close` may be called from any thread, one at a time per object unless they are const; all else belongs to the loop.
///
/// Cancellation, for all operations: what still waits is taken back, for every type. A request that is on the wire:
/// `terminal` and `partial` complete it at once with operation_aborted, while its slot and its place in the window stay
/// taken until the kernel has reported it or its guard deadline passes, because the kernel goes on sending it; `total`
/// alone is ignored, as the peer may have acted. Emit signals on the handler's executor,
/// which is the loop's where it has none.
///
/// On Ethernet (RoCE) the kernel takes a MAD only once the destination's GID is resolved; see `reactor`. An agent's
/// MADs are taken one after the other, and what has arrived for it is read in between: a GID that nobody has holds up
/// the agent's other MADs by a second or more, and no other agent. Who asks many doubtful GIDs does so through an agent
/// of its own. A request's timeouts begin when the kernel has taken it. For cancellation it is on the wire from when
/// the kernel has begun to take it, and waits until then.
class agent {
public:
    agent() noexcept = default;
    explicit agent(std::shared_ptr<detail::agent_core> core) noexcept : core_{std::move(core)} {}
    agent(agent&&) noexcept = default;
    agent& operator=(agent&& other) noexcept
    {
        if (this != &other) {
            close();
            core_ = std::move(other.core_);
        }
        return *this;
    }
    ~agent() { close(); }

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Asks and waits for the answer.
    ///
    ///     auto answer = co_await smp.async_request(
    ///         get<node_info>(directed_route{0, 1, 3}), {.timeout = 200ms, .retries = 2}, as_result);
    ///     if (answer)
    ///         spdlog::info("{} {}", answer.value().type, answer.value().node_guid);
    ///     else
    ///         spdlog::error("no answer: {}", answer.error().message());
    ///
    /// @par Completion signature
    /// `void(error_code, Attribute)`; with `as_result` a `result<Attribute>`.
    /// @par Completion condition
    /// The answer has come, of the class, the attribute and the modifier asked for; or none will: the last transmission
    /// has timed out, or one of the errors has happened. A request that waits for a place in the window or at its
    /// destination waits without a limit, as the time of its policy begins when it leaves. Never before this function
    /// has returned.
    /// @par Errors
    /// - the answer's MAD status (see `make_mad_status`): the peer refused. The attribute is what the answer carries.
    /// - errc::timeout: nobody has answered.
    /// - errc::malformed_answer: a good status, but too few bytes for the attribute.
    /// - errc::invalid_argument: a destination that the class cannot have, or a timeout of nothing.
    /// - errc::queue_full: the agent's queue or the reactor's packets are used up.
    /// - errc::device_gone, errc::agent_closed, operation_aborted.
    /// - an errno of the system category: the kernel refused the write.
    /// @par Cancellation
    /// As for all operations of an agent: `terminal` and `partial` at any time, `total` until it is on the wire.
    /// @par Thread safety
    /// Any thread. On the loop it is written at once where there is a place (on Ethernet perhaps handed to the agent's
    /// writer); in a handler that an arrived MAD has called, perhaps after up to 32 MADs more have been read. From
    /// elsewhere it is handed over without a lock. The handler is called on its own executor, or on the loop if it has
    /// none.
    /// @par Lifetime
    /// The question is copied into a packet by this call. What a lazy token returns (`as_result`, `use_awaitable`,
    /// `deferred`) holds that packet until it is awaited or destroyed; it may be awaited as long as the agent lives.
    template <class Attribute, asio::completion_token_for<void(error_code, Attribute)> Token>
    auto async_request(query<Attribute> const& what, request_options const& options, Token&& token) const
    {
        auto made = detail::make_question(
            *core_, what.to, {what.ask, Attribute::layout.id, what.modifier, options.m_key}, options);
        if (what.ask != method::get && made.request)
            (void)mutable_mad_view{made.mad()}.set_attribute(what.value);
        return asio::async_initiate<Token, void(error_code, Attribute)>(
            detail::begin_request<typed_as<Attribute>::template completion>{core_.get(), std::move(made)}, token);
    }

    /// The same for a MAD given byte by byte, and an answer of any status as it came.
    ///
    /// @par Completion signature
    /// `void(error_code, received_mad)`; with `as_result` a `result<received_mad>`.
    /// @par Completion condition
    /// As above.
    /// @par Errors
    /// As above but for MAD status and errc::malformed_answer: reading the answer is the caller's.
    /// @par Cancellation
    /// As above.
    /// @par Thread safety
    /// As above.
    template <std::same_as<raw_mad> Raw, asio::completion_token_for<void(error_code, received_mad)> Token>
    auto async_request(Raw const& what, request_options const& options, Token&& token) const
    {
        return asio::async_initiate<Token, void(error_code, received_mad)>(
            detail::begin_request<detail::raw_completion>{core_.get(), detail::make_raw_request(*core_, what, options)},
            token);
    }

    /// The same for a message of any length, by an agent with RMPP. Its answer, as those to the other forms, arrives
    /// whole whatever its length, whether the kernel does RMPP or the agent itself.
    ///
    ///     auto const table = co_await sa.async_request(raw_message{sm, question}, {.timeout = 5s}, as_result);
    ///     if (table)
    ///         parse(table.value().payload());
    ///
    /// @par Completion signature
    /// `void(error_code, received_mad)`; with `as_result` a `result<received_mad>`.
    /// @par Completion condition
    /// As above. Where the kernel does RMPP, an answer counts as come when all of it has, so `timeout` must last for
    /// that. Where the agent does it, `timeout` is for the answer's first segment (and for the whole question to have
    /// been acknowledged there is `agent_options::rmpp`), and the rest may take as long as `rmpp.transfers.receiving`
    /// says; then a peer that ends the transfer is noticed at once too, while the kernel keeps that to itself. To such
    /// an agent's question of several segments only an answer by RMPP arrives: the kernel drops one in a plain MAD.
    /// @par Errors
    /// As above; also errc::message_too_long (the answer exceeds `agent_options::rmpp`), the transfer's own
    /// (`engine::rmpp_category`: the peer aborted or stopped it, or broke the protocol), and errc::invalid_argument for
    /// a message that needs RMPP where the agent or the class has none, or that ends before its data begins.
    /// @par Cancellation
    /// As above. A transfer that is under way is aborted, and the peer told, if it is the agent's own.
    /// @par Thread safety
    /// As above.
    template <std::same_as<raw_message> Raw, asio::completion_token_for<void(error_code, received_mad)> Token>
    auto async_request(Raw const& what, request_options const& options, Token&& token) const
    {
        return asio::async_initiate<Token, void(error_code, received_mad)>(
            detail::begin_request<detail::raw_completion>{
                core_.get(), detail::make_message_request(*core_, what, options)},
            token);
    }

    /// The same with the answer's data given to `sink` as it comes, in pieces of any size, on the loop's thread, and
    /// not kept: so an answer may be longer than `agent_options::rmpp` allows to hold. Where the kernel does RMPP, and
    /// of answers in one MAD, it comes in one piece. `sink` is called once at least where the answer comes whole,
    /// before the completion. After an error the data given so far is not all.
    ///
    /// @par Completion signature
    /// `void(error_code, received_mad)`, of the answer up to where its data begins.
    /// @par Completion condition, errors, cancellation, thread safety
    /// As above. The sink may use the agent, and close it.
    template <asio::completion_token_for<void(error_code, received_mad)> Token>
    auto async_stream(
        raw_message const& what, request_options const& options, engine::data_sink sink, Token&& token) const
    {
        auto made = detail::make_message_request(*core_, what, options);
        auto stream = detail::stream_to(made, std::move(sink));
        return asio::async_initiate<Token, void(error_code, received_mad)>(
            detail::begin_streamed_request{core_.get(), std::move(made), std::move(stream)}, token);
    }

    /// Sends a MAD that needs no answer; the kernel drops one that comes.
    ///
    /// @par Completion signature
    /// `void(error_code)`; with `as_result` a `result<void>`.
    /// @par Completion condition
    /// The kernel has taken it, or not. Whether it arrives nobody is told. Never before this function has returned.
    /// @par Errors
    /// errc::queue_full (the reactor's packets are used up), errc::device_gone, errc::agent_closed, and the kernel's
    /// errno for a refused write.
    /// @par Cancellation
    /// None: it never waits for long, save on Ethernet for GIDs to be resolved, its own and those of MADs before it.
    /// @par Thread safety
    /// Any thread, as `async_request`. For many sends from other threads see `sender`, which completes nothing.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_send(raw_mad const& what, Token&& token) const
    {
        return asio::async_initiate<Token, void(error_code)>(
            [core = core_]<class Handler>(Handler&& handler, raw_mad const& mad) {
                auto packet = detail::make_packet(*core, mad);
                detail::operation caller{detail::completion<std::decay_t<Handler>>{
                    std::forward<Handler>(handler), core->reactor().executor()}};
                if (packet)
                    core->send(std::move(packet), std::move(caller));
                else
                    core->complete_later(std::move(caller), errc::queue_full);
            },
            token, what);
    }

    /// The next unsolicited MAD. Several may wait; the first served is the one that has waited longest.
    ///
    /// @par Completion signature
    /// `void(error_code, request)`; with `as_result` a `result<request>`.
    /// @par Completion condition
    /// A MAD of the methods that the agent is registered for has come, or stood in the inbox already; those that came
    /// before the device was lost are handed out first. Never before this function has returned.
    /// @par Errors
    /// errc::agent_closed, errc::device_gone, operation_aborted.
    /// @par Cancellation
    /// Every type: nothing has been taken while it waits, and no MAD is lost.
    /// @par Thread safety
    /// Any thread, as `async_request`.
    template <asio::completion_token_for<void(error_code, request)> Token>
    auto async_receive(Token&& token) const
    {
        return detail::async_receive(core_, std::forward<Token>(token));
    }

    /// Runs a coroutine for each unsolicited MAD, on the loop. A handler that throws ends its own request, is logged,
    /// and disturbs no other. The agent must outlive this.
    ///
    ///     co_await server.serve([](request ping) -> asio::awaitable<void> {
    ///         ping.payload().copy_from("a name");
    ///         co_await ping.reply(); // once; a request that is dropped is not answered
    ///     });
    ///
    /// @par Completion signature
    /// An awaitable that gives the reason of its end.
    /// @par Completion condition
    /// One of the errors has happened, and all handlers have ended: they are not cancelled.
    /// @par Errors
    /// errc::agent_closed, errc::device_gone (to be called again after `port::async_reopen`), operation_aborted.
    /// @par Cancellation
    /// Every type that the coroutine lets through (Asio's default is `terminal`) ends the waiting for MADs; what runs
    /// is awaited.
    /// @par Thread safety
    /// To be awaited on the loop, where the handlers run too.
    [[nodiscard]] asio::awaitable<error_code> serve(
        std::function<asio::awaitable<void>(request)> handler, serve_options options = {}) const;

    /// For sending from other threads.
    [[nodiscard]] madrigal::sender sender() const noexcept { return madrigal::sender{core_}; }

    /// Ends every operation with errc::agent_closed and unregisters. May be repeated. Called while the loop does not
    /// run, it takes effect when the loop runs next.
    void close() noexcept;

    /// What it was registered with.
    [[nodiscard]] umad::registration const& registration() const noexcept { return core_->registration(); }
    [[nodiscard]] agent_counters const& counters() const noexcept { return core_->counters(); }
    [[nodiscard]] agent_gauges gauges() const noexcept { return core_->gauges(); }

private:
    template <class Attribute>
    struct typed_as {
        template <class Handler>
        using completion = detail::typed_completion<Attribute, Handler>;
    };

    std::shared_ptr<detail::agent_core> core_;
};

} // namespace madrigal
