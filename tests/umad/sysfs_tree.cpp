#include "umad/sysfs_tree.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace madrigal::umad::test {

namespace {

/// In memory where there is such a place: the trees have hundreds of small files.
std::filesystem::path scratch_directory()
{
    std::filesystem::path const in_memory = "/dev/shm";
    return ::access(in_memory.c_str(), W_OK) == 0 ? in_memory : std::filesystem::temp_directory_path();
}

} // namespace

sysfs_tree::sysfs_tree()
{
    auto pattern = (scratch_directory() / "madrigal-sysfs-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error{"cannot make " + pattern};
    root_ = pattern;
    std::filesystem::create_directories(root_ / "sys/class");
    std::filesystem::create_directories(root_ / "dev");
}

sysfs_tree::~sysfs_tree()
{
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
}

std::filesystem::path sysfs_tree::ca(std::string const& name) const
{
    return root_ / "sys/class/infiniband" / name;
}

std::filesystem::path sysfs_tree::port(std::string const& name, unsigned number) const
{
    return ca(name) / "ports" / std::to_string(number);
}

std::filesystem::path sysfs_tree::mad_class() const
{
    return root_ / "sys/class/infiniband_mad";
}

std::filesystem::path sysfs_tree::node(std::string const& name) const
{
    return root_ / "dev/infiniband" / name;
}

void sysfs_tree::load_modules()
{
    std::filesystem::create_directories(root_ / "sys/class/infiniband");
    write(mad_class() / "abi_version", "5");
}

void sysfs_tree::add_ca(std::string const& name, std::string const& node_type)
{
    load_modules();
    write(ca(name) / "node_type", node_type);
    write(ca(name) / "fw_ver", "20.31.1014");
    write(ca(name) / "hw_rev", "0");
    write(ca(name) / "hca_type", "MT4123");
    write(ca(name) / "board_id", "MT_0000000223");
    write(ca(name) / "node_guid", "b859:9f03:0005:f348");
    write(ca(name) / "sys_image_guid", "b859:9f03:0005:f348");
    write(ca(name) / "node_desc", "host7 HCA-1");
}

void sysfs_tree::add_port(std::string const& ca_name, sysfs_port const& attributes)
{
    auto const directory = port(ca_name, attributes.number);
    write(directory / "state", attributes.state);
    write(directory / "phys_state", attributes.phys_state);
    write(directory / "lid", attributes.lid);
    write(directory / "lid_mask_count", "2");
    write(directory / "sm_lid", "0x3");
    write(directory / "sm_sl", "1");
    write(directory / "rate", attributes.rate);
    write(directory / "cap_mask", attributes.cap_mask);
    write(directory / "link_layer", attributes.link_layer);
    write(directory / "gids/0", attributes.gid_prefix + ":" + attributes.guid);
    write(directory / "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
    write(directory / "gids/2", attributes.gid_prefix + ":0000:0000:0000:0007");
    write(directory / "pkeys/0", "0xffff");
    write(directory / "pkeys/1", "0x0000");
    write(directory / "pkeys/2", "0x8001");
    write(directory / "counters/symbol_error", "0");
}

void sysfs_tree::add_umad(unsigned n, std::string const& ca_name, unsigned port_number, bool with_nodes)
{
    for (auto const* const kind : {"umad", "issm"}) {
        auto const name = fmt::format("{}{}", kind, n);
        write(mad_class() / name / "ibdev", ca_name);
        write(mad_class() / name / "port", std::to_string(port_number));
        if (with_nodes)
            write(node(name), "");
    }
}

void sysfs_tree::write(std::filesystem::path const& file, std::string const& text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << text << '\n';
}

void make_dual_port_hca(sysfs_tree& tree)
{
    tree.add_ca("mlx5_0");
    tree.add_port("mlx5_0", {.number = 1});
    tree.add_port("mlx5_0", {.number = 2, .guid = "b859:9f03:0005:f34b", .lid = "0x20"});
    tree.add_umad(0, "mlx5_0", 1);
    tree.add_umad(1, "mlx5_0", 2);
}

void make_switch(sysfs_tree& tree)
{
    tree.add_ca("mlx5_0", "2: switch");
    // A base port 0 has no state to speak of.
    tree.add_port("mlx5_0",
        {.number = 0, .guid = "0002:c903:00a0:1b10", .state = "1: DOWN", .phys_state = "0: <unknown>", .lid = "0x2"});
    tree.add_umad(0, "mlx5_0", 0);
}

void make_roce(sysfs_tree& tree)
{
    tree.add_ca("bnxt_re0");
    std::filesystem::remove(tree.ca("bnxt_re0") / "hca_type");
    tree.add_port("bnxt_re0", {.number = 1,
                                  .guid = "5e25:73ff:fe05:f34a",
                                  .lid = "0x0",
                                  .link_layer = "Ethernet",
                                  .cap_mask = "0x10000",
                                  .rate = "25 Gb/sec (1X EDR)"});
    tree.add_umad(0, "bnxt_re0", 1);
}

void make_ca_with_one_port_down(sysfs_tree& tree)
{
    tree.add_ca("mlx4_0");
    tree.add_port("mlx4_0",
        {.number = 1, .state = "1: DOWN", .phys_state = "2: Polling", .lid = "0x0", .rate = "10 Gb/sec (4X)"});
    tree.add_port("mlx4_0", {.number = 2, .guid = "b859:9f03:0005:f34b", .lid = "0x20"});
    tree.add_umad(0, "mlx4_0", 1);
    tree.add_umad(1, "mlx4_0", 2);
}

void make_split_pair(sysfs_tree& tree)
{
    tree.add_ca("mlx5_0");
    tree.add_port("mlx5_0", {.number = 1, .cap_mask = "0x2651ec48"}); // IsSMDisabled
    tree.add_ca("smi1");
    tree.add_port("smi1", {.number = 1});
    tree.add_umad(0, "mlx5_0", 1);
    tree.add_umad(1, "smi1", 1);
}

void make_twelve_ports(sysfs_tree& tree)
{
    tree.add_ca("hca12");
    for (unsigned number = 1; number <= 12; ++number) {
        tree.add_port("hca12", {.number = number,
                                   .guid = fmt::format("b859:9f03:0005:{:04x}", number),
                                   .lid = fmt::format("{:#x}", 100 + number)});
        tree.add_umad(12 - number, "hca12", number);
    }
}

} // namespace madrigal::umad::test
