// Whatever stands in a file, the reader answers with a fabric or an error; with a fabric, it is a sound one.
#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include "topology/sameness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace madrigal;
using namespace madrigal::topology;

constexpr std::array hostile_words{"0", "1", "254", "255", "256", "-1", "4294967296", "18446744073709551616", "0x", "[",
    "]", "[0]", "[255]", "[256]", "\"", "(", ")", "#", "\n", "\r\n", "\t", "lid ", "lmc 8", "lid 65535", "Switch ",
    "Switch\t255 \"", "Ca 0 \"x\"", "Rt 1 \"R-0000000000000001\"", "[1] \"S-0000000000000a01\"[1]",
    "vendid=", "switchguid=0x", "w=", "s=9", "4x", "??", "12xNDR", "\"S-ffffffffffffffff\"", "include", "\xFF",
    "\x80\x81", "%s%n"};

std::string mutated(std::string text, std::mt19937_64& random)
{
    auto const below = [&](std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(random() % bound); };
    for (auto changes = 1 + below(8); changes != 0; --changes) {
        auto const at = below(text.size() + 1);
        auto const length = std::min(below(below(4) == 0 ? 400 : 12), text.size() - at);
        switch (below(7)) {
        case 0: text.resize(at); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(below(text.size() + 1), length)); break;
        case 3: text.replace(at, length, hostile_words[below(hostile_words.size())]); break;
        case 4: text.insert(at, hostile_words[below(hostile_words.size())]); break;
        case 5: text.insert(at, below(2000), static_cast<char>(random())); break;
        default:
            for (auto i = at; i != at + length; ++i)
                text[i] = static_cast<char>(random());
        }
    }
    return text;
}

/// Small texts of every dialect, and the first part of each published dump where there are any.
std::vector<std::string> samples()
{
    std::vector<std::string> all{
        "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1] w=4 s=2\n[3]\t\"Switch2\"[3]\nSwitch 8 \"Switch2\"\n"
        "[3]\t\"Switch1\"[3]\nHca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n",
        write_ibnetdiscover(generate(fat_tree{3, 2, 2, 2}, {.assign_lids = true}).value()),
        write_ibnetdiscover(generate(random_graph{5, 6, 5, 7}).value())};
    auto const* const named = std::getenv("MADRIGAL_TOPOLOGIES");
    std::filesystem::path const folder = named != nullptr ? named : MADRIGAL_TOPOLOGIES_DIR;
    std::error_code absent;
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator{folder, absent})
        if (entry.path().extension() == ".topo")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (auto const& path : files) {
        std::ifstream file{path, std::ios::binary};
        std::string text{std::istreambuf_iterator<char>{file}, {}};
        all.push_back(text.substr(0, 6000));
    }
    return all;
}

void expect_sound(fabric const& value)
{
    for (node_index index = 0; index != value.size(); ++index) {
        auto const& here = value.at(index);
        ASSERT_TRUE(here.node_guid);
        ASSERT_LE(here.description.size(), 64U);
        ASSERT_GE(here.ports.size(), 1U);
        ASSERT_LE(here.ports.size(), max_node_ports);
        for (unsigned number = 1; number <= here.ports.size(); ++number) {
            auto const& end = here.external_port(number);
            ASSERT_TRUE(!end.base_lid || end.base_lid->is_unicast());
            if (!end.peer)
                continue;
            ASSERT_LT(end.peer.node, value.size());
            ASSERT_EQ(value.at(end.peer.node).external_port(end.peer.port).peer,
                (endpoint{index, static_cast<std::uint8_t>(number)}));
        }
    }
}

class HostileText : public testing::TestWithParam<unsigned> {};

TEST_P(HostileText, GivesASoundFabricOrAnErrorWithFileAndLine)
{
    std::mt19937_64 random{GetParam()};
    std::size_t accepted = 0;
    std::size_t refused = 0;
    for (auto const& sample : samples()) {
        for (int i = 0; i != 100; ++i) {
            auto const text = mutated(sample, random);
            SCOPED_TRACE(testing::Message() << "seed " << GetParam() << ", mutation " << i);
            auto const outcome = read_ibnetdiscover(text, "hostile.topo");
            if (!outcome) {
                ++refused;
                EXPECT_EQ(outcome.error(), errc::malformed_topology);
                EXPECT_EQ(outcome.error().context().rfind("hostile.topo:", 0), 0U) << outcome.error().context();
                EXPECT_LT(outcome.error().context().size(), 500U);
                continue;
            }
            ++accepted;
            expect_sound(outcome.value().fabric);
            // Whatever was taken can be written and is taken again.
            auto const written = write_ibnetdiscover(outcome.value().fabric);
            auto const again = read_ibnetdiscover(written, "again.topo");
            ASSERT_TRUE(again) << again.error().message();
            EXPECT_EQ(again.value().fabric.counts(), outcome.value().fabric.counts());
            EXPECT_EQ(write_ibnetdiscover(again.value().fabric), written);
            if (HasFailure())
                return;
        }
    }
    EXPECT_GT(accepted, 0U) << "mutations must leave some texts acceptable, or the test tests little";
    EXPECT_GT(refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HostileText, testing::Range(1U, 6U));

TEST(HostileText, OfRandomBytesIsRefusedOrPassedOver)
{
    std::mt19937_64 random{42};
    for (int i = 0; i != 500; ++i) {
        std::string noise(random() % 4096, '\0');
        for (auto& c : noise)
            c = static_cast<char>(random());
        EXPECT_FALSE(read_ibnetdiscover(noise, "noise")) << "without a record there is no fabric";
        auto const behind = read_ibnetdiscover("Ca 1 \"H-0000000000000c01\"\n# " + noise, "noise");
        if (behind) {
            EXPECT_GE(behind.value().fabric.size(), 1U);
        }
    }
}

TEST(HostileText, OfOneEnormousLineIsTakenInItsStride)
{
    std::string const long_word(3'000'000, 'x');
    EXPECT_FALSE(read_ibnetdiscover(long_word, "long"));
    EXPECT_FALSE(read_ibnetdiscover("Switch " + std::string(1'000'000, '9') + " \"S\"", "long"));
    auto const id = read_ibnetdiscover("Switch 8 \"" + long_word + "\"\n[1] \"" + long_word + "\"[2]\n", "long");
    ASSERT_TRUE(id);
    EXPECT_EQ(id.value().fabric.counts().links, 1U);
    auto const many =
        read_ibnetdiscover("Switch 8 \"S\"\n[1] \"S\"[2] " + std::string(500'000, ' ') + long_word, "long");
    ASSERT_TRUE(many);
    EXPECT_EQ(many.value().passed_over_total, 1U);
}

} // namespace
