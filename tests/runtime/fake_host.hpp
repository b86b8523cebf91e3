// A host whose one port does what a test tells it to, byte by byte.
#pragma once

#include <madrigal/umad/host.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace madrigal::testing {

/// The kernel's side of a fake file, shared with the test.
struct fake_kernel {
    std::deque<std::vector<std::byte>> to_read;
    std::vector<std::vector<std::byte>> written;
    /// Called for each packet written; the errno of the write.
    std::function<int(std::span<std::byte const>)> on_write = [](auto) { return 0; };
    bool long_headers = true;
    bool gone = false;
    int issm_refusal = EAGAIN; ///< of every attempt to open the issm file
    std::uint32_t next_id = 0;
    std::uint8_t lmc = 0;
    int descriptor = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

    fake_kernel() = default;
    fake_kernel(fake_kernel const&) = delete;
    fake_kernel& operator=(fake_kernel const&) = delete;
    ~fake_kernel() { ::close(descriptor); }

    void deliver(std::vector<std::byte> packet)
    {
        to_read.push_back(std::move(packet));
        std::uint64_t const one = 1;
        (void)!::write(descriptor, &one, sizeof one);
    }
    void vanish()
    {
        gone = true;
        std::uint64_t const one = 1;
        (void)!::write(descriptor, &one, sizeof one);
    }
};

class fake_file final : public umad::port_file {
public:
    explicit fake_file(std::shared_ptr<fake_kernel> kernel) : kernel_{std::move(kernel)} {}

    int native_handle() const noexcept override { return kernel_->descriptor; }
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override
    {
        if (kernel_->gone)
            return failed(EIO);
        if (kernel_->to_read.empty()) {
            std::uint64_t drained = 0;
            (void)!::read(kernel_->descriptor, &drained, sizeof drained);
            return failed(EAGAIN);
        }
        auto const& next = kernel_->to_read.front();
        auto const size = std::min(next.size(), buffer.size());
        std::memcpy(buffer.data(), next.data(), size);
        if (next.size() > buffer.size())
            return failed(ENOSPC);
        kernel_->to_read.pop_front();
        return size;
    }
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override
    {
        if (kernel_->gone)
            return failed(EIO);
        if (int const number = kernel_->on_write(packet))
            return failed(number);
        kernel_->written.emplace_back(packet.begin(), packet.end());
        return packet.size();
    }
    error_code enable_pkey() noexcept override
    {
        return kernel_->long_headers ? error_code{} : failed(ENOTTY).error().code();
    }
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override
    {
        request.id = kernel_->next_id++;
        return {};
    }
    error_code register_agent2(umad::ib_user_mad_reg_req2& request) noexcept override
    {
        if (!kernel_->long_headers)
            return failed(ENOTTY).error().code();
        request.id = kernel_->next_id++;
        return {};
    }
    error_code unregister_agent(std::uint32_t) noexcept override { return {}; }

private:
    static result<std::size_t> failed(int number) noexcept
    {
        return error{error_code{number, boost::system::system_category()}};
    }
    std::shared_ptr<fake_kernel> kernel_;
};

/// One CA, `fake0`, with one active port.
class fake_host final : public umad::host {
public:
    explicit fake_host(std::shared_ptr<fake_kernel> kernel) : kernel_{std::move(kernel)} {}

    std::string uri() const override { return "fake"; }
    result<std::vector<std::string>> ca_names() override { return std::vector<std::string>{"fake0"}; }
    result<umad::ca_attributes> query_ca(std::string_view) override
    {
        umad::ca_attributes ca;
        ca.name = "fake0";
        ca.ports = {1};
        return ca;
    }
    result<umad::port_attributes> query_port(std::string_view, unsigned) override
    {
        umad::port_attributes port;
        port.ca_name = "fake0";
        port.number = 1;
        port.state = port_state::active;
        port.phys_state = physical_state::link_up;
        port.port_guid = guid{1};
        port.lmc = kernel_->lmc;
        return port;
    }
    result<std::unique_ptr<umad::port_file>> open_port(std::string_view, unsigned) override
    {
        return std::unique_ptr<umad::port_file>{std::make_unique<fake_file>(kernel_)};
    }
    result<std::unique_ptr<umad::issm_file>> open_issm(std::string_view, unsigned) override
    {
        return errno_error(kernel_->issm_refusal, "fake0");
    }

private:
    std::shared_ptr<fake_kernel> kernel_;
};

} // namespace madrigal::testing
