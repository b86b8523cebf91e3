// What umad_register(3), umad_register_oui(3) and umad_register2(3) promise.
#include "libibumad/opened_port.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace madrigal::libibumad::test {
namespace {

/// Classes that nobody serves on a real machine: one without RMPP, and one with an OUI.
constexpr int unlikely = 0x2F;
constexpr int unlikely_with_oui = 0x4F;
constexpr std::uint32_t some_oui = 0x00066A;

umad_reg_attr attributes(int class_number)
{
    umad_reg_attr wanted{};
    wanted.mgmt_class = static_cast<std::uint8_t>(class_number);
    wanted.mgmt_class_version = 1;
    return wanted;
}

umad_reg_attr with_oui()
{
    auto wanted = attributes(unlikely_with_oui);
    wanted.oui = some_oui;
    wanted.method_mask[0] = 0x80000000000000DE;
    wanted.method_mask[1] = 0xAD00000000000001;
    return wanted;
}

TEST(Registering, GivesAgentsFromZeroOnAndTakesThemBack)
{
    opened_port const port;
    auto methods = mask_of({1, 63, 64});
    ASSERT_EQ(::umad_register(port.id(), unlikely, 1, 0, methods.data()), 0);
    EXPECT_EQ(::umad_register(port.id(), unlikely, 1, 0, nullptr), 1);
    EXPECT_EQ(::umad_unregister(port.id(), 0), 0);
    EXPECT_EQ(::umad_register(port.id(), unlikely, 1, 0, methods.data()), 0);
}

TEST(Registering, OfAMethodThatSomebodyHasIsRefused)
{
    opened_port const first;
    opened_port const second;
    auto methods = mask_of({1, 0x7F});
    auto others = mask_of({2, 0x7E});
    ASSERT_EQ(::umad_register(first.id(), unlikely, 1, 0, methods.data()), 0);
    EXPECT_EQ(::umad_register(second.id(), unlikely, 1, 0, methods.data()), -EPERM);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(::umad_register(second.id(), unlikely, 1, 0, others.data()), 0);
}

TEST(Registering, TheSameMethodsByLongsAndBy64BitWordsAreTheSame)
{
    opened_port const port;
    auto methods = mask_of({1, 63, 64});
    ASSERT_EQ(::umad_register(port.id(), unlikely, 1, 0, methods.data()), 0);
    auto wanted = attributes(unlikely);
    std::uint32_t agent = 77;
    for (auto const& [low, high] : {std::pair{0x2ULL, 0ULL}, {0x8000000000000000ULL, 0ULL}, {0ULL, 1ULL}}) {
        wanted.method_mask[0] = low;
        wanted.method_mask[1] = high;
        EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), EINVAL);
    }
    wanted.method_mask[0] = ~0x8000000000000002ULL;
    wanted.method_mask[1] = ~1ULL;
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), 0);
    EXPECT_EQ(agent, 1U);
}

TEST(Registering, WithAnOuiIsForTheVendorClassesThatHaveOne)
{
    opened_port const port;
    auto methods = mask_of({1, 63, 64});
    std::array<std::uint8_t, 3> oui{0x00, 0x14, 0x05};
    EXPECT_EQ(::umad_register_oui(port.id(), 0x2F, 1, oui.data(), methods.data()), -EINVAL);
    EXPECT_EQ(::umad_register_oui(port.id(), 0x50, 1, oui.data(), methods.data()), -EINVAL);
    EXPECT_EQ(::umad_register_oui(port.id(), 0x30 + 0x100, 1, oui.data(), methods.data()), -EINVAL);
    EXPECT_EQ(::umad_register_oui(port.id(), unlikely_with_oui, 1, nullptr, methods.data()), -EINVAL);
    EXPECT_EQ(::umad_register_oui(port.id(), unlikely_with_oui, 1, oui.data(), methods.data()), 0);
    std::array<std::uint8_t, 3> none{};
    EXPECT_EQ(::umad_register_oui(port.id(), unlikely_with_oui, 1, none.data(), methods.data()), -EPERM);
}

TEST(Registering, Register2TakesAnOuiInHostByteOrder)
{
    opened_port const port;
    auto wanted = with_oui();
    std::uint32_t agent = 77;
    ASSERT_EQ(::umad_register2(port.id(), &wanted, &agent), 0);
    EXPECT_EQ(agent, 0U);
    std::array<std::uint8_t, 3> oui{0x00, 0x06, 0x6A};
    auto methods = mask_of({1});
    EXPECT_EQ(::umad_register_oui(port.id(), unlikely_with_oui, 0, oui.data(), methods.data()), -EPERM);
}

TEST(Registering, Register2RefusesASecondOfTheSameOui)
{
    opened_port const port;
    auto wanted = with_oui();
    std::uint32_t first = 77;
    std::uint32_t second = 78;
    ASSERT_EQ(::umad_register2(port.id(), &wanted, &first), 0);
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &second), EINVAL);
    EXPECT_EQ(second, 78U);
    EXPECT_EQ(::umad_unregister(port.id(), 78), -EINVAL);
    EXPECT_EQ(::umad_unregister(port.id(), static_cast<int>(first)), 0);
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &second), 0);
}

TEST(Registering, FlagsThatTheKernelLacksComeBackAsThoseThatItHas)
{
    opened_port const port;
    auto wanted = attributes(unlikely);
    wanted.flags = 0x80000000;
    std::uint32_t agent = 77;
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), EINVAL);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(wanted.flags, static_cast<std::uint32_t>(UMAD_USER_RMPP));
    EXPECT_EQ(agent, 77U);
    wanted.flags = 0x80000001;
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), EINVAL);
    EXPECT_EQ(wanted.flags, static_cast<std::uint32_t>(UMAD_USER_RMPP));
}

TEST(Registering, FlagsStayAsTheyAreWhereSomethingElseIsWrong)
{
    opened_port const port;
    auto wanted = attributes(3);
    wanted.mgmt_class_version = 2;
    wanted.flags = UMAD_USER_RMPP;
    wanted.rmpp_version = 2;
    std::uint32_t agent = 77;
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), EINVAL);
    EXPECT_EQ(wanted.flags, static_cast<std::uint32_t>(UMAD_USER_RMPP));
}

TEST(Registering, Register2RefusesAnOuiBeyond24Bits)
{
    opened_port const port;
    auto wanted = attributes(unlikely_with_oui);
    wanted.oui = 0x0100066A;
    std::uint32_t agent = 77;
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), EINVAL);
}

TEST(Registering, Register2LetsAnAgentDoRmppItself)
{
    opened_port const port;
    auto wanted = with_oui();
    wanted.flags = UMAD_USER_RMPP;
    std::uint32_t agent = 77;
    EXPECT_EQ(::umad_register2(port.id(), &wanted, &agent), 0);
    EXPECT_EQ(wanted.flags, static_cast<std::uint32_t>(UMAD_USER_RMPP));
}

TEST(Registering, AFileHolds32Agents)
{
    opened_port const port;
    for (int agent = 0; agent != UMAD_CA_MAX_AGENTS; ++agent)
        ASSERT_EQ(::umad_register(port.id(), unlikely, 1, 0, nullptr), agent);
    EXPECT_EQ(::umad_register(port.id(), unlikely, 1, 0, nullptr), -EPERM);
    EXPECT_EQ(errno, ENOMEM);
}

TEST(Registering, WithoutAPortIsAnInvalidHandle)
{
    std::array<std::uint8_t, 3> oui{0x00, 0x14, 0x05};
    auto wanted = attributes(unlikely);
    std::uint32_t agent = 77;
    EXPECT_EQ(::umad_register(-1, unlikely, 1, 0, nullptr), -EINVAL);
    EXPECT_EQ(::umad_register_oui(1'000'000, unlikely_with_oui, 0, oui.data(), nullptr), -EINVAL);
    EXPECT_EQ(::umad_register2(-5, &wanted, &agent), EBADF);
    EXPECT_EQ(::umad_unregister(0, 0), -EINVAL); // a descriptor, but no port
    opened_port const port;
    EXPECT_EQ(::umad_register2(port.id(), nullptr, &agent), EINVAL);
    EXPECT_EQ(::umad_register2(port.id(), &wanted, nullptr), EINVAL);
}

} // namespace
} // namespace madrigal::libibumad::test
