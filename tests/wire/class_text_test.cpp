// How attributes of all classes read as text, and how their numbers are named.
#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/class_capability.hpp>
#include <madrigal/wire/registry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClassText, PathRecord)
{
    path_record const path{.dgid = gid{default_subnet_prefix, guid{0x0002c90300000002}},
        .sgid = gid{default_subnet_prefix, guid{0x0002c90300000001}},
        .dlid = lid{12},
        .slid = lid{3},
        .reversible = true,
        .p_key = 0xFFFF,
        .mtu_selector = selector::exactly,
        .path_mtu = mtu::bytes_4096,
        .rate_selector = selector::exactly,
        .rate = path_rate::gbps_200,
        .packet_life_time_selector = selector::exactly,
        .packet_life_time = 18};
    EXPECT_EQ(to_text(path), "ServiceID:.......................0x0000000000000000\n"
                             "DGID:............................fe80:0000:0000:0000:0002:c903:0000:0002\n"
                             "SGID:............................fe80:0000:0000:0000:0002:c903:0000:0001\n"
                             "DLID:............................12\n"
                             "SLID:............................3\n"
                             "RawTraffic:......................0\n"
                             "FlowLabel:.......................0x00000\n"
                             "HopLimit:........................0\n"
                             "TClass:..........................0x00\n"
                             "Reversible:......................1\n"
                             "NumbPath:........................0\n"
                             "P_Key:...........................0xffff\n"
                             "QoSClass:........................0\n"
                             "SL:..............................0\n"
                             "MtuSelector:.....................Exactly\n"
                             "Mtu:.............................4096\n"
                             "RateSelector:....................Exactly\n"
                             "Rate:............................200\n"
                             "PacketLifeTimeSelector:..........Exactly\n"
                             "PacketLifeTime:..................18\n"
                             "Preference:......................0\n"
                             "ReversePathPKeyMemberBit:........0\n");
}

TEST(ClassText, PortCounters)
{
    port_counters const counters{.port_select = 1,
        .counter_select = {port_counter::symbol_errors, port_counter::rcv_packets},
        .symbol_errors = 7,
        .xmit_data = 4294967295,
        .xmit_wait = 12};
    auto const text = to_text(counters);
    EXPECT_THAT(text, testing::StartsWith("PortSelect:......................1\n"
                                          "CounterSelect:...................0x8001 (SymbolErrorCounter, PortRcvPkts)\n"
                                          "SymbolErrorCounter:..............7\n"
                                          "LinkErrorRecoveryCounter:........0\n"));
    EXPECT_THAT(text, HasSubstr("PortXmitData:....................4294967295\n"));
    EXPECT_THAT(text, testing::EndsWith("PortXmitWait:....................12\n"));
}

TEST(ClassText, RecordsShowWhatIsInsideAsIfItWereTheirOwn)
{
    node_record record{.base_lid = lid{5}};
    record.info.type = node_type::switch_;
    record.description.description = fixed_text<64>{"leaf 1"};
    EXPECT_EQ(
        to_text(record), "LID:.............................5\n" + to_text(record.info) + to_text(record.description));
}

TEST(ClassText, EntriesOfTablesAreShownTogether)
{
    vl_arbitration_table table;
    table.entries[1] = {.vl = 3, .weight = 64};
    EXPECT_THAT(to_text(table), testing::StartsWith("VL[0]:...........................0\n"
                                                    "Weight[0]:.......................0\n"
                                                    "VL[1]:...........................3\n"
                                                    "Weight[1]:.......................64\n"));
}

TEST(ClassText, RejectsSayWhy)
{
    EXPECT_THAT(to_text(cm_rej{.message = cm_message::req, .reason = cm_reject_reason::invalid_service_id}),
        testing::AllOf(HasSubstr("MessageREJected:.................REQ\n"),
            HasSubstr("Reason:..........................8: invalid service id\n")));
    EXPECT_EQ(to_string(cm_reject_reason::invalid_alternate_flow_label), "33: invalid alternate flow label");
    EXPECT_EQ(to_string(cm_reject_reason{34}), "34");
    EXPECT_EQ(to_string(cm_reject_reason{0}), "0");
    EXPECT_EQ(to_string(cm_path_status::invalid_service_level), "13: SL rejected");
    EXPECT_EQ(to_string(cm_sidr_status::unsupported_version), "5: version not supported");
}

TEST(ClassText, NamesEveryCounterToReset)
{
    for (unsigned bit = 0; bit != 16; ++bit) {
        auto const name = to_string(port_counter(1U << bit));
        EXPECT_NE(name.substr(0, 2), "0x") << bit;
        bool found = false;
        for (auto const& field : port_counters::fields)
            found = found || field.name == name;
        EXPECT_TRUE(found) << name << " is a field of PortCounters";
    }
    for (unsigned bit = 0; bit != 32; ++bit) {
        auto const name = to_string(port_counter_extended2(1U << bit));
        EXPECT_EQ(name.substr(0, 2) == "0x", bit > 13) << bit;
    }
}

TEST(ClassText, CountersOfBothSelectsAreInTheOrderOfTheFields)
{
    // The bits count through the counters as the tables list them.
    std::vector<std::string_view> const names = [] {
        std::vector<std::string_view> all;
        for (auto const& field : port_counters_extended::fields)
            if (!field.name.ends_with("Select") && !field.name.starts_with("CounterSelect"))
                all.push_back(field.name);
        return all;
    }();
    for (unsigned bit = 0; bit != 8; ++bit)
        EXPECT_EQ(to_string(port_counter_extended(1U << bit)), names[bit]);
    for (unsigned bit = 0; bit != 14; ++bit)
        EXPECT_EQ(to_string(port_counter_extended2(1U << bit)), names[8 + bit]);
}

TEST(ClassText, NamesCapabilitiesAsTheClassDefinesThem)
{
    class_port_info const info{.capability_mask = 0x0301, .capability_mask2 = 0x2};
    EXPECT_THAT(capability_names(management_class::performance, info),
        ElementsAre("IsTrapSupported", "AllPortSelect", "IsExtendedWidthSupported",
            "IsAdditionalPortCountersExtendedSupported"));
    EXPECT_THAT(capability_names(management_class::subnet_administration, info),
        ElementsAre("IsTrapSupported", "IsSubnetOptionalRecordsSupported", "IsUDMulticastSupported", "IsQoSSupported"));
    EXPECT_THAT(capability_names(management_class::device_management, info),
        ElementsAre("IsTrapSupported", "0x0100", "0x0200", "0x00000002"));
}

TEST(ClassText, NamesRates)
{
    EXPECT_EQ(to_string(path_rate::gbps_2_5), "2.5");
    EXPECT_EQ(to_string(path_rate::gbps_1200), "1200");
    EXPECT_EQ(to_string(path_rate{1}), "?(1)");
    EXPECT_EQ(to_string(multicast_scope{3}), "3");
    EXPECT_EQ(to_string(flags<join_state>::from_value(5)), "0x05 (FullMember, SendOnlyNonMember)");
    EXPECT_EQ(to_string(flags<io_operation>::from_value(0x81)), "0x81 (ST, AF)");
}

} // namespace
} // namespace madrigal
