#include <madrigal/error.hpp>
#include <madrigal/wire/status.hpp>

#include <cerrno>

namespace madrigal {
namespace {

class errc_category_type final : public boost::system::error_category {
public:
    constexpr errc_category_type() noexcept : error_category{0x6d61'6472'6967'616cULL} {}

    char const* name() const noexcept override { return "madrigal"; }

    std::string message(int value) const override
    {
        switch (static_cast<errc>(value)) {
        case errc::timeout: return "no answer within the timeout and all retries";
        case errc::device_gone: return "the device is gone";
        case errc::agent_closed: return "the agent is closed";
        case errc::queue_full: return "the agent's queue is full";
        case errc::malformed_answer: return "the answer is malformed";
        case errc::already_replied: return "the request has been replied to already";
        case errc::no_infiniband: return "no InfiniBand on this machine (ib_umad not loaded, or no adapter)";
        case errc::no_such_ca: return "no such CA";
        case errc::no_such_port: return "no such port";
        case errc::no_usable_port: return "no usable port";
        case errc::registration_refused: return "the kernel refused the registration";
        case errc::invalid_registration: return "invalid registration";
        case errc::unsupported_flags: return "registration flags not supported";
        case errc::malformed_sysfs_value: return "missing or malformed value in sysfs";
        case errc::malformed_topology: return "malformed topology file";
        case errc::malformed_uri: return "malformed host URI";
        case errc::invalid_argument: return "argument out of range";
        case errc::no_subnet_manager: return "no subnet manager";
        case errc::too_many_redirections: return "too many redirections";
        case errc::redirected_to_gid: return "redirected to a GID without a LID, which is not supported";
        case errc::unusable_redirection: return "redirected to where this port cannot ask";
        case errc::unknown_attribute: return "unknown attribute";
        case errc::no_such_node: return "no such node";
        case errc::incomplete_sweep: return "the sweep is incomplete";
        case errc::message_too_long: return "the message is longer than the agent's options for RMPP allow";
        }
        return "unknown madrigal error " + std::to_string(value);
    }
};

constinit errc_category_type const errc_instance{};

/// Values are the management class and the status, 8 and 16 bits.
class mad_status_category_type final : public boost::system::error_category {
public:
    constexpr mad_status_category_type() noexcept : error_category{0x6d61'6473'7461'7475ULL} {}

    char const* name() const noexcept override { return "mad status"; }

    std::string message(int value) const override
    {
        return "the answer has MAD status " +
               describe_status(static_cast<management_class>(value >> 16 & 0xFF), static_cast<std::uint16_t>(value));
    }
};

constinit mad_status_category_type const mad_status_instance{};

} // namespace

boost::system::error_category const& errc_category() noexcept
{
    return errc_instance;
}

error_code make_error_code(errc value) noexcept
{
    return {static_cast<int>(value), errc_category()};
}

boost::system::error_category const& mad_status_category() noexcept
{
    return mad_status_instance;
}

error_code make_mad_status(management_class class_of_mad, std::uint16_t status) noexcept
{
    if (status == 0)
        return {};
    return {static_cast<int>(class_of_mad) << 16 | status, mad_status_instance};
}

std::uint16_t mad_status_of(error_code code) noexcept
{
    return code.category() == mad_status_instance ? static_cast<std::uint16_t>(code.value()) : 0;
}

std::string const& error::context() const noexcept
{
    static std::string const none;
    return context_ ? *context_ : none;
}

std::string error::message() const
{
    return context_ ? *context_ + ": " + code_.message() : code_.message();
}

void outcome_throw_as_system_error_with_payload(error const& value)
{
    throw boost::system::system_error{value.code(), value.context()};
}

error errno_error(int number, std::string context)
{
    return {error_code{number, boost::system::system_category()}, std::move(context)};
}

error errno_error(std::string context)
{
    int const number = errno;
    return errno_error(number, std::move(context));
}

} // namespace madrigal
