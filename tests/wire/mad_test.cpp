#include "wire/bytes.hpp"

#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/mad.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

TEST(MadView, ReadsTheHeaderInHostByteOrder)
{
    auto const bytes = test::hex("01 04 02 81  00 1c 02 03  01 02 03 04 05 06 07 08  00 12 aa bb  11 12 13 14");
    auto const mad = mad_view::from(bytes).value();
    EXPECT_EQ(mad.base_version(), 1);
    EXPECT_EQ(mad.mgmt_class(), management_class::performance);
    EXPECT_EQ(mad.class_version(), 2);
    EXPECT_EQ(mad.method(), method::get_response);
    EXPECT_EQ(mad.status(), 0x001c);
    EXPECT_EQ(mad.class_specific(), 0x0203);
    EXPECT_EQ(mad.transaction_id(), 0x0102030405060708U);
    EXPECT_EQ(mad.attribute_id(), 0x0012);
    EXPECT_EQ(mad.attribute_modifier(), 0x11121314U);
    EXPECT_TRUE(mad.is_response());
}

TEST(MadView, AgreesWithTheHeadersTable)
{
    for (std::uint32_t seed = 0; seed != 100; ++seed) {
        auto const bytes = test::random_bytes(mad_header_size, seed);
        mad_view const mad{bytes};
        EXPECT_EQ(decode<mad_header>(bytes),
            (mad_header{mad.base_version(), mad.mgmt_class(), mad.class_version(), mad.method(), mad.status(),
                mad.class_specific(), mad.transaction_id(), mad.attribute_id(), mad.attribute_modifier()}));
    }
}

TEST(MadView, IsRefusedForFewerThan24Bytes)
{
    std::vector<std::byte> bytes(24);
    EXPECT_TRUE(mad_view::from(bytes));
    EXPECT_FALSE(mad_view::from(std::span{bytes}.first(23)));
    EXPECT_FALSE(mad_view::from({}));
    EXPECT_TRUE(mutable_mad_view::from(bytes));
    EXPECT_FALSE(mutable_mad_view::from(std::span{bytes}.first(23)));
}

TEST(MutableMadView, WritesWhatItsTableWrites)
{
    mad_header const header{
        1, management_class::communication, 2, method::send, 0x1234, 0x5678, 0x0102030405060708, 0x9abc, 0xdef01234};
    std::array<std::byte, mad_header_size> bytes{};
    mutable_mad_view const mad{bytes};
    mad.set_base_version(header.base_version);
    mad.set_mgmt_class(header.mgmt_class);
    mad.set_class_version(header.class_version);
    mad.set_method(header.method_of_mad);
    mad.set_status(header.status);
    mad.set_class_specific(header.class_specific);
    mad.set_transaction_id(header.transaction_id);
    mad.set_attribute_id(header.attribute_id);
    mad.set_attribute_modifier(header.attribute_modifier);
    EXPECT_EQ(bytes, encoded(header));
    EXPECT_EQ(mad.transaction_id(), header.transaction_id);
}

TEST(MadView, FindsTheDataOfEachClass)
{
    std::vector<std::byte> bytes(mad_size);
    mutable_mad_view const mad{bytes};
    for (auto const& [mgmt_class, offset] : {std::pair{management_class::subnet_administration, 56},
             {management_class::performance, 64}, {management_class::device_management, 64},
             {management_class::device_administration, 64}, {management_class::bis, 64},
             {management_class::vendor_oui_first, 40}, {management_class::vendor_oui_last, 40},
             {management_class::vendor_first, 24}, {management_class::communication, 24}}) {
        mad.set_mgmt_class(mgmt_class);
        EXPECT_EQ(mad.data().data(), bytes.data() + offset) << to_string(mgmt_class);
        EXPECT_EQ(mad.data().size(), mad_size - std::size_t(offset)) << to_string(mgmt_class);
    }
    for (auto const mgmt_class : {management_class::subnet_lid_routed, management_class::subnet_directed_route}) {
        mad.set_mgmt_class(mgmt_class);
        EXPECT_EQ(mad.data().data(), bytes.data() + 64);
        EXPECT_EQ(mad.data().size(), 64U) << "the paths are no data";
    }
}

TEST(MadView, GivesNoAttributeWhereTheMadIsCutOff)
{
    std::vector<std::byte> bytes(mad_size);
    mutable_mad_view{bytes}.set_mgmt_class(management_class::subnet_lid_routed);
    node_info const info{.node_guid = guid{5}};
    ASSERT_TRUE(mutable_mad_view{bytes}.set_attribute(info));
    EXPECT_EQ(mad_view{bytes}.attribute<node_info>(), info);
    for (std::size_t size = 24; size != 64 + 40; ++size) {
        EXPECT_FALSE(mad_view{std::span{bytes}.first(size)}.attribute<node_info>()) << size;
        EXPECT_FALSE(mutable_mad_view{std::span{bytes}.first(size)}.set_attribute(info)) << size;
    }
    EXPECT_TRUE(mad_view{std::span{bytes}.first(64 + 40)}.attribute<node_info>());
}

TEST(MadView, KeepsTheDirectionBitOutOfTheOutcome)
{
    std::vector<std::byte> bytes(mad_size);
    mutable_mad_view const mad{bytes};
    mad.set_status(0x801c);
    mad.set_mgmt_class(management_class::subnet_directed_route);
    EXPECT_EQ(mad.view().outcome(), 0x001c);
    EXPECT_EQ(mad.status(), 0x801c);
    mad.set_mgmt_class(management_class::performance);
    EXPECT_EQ(mad.view().outcome(), 0x801c);
}

TEST(Method, IsAResponseByTheKernelsRule)
{
    auto const smp = management_class::subnet_lid_routed;
    EXPECT_FALSE(is_response(smp, method::get));
    EXPECT_FALSE(is_response(smp, method::set));
    EXPECT_FALSE(is_response(smp, method::trap));
    EXPECT_TRUE(is_response(smp, method::get_response));
    EXPECT_TRUE(is_response(smp, method::report_response));
    EXPECT_TRUE(is_response(smp, method{0xFF}));
    EXPECT_TRUE(is_response(smp, method::trap_repress)) << "it answers a trap without the response bit";
    // The baseboard class keeps its response bit in the modifier.
    EXPECT_TRUE(is_response(management_class::baseboard, method::send, 1));
    EXPECT_FALSE(is_response(management_class::baseboard, method::send, 2));
    EXPECT_FALSE(is_response(management_class::performance, method::send, 1));
}

TEST(Method, KnowsItsUsualAnswer)
{
    EXPECT_EQ(response_to(method::get), method::get_response);
    EXPECT_EQ(response_to(method::set), method::get_response);
    EXPECT_EQ(response_to(method::trap), method::trap_repress);
    EXPECT_EQ(response_to(method::report), method::report_response);
    EXPECT_EQ(response_to(method::get_table), method::get_table_response);
    EXPECT_EQ(response_to(method::get_trace_table), method::get_table_response);
    EXPECT_EQ(response_to(method::get_multi), method::get_multi_response);
    EXPECT_EQ(response_to(method::delete_), method::delete_response);
}

TEST(Method, PrintsItsNameOrItsNumber)
{
    EXPECT_EQ(to_string(method::get), "Get");
    EXPECT_EQ(to_string(method::get_response), "GetResp");
    EXPECT_EQ(to_string(method::trap_repress), "TrapRepress");
    EXPECT_EQ(to_string(method{0x7A}), "0x7a");
}

TEST(ManagementClass, PrintsItsNameOrItsNumber)
{
    EXPECT_EQ(to_string(management_class::subnet_directed_route), "SubnDirectedRoute");
    EXPECT_EQ(to_string(management_class::performance), "PerfMgt");
    EXPECT_EQ(to_string(management_class{0x0a}), "Vendor 0x0a");
    EXPECT_EQ(to_string(management_class{0x32}), "Vendor 0x32");
    EXPECT_EQ(to_string(management_class{0x2a}), "Application 0x2a");
    EXPECT_EQ(to_string(management_class{0xee}), "0xee");
}

TEST(ManagementClass, HasItsKindByItsExactRange)
{
    EXPECT_TRUE(is_smp(management_class{0x01}));
    EXPECT_TRUE(is_smp(management_class{0x81}));
    EXPECT_FALSE(is_smp(management_class{0x03}));
    EXPECT_FALSE(is_vendor_with_oui(management_class{0x2F}));
    EXPECT_TRUE(is_vendor_with_oui(management_class{0x30}));
    EXPECT_TRUE(is_vendor_with_oui(management_class{0x4F}));
    EXPECT_FALSE(is_vendor_with_oui(management_class{0x50}));
    EXPECT_FALSE(is_vendor_without_oui(management_class{0x08}));
    EXPECT_TRUE(is_vendor_without_oui(management_class{0x09}));
    EXPECT_TRUE(is_vendor_without_oui(management_class{0x0F}));
    EXPECT_FALSE(is_vendor_without_oui(management_class{0x10}));
    for (unsigned number = 0; number != 256; ++number) {
        bool const expected =
            number == 0x03 || number == 0x06 || number == 0x10 || number == 0x12 || (number >= 0x30 && number <= 0x4F);
        EXPECT_EQ(has_rmpp(management_class(number)), expected) << number;
        EXPECT_EQ(queue_pair(management_class(number)), number == 0x01 || number == 0x81 ? 0U : 1U) << number;
    }
    EXPECT_EQ(default_class_version(management_class::subnet_administration), 2);
    EXPECT_EQ(default_class_version(management_class::subnet_lid_routed), 1);
}

} // namespace
} // namespace madrigal
