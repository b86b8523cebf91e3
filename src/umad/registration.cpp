#include <madrigal/umad/registration.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace madrigal::umad {
namespace {

constexpr std::uint32_t oui_limit = 0x00FF'FFFF;

/// ENOIOCTLCMD, an errno internal to the kernel that old ones let out.
constexpr int leaked_unknown_ioctl = 515;

error invalid(registration const& wanted, std::string_view why)
{
    return {errc::invalid_registration, fmt::format("{}: {}", to_string(wanted), why)};
}

bool is_errno(error_code code, int number)
{
    return code == error_code{number, boost::system::system_category()};
}

ib_user_mad_reg_req first_request(registration const& wanted)
{
    ib_user_mad_reg_req request{};
    auto const longs = wanted.methods.words<unsigned long>();
    static_assert(sizeof(longs) == sizeof(request.method_mask));
    std::memcpy(request.method_mask, longs.data(), sizeof(longs));
    request.qpn = static_cast<std::uint8_t>(wanted.queue_pair());
    request.mgmt_class = wanted.management_class;
    request.mgmt_class_version = wanted.class_version;
    if (needs_oui(wanted.management_class)) {
        request.oui[0] = static_cast<std::uint8_t>(wanted.oui >> 16);
        request.oui[1] = static_cast<std::uint8_t>(wanted.oui >> 8);
        request.oui[2] = static_cast<std::uint8_t>(wanted.oui);
    }
    request.rmpp_version = wanted.rmpp_version;
    return request;
}

ib_user_mad_reg_req2 second_request(registration const& wanted)
{
    ib_user_mad_reg_req2 request{};
    request.qpn = wanted.queue_pair();
    request.mgmt_class = wanted.management_class;
    request.mgmt_class_version = wanted.class_version;
    request.flags = wanted.flags;
    auto const words = wanted.methods.words<std::uint64_t>();
    request.method_mask[0] = words[0];
    request.method_mask[1] = words[1];
    request.oui = needs_oui(wanted.management_class) ? wanted.oui : 0;
    request.rmpp_version = wanted.rmpp_version;
    return request;
}

/// The flags that the kernel supports, or nothing where it does not know REGISTER_AGENT2. Asks by a request that no
/// kernel grants: all flags at once. One that knows the call refuses and writes the supported set back; one that does
/// not leaves the request as it is.
std::optional<std::uint32_t> ask_for_supported_flags(port_file& file)
{
    constexpr std::uint32_t all_flags = 0xFFFF'FFFF;
    auto request = second_request({.management_class = 0, .flags = all_flags});
    if (!file.register_agent2(request)) {
        // Not before bit 31 has a meaning; leave nothing behind.
        (void)file.unregister_agent(request.id);
        return all_flags;
    }
    if (request.flags == all_flags)
        return std::nullopt;
    return request.flags;
}

std::string_view advice(int number)
{
    switch (number) {
    case EINVAL:
        return "; the kernel does not accept this class, version or RMPP version, or another agent on the port "
               "answers one of these methods already";
    case ENOMEM: return "; one file holds 32 agents at most";
    case EPROTONOSUPPORT: return "; the port has no such queue pair for MADs";
    default: return "";
    }
}

/// One attempt to register, with all that its messages need.
class attempt {
public:
    attempt(port_file& file, registration const& wanted, std::string_view device, registration_detail& detail)
        : file_{file}, wanted_{wanted}, device_{device}, detail_{detail}
    {}

    result<registered_agent> run()
    {
        BOOST_OUTCOME_TRY(validate(wanted_));
        auto request = second_request(wanted_);
        auto const code = file_.register_agent2(request);
        if (!code)
            return accepted(request.id, registration_call::second);
        if (is_errno(code, ENOTTY) || is_errno(code, leaked_unknown_ioctl))
            return without_second_call(code);
        if (is_errno(code, EINVAL)) {
            // EINVAL has three meanings: a flag unknown, the call unknown, or all else that is wrong.
            if (request.flags != wanted_.flags)
                return flags_refused(code, request.flags);
            auto const supported = ask_for_supported_flags(file_);
            if (!supported)
                return without_second_call(code);
            if ((wanted_.flags & ~*supported) != 0)
                return flags_refused(code, *supported);
        }
        return refused(code);
    }

private:
    result<registered_agent> without_second_call(error_code code)
    {
        if (wanted_.flags != 0)
            return flags_refused(code, 0);
        auto request = first_request(wanted_);
        if (auto const first = file_.register_agent(request))
            return refused(first);
        return accepted(request.id, registration_call::first);
    }

    result<registered_agent> accepted(std::uint32_t id, registration_call call)
    {
        if (id >= max_agents) {
            (void)file_.unregister_agent(id);
            return error{errc::malformed_answer, fmt::format("{}: the kernel gave the agent number {}", subject(), id)};
        }
        return registered_agent{id, wanted_.queue_pair(), call};
    }

    error flags_refused(error_code code, std::uint32_t supported)
    {
        detail_.kernel = code;
        detail_.supported_flags = supported;
        return {errc::unsupported_flags, fmt::format("{}: flags {:#x} asked for, this kernel supports {:#x}: {}",
                                             subject(), wanted_.flags, supported, code.message())};
    }

    error refused(error_code code)
    {
        detail_.kernel = code;
        bool const gone = is_errno(code, EPIPE) || is_errno(code, EIO) || is_errno(code, ENODEV);
        return {gone ? errc::device_gone : errc::registration_refused,
            fmt::format("{}: {}{}", subject(), code.message(), gone ? "" : advice(code.value()))};
    }

    std::string subject() const { return fmt::format("register {} of {}", to_string(wanted_), device_); }

    port_file& file_;
    registration const& wanted_;
    std::string_view device_;
    registration_detail& detail_;
};

} // namespace

result<void> validate(registration const& wanted)
{
    if (wanted.queue_pair() > 1)
        return invalid(wanted, "MADs travel on queue pairs 0 and 1 only");
    if (wanted.management_class == 0) {
        if (!wanted.methods.empty())
            return invalid(wanted, "class 0 only sends, it cannot answer methods");
    } else if (wanted.queue_pair() != qpn_of_class(wanted.management_class)) {
        return invalid(wanted, "classes 0x01 and 0x81 live on QP0, all others on QP1");
    }
    if (needs_oui(wanted.management_class)) {
        if (wanted.oui == 0)
            return invalid(wanted, "the classes 0x30 to 0x4f need an OUI");
        if (wanted.oui > oui_limit)
            return invalid(wanted, "an OUI has 24 bits");
    }
    return outcome::success();
}

result<void> validate_oui_form(registration const& wanted)
{
    if (!needs_oui(wanted.management_class))
        return invalid(wanted, "only the classes 0x30 to 0x4f are registered with an OUI");
    return validate(wanted);
}

result<registered_agent> register_agent(
    port_file& file, registration const& wanted, std::string_view device, registration_detail* detail)
{
    registration_detail unused;
    auto& filled = detail != nullptr ? *detail : unused;
    filled = {};
    return attempt{file, wanted, device, filled}.run();
}

result<void> unregister_agent(port_file& file, std::uint32_t id, std::string_view device)
{
    if (auto const code = file.unregister_agent(id))
        return error{code, fmt::format("unregister agent {} of {}", id, device)};
    return outcome::success();
}

std::string to_string(registration const& value)
{
    auto text = fmt::format("class {:#04x} version {}", value.management_class, value.class_version);
    if (needs_oui(value.management_class))
        text += fmt::format(" OUI {:#08x}", value.oui);
    return text + fmt::format(" on QP{}", value.queue_pair());
}

} // namespace madrigal::umad
