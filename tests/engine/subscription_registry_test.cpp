#include <madrigal/engine/subscription_registry.hpp>
#include <madrigal/wire/trap.hpp>

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace madrigal::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using query_type = subscription_registry::query_type;

constexpr std::uint32_t gsi = 1;

gid port_gid(std::uint64_t number)
{
    return {default_subnet_prefix, guid{number}};
}

/// All generic notices.
inform_info everything()
{
    inform_info wanted;
    wanted.lid_range_begin = all_lids;
    wanted.is_generic = 1;
    wanted.subscribe = 1;
    wanted.type = all_notices;
    wanted.trap_number = all_notices;
    wanted.producer_type = all_producers;
    return wanted;
}

inform_info of_trap(std::uint16_t number)
{
    auto wanted = everything();
    wanted.trap_number = number;
    return wanted;
}

inform_info ended(inform_info wanted, std::uint32_t qpn = 0)
{
    wanted.subscribe = 0;
    wanted.qpn = qpn;
    return wanted;
}

notice_report link_state_changed()
{
    notice_report about;
    about.is_generic = true;
    about.type = notice_type::urgent;
    about.producer_type = notice_producer::switch_;
    about.trap_number = trap_number::link_state_changed;
    about.issuer_lid = lid{7};
    about.issuer_gid = port_gid(70);
    return about;
}

struct SubscriptionRegistry : ::testing::Test {
    subscription_registry all;

    std::uint16_t set(inform_info const& asked, std::uint64_t port = 1, std::uint32_t qpn = gsi, bool trusted = false)
    {
        return all.set(asked, port_gid(port), qpn, trusted).status;
    }
    std::vector<inform_info_record> found(query_type const& query = {}, bool trusted = true, std::uint64_t asker = 1)
    {
        std::vector<inform_info_record> records;
        EXPECT_TRUE(all.find(query, port_gid(asker), trusted, [&](inform_info_record const& one) {
            records.push_back(one);
            return true;
        }));
        return records;
    }
    std::vector<std::pair<gid, std::uint32_t>> told(notice_report const& about)
    {
        std::vector<std::pair<gid, std::uint32_t>> subscribers;
        all.for_each_subscriber(
            about, [&](subscription const& one) { subscribers.emplace_back(one.subscriber, one.qpn); });
        return subscribers;
    }
};

TEST_F(SubscriptionRegistry, SubscriptionsBeginOnceAndEndOnce)
{
    auto const begun = all.set(of_trap(64), port_gid(1), gsi, false);
    EXPECT_TRUE(begun.ok());
    EXPECT_TRUE(begun.changed);
    EXPECT_EQ(begun.record, of_trap(64));
    auto const again = all.set(of_trap(64), port_gid(1), gsi, false);
    EXPECT_TRUE(again.ok());
    EXPECT_FALSE(again.changed);
    EXPECT_EQ(all.size(), 1U);
    EXPECT_TRUE(all.set(ended(of_trap(64)), port_gid(1), gsi, false).changed);
    EXPECT_EQ(set(ended(of_trap(64))), mad_status::sa_request_invalid);
    EXPECT_EQ(all.size(), 0U);
}

TEST_F(SubscriptionRegistry, TheResponseTimeMakesNoOtherSubscription)
{
    auto wanted = of_trap(64);
    wanted.resp_time_value = 19;
    ASSERT_EQ(set(wanted), mad_status::ok);
    EXPECT_EQ(set(ended(of_trap(64))), mad_status::ok);
}

TEST_F(SubscriptionRegistry, OnlyTheQueuePairThatBeganOneOrItsNameEndsIt)
{
    ASSERT_EQ(set(everything(), 1, 5), mad_status::ok);
    EXPECT_EQ(set(ended(everything()), 1, 6), mad_status::sa_request_invalid);
    EXPECT_EQ(set(ended(everything(), 5), 2, 6), mad_status::sa_request_invalid); // of another port
    EXPECT_EQ(set(ended(everything(), 5), 1, 6), mad_status::ok);
}

TEST_F(SubscriptionRegistry, RecordsAreNumberedForEachPortFromTheLowestFreeNumber)
{
    ASSERT_EQ(set(of_trap(64)), mad_status::ok);
    ASSERT_EQ(set(of_trap(65), 2), mad_status::ok);
    ASSERT_EQ(set(of_trap(66), 1, 9), mad_status::ok);
    ASSERT_EQ(set(of_trap(67)), mad_status::ok);
    auto const numbers = [&] {
        std::vector<std::pair<std::uint16_t, std::uint16_t>> seen; // trap, number
        for (auto const& one : found())
            seen.emplace_back(one.info.trap_number, one.enumeration);
        return seen;
    };
    EXPECT_THAT(numbers(), ElementsAre(Pair(64, 0), Pair(65, 0), Pair(66, 1), Pair(67, 2)));
    EXPECT_EQ(found()[2].info.qpn, 9U);
    ASSERT_EQ(set(ended(of_trap(66)), 1, 9), mad_status::ok);
    ASSERT_EQ(set(of_trap(128)), mad_status::ok);
    EXPECT_THAT(numbers(), ElementsAre(Pair(64, 0), Pair(65, 0), Pair(67, 2), Pair(128, 1)));
}

TEST_F(SubscriptionRegistry, OthersSubscriptionsAreForTheTrusted)
{
    ASSERT_EQ(set(everything(), 1), mad_status::ok);
    ASSERT_EQ(set(everything(), 2), mad_status::ok);
    EXPECT_THAT(found({}, true), SizeIs(2));
    auto const own = found({}, false, 2);
    ASSERT_THAT(own, SizeIs(1));
    EXPECT_EQ(own[0].subscriber_gid, port_gid(2));
    EXPECT_THAT(found(query_type{}.where<&inform_info_record::subscriber_gid>(port_gid(1)), false, 2), IsEmpty());
    EXPECT_TRUE(all.find({}, std::nullopt, false, [](auto const&) { return false; })); // nobody has none
    int seen = 0;
    EXPECT_FALSE(all.find({}, port_gid(1), true, [&](auto const&) { return ++seen < 1; }));
    EXPECT_EQ(seen, 1);
}

TEST_F(SubscriptionRegistry, TrapsOfSecurityAreForTheTrustedAlone)
{
    for (std::uint16_t const number : {256, 257, 258, 259}) {
        EXPECT_EQ(set(of_trap(number)), mad_status::sa_request_denied);
        EXPECT_EQ(set(of_trap(number), 1, gsi, true), mad_status::ok);
    }
    EXPECT_EQ(set(of_trap(255)), mad_status::ok);
    EXPECT_EQ(set(of_trap(260)), mad_status::ok);
    auto vendors = of_trap(256);
    vendors.is_generic = 0;
    EXPECT_EQ(set(vendors), mad_status::ok);
}

TEST_F(SubscriptionRegistry, AllTrapsAreThoseOfSecurityTooForTheTrustedAlone)
{
    ASSERT_EQ(set(everything(), 1), mad_status::ok);
    ASSERT_EQ(set(everything(), 2, gsi, true), mad_status::ok);
    auto about = link_state_changed();
    EXPECT_THAT(told(about), SizeIs(2));
    about.type = notice_type::security;
    about.trap_number = 256;
    EXPECT_THAT(told(about), ElementsAre(Pair(port_gid(2), gsi)));
    ASSERT_EQ(set(everything(), 1, gsi, true), mad_status::ok); // the same again, with the key
    ASSERT_EQ(set(everything(), 2), mad_status::ok);            // without it, which takes nothing away
    EXPECT_THAT(told(about), SizeIs(2));
    EXPECT_EQ(all.size(), 2U);
}

TEST_F(SubscriptionRegistry, QueuePairsAreForTheTrusted)
{
    ASSERT_EQ(set(everything(), 1, 5), mad_status::ok);
    EXPECT_EQ(found({}, true).at(0).info.qpn, 5U);
    EXPECT_EQ(found({}, false).at(0).info.qpn, 0U);
}

TEST_F(SubscriptionRegistry, RequestsThatCannotBeAreRefused)
{
    auto const refused = [&](inform_info const& asked) { return set(asked) == mad_status::sa_request_invalid; };
    auto wanted = everything();
    wanted.subscribe = 2;
    EXPECT_TRUE(refused(wanted));
    wanted = everything();
    wanted.is_generic = 2;
    EXPECT_TRUE(refused(wanted));
    wanted = everything();
    wanted.lid_range_begin = lid{9};
    wanted.lid_range_end = lid{8};
    EXPECT_TRUE(refused(wanted));
    EXPECT_EQ(all.set(everything(), std::nullopt, gsi, false).status, mad_status::sa_request_invalid);
    EXPECT_EQ(all.set(everything(), gid{}, gsi, false).status, mad_status::sa_request_invalid);
    EXPECT_EQ(
        all.set(everything(), gid{0xFF12'401B'FFFF'0000, guid{1}}, gsi, false).status, mad_status::sa_request_invalid);
    EXPECT_EQ(all.size(), 0U);
}

TEST_F(SubscriptionRegistry, RecordsOfNothingAndOfAllBitsDoNoHarm)
{
    std::array<std::byte, inform_info::layout.size> bytes{};
    EXPECT_NE(set(*decode<inform_info>(bytes)), mad_status::ok);
    bytes.fill(std::byte{0xFF});
    EXPECT_NE(set(*decode<inform_info>(bytes)), mad_status::ok);
    auto nothing = inform_info{};
    nothing.subscribe = 1; // a vendor's notices of LID 0
    ASSERT_EQ(set(nothing), mad_status::ok);
    EXPECT_THAT(told(link_state_changed()), IsEmpty());
    std::array<std::byte, notice_report::layout.size> notice_bytes{};
    ASSERT_EQ(set(everything(), 2), mad_status::ok);
    notice_bytes.fill(std::byte{0xFF});
    EXPECT_THAT(told(*decode<notice_report>(notice_bytes)), IsEmpty()); // of the type that is none
}

TEST_F(SubscriptionRegistry, ANoticeIsToldToWhoWantsItsTypeTrapAndProducer)
{
    auto const about = link_state_changed();
    EXPECT_TRUE(is_wanted(everything(), about));
    EXPECT_TRUE(is_wanted(of_trap(128), about));
    EXPECT_FALSE(is_wanted(of_trap(129), about));
    auto wanted = everything();
    wanted.type = static_cast<std::uint16_t>(notice_type::urgent);
    EXPECT_TRUE(is_wanted(wanted, about));
    wanted.type = static_cast<std::uint16_t>(notice_type::security);
    EXPECT_FALSE(is_wanted(wanted, about));
    wanted = everything();
    wanted.producer_type = notice_producer::switch_;
    EXPECT_TRUE(is_wanted(wanted, about));
    wanted.producer_type = notice_producer::ca;
    EXPECT_FALSE(is_wanted(wanted, about));
}

TEST_F(SubscriptionRegistry, AnEmptyNoticeIsToldToNobody)
{
    auto about = link_state_changed();
    about.type = notice_type::empty;
    auto wanted = everything();
    EXPECT_FALSE(is_wanted(wanted, about));
    wanted.type = static_cast<std::uint16_t>(notice_type::empty);
    EXPECT_FALSE(is_wanted(wanted, about));
}

TEST_F(SubscriptionRegistry, GenericNoticesAndVendorsAreToldApart)
{
    auto about = link_state_changed();
    about.is_generic = false;
    about.producer_type = notice_producer{0x00'2C90}; // the vendor
    about.trap_number = 5;                            // of a device
    EXPECT_FALSE(is_wanted(everything(), about));
    auto wanted = everything();
    wanted.is_generic = 0;
    EXPECT_TRUE(is_wanted(wanted, about));
    EXPECT_FALSE(is_wanted(wanted, link_state_changed()));
    wanted.producer_type = notice_producer{0x00'2C90};
    wanted.trap_number = 5;
    EXPECT_TRUE(is_wanted(wanted, about));
    wanted.producer_type = notice_producer{0x00'2C91};
    EXPECT_FALSE(is_wanted(wanted, about));
    wanted.producer_type = all_producers;
    wanted.trap_number = 6;
    EXPECT_FALSE(is_wanted(wanted, about));
}

TEST_F(SubscriptionRegistry, ALidRangeIsThatOfTheIssuerAndEndsWithItsEnd)
{
    auto const wants = [](std::uint16_t begin, std::uint16_t end, std::uint16_t issuer) {
        auto wanted = everything();
        wanted.lid_range_begin = lid{begin};
        wanted.lid_range_end = lid{end};
        auto about = link_state_changed();
        about.issuer_lid = lid{issuer};
        return is_wanted(wanted, about);
    };
    EXPECT_TRUE(wants(7, 9, 7));
    EXPECT_TRUE(wants(7, 9, 9));
    EXPECT_FALSE(wants(7, 9, 6));
    EXPECT_FALSE(wants(7, 9, 10));
    EXPECT_TRUE(wants(7, 0, 7)); // one LID
    EXPECT_FALSE(wants(7, 0, 8));
    EXPECT_TRUE(wants(0xFFFF, 0, 8)); // all, whatever the end says
    EXPECT_TRUE(wants(0xFFFF, 5, 8));
    EXPECT_TRUE(wants(1, 0xFFFF, 8));
}

TEST_F(SubscriptionRegistry, AGidIsThatOfTheIssuerAndTheLidRangeDoesNotCountThen)
{
    auto wanted = everything();
    wanted.source_gid = port_gid(70);
    wanted.lid_range_begin = lid{1};
    wanted.lid_range_end = lid{1};
    EXPECT_TRUE(is_wanted(wanted, link_state_changed()));
    wanted.lid_range_begin = all_lids;
    wanted.source_gid = port_gid(71);
    EXPECT_FALSE(is_wanted(wanted, link_state_changed()));
    wanted.source_gid = gid{0xFF12'401B'FFFF'0000, guid{1}};
    EXPECT_FALSE(is_wanted(wanted, link_state_changed()));
}

TEST_F(SubscriptionRegistry, AQueuePairIsToldOnceHoweverManyOfItsSubscriptionsWantIt)
{
    ASSERT_EQ(set(of_trap(64)), mad_status::ok);
    ASSERT_EQ(set(of_trap(128)), mad_status::ok);
    ASSERT_EQ(set(everything()), mad_status::ok);
    ASSERT_EQ(set(everything(), 1, 5), mad_status::ok);
    ASSERT_EQ(set(everything(), 2), mad_status::ok);
    ASSERT_EQ(set(of_trap(64), 3), mad_status::ok);
    EXPECT_THAT(
        told(link_state_changed()), ElementsAre(Pair(port_gid(1), gsi), Pair(port_gid(1), 5U), Pair(port_gid(2), gsi)));
}

TEST_F(SubscriptionRegistry, WhoHasEndedItOrVanishedIsToldNoMore)
{
    ASSERT_EQ(set(everything(), 1), mad_status::ok);
    ASSERT_EQ(set(everything(), 1, 5), mad_status::ok);
    ASSERT_EQ(set(of_trap(128), 2), mad_status::ok);
    ASSERT_EQ(set(everything(), 3), mad_status::ok);
    ASSERT_EQ(set(everything(), 4), mad_status::ok);
    ASSERT_EQ(set(ended(of_trap(128)), 2), mad_status::ok);
    EXPECT_EQ(all.remove_port(port_gid(1)), 2U);
    EXPECT_EQ(all.remove_port(port_gid(1)), 0U);
    EXPECT_THAT(told(link_state_changed()), ElementsAre(Pair(port_gid(3), gsi), Pair(port_gid(4), gsi)));
    EXPECT_EQ(all.remove_ports([](gid const& port) { return port != port_gid(4); }), 1U);
    EXPECT_THAT(told(link_state_changed()), ElementsAre(Pair(port_gid(4), gsi)));
    EXPECT_EQ(all.size(), 1U);
}

TEST_F(SubscriptionRegistry, SubscriptionsAreOnlySoManyInAllAndOfOnePort)
{
    all = subscription_registry{{.most_subscriptions = 3, .most_of_one = 2}};
    ASSERT_EQ(set(of_trap(1), 1), mad_status::ok);
    ASSERT_EQ(set(of_trap(2), 1, 5), mad_status::ok);
    EXPECT_EQ(set(of_trap(3), 1), mad_status::sa_no_resources);
    EXPECT_EQ(set(of_trap(1), 1), mad_status::ok); // is there
    ASSERT_EQ(set(of_trap(1), 2), mad_status::ok);
    EXPECT_EQ(set(of_trap(1), 3), mad_status::sa_no_resources);
    ASSERT_EQ(set(ended(of_trap(1)), 2), mad_status::ok);
    EXPECT_EQ(set(of_trap(1), 3), mad_status::ok);
}

} // namespace
} // namespace madrigal::engine
