// umad_register(3), umad_register_oui(3), umad_register2(3) and umad_unregister(3): who refuses what, and how it is
// told.
#include "umad/fake_port_file.hpp"

#include <madrigal/umad/registration.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

namespace madrigal::umad {
namespace {

using test::fake_kernel;
using test::fake_port_file;
using testing::HasSubstr;

// Registrations stand in braces inside `co_await` expressions.
static_assert(std::is_trivially_destructible_v<registration>);

constexpr std::uint8_t get = 0x01;
constexpr std::uint8_t set = 0x02;

class Registration : public testing::Test {
protected:
    result<registered_agent> try_to_register(registration const& wanted)
    {
        return register_agent(file, wanted, "mlx5_0 port 1", &detail);
    }

    std::shared_ptr<fake_kernel> kernel = std::make_shared<fake_kernel>();
    fake_port_file file{kernel};
    registration_detail detail;
};

// --- umad_register(3)

TEST_F(Registration, AMaskMakesAServer)
{
    ASSERT_TRUE(try_to_register(performance().serving(get, set)));
    EXPECT_EQ(kernel->second_calls.at(0).method_mask[0], 6u);
}

TEST_F(Registration, NoMaskMakesAClient)
{
    ASSERT_TRUE(try_to_register(performance()));
    EXPECT_EQ(kernel->second_calls.at(0).method_mask[0], 0u);
    EXPECT_EQ(kernel->second_calls.at(0).method_mask[1], 0u);
}

TEST_F(Registration, GivesTheIdThatTheKernelChose)
{
    EXPECT_EQ(try_to_register(performance()).value().id, 0u);
    EXPECT_EQ(try_to_register(subnet_administration()).value().id, 1u);
}

TEST_F(Registration, AnInvalidOneIsItsOwnErrorAndNeverReachesTheKernel)
{
    auto const refused = try_to_register(vendor_class(0x32, 0));
    EXPECT_EQ(refused.error(), errc::invalid_registration);
    EXPECT_FALSE(detail.kernel);
    EXPECT_TRUE(kernel->second_calls.empty());
    EXPECT_TRUE(kernel->first_calls.empty());
}

/// All errnos by which a kernel refuses a registration, device losses apart.
class RegistrationRefused : public Registration, public testing::WithParamInterface<int> {};

TEST_P(RegistrationRefused, ByTheKernelIsItsOwnErrorAndTheErrnoStaysKnown)
{
    kernel->refuse = GetParam();
    auto const refused = try_to_register(subnet_directed_route());
    EXPECT_EQ(refused.error(), errc::registration_refused);
    EXPECT_EQ(detail.kernel, test::system_error(GetParam()));
    EXPECT_FALSE(detail.supported_flags);
}

TEST_P(RegistrationRefused, NamesClassVersionQueuePairDeviceAndTheErrnosText)
{
    kernel->refuse = GetParam();
    auto const message = try_to_register(subnet_directed_route()).error().message();
    EXPECT_THAT(message, HasSubstr("class 0x81"));
    EXPECT_THAT(message, HasSubstr("version 1"));
    EXPECT_THAT(message, HasSubstr("QP0"));
    EXPECT_THAT(message, HasSubstr("mlx5_0 port 1"));
    EXPECT_THAT(message, HasSubstr(test::system_error(GetParam()).message()));
}

TEST_P(RegistrationRefused, BeforeAndAfterTheFallbackTellsTheSame)
{
    kernel->second_call_unknown = ENOTTY;
    kernel->refuse = GetParam();
    EXPECT_EQ(try_to_register(subnet_directed_route()).error(), errc::registration_refused);
    EXPECT_EQ(detail.kernel, test::system_error(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Errnos, RegistrationRefused,
    testing::Values(EINVAL, ENOMEM, EPROTONOSUPPORT, EPERM, EBUSY, EFAULT),
    [](auto const& named) { return "Errno" + std::to_string(named.param); });

class RegistrationOnALostDevice : public Registration, public testing::WithParamInterface<int> {};

TEST_P(RegistrationOnALostDevice, SaysThatTheDeviceIsGone)
{
    kernel->refuse = GetParam();
    EXPECT_EQ(try_to_register(performance()).error(), errc::device_gone);
    EXPECT_EQ(detail.kernel, test::system_error(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Errnos, RegistrationOnALostDevice, testing::Values(EPIPE, EIO, ENODEV));

TEST_F(Registration, The33rdAgentOfAFileIsRefusedWithTheReason)
{
    for (unsigned i = 0; i != max_agents; ++i)
        ASSERT_TRUE(try_to_register(performance()));
    auto const refused = try_to_register(performance());
    EXPECT_EQ(refused.error(), errc::registration_refused);
    EXPECT_EQ(detail.kernel, test::system_error(ENOMEM));
    EXPECT_THAT(refused.error().message(), HasSubstr("32 agents"));
}

TEST_F(Registration, AnAgentNumberBeyondTheKernelsTableIsNotBelieved)
{
    kernel->id_offset = 32;
    EXPECT_EQ(try_to_register(performance()).error(), errc::malformed_answer);
}

TEST_F(Registration, TheDetailNeedNotBeAskedFor)
{
    kernel->refuse = EINVAL;
    EXPECT_EQ(register_agent(file, performance(), "x").error(), errc::registration_refused);
}

TEST_F(Registration, TheDetailOfAnEarlierFailureIsForgotten)
{
    ASSERT_FALSE(try_to_register({.management_class = 0x04, .flags = 2}));
    ASSERT_TRUE(detail.supported_flags);
    ASSERT_TRUE(try_to_register(performance()));
    EXPECT_FALSE(detail.kernel);
    EXPECT_FALSE(detail.supported_flags);
}

// --- umad_register_oui(3), and the vendor classes

TEST_F(Registration, OnlyTheClasses0x30To0x4FHaveAnOuiForm)
{
    for (unsigned value = 0; value != 256; ++value) {
        auto const wanted = vendor_class(static_cast<std::uint8_t>(value), openib_oui);
        bool const in_range = value >= 0x30 && value <= 0x4f;
        EXPECT_EQ(validate_oui_form(wanted).has_value(), in_range) << value;
        if (!in_range) {
            EXPECT_EQ(validate_oui_form(wanted).error(), errc::invalid_registration) << value;
        }
    }
}

TEST_F(Registration, TheClasses0x30To0x4FNeedANonZeroOuiOf24Bits)
{
    for (unsigned value = 0x30; value != 0x50; ++value) {
        auto const vendor = static_cast<std::uint8_t>(value);
        EXPECT_EQ(validate(vendor_class(vendor, 0)).error(), errc::invalid_registration) << value;
        EXPECT_EQ(validate(vendor_class(vendor, 0x0100'0000)).error(), errc::invalid_registration) << value;
        EXPECT_EQ(validate(vendor_class(vendor, 0xFF00'1405)).error(), errc::invalid_registration) << value;
        EXPECT_TRUE(validate(vendor_class(vendor, 1))) << value;
        EXPECT_TRUE(validate(vendor_class(vendor, 0x00FF'FFFF))) << value;
    }
}

TEST_F(Registration, TheFirstAndLastClassOutsideTheRangeNeedNoOui)
{
    for (unsigned const value : {0x2fu, 0x50u}) {
        EXPECT_TRUE(validate(vendor_class(static_cast<std::uint8_t>(value), 0))) << value;
        EXPECT_FALSE(needs_oui(static_cast<std::uint8_t>(value))) << value;
    }
}

TEST_F(Registration, TwoAgentsOfOneClassKeepTheirOwnOui)
{
    ASSERT_TRUE(try_to_register(vendor_class(0x32, openib_oui).serving(get)));
    ASSERT_TRUE(try_to_register(vendor_class(0x32, 0x00'02c9).serving(get)));
    EXPECT_EQ(kernel->second_calls.at(0).oui, openib_oui);
    EXPECT_EQ(kernel->second_calls.at(1).oui, 0x00'02c9u);
}

// --- class 0 and queue pairs

TEST_F(Registration, ClassZeroOnlySends)
{
    EXPECT_EQ(try_to_register(send_only(1).serving(get)).error(), errc::invalid_registration);
    EXPECT_TRUE(try_to_register(send_only(1)));
}

TEST_F(Registration, ClassZeroMayNameItsQueuePair)
{
    EXPECT_EQ(try_to_register(send_only(0)).value().qpn, 0u);
    EXPECT_EQ(try_to_register(send_only(1)).value().qpn, 1u);
    EXPECT_EQ(kernel->second_calls.at(0).qpn, 0u);
    EXPECT_EQ(kernel->second_calls.at(1).qpn, 1u);
}

TEST_F(Registration, TheClassChoosesTheQueuePairOfAllOthers)
{
    for (unsigned value = 1; value != 256; ++value) {
        auto const wanted = vendor_class(static_cast<std::uint8_t>(value), openib_oui);
        unsigned const expected = value == 0x01 || value == 0x81 ? 0 : 1;
        EXPECT_EQ(wanted.queue_pair(), expected) << value;
        auto contradicting = wanted;
        contradicting.qpn = 1 - expected;
        EXPECT_EQ(validate(contradicting).error(), errc::invalid_registration) << value;
        auto agreeing = wanted;
        agreeing.qpn = expected;
        EXPECT_TRUE(validate(agreeing)) << value;
    }
}

TEST_F(Registration, ThereIsNoThirdQueuePair)
{
    EXPECT_EQ(try_to_register(send_only(2)).error(), errc::invalid_registration);
    EXPECT_EQ(try_to_register(send_only(0xFFFF'FFFF)).error(), errc::invalid_registration);
}

TEST_F(Registration, EveryClassVersionAndQueuePairIsSafe)
{
    for (unsigned value = 0; value != 256; ++value)
        for (unsigned version = 0; version < 256; version += 5)
            for (int const unknown : {0, ENOTTY, EINVAL}) {
                kernel->second_call_unknown = unknown;
                registration const wanted{.management_class = static_cast<std::uint8_t>(value),
                    .class_version = static_cast<std::uint8_t>(version),
                    .oui = openib_oui};
                auto const agent = try_to_register(wanted);
                ASSERT_TRUE(agent) << value << " " << agent.error().message();
                ASSERT_TRUE(unregister_agent(file, agent.value().id, "x"));
            }
}

// --- umad_register2(3)

TEST_F(Registration, UnknownFlagsAreRefusedAndTheSupportedOnesReturned)
{
    for (std::uint32_t const flags : {2u, 3u, 0x8000'0000u, 0xFFFF'FFFFu}) {
        auto const refused = try_to_register({.management_class = 0x04, .flags = flags});
        EXPECT_EQ(refused.error(), errc::unsupported_flags) << flags;
        EXPECT_EQ(detail.supported_flags, user_rmpp) << flags;
        EXPECT_EQ(detail.kernel, test::system_error(EINVAL)) << flags;
        EXPECT_THAT(refused.error().message(), HasSubstr("supports 0x1"));
    }
    EXPECT_TRUE(kernel->first_calls.empty());
    EXPECT_TRUE(kernel->agents.empty());
}

/// How kernels without the second call answer it.
class RegistrationOnAnOldKernel : public Registration, public testing::WithParamInterface<int> {
protected:
    RegistrationOnAnOldKernel() { kernel->second_call_unknown = GetParam(); }
};

TEST_P(RegistrationOnAnOldKernel, FallsBackToTheFirstIoctlWhereTheSecondIsUnknown)
{
    auto const agent = try_to_register(performance());
    ASSERT_TRUE(agent) << agent.error().message();
    EXPECT_EQ(agent.value().call, registration_call::first);
    EXPECT_EQ(kernel->first_calls.size(), 1u);
    EXPECT_FALSE(detail.kernel);
}

TEST_P(RegistrationOnAnOldKernel, DoesNotFallBackWhereAFlagWasAskedForAndReportsNoneSupported)
{
    auto const refused = try_to_register({.management_class = 0x03, .rmpp_version = 1, .flags = user_rmpp});
    EXPECT_EQ(refused.error(), errc::unsupported_flags);
    EXPECT_EQ(detail.supported_flags, 0u);
    EXPECT_EQ(detail.kernel, test::system_error(GetParam()));
    EXPECT_TRUE(kernel->first_calls.empty());
}

TEST_P(RegistrationOnAnOldKernel, GetsTheSameRequestByTheFirstIoctl)
{
    ASSERT_TRUE(try_to_register({.management_class = 0x32,
        .class_version = 1,
        .methods = method_mask::of(0x05, 0x7F),
        .oui = 0x123456,
        .rmpp_version = 1}));
    auto const& request = kernel->first_calls.at(0);
    EXPECT_EQ(request.qpn, 1);
    EXPECT_EQ(request.mgmt_class, 0x32);
    EXPECT_EQ(request.mgmt_class_version, 1);
    EXPECT_EQ(request.rmpp_version, 1);
    // Network byte order here, host byte order in the second call.
    EXPECT_THAT(request.oui, testing::ElementsAre(0x12, 0x34, 0x56));
    unsigned long longs[16 / sizeof(long)];
    static_assert(sizeof(longs) == sizeof(request.method_mask));
    std::memcpy(longs, request.method_mask, sizeof(longs));
    constexpr unsigned width = 8 * sizeof(long);
    EXPECT_EQ(longs[0x05 / width] >> 0x05 % width & 1, 1u);
    EXPECT_EQ(longs[0x7F / width] >> 0x7F % width & 1, 1u);
}

INSTANTIATE_TEST_SUITE_P(Errnos, RegistrationOnAnOldKernel, testing::Values(ENOTTY, EINVAL, 515));

TEST_F(Registration, AnEinvalOfAKernelThatKnowsTheSecondCallIsARefusalAndNoReasonToFallBack)
{
    kernel->refuse = EINVAL;
    for (std::uint32_t const flags : {0u, user_rmpp}) {
        auto const refused = try_to_register({.management_class = 0x03, .rmpp_version = 1, .flags = flags});
        EXPECT_EQ(refused.error(), errc::registration_refused) << flags;
        EXPECT_FALSE(detail.supported_flags) << flags;
    }
    EXPECT_TRUE(kernel->first_calls.empty());
}

TEST_F(Registration, FindingOutWhetherTheSecondCallIsKnownLeavesNoAgentBehind)
{
    // Even on a kernel to come that knows all flags and so grants what was meant to be refused.
    kernel->refuse = EINVAL;
    kernel->grant_senders = true;
    kernel->supported_flags = 0xFFFF'FFFF;
    EXPECT_EQ(try_to_register(performance()).error(), errc::registration_refused);
    EXPECT_EQ(kernel->second_calls.size(), 2u);
    EXPECT_TRUE(kernel->agents.empty());
}

// --- umad_unregister(3)

TEST_F(Registration, UnregisteringFreesTheId)
{
    auto const id = try_to_register(performance()).value().id;
    EXPECT_TRUE(unregister_agent(file, id, "mlx5_0 port 1"));
    EXPECT_TRUE(kernel->agents.empty());
    EXPECT_EQ(try_to_register(performance()).value().id, id);
}

TEST_F(Registration, UnregisteringAnIdThatIsNotRegisteredIsEinvalAndNamesIt)
{
    for (std::uint32_t const id : {0u, 31u, 32u, 0xFFFF'FFFFu}) {
        auto const refused = unregister_agent(file, id, "mlx5_0 port 1");
        EXPECT_EQ(refused.error(), test::system_error(EINVAL)) << id;
        EXPECT_THAT(refused.error().message(), HasSubstr("agent " + std::to_string(id) + " of mlx5_0 port 1"));
    }
}

TEST_F(Registration, AThousandFailedAttemptsLeaveNothingRegistered)
{
    for (int i = 0; i != 1000; ++i) {
        kernel->refuse = i % 2 == 0 ? EINVAL : ENOMEM;
        ASSERT_FALSE(try_to_register({.management_class = 0x04, .flags = i % 3 == 0 ? 2u : 0u}));
    }
    EXPECT_TRUE(kernel->agents.empty());
}

} // namespace
} // namespace madrigal::umad
