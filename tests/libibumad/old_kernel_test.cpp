// Kernels without P_Key indices have a header that is eight bytes shorter. Programs see the long one all the same.
#include <libibumad/open_ports.hpp>
#include <libibumad/process_host.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace madrigal::libibumad::test {
namespace {

using testing::Each;

constexpr std::size_t mad_size = 256;

error_code system_code(int number)
{
    return {number, boost::system::system_category()};
}

/// One packet to read, as the kernel has it, and what was written last.
struct old_kernel {
    std::vector<std::byte> waiting;
    std::vector<std::byte> written;
};

/// A file that knows neither P_Key indices nor the second way to register.
class old_file final : public umad::port_file {
public:
    explicit old_file(std::shared_ptr<old_kernel> of) : kernel_{std::move(of)} {}

    [[nodiscard]] int native_handle() const noexcept override { return 5; }
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override
    {
        auto& packet = kernel_->waiting;
        if (packet.empty())
            return system_code(EAGAIN);
        auto const first = std::min(packet.size(), umad::old_header_size + mad_size);
        if (buffer.size() < first)
            return system_code(EINVAL);
        std::copy_n(packet.begin(), first, buffer.begin());
        if (buffer.size() < packet.size())
            return system_code(ENOSPC);
        std::copy(packet.begin(), packet.end(), buffer.begin());
        auto const size = packet.size();
        packet.clear();
        return size;
    }
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override
    {
        kernel_->written.assign(packet.begin(), packet.end());
        return packet.size();
    }
    error_code enable_pkey() noexcept override { return system_code(515); }
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override
    {
        request.id = 0;
        return {};
    }
    error_code register_agent2(umad::ib_user_mad_reg_req2& /*request*/) noexcept override
    {
        return system_code(ENOTTY);
    }
    error_code unregister_agent(std::uint32_t /*id*/) noexcept override { return {}; }

private:
    std::shared_ptr<old_kernel> kernel_;
};

class OldKernel : public testing::Test {
protected:
    OldKernel()
    {
        umad::registration_detail detail;
        EXPECT_TRUE(port.register_agent(umad::registration{.management_class = 0x81}, detail));
    }

    /// A packet with this much of a MAD, whose bytes tell their places.
    void arrives(std::size_t length)
    {
        kernel->waiting.resize(umad::old_header_size + length);
        for (std::size_t i = 0; i != kernel->waiting.size(); ++i)
            kernel->waiting[i] = static_cast<std::byte>(i);
        auto const whole = static_cast<std::uint32_t>(kernel->waiting.size());
        std::memcpy(kernel->waiting.data() + 16, &whole, sizeof whole);
    }
    /// Whether the buffer has the packet's header, zeros in its last eight bytes, and `length` bytes of the MAD.
    void expect_packet(std::vector<std::byte> const& packet, std::size_t length) const
    {
        EXPECT_TRUE(std::equal(buffer.begin(), buffer.begin() + umad::old_header_size, packet.begin()));
        EXPECT_THAT(std::vector(buffer.begin() + umad::old_header_size, buffer.begin() + umad::header_size),
            Each(std::byte{0}));
        EXPECT_TRUE(std::equal(packet.begin() + umad::old_header_size,
            packet.begin() + static_cast<std::ptrdiff_t>(umad::old_header_size + length),
            buffer.begin() + umad::header_size));
    }

    std::shared_ptr<old_kernel> kernel = std::make_shared<old_kernel>();
    port_in_use port{umad::umad_file{std::make_unique<old_file>(kernel), "mthca0 port 1"}, 1};
    std::vector<std::byte> buffer = std::vector<std::byte>(umad::header_size + 1000, std::byte{0xEE});
};

TEST_F(OldKernel, APacketIsReceivedWithTheLongHeader)
{
    arrives(mad_size);
    auto const packet = kernel->waiting;
    int length = mad_size;
    EXPECT_EQ(port.look(), 0);
    EXPECT_EQ(port.receive(buffer.data(), &length), 0);
    EXPECT_EQ(length, static_cast<int>(mad_size));
    expect_packet(packet, mad_size);
    EXPECT_EQ(buffer[umad::header_size + mad_size], std::byte{0xEE});
    EXPECT_EQ(port.look(), EAGAIN);
    EXPECT_EQ(port.receive(buffer.data(), &length), EAGAIN);
}

TEST_F(OldKernel, AMessageThatDoesNotFitTellsItsLengthWithoutTheHeader)
{
    arrives(700);
    auto const packet = kernel->waiting;
    int length = mad_size;
    EXPECT_EQ(port.receive(buffer.data(), &length), ENOSPC);
    EXPECT_EQ(length, 700);
    expect_packet(packet, mad_size);
    EXPECT_EQ(port.receive(buffer.data(), &length), 0);
    EXPECT_EQ(length, 700);
    expect_packet(packet, 700);
}

TEST_F(OldKernel, ALengthThatIsShorterThanItsOwnHeaderIsNotBelieved)
{
    arrives(700);
    std::uint32_t const wrong = 20;
    std::memcpy(kernel->waiting.data() + 16, &wrong, sizeof wrong);
    int length = mad_size;
    EXPECT_EQ(port.receive(buffer.data(), &length), EIO);
    EXPECT_EQ(length, static_cast<int>(mad_size));
}

TEST_F(OldKernel, APacketIsSentWithTheShortHeader)
{
    for (std::size_t i = 0; i != buffer.size(); ++i)
        buffer[i] = static_cast<std::byte>(i * 3);
    auto const before = buffer;
    EXPECT_EQ(port.send(buffer.data(), mad_size), 0);
    ASSERT_EQ(kernel->written.size(), umad::old_header_size + mad_size);
    EXPECT_TRUE(std::equal(buffer.begin(), buffer.begin() + umad::old_header_size, kernel->written.begin()));
    EXPECT_TRUE(std::equal(
        kernel->written.begin() + umad::old_header_size, kernel->written.end(), buffer.begin() + umad::header_size));
    EXPECT_EQ(buffer, before);
}

} // namespace
} // namespace madrigal::libibumad::test
