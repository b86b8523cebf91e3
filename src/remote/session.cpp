#include "remote/session.hpp"

#include "remote/attributes_message.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <sys/socket.h>
#include <utility>

namespace madrigal::remote {
namespace {

using wait_type = boost::asio::posix::stream_descriptor::wait_type;

/// Which port is meant: the client's machine, the CA, and the number.
struct place {
    std::string machine;
    std::string ca;
    unsigned port = 0;
};

place take_place(message_reader& question)
{
    place told;
    told.machine = question.take_text();
    told.ca = question.take_text();
    told.port = question.take<std::uint32_t>();
    return told;
}

bool is_sensible(place const& told, message_reader const& question)
{
    return question.ends_well() && told.machine.size() <= longest_name && told.ca.size() <= longest_name;
}

void put(message_writer& into, std::string const& value)
{
    into.put_text(value);
}

/// What a query found, or why it found nothing.
template <class Value>
message_writer found(result<Value> const& value)
{
    message_writer body;
    put(body, value ? error{} : value.error());
    if (value)
        put(body, value.value());
    return body;
}

/// A file's own answer: the errno alone.
message_writer number(error_code failed)
{
    message_writer body;
    body.put(static_cast<std::int32_t>(failed.value()));
    return body;
}

/// The answer about a file that is not open any more, as the kernel gives it for a device that has gone.
message_writer closed(operation what, message_reader& question)
{
    message_writer body;
    switch (what) {
    case operation::unregister_agent:
    case operation::enable_pkey: body.put(std::int32_t{EINVAL}); break;
    case operation::register_agent:
        body.put(std::int32_t{EPIPE});
        body.put(question.take<umad::ib_user_mad_reg_req>());
        break;
    case operation::register_agent2:
        body.put(std::int32_t{EPIPE});
        body.put(question.take<umad::ib_user_mad_reg_req2>());
        break;
    case operation::read_piece:
        body.put(std::int32_t{EIO});
        body.put_bytes({});
        break;
    default: body.put(std::int32_t{EIO}); break;
    }
    return body;
}

} // namespace

session::session(descriptor socket, served_machines& machines)
    : socket_{machines.executor(), socket.release()}, machines_{machines}, patience_{machines.executor()}
{}

void session::start()
{
    // Who only takes up room is put out.
    constexpr std::chrono::seconds patience{30};
    patience_.expires_after(patience);
    patience_.async_wait([weak = weak_from_this()](error_code const& failed) {
        if (auto const self = weak.lock(); self && !failed)
            self->end();
    });
    wait();
}

void session::end()
{
    patience_.cancel();
    if (is_control_) {
        is_control_ = false;
        --machines_.counters().clients;
    }
    bool const held = issm_ != nullptr;
    issm_.reset();
    if (held) {
        --machines_.counters().issm_files;
        machines_.issm_is_free();
    }
    error_code ignored;
    if (socket_.is_open())
        socket_.close(ignored);
    if (auto const told = std::exchange(on_end_, nullptr))
        told();
}

void session::end_if_dead()
{
    if (issm_ && socket_.is_open() && has_hung_up(socket_.native_handle()))
        end();
}

void session::wait()
{
    socket_.async_wait(wait_type::wait_read, [self = shared_from_this()](error_code const& failed) {
        if (failed || !self->socket_.is_open())
            return;
        try {
            self->take_message();
        } catch (std::exception const& thrown) {
            self->machines_.complain(std::string{"a client is put out: "} + thrown.what());
            self->end();
        }
    });
}

void session::take_message()
{
    std::array<std::byte, longest_message> message; // NOLINT: as much of it as arrived is set
    received_message received;
    int const number = receive_message(socket_.native_handle(), message, MSG_DONTWAIT, received);
    if (number == EAGAIN)
        return wait();
    if (number != 0 || received.size == 0)
        return end();
    patience_.cancel();
    if (!received.cut && take_one(std::span{message}.first(received.size)))
        return wait();
    if (!on_end_)
        return; // the connection is a file's now
    // One that has gone meanwhile has only lost its patience.
    if (!has_hung_up(socket_.native_handle()))
        machines_.has_put_out_a_client();
    end();
}

bool session::reply(message_head const& head, message_writer const& body)
{
    message_writer whole;
    whole.put(message_head{.what = head.what, .sequence = head.sequence});
    auto const bytes = body.bytes();
    std::vector<std::byte> message{whole.bytes().begin(), whole.bytes().end()};
    message.insert(message.end(), bytes.begin(), bytes.end());
    // Who asks waits for the answer: there is room for one, unless somebody only ever asks.
    return send_message(socket_.native_handle(), message) == 0;
}

bool session::reply(message_head const& head, error const& failed)
{
    message_writer body;
    put(body, failed);
    return reply(head, body);
}

bool session::take_one(std::span<std::byte const> message)
{
    message_reader question{message};
    auto const head = question.take<message_head>();
    if (!question.is_good() || head.magic != magic || issm_)
        return false;
    if (head.version != protocol_version) {
        (void)reply(head, error{}); // whose head tells the version
        return false;
    }
    switch (head.what) {
    case operation::hello:
        if (!is_control_) {
            is_control_ = true;
            ++machines_.counters().clients;
            ++machines_.counters().clients_total;
        }
        return question.ends_well() && reply(head, error{});
    case operation::open_port:
        return !is_control_ &&
               at_place(head, question, [&](auto& where, unsigned port) { return open_port(head, where, port); });
    case operation::open_issm:
        return !is_control_ &&
               at_place(head, question, [&](auto& where, unsigned port) { return open_issm(head, where, port); });
    case operation::ca_names: return is_control_ && list_cas(head, question);
    case operation::enable_pkey:
    case operation::register_agent:
    case operation::register_agent2:
    case operation::unregister_agent:
    case operation::write:
    case operation::write_piece:
    case operation::read_piece: return is_control_ && about_a_file(head, question);
    default: return is_control_ && answer_question(head, question);
    }
}

template <class Then>
bool session::at_place(message_head const& head, message_reader& question, Then const& then)
{
    auto const told = take_place(question);
    if (!is_sensible(told, question))
        return false;
    auto const where = machines_.machines().find(told.machine, told.ca);
    return where ? then(where.value(), told.port) : reply(head, where.error());
}

bool session::list_cas(message_head const& head, message_reader& question)
{
    auto const told = take_place(question);
    if (!is_sensible(told, question))
        return false;
    auto const machine = machines_.machines().at(told.machine);
    auto const names = machine ? machine.value()->ca_names() : result<std::vector<std::string>>{machine.error()};
    message_writer body;
    put(body, names ? error{} : names.error());
    if (names) {
        body.put(static_cast<std::uint32_t>(names.value().size()));
        for (auto const& name : names.value())
            body.put_text(name);
    }
    return reply(head, body);
}

bool session::answer_question(message_head const& head, message_reader& question)
{
    return at_place(head, question, [&](machine_and_ca const& where, unsigned port) {
        auto& machine = *where.machine;
        switch (head.what) {
        case operation::query_ca: return reply(head, found(machine.query_ca(where.ca)));
        case operation::query_port: return reply(head, found(machine.query_port(where.ca, port)));
        case operation::query_subnet: return reply(head, found(machine.query_subnet(where.ca, port)));
        case operation::issm_path: return reply(head, found(machines_.issm_path(where, port)));
        default: return false;
        }
    });
}

bool session::open_port(message_head const& head, machine_and_ca const& where, unsigned port)
{
    auto file = where.machine->open_port(where.ca, port);
    if (!file)
        return reply(head, file.error());
    // The answer goes first: whatever follows it is a packet.
    auto const token = machines_.new_token();
    message_writer body;
    put(body, error{});
    body.put(token);
    if (!reply(head, body))
        return false;
    machines_.adopt(token, descriptor{socket_.release()}, std::move(file).value());
    std::exchange(on_end_, nullptr)();
    return false;
}

bool session::open_issm(message_head const& head, machine_and_ca const& where, unsigned port)
{
    auto held = machines_.open_issm(where, port);
    if (!held)
        return reply(head, held.error());
    issm_ = std::move(held).value();
    ++machines_.counters().issm_files;
    return reply(head, error{});
}

bool session::about_a_file(message_head const& head, message_reader& question)
{
    auto const file = machines_.file(question.take<std::uint64_t>());
    // As the kernel answers about a device that is gone.
    if (!file)
        return reply(head, closed(head.what, question));
    switch (head.what) {
    case operation::enable_pkey: return question.ends_well() && reply(head, number(file->file().enable_pkey()));
    case operation::unregister_agent: {
        auto const id = question.take<std::uint32_t>();
        return question.ends_well() && reply(head, number(file->file().unregister_agent(id)));
    }
    case operation::register_agent: return register_agent(head, question, *file, &umad::port_file::register_agent);
    case operation::register_agent2: return register_agent(head, question, *file, &umad::port_file::register_agent2);
    case operation::write: {
        auto const packet = question.take_bytes();
        return question.ends_well() && write(head, packet, *file);
    }
    case operation::write_piece: return write_piece(head, question, *file);
    case operation::read_piece: {
        auto const which = question.take<std::uint64_t>();
        auto const from = question.take<std::uint64_t>();
        if (!question.ends_well())
            return false;
        auto const piece = file->take_piece(which, from);
        message_writer body;
        body.put(static_cast<std::int32_t>(piece.empty() ? EIO : 0));
        body.put_bytes(piece);
        return reply(head, body);
    }
    default: return false;
    }
}

bool session::write(message_head const& head, std::span<std::byte const> packet, served_file& file)
{
    ++machines_.counters().packets_in;
    auto const written = file.file().write(packet);
    bool const told = reply(head, number(written ? error_code{} : written.error().code()));
    file.relay();
    return told;
}

/// Keeps the pieces until the last one has come; the first one begins anew.
bool session::write_piece(message_head const& head, message_reader& question, served_file& file)
{
    auto const size = question.take<std::uint64_t>();
    auto const from = question.take<std::uint64_t>();
    auto const piece = question.take_bytes();
    if (!question.ends_well() || size > longest_packet || piece.empty() || piece.size() > size - std::min(from, size))
        return false;
    if (from == 0)
        long_write_.clear();
    if (from != long_write_.size())
        return false;
    long_write_.insert(long_write_.end(), piece.begin(), piece.end());
    if (long_write_.size() != size)
        return reply(head, number({}));
    return write(head, std::exchange(long_write_, {}), file);
}

template <class Request>
bool session::register_agent(message_head const& head, message_reader& question, served_file& file,
    error_code (umad::port_file::*ask)(Request&) noexcept)
{
    auto const asked = question.take<Request>();
    if (!question.ends_well())
        return false;
    auto request = asked;
    auto failed = (file.file().*ask)(request);
    // What stands against it may be held by a client that has gone.
    if (failed.value() == EINVAL && machines_.bury_the_dead()) {
        request = asked;
        failed = (file.file().*ask)(request);
    }
    auto body = number(failed);
    body.put(request);
    return reply(head, body);
}

} // namespace madrigal::remote
