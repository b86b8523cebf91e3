// Sending, receiving and waiting.
#include "libibumad/entry_point.hpp"
#include "libibumad/log.hpp"
#include "libibumad/open_ports.hpp"

#include <chrono>
#include <cstring>
#include <poll.h>
#include <pthread.h>

namespace madrigal::libibumad {
namespace {

/// How long a caller still waits. Owns nothing, so that a wait may be cancelled.
class patience {
public:
    explicit patience(int timeout_ms) noexcept : timeout_{timeout_ms} {}

    /// The first call starts the clock: what is there already is given without a look at it.
    [[nodiscard]] int milliseconds()
    {
        if (timeout_ <= 0)
            return timeout_;
        auto const now = clock::now();
        if (!started_) {
            started_ = true;
            until_ = now + std::chrono::milliseconds{timeout_};
        }
        return until_ <= now ? 0 : static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until_ - now).count());
    }

private:
    using clock = std::chrono::steady_clock;
    int timeout_;
    bool started_ = false;
    clock::time_point until_{};
};

/// The port that a wait is for; where the same number comes back as another port, the wait is over.
std::shared_ptr<port_in_use> find_again(int portid, std::uint64_t& serial)
{
    auto port = open_ports::of_process().find(portid);
    if (port != nullptr && serial == 0)
        serial = port->serial();
    return port != nullptr && port->serial() == serial ? port : nullptr;
}

/// Where the program has closed the descriptor itself there is nothing to wait for.
bool is_still_there(int portid, std::uint64_t serial)
{
    return uncancelled([&]() -> verdict {
        auto const port = find_again(portid, serial);
        if (port != nullptr && port->has_its_descriptor())
            return {1};
        open_ports::of_process().forget(portid, serial);
        return {0};
    }) != 0;
}

/// Waits until `attempt(serial)` returns something else than -EAGAIN. A readable descriptor promises nothing: another
/// thread may have been faster, and a simulated fabric may only have something to do.
///
/// The one place where the library waits, and where a thread can be cancelled: no lock is held, nothing is owned, and
/// nothing on the way is noexcept.
template <class Attempt>
int wait_for(int portid, short events, int timeout_ms, int too_late, Attempt const& attempt)
{
    ::pthread_testcancel();
    patience left{timeout_ms};
    std::uint64_t serial = 0;
    bool was_ready = false;
    for (;;) {
        int const outcome = attempt(serial);
        if (outcome != -EAGAIN)
            return outcome;
        if (was_ready && !is_still_there(portid, serial)) {
            errno = EINVAL;
            return -EINVAL;
        }
        int const milliseconds = left.milliseconds();
        pollfd wanted{portid, events, 0};
        int const ready = milliseconds == 0 ? 0 : ::poll(&wanted, 1, milliseconds);
        if (ready < 0)
            return -EIO; // errno says EINTR: whoever interrupts a program with a signal wants it to return
        if (ready == 0) {
            errno = timeout_ms != 0 ? ETIMEDOUT : too_late;
            return -errno;
        }
        was_ready = true;
    }
}

bool has_room(void const* umad, int const* length) noexcept
{
    return umad != nullptr && length != nullptr && *length >= 0;
}

template <class Field>
void put(void* umad, std::size_t offset, Field value) noexcept
{
    std::memcpy(static_cast<std::byte*>(umad) + offset, &value, sizeof value);
}

int receive_once(int portid, std::uint64_t& serial, void* umad, int* length)
{
    return uncancelled([&]() -> verdict {
        auto const port = find_again(portid, serial);
        if (port == nullptr)
            return refused(EINVAL);
        if (int const number = port->receive(static_cast<std::byte*>(umad), length); number != 0)
            return refused(number);
        ib_user_mad header{};
        std::memcpy(&header, umad, sizeof header);
        debug("umad_recv: {}: {} bytes for agent {}, status {}", portid, *length, header.agent_id, header.status);
        return {static_cast<int>(header.agent_id)};
    });
}

struct packet_to_send {
    int agent;
    void* umad;
    int length;
    int timeout_ms;
    int retries;
};

int send_once(int portid, std::uint64_t& serial, packet_to_send const& wanted)
{
    return uncancelled([&]() -> verdict {
        auto const port = find_again(portid, serial);
        auto* const umad = wanted.umad;
        if (port == nullptr || umad == nullptr || wanted.length < 0)
            return refused(EINVAL);
        auto const agent = static_cast<std::uint32_t>(wanted.agent);
        put(umad, offsetof(ib_user_mad, agent_id), agent);
        put(umad, offsetof(ib_user_mad, timeout_ms), static_cast<std::uint32_t>(wanted.timeout_ms));
        put(umad, offsetof(ib_user_mad, retries), static_cast<std::uint32_t>(wanted.retries));
        if (debug_level() > 1)
            umad_dump(umad);
        int const number = port->send(static_cast<std::byte const*>(umad), static_cast<std::size_t>(wanted.length));
        if (number == 0)
            return {};
        if (number == EAGAIN)
            return refused(EAGAIN);
        debug("umad_send: {}: agent {}, {} bytes: {}", portid, wanted.agent, wanted.length, std::strerror(number));
        // What the kernel thinks of an agent that is none: EINVAL for a number beyond its table, EIO otherwise.
        bool const no_agent = agent >= madrigal::umad::max_agents || (number == EIO && !port->has_agent(agent));
        return no_agent ? refused(EINVAL) : refused_as(EIO, number);
    });
}

int look_once(int portid, std::uint64_t& serial)
{
    return uncancelled([&]() -> verdict {
        auto const port = find_again(portid, serial);
        if (port == nullptr)
            return refused(EINVAL);
        int const number = port->look();
        return number == 0 || number == EAGAIN ? refused(number) : refused_as(EIO, number);
    });
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

int umad_send(int portid, int agentid, void* umad, int length, int timeout_ms, int retries)
{
    // A kernel takes every packet at once; a fabric in another process may be behind.
    return wait_for(portid, POLLOUT, -1, EAGAIN, [&](std::uint64_t& serial) {
        return send_once(portid, serial, {agentid, umad, length, timeout_ms, retries});
    });
}

int umad_recv(int portid, void* umad, int* length, int timeout_ms)
{
    if (!has_room(umad, length)) {
        errno = EINVAL;
        return -EINVAL;
    }
    return wait_for(portid, POLLIN, timeout_ms, EWOULDBLOCK,
        [&](std::uint64_t& serial) { return receive_once(portid, serial, umad, length); });
}

int umad_poll(int portid, int timeout_ms)
{
    return wait_for(
        portid, POLLIN, timeout_ms, ETIMEDOUT, [&](std::uint64_t& serial) { return look_once(portid, serial); });
}

} // extern "C"
