// One suite for every kernel: `--host=sim`, the default, `--host=unix` or `--host=linux:CA`; the rest is GoogleTest's.
#include "conformance/world.hpp"

#include <iostream>
#include <string_view>

namespace madrigal::conformance {
namespace {

std::unique_ptr<world> made_world;

} // namespace

world& the_world()
{
    return *made_world;
}

} // namespace madrigal::conformance

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    std::string_view name = "sim";
    constexpr std::string_view option = "--host=";
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        if (!argument.starts_with(option)) {
            std::cerr << "usage: " << argv[0] << " [--host=sim|unix|linux:CA] [GoogleTest's options]\n";
            return 2;
        }
        name = argument.substr(option.size());
    }
    std::string why;
    madrigal::conformance::made_world = madrigal::conformance::make_world(name, why);
    if (!madrigal::conformance::made_world) {
        std::cerr << argv[0] << ": " << why << '\n';
        return 2;
    }
    std::cout << "Kernel: " << madrigal::conformance::the_world().name() << std::endl;
    int const failed = RUN_ALL_TESTS();
    madrigal::conformance::made_world.reset();
    return failed;
}
