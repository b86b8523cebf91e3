#include "socket_host.hpp"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace madrigal::bench {
namespace {

constexpr std::string_view ca_name = "echo0";

error_code errno_code(int number) noexcept
{
    return {number, boost::system::system_category()};
}

class socket_port_file final : public umad::port_file {
public:
    explicit socket_port_file(int descriptor) noexcept : descriptor_{descriptor} {}
    ~socket_port_file() override { ::close(descriptor_); }

    [[nodiscard]] int native_handle() const noexcept override { return descriptor_; }

    result<std::size_t> read(std::span<std::byte> buffer) noexcept override
    {
        auto const got = ::read(descriptor_, buffer.data(), buffer.size());
        if (got > 0)
            return static_cast<std::size_t>(got);
        // The end of the echo process is the loss of the device.
        return error{errno_code(got == 0 || errno == ECONNRESET ? EIO : errno)};
    }

    result<std::size_t> write(std::span<std::byte const> packet) noexcept override
    {
        for (;;) {
            auto const put = ::write(descriptor_, packet.data(), packet.size());
            if (put >= 0)
                return static_cast<std::size_t>(put);
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN)
                return error{errno_code(errno == EPIPE || errno == ECONNRESET ? EIO : errno)};
            // A umad file never would-block.
            pollfd wait{descriptor_, POLLOUT, 0};
            (void)::poll(&wait, 1, -1);
        }
    }

    error_code enable_pkey() noexcept override { return registered_ ? errno_code(EINVAL) : error_code{}; }
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override { return give(request.id); }
    error_code register_agent2(umad::ib_user_mad_reg_req2& request) noexcept override { return give(request.id); }
    error_code unregister_agent(std::uint32_t id) noexcept override
    {
        return id == 0 && std::exchange(registered_, false) ? error_code{} : errno_code(EINVAL);
    }

private:
    error_code give(std::uint32_t& id) noexcept
    {
        if (std::exchange(registered_, true))
            return errno_code(ENOMEM);
        id = 0;
        return {};
    }

    int descriptor_;
    bool registered_ = false;
};

} // namespace

result<umad::ca_attributes> socket_host::query_ca(std::string_view ca)
{
    if (ca != ca_name)
        return error{errc::no_such_ca, std::string{ca}};
    umad::ca_attributes told;
    told.name = ca_name;
    told.ports = {1};
    return told;
}

result<umad::port_attributes> socket_host::query_port(std::string_view ca, unsigned port)
{
    if (ca != ca_name || port != 1)
        return error{errc::no_such_port, std::string{ca} + " port " + std::to_string(port)};
    umad::port_attributes told;
    told.ca_name = ca_name;
    told.number = 1;
    told.base_lid = lid{1};
    told.state = port_state::active;
    told.phys_state = physical_state::link_up;
    told.port_guid = guid{1};
    return told;
}

result<std::unique_ptr<umad::port_file>> socket_host::open_port(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(query_port(ca, port));
    auto const own = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return errno_error(errno, "the socket to the echo process");
    return std::unique_ptr<umad::port_file>{std::make_unique<socket_port_file>(own)};
}

result<std::unique_ptr<umad::issm_file>> socket_host::open_issm(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(query_port(ca, port));
    return errno_error(EAGAIN, "there is no issm file behind a socket");
}

} // namespace madrigal::bench
