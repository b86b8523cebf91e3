// A host whose ports are as busy as a test wants them: unsolicited MADs without end, answers behind them.
#pragma once

#include <madrigal/umad/host.hpp>
#include <madrigal/wire/mad.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace madrigal::testing {

/// The kernel's side of a busy file. Every request is answered when it is written, behind what stands in the list then.
struct busy_kernel {
    std::deque<std::vector<std::byte>> list; ///< what waits to be read
    std::vector<std::byte> unsolicited;      ///< as it is read
    std::size_t depth = 0;                   ///< so many packets always wait: unsolicited ones are added
    bool answers = true;
    std::size_t reads = 0; ///< packets that have been read
    std::size_t writes = 0;
    std::uint32_t next_id = 0;
    int descriptor = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

    busy_kernel() = default;
    busy_kernel(busy_kernel const&) = delete;
    busy_kernel& operator=(busy_kernel const&) = delete;
    ~busy_kernel() { ::close(descriptor); }

    [[nodiscard]] std::size_t work() const noexcept { return reads + writes; }
    /// From now on there are always so many packets.
    void flood(std::vector<std::byte> packet, std::size_t deep)
    {
        unsolicited = std::move(packet);
        depth = deep;
        refill();
    }
    void refill()
    {
        while (list.size() < depth)
            list.push_back(unsolicited);
        if (!list.empty())
            signal();
    }
    void signal() const noexcept
    {
        std::uint64_t const one = 1;
        (void)!::write(descriptor, &one, sizeof one);
    }
};

class busy_file final : public umad::port_file {
public:
    explicit busy_file(std::shared_ptr<busy_kernel> kernel) : kernel_{std::move(kernel)} {}

    int native_handle() const noexcept override { return kernel_->descriptor; }
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override
    {
        auto& list = kernel_->list;
        if (list.empty()) {
            std::uint64_t drained = 0;
            (void)!::read(kernel_->descriptor, &drained, sizeof drained);
            return error{error_code{EAGAIN, boost::system::system_category()}};
        }
        auto const size = std::min(list.front().size(), buffer.size());
        std::memcpy(buffer.data(), list.front().data(), size);
        list.pop_front();
        ++kernel_->reads;
        kernel_->refill();
        return size;
    }
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override
    {
        ++kernel_->writes;
        std::vector<std::byte> answer{packet.begin(), packet.end()};
        mutable_mad_view const mad{std::span{answer}.subspan(umad::header_size)};
        if (kernel_->answers && !mad.is_response()) {
            mad.set_method(method::get_response);
            mad.set_status(mad_status::direction_bit);
            kernel_->list.push_back(std::move(answer));
            kernel_->signal();
        }
        return packet.size();
    }
    error_code enable_pkey() noexcept override { return {}; }
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override
    {
        request.id = kernel_->next_id++;
        return {};
    }
    error_code register_agent2(umad::ib_user_mad_reg_req2& request) noexcept override
    {
        request.id = kernel_->next_id++;
        return {};
    }
    error_code unregister_agent(std::uint32_t) noexcept override { return {}; }

private:
    std::shared_ptr<busy_kernel> kernel_;
};

/// One CA, `busy0`, with as many ports as kernels are given.
class busy_host final : public umad::host {
public:
    explicit busy_host(std::vector<std::shared_ptr<busy_kernel>> kernels) : kernels_{std::move(kernels)} {}

    std::string uri() const override { return "busy"; }
    result<std::vector<std::string>> ca_names() override { return std::vector<std::string>{"busy0"}; }
    result<umad::ca_attributes> query_ca(std::string_view) override
    {
        umad::ca_attributes ca;
        ca.name = "busy0";
        for (unsigned number = 1; number <= kernels_.size(); ++number)
            ca.ports.push_back(number);
        return ca;
    }
    result<umad::port_attributes> query_port(std::string_view, unsigned number) override
    {
        umad::port_attributes port;
        port.ca_name = "busy0";
        port.number = number;
        port.state = port_state::active;
        port.phys_state = physical_state::link_up;
        port.port_guid = guid{number};
        return port;
    }
    result<std::unique_ptr<umad::port_file>> open_port(std::string_view, unsigned number) override
    {
        return std::unique_ptr<umad::port_file>{std::make_unique<busy_file>(kernels_.at(number - 1))};
    }
    result<std::unique_ptr<umad::issm_file>> open_issm(std::string_view, unsigned) override
    {
        return errno_error(EAGAIN, "busy0");
    }

private:
    std::vector<std::shared_ptr<busy_kernel>> kernels_;
};

} // namespace madrigal::testing
