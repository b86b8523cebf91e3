#include <madrigal/topology/compare.hpp>
#include <madrigal/topology/generators.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace madrigal;
using namespace madrigal::topology;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

fabric small()
{
    return generate(fat_tree{2, 2, 2}, {.assign_lids = true}).value();
}

TEST(Differences, AreNoneBetweenEqualFabricsInAnyOrder)
{
    auto const a = small();
    EXPECT_THAT(differences(a, small(), 10, {.lids = true, .identifiers = true}), IsEmpty());
    fabric reversed;
    auto const last = static_cast<node_index>(a.size() - 1);
    for (auto i = a.size(); i-- != 0;) {
        auto copy = a.at(static_cast<node_index>(i));
        for (auto& end : copy.ports)
            if (end.peer)
                end.peer.node = last - end.peer.node;
        reversed.add(copy);
    }
    EXPECT_THAT(differences(a, reversed, 10, {.lids = true, .identifiers = true}), IsEmpty());
}

TEST(Differences, AreNamedWhateverDiffers)
{
    struct change {
        char const* what;
        std::function<void(fabric&)> make;
        char const* said;
    };
    for (auto const& [what, make, said] : std::vector<change>{
             {"type", [](fabric& f) { f.at(0).type = node_type::router; }, "is a switch, but a router"},
             {"description", [](fabric& f) { f.at(1).description = "other"; },
                 "is described \"leaf-002\", but \"other\""},
             {"ports", [](fabric& f) { f.at(0).ports.emplace_back(); }, "has 4 ports, but 5"},
             {"cable",
                 [](fabric& f) {
                     f.disconnect({0, 1});
                 },
                 "but to nothing in the second"},
             {"peer",
                 [](fabric& f) {
                     f.disconnect({0, 3}), f.disconnect({0, 4}), f.connect({0, 3}, {3, 1});
                 },
                 "is cabled to"},
             {"width", [](fabric& f) { f.at(0).ports[0].width = link_width::x1; }, "[1] is 4x wide, but 1x"},
             {"speed", [](fabric& f) { f.at(0).ports[0].speed = link_speed::sdr; }, "[1] runs at HDR, but at SDR"},
             {"untold speed", [](fabric& f) { f.at(0).ports[0].speed = link_speed::none; }, "runs at HDR"},
             {"LID", [](fabric& f) { f.at(0).base_lid = lid{99}; }, "has LID 1, but 99"},
             {"LMC", [](fabric& f) { f.at(0).lmc = std::uint8_t{3}; }, "has LMC 0, but 3"},
             {"port LID", [](fabric& f) { f.at(4).ports[0].base_lid.reset(); }, "but none"},
             {"port GUID", [](fabric& f) { f.at(4).ports[0].port_guid = guid{7}; }, "0x0000000000000007"},
             {"switch port GUID", [](fabric& f) { f.at(0).port_guid = guid{7}; }, "0x0000000000000007"},
             {"image GUID", [](fabric& f) { f.at(0).system_image_guid = guid{7}; }, "system image GUID"},
             {"device", [](fabric& f) { f.at(0).device_id = 1; }, "vendor and device ID"},
             {"port 0", [](fabric& f) { f.at(0).enhanced_port0 = false; }, "an enhanced port 0"},
         }) {
        auto changed = small();
        make(changed);
        auto const found = differences(small(), changed, 10, {.lids = true, .identifiers = true});
        EXPECT_THAT(found, Contains(HasSubstr(said))) << what;
    }
}

TEST(Differences, AskOnlyWhatTheFirstFabricTells)
{
    auto untold = small();
    for (node_index i = 0; i != untold.size(); ++i) {
        untold.at(i).base_lid.reset();
        untold.at(i).lmc.reset();
        for (auto& end : untold.at(i).ports) {
            end.width = link_width::none;
            end.speed = link_speed::none;
            end.base_lid.reset();
            end.lmc.reset();
        }
    }
    EXPECT_THAT(differences(untold, small(), 10, {.lids = true}), IsEmpty());
    EXPECT_THAT(differences(small(), untold, 1000, {}), testing::Not(IsEmpty()));
}

TEST(Differences, NameNodesThatOnlyOneFabricHas)
{
    auto more = small();
    node extra;
    extra.node_guid = guid{0xabc};
    extra.description = "extra";
    extra.ports.resize(1);
    more.add(extra);
    EXPECT_THAT(differences(more, small()),
        testing::ElementsAre(AllOf(HasSubstr("CA 0x0000000000000abc \"extra\""), HasSubstr("missing"))));
    EXPECT_THAT(differences(small(), more),
        testing::ElementsAre(AllOf(HasSubstr("0x0000000000000abc"), HasSubstr("second fabric only"))));
    more.add(extra);
    auto twins = small();
    twins.add(extra);
    EXPECT_THAT(differences(more, twins), SizeIs(1)) << "of two nodes with one GUID one is missing";
}

TEST(Differences, EndAtTheirLimit)
{
    EXPECT_THAT(differences(small(), fabric{}, 3), SizeIs(3));
    EXPECT_THAT(differences(fabric{}, small(), 3), SizeIs(3));
    EXPECT_THAT(differences(small(), fabric{}, 0), IsEmpty());
}

} // namespace
