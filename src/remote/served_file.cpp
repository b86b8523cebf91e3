#include "remote/served_file.hpp"

#include "remote/protocol.hpp"

#include <madrigal/umad/uapi.hpp>

#include <boost/asio/post.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace madrigal::remote {
namespace {

/// How many packets one client may move before others have their turn.
constexpr std::size_t budget_at_once = 64;

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

void served_file::wait_for_client()
{
    socket_.async_wait(wait_type::wait_read, [self = shared_from_this()](error_code const& failed) {
        if (failed || !self->is_open())
            return;
        if (!self->take_some(budget_at_once))
            return self->end();
        self->relay();
        if (self->is_open())
            self->wait_for_client();
    });
}

void served_file::wait_for_file()
{
    watch_.async_wait(wait_type::wait_read, [self = shared_from_this()](error_code const& failed) {
        if (failed || !self->is_open())
            return;
        self->relay();
        // While the client has no room there is nothing to wait for here.
        if (self->is_open() && !self->waits_for_room_)
            self->wait_for_file();
    });
}

void served_file::wait_for_room()
{
    socket_.async_wait(wait_type::wait_write, [self = shared_from_this()](error_code const& failed) {
        if (failed || !self->is_open())
            return;
        self->waits_for_room_ = false;
        self->relay();
        if (self->is_open() && !self->waits_for_room_)
            self->wait_for_file();
    });
}

/// False at the connection's end.
bool served_file::take_some(std::size_t budget)
{
    std::array<std::byte, longest_inline> packet{};
    for (; budget != 0; --budget) {
        received_message received;
        int const failed = receive_message(socket_.native_handle(), packet, MSG_DONTWAIT, received);
        if (failed == EAGAIN)
            return true;
        if (failed != 0 || received.size == 0)
            return false;
        ++counters_.packets_in;
        // The client has sent only what it was sure of.
        if (received.cut || received.along || !file_->write(std::span{packet}.first(received.size)))
            ++counters_.refused_writes;
    }
    return true;
}

void served_file::catch_up()
{
    // No more than a socket's buffer holds: a client that goes on sending cannot keep the server here.
    constexpr std::size_t budget = 4096;
    if (is_open() && !take_some(budget))
        end();
}

bool served_file::end_if_dead()
{
    if (!is_open() || !has_hung_up(socket_.native_handle()))
        return false;
    catch_up();
    end();
    return true;
}

void served_file::relay()
{
    for (auto budget = budget_at_once; is_open() && budget != 0; --budget) {
        if (packet_size_ == 0) {
            auto const read = file_->read(packet_);
            if (!read) {
                int const failed = read.error().code().value();
                if (failed == ENOSPC) {
                    // A message: the header says how long it is.
                    umad::ib_user_mad_hdr header{};
                    std::memcpy(static_cast<void*>(&header), packet_.data(), umad::old_header_size);
                    if (header.length <= packet_.size() || header.length > longest_packet)
                        return device_gone(); // no file says that
                    packet_.resize(header.length);
                    continue;
                }
                return failed == EAGAIN ? void() : device_gone();
            }
            packet_size_ = read.value();
        }
        if (!give_pending())
            return;
        ++counters_.packets_out;
        packet_size_ = 0;
        if (packet_.size() > longest_inline) {
            packet_.resize(longest_inline);
            packet_.shrink_to_fit();
        }
    }
    if (is_open())
        boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->relay(); });
}

/// False where the client has no room for it now, or is gone.
bool served_file::give_pending()
{
    if (waits_for_room_)
        return false;
    auto const packet = std::span{packet_}.first(packet_size_);
    int failed = 0;
    if (packet_size_ <= longest_inline) {
        failed =
            ::send(socket_.native_handle(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
    } else if (auto file = make_memory_file(packet)) {
        failed = send_message(socket_.native_handle(), packet.first(longest_inline), file.value().get());
    } else {
        failed = EAGAIN; // no memory now; there is room later or the client goes
    }
    if (failed == 0)
        return true;
    if (failed == EAGAIN || failed == ENOBUFS || failed == ETOOMANYREFS) {
        waits_for_room_ = true;
        wait_for_room();
    } else
        end();
    return false;
}

/// The client sees its connection end, as its device has.
void served_file::device_gone()
{
    end();
}

void served_file::end()
{
    if (!is_open())
        return;
    (void)watch_.release();
    file_.reset();
    error_code ignored;
    socket_.close(ignored);
    if (auto const told = std::exchange(on_end_, nullptr))
        told();
}

} // namespace madrigal::remote
