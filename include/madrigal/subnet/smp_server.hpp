// What comes to a subnet manager unasked: traps, and questions about SMInfo.
#pragma once

#include <madrigal/engine/trap_filter.hpp>
#include <madrigal/error.hpp>
#include <madrigal/fabric/detail/sa_waiter.hpp>
#include <madrigal/fabric/m_key_table.hpp>
#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/subnet/sm_info_service.hpp>
#include <madrigal/subnet/trap_notice.hpp>

#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace madrigal {

namespace detail {
class smp_server_core;
[[nodiscard]] asio::any_io_executor const& loop_of(smp_server_core const& of) noexcept;
void receive_trap(
    std::shared_ptr<smp_server_core> const& from, sa_waiter_ptr<trap_notice> waiter, asio::cancellation_slot slot);
} // namespace detail

/// The SM_Key of subnet managers that nobody has given one, OpenSM among them: no secret.
inline constexpr std::uint64_t well_known_sm_key = 1;

/// How an SMP server works.
struct smp_server_options {
    smp_server_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice in a `co_await`

    engine::trap_filter_options filter{};
    std::size_t trap_limit = 1'024; ///< traps waiting to be taken; where there are more the oldest goes
    m_key_table keys{};             ///< of the ports whose traps are repressed, by LID
    std::uint64_t own_m_key = 0;    ///< of this port; 0: none
    unsigned own_protection = 0;    ///< its M_KeyProtectBits, 0 to 3
};

/// What has come so far.
struct smp_server_counters {
    std::uint64_t received = 0;   ///< traps, the malformed ones included
    std::uint64_t delivered = 0;  ///< put where `next_trap` takes them
    std::uint64_t duplicates = 0; ///< of these, and of the flooded ones, the last of a kind is delivered later
    std::uint64_t flooded = 0;
    /// For want of room, or displaced by a later one of the kind: nobody is told of them. Where more came than could be
    /// taken (`agent_options::inbox_limit`) questions are among them.
    std::uint64_t dropped = 0;
    std::uint64_t malformed = 0; ///< no notices, or from no LID
    std::uint64_t repressed = 0; ///< TrapRepress that the kernel has taken

    std::uint64_t sm_info_asked = 0;   ///< Get and Set of SMInfo that were answered
    std::uint64_t sm_info_bad_key = 0; ///< that were not, for want of the M_Key
    std::uint64_t refused = 0;         ///< other questions, answered with status 0x000C
};

/// The server's half of a subnet manager on a port: an agent of class 0x01 for Get, Set and Trap, and one of class 0x81
/// for the same, because SMInfo is asked along directed routes and by LID. Traps come to the port whose LID the ports
/// of the subnet know as their SM's (PortInfo.MasterSMLID).
///
/// Every trap is answered at once by TrapRepress, whoever is told of it and whether anybody is: else it comes again and
/// again. The answer carries the M_Key of the port that sent it, without which that port does not believe it (IBA
/// 14.2.4.1), the notice, and zero everywhere else.
///
/// SMInfo is answered by the `sm_info_service` that has been set; without one, and for any other attribute, the status
/// is 0x000C. The node's own agent checks the port's M_Key for every attribute but this one, so the server does it for
/// SMInfo (IBA 14.2.4.1): without the key a Set is not answered, nor is a Get at protection 2 and 3.
///
/// The SM_Key opens subnet administration's doors, so it is shown only to who has proved something (IBA 14.2.5.13): it
/// has shown the port's M_Key, or the SM_Key itself in the data of its question, as `mastership` and `find_managers`
/// do; all others see 0. OpenSM asks without data, and trusts nobody who shows it another key than its own. So the
/// SM_Key that it has by default (`well_known_sm_key`), and which is no secret, is shown to everybody, but for
/// protection 1 and no M_Key; and who has an SM_Key of his own beside OpenSM needs an M_Key too, the same for both.
/// That keeps it from who only asks, not from who says that he is a subnet manager: those are asked by sweeps, with the
/// SM_Key and the M_Key in the question.
///
/// A lost device is no error here: it goes on when the port has been opened again. Move-only, for the loop's thread;
/// closed when it is destroyed.
class smp_server {
public:
    smp_server() noexcept = default;
    explicit smp_server(std::shared_ptr<detail::smp_server_core> core) noexcept : core_{std::move(core)} {}
    smp_server(smp_server&&) noexcept = default;
    smp_server& operator=(smp_server&& other) noexcept
    {
        if (this != &other) {
            close();
            core_ = std::move(other.core_);
        }
        return *this;
    }
    ~smp_server() { close(); }

    /// Registers both agents. Errors: those of `port::register_agent`; where another subnet manager has the port,
    /// errc::registration_refused says so.
    [[nodiscard]] static result<smp_server> open(
        port const& on, smp_server_options const& options = smp_server_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// The next trap.
    ///
    ///     while (auto const trap = co_await server.next_trap())
    ///         spdlog::info("{} from LID {}", trap_name(trap.value().told.trap_number), trap.value().source);
    ///
    /// @par Completion signature
    /// `void(error_code, trap_notice)`; with `as_result` a `result<trap_notice>`.
    /// @par Completion condition
    /// A trap that the filter lets through has come, or one of the errors has happened. Several may wait; each trap
    /// goes to one of them. Never before this function has returned.
    /// @par Errors
    /// errc::agent_closed (also of the port), operation_aborted.
    /// @par Cancellation
    /// Every type: nothing has been taken, and no trap is lost.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run.
    template <asio::completion_token_for<void(error_code, trap_notice)> Token>
    auto async_next_trap(Token&& token) const
    {
        return detail::initiate_sa<trap_notice, detail::sa_waits_for<trap_notice>>(detail::loop_of(*core_),
            std::forward<Token>(token),
            [core = core_](auto waiter, auto slot) { detail::receive_trap(core, std::move(waiter), slot); });
    }
    /// The same for `co_await`: a `result<trap_notice>`.
    [[nodiscard]] auto next_trap() const { return async_next_trap(as_result); }

    /// Who answers SMInfo from now on, as long as it lives; nobody where it is empty.
    void serve_sm_info(std::weak_ptr<sm_info_service> by) const noexcept;
    /// The keys of traps to come.
    [[nodiscard]] m_key_table& keys() const noexcept;
    /// The port's own M_Key and protection from now on.
    void set_own_m_key(std::uint64_t key, unsigned protection) const noexcept;

    [[nodiscard]] smp_server_counters counters() const noexcept;
    /// Unregisters; who waits for a trap is told errc::agent_closed. May be repeated.
    void close() noexcept;

private:
    std::shared_ptr<detail::smp_server_core> core_;
};

} // namespace madrigal
