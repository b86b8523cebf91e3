// System calls that a test watches or bends.
#pragma once

#include "umad/fake_port_file.hpp"

#include <madrigal/umad/system_calls.hpp>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace madrigal::umad::test {

/// The real calls, save for what is set here.
class test_calls final : public system_calls {
public:
    int open(char const* path, int flags) noexcept override
    {
        last_flags = flags;
        if (before_open)
            before_open(path);
        if (auto const found = open_errors.find(path); found != open_errors.end()) {
            errno = found->second;
            return -1;
        }
        return system_calls::open(path, flags);
    }

    ssize_t read(int descriptor, void* buffer, std::size_t size) noexcept override
    {
        if (read_error != 0) {
            errno = std::exchange(read_error, 0);
            return -1;
        }
        return system_calls::read(descriptor, buffer, size);
    }

    int ioctl(int descriptor, unsigned long request, void* argument) noexcept override
    {
        last_ioctl = request;
        if (!kernel)
            return system_calls::ioctl(descriptor, request, argument);
        fake_port_file file{kernel};
        error_code failed = system_error(ENOTTY);
        if (request == register_agent_ioctl)
            failed = file.register_agent(*static_cast<ib_user_mad_reg_req*>(argument));
        else if (request == register_agent2_ioctl)
            failed = file.register_agent2(*static_cast<ib_user_mad_reg_req2*>(argument));
        else if (request == unregister_agent_ioctl)
            failed = file.unregister_agent(*static_cast<std::uint32_t*>(argument));
        else if (request == enable_pkey_ioctl)
            failed = file.enable_pkey();
        errno = failed.value();
        return failed ? -1 : 0;
    }

    /// Called with each path before it is opened.
    std::function<void(std::string const&)> before_open;
    std::map<std::string, int> open_errors;
    /// The errno of the next read; once.
    int read_error = 0;
    int last_flags = 0;
    unsigned long last_ioctl = 0;
    /// Answers ioctls where it is set.
    std::shared_ptr<fake_kernel> kernel;
};

/// How many descriptors this process has open.
inline std::ptrdiff_t count_descriptors()
{
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{});
}

} // namespace madrigal::umad::test
