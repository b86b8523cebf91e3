// Registering: the order of the kernel's checks, their errnos, and what they write back.
#include "conformance/raw_file.hpp"

#include <cerrno>
#include <cstring>

namespace madrigal::conformance {
namespace {

class Registration : public Conformance {
protected:
    int refused(umad::ib_user_mad_reg_req2 request)
    {
        raw_file fresh{on};
        return fresh.register_agent(request);
    }
    raw_file file{on};
};

TEST_F(Registration, TakesQueuePairsZeroAndOneOnlyAndLooksAtThemFirst)
{
    auto request = wanted_vendor();
    request.qpn = 2;
    request.flags = 0x80;
    EXPECT_EQ(file.register_agent(request), EINVAL);
    EXPECT_EQ(request.flags, 0x80u) << "the flags were looked at first";
}

TEST_F(Registration, WritesTheSupportedFlagsBackWhenItRefusesOne)
{
    for (std::uint32_t const flags : {0x2u, 0x3u, 0x80000000u}) {
        auto request = wanted_vendor();
        request.flags = flags;
        EXPECT_EQ(file.register_agent(request), EINVAL);
        EXPECT_EQ(request.flags, umad::user_rmpp);
    }
}

TEST_F(Registration, KnowsTheFlagUserRmpp)
{
    auto request = wanted_vendor();
    request.flags = umad::user_rmpp;
    request.rmpp_version = 1;
    EXPECT_EQ(file.register_agent(request), 0);
}

TEST_F(Registration, HasRoomForThirtyTwoAgentsAndGivesTheLowestFreeId)
{
    for (std::uint32_t id = 0; id != umad::max_agents; ++id)
        EXPECT_EQ(file.agent(wanted_vendor()), id);
    auto one_more = wanted_vendor();
    EXPECT_EQ(file.register_agent(one_more), ENOMEM);
    for (std::uint32_t const id : {19u, 3u, 25u})
        EXPECT_EQ(file.unregister(id), 0);
    for (std::uint32_t const id : {3u, 19u, 25u})
        EXPECT_EQ(file.agent(wanted_vendor()), id);
}

TEST_F(Registration, LooksAtTheFlagsBeforeTheRoomAndAtTheRoomBeforeTheOui)
{
    for (std::uint32_t id = 0; id != umad::max_agents; ++id)
        (void)file.agent(wanted_vendor());
    auto flagged = wanted_vendor();
    flagged.flags = 2;
    EXPECT_EQ(file.register_agent(flagged), EINVAL);
    EXPECT_EQ(flagged.flags, umad::user_rmpp);
    auto wide = wanted_vendor({}, 0x0100'0000);
    EXPECT_EQ(file.register_agent(wide), ENOMEM);
}

TEST_F(Registration, LooksAtTheOuiBeforeTheProtocol)
{
    auto request = wanted(0x81);
    request.oui = 0x0100'0000;
    EXPECT_EQ(file.register_agent(request), EINVAL);
}

TEST_F(Registration, RefusesAQueuePairThatThePortDoesNotServe)
{
    if (on.infiniband())
        GTEST_SKIP() << "this port has both";
    EXPECT_EQ(refused(wanted(0x81)), EPROTONOSUPPORT);
    EXPECT_EQ(refused(wanted(0x01)), EPROTONOSUPPORT);
    auto also_wrong = wanted(0x81);
    also_wrong.rmpp_version = 7;
    EXPECT_EQ(refused(also_wrong), EPROTONOSUPPORT) << "the protocol is looked at before the RMPP version";
}

TEST_F(Registration, LetsSubnetManagementOnQueuePairZeroOnly)
{
    for (std::uint8_t const smp : {0x01, 0x81}) {
        auto request = wanted(smp);
        request.qpn = 1;
        EXPECT_EQ(refused(request), EINVAL) << unsigned{smp};
        if (on.infiniband()) {
            EXPECT_EQ(refused(wanted(smp)), 0) << unsigned{smp};
        }
    }
    if (on.infiniband()) {
        auto request = wanted_vendor();
        request.qpn = 0;
        EXPECT_EQ(refused(request), EINVAL);
    }
}

TEST_F(Registration, AcceptsEveryClassByteExactlyWhereTheRulesDo)
{
    for (unsigned mgmt_class = 0; mgmt_class != 256; ++mgmt_class) {
        auto request = wanted(static_cast<std::uint8_t>(mgmt_class));
        request.oui = oui;
        bool const smp = mgmt_class == 0x01 || mgmt_class == 0x81;
        int expected = mgmt_class >= 80 ? EINVAL : 0;
        if (smp)
            expected = on.infiniband() ? 0 : EPROTONOSUPPORT;
        EXPECT_EQ(refused(request), expected) << "class " << mgmt_class;
    }
}

TEST_F(Registration, RefusesVersionsFrom0x83On)
{
    for (unsigned version = 0; version != 256; ++version)
        EXPECT_EQ(refused(wanted(0x04, {}, static_cast<std::uint8_t>(version))), version >= 0x83 ? EINVAL : 0)
            << "version " << version;
}

TEST_F(Registration, WantsAnOuiOf24BitsForVendorClassesAndIgnoresItForOthersUpTo24Bits)
{
    EXPECT_EQ(refused(wanted_vendor({}, 0)), EINVAL);
    EXPECT_EQ(refused(wanted_vendor({}, 0x0100'0000)), EINVAL);
    EXPECT_EQ(refused(wanted_vendor({}, 0x00FF'FFFF)), 0);
    auto other = wanted(0x04);
    other.oui = 0x00AB'CDEF;
    EXPECT_EQ(refused(other), 0);
    other.oui = 0x0100'0000;
    EXPECT_EQ(refused(other), EINVAL);
}

TEST_F(Registration, TakesAnRmppVersionForClassesThatHaveRmppOnly)
{
    for (unsigned mgmt_class = 2; mgmt_class != 80; ++mgmt_class) {
        auto request = wanted(static_cast<std::uint8_t>(mgmt_class));
        request.oui = oui;
        request.rmpp_version = 1;
        bool const has = mgmt_class == 0x03 || mgmt_class == 0x06 || mgmt_class == 0x10 || mgmt_class == 0x12 ||
                         (mgmt_class >= 0x30 && mgmt_class <= 0x4f);
        EXPECT_EQ(refused(request), has ? 0 : EINVAL) << "class " << mgmt_class;
        request.rmpp_version = 2;
        EXPECT_EQ(refused(request), EINVAL) << "class " << mgmt_class;
    }
}

TEST_F(Registration, LetsClassZeroOnlySend)
{
    auto sender = wanted(0, {0x01});
    EXPECT_EQ(file.register_agent(sender), 0);
    auto again = wanted(0, {0x01});
    EXPECT_EQ(file.register_agent(again), 0) << "a class 0 agent has no methods that could conflict";
    auto with_flag = wanted(0);
    with_flag.flags = umad::user_rmpp;
    EXPECT_EQ(file.register_agent(with_flag), EINVAL);
}

TEST_F(Registration, GivesAMethodToOneAgentOnlyWithinAFileAndAcrossFiles)
{
    raw_file other{on};
    (void)file.agent(wanted_vendor({0x01, 0x02}));
    for (auto* const place : {&file, &other}) {
        auto same = wanted_vendor({0x02});
        EXPECT_EQ(place->register_agent(same), EINVAL);
        auto partly = wanted_vendor({0x02, 0x05});
        EXPECT_EQ(place->register_agent(partly), EINVAL);
    }
    (void)other.agent(wanted_vendor({0x05}));
    (void)other.agent(wanted_vendor({0x01, 0x02}, 0x00C0FFEE & 0xFFFFFF));
    auto other_version = wanted_vendor({0x01, 0x02});
    other_version.mgmt_class_version = 2;
    EXPECT_EQ(other.register_agent(other_version), 0);
}

TEST_F(Registration, AFailedRegistrationLeavesNoMethodBehind)
{
    raw_file other{on};
    (void)file.agent(wanted_vendor({0x05}));
    auto partly = wanted_vendor({0x01, 0x05});
    EXPECT_EQ(other.register_agent(partly), EINVAL);
    EXPECT_EQ(other.agent(wanted_vendor({0x01})), 0u);
}

TEST_F(Registration, ClientsWithoutAMethodNeverConflict)
{
    raw_file other{on};
    (void)file.agent(wanted_vendor({0x01}));
    for (int i = 0; i != 5; ++i) {
        (void)file.agent(wanted_vendor());
        (void)other.agent(wanted_vendor());
    }
}

TEST_F(Registration, MethodsAreFreeAgainAfterUnregisteringAndAfterClosing)
{
    raw_file other{on};
    auto const id = file.agent(wanted_vendor({0x01}));
    EXPECT_EQ(file.unregister(id), 0);
    (void)other.agent(wanted_vendor({0x01}));
    other.close();
    (void)file.agent(wanted_vendor({0x01}));
}

TEST_F(Registration, UnregisterKnowsOnlyWhatIsRegistered)
{
    EXPECT_EQ(file.unregister(0), EINVAL);
    auto const id = file.agent(wanted_vendor());
    EXPECT_EQ(file.unregister(id), 0);
    EXPECT_EQ(file.unregister(id), EINVAL);
    EXPECT_EQ(file.unregister(32), EINVAL);
    EXPECT_EQ(file.unregister(0xFFFF'FFFF), EINVAL);
}

TEST_F(Registration, TwoFilesNumberTheirAgentsEachFromZero)
{
    raw_file other{on};
    EXPECT_EQ(file.agent(wanted_vendor()), 0u);
    EXPECT_EQ(other.agent(wanted_vendor()), 0u);
    EXPECT_EQ(file.agent(wanted_vendor()), 1u);
    EXPECT_EQ(other.unregister(1), EINVAL) << "the other file's agent";
}

TEST_F(Registration, PkeyModeIsDecidedBeforeTheFirstAgent)
{
    EXPECT_EQ(file.enable_pkey(), 0);
    EXPECT_EQ(file.enable_pkey(), 0);
    (void)file.agent(wanted_vendor());
    EXPECT_EQ(file.enable_pkey(), EINVAL);
    EXPECT_EQ(file.unregister(0), 0);
    EXPECT_EQ(file.enable_pkey(), EINVAL) << "no agent is left, but one has been";
}

TEST_F(Registration, TheFirstIoctlTakesItsMaskAsNativeLongsAndItsOuiInNetworkOrder)
{
    umad::ib_user_mad_reg_req request{};
    request.qpn = 1;
    request.mgmt_class = vendor;
    request.mgmt_class_version = 1;
    request.oui[0] = oui >> 16 & 0xFF;
    request.oui[1] = oui >> 8 & 0xFF;
    request.oui[2] = oui & 0xFF;
    unsigned long words[16 / sizeof(unsigned long)] = {}; // NOLINT(modernize-avoid-c-arrays): the kernel's own form
    constexpr unsigned method = 0x45;
    words[method / (8 * sizeof(long))] |= 1ul << method % (8 * sizeof(long));
    std::memcpy(request.method_mask, words, sizeof words);
    EXPECT_EQ(file.register_agent(request), 0);
    EXPECT_EQ(request.id, 0u);

    raw_file other{on};
    auto same = wanted_vendor({method});
    EXPECT_EQ(other.register_agent(same), EINVAL);
    for (unsigned const free : {method - 1, method + 1, method - 32, method - 64})
        (void)other.agent(wanted_vendor({free}));
}

TEST_F(Registration, TheFirstIoctlChecksTheSame)
{
    umad::ib_user_mad_reg_req request{};
    request.qpn = 2;
    EXPECT_EQ(file.register_agent(request), EINVAL);
    request.qpn = 1;
    request.mgmt_class = vendor;
    request.mgmt_class_version = 1;
    EXPECT_EQ(file.register_agent(request), EINVAL) << "a vendor class without an OUI";
    request.oui[2] = 1;
    request.rmpp_version = 2;
    EXPECT_EQ(file.register_agent(request), EINVAL);
    request.rmpp_version = 1;
    EXPECT_EQ(file.register_agent(request), 0);
}

} // namespace
} // namespace madrigal::conformance
