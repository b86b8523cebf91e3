#include "umad/sysfs_reader.hpp"

#include <madrigal/umad/linux_port_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>

namespace madrigal::umad::sysfs {
namespace {

/// What one read of a sysfs attribute gives at most.
constexpr std::size_t page_size = 4096;

/// Bytes that a terminal can show, and not too many of them.
std::string printable(std::string_view text)
{
    constexpr std::size_t enough = 60;
    std::string shown;
    for (char const c : text.substr(0, enough)) {
        if (c >= ' ' && c <= '~')
            shown += c;
        else
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return text.size() > enough ? shown + "…" : shown;
}

} // namespace

bool is_absent(error const& why) noexcept
{
    auto const& system = boost::system::system_category();
    return why == error_code{ENOENT, system} || why == error_code{ENODEV, system} || why == error_code{ENOTDIR, system};
}

result<std::string> reader::text(std::string const& path) const
{
    // Non-blocking, so that a FIFO in the place of a file cannot hold us up.
    int const descriptor = calls_->open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return errno_error(path);
    owned_descriptor const file{descriptor, calls_};

    std::array<char, page_size + 1> buffer; // NOLINT: filled by read
    std::size_t size = 0;
    while (size != buffer.size()) {
        auto const got = calls_->read(file.get(), buffer.data() + size, buffer.size() - size);
        if (got == 0)
            break;
        if (got > 0)
            size += static_cast<std::size_t>(got);
        else if (errno != EINTR)
            return errno_error(path);
    }
    std::string_view found{buffer.data(), size};
    if (size > page_size)
        return malformed(path, found);
    while (found.ends_with('\n') || found.ends_with('\0'))
        found.remove_suffix(1);
    return std::string{found};
}

result<std::vector<std::string>> reader::names(std::string const& path) const
{
    std::vector<std::string> found;
    if (calls_->list_directory(path.c_str(), found) < 0)
        return errno_error(path);
    std::sort(found.begin(), found.end());
    return found;
}

bool reader::has_directory(std::string const& path) const
{
    std::vector<std::string> ignored;
    return calls_->list_directory(path.c_str(), ignored) == 0;
}

error reader::malformed(std::string const& path, std::string_view found)
{
    return {errc::malformed_sysfs_value, fmt::format("{} holds \"{}\"", path, printable(found))};
}

} // namespace madrigal::umad::sysfs
