// Registration as the kernel checks it: order, errnos, ids, conflicts (Linux: user_mad.c, mad.c).
#include "small_fabric.hpp"

#include <unistd.h>

namespace madrigal::sim::test {
namespace {

class Registration : public ::testing::Test {
protected:
    bench with;
    open_file file{*with.machine};

    static umad::ib_user_mad_reg_req2 request(unsigned qpn, unsigned mgmt_class, unsigned version = 1)
    {
        umad::ib_user_mad_reg_req2 made{};
        made.qpn = qpn;
        made.mgmt_class = static_cast<std::uint8_t>(mgmt_class);
        made.mgmt_class_version = static_cast<std::uint8_t>(version);
        if (mgmt_class >= 0x30 && mgmt_class <= 0x4F)
            made.oui = 0x001405;
        return made;
    }
    static void serve(umad::ib_user_mad_reg_req2& to, unsigned method)
    {
        to.method_mask[method / 64] |= std::uint64_t{1} << method % 64;
    }
    int refusal(umad::ib_user_mad_reg_req2 wanted) { return file.try_register(wanted); }
};

TEST_F(Registration, TakesQueuePairsZeroAndOneOnly)
{
    EXPECT_EQ(refusal(request(2, 0x04)), EINVAL);
    EXPECT_EQ(refusal(request(0xFFFF'FFFF, 0x04)), EINVAL);
    EXPECT_EQ(refusal(request(1, 0x04)), 0);
}

TEST_F(Registration, WritesTheSupportedFlagsBackWhenItRefusesOne)
{
    auto wanted = request(1, 0x04);
    wanted.flags = 0x6;
    EXPECT_EQ(file.try_register(wanted), EINVAL);
    EXPECT_EQ(wanted.flags, umad::user_rmpp);
}

TEST_F(Registration, HasRoomForThirtyTwoAgentsAndTheirLowestFreeIds)
{
    for (std::uint32_t expected = 0; expected != umad::max_agents; ++expected) {
        auto wanted = request(1, 0x04);
        ASSERT_EQ(file.try_register(wanted), 0);
        EXPECT_EQ(wanted.id, expected);
    }
    EXPECT_EQ(refusal(request(1, 0x04)), ENOMEM);
    ASSERT_FALSE(file->unregister_agent(7));
    ASSERT_FALSE(file->unregister_agent(3));
    auto wanted = request(1, 0x04);
    ASSERT_EQ(file.try_register(wanted), 0);
    EXPECT_EQ(wanted.id, 3u);
}

TEST_F(Registration, ChecksInTheKernelsOrder)
{
    auto wanted = request(5, 0x04); // QP before flags
    wanted.flags = 2;
    EXPECT_EQ(file.try_register(wanted), EINVAL);
    EXPECT_EQ(wanted.flags, 2u);
    for (std::uint32_t i = 0; i != umad::max_agents; ++i)
        ASSERT_EQ(refusal(request(1, 0x04)), 0);
    wanted = request(1, 0x32); // room before OUI
    wanted.oui = 0x0100'0000;
    EXPECT_EQ(file.try_register(wanted), ENOMEM);
}

TEST_F(Registration, AcceptsEveryClassByteExactlyWhereTheKernelDoes)
{
    for (unsigned mgmt_class = 0; mgmt_class != 256; ++mgmt_class)
        for (unsigned qpn = 0; qpn != 2; ++qpn) {
            bool const smp = mgmt_class == 0x01 || mgmt_class == 0x81;
            bool const fits = mgmt_class == 0 || (smp ? qpn == 0 : mgmt_class < 80 && qpn == 1);
            auto wanted = request(qpn, mgmt_class);
            EXPECT_EQ(file.try_register(wanted), fits ? 0 : EINVAL) << "class " << mgmt_class << " QP " << qpn;
            if (fits) {
                ASSERT_FALSE(file->unregister_agent(wanted.id));
            }
        }
}

TEST_F(Registration, RefusesVersionsFrom0x83On)
{
    EXPECT_EQ(refusal(request(1, 0x04, 0x82)), 0);
    EXPECT_EQ(refusal(request(1, 0x04, 0x83)), EINVAL);
    EXPECT_EQ(refusal(request(1, 0x04, 0xFF)), EINVAL);
}

TEST_F(Registration, WantsAnOuiOf24BitsForVendorClasses)
{
    for (unsigned const mgmt_class : {0x30, 0x4F}) {
        auto wanted = request(1, mgmt_class);
        wanted.oui = 0;
        EXPECT_EQ(file.try_register(wanted), EINVAL);
        wanted.oui = 0xFF'FFFF;
        EXPECT_EQ(file.try_register(wanted), 0);
        wanted.oui = 0x100'0000;
        EXPECT_EQ(file.try_register(wanted), EINVAL);
    }
    auto other = request(1, 0x2F); // no OUI, none wanted
    EXPECT_EQ(file.try_register(other), 0);
}

TEST_F(Registration, TakesAnRmppVersionForClassesThatHaveRmpp)
{
    for (unsigned const mgmt_class : {0x03, 0x06, 0x10, 0x12, 0x30, 0x4F}) {
        auto wanted = request(1, mgmt_class);
        wanted.rmpp_version = 1;
        EXPECT_EQ(file.try_register(wanted), 0) << mgmt_class;
        wanted.rmpp_version = 2;
        EXPECT_EQ(file.try_register(wanted), EINVAL) << mgmt_class;
    }
    for (unsigned const mgmt_class : {0x01, 0x04, 0x07, 0x21, 0x81}) {
        auto wanted = request(mgmt_class == 0x01 || mgmt_class == 0x81 ? 0 : 1, mgmt_class);
        wanted.rmpp_version = 1;
        EXPECT_EQ(file.try_register(wanted), EINVAL) << mgmt_class;
    }
}

TEST_F(Registration, LetsClassZeroOnlySend)
{
    auto wanted = request(1, 0);
    serve(wanted, 1);
    EXPECT_EQ(file.try_register(wanted), 0); // its mask means nothing
    EXPECT_EQ(file.try_register(wanted), 0);
    wanted.flags = umad::user_rmpp;
    EXPECT_EQ(file.try_register(wanted), EINVAL);
}

TEST_F(Registration, GivesAMethodToOneAgentOnlyAcrossFilesAndMachinesOfOneCa)
{
    auto wanted = request(1, 0x04);
    serve(wanted, 0x05);
    serve(wanted, 0x7F);
    ASSERT_EQ(file.try_register(wanted), 0);
    auto const first = wanted.id;
    EXPECT_EQ(file.try_register(wanted), EINVAL);

    auto const process = host::make(with.on).value(); // another process of the same machine
    open_file other{*process};
    EXPECT_EQ(other.try_register(wanted), EINVAL);
    auto overlapping = request(1, 0x04);
    serve(overlapping, 0x01);
    serve(overlapping, 0x7F);
    EXPECT_EQ(other.try_register(overlapping), EINVAL);
    auto apart = request(1, 0x04);
    serve(apart, 0x01); // what failed has left nothing behind
    EXPECT_EQ(other.try_register(apart), 0);
    auto version = wanted;
    version.mgmt_class_version = 2;
    EXPECT_EQ(other.try_register(version), 0);

    open_file second_port{*process, 2};
    EXPECT_EQ(second_port.try_register(wanted), 0);
    ASSERT_FALSE(file->unregister_agent(first));
    EXPECT_EQ(other.try_register(wanted), 0);
}

TEST_F(Registration, KeepsTheTwoSubnetClassesAndDifferentOuisApart)
{
    auto routed = request(0, 0x01);
    serve(routed, 1);
    auto directed = request(0, 0x81);
    serve(directed, 1);
    EXPECT_EQ(file.try_register(routed), 0);
    EXPECT_EQ(file.try_register(directed), 0);
    auto vendor = request(1, 0x32);
    serve(vendor, 1);
    EXPECT_EQ(file.try_register(vendor), 0);
    vendor.oui = 0x0002C9;
    EXPECT_EQ(file.try_register(vendor), 0);
    EXPECT_EQ(file.try_register(vendor), EINVAL);
}

TEST_F(Registration, ClientsWithoutAMaskNeverConflict)
{
    for (int i = 0; i != 10; ++i)
        EXPECT_EQ(refusal(request(1, 0x03)), 0);
}

TEST_F(Registration, TheFirstIoctlReadsItsMaskAsNativeLongsAndItsOuiInNetworkOrder)
{
    umad::ib_user_mad_reg_req old{};
    old.qpn = 1;
    old.mgmt_class = 0x32;
    old.mgmt_class_version = 1;
    old.oui[0] = 0x00;
    old.oui[1] = 0x14;
    old.oui[2] = 0x05;
    unsigned long words[16 / sizeof(unsigned long)] = {};
    for (unsigned const method : {0x05u, 0x7Fu})
        words[method / (8 * sizeof(unsigned long))] |= 1ul << method % (8 * sizeof(unsigned long));
    std::memcpy(old.method_mask, words, sizeof words);
    ASSERT_FALSE(file->register_agent(old));
    for (unsigned method = 0; method != 128; ++method) {
        auto wanted = request(1, 0x32);
        serve(wanted, method);
        bool const taken = method == 0x05 || method == 0x7F;
        EXPECT_EQ(file.try_register(wanted), taken ? EINVAL : 0) << method;
        if (!taken) {
            ASSERT_FALSE(file->unregister_agent(wanted.id));
        }
    }
}

TEST_F(Registration, UnregisterKnowsOnlyWhatIsRegistered)
{
    auto const id = file.register_client(0x04);
    EXPECT_EQ(file->unregister_agent(id + 1).value(), EINVAL);
    EXPECT_EQ(file->unregister_agent(32).value(), EINVAL);
    EXPECT_EQ(file->unregister_agent(0xFFFF'FFFF).value(), EINVAL);
    EXPECT_EQ(file->unregister_agent(id).value(), 0);
    EXPECT_EQ(file->unregister_agent(id).value(), EINVAL);
}

TEST_F(Registration, AQueuePairThatThePortDoesNotServeIsNoProtocol)
{
    ASSERT_FALSE(with.on->set_services({host_a, 1}, false, true).code());
    EXPECT_EQ(refusal(request(0, 0x81)), EPROTONOSUPPORT);
    EXPECT_EQ(refusal(request(0, 0x99)), EPROTONOSUPPORT); // before the class is looked at
    EXPECT_EQ(refusal(request(1, 0x03)), 0);
    ASSERT_FALSE(with.on->set_services({host_a, 1}, true, false).code());
    EXPECT_EQ(refusal(request(1, 0x03)), EPROTONOSUPPORT);
    EXPECT_TRUE((with.machine->query_port("mlx5_0", 1).value().capability_mask & umad::cap_is_sm_disabled) == 0);
    ASSERT_FALSE(with.on->set_services({host_a, 1}, false, true).code());
    EXPECT_TRUE((with.machine->query_port("mlx5_0", 1).value().capability_mask & umad::cap_is_sm_disabled) != 0);
}

TEST_F(Registration, TwoFilesNumberTheirAgentsEachFromZero)
{
    open_file other{*with.machine};
    EXPECT_EQ(file.register_client(0x04), 0u);
    EXPECT_EQ(other.register_client(0x04), 0u);
    other.close();
    EXPECT_EQ(file.register_client(0x04), 1u);
}

TEST_F(Registration, PkeyModeIsDecidedBeforeTheFirstAgent)
{
    EXPECT_FALSE(file->enable_pkey());
    EXPECT_FALSE(file->enable_pkey()); // again, before any agent
    file.register_client(0x04);
    EXPECT_EQ(file->enable_pkey().value(), EINVAL);

    open_file second{*with.machine};
    second.register_client(0x04); // the newer call turns it on by itself
    EXPECT_EQ(second->enable_pkey().value(), EINVAL);
    std::array<std::byte, 63> small{};
    EXPECT_EQ(second->read(small).error().code().value(), EINVAL);

    open_file third{*with.machine};
    umad::ib_user_mad_reg_req old{};
    old.qpn = 1;
    old.mgmt_class = 0x04;
    old.mgmt_class_version = 1;
    ASSERT_FALSE(third->register_agent(old));
    EXPECT_EQ(third->read(small).error().code().value(), EAGAIN); // 56 are enough
    third.register_client(0x04);                                  // too late to change that
    EXPECT_EQ(third->read(small).error().code().value(), EAGAIN);
    EXPECT_EQ(third->read(std::span{small}.first(55)).error().code().value(), EINVAL);
}

TEST_F(Registration, AThousandFailuresLeaveNothingBehind)
{
    auto wanted = request(1, 0x04);
    serve(wanted, 1);
    ASSERT_EQ(file.try_register(wanted), 0);
    int const before = ::dup(0);
    ::close(before);
    for (int i = 0; i != 1000; ++i) {
        open_file other{*with.machine};
        EXPECT_EQ(other.try_register(wanted), EINVAL);
        EXPECT_FALSE(with.machine->open_port("mlx5_0", 9));
    }
    int const after = ::dup(0);
    ::close(after);
    EXPECT_EQ(before, after);
}

} // namespace
} // namespace madrigal::sim::test
