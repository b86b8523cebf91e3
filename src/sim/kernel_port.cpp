#include <sim/kernel_port.hpp>

#include <sim/core.hpp>
#include <sim/kernel_file.hpp>
#include <sim/kernel_rmpp.hpp>

#include <algorithm>
#include <cerrno>

namespace madrigal::sim {
namespace {

std::uint32_t oui_of(std::uint8_t mgmt_class, std::uint32_t oui) noexcept
{
    return is_vendor_with_oui(static_cast<management_class>(mgmt_class)) ? oui : 0;
}

} // namespace

kernel_agent::kernel_agent() noexcept = default;
kernel_agent::~kernel_agent() = default;

kernel_port::kernel_port(core& of, topology::endpoint where, unsigned umad_number) noexcept
    : core_{of}, where_{where}, umad_number_{umad_number}
{}

void kernel_port::remove(kernel_file& file) noexcept
{
    std::erase(files_, &file);
}

kernel_port::service const* kernel_port::find(
    std::uint8_t mgmt_class, std::uint8_t version, std::uint32_t oui) const noexcept
{
    for (auto const& one : services_)
        if (one.mgmt_class == mgmt_class && one.class_version == version && one.oui == oui)
            return &one;
    return nullptr;
}

int kernel_port::enter(kernel_agent& agent)
{
    auto const& wanted = agent.registered;
    if (wanted.mgmt_class == 0 || wanted.methods.none())
        return 0;
    auto const oui = oui_of(wanted.mgmt_class, wanted.oui);
    auto* present = const_cast<service*>(find(wanted.mgmt_class, wanted.class_version, oui)); // NOLINT: our own
    if (present == nullptr)
        present = &services_.emplace_back(service{wanted.mgmt_class, wanted.class_version, oui, {}});
    for (std::size_t method = 0; method != wanted.methods.size(); ++method)
        if (wanted.methods[method] && present->by_method[method] != nullptr)
            return EINVAL;
    for (std::size_t method = 0; method != wanted.methods.size(); ++method)
        if (wanted.methods[method])
            present->by_method[method] = &agent;
    return 0;
}

void kernel_port::leave(kernel_agent& agent) noexcept
{
    for (auto& one : services_)
        std::replace(one.by_method.begin(), one.by_method.end(), &agent, static_cast<kernel_agent*>(nullptr));
    std::erase_if(services_, [](service const& one) {
        return std::all_of(
            one.by_method.begin(), one.by_method.end(), [](auto* agent_of) { return agent_of == nullptr; });
    });
}

kernel_agent* kernel_port::server_for(packet const& one) const noexcept
{
    auto const mad = one.view();
    auto const mgmt_class = static_cast<std::uint8_t>(mad.mgmt_class());
    auto const method = static_cast<std::uint8_t>(mad.method());
    if (method >= 128)
        return nullptr;
    // Bytes 37 to 39 tell whose vendor class it is.
    auto const* const found = find(mgmt_class, mad.class_version(),
        oui_of(mgmt_class, static_cast<std::uint32_t>(load_bits<296, 24>(one.mad.data()))));
    return found == nullptr ? nullptr : found->by_method[method];
}

void kernel_port::receive(packet& one)
{
    auto const mad = one.view();
    if (mad.is_response()) {
        auto const found = core_.agents.find(static_cast<std::uint32_t>(mad.transaction_id() >> 32));
        if (found == core_.agents.end() || found->second->file->port() != this)
            core_.drop(one, drop_reason::late_answer);
        else
            found->second->file->take_answer(*found->second, one);
        return;
    }
    if (auto* const agent = server_for(one))
        agent->file->take_request(*agent, one);
    else
        core_.refuse_unmatched(one);
}

} // namespace madrigal::sim
