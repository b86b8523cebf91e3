#include <madrigal/wire/status.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

struct named_status {
    management_class mgmt_class;
    std::uint16_t status;
    char const* text;
};

class Status : public testing::TestWithParam<named_status> {};

TEST_P(Status, SaysWhatItsBitsMean)
{
    EXPECT_EQ(describe_status(GetParam().mgmt_class, GetParam().status), GetParam().text);
}

constexpr auto smp = management_class::subnet_lid_routed;
constexpr auto directed = management_class::subnet_directed_route;
constexpr auto sa = management_class::subnet_administration;

INSTANTIATE_TEST_SUITE_P(All, Status,
    testing::Values(named_status{smp, 0x0000, "0x0000: success"},
        named_status{smp, 0x0001, "0x0001: busy, ask again later"},
        named_status{smp, 0x0002, "0x0002: redirected, ask where ClassPortInfo says"},
        named_status{smp, 0x0004, "0x0004: the class or its version is not supported"},
        named_status{smp, 0x0008, "0x0008: the method is not supported"},
        named_status{smp, 0x000c, "0x000c: the method is not supported for this attribute"},
        named_status{smp, 0x001c, "0x001c: a field of the attribute or the modifier has an invalid value"},
        named_status{smp, 0x0010, "0x0010: reserved code of an invalid field"},
        named_status{smp, 0x0005, "0x0005: busy, ask again later, the class or its version is not supported"},
        named_status{smp, 0x0040, "0x0040: reserved bits 0x0040"},
        named_status{smp, 0x0300, "0x0300: bits of the class's own 0x0300"},
        named_status{smp, 0x8000, "0x8000: bits of the class's own 0x8000"},
        named_status{directed, 0x8000, "0x0000: success"},
        named_status{directed, 0x800c, "0x000c: the method is not supported for this attribute"},
        named_status{sa, 0x0100, "0x0100: the SA lacks resources"},
        named_status{sa, 0x0200, "0x0200: the SA finds the request invalid"},
        named_status{sa, 0x0300, "0x0300: no records"},
        named_status{sa, 0x0400, "0x0400: too many records for one answer"},
        named_status{sa, 0x0500, "0x0500: invalid GID"}, named_status{sa, 0x0600, "0x0600: too few components are set"},
        named_status{sa, 0x0700, "0x0700: the SA denied the request"},
        named_status{sa, 0x0800, "0x0800: the SA suggests another priority"},
        named_status{sa, 0x7f00, "0x7f00: bits of the class's own 0x7f00"}));

} // namespace
} // namespace madrigal
