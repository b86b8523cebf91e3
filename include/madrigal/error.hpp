// Errors as values: what went wrong here (`errc`), what the peer said (MAD status), and a sentence of context for
// people.
#pragma once

#include <madrigal/wire/management_class.hpp>

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/base.hpp>
#include <boost/outcome/try.hpp>
#include <boost/outcome/utils.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace madrigal {

using boost::system::error_code;

/// What can go wrong on this side of the wire.
enum class errc {
    /// The request left, no answer came within the timeout and all retries.
    timeout = 1,
    /// The device behind the port went away; every operation on it ends with this, once.
    device_gone,
    /// The agent was closed, or its port or reactor was destroyed.
    agent_closed,
    /// The bounded queue behind the agent's window is full: try again when some have completed.
    queue_full,
    /// An answer arrived whose length or fields cannot be what was asked for.
    malformed_answer,
    /// A second reply to one request.
    already_replied,
    /// No InfiniBand on this machine: ib_umad is not loaded or there is no adapter.
    no_infiniband,
    /// No such CA.
    no_such_ca,
    /// The CA has no such port.
    no_such_port,
    /// No port that fits and can be opened.
    no_usable_port,
    /// The kernel refused to register the agent (umad_register's −EPERM).
    registration_refused,
    /// The registration itself is invalid: class, OUI or QP do not go together (umad_register's −EINVAL).
    invalid_registration,
    /// The kernel knows none of the flags asked for; the supported ones are reported beside this.
    unsupported_flags,
    /// A file under /sys holds something that its kernel documentation does not allow.
    malformed_sysfs_value,
    /// A topology file holds something that cannot be accepted; the context says file, line and what was expected.
    malformed_topology,
    /// A host URI that cannot be understood.
    malformed_uri,
    /// The operation's argument is out of its range; nothing was sent.
    invalid_argument,
    /// The port has no LID or knows no subnet manager, so there is no subnet administration to ask.
    no_subnet_manager,
    /// Subnet administration sends its clients from one place to the next, and so on.
    too_many_redirections,
    /// Subnet administration sends its clients to a GID without a LID: this cannot be followed.
    redirected_to_gid,
    /// Subnet administration sends its clients to where this port cannot ask.
    unusable_redirection,
    /// The name or number of an attribute that has no table.
    unknown_attribute,
    /// A node with this LID, GUID or name was not found.
    no_such_node,
    /// The sweep ended with parts of the fabric unanswered; what is missing is listed.
    incomplete_sweep,
    /// A message longer than the agent takes, or than its memory for messages allows (`agent_options::rmpp`).
    message_too_long,
};

[[nodiscard]] boost::system::error_category const& errc_category() noexcept;
[[nodiscard]] error_code make_error_code(errc value) noexcept;

/// The category of a peer's answer with a MAD status other than 0 (IBA 13.4.7). The message names the status's bits,
/// the class's own included.
[[nodiscard]] boost::system::error_category const& mad_status_category() noexcept;
/// An error code for the status of an answer (host byte order, without the direction bit of a directed-route SMP); no
/// error for 0.
[[nodiscard]] error_code make_mad_status(management_class class_of_mad, std::uint16_t status) noexcept;
/// The status in an error code of that category, in host byte order; 0 for any other error code.
[[nodiscard]] std::uint16_t mad_status_of(error_code code) noexcept;

/// An error code and, where one helps, a sentence that says what was asked of whom.
class error {
public:
    error() noexcept = default;
    error(error_code code) noexcept : code_{code} {} // NOLINT: converts as error_code itself does
    error(error_code code, std::string context)
        : code_{code}, context_{std::make_shared<std::string const>(std::move(context))}
    {}
    template <class Enum>
    requires(boost::system::is_error_code_enum<Enum>::value || boost::system::is_error_condition_enum<Enum>::value)
        error(Enum value)
        : code_{value} // NOLINT
    {}
    template <class Enum>
    requires(boost::system::is_error_code_enum<Enum>::value) error(Enum value, std::string context)
        : error{error_code{value}, std::move(context)}
    {}

    [[nodiscard]] error_code code() const noexcept { return code_; }
    /// The context alone; empty where there is none.
    [[nodiscard]] std::string const& context() const noexcept;
    /// `context: what the code means`
    [[nodiscard]] std::string message() const;

    friend bool operator==(error const& a, error const& b) noexcept { return a.code_ == b.code_; }
    friend bool operator==(error const& a, error_code b) noexcept { return a.code_ == b; }
    template <class Enum>
    requires(boost::system::is_error_code_enum<Enum>::value) friend bool operator==(error const& a, Enum b) noexcept
    {
        return a.code_ == error_code{b};
    }

private:
    error_code code_;
    std::shared_ptr<std::string const> context_;
};

[[nodiscard]] inline error_code make_error_code(error const& value) noexcept
{
    return value.code();
}
/// What `value()` of a failed result throws: a system_error with the error's own message.
[[noreturn]] void outcome_throw_as_system_error_with_payload(error const& value);

namespace outcome = boost::outcome_v2;

namespace detail {

/// `value()` of a failed result throws `system_error`; `error()` of a good one is a bug and asserts.
struct result_policy : outcome::policy::base {
    template <class Impl>
    static constexpr void wide_value_check(Impl&& self)
    {
        if (!base::_has_value(std::forward<Impl>(self)))
            outcome_throw_as_system_error_with_payload(base::_error(std::forward<Impl>(self)));
    }
    template <class Impl>
    static constexpr void wide_error_check(Impl&& self)
    {
        narrow_error_check(std::forward<Impl>(self));
    }
};

} // namespace detail

/// What every synchronous call returns, and what `as_result` gives under `co_await`.
template <class T>
using result = outcome::basic_result<T, error, detail::result_policy>;

/// `return errno_error("open /dev/infiniband/umad0");`: the calling thread's errno with a context. Read it at once.
[[nodiscard]] error errno_error(std::string context);
/// The same for an errno that was kept.
[[nodiscard]] error errno_error(int number, std::string context);

} // namespace madrigal

template <>
struct boost::system::is_error_code_enum<madrigal::errc> : std::true_type {};
