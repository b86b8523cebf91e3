// Subnet management by typed questions: Get and Set of any SMP attribute, by directed route, by LID, or by both.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/m_key_table.hpp>
#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/runtime/query.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace madrigal {

/// How an SMP client asks where a question does not say.
struct smp_options {
    smp_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice inside a `co_await`

    unsigned outstanding = 64;    ///< SMPs on the wire at a time
    bool adaptive = false;        ///< as many as the fabric bears instead (see `engine::flow_window`): 32 at first and
                                  ///< at least, or `outstanding` if that is fewer, and up to four times as many as
                                  ///< `outstanding`. VL15 has no flow control: what it bears differs between fabrics
    unsigned per_destination = 4; ///< of them to one route or LID; 0: no limit
    std::chrono::milliseconds timeout{200}; ///< of one transmission
    unsigned retries = 2;                   ///< N retries are N + 1 transmissions
    m_key_table keys{};
};

/// What an SMP asked, for messages. Numbers in host byte order.
struct smp_question {
    method ask = method::get;
    std::uint16_t attribute_id = 0;
    std::uint32_t modifier = 0;
    std::uint64_t m_key = 0; ///< as it was sent
};

/// An error with a sentence that says what was asked of whom: `Get(PortInfo, 3) of directed route 0,1`. A timeout also
/// says that an M_Key may be missing or wrong, because a port that is protected by one does not answer without it (IBA
/// 14.2.4.1).
[[nodiscard]] error explain_smp(error_code code, destination const& to, smp_question const& asked);

/// Where a mixed route without hops really goes: a directed part of no hops adds nothing, so `starting_at` and
/// `ending_at` alone are plain LID routing. Everything else is returned as it is.
[[nodiscard]] destination without_empty_route(destination const& to) noexcept;

/// Asks subnet management agents. Copies share one agent, which closes with the last of them: one must live until what
/// a lazy token returned has been awaited. Thread safety and cancellation are those of `agent`; the key table belongs
/// to the loop's thread.
class smp_client {
public:
    smp_client() noexcept = default;
    /// Over an agent of class 0x81 or 0x01, which may be asked along routes and LIDs alike. Options of the questions
    /// are the agent's own.
    explicit smp_client(agent over, m_key_table keys = {})
        : state_{std::make_shared<state>(state{std::move(over), std::move(keys)})}
    {}
    /// Registers an agent of its own on a port. Errors: those of `port::register_agent`.
    [[nodiscard]] static result<smp_client> open(port const& on, smp_options const& options = smp_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Gets an attribute. `options.m_key` 0 means: the table's.
    ///
    /// Completion signature: `void(error_code, Attribute)`. Errors: those of `agent::async_request`.
    template <class Attribute, asio::completion_token_for<void(error_code, Attribute)> Token>
    auto async_get(destination const& to, std::uint32_t modifier, request_options const& options, Token&& token) const
    {
        return state_->over.async_request(madrigal::get<Attribute>(without_empty_route(to), modifier),
            with_key(to, options), std::forward<Token>(token));
    }
    /// Sets an attribute; completes with what the node says it is now. Else as `async_get`.
    template <class Attribute, asio::completion_token_for<void(error_code, Attribute)> Token>
    auto async_set(destination const& to, Attribute const& value, std::uint32_t modifier,
        request_options const& options, Token&& token) const
    {
        return state_->over.async_request(madrigal::set<Attribute>(without_empty_route(to), value, modifier),
            with_key(to, options), std::forward<Token>(token));
    }

    /// `co_await client.get<port_info>(directed_route{0, 1, 3}, 5)`: the attribute, or an error that says what was
    /// asked of whom. This client, or a copy of it, must live until then.
    template <class Attribute>
    [[nodiscard]] asio::awaitable<result<Attribute>> get(
        destination to, std::uint32_t modifier = 0, request_options options = {}) const
    {
        auto answer = co_await async_get<Attribute>(to, modifier, options, as_result);
        if (!answer)
            co_return explain_smp(answer.error().code(), to,
                smp_question{method::get, Attribute::layout.id, modifier, with_key(to, options).m_key});
        co_return answer;
    }
    /// The same for a Set.
    template <class Attribute>
    [[nodiscard]] asio::awaitable<result<Attribute>> set(
        destination to, Attribute value, std::uint32_t modifier = 0, request_options options = {}) const
    {
        auto answer = co_await async_set(to, value, modifier, options, as_result);
        if (!answer)
            co_return explain_smp(answer.error().code(), to,
                smp_question{method::set, Attribute::layout.id, modifier, with_key(to, options).m_key});
        co_return answer;
    }

    /// The keys of later questions.
    [[nodiscard]] m_key_table& keys() const noexcept { return state_->keys; }
    /// The agent that asks.
    [[nodiscard]] agent const& over() const noexcept { return state_->over; }
    /// Ends every question with errc::agent_closed.
    void close() const noexcept { state_->over.close(); }

private:
    struct state {
        agent over;
        m_key_table keys;
    };

    [[nodiscard]] request_options with_key(destination const& to, request_options const& options) const noexcept
    {
        auto keyed = options;
        if (keyed.m_key == 0)
            keyed.m_key = state_->keys.find(to);
        return keyed;
    }

    std::shared_ptr<state> state_;
};

} // namespace madrigal
