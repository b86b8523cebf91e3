// A host whose one port is RoCE: a write waits in the kernel until a test lets it come back.
#pragma once

#include <madrigal/umad/host.hpp>
#include <madrigal/wire/mad.hpp>

#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace madrigal::testing {

/// The port's own GID, and one that some other port may have or not.
inline constexpr gid own_gid{0xFE80'0000'0000'0000, guid{1}};
inline constexpr gid other_gid{0xFE80'0000'0000'0000, guid{2}};

[[nodiscard]] inline umad::ib_user_mad_hdr header_of(std::span<std::byte const> packet)
{
    umad::ib_user_mad_hdr header{};
    std::memcpy(static_cast<void*>(&header), packet.data(), sizeof header);
    return header;
}
[[nodiscard]] inline gid destination_of(std::span<std::byte const> packet)
{
    auto const header = header_of(packet);
    gid::bytes_type bytes;
    std::copy(std::begin(header.gid), std::end(header.gid), bytes.begin());
    return gid{bytes};
}

/// One open file as its kernel sees it. The kernel's mutex of the file is not there: what would wait for it is a
/// failure of the test.
class slow_file_state {
public:
    explicit slow_file_state(std::size_t length_of_headers) : header_size{length_of_headers} {}
    ~slow_file_state() { ::close(descriptor); }

    // The test.

    /// From now on writes wait.
    void shut()
    {
        std::lock_guard const lock{mutex_};
        open_ = false;
    }
    /// Waits until a write waits.
    [[nodiscard]] bool is_stuck()
    {
        std::lock_guard const lock{mutex_};
        return stuck_;
    }
    void until_stuck()
    {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return stuck_; });
    }
    /// Lets so many writes come back, those that wait and those to come.
    void let(unsigned writes)
    {
        std::lock_guard const lock{mutex_};
        let_ += writes;
        changed_.notify_all();
    }
    void open()
    {
        std::lock_guard const lock{mutex_};
        open_ = true;
        changed_.notify_all();
    }
    void until_closed()
    {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return closed_; });
    }
    /// What writes come to.
    void refuse(int number)
    {
        std::lock_guard const lock{mutex_};
        errno_ = number;
    }
    /// Whether each request is answered as soon as it has been taken.
    void answer(bool whether)
    {
        std::lock_guard const lock{mutex_};
        answers_ = whether;
    }
    /// The device goes.
    void vanish()
    {
        std::lock_guard const lock{mutex_};
        gone_ = true;
        ring();
    }
    /// The answer, or the report that there is none, of a request that has been written.
    void deliver_for(std::vector<std::byte> request, bool timed_out = false)
    {
        std::lock_guard const lock{mutex_};
        push(std::move(request), timed_out);
    }
    [[nodiscard]] std::vector<std::vector<std::byte>> written()
    {
        std::lock_guard const lock{mutex_};
        return written_;
    }
    [[nodiscard]] std::vector<std::thread::id> writers()
    {
        std::lock_guard const lock{mutex_};
        return writers_;
    }
    [[nodiscard]] bool closed()
    {
        std::lock_guard const lock{mutex_};
        return closed_;
    }
    [[nodiscard]] unsigned reads()
    {
        std::lock_guard const lock{mutex_};
        return reads_;
    }

    // The file.

    result<std::size_t> write(std::span<std::byte const> packet)
    {
        std::unique_lock lock{mutex_};
        expect_free("write");
        busy_ = true;
        if (!open_ && let_ == 0) {
            stuck_ = true;
            changed_.notify_all();
            changed_.wait(lock, [this] { return open_ || let_ != 0; });
            stuck_ = false;
        }
        if (!open_)
            --let_;
        busy_ = false;
        writers_.push_back(std::this_thread::get_id());
        if (gone_ || errno_ != 0)
            return failed(gone_ ? EIO : errno_);
        written_.emplace_back(packet.begin(), packet.end());
        if (answers_ && header_of(packet).timeout_ms != 0)
            push(written_.back(), false);
        return packet.size();
    }
    result<std::size_t> read(std::span<std::byte> buffer)
    {
        std::lock_guard const lock{mutex_};
        expect_free("read");
        ++reads_;
        if (gone_)
            return failed(EIO);
        if (to_read_.empty()) {
            std::uint64_t drained = 0;
            (void)!::read(descriptor, &drained, sizeof drained);
            return failed(EAGAIN);
        }
        auto const next = std::move(to_read_.front());
        to_read_.pop_front();
        std::memcpy(buffer.data(), next.data(), next.size());
        return next.size();
    }
    void control()
    {
        std::lock_guard const lock{mutex_};
        expect_free("ioctl");
    }
    void close()
    {
        std::lock_guard const lock{mutex_};
        expect_free("close");
        closed_ = true;
        changed_.notify_all();
    }

    std::size_t const header_size;
    int const descriptor = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

private:
    void expect_free(char const* call) const
    {
        EXPECT_FALSE(busy_) << call << " would wait for the write";
        EXPECT_FALSE(closed_) << call << " on a closed file";
    }
    void ring() const
    {
        std::uint64_t const one = 1;
        (void)!::write(descriptor, &one, sizeof one);
    }
    void push(std::vector<std::byte> packet, bool timed_out)
    {
        auto header = header_of(packet);
        header.status = timed_out ? ETIMEDOUT : 0;
        std::memcpy(packet.data(), &header, umad::old_header_size);
        mutable_mad_view const mad{std::span{packet}.subspan(header_size)};
        mad.set_transaction_id(mad.transaction_id() | std::uint64_t{77} << 32);
        if (timed_out)
            packet.resize(header_size + mad_header_size);
        else
            mad.set_method(method::get_response);
        to_read_.push_back(std::move(packet));
        ring();
    }
    static result<std::size_t> failed(int number)
    {
        return error{error_code{number, boost::system::system_category()}};
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::vector<std::byte>> to_read_;
    std::vector<std::vector<std::byte>> written_;
    std::vector<std::thread::id> writers_;
    int errno_ = 0;
    unsigned let_ = 0;
    unsigned reads_ = 0;
    bool open_ = true;
    bool stuck_ = false;
    bool busy_ = false;
    bool answers_ = true;
    bool gone_ = false;
    bool closed_ = false;
};

class slow_file final : public umad::port_file {
public:
    explicit slow_file(std::shared_ptr<slow_file_state> state) : state_{std::move(state)} {}
    ~slow_file() override { state_->close(); }

    int native_handle() const noexcept override { return state_->descriptor; }
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override { return state_->read(buffer); }
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override { return state_->write(packet); }
    error_code enable_pkey() noexcept override { return old() ? unknown() : error_code{}; }
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override
    {
        state_->control();
        request.id = 0;
        return {};
    }
    error_code register_agent2(umad::ib_user_mad_reg_req2& request) noexcept override
    {
        if (old())
            return unknown();
        state_->control();
        request.id = next_id_++;
        return {};
    }
    error_code unregister_agent(std::uint32_t) noexcept override
    {
        state_->control();
        return {};
    }

private:
    [[nodiscard]] bool old() const noexcept { return state_->header_size != umad::header_size; }
    static error_code unknown() noexcept { return {ENOTTY, boost::system::system_category()}; }

    std::shared_ptr<slow_file_state> state_;
    std::uint32_t next_id_ = 0;
};

/// One CA, `rxe0`, with one active port. The test sees each file that is opened, in the order of the opening.
class slow_host final : public umad::host {
public:
    std::vector<std::shared_ptr<slow_file_state>> files;
    umad::link_layer layer = umad::link_layer::ethernet;
    bool there = true;
    std::size_t header_size = umad::header_size; ///< of files opened from now on

    std::string uri() const override { return "slow"; }
    result<std::vector<std::string>> ca_names() override
    {
        return there ? std::vector<std::string>{"rxe0"} : std::vector<std::string>{};
    }
    result<umad::ca_attributes> query_ca(std::string_view) override
    {
        if (!there)
            return error{errc::no_such_ca, "rxe0"};
        umad::ca_attributes ca;
        ca.name = "rxe0";
        ca.ports = {1};
        return ca;
    }
    result<umad::port_attributes> query_port(std::string_view, unsigned) override
    {
        if (!there)
            return error{errc::no_such_ca, "rxe0"};
        umad::port_attributes port;
        port.ca_name = "rxe0";
        port.number = 1;
        port.state = port_state::active;
        port.phys_state = physical_state::link_up;
        port.port_guid = own_gid.interface_id();
        port.layer = layer;
        port.gids = {own_gid, gid{}};
        return port;
    }
    result<std::unique_ptr<umad::port_file>> open_port(std::string_view, unsigned) override
    {
        files.push_back(std::make_shared<slow_file_state>(header_size));
        return std::unique_ptr<umad::port_file>{std::make_unique<slow_file>(files.back())};
    }
    result<std::unique_ptr<umad::issm_file>> open_issm(std::string_view, unsigned) override
    {
        return errno_error(EAGAIN, "rxe0");
    }
};

} // namespace madrigal::testing
