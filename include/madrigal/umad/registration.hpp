// Registering an agent with the kernel: what is asked for, what comes back, and what went wrong if nothing does.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/method_mask.hpp>
#include <madrigal/umad/port_file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal::umad {

/// The OUI under which the vendor classes of OpenIB's tools are registered (ibping, ibsysstat, mcm_rereg_test).
inline constexpr std::uint32_t openib_oui = 0x001405;

/// True for 0x30 to 0x4f, the vendor classes that carry an OUI (IBA 16.5: vendor range 2).
[[nodiscard]] constexpr bool needs_oui(std::uint8_t management_class) noexcept
{
    return management_class >= 0x30 && management_class <= 0x4f;
}

/// The queue pair that a class lives on: 0 for SMPs (classes 0x01 and 0x81), 1 for all else.
[[nodiscard]] constexpr std::uint32_t qpn_of_class(std::uint8_t management_class) noexcept
{
    return management_class == 0x01 || management_class == 0x81 ? 0 : 1;
}

/// What an agent is registered with: `umad_reg_attr` of umad_register2(3). All integers are in host byte order.
struct registration {
    /// Management class; 0 for a client that only sends and never answers.
    std::uint8_t management_class = 0;
    std::uint8_t class_version = 1;
    /// The requests to answer; empty for a client, which gets the answers to its own requests only.
    method_mask methods{};
    /// 24 bits, host byte order. Required for the classes 0x30 to 0x4f, ignored for all others.
    std::uint32_t oui = 0;
    /// 1: the kernel does RMPP (with `user_rmpp` in the flags: the agent does); 0: no RMPP.
    std::uint8_t rmpp_version = 0;
    /// `user_rmpp` or 0.
    std::uint32_t flags = 0;
    /// The queue pair; where it is not given the class decides. Only class 0 has a choice.
    std::optional<std::uint32_t> qpn{};

    /// The queue pair in force: the one given, else that of the class.
    [[nodiscard]] constexpr std::uint32_t queue_pair() const noexcept
    {
        return qpn.value_or(qpn_of_class(management_class));
    }

    /// The same registration as a server that also gets these requests: `vendor_class(0x32, oui).serving(method::get)`.
    template <class... Methods>
    [[nodiscard]] constexpr registration serving(Methods... served) const
    {
        registration with = *this;
        with.methods = with.methods | method_mask::of(served...);
        return with;
    }
};

/// A client of the directed-route subnet management class, 0x81.
[[nodiscard]] constexpr registration subnet_directed_route() noexcept
{
    return {.management_class = 0x81};
}
/// A client of the LID-routed subnet management class, 0x01.
[[nodiscard]] constexpr registration subnet_lid_routed() noexcept
{
    return {.management_class = 0x01};
}
/// A client of subnet administration: class 0x03 in version 2, with RMPP done by the kernel.
[[nodiscard]] constexpr registration subnet_administration() noexcept
{
    return {.management_class = 0x03, .class_version = 2, .rmpp_version = 1};
}
/// A client of performance management, class 0x04.
[[nodiscard]] constexpr registration performance() noexcept
{
    return {.management_class = 0x04};
}
/// A client of a vendor class; `oui` counts for the classes 0x30 to 0x4f only.
[[nodiscard]] constexpr registration vendor_class(std::uint8_t management_class, std::uint32_t oui) noexcept
{
    return {.management_class = management_class, .oui = oui};
}
/// A client that only sends, on the queue pair named.
[[nodiscard]] constexpr registration send_only(std::uint32_t qpn) noexcept
{
    return {.qpn = qpn};
}

/// Which of the two system calls registered an agent. The second, as a file's first, turns 64-byte headers on.
enum class registration_call : std::uint8_t { first, second };

/// What the kernel gave.
struct registered_agent {
    std::uint32_t id = 0;  ///< 0 to 31; the agent's number in packet headers and for unregistering
    std::uint32_t qpn = 1; ///< 0 or 1
    registration_call call = registration_call::second;
};

/// What stands behind a failed registration, for those who want more than the error.
struct registration_detail {
    /// The kernel's errno in the system category; none where the registration never reached the kernel.
    error_code kernel;
    /// With errc::unsupported_flags: the flags that this kernel supports (umad_register2(3) promises them), 0 on a
    /// kernel that knows no flags at all.
    std::optional<std::uint32_t> supported_flags;
};

/// Checks what needs no kernel: the classes 0x30 to 0x4f have a non-zero OUI of 24 bits, class 0 has no methods, the
/// queue pair fits the class. errc::invalid_registration otherwise, with a sentence that says which.
[[nodiscard]] result<void> validate(registration const& wanted);

/// The stricter check that umad_register_oui(3) promises: as `validate`, and the class is one of 0x30 to 0x4f.
[[nodiscard]] result<void> validate_oui_form(registration const& wanted);

/// Registers an agent on an open file: by REGISTER_AGENT2, or by the first call where the kernel does not know the
/// second and no flags are asked for. Safe for every class from 0 to 255.
///
/// `device` names the port in messages: `mlx5_0 port 1 (/dev/infiniband/umad0)`. `detail`, where given, is filled on
/// failure.
///
/// Errors: errc::invalid_registration (refused here, before the kernel: umad_register's −EINVAL);
/// errc::unsupported_flags (the kernel lacks a flag; the detail says which it has); errc::device_gone;
/// errc::registration_refused (any other refusal of the kernel: umad_register's −EPERM). The message names class,
/// version, queue pair, device and the errno's text; the errno itself is in the detail.
///
/// Source: umad_register(3), umad_register2(3), Linux include/uapi/rdma/ib_user_mad.h.
[[nodiscard]] result<registered_agent> register_agent(
    port_file& file, registration const& wanted, std::string_view device, registration_detail* detail = nullptr);

/// Unregisters an agent; answers to its requests still under way are dropped. Errors are the kernel's errno, EINVAL for
/// an id that is not registered (umad_unregister(3)).
[[nodiscard]] result<void> unregister_agent(port_file& file, std::uint32_t id, std::string_view device);

/// `class 0x32 version 1 OUI 0x001405 on QP1`
[[nodiscard]] std::string to_string(registration const& value);

} // namespace madrigal::umad
