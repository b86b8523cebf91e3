#include <madrigal/umad/umad_file.hpp>

#include <utility>

namespace madrigal::umad {

umad_file::umad_file(std::unique_ptr<port_file> file, std::string device) noexcept
    : file_{std::move(file)}, device_{std::move(device)}, pkey_mode_{!file_->enable_pkey()}
{}

result<registered_agent> umad_file::register_agent(registration const& wanted, registration_detail* detail)
{
    auto agent = umad::register_agent(*file_, wanted, device_, detail);
    if (agent) {
        if (!registered_before_ && agent.value().call == registration_call::second)
            pkey_mode_ = true;
        registered_before_ = true;
    }
    return agent;
}

result<void> umad_file::unregister_agent(std::uint32_t id)
{
    return umad::unregister_agent(*file_, id, device_);
}

} // namespace madrigal::umad
