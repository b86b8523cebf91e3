// The header mode of an open file: decided before the first registration, remembered with the file.
#include "umad/fake_port_file.hpp"

#include <madrigal/umad/umad_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal::umad {
namespace {

using test::fake_kernel;

umad_file open_on(std::shared_ptr<fake_kernel> const& kernel)
{
    return {std::make_unique<test::fake_port_file>(kernel), "mlx5_0 port 1"};
}

TEST(UmadFile, HeadersHave64BytesWhereEnablingThePkeyIndexSucceeds)
{
    auto const kernel = std::make_shared<fake_kernel>();
    auto const file = open_on(kernel);
    EXPECT_EQ(file.header_size(), 64u);
    EXPECT_EQ(kernel->enable_pkey_calls, 1);
}

/// Every errno, those that kernels should have kept to themselves included.
class UmadFileWithoutPkeyMode : public testing::TestWithParam<int> {
protected:
    UmadFileWithoutPkeyMode() { kernel->enable_pkey = GetParam(); }

    std::shared_ptr<fake_kernel> kernel = std::make_shared<fake_kernel>();
};

TEST_P(UmadFileWithoutPkeyMode, HeadersHave56BytesAfterAnyFailure)
{
    EXPECT_EQ(open_on(kernel).header_size(), 56u);
}

TEST_P(UmadFileWithoutPkeyMode, HeadersStayAt56BytesWhenTheFirstIoctlRegisters)
{
    kernel->second_call_unknown = ENOTTY;
    auto file = open_on(kernel);
    ASSERT_TRUE(file.register_agent(performance()));
    EXPECT_EQ(file.header_size(), 56u);
}

TEST_P(UmadFileWithoutPkeyMode, HeadersGrowTo64BytesWhenTheSecondIoctlRegistersFirst)
{
    auto file = open_on(kernel);
    ASSERT_TRUE(file.register_agent(performance()));
    EXPECT_EQ(file.header_size(), 64u);
}

TEST_P(UmadFileWithoutPkeyMode, HeadersDoNotGrowOnceAnAgentIsRegistered)
{
    auto file = open_on(kernel);
    kernel->second_call_unknown = ENOTTY;
    ASSERT_TRUE(file.register_agent(performance()));
    kernel->second_call_unknown = 0;
    ASSERT_TRUE(file.register_agent(performance()));
    EXPECT_EQ(file.header_size(), 56u);
}

TEST_P(UmadFileWithoutPkeyMode, AFailedRegistrationDecidesNothing)
{
    auto file = open_on(kernel);
    kernel->refuse = EINVAL;
    ASSERT_FALSE(file.register_agent(performance()));
    EXPECT_EQ(file.header_size(), 56u);
    kernel->refuse = 0;
    ASSERT_TRUE(file.register_agent(performance()));
    EXPECT_EQ(file.header_size(), 64u);
}

INSTANTIATE_TEST_SUITE_P(Errnos, UmadFileWithoutPkeyMode, testing::Values(EINVAL, ENOTTY, 515, ENOSYS, EIO, EPERM));

TEST(UmadFile, EachFileHasItsOwnMode)
{
    auto const old_kernel = std::make_shared<fake_kernel>();
    old_kernel->enable_pkey = ENOTTY;
    auto const a = open_on(old_kernel);
    auto const b = open_on(std::make_shared<fake_kernel>());
    EXPECT_EQ(a.header_size(), 56u);
    EXPECT_EQ(b.header_size(), 64u);
}

TEST(UmadFile, MovingKeepsTheMode)
{
    auto const kernel = std::make_shared<fake_kernel>();
    auto file = open_on(kernel);
    auto const moved = std::move(file);
    EXPECT_EQ(moved.header_size(), 64u);
    EXPECT_EQ(kernel->enable_pkey_calls, 1);
}

TEST(UmadFile, MessagesNameTheDevice)
{
    auto const kernel = std::make_shared<fake_kernel>();
    kernel->refuse = ENOMEM;
    auto file = open_on(kernel);
    registration_detail detail;
    auto const refused = file.register_agent(performance(), &detail);
    EXPECT_THAT(refused.error().message(), testing::HasSubstr("mlx5_0 port 1"));
    EXPECT_EQ(detail.kernel, test::system_error(ENOMEM));
    EXPECT_THAT(file.unregister_agent(5).error().message(), testing::HasSubstr("agent 5 of mlx5_0 port 1"));
}

} // namespace
} // namespace madrigal::umad
