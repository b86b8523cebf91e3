#include "remote/remote_file.hpp"

#include "remote/protocol.hpp"

#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/rmpp.hpp>
#include <madrigal/wire/smp.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

namespace madrigal::remote {
namespace {

error_code system_code(int number) noexcept
{
    return {number, boost::system::system_category()};
}

/// What a connection's end means to the user of a umad file.
int as_file_error(int number) noexcept
{
    return number == EPIPE || number == ECONNRESET || number == ENOTCONN || number == ECONNREFUSED ? EIO : number;
}

/// True for a directed-route request as every program sends it: its route begins here and has no LID-routed part.
bool begins_here(std::span<std::byte const> smp, unsigned port) noexcept
{
    auto const hops = load_bits<56, 8>(smp.data());
    return load_bits<32, 1>(smp.data()) == 0 && load_bits<48, 8>(smp.data()) == 0 && hops < smp_path_size &&
           load_bits<256, 16>(smp.data()) == permissive_lid.value() &&
           load_bits<272, 16>(smp.data()) == permissive_lid.value() &&
           (hops == 0 || port == 0 || std::to_integer<unsigned>(smp[smp_initial_path_offset + 1]) == port);
}

/// How often a process was forked on the way to this one: what a file's other owners do cannot be known here.
std::atomic<unsigned> forks = 0;
/// Before any thread is there: a handler cannot be registered while a fork waits for a lock that is held here.
int const forks_are_counted = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });

unsigned times_forked() noexcept
{
    return forks_are_counted == 0 ? forks.load(std::memory_order_relaxed) : 0;
}

} // namespace

remote_file::remote_file(
    descriptor socket, std::uint64_t token, unsigned port, std::shared_ptr<control_channel> control)
    : socket_{std::move(socket)}, token_{token}, forks_{times_forked()}, port_{port}, control_{std::move(control)}
{}

std::size_t remote_file::header_bytes() const noexcept
{
    return pkey_mode_.load(std::memory_order_relaxed) ? umad::header_size : umad::old_header_size;
}

result<std::size_t> remote_file::read(std::span<std::byte> buffer) noexcept
{
    if (buffer.size() < header_bytes())
        return system_code(EINVAL);
    // Once the device is gone nothing is given any more, though something may still wait.
    pollfd look{.fd = socket_.get(), .events = POLLIN | POLLRDHUP, .revents = 0};
    if (::poll(&look, 1, 0) < 0)
        return system_code(errno == EINTR ? EAGAIN : errno);
    if ((look.revents & POLLNVAL) != 0)
        return system_code(EBADF); // somebody has closed it without this file's knowledge
    if ((look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
        return system_code(EIO);
    if ((look.revents & POLLIN) == 0)
        return system_code(EAGAIN);
    std::size_t size = 0;
    long_packet rest;
    int failed = 0;
    if (long_packets_.load(std::memory_order_relaxed) || buffer.size() < umad::header_size + umad::mad_size) {
        // Between the look and the taking nobody else may take it.
        std::lock_guard const hold{reading_};
        failed = look_ahead(buffer);
        if (failed == 0)
            failed = take(buffer, size, rest);
    } else
        failed = take(buffer, size, rest);
    if (failed == 0 && rest.size != 0)
        failed = fetch(rest, buffer, size);
    if (failed != 0)
        return system_code(as_file_error(failed));
    settle(buffer.first(size));
    return size;
}

/// One packet, or the beginning of one whose `rest` is to be fetched; it is taken whatever the buffer's length.
int remote_file::take(std::span<std::byte> buffer, std::size_t& size, long_packet& rest) noexcept
{
    std::array<std::byte, longest_file_message> packet; // NOLINT: as much of it as arrived is set
    received_message received;
    if (int const failed = receive_message(socket_.get(), packet, MSG_DONTWAIT, received); failed != 0)
        return failed;
    if (received.size == 0 || received.cut)
        return EIO;
    size = std::min(received.size, longest_inline);
    if (buffer.size() < size)
        return EINVAL;
    std::memcpy(buffer.data(), packet.data(), size);
    if (received.size > longest_inline)
        rest = message_reader{std::span{packet}.subspan(longest_inline)}.take<long_packet>();
    return 0;
}

/// The whole of a packet whose beginning has been read.
int remote_file::fetch(long_packet const& from, std::span<std::byte> buffer, std::size_t& size) noexcept
{
    if (from.size > buffer.size())
        return ENOSPC;
    try {
        for (size = 0; size < from.size;) {
            message_writer question;
            question.put(token_);
            question.put(from.number);
            question.put(std::uint64_t{size});
            auto const answered = control_->ask(operation::read_piece, question);
            if (!answered)
                return EIO;
            auto reader = answered.value().reader();
            auto const failed = reader.take<std::int32_t>();
            auto const piece = reader.take_bytes();
            if (failed != 0)
                return failed;
            if (!reader.ends_well() || piece.empty() || piece.size() > from.size - size)
                return EIO;
            std::memcpy(buffer.data() + size, piece.data(), piece.size());
            size += piece.size();
        }
        return 0;
    } catch (std::bad_alloc const&) {
        return ENOMEM;
    }
}

/// 0 where the next packet fits; else it stays, and of a message the beginning is there.
int remote_file::look_ahead(std::span<std::byte> buffer) noexcept
{
    std::array<std::byte, longest_file_message> packet; // NOLINT: as much of it as arrived is set
    received_message looked;
    if (int const failed = receive_message(socket_.get(), packet, MSG_DONTWAIT | MSG_PEEK, looked); failed != 0)
        return failed;
    if (looked.size == 0 || looked.cut)
        return EIO;
    auto const here = std::min(looked.size, longest_inline);
    auto const whole = looked.size <= longest_inline
                           ? here
                           : message_reader{std::span{packet}.subspan(longest_inline)}.take<long_packet>().size;
    auto const first = std::min(here, header_bytes() + umad::mad_size);
    if (buffer.size() < first)
        return EINVAL;
    if (buffer.size() >= whole)
        return 0;
    std::memcpy(buffer.data(), packet.data(), first);
    return ENOSPC;
}

/// What is read ends what was outstanding.
void remote_file::settle(std::span<std::byte const> packet) noexcept
{
    auto const head = header_bytes();
    if (packet.size() < head + mad_header_size)
        return;
    umad::ib_user_mad_hdr header{};
    std::memcpy(static_cast<void*>(&header), packet.data(), umad::old_header_size);
    mad_view const mad{packet.subspan(head)};
    if (header.status != 0 || mad.is_response())
        outstanding_.remove(header.id, static_cast<std::uint8_t>(mad.mgmt_class()), mad.transaction_id());
}

/// True for what no kernel refuses: then nobody needs to be asked. Whatever is unusual is left to the kernel.
bool remote_file::is_surely_taken(
    umad::ib_user_mad_hdr const& header, std::span<std::byte const> mad, bool is_new) const noexcept
{
    if (mad.size() != umad::mad_size || header.id >= umad::max_agents || header.path_bits != 0 ||
        header.grh_present != 0)
        return false;
    auto const agent = agents_[header.id].load(std::memory_order_relaxed);
    mad_view const view{mad};
    if (!agent.there || static_cast<std::uint8_t>(view.mgmt_class()) != agent.mgmt_class)
        return false;
    // The segments of an agent that does RMPP itself repeat their transaction id; those of others are the kernel's
    // work.
    if (agent.rmpp_version != 0 && is_active_rmpp(view))
        return agent.user_rmpp;
    return is_new && (view.mgmt_class() != management_class::subnet_directed_route || begins_here(mad, port_));
}

int remote_file::send(std::span<std::byte const> packet) const noexcept
{
    for (;;) {
        if (::send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return 0;
        if (errno == EAGAIN && !waits_.load(std::memory_order_relaxed))
            return EAGAIN;
        if (errno == EAGAIN) {
            // The server is behind. A umad file takes every write, so this one waits.
            pollfd look{.fd = socket_.get(), .events = POLLOUT | POLLRDHUP, .revents = 0};
            (void)::poll(&look, 1, -1);
        } else if (errno != EINTR)
            return errno;
    }
}

result<std::size_t> remote_file::write(std::span<std::byte const> packet) noexcept
{
    auto const head = header_bytes();
    if (packet.size() < head + mad_header_size)
        return system_code(has_hung_up(socket_.get()) ? EIO : EINVAL);
    if (packet.size() > longest_packet)
        return system_code(ENOMEM);
    umad::ib_user_mad_hdr header{};
    std::memcpy(static_cast<void*>(&header), packet.data(), head);
    mad_view const mad{packet.subspan(head)};
    bool const is_counted = header.timeout_ms != 0;
    auto const mgmt_class = static_cast<std::uint8_t>(mad.mgmt_class());
    bool const is_new = is_counted ? outstanding_.add(header.id, mgmt_class, mad.transaction_id())
                                   : outstanding_.has_room(header.id, mgmt_class, mad.transaction_id());
    bool const is_plain = forks_ == times_forked() && is_surely_taken(header, packet.subspan(head), is_new);
    int const failed = is_plain ? send(packet) : ask_to_write(packet);
    if (failed == 0)
        return packet.size();
    if (is_counted)
        outstanding_.remove(header.id, mgmt_class, mad.transaction_id());
    return system_code(as_file_error(failed));
}

int remote_file::ask_to_write(std::span<std::byte const> packet) noexcept
{
    try {
        if (packet.size() > longest_piece)
            return write_in_pieces(packet);
        message_writer question;
        question.put(token_);
        question.put_bytes(packet);
        return ask(operation::write, question);
    } catch (std::bad_alloc const&) {
        return ENOMEM;
    }
}

int remote_file::write_in_pieces(std::span<std::byte const> packet)
{
    for (std::size_t at = 0;;) {
        auto const piece = packet.subspan(at, std::min(longest_piece, packet.size() - at));
        message_writer question;
        question.put(token_);
        question.put(std::uint64_t{packet.size()});
        question.put(std::uint64_t{at});
        question.put_bytes(piece);
        at += piece.size();
        if (int const failed = ask(operation::write_piece, question); failed != 0 || at == packet.size())
            return failed;
    }
}

int remote_file::ask(operation what, message_writer const& question) noexcept
{
    try {
        auto const answered = control_->ask(what, question);
        if (!answered)
            return EIO;
        auto reader = answered.value().reader();
        auto const number = reader.take<std::int32_t>();
        return reader.ends_well() ? number : EIO;
    } catch (std::bad_alloc const&) {
        return ENOMEM;
    }
}

error_code remote_file::enable_pkey() noexcept
{
    try {
        message_writer question;
        question.put(token_);
        int const failed = ask(operation::enable_pkey, question);
        if (failed == 0)
            pkey_mode_ = true;
        return failed == 0 ? error_code{} : system_code(failed);
    } catch (std::bad_alloc const&) {
        return system_code(ENOMEM);
    }
}

template <class Request>
error_code remote_file::ask_to_register(operation what, Request& request) noexcept
{
    try {
        bool user_rmpp = false;
        if constexpr (requires { request.flags; })
            user_rmpp = (request.flags & umad::user_rmpp) != 0;
        // Before the first long packet can arrive; without any it only takes longer to read.
        if (request.rmpp_version != 0 && !user_rmpp)
            long_packets_ = true;
        message_writer question;
        question.put(token_);
        question.put(request);
        auto const answered = control_->ask(what, question);
        if (!answered)
            return system_code(EPIPE); // as of a device that is gone
        auto reader = answered.value().reader();
        auto const number = reader.take<std::int32_t>();
        auto const filled = reader.take<Request>();
        if (!reader.ends_well() || (number == 0 && filled.id >= umad::max_agents))
            return system_code(EPIPE);
        request = filled;
        if (number != 0)
            return system_code(number);
        if constexpr (requires { request.flags; })
            if (!registered_before_.load())
                pkey_mode_ = true;
        registered_before_ = true;
        agents_[request.id] = known_agent{true, request.mgmt_class, request.rmpp_version, user_rmpp};
        return {};
    } catch (std::bad_alloc const&) {
        return system_code(ENOMEM);
    }
}

error_code remote_file::register_agent(umad::ib_user_mad_reg_req& request) noexcept
{
    return ask_to_register(operation::register_agent, request);
}

error_code remote_file::register_agent2(umad::ib_user_mad_reg_req2& request) noexcept
{
    return ask_to_register(operation::register_agent2, request);
}

error_code remote_file::unregister_agent(std::uint32_t id) noexcept
{
    try {
        message_writer question;
        question.put(token_);
        question.put(id);
        if (id < umad::max_agents)
            agents_[id] = known_agent{};
        int const failed = ask(operation::unregister_agent, question);
        return failed == 0 ? error_code{} : system_code(failed == EIO ? EINVAL : failed);
    } catch (std::bad_alloc const&) {
        return system_code(ENOMEM);
    }
}

} // namespace madrigal::remote
