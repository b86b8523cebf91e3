// A socket or a umad file through io_uring: writes of a batch in one system call, reads in two different ways.
#pragma once

#include "ring.hpp"

#include "../load/transport.hpp"
#include "../load/venue.hpp"

#include <poll.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace madrigal::bench {

/// Requests that are written with the next submission. Each has a packet of its own until then.
class ring_writer {
public:
    static constexpr std::uint64_t tag = ~std::uint64_t{0}; ///< of a completion: a write that has failed

    ring_writer(question_packet const& question, unsigned window) : packets_(window, question) {}

    void write(ring& by, int file, std::uint32_t id) noexcept
    {
        auto& packet = packets_[next_];
        next_ = next_ + 1 == packets_.size() ? 0 : next_ + 1;
        packet.set_id(id);
        auto* const place = by.next();
        ::io_uring_prep_write(place, file, packet.bytes().data(), static_cast<unsigned>(packet.bytes().size()), 0);
        place->flags |= IOSQE_CQE_SKIP_SUCCESS;
        ::io_uring_sqe_set_data64(place, tag);
    }

private:
    std::vector<question_packet> packets_;
    std::size_t next_ = 0;
};

/// A poll, and then reads as system calls would do them, a batch at a time. For sockets: a read that finds nothing
/// comes back at once only where the file itself can be asked not to wait (RWF_NOWAIT). On a umad file it would stay,
/// and take an answer later.
class ring_calls {
public:
    ring_calls(int file, question_packet const& question, unsigned window)
        : file_{file}, writer_{question, window}, buffers_(std::min(window, most_reads))
    {}
    [[nodiscard]] std::optional<error> open() { return ring::make(ring_, 1'024); }

    int send(std::uint32_t id) noexcept
    {
        writer_.write(ring_, file_, id);
        ++outstanding_;
        return failed_;
    }
    taken take() noexcept
    {
        if (failed_ != 0)
            return taken::failure(failed_);
        if (next_ == got_)
            return {};
        --outstanding_;
        auto const& one = buffers_[order_[next_++]];
        return taken::of(std::span{one.bytes}.first(one.size));
    }
    bool wait(std::chrono::nanoseconds at_most)
    {
        got_ = next_ = 0;
        if (more_) {
            read_batch();
            ring_.submit();
            collect();
            if (got_ != 0 || failed_ != 0)
                return true;
        }
        // One to wait for, and the others when it has come.
        while (got_ == 0 && failed_ == 0) {
            auto* const poll = ring_.next();
            ::io_uring_prep_poll_add(poll, file_, POLLIN);
            poll->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
            ::io_uring_sqe_set_data64(poll, ring_writer::tag);
            read_into(0);
            if (!ring_.submit_and_wait(at_most))
                return false;
            collect();
        }
        more_ = outstanding_ > 1;
        return true;
    }

private:
    static constexpr unsigned most_reads = 64;

    struct buffer {
        alignas(umad::ib_user_mad_hdr) std::array<std::byte, packet_size> bytes;
        std::size_t size;
    };

    void read_into(unsigned place) noexcept
    {
        auto* const read = ring_.next();
        ::io_uring_prep_read(read, file_, buffers_[place].bytes.data(), packet_size, 0);
        read->rw_flags = RWF_NOWAIT;
        ::io_uring_sqe_set_data64(read, place);
    }
    void read_batch() noexcept
    {
        auto const count = std::min<std::size_t>(outstanding_, buffers_.size());
        for (unsigned place = 0; place != count; ++place)
            read_into(place);
    }
    void collect()
    {
        ring_.each([&](io_uring_cqe const& one) {
            if (one.user_data == ring_writer::tag) {
                failed_ = one.res < 0 ? -one.res : EIO;
            } else if (one.res == -EAGAIN) {
                more_ = false; // nothing waits any more
            } else if (one.res < 0) {
                failed_ = -one.res;
            } else {
                buffers_[one.user_data].size = static_cast<std::size_t>(one.res);
                order_[got_++] = static_cast<unsigned>(one.user_data);
            }
        });
    }

    int file_;
    ring_writer writer_;
    std::vector<buffer> buffers_;
    std::array<unsigned, most_reads> order_{};
    unsigned got_ = 0;
    unsigned next_ = 0;
    std::size_t outstanding_ = 0;
    bool more_ = false; // the last batch of reads found all it looked for
    int failed_ = 0;
    ring ring_; // ends first: the kernel may be about to write to the buffers
};

/// One receive (of a socket) or read (of another file, from Linux 6.7 on) that goes on and on, into buffers that the
/// kernel picks.
class ring_multishot {
public:
    ring_multishot(int file, bool is_socket, question_packet const& question, unsigned window)
        : file_{file}, is_socket_{is_socket}, writer_{question, window}
    {}
    ring_multishot(ring_multishot const&) = delete;
    ring_multishot& operator=(ring_multishot const&) = delete;
    ~ring_multishot() { ::free(shared_); }

    [[nodiscard]] std::optional<error> open()
    {
        if (auto refused = ring::make(ring_, 1'024))
            return refused;
        if (::posix_memalign(&shared_, 4'096, count * sizeof(io_uring_buf)) != 0)
            return errno_error(ENOMEM, "buffers");
        io_uring_buf_reg what{};
        what.ring_addr = reinterpret_cast<std::uintptr_t>(shared_);
        what.ring_entries = count;
        if (auto const got = ::io_uring_register_buf_ring(ring_.get(), &what, 0); got < 0)
            return errno_error(-got, "a ring of buffers");
        ::io_uring_buf_ring_init(offered());
        for (unsigned place = 0; place != count; ++place)
            offer(place, static_cast<int>(place));
        ::io_uring_buf_ring_advance(offered(), count);
        return std::nullopt;
    }

    int send(std::uint32_t id) noexcept
    {
        writer_.write(ring_, file_, id);
        return failed_;
    }
    taken take() noexcept
    {
        if (failed_ != 0)
            return taken::failure(failed_);
        if (got_.empty())
            return {};
        auto const [place, size] = got_.front();
        got_.pop_front();
        auto const answer = taken::of(std::span{(*buffers_)[place]}.first(size));
        offer(place, 0);
        ::io_uring_buf_ring_advance(offered(), 1);
        return answer;
    }
    bool wait(std::chrono::nanoseconds at_most)
    {
        if (!receiving_) {
            auto* const receive = ring_.next();
            if (is_socket_)
                ::io_uring_prep_recv_multishot(receive, file_, nullptr, 0, 0);
            else
                ::io_uring_prep_rw(read_multishot, receive, file_, nullptr, 0, 0);
            receive->flags |= IOSQE_BUFFER_SELECT;
            receive->buf_group = 0;
            ::io_uring_sqe_set_data64(receive, 0);
            receiving_ = true;
        }
        if (!ring_.submit_and_wait(at_most))
            return false;
        ring_.each([&](io_uring_cqe const& one) {
            if (one.user_data == ring_writer::tag) {
                failed_ = one.res < 0 ? -one.res : EIO;
                return;
            }
            receiving_ = (one.flags & IORING_CQE_F_MORE) != 0;
            if (one.res > 0)
                got_.push_back({one.flags >> IORING_CQE_BUFFER_SHIFT, static_cast<std::size_t>(one.res)});
            else if (one.res != -ENOBUFS)
                failed_ = one.res < 0 ? -one.res : EIO;
        });
        return true;
    }

private:
    static constexpr unsigned count = 1'024;
    static constexpr int read_multishot = 49; // IORING_OP_READ_MULTISHOT, which old headers lack

    struct received {
        unsigned place;
        std::size_t size;
    };

    [[nodiscard]] io_uring_buf_ring* offered() const noexcept { return static_cast<io_uring_buf_ring*>(shared_); }
    void offer(unsigned place, int behind) noexcept
    {
        ::io_uring_buf_ring_add(offered(), (*buffers_)[place].data(), packet_size, static_cast<unsigned short>(place),
            ::io_uring_buf_ring_mask(count), behind);
    }

    int file_;
    bool is_socket_;
    ring_writer writer_;
    std::unique_ptr<std::array<std::array<std::byte, packet_size>, count>> buffers_ =
        std::make_unique<std::array<std::array<std::byte, packet_size>, count>>();
    void* shared_ = nullptr;
    std::deque<received> got_;
    bool receiving_ = false;
    int failed_ = 0;
    ring ring_; // ends first: the kernel may be about to write to the buffers
};

} // namespace madrigal::bench
