// The same bytes through libibmad's field tables: an independent reading of the IBA must see the same numbers.
#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/registry.hpp>

#include <gtest/gtest.h>

#if MADRIGAL_HAS_LIBIBMAD
#include <infiniband/mad.h>

#include <cstring>
#include <initializer_list>
#include <map>
#endif

namespace madrigal {
namespace {

#if MADRIGAL_HAS_LIBIBMAD

/// A field of ours and where libibmad's run of fields with the same meaning begins; the fields that follow in both
/// tables are compared one by one, up to and without `end`.
struct run {
    std::string_view first;
    int begin;
    int end;
};

std::uint64_t as_libibmad_reads(std::vector<std::byte>& bytes, int field, unsigned width)
{
    std::array<std::byte, 64> value{};
    mad_decode_field(reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<MAD_FIELDS>(field), value.data());
    std::uint64_t wide = 0;
    std::uint32_t narrow = 0;
    std::memcpy(&wide, value.data(), sizeof wide);
    std::memcpy(&narrow, value.data(), sizeof narrow);
    return width == 64 ? wide : narrow;
}

template <class T>
void expect_agreement(std::initializer_list<run> runs)
{
    std::map<std::string_view, int> counterparts;
    for (auto const& [first, begin, end] : runs) {
        std::size_t index = 0;
        while (index != T::fields.size() && T::fields[index].name != first)
            ++index;
        for (int field = begin; field != end; ++field, ++index) {
            ASSERT_LT(index, T::fields.size()) << first;
            counterparts[T::fields[index].name] = field;
        }
    }
    std::size_t compared = 0;
    for (std::uint32_t seed = 0; seed != 100; ++seed) {
        auto bytes = test::random_bytes(256, seed);
        describe_attribute<T>().visit(
            bytes, [&](field_description const& field, std::size_t, field_value const& value) {
                auto const counterpart = counterparts.find(field.name);
                if (counterpart == counterparts.end() || value.kind_of_value == field_value::kind::text)
                    return;
                EXPECT_EQ(value.number, as_libibmad_reads(bytes, counterpart->second, field.width))
                    << field.name << " and libibmad's " << mad_field_name(static_cast<MAD_FIELDS>(counterpart->second));
                ++compared;
            });
    }
    EXPECT_GT(compared, 0U);
}

TEST(AgreementWithLibibmad, NodeInfo)
{
    expect_agreement<node_info>({{"BaseVersion", IB_NODE_FIRST_F, IB_NODE_LAST_F}});
}

TEST(AgreementWithLibibmad, SwitchInfo)
{
    expect_agreement<switch_info>({{"LinearFDBCap", IB_SW_FIRST_F, IB_SW_LAST_F}});
}

TEST(AgreementWithLibibmad, PortInfo)
{
    expect_agreement<port_info>({{"M_Key", IB_PORT_FIRST_F, IB_PORT_LINK_ROUND_TRIP_F},
        {"LinkRoundTripLatency", IB_PORT_LINK_ROUND_TRIP_F, IB_PORT_LAST_F},
        {"CapabilityMask2", IB_PORT_CAPMASK2_F, IB_PORT_LINK_SPEED_EXT_LAST_F}});
}

TEST(AgreementWithLibibmad, ClassPortInfo)
{
    expect_agreement<class_port_info>({{"BaseVersion", IB_CPI_BASEVER_F, IB_CPI_TRAP_QKEY_F + 1}});
}

TEST(AgreementWithLibibmad, Notice)
{
    expect_agreement<notice>({{"IsGeneric", IB_NOTICE_IS_GENERIC_F, IB_NOTICE_COUNT_F + 1}});
}

TEST(AgreementWithLibibmad, SmInfo)
{
    expect_agreement<sm_info>({{"GUID", IB_SMINFO_GUID_F, IB_SMINFO_STATE_F + 1}});
}

TEST(AgreementWithLibibmad, MlnxExtPortInfo)
{
    expect_agreement<mlnx_ext_port_info>(
        {{"StateChangeEnable", IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F, IB_MLNX_EXT_PORT_LAST_F}});
}

#else

TEST(AgreementWithLibibmad, NeedsLibibmad)
{
    GTEST_SKIP() << "libibmad and its header infiniband/mad.h were not found (Debian: libibmad-dev)";
}

#endif

} // namespace
} // namespace madrigal
