// Registering and unregistering agents.
#include "libibumad/entry_point.hpp"
#include "libibumad/log.hpp"
#include "libibumad/open_ports.hpp"

#include <cstring>

namespace madrigal::libibumad {
namespace {

umad::method_mask methods_of(long const* mask)
{
    std::array<std::uint64_t, 2> words{};
    if (mask == nullptr)
        return {};
    // Native longs: method m is bit m mod W of long m div W.
    constexpr unsigned width = 8 * sizeof(long);
    for (unsigned method = 0; method != umad::method_mask::size; ++method)
        if ((static_cast<unsigned long>(mask[method / width]) >> method % width & 1) != 0)
            words[method / 64] |= std::uint64_t{1} << method % 64;
    return umad::method_mask::from_words(words);
}

/// The kernel does not look at the methods of class 0, which only sends.
void drop_methods_of_a_sender(umad::registration& wanted)
{
    if (wanted.management_class == 0)
        wanted.methods = {};
}

/// As umad_register and umad_register_oui answer: the agent, or EPERM whatever is wrong.
verdict register_on(int portid, umad::registration wanted)
{
    auto const port = open_ports::of_process().find(portid);
    if (port == nullptr)
        return refused(EINVAL);
    drop_methods_of_a_sender(wanted);
    umad::registration_detail detail;
    auto const agent = port->register_agent(wanted, detail);
    if (!agent) {
        debug("{}", agent.error().message());
        return refused_as(EPERM, detail.kernel ? detail.kernel.value() : EINVAL);
    }
    debug("{}: agent {} is {}", portid, agent.value().id, to_string(wanted));
    return {static_cast<int>(agent.value().id)};
}

verdict register_with_attributes(int portid, umad_reg_attr& attributes, std::uint32_t& id)
{
    auto const positive = [](int number) { return verdict{number, number}; };
    auto const port = open_ports::of_process().find(portid);
    if (port == nullptr)
        return positive(EBADF);
    umad::registration wanted{.management_class = attributes.mgmt_class,
        .class_version = attributes.mgmt_class_version,
        .methods = umad::method_mask::from_words({attributes.method_mask[0], attributes.method_mask[1]}),
        .oui = attributes.oui,
        .rmpp_version = attributes.rmpp_version,
        .flags = attributes.flags};
    drop_methods_of_a_sender(wanted);
    umad::registration_detail detail;
    auto const agent = port->register_agent(wanted, detail);
    if (agent) {
        id = agent.value().id;
        debug("{}: agent {} is {}", portid, id, to_string(wanted));
        return {};
    }
    debug("{}", agent.error().message());
    if (detail.supported_flags) {
        attributes.flags = *detail.supported_flags;
        return positive(EINVAL); // also of a kernel that does not know the call and says ENOTTY
    }
    return positive(detail.kernel ? detail.kernel.value() : EINVAL);
}

constexpr bool is_byte(int number) noexcept
{
    return number >= 0 && number <= 0xFF;
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

int umad_register(int portid, int mgmt_class, int mgmt_version, std::uint8_t rmpp_version, long* method_mask)
{
    return uncancelled([&]() -> verdict {
        if (!is_byte(mgmt_class) || !is_byte(mgmt_version))
            return refused_as(EPERM, EINVAL);
        return register_on(portid, {.management_class = static_cast<std::uint8_t>(mgmt_class),
                                       .class_version = static_cast<std::uint8_t>(mgmt_version),
                                       .methods = methods_of(method_mask),
                                       .oui = madrigal::umad::openib_oui,
                                       .rmpp_version = rmpp_version});
    });
}

int umad_register_oui(int portid, int mgmt_class, std::uint8_t rmpp_version, std::uint8_t* oui, long* method_mask)
{
    return uncancelled([&]() -> verdict {
        if (!is_byte(mgmt_class) || !madrigal::umad::needs_oui(static_cast<std::uint8_t>(mgmt_class)) || oui == nullptr)
            return refused(EINVAL);
        return register_on(portid, {.management_class = static_cast<std::uint8_t>(mgmt_class),
                                       .methods = methods_of(method_mask),
                                       .oui = std::uint32_t{oui[0]} << 16 | std::uint32_t{oui[1]} << 8 | oui[2],
                                       .rmpp_version = rmpp_version});
    });
}

/// Flags that the kernel does not support come back as EINVAL with the supported ones in `attr->flags`, as the manual
/// page promises and libibumad does not do.
int umad_register2(int port_fd, umad_reg_attr* attr, std::uint32_t* agent_id)
{
    return uncancelled([&]() -> verdict {
        if (attr == nullptr || agent_id == nullptr)
            return {EINVAL, EINVAL};
        return register_with_attributes(port_fd, *attr, *agent_id);
    });
}

int umad_unregister(int portid, int agentid)
{
    return uncancelled([&]() -> verdict {
        auto const port = open_ports::of_process().find(portid);
        if (port == nullptr)
            return refused(EINVAL);
        auto const done = port->unregister_agent(static_cast<std::uint32_t>(agentid));
        if (done)
            return {};
        debug("{}", done.error().message());
        return refused(done.error().code().value());
    });
}

} // extern "C"
