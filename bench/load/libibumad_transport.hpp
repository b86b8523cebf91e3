// The wire through the distribution's libibumad. Only where MADRIGAL_HAS_LIBIBUMAD is 1.
#pragma once

#include "meter.hpp"
#include "transport.hpp"

#include <infiniband/umad.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <poll.h>
#include <span>
#include <utility>

namespace madrigal::bench {

inline int milliseconds(std::chrono::nanoseconds time) noexcept
{
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

/// A umad buffer for one packet. The library's header is 56 bytes until it has opened a port that can do 64; the MAD of
/// `question_packet` stands behind 64 in any case, so that the same bytes are written.
class umad_buffer {
public:
    umad_buffer() noexcept : length_{static_cast<int>(packet_size - ::umad_size())} {}

    [[nodiscard]] void* get() noexcept { return bytes_.data(); }
    [[nodiscard]] std::array<std::byte, packet_size>& bytes() noexcept { return bytes_; }
    /// What follows the library's header.
    [[nodiscard]] int length() const noexcept { return length_; }

private:
    alignas(umad::ib_user_mad_hdr) std::array<std::byte, packet_size> bytes_{};
    int length_;
};

/// The wire through umad_send, umad_recv and umad_poll. `wait` polls, and `take` reads without waiting. A port id is a
/// descriptor, so the socket to the echo process can be one.
class umad_transport {
public:
    umad_transport(venue const& on, int port, int agent, patience const& how) noexcept
        : port_{port}, agent_{agent}, how_{how}
    {
        auto const& question = on.question;
        std::memcpy(question_.bytes().data() + umad::header_size, question.bytes.data(), question.bytes.size());
        bool const smp = is_smp(mad_view{question.bytes}.mgmt_class());
        (void)::umad_set_addr(
            question_.get(), question.to.to_lid().value(), smp ? 0 : 1, 0, smp ? 0 : static_cast<int>(gsi_qkey));
        if (question.to.type() != destination::kind::gid)
            return;
        ib_mad_addr_t route{};
        route.gid_index = question.to.global().source_gid_index;
        route.hop_limit = question.to.global().hop_limit;
        std::memcpy(route.gid, question.to.global().destination.bytes().data(), sizeof route.gid);
        (void)::umad_set_grh(question_.get(), &route);
    }

    int send(std::uint32_t id) noexcept
    {
        mutable_mad_view{std::span{question_.bytes()}.subspan(umad::header_size)}.set_transaction_id(id);
        for (;;) {
            if (::umad_send(port_, agent_, question_.get(), question_.length(), milliseconds(how_.timeout),
                    static_cast<int>(how_.retries)) == 0)
                return 0;
            if (errno != EAGAIN)
                return errno;
            pollfd room{::umad_get_fd(port_), POLLOUT, 0}; // only a socket is ever full
            (void)::poll(&room, 1, -1);
        }
    }
    taken take() noexcept
    {
        auto length = answer_.length();
        if (::umad_recv(port_, answer_.get(), &length, 0) >= 0)
            return taken::of(std::span{answer_.bytes()}.first(::umad_size() + static_cast<std::size_t>(length)));
        return errno == EAGAIN ? taken{} : taken::failure(errno);
    }
    /// umad_poll(3) knows milliseconds only: for less, the descriptor is polled as umad_get_fd(3) allows.
    bool wait(std::chrono::nanoseconds at_most) const noexcept
    {
        if (at_most >= std::chrono::milliseconds{10})
            return ::umad_poll(port_, milliseconds(at_most)) == 0;
        pollfd readable{::umad_get_fd(port_), POLLIN, 0};
        std::timespec const limit{0, at_most.count()};
        return ::ppoll(&readable, 1, &limit, nullptr) > 0;
    }

private:
    int port_;
    int agent_;
    patience how_;
    umad_buffer question_;
    umad_buffer answer_;
};

/// The same as most programs have it: umad_recv with a timeout, which polls before each packet that it reads.
class waiting_umad_transport {
public:
    explicit waiting_umad_transport(umad_transport& over) noexcept : over_{over} {}

    int send(std::uint32_t id) noexcept { return over_.send(id); }
    bool wait(std::chrono::nanoseconds at_most) noexcept
    {
        if (!over_.wait(at_most))
            return false;
        next_ = over_.take();
        return true;
    }
    taken take() noexcept { return std::exchange(next_, {}); }

private:
    umad_transport& over_;
    taken next_{};
};

/// A port opened and an agent registered by the library.
class opened_by_library {
public:
    static result<std::unique_ptr<opened_by_library>> open(venue const& on)
    {
        if (::umad_init() != 0)
            return errno_error(errno, "umad_init");
        auto made = std::make_unique<opened_by_library>();
        made->port_ = ::umad_open_port(on.port.ca_name.c_str(), static_cast<int>(on.port.number));
        if (made->port_ < 0)
            return errno_error(-made->port_, "umad_open_port");
        auto const oui = on.client.oui;
        std::array<std::uint8_t, 3> bytes{
            static_cast<std::uint8_t>(oui >> 16), static_cast<std::uint8_t>(oui >> 8), static_cast<std::uint8_t>(oui)};
        made->agent_ = ::umad_register_oui(made->port_, on.client.management_class, 0, bytes.data(), nullptr);
        if (made->agent_ < 0)
            return errno_error(-made->agent_, "umad_register_oui");
        return made;
    }
    opened_by_library() = default;
    opened_by_library(opened_by_library const&) = delete;
    opened_by_library& operator=(opened_by_library const&) = delete;
    ~opened_by_library()
    {
        if (agent_ >= 0)
            (void)::umad_unregister(port_, agent_);
        if (port_ >= 0)
            (void)::umad_close_port(port_);
    }

    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] int agent() const noexcept { return agent_; }

private:
    int port_ = -1;
    int agent_ = -1;
};

/// Runs `loop` over libibumad, on the socket or on a port that it opens.
template <class Loop>
result<measured> over_libibumad(venue const& on, patience const& how, Loop const& loop)
{
    if (on.echo) {
        umad_transport over{on, on.socket(), 0, how};
        return loop(over);
    }
    BOOST_OUTCOME_TRY(auto const opened, opened_by_library::open(on));
    if (::umad_size() != umad::header_size)
        return error{errc::registration_refused, "this kernel has no packet headers of 64 bytes"};
    umad_transport over{on, opened->port(), opened->agent(), how};
    return loop(over);
}

/// Why libibumad cannot work at a venue.
inline std::optional<std::string> no_libibumad_at(venue const& on)
{
    if (on.echo || on.on_kernel())
        return std::nullopt;
    return "it knows only the ports of this machine's kernel";
}

} // namespace madrigal::bench
