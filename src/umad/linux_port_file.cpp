#include <madrigal/umad/linux_port_file.hpp>

#include <cerrno>
#include <utility>

namespace madrigal::umad {
namespace {

error_code last_error() noexcept
{
    return {errno, boost::system::system_category()};
}

} // namespace

owned_descriptor::owned_descriptor(int descriptor, std::shared_ptr<system_calls> calls) noexcept
    : descriptor_{descriptor}, calls_{std::move(calls)}
{}

owned_descriptor::~owned_descriptor()
{
    // Linux frees the number even when close fails, so there is nothing to try again.
    (void)calls_->close(descriptor_);
}

linux_port_file::linux_port_file(int descriptor, std::shared_ptr<system_calls> calls) noexcept
    : descriptor_{descriptor, std::move(calls)}
{}

int linux_port_file::native_handle() const noexcept
{
    return descriptor_.get();
}

result<std::size_t> linux_port_file::read(std::span<std::byte> buffer) noexcept
{
    auto const size = descriptor_.calls().read(descriptor_.get(), buffer.data(), buffer.size());
    if (size < 0)
        return error{last_error()};
    return static_cast<std::size_t>(size);
}

result<std::size_t> linux_port_file::write(std::span<std::byte const> packet) noexcept
{
    auto const size = descriptor_.calls().write(descriptor_.get(), packet.data(), packet.size());
    if (size < 0)
        return error{last_error()};
    return static_cast<std::size_t>(size);
}

error_code linux_port_file::control(unsigned long request, void* argument) noexcept
{
    return descriptor_.calls().ioctl(descriptor_.get(), request, argument) < 0 ? last_error() : error_code{};
}

error_code linux_port_file::enable_pkey() noexcept
{
    return control(enable_pkey_ioctl, nullptr);
}

error_code linux_port_file::register_agent(ib_user_mad_reg_req& request) noexcept
{
    return control(register_agent_ioctl, &request);
}

error_code linux_port_file::register_agent2(ib_user_mad_reg_req2& request) noexcept
{
    return control(register_agent2_ioctl, &request);
}

error_code linux_port_file::unregister_agent(std::uint32_t id) noexcept
{
    return control(unregister_agent_ioctl, &id);
}

linux_issm_file::linux_issm_file(int descriptor, std::shared_ptr<system_calls> calls) noexcept
    : descriptor_{descriptor, std::move(calls)}
{}

} // namespace madrigal::umad
