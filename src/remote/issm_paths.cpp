#include "remote/issm_paths.hpp"

#include "remote/log.hpp"

#include <madrigal/umad/host.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace madrigal::remote {
namespace {

using wait_type = boost::asio::posix::stream_descriptor::wait_type;

} // namespace

struct issm_paths::path {
    std::filesystem::path file;
    machine_and_ca where;
    unsigned port = 0;
    /// The writing end; open as long as somebody reads.
    std::unique_ptr<boost::asio::posix::stream_descriptor> watch;
    std::unique_ptr<umad::issm_file> held;
};

issm_paths::issm_paths(
    boost::asio::any_io_executor executor, std::filesystem::path const& socket, server_counters& counters)
    : executor_{std::move(executor)}, socket_{socket}, folder_{socket.native() + ".issm"}, counters_{counters}
{
    folder_ = std::filesystem::absolute(folder_); // a daemon may change its folder before it opens the path
}

issm_paths::~issm_paths()
{
    end();
}

void issm_paths::end()
{
    if (!opens_)
        return;
    opens_.reset();
    by_watch_.clear();
    for (auto const& [name, one] : by_name_) {
        one->watch.reset();
        one->held.reset();
        (void)::unlink(one->file.c_str());
    }
    by_name_.clear();
    (void)::rmdir(folder_.c_str());
}

error issm_paths::begin()
{
    if (opens_)
        return {};
    // Who may write to the socket may become subnet manager.
    struct stat told {};
    if (::stat(socket_.c_str(), &told) == 0)
        mode_ = 0600 | ((told.st_mode & 0020) != 0 ? 0060u : 0u) | ((told.st_mode & 0002) != 0 ? 0006u : 0u);
    if (::mkdir(folder_.c_str(), 0755) != 0 && errno != EEXIST)
        return errno_error("making " + folder_.native());
    // Where others may write, what is in it may be anything.
    if (::lstat(folder_.c_str(), &told) != 0 || !S_ISDIR(told.st_mode) || told.st_uid != ::geteuid() ||
        (told.st_mode & 0022) != 0)
        return errno_error(EPERM, folder_.native() + " is not a folder of this user's alone; remove it");
    int const watching = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watching < 0)
        return errno_error("inotify, for " + folder_.native());
    opens_ = std::make_unique<boost::asio::posix::stream_descriptor>(executor_, watching);
    wait_for_opens();
    return {};
}

result<std::string> issm_paths::path_of(machine_and_ca const& where, unsigned port)
{
    // Device names repeat from machine to machine, GUIDs do not.
    BOOST_OUTCOME_TRY(auto const told, where.machine->query_port(where.ca, port));
    if (auto const failed = begin(); failed.code())
        return failed;
    auto const name = fmt::format("{}-{}", to_string(told.port_guid), port);
    struct stat there {};
    auto const known = by_name_.find(name);
    if (known != by_name_.end() && ::lstat(known->second->file.c_str(), &there) == 0 && S_ISFIFO(there.st_mode))
        return known->second->file.native();
    auto const one = known != by_name_.end() ? known->second : std::make_shared<path>();
    one->file = folder_ / name;
    one->where = where;
    one->port = port;
    (void)::unlink(one->file.c_str()); // of a server that has died
    if (::mkfifo(one->file.c_str(), 0600) != 0 || ::chmod(one->file.c_str(), mode_) != 0)
        return errno_error("making " + one->file.native());
    int const watch = ::inotify_add_watch(opens_->native_handle(), one->file.c_str(), IN_OPEN);
    if (watch < 0)
        return errno_error("watching " + one->file.native());
    by_name_.insert_or_assign(name, one);
    by_watch_.insert_or_assign(watch, one);
    return one->file.native();
}

void issm_paths::wait_for_opens()
{
    opens_->async_wait(wait_type::wait_read, [this](error_code const& failed) {
        if (failed || !opens_)
            return;
        look_at_opens();
        wait_for_opens();
    });
}

void issm_paths::look_at_opens()
{
    alignas(inotify_event) std::array<char, 4096> events{};
    for (;;) {
        auto const size = ::read(opens_->native_handle(), events.data(), events.size());
        if (size <= 0)
            return;
        for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(size);) {
            inotify_event event{};
            std::memcpy(&event, events.data() + at, sizeof event);
            at += sizeof event + event.len;
            if ((event.mask & IN_Q_OVERFLOW) != 0) {
                look_at_all();
                continue;
            }
            auto const found = by_watch_.find(event.wd);
            if (found == by_watch_.end())
                continue;
            if ((event.mask & IN_IGNORED) != 0)
                by_watch_.erase(found); // somebody has removed it
            else
                look_at(std::shared_ptr{found->second});
        }
    }
}

/// Becomes subnet manager for whoever reads the FIFO, if anybody does.
void issm_paths::look_at(std::shared_ptr<path> const& one)
{
    if (!one->watch) {
        int const writing = ::open(one->file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
        if (writing < 0)
            return; // nobody reads it any more
        one->watch = std::make_unique<boost::asio::posix::stream_descriptor>(executor_, writing);
        wait_for_close(one);
    }
    if (one->held) {
        // What was held of a device that has gone since is no more than the memory of it.
        auto const told = one->where.machine->query_port(one->where.ca, one->port);
        if (!told || (told.value().capability_mask & umad::cap_is_sm) != 0)
            return;
        let_go(*one);
    }
    auto held = one->where.machine->open_issm(one->where.ca, one->port);
    if (!held) {
        log().info("{}: {}", one->file.native(), held.error().message());
        return;
    }
    one->held = std::move(held).value();
    ++counters_.issm_files;
}

void issm_paths::let_go(path& one)
{
    if (!one.held)
        return;
    one.held.reset();
    --counters_.issm_files;
}

void issm_paths::wait_for_close(std::shared_ptr<path> const& one)
{
    one->watch->async_wait(wait_type::wait_error, [this, one](error_code const& failed) {
        if (failed || !opens_ || !one->watch)
            return;
        one->watch.reset();
        let_go(*one);
        // Somebody may have opened it in the meantime.
        look_at(one);
        try_again();
    });
}

void issm_paths::look_at_all()
{
    auto const all = by_name_;
    for (auto const& [name, one] : all)
        look_at(one);
}

void issm_paths::try_again()
{
    auto const all = by_name_;
    for (auto const& [name, one] : all)
        if (one->watch && !one->held)
            look_at(one);
}

void issm_paths::bury_the_dead()
{
    for (auto const& [name, one] : by_name_) {
        pollfd look{.fd = one->watch ? one->watch->native_handle() : -1, .events = 0, .revents = 0};
        if (one->held && ::poll(&look, 1, 0) > 0 && (look.revents & POLLERR) != 0)
            let_go(*one); // its handler does the rest
    }
}

} // namespace madrigal::remote
