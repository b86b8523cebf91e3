#include <madrigal/umad/system_calls.hpp>

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>

namespace madrigal::umad {

int system_calls::open(char const* path, int flags) noexcept
{
    return ::open(path, flags);
}

int system_calls::close(int descriptor) noexcept
{
    return ::close(descriptor);
}

ssize_t system_calls::read(int descriptor, void* buffer, std::size_t size) noexcept
{
    return ::read(descriptor, buffer, size);
}

ssize_t system_calls::write(int descriptor, void const* buffer, std::size_t size) noexcept
{
    return ::write(descriptor, buffer, size);
}

int system_calls::ioctl(int descriptor, unsigned long request, void* argument) noexcept
{
    return ::ioctl(descriptor, request, argument);
}

int system_calls::list_directory(char const* path, std::vector<std::string>& names)
{
    std::unique_ptr<DIR, int (*)(DIR*)> const directory{::opendir(path), ::closedir};
    if (!directory)
        return -1;
    names.clear();
    for (;;) {
        errno = 0;
        dirent const* const entry = ::readdir(directory.get());
        if (entry == nullptr)
            return errno == 0 ? 0 : -1;
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
            names.emplace_back(entry->d_name);
    }
}

std::shared_ptr<system_calls> const& linux_system_calls()
{
    static auto const calls = std::make_shared<system_calls>();
    return calls;
}

} // namespace madrigal::umad
