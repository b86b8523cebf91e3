#include "libibumad/with_host.hpp"

#include "umad/sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace madrigal::libibumad::test {
namespace {

/// Puts a file in memory in a descriptor's place for as long as it lives.
class redirected {
public:
    explicit redirected(int descriptor)
        : descriptor_{descriptor}, before_{::dup(descriptor)}, file_{::memfd_create("output", MFD_CLOEXEC)}
    {
        ::dup2(file_, descriptor_);
    }
    redirected(redirected const&) = delete;
    redirected& operator=(redirected const&) = delete;
    ~redirected()
    {
        ::dup2(before_, descriptor_);
        ::close(before_);
        ::close(file_);
    }
    [[nodiscard]] std::string text() const
    {
        std::string all;
        std::array<char, 4096> some{};
        for (ssize_t got = 0; (got = ::pread(file_, some.data(), some.size(), static_cast<off_t>(all.size()))) > 0;)
            all.append(some.data(), static_cast<std::size_t>(got));
        return all;
    }

private:
    int descriptor_;
    int before_;
    int file_;
};

} // namespace

void with_host(std::string const& uri, std::function<void()> const& body, std::string const& ca)
{
    std::fflush(nullptr);
    auto const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::setenv("MADRIGAL_HOST", uri.c_str(), 1);
        ::unsetenv("MADRIGAL_CA");
        if (!ca.empty())
            ::setenv("MADRIGAL_CA", ca.c_str(), 1);
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "on " << uri;
}

std::string host_of(umad::test::sysfs_tree const& tree)
{
    return "linux?sysfs=" + tree.sys() + "&dev=" + tree.dev();
}

std::string small_fabric()
{
    return "sim:" MADRIGAL_SMALL_FABRIC "?configured";
}

output output_of(std::function<void()> const& body)
{
    std::fflush(nullptr);
    redirected const out{STDOUT_FILENO};
    redirected const err{STDERR_FILENO};
    body();
    std::fflush(nullptr);
    return {out.text(), err.text()};
}

} // namespace madrigal::libibumad::test
