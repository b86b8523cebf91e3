#include "libibumad/open_ports.hpp"

#include "libibumad/process_host.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace madrigal::libibumad {
namespace {

/// How much shorter the kernel's header is than the program's. Programs always see the long one: umad_size(3) does not
/// say of which port.
constexpr std::size_t missing(std::size_t header_size) noexcept
{
    return umad::header_size - header_size;
}

/// Turns the short header, which lies right before the MAD, into the long one.
void lengthen_header(std::byte* umad) noexcept
{
    constexpr auto gap = missing(umad::old_header_size);
    std::memmove(umad, umad + gap, umad::old_header_size);
    std::memset(umad + umad::old_header_size, 0, gap);
}

int number_of(error_code code) noexcept
{
    if (code.category() != boost::system::system_category())
        return EIO;
    // The program has closed the descriptor itself, and perhaps opened something else under its number.
    int const number = code.value();
    return number == EBADF || number == ENOTSOCK || number == ENOTCONN ? EINVAL : number;
}

std::pair<dev_t, ino_t> identity_of(int descriptor) noexcept
{
    struct stat told {};
    return ::fstat(descriptor, &told) == 0 ? std::pair{told.st_dev, told.st_ino} : std::pair<dev_t, ino_t>{};
}

/// The fork handlers are there before any thread is.
[[gnu::constructor]] void prepare_for_forks()
{
    (void)open_ports::of_process();
}

} // namespace

port_in_use::port_in_use(umad::umad_file file, std::uint64_t serial)
    : file_{std::move(file)},
      serial_{serial},
      identity_{identity_of(file_.native_handle())},
      header_size_{file_.header_size()}
{
    file_.file().write_without_waiting();
}

bool port_in_use::has_its_descriptor() const noexcept
{
    return identity_of(descriptor()) == identity_;
}

int port_in_use::receive(std::byte* umad, int* length)
{
    std::lock_guard const hold{reading_};
    auto const header = header_size_.load();
    auto* const start = umad + missing(header);
    auto const got = file_.file().read({start, header + static_cast<std::size_t>(*length)});
    int const number = got ? 0 : number_of(got.error().code());
    if (number != 0 && number != ENOSPC)
        return number;
    if (got && (got.value() < header || got.value() > header + static_cast<std::size_t>(*length)))
        return has_its_descriptor() ? EIO : EINVAL; // no umad file, perhaps not any more
    if (missing(header) != 0)
        lengthen_header(umad);
    if (got) {
        *length = static_cast<int>(got.value() - header);
        return 0;
    }
    // The first segment is there, and in its header how much there would be.
    std::uint32_t needed = 0;
    std::memcpy(&needed, umad + offsetof(ib_user_mad, length), sizeof needed);
    if (needed < header || needed - header > static_cast<std::uint32_t>(INT32_MAX))
        return EIO;
    *length = static_cast<int>(needed - header);
    return ENOSPC;
}

int port_in_use::look()
{
    std::lock_guard const hold{reading_};
    std::array<std::byte, umad::header_size> no_room_for_a_mad{};
    auto const got = file_.file().read({no_room_for_a_mad.data(), header_size_.load()});
    int const number = got ? 0 : number_of(got.error().code());
    // A packet that does not fit stays where it is.
    return number == EINVAL || number == ENOSPC ? 0 : number;
}

int port_in_use::send(std::byte const* umad, std::size_t length)
{
    std::lock_guard const hold{writing_};
    auto const header = header_size_.load();
    auto write = [&](std::byte const* from) {
        auto const sent = file_.file().write({from, header + length});
        if (!sent)
            return number_of(sent.error().code());
        return sent.value() == header + length ? 0 : EIO;
    };
    if (missing(header) == 0)
        return write(umad);
    std::vector<std::byte> without_p_key(header + length);
    std::memcpy(without_p_key.data(), umad, header);
    std::memcpy(without_p_key.data() + header, umad + umad::header_size, length);
    return write(without_p_key.data());
}

result<umad::registered_agent> port_in_use::register_agent(
    umad::registration const& wanted, umad::registration_detail& detail)
{
    std::lock_guard const hold{writing_};
    auto agent = file_.register_agent(wanted, &detail);
    if (agent) {
        header_size_ = file_.header_size();
        agents_.set(agent.value().id);
    }
    return agent;
}

result<void> port_in_use::unregister_agent(std::uint32_t id)
{
    std::lock_guard const hold{writing_};
    auto done = file_.unregister_agent(id);
    if (done && id < agents_.size())
        agents_.reset(id);
    return done;
}

bool port_in_use::has_agent(std::uint32_t id)
{
    std::lock_guard const hold{writing_};
    return id < agents_.size() && agents_.test(id);
}

open_ports& open_ports::of_process()
{
    static auto* const the = new open_ports;
    return *the;
}

open_ports::open_ports()
{
    ::pthread_atfork(
        [] { of_process().hold_all(); }, [] { of_process().release_all(); }, [] { of_process().release_all(); });
}

// Whoever holds one of these locks takes none that stands before it here.
void open_ports::hold_all()
{
    host_mutex().lock();
    mutex_.lock();
    for (auto const& port : ports_)
        if (port) {
            port->writing_.lock();
            port->reading_.lock();
        }
}

void open_ports::release_all()
{
    for (auto const& port : ports_)
        if (port) {
            port->reading_.unlock();
            port->writing_.unlock();
        }
    mutex_.unlock();
    host_mutex().unlock();
}

int open_ports::add(umad::umad_file file)
{
    std::lock_guard const hold{mutex_};
    auto port = std::make_shared<port_in_use>(std::move(file), ++last_serial_);
    int const descriptor = port->descriptor();
    auto const place = static_cast<std::size_t>(descriptor);
    if (place >= ports_.size())
        ports_.resize(place + 1);
    if (auto stale = std::exchange(ports_[place], std::move(port)); stale != nullptr)
        bury(descriptor, std::move(stale));
    return descriptor;
}

/// The program has closed a port's descriptor with close(2), and its number has come again as that of another port. The
/// old one closes it once more where it ends, so the new one is elsewhere for that long.
void open_ports::bury(int descriptor, std::shared_ptr<port_in_use> stale)
{
    int const elsewhere = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    stale.reset();
    if (elsewhere < 0)
        return;
    (void)::dup3(elsewhere, descriptor, O_CLOEXEC);
    (void)::close(elsewhere);
}

void open_ports::forget(int descriptor, std::uint64_t serial)
{
    std::lock_guard const hold{mutex_};
    auto const place = static_cast<std::size_t>(descriptor);
    if (descriptor < 0 || place >= ports_.size() || ports_[place] == nullptr || ports_[place]->serial() != serial)
        return;
    // Its end would close what has the number now.
    forgotten_.push_back(std::exchange(ports_[place], nullptr));
}

std::shared_ptr<port_in_use> open_ports::find(int descriptor)
{
    std::lock_guard const hold{mutex_};
    auto const place = static_cast<std::size_t>(descriptor);
    return descriptor >= 0 && place < ports_.size() ? ports_[place] : nullptr;
}

bool open_ports::remove(int descriptor)
{
    std::shared_ptr<port_in_use> port;
    {
        std::lock_guard const hold{mutex_};
        auto const place = static_cast<std::size_t>(descriptor);
        if (descriptor < 0 || place >= ports_.size())
            return false;
        port = std::exchange(ports_[place], nullptr);
    }
    return port != nullptr;
}

} // namespace madrigal::libibumad
