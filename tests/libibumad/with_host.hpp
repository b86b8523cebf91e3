// Cases on machines of their own. The library opens its host once in a process, so each case is one.
#pragma once

#include <functional>
#include <string>

namespace madrigal::umad::test {
class sysfs_tree;
}

namespace madrigal::libibumad::test {

/// Runs `body` in a child process whose MADRIGAL_HOST, and where it is not empty MADRIGAL_CA, are these. Failed
/// expectations there fail the case here.
void with_host(std::string const& uri, std::function<void()> const& body, std::string const& ca = {});

/// The machine that a tree of files stands for.
[[nodiscard]] std::string host_of(umad::test::sysfs_tree const& tree);

/// The small fabric as a subnet manager leaves it.
[[nodiscard]] std::string small_fabric();

/// What `body` writes to stdout and stderr. By descriptor, since the library does not use stdio.
struct output {
    std::string out;
    std::string err;
};
[[nodiscard]] output output_of(std::function<void()> const& body);

} // namespace madrigal::libibumad::test
