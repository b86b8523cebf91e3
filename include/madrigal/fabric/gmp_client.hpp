// Questions to the management agents behind QP1, of any class, which may send their clients elsewhere.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/mad.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace madrigal {

/// How a client of a class asks where a question does not say.
struct gmp_options {
    gmp_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice inside a `co_await`

    unsigned outstanding = 128;               ///< MADs on the wire at a time
    unsigned per_destination = 8;             ///< of them to one destination; 0: no limit
    std::chrono::milliseconds timeout{1'000}; ///< of one transmission
    unsigned retries = 2;                     ///< N retries are N + 1 transmissions
};

/// A question is followed through so many redirections.
inline constexpr unsigned gmp_redirection_limit = 4;

/// `Get(PortCounters) of LID 5`, or `Get(ClassPortInfo, 3) of …` with the attribute modifier: for messages.
[[nodiscard]] std::string describe_gmp(
    management_class of, method ask, std::uint16_t attribute_id, std::uint32_t modifier, destination const& to);

/// Asks the agents of one class. An answer that redirects (IBA 13.4.7, 13.4.8.1) is followed to the LID, queue pair,
/// Q_Key, service level and P_Key that it names; later questions to the same destination go there at once, until nobody
/// answers there any more: then the destination itself is asked again. Copies share one agent, which closes with the
/// last of them. Belongs to the loop's thread.
class gmp_client {
public:
    gmp_client() noexcept = default;
    /// Registers an agent of its own on a port. Errors: those of `port::register_agent`; errc::invalid_argument for
    /// a subnet management class.
    [[nodiscard]] static result<gmp_client> open(
        port const& on, umad::registration const& as, gmp_options const& options = gmp_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// A question without data: the headers of the class, its OUI included, are filled in.
    [[nodiscard]] raw_mad question(
        destination const& to, method ask, std::uint16_t attribute_id, std::uint32_t modifier = 0) const noexcept;

    /// Asks, and gives an answer with MAD status 0. This client, or a copy of it, must live until then.
    ///
    /// Errors, with a sentence that says what was asked of whom: those of `agent::async_request`; the answer's MAD
    /// status; errc::malformed_answer for a method that answers something else, or data that are cut off;
    /// errc::too_many_redirections; errc::redirected_to_gid where the answer names no LID; errc::unusable_redirection
    /// where it names no queue pair, or a P_Key that the port does not have.
    [[nodiscard]] asio::awaitable<result<received_mad>> ask(raw_mad question, request_options options = {}) const;

    /// Where questions to a destination go now: itself, or where it has redirected to.
    [[nodiscard]] destination goes_to(destination const& to) const;
    /// Forgets redirections of a destination.
    void forget(destination const& to) const;

    [[nodiscard]] management_class of() const noexcept;
    [[nodiscard]] port const& on() const noexcept;
    /// The agent that asks.
    [[nodiscard]] agent const& over() const noexcept;
    /// Ends every question with errc::agent_closed.
    void close() const noexcept;

private:
    struct state;
    explicit gmp_client(std::shared_ptr<state> of) noexcept : state_{std::move(of)} {}
    std::shared_ptr<state> state_;
};

} // namespace madrigal
