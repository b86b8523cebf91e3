// `madrigal run`: what it puts into the environment of the program that it becomes.
#include "cli/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace madrigal::cli::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// AddressSanitizer wants to come before everything that is preloaded.
#if defined(MADRIGAL_UMAD_LIBRARY) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// What a shell that runs under it sees.
std::string seen(std::vector<std::string> options, std::string const& what, surroundings const& in = {})
{
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", "sh", "-c", "printf %s \"" + what + "\""});
    auto const said = run_madrigal(options, in);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said.out;
}

std::string here()
{
    return std::filesystem::current_path().string();
}

TEST(Run, PutsTheLibraryBeforeAllOthers)
{
    EXPECT_EQ(seen({}, "$LD_PRELOAD"), MADRIGAL_UMAD_LIBRARY);
    EXPECT_EQ(
        seen({}, "$LD_PRELOAD", {.environment = {{"LD_PRELOAD", "libc.so.6"}}}), MADRIGAL_UMAD_LIBRARY ":libc.so.6");
}

TEST(Run, TellsTheHostByItsWholePath)
{
    EXPECT_EQ(seen({}, "$MADRIGAL_HOST"), "linux");
    EXPECT_EQ(seen({}, "$MADRIGAL_HOST", {.environment = {{"MADRIGAL_HOST", "sim:/x.topo?sa&configured"}}}),
        "sim:/x.topo?sa&configured");
    EXPECT_EQ(seen({"--host", "sim:a/x.topo?configured"}, "$MADRIGAL_HOST"), "sim:" + here() + "/a/x.topo?configured");
    EXPECT_EQ(seen({"--host", "sim:my%20x.topo"}, "$MADRIGAL_HOST"), "sim:" + here() + "/my%20x.topo");
    EXPECT_EQ(seen({"--host", "unix:fabric.socket"}, "$MADRIGAL_HOST"), "unix:" + here() + "/fabric.socket");
    EXPECT_EQ(seen({"--host", "linux?sysfs=/a"}, "$MADRIGAL_HOST"), "linux?sysfs=/a");
}

TEST(Run, TellsTheCa)
{
    EXPECT_EQ(seen({"--ca", "right HCA-1"}, "$MADRIGAL_CA"), "right HCA-1");
    EXPECT_EQ(seen({}, "$MADRIGAL_CA", {.environment = {{"MADRIGAL_CA", "left"}}}), "left");
}

TEST(Run, HandsEveryWordAndTheExitCodeOn)
{
    auto const said =
        run_madrigal({"run", "--", "sh", "-c", R"(printf '<%s>' "$@"; exit 7)", "--", "-x", "--", "a b", ""});
    EXPECT_EQ(said.out, "<-x><--><a b><>");
    EXPECT_EQ(said.exit_code, 7);
    for (std::string const word : {"[a,b]", "[[1,2],[3]]", "{}", "%%", "--host", "-h", "'", "\"a"}) {
        auto const one = run_madrigal({"run", "--", "printf", "<%s>", word, "--", word});
        EXPECT_EQ(one.out, "<" + word + "><--><" + word + ">") << one.err;
    }
}

TEST(Run, TakesACaOnce)
{
    auto const said = run_madrigal({"run", "--host", "sim:x.topo?ca=a", "--ca", "b", "--", "true"});
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.err, HasSubstr("'ca' stands twice"));
}

TEST(Run, LetsASignalOfItsOwnEndTheProgram)
{
    // The program itself ignores SIGPIPE, which exec would hand on.
    auto const said = run_madrigal({"run", "--", "sh", "-c", "kill -PIPE $$; echo still here"});
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_EQ(said.exit_code, 128 + 13);
}

TEST(Run, SaysLikeAShellWhatCannotBeRun)
{
    auto const nothing = run_madrigal({"run", "--", "no-such-command"});
    EXPECT_EQ(nothing.exit_code, 127);
    EXPECT_EQ(nothing.err, "madrigal: cannot run 'no-such-command': No such file or directory\n");
    auto const no_program = run_madrigal({"run", "--", "/"});
    EXPECT_EQ(no_program.exit_code, 126);
    EXPECT_EQ(no_program.err, "madrigal: cannot run '/': Permission denied\n");
}

TEST(Run, NamesThePlacesWithoutTheLibrary)
{
    if (std::filesystem::exists("/usr/local/lib/libmadrigal-umad.so.0"))
        GTEST_SKIP() << "installed on this machine, so it is found";
    scratch_directory const elsewhere;
    std::filesystem::create_directory(elsewhere.file("bin"));
    auto const moved = elsewhere.file("bin/madrigal");
    std::filesystem::copy_file(MADRIGAL_PROGRAM, moved);
    auto const said = run_madrigal({"run", "--", moved, "run", "--", "true"});
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, HasSubstr("libmadrigal-umad.so.0 is in none of " + elsewhere.file("lib")));
}

#endif

TEST(Run, OfAHostThatIsNoneIsWrongUsage)
{
    auto const said = run_madrigal({"run", "--host", "sim:%zz", "--", "true"});
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.err, HasSubstr("'%' without two hexadecimal digits"));
}

} // namespace
} // namespace madrigal::cli::test
