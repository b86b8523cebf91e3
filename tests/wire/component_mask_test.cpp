#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/sa.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal {
namespace {

using testing::HasSubstr;

static_assert(components<&path_record::dgid>.value() == 1U << 2);
static_assert(components<&path_record::service_id>.value() == 0b11);
static_assert(components<&node_record::info, &node_info::node_guid>.value() == 1U << 7);
static_assert((components<&path_record::slid> | components<&path_record::dlid>).value() == 0x30);

TEST(ComponentMask, NamesItsComponents)
{
    EXPECT_EQ(to_string(component_mask<path_record>{}), "0x0000000000000000");
    EXPECT_EQ(to_string(components<&path_record::dgid> | components<&path_record::numb_path>),
        "0x0000000000001004 (DGID, NumbPath)");
    EXPECT_EQ(to_string(components<&path_record::service_id>), "0x0000000000000003 (ServiceID)");
    EXPECT_EQ(to_string(component_mask<node_record>::from_value(0x8000000000000082)),
        "0x8000000000000082 (NodeGUID, 0x2, 0x8000000000000000)")
        << "bits without a name, the reserved one of the table too";
    EXPECT_EQ(to_string(component_mask<service_record>::from_value(1U << 8)), "0x0000000000000100 (ServiceData8[1])");
}

TEST(ComponentMask, GivesEachRecordOneBitForEachComponentAtMost)
{
    auto const check = [](auto const& numbered, std::string_view name) {
        std::uint64_t seen = 0;
        for (auto const& bits : numbered) {
            EXPECT_EQ(seen & bits.first, 0U) << name;
            seen |= bits.first;
        }
        EXPECT_NE(seen, 0U) << name;
    };
    check(detail::numbered_components<node_record>, "NodeRecord");
    check(detail::numbered_components<port_info_record>, "PortInfoRecord");
    check(detail::numbered_components<service_record>, "ServiceRecord");
    check(detail::numbered_components<mc_member_record>, "MCMemberRecord");
}

TEST(ComponentMask, HasNoNumbersForWhatCameLaterOrIsABlockOfATable)
{
    EXPECT_EQ((detail::component_bits_of<&port_info_record::info, &port_info::link_speed_ext2_active>()), 0U);
    EXPECT_EQ((detail::component_bits_of<&linear_forwarding_table_record::table>()), 0U);
}

TEST(RecordQuery, CountsWhatIsSet)
{
    gid const destination{default_subnet_prefix, guid{7}};
    auto const query =
        record_query<path_record>{}.where<&path_record::dgid>(destination).where<&path_record::numb_path>(1);
    EXPECT_EQ(query.mask(), components<&path_record::dgid> | components<&path_record::numb_path>);
    EXPECT_EQ(query.record(), (path_record{.dgid = destination, .numb_path = 1}));

    auto const inner = record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_);
    EXPECT_EQ(inner.mask().value(), 1U << 4);
    EXPECT_EQ(inner.record().info.type, node_type::switch_);
}

TEST(RecordQuery, CountsSingleElements)
{
    auto const query = record_query<guid_info_record>{}
                           .where<&guid_info_record::base_lid>(lid{5})
                           .where_element<&guid_info_record::info, &guid_info::guids>(2, guid{0x1122});
    EXPECT_EQ(query.mask().value(), 1U | 1U << 6);
    EXPECT_EQ(query.record().info.guids[2], guid{0x1122});
}

TEST(RecordQuery, MatchesWhereTheComponentsThatCountAreEqual)
{
    node_record candidate;
    candidate.base_lid = lid{9};
    candidate.info.type = node_type::switch_;
    candidate.info.node_guid = guid{0xABC};
    EXPECT_TRUE(record_query<node_record>{}.matches(candidate)) << "no component counts";
    EXPECT_TRUE(record_query<node_record>{}.where<&node_record::base_lid>(lid{9}).matches(candidate));
    EXPECT_FALSE(record_query<node_record>{}.where<&node_record::base_lid>(lid{8}).matches(candidate));
    auto query = record_query<node_record>{}.where<&node_record::info, &node_info::node_guid>(guid{0xABC});
    EXPECT_TRUE(query.matches(candidate));
    EXPECT_FALSE((query.where<&node_record::info, &node_info::type>(node_type::ca).matches(candidate)));
}

TEST(RecordQuery, ComparesSingleElements)
{
    guid_info_record candidate;
    candidate.info.guids = {guid{1}, guid{2}};
    auto const wants = [](std::size_t element, guid value) {
        return record_query<guid_info_record>{}.where_element<&guid_info_record::info, &guid_info::guids>(
            element, value);
    };
    EXPECT_TRUE(wants(1, guid{2}).matches(candidate));
    EXPECT_FALSE(wants(0, guid{2}).matches(candidate));
}

TEST(SaRequest, IsWrittenAsTheHeaderSays)
{
    std::array<std::byte, mad_size> packet;
    packet.fill(std::byte{0xEE});
    auto const query = record_query<link_record>{}.where<&link_record::from_lid>(lid{0x0102});
    build_sa_request(packet, {method::get_table, 0x1122334455667788, 0x0A0B0C0D0E0F0001, 0}, query);

    auto const header = decode<sa_header>(packet).value();
    EXPECT_EQ(header.base_version, 1);
    EXPECT_EQ(header.mgmt_class, management_class::subnet_administration);
    EXPECT_EQ(header.class_version, 2);
    EXPECT_EQ(header.method_of_mad, method::get_table);
    EXPECT_EQ(header.transaction_id, 0x1122334455667788U);
    EXPECT_EQ(header.attribute_id, attribute_id::link_record);
    EXPECT_EQ(header.sm_key, 0x0A0B0C0D0E0F0001U);
    EXPECT_EQ(header.component_mask, 1U);
    EXPECT_EQ(header.rmpp_version, 0);
    EXPECT_EQ(mad_view{packet}.attribute<link_record>(), query.record());
    EXPECT_EQ(std::count(packet.begin() + 58, packet.end(), std::byte{0}), 256 - 58) << "no byte is left as it was";
}

TEST(SaView, ReadsWhatARequestAsks)
{
    std::array<std::byte, mad_size> packet{};
    auto const query = record_query<mc_member_record>{}.where<&mc_member_record::mlid>(lid{0xC001});
    build_sa_request(packet, {.method_of_mad = method::get, .sm_key = 0xFEDC}, query);
    store_bits<352, 16>(packet.data(), 7);
    auto const view = sa_view::from(packet).value();
    EXPECT_EQ(view.sm_key(), 0xFEDCU);
    EXPECT_EQ(view.record_stride(), 56U);
    EXPECT_EQ(view.component_mask(), 8U);
    EXPECT_EQ(view.data().size(), sa_data_size);
    auto const read = view.query<mc_member_record>().value();
    EXPECT_EQ(read.mask(), query.mask());
    EXPECT_EQ(read.record(), query.record());
}

TEST(SaView, RefusesOtherClassesAndShortBytes)
{
    std::array<std::byte, mad_size> packet{};
    build_sa_request(packet, {}, record_query<link_record>{});
    EXPECT_FALSE(sa_view::from(std::span{packet}.first(55)));
    EXPECT_TRUE(sa_view::from(std::span{packet}.first(56)));
    EXPECT_FALSE(sa_view::from(std::span{packet}.first(56)).value().query<link_record>()) << "the record is cut off";
    mutable_mad_view{packet}.set_mgmt_class(management_class::performance);
    EXPECT_FALSE(sa_view::from(packet));
}

TEST(SaRecordStride, IsRoundedUpToEightBytes)
{
    EXPECT_EQ(sa_record_stride(node_record::layout.size), 112U);
    EXPECT_EQ(sa_record_stride(path_record::layout.size), 64U);
    EXPECT_EQ(sa_record_stride(link_record::layout.size), 8U);
}

TEST(MultiPathGids, StandBehindTheRecord)
{
    std::vector<std::byte> bytes(sa_data_size);
    ASSERT_TRUE(encode(multi_path_record{.sgid_count = 1, .dgid_count = 1}, bytes));
    gid const source{default_subnet_prefix, guid{1}};
    gid const destination{default_subnet_prefix, guid{2}};
    EXPECT_TRUE(put_multi_path_gid(bytes, 0, source));
    EXPECT_TRUE(put_multi_path_gid(bytes, 1, destination));
    EXPECT_EQ(std::to_integer<int>(bytes[24]), 0xFE);
    EXPECT_EQ(multi_path_gid(bytes, 0), source);
    EXPECT_EQ(multi_path_gid(bytes, 1), destination);
    EXPECT_TRUE(multi_path_gid(bytes, multi_path_gids_per_mad - 1));
    EXPECT_FALSE(multi_path_gid(bytes, multi_path_gids_per_mad));
    EXPECT_FALSE(multi_path_gid(bytes, SIZE_MAX / 16 + 1)) << "a place whose offset wraps around";
    EXPECT_FALSE(put_multi_path_gid(bytes, multi_path_gids_per_mad, source));
    EXPECT_FALSE(multi_path_gid(std::span{bytes}.first(23), 0));
}

} // namespace
} // namespace madrigal
