// A umad file with a made-up kernel behind it: registration only, for tests that want a certain kernel's answers.
#pragma once

#include <madrigal/umad/port_file.hpp>

#include <cerrno>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace madrigal::umad::test {

inline error_code system_error(int number)
{
    return {number, boost::system::system_category()};
}

/// What the kernel is like, and what has been asked of it. Held apart from the file, which a test may have moved away.
struct fake_kernel {
    /// The errno for REGISTER_AGENT2 on a kernel that does not know it; 0: it does.
    int second_call_unknown = 0;
    std::uint32_t supported_flags = user_rmpp;
    /// The errno for ENABLE_PKEY; 0: it succeeds.
    int enable_pkey = 0;
    /// The errno for every registration that is well-formed; 0: it is granted.
    int refuse = 0;
    /// Agents of class 0 are granted all the same.
    bool grant_senders = false;
    /// Added to each agent id that is handed out.
    std::uint32_t id_offset = 0;

    std::vector<ib_user_mad_reg_req> first_calls{};
    std::vector<ib_user_mad_reg_req2> second_calls{};
    int enable_pkey_calls = 0;
    std::set<std::uint32_t> agents{};

    error_code grant(std::uint32_t& id, std::uint8_t management_class)
    {
        if (refuse != 0 && !(grant_senders && management_class == 0))
            return system_error(refuse);
        std::uint32_t lowest = 0;
        while (agents.contains(lowest))
            ++lowest;
        if (lowest >= max_agents)
            return system_error(ENOMEM);
        agents.insert(lowest);
        id = lowest + id_offset;
        return {};
    }
};

class fake_port_file final : public port_file {
public:
    explicit fake_port_file(std::shared_ptr<fake_kernel> kernel) : kernel_{std::move(kernel)} {}

    [[nodiscard]] int native_handle() const noexcept override { return -1; }
    result<std::size_t> read(std::span<std::byte> /*buffer*/) noexcept override { return error{system_error(EAGAIN)}; }
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override { return packet.size(); }

    error_code enable_pkey() noexcept override
    {
        ++kernel_->enable_pkey_calls;
        return kernel_->enable_pkey == 0 ? error_code{} : system_error(kernel_->enable_pkey);
    }

    error_code register_agent(ib_user_mad_reg_req& request) noexcept override
    {
        kernel_->first_calls.push_back(request);
        return kernel_->grant(request.id, request.mgmt_class);
    }

    error_code register_agent2(ib_user_mad_reg_req2& request) noexcept override
    {
        kernel_->second_calls.push_back(request);
        if (kernel_->second_call_unknown != 0)
            return system_error(kernel_->second_call_unknown);
        if ((request.flags & ~kernel_->supported_flags) != 0) {
            request.flags = kernel_->supported_flags;
            return system_error(EINVAL);
        }
        return kernel_->grant(request.id, request.mgmt_class);
    }

    error_code unregister_agent(std::uint32_t id) noexcept override
    {
        return kernel_->agents.erase(id) == 1 ? error_code{} : system_error(EINVAL);
    }

private:
    std::shared_ptr<fake_kernel> kernel_;
};

} // namespace madrigal::umad::test
