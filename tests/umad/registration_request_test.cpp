// struct ib_user_mad_reg_req2(9) member by member, and every attribute of umad_register2(3) on its way into it.
#include "umad/fake_port_file.hpp"

#include <madrigal/umad/registration.hpp>

#include <gtest/gtest.h>

namespace madrigal::umad {
namespace {

class RegistrationRequest : public testing::Test {
protected:
    ib_user_mad_reg_req2 sent_for(registration const& wanted)
    {
        auto const agent = register_agent(file, wanted, "mlx5_0 port 1");
        EXPECT_TRUE(agent);
        return kernel->second_calls.back();
    }

    std::shared_ptr<test::fake_kernel> kernel = std::make_shared<test::fake_kernel>();
    test::fake_port_file file{kernel};
};

TEST_F(RegistrationRequest, IdIsSetByTheKernel)
{
    EXPECT_EQ(sent_for(performance()).id, 0u);
    EXPECT_EQ(register_agent(file, performance(), "x").value().id, 1u);
}

TEST_F(RegistrationRequest, QpnIsZeroForTheSubnetManagementClassesAndOneForOthers)
{
    EXPECT_EQ(sent_for(subnet_lid_routed()).qpn, 0u);
    EXPECT_EQ(sent_for(subnet_directed_route()).qpn, 0u);
    EXPECT_EQ(sent_for(subnet_administration()).qpn, 1u);
    EXPECT_EQ(sent_for(performance()).qpn, 1u);
}

TEST_F(RegistrationRequest, MgmtClassIsTheOneAskedForAndZeroForSenders)
{
    EXPECT_EQ(sent_for(subnet_directed_route()).mgmt_class, 0x81);
    EXPECT_EQ(sent_for(send_only(1)).mgmt_class, 0);
}

TEST_F(RegistrationRequest, MgmtClassVersionIsTheOneAskedFor)
{
    EXPECT_EQ(sent_for(subnet_administration()).mgmt_class_version, 2);
    EXPECT_EQ(sent_for({.management_class = 0x04, .class_version = 0x7F}).mgmt_class_version, 0x7F);
}

TEST_F(RegistrationRequest, ResIsZero)
{
    EXPECT_EQ(sent_for(performance()).res, 0);
}

TEST_F(RegistrationRequest, FlagsAreHandedOn)
{
    EXPECT_EQ(sent_for(performance()).flags, 0u);
    EXPECT_EQ(sent_for({.management_class = 0x03, .rmpp_version = 1, .flags = user_rmpp}).flags, 1u);
}

TEST_F(RegistrationRequest, MethodMaskHasOneBitForEachMethodInTwoWords)
{
    auto const request = sent_for({.management_class = 0x04, .methods = method_mask::of(0x05, 0x40, 0x7F)});
    EXPECT_EQ(request.method_mask[0], std::uint64_t{1} << 5);
    EXPECT_EQ(request.method_mask[1], std::uint64_t{1} | std::uint64_t{1} << 63);
}

TEST_F(RegistrationRequest, OuiIsInHostOrderForTheClasses0x30To0x4F)
{
    EXPECT_EQ(sent_for(vendor_class(0x30, 0x123456)).oui, 0x123456u);
    EXPECT_EQ(sent_for(vendor_class(0x4f, 0xFFFFFF)).oui, 0xFFFFFFu);
}

TEST_F(RegistrationRequest, OuiIsIgnoredForOtherClasses)
{
    // The kernel would refuse one of more than 24 bits whatever the class.
    EXPECT_EQ(sent_for(vendor_class(0x04, 0xFFFF'FFFF)).oui, 0u);
    EXPECT_EQ(sent_for(vendor_class(0x09, openib_oui)).oui, 0u);
}

TEST_F(RegistrationRequest, RmppVersionIsHandedOn)
{
    EXPECT_EQ(sent_for(subnet_administration()).rmpp_version, 1);
    EXPECT_EQ(sent_for(performance()).rmpp_version, 0);
}

TEST_F(RegistrationRequest, ReservedBytesAreZero)
{
    for (auto const byte : sent_for(performance()).reserved)
        EXPECT_EQ(byte, 0);
}

TEST(RegistrationText, NamesClassVersionOuiAndQueuePair)
{
    EXPECT_EQ(to_string(vendor_class(0x32, openib_oui)), "class 0x32 version 1 OUI 0x001405 on QP1");
    EXPECT_EQ(to_string(subnet_lid_routed()), "class 0x01 version 1 on QP0");
}

} // namespace
} // namespace madrigal::umad
