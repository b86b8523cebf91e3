// Bare system calls on the socket or on a umad file: the floor.
#pragma once

#include "epoll_watch.hpp"
#include "meter.hpp"
#include "transport.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <poll.h>
#include <span>
#include <unistd.h>
#include <utility>

namespace madrigal::bench {

/// Bare system calls on the socket to the echo process.
class raw_socket {
public:
    raw_socket(venue const& on, patience const& how) noexcept
        : socket_{on.socket()}, question_{on, 0, how}, watch_{socket_}
    {}

    int send(std::uint32_t id) noexcept
    {
        question_.set_id(id);
        auto const& packet = question_.bytes();
        while (::write(socket_, packet.data(), packet.size()) < 0) {
            if (errno != EAGAIN)
                return errno;
            pollfd room{socket_, POLLOUT, 0};
            (void)::poll(&room, 1, -1);
        }
        return 0;
    }
    taken take() noexcept
    {
        auto const got = ::read(socket_, answer_.data(), answer_.size());
        if (got > 0)
            return taken::of(std::span{answer_}.first(static_cast<std::size_t>(got)));
        return got < 0 && errno == EAGAIN ? taken{} : taken::failure(got < 0 ? errno : EIO);
    }
    bool wait(std::chrono::nanoseconds at_most) const noexcept { return watch_.wait(at_most); }

private:
    int socket_;
    question_packet question_;
    epoll_watch watch_;
    alignas(umad::ib_user_mad_hdr) std::array<std::byte, packet_size> answer_{};
};

/// Reads and writes of a umad file, whichever kernel has it.
class raw_port {
public:
    raw_port(venue const& on, umad::umad_file file, std::uint32_t agent, patience const& how)
        : file_{std::move(file)}, question_{on, agent, how}, watch_{file_.native_handle()}
    {}

    int send(std::uint32_t id) noexcept
    {
        question_.set_id(id);
        auto const put = file_.file().write(question_.bytes());
        return put ? 0 : put.error().code().value();
    }
    taken take() noexcept
    {
        auto const got = file_.file().read(answer_);
        if (got)
            return taken::of(std::span{answer_}.first(got.value()));
        auto const number = got.error().code().value();
        return number == EAGAIN ? taken{} : taken::failure(number);
    }
    bool wait(std::chrono::nanoseconds at_most) const noexcept { return watch_.wait(at_most); }

private:
    umad::umad_file file_;
    question_packet question_;
    epoll_watch watch_;
    alignas(umad::ib_user_mad_hdr) std::array<std::byte, packet_size> answer_{};
};

/// Runs `loop` over the kind of transport that the venue needs.
template <class Loop>
result<measured> over_raw(venue const& on, patience const& how, Loop const& loop)
{
    if (on.echo) {
        raw_socket over{on, how};
        return loop(over);
    }
    BOOST_OUTCOME_TRY(auto opened, umad::open_port(*on.host, {.ca = on.port.ca_name, .port = on.port.number}));
    BOOST_OUTCOME_TRY(auto const agent, opened.file.register_agent(on.client));
    if (opened.file.header_size() != umad::header_size)
        return error{errc::registration_refused, "this kernel has no packet headers of 64 bytes"};
    raw_port over{on, std::move(opened.file), agent.id, how};
    return loop(over);
}

} // namespace madrigal::bench
