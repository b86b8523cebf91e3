// Files of settings: good ones are read, of others it is said what is wrong.
#include "settings.hpp"

#include "scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

namespace {

using madrigal::testing::scratch;
using ::testing::HasSubstr;

struct SettingsFile : ::testing::Test {
    auto read(std::string const& text)
    {
        std::ofstream{file} << text;
        return sm::read_settings(file);
    }
    scratch folder;
    std::filesystem::path file = folder.path() / "settings.json";
};

TEST_F(SettingsFile, IsReadWithEverySettingThatThereIs)
{
    auto const all = read(R"({"ca": "mlx5_1", "port": 2, "priority": 15, "sm_key": "0x10", "m_key": "17",
        "subnet_prefix": "0xfec0000000000000", "lmc": 3, "routing": "up-down", "roots": ["0x1", 2],
        "smps_on_wire": 64, "adaptive": false, "timeout_ms": 100, "retries": 1, "sweep_interval_ms": 5000,
        "poll_interval_ms": 500, "poll_failures": 2, "sa_at_once": 10, "lids_file": "/var/lib/lids"})")
                         .value();
    ASSERT_EQ(all.size(), 1u);
    auto const& one = all.front();
    EXPECT_EQ(one.ca, "mlx5_1");
    EXPECT_EQ(one.port, 2u);
    EXPECT_EQ(one.priority, 15);
    EXPECT_EQ(one.sm_key, 0x10u);
    EXPECT_EQ(one.m_key, 17u);
    EXPECT_EQ(one.subnet_prefix, 0xFEC0'0000'0000'0000U);
    EXPECT_EQ(one.lmc, 3);
    EXPECT_EQ(one.routing, sm::routing::up_down);
    EXPECT_EQ(one.roots, (std::vector{madrigal::guid{1}, madrigal::guid{2}}));
    EXPECT_EQ(one.smps_on_wire, 64u);
    EXPECT_FALSE(one.adaptive);
    EXPECT_EQ(one.timeout, std::chrono::milliseconds{100});
    EXPECT_EQ(one.retries, 1u);
    EXPECT_EQ(one.sweep_interval, std::chrono::seconds{5});
    EXPECT_EQ(one.lids_file, "/var/lib/lids");
}

TEST_F(SettingsFile, MayBeOfSeveralSubnetsAndLeaveAnythingOut)
{
    auto const all = read(R"([{}, {"port": 2}])").value();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].timeout, sm::settings{}.timeout);
    EXPECT_EQ(all[1].port, 2u);
}

TEST_F(SettingsFile, ThatCannotBeIsAnErrorWhichSaysWhatIsWrong)
{
    std::pair<char const*, char const*> const wrong[]{
        {"", "are no JSON"},
        {"{", "are no JSON"},
        {"[]", "no subnet"},
        {"5", "no object"},
        {R"([{}, 5])", "5 is no object"},
        {R"({"lidsfile": "x"})", "no setting \"lidsfile\"; there are adaptive, ca,"},
        {R"({"priority": 16})", "\"priority\": 16 is no whole number from 0 to 15"},
        {R"({"priority": -1})", "\"priority\": -1"},
        {R"({"priority": 1.5})", "\"priority\": 1.5"},
        {R"({"sm_key": "0x"})", "\"sm_key\""},
        {R"({"sm_key": "0x1g"})", "\"0x1g\" is no number"},
        {R"({"lmc": 8})", "\"lmc\""},
        {R"({"routing": "ftree"})", "neither \"min-hop\" nor \"up-down\""},
        {R"({"roots": 5})", "no array of GUIDs"},
        {R"({"adaptive": 1})", "no true or false"},
        {R"({"timeout_ms": 0})", "1 at least"},
        {R"({"smps_on_wire": 0})", "less than 1"},
        {R"({"subnet_prefix": 0})", "less than 1"},
        {R"({"subnet_prefix": "0xff00000000000000"})", "\"subnet_prefix\""},
        {R"({"lids_file": "lids\u0000b"})", "control characters"},
        {R"({"ca": "a\nb"})", "control characters"},
    };
    for (auto const& [text, part] : wrong) {
        auto const read_as = read(text);
        ASSERT_FALSE(read_as) << text;
        EXPECT_THAT(read_as.error().message(), HasSubstr(part)) << text;
        EXPECT_THAT(read_as.error().message(), HasSubstr("settings.json")) << text;
    }
}

TEST_F(SettingsFile, ThatIsNotThereOrEndlessIsAnError)
{
    EXPECT_EQ(sm::read_settings(folder.path() / "nowhere.json").error().code().value(), ENOENT);
    EXPECT_EQ(sm::read_settings(folder.path()).error().code().value(), EISDIR);
    EXPECT_EQ(sm::read_settings("/dev/zero").error().code().value(), EFBIG);
}

} // namespace
