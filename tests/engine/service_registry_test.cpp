#include <madrigal/engine/service_registry.hpp>
#include <madrigal/wire/p_key.hpp>

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <vector>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using query_type = service_registry::query_type;

raw_bytes<16> key(std::uint8_t first)
{
    raw_bytes<16> made{};
    made.bytes[0] = std::byte{first};
    return made;
}

gid port_gid(std::uint64_t number)
{
    return {default_subnet_prefix, guid{number}};
}

query_type service(std::uint64_t id, std::uint32_t lease = indefinite_lease)
{
    return query_type{}
        .where<&service_record::service_id>(id)
        .where<&service_record::service_gid>(port_gid(1))
        .where<&service_record::service_p_key>(default_p_key)
        .where<&service_record::service_lease>(lease)
        .where<&service_record::service_name>(fixed_text<64>{"test"});
}

struct ServiceRegistry : ::testing::Test {
    std::array<std::uint16_t, 1> keys{default_p_key};
    time_point now{1000s};
    service_registry services;

    std::uint16_t set(query_type const& query) { return services.set(query, keys, now).status; }
    std::uint16_t remove(query_type const& query, bool trusted = false)
    {
        return services.remove(query, trusted, now).status;
    }
    std::vector<service_record> found(query_type const& query = {}, bool trusted = false)
    {
        std::vector<service_record> all;
        EXPECT_TRUE(services.find(query, trusted, now, [&](service_record const& one) {
            all.push_back(one);
            return true;
        }));
        return all;
    }
};

TEST_F(ServiceRegistry, ServicesAreFoundUntilTheyAreWithdrawn)
{
    auto const offered = services.set(service(7), keys, now);
    ASSERT_TRUE(offered.ok());
    EXPECT_EQ(offered.record.service_id, 7U);
    ASSERT_EQ(set(service(8)), mad_status::ok);
    EXPECT_THAT(found(), SizeIs(2));
    EXPECT_THAT(found(query_type{}.where<&service_record::service_id>(8)), SizeIs(1));
    auto const withdrawn = services.remove(service(7), false, now);
    EXPECT_TRUE(withdrawn.ok());
    EXPECT_EQ(withdrawn.record.service_name.view(), "test");
    EXPECT_EQ(remove(service(7)), mad_status::sa_no_records);
    EXPECT_EQ(services.size(), 1U);
}

TEST_F(ServiceRegistry, IdPortAndPartitionTellServicesApart)
{
    std::array<std::uint16_t, 2> const two{default_p_key, 0x8001};
    ASSERT_EQ(set(service(7)), mad_status::ok);
    ASSERT_EQ(set(service(7).where_element<&service_record::data8>(0, 5)), mad_status::ok); // the same again
    ASSERT_THAT(found(), SizeIs(1));
    EXPECT_EQ(found()[0].data8[0], 5);
    ASSERT_EQ(set(service(7).where<&service_record::service_gid>(port_gid(2))), mad_status::ok);
    ASSERT_TRUE(services.set(service(7).where<&service_record::service_p_key>(0x8001), two, now).ok());
    EXPECT_THAT(found(), SizeIs(3));
}

TEST_F(ServiceRegistry, LeasesRunOutAndTellWhatRemains)
{
    EXPECT_EQ(services.deadline(), never);
    ASSERT_EQ(set(service(7, 10)), mad_status::ok);
    ASSERT_EQ(set(service(8, 20)), mad_status::ok);
    ASSERT_EQ(set(service(9)), mad_status::ok);
    EXPECT_EQ(services.deadline(), now + 10s);
    now += 3500ms;
    EXPECT_EQ(found()[0].service_lease, 7U);
    EXPECT_EQ(services.expire(now), 0U);
    now += 6500ms;
    EXPECT_THAT(found(), SizeIs(2)); // expired or not
    EXPECT_EQ(services.size(), 3U);
    EXPECT_EQ(services.expire(now), 1U);
    EXPECT_EQ(services.size(), 2U);
    EXPECT_EQ(services.deadline(), now + 10s);
    now += 1000h;
    EXPECT_EQ(services.expire(now), 1U);
    EXPECT_EQ(services.deadline(), never);
    EXPECT_EQ(found()[0].service_lease, indefinite_lease);
}

TEST_F(ServiceRegistry, ANewLeaseReplacesTheOldOne)
{
    ASSERT_EQ(set(service(7, 10)), mad_status::ok);
    now += 5s;
    ASSERT_EQ(set(service(7, 10)), mad_status::ok);
    EXPECT_EQ(services.deadline(), now + 10s);
    ASSERT_EQ(set(service(7)), mad_status::ok);
    EXPECT_EQ(services.deadline(), never);
    ASSERT_EQ(set(service(7, 1)), mad_status::ok);
    ASSERT_EQ(remove(service(7)), mad_status::ok);
    EXPECT_EQ(services.deadline(), never);
}

TEST_F(ServiceRegistry, LeasesOfNothingAndOfACenturyAreLeasesToo)
{
    ASSERT_EQ(set(service(7, 0)), mad_status::ok);
    EXPECT_THAT(found(), IsEmpty());
    ASSERT_EQ(set(service(8, indefinite_lease - 1)), mad_status::ok);
    EXPECT_EQ(services.size(), 1U);
    EXPECT_EQ(found()[0].service_lease, indefinite_lease - 1);
}

TEST_F(ServiceRegistry, WhoHasNotTheKeyCannotChangeAService)
{
    ASSERT_EQ(set(service(7).where<&service_record::service_key>(key(1))), mad_status::ok);
    EXPECT_EQ(set(service(7).where<&service_record::service_key>(key(2))), mad_status::sa_request_invalid);
    EXPECT_EQ(set(service(7)), mad_status::sa_request_invalid);
    EXPECT_EQ(remove(service(7)), mad_status::sa_request_invalid);
    EXPECT_EQ(remove(service(7).where<&service_record::service_key>(key(2))), mad_status::sa_request_invalid);
    EXPECT_THAT(found(), SizeIs(1));
    EXPECT_EQ(remove(service(7).where<&service_record::service_key>(key(1))), mad_status::ok);
    ASSERT_EQ(set(service(7).where<&service_record::service_key>(key(1))), mad_status::ok);
    EXPECT_EQ(remove(service(7), true), mad_status::ok);
}

TEST_F(ServiceRegistry, KeysAreForTheTrustedToSeeAndToFindBy)
{
    ASSERT_EQ(set(service(7).where<&service_record::service_key>(key(1))), mad_status::ok);
    EXPECT_EQ(found()[0].service_key, key(0));
    EXPECT_EQ(found({}, true)[0].service_key, key(1));
    auto const by_key = query_type{}.where<&service_record::service_key>(key(1));
    EXPECT_THAT(found(by_key), IsEmpty());
    EXPECT_THAT(found(by_key, true), SizeIs(1));
    EXPECT_EQ(
        services.remove(service(7).where<&service_record::service_key>(key(1)), false, now).record.service_key, key(0));
}

TEST_F(ServiceRegistry, WhatIsMissingOrOfNoPortIsRefused)
{
    EXPECT_EQ(set(query_type{}.where<&service_record::service_id>(7)), mad_status::sa_insufficient_components);
    EXPECT_EQ(remove(query_type{}.where<&service_record::service_id>(7)), mad_status::sa_insufficient_components);
    EXPECT_EQ(services.set(service(7), std::nullopt, now).status, mad_status::sa_invalid_gid);
    EXPECT_EQ(set(service(7).where<&service_record::service_gid>(gid{})), mad_status::sa_invalid_gid);
    EXPECT_EQ(set(service(7).where<&service_record::service_gid>(gid{0xFF12'401B'FFFF'0000, guid{1}})),
        mad_status::sa_invalid_gid);
    EXPECT_EQ(set(service(7).where<&service_record::service_p_key>(0x8001)), mad_status::sa_request_invalid);
    EXPECT_EQ(set(service(7).where<&service_record::service_p_key>(0)), mad_status::sa_request_invalid);
    EXPECT_EQ(services.size(), 0U);
}

TEST_F(ServiceRegistry, RecordsOfNothingAndOfAllBitsDoNoHarm)
{
    std::array<std::byte, service_record::layout.size> bytes{};
    for (auto const fill : {std::byte{0}, std::byte{0xFF}}) {
        bytes.fill(fill);
        auto const record = *decode<service_record>(bytes);
        for (auto const mask : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
            query_type const query{record, component_mask<service_record>::from_value(mask)};
            EXPECT_NE(set(query), mad_status::ok);
            EXPECT_NE(remove(query), mad_status::ok);
        }
    }
    EXPECT_EQ(services.size(), 0U);
}

TEST_F(ServiceRegistry, ServicesAreOnlySoManyAndExpiredOnesMakeRoom)
{
    services = service_registry{{.most_services = 2}};
    ASSERT_EQ(set(service(1)), mad_status::ok);
    ASSERT_EQ(set(service(2, 1)), mad_status::ok);
    EXPECT_EQ(set(service(3)), mad_status::sa_no_resources);
    EXPECT_EQ(set(service(1, 5)), mad_status::ok); // one that is there
    now += 1s;
    EXPECT_EQ(set(service(3)), mad_status::ok);
}

TEST_F(ServiceRegistry, AQueryEndsWhereNoMoreIsWanted)
{
    ASSERT_EQ(set(service(1)), mad_status::ok);
    ASSERT_EQ(set(service(2)), mad_status::ok);
    int seen = 0;
    EXPECT_FALSE(services.find({}, false, now, [&](auto const&) { return ++seen < 1; }));
    EXPECT_EQ(seen, 1);
}

TEST_F(ServiceRegistry, APortThatVanishesTakesItsServicesWithIt)
{
    ASSERT_EQ(set(service(1, 10)), mad_status::ok);
    ASSERT_EQ(set(service(2)), mad_status::ok);
    ASSERT_EQ(set(service(2, 20).where<&service_record::service_gid>(port_gid(2))), mad_status::ok);
    EXPECT_EQ(services.remove_port(port_gid(1)), 2U);
    EXPECT_EQ(services.deadline(), now + 20s);
    EXPECT_EQ(services.remove_ports([](gid const& port) { return port == port_gid(2); }), 1U);
    EXPECT_EQ(services.deadline(), never);
}

TEST_F(ServiceRegistry, ServicesOfOnePortAreOnlySoManyWhicheverPortItNames)
{
    services = service_registry{{.most_of_one = 2}};
    auto const set_by = [&](std::uint64_t id, std::uint64_t asker) {
        auto const gids = service(id).where<&service_record::service_gid>(port_gid(id));
        return services.set(gids, keys, now, port_gid(asker)).status;
    };
    EXPECT_EQ(set_by(1, 50), mad_status::ok);
    EXPECT_EQ(set_by(2, 50), mad_status::ok);
    EXPECT_EQ(set_by(3, 50), mad_status::sa_no_resources);
    EXPECT_EQ(set_by(2, 50), mad_status::ok) << "is there";
    EXPECT_EQ(set_by(3, 51), mad_status::ok);
    EXPECT_EQ(services.remove_port(port_gid(1)), 1U);
    EXPECT_EQ(set_by(4, 50), mad_status::ok);
}

} // namespace
} // namespace madrigal::engine
