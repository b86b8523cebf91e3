#include "remote/served_file.hpp"

#include "remote/log.hpp"
#include "remote/protocol.hpp"

#include <madrigal/umad/uapi.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <sys/socket.h>
#include <utility>

namespace madrigal::remote {
namespace {

/// How many packets one client may move before others have their turn.
constexpr std::size_t budget_at_once = 64;
/// How many long packets a client may have the beginnings of. The others wait in its file, under the file's bounds.
constexpr std::size_t most_long_packets = 8;

using wait_type = boost::asio::posix::stream_descriptor::wait_type;

} // namespace

served_file::served_file(boost::asio::any_io_executor const& executor, descriptor socket,
    std::unique_ptr<umad::port_file> file, server_counters& counters, std::function<void()> on_end)
    : socket_{executor, socket.release()},
      watch_{executor, file->native_handle()},
      file_{std::move(file)},
      counters_{counters},
      on_end_{std::move(on_end)},
      packet_(longest_inline)
{}

served_file::~served_file()
{
    if (watch_.is_open())
        (void)watch_.release();
}

void served_file::start()
{
    wait_for_client();
    wait_for_file();
}

/// Whatever fails here, for want of memory say, ends this file and no other.
void served_file::guard(std::function<void()> const& what)
{
    if (!is_open())
        return;
    try {
        what();
    } catch (std::exception const& failed) {
        log().warn("a file is closed: {}", failed.what());
        end();
    }
}

void served_file::wait_for_client()
{
    socket_.async_wait(wait_type::wait_read, [self = shared_from_this()](error_code const& failed) {
        if (failed)
            return;
        self->guard([&] {
            if (!self->take_some(budget_at_once))
                return self->end();
            self->relay();
            if (self->is_open())
                self->wait_for_client();
        });
    });
}

void served_file::wait_for_file()
{
    wait_once(watch_, wait_type::wait_read, &served_file::waits_for_file_);
}

void served_file::wait_for_room()
{
    wait_once(socket_, wait_type::wait_write, &served_file::waits_for_room_);
}

/// Relays then, and goes on waiting for the file; while the client has no room there is nothing to wait for there.
void served_file::wait_once(boost::asio::posix::stream_descriptor& on, wait_type what, bool served_file::*waits)
{
    if (std::exchange(this->*waits, true))
        return;
    on.async_wait(what, [self = shared_from_this(), waits](error_code const& failed) {
        (*self).*waits = false;
        if (failed)
            return;
        self->guard([&] {
            self->relay();
            if (self->is_open() && !self->is_stuck())
                self->wait_for_file();
        });
    });
}

/// False at the connection's end.
bool served_file::take_some(std::size_t budget)
{
    std::array<std::byte, longest_inline> packet; // NOLINT: as much of it as arrived is set
    for (; budget != 0; --budget) {
        received_message received;
        int const failed = receive_message(socket_.native_handle(), packet, MSG_DONTWAIT, received);
        if (failed == EAGAIN)
            return true;
        if (failed != 0 || received.size == 0)
            return false;
        ++counters_.packets_in;
        // The client has sent only what it was sure of.
        if (received.cut || !file_->write(std::span{packet}.first(received.size)))
            ++counters_.refused_writes;
    }
    return true;
}

void served_file::catch_up()
{
    // As much as a socket's buffer holds: a client that goes on sending cannot keep the server here.
    constexpr std::size_t budget = 4096;
    guard([&] {
        if (!take_some(budget))
            end();
    });
}

bool served_file::end_if_dead()
{
    if (!is_open() || !has_hung_up(socket_.native_handle()))
        return false;
    // Nobody sends any more, so there is an end to what is there.
    guard([&] {
        while (take_some(budget_at_once)) {
        }
    });
    end();
    return true;
}

bool served_file::is_stuck() const noexcept
{
    return waits_for_room_ || long_packets_.size() >= most_long_packets;
}

void served_file::relay()
{
    for (auto budget = budget_at_once; is_open() && !is_stuck() && budget != 0; --budget) {
        if (packet_size_ == 0 && !read_next())
            return;
        bool const is_long = packet_size_ > longest_inline;
        if (!give())
            return;
        ++counters_.packets_out;
        packet_size_ = 0;
        if (is_long)
            break; // which took longer than many others
    }
    if (is_open() && !is_stuck())
        relay_later();
}

void served_file::relay_later()
{
    if (std::exchange(relays_later_, true))
        return;
    boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->relays_later_ = false;
        self->guard([&] { self->relay(); });
    });
}

/// False where there is none, now or ever again.
bool served_file::read_next()
{
    for (;;) {
        auto const read = file_->read(packet_);
        if (read) {
            packet_size_ = read.value();
            return true;
        }
        int const failed = read.error().code().value();
        umad::ib_user_mad_hdr header{};
        std::memcpy(static_cast<void*>(&header), packet_.data(), umad::old_header_size);
        if (failed == ENOSPC && header.length > packet_.size() && header.length <= longest_packet)
            packet_.resize(header.length); // a message: its header says how long it is
        else {
            if (failed != EAGAIN)
                end(); // the client sees its connection end, as its device has
            return false;
        }
    }
}

/// False where the client has no room for the packet now, or is gone.
bool served_file::give()
{
    std::array<std::byte, longest_file_message> beginning; // NOLINT: what is sent of it is set
    auto message = std::span<std::byte const>{packet_}.first(std::min(packet_size_, longest_inline));
    bool const is_long = packet_size_ > longest_inline;
    if (is_long) {
        long_packet const rest{.number = last_long_packet_ + 1, .size = packet_size_};
        std::memcpy(beginning.data(), packet_.data(), longest_inline);
        std::memcpy(beginning.data() + longest_inline, &rest, sizeof rest);
        message = beginning;
    }
    int const failed = send_message(socket_.native_handle(), message);
    if (failed == 0) {
        if (is_long) {
            packet_.resize(packet_size_); // from now on its size is the packet's
            long_packets_.emplace(++last_long_packet_, std::exchange(packet_, std::vector<std::byte>(longest_inline)));
        }
        return true;
    }
    if (failed == EAGAIN || failed == ENOBUFS || failed == ENOMEM)
        wait_for_room();
    else if (!end_if_dead())
        end(); // whatever it is, it does not go away by waiting
    return false;
}

std::vector<std::byte> served_file::take_piece(std::uint64_t number, std::uint64_t from)
{
    auto const found = long_packets_.find(number);
    if (found == long_packets_.end() || from >= found->second.size())
        return {};
    auto const rest = std::span{found->second}.subspan(from);
    auto const piece = rest.first(std::min(rest.size(), longest_piece));
    std::vector<std::byte> taken{piece.begin(), piece.end()};
    if (piece.size() == rest.size()) {
        bool const was_stuck = is_stuck();
        long_packets_.erase(found);
        if (was_stuck && !is_stuck()) {
            relay_later();
            wait_for_file();
        }
    }
    return taken;
}

void served_file::end()
{
    if (!is_open())
        return;
    (void)watch_.release();
    file_.reset();
    long_packets_.clear();
    error_code ignored;
    socket_.close(ignored);
    if (auto const told = std::exchange(on_end_, nullptr))
        told();
}

} // namespace madrigal::remote
