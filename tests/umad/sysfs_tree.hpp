// Directory trees that look like /sys and /dev of machines with InfiniBand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace madrigal::umad::test {

/// One port as sysfs shows it. The defaults are an Active port of an HDR adapter.
struct sysfs_port {
    unsigned number = 1;
    std::string guid = "b859:9f03:0005:f34a";
    std::string state = "4: ACTIVE";
    std::string phys_state = "5: LinkUp";
    std::string lid = "0x1f";
    std::string link_layer = "InfiniBand";
    std::string cap_mask = "0x2651e848";
    std::string rate = "200 Gb/sec (4X HDR)";
    std::string gid_prefix = "fe80:0000:0000:0000";
};

/// A temporary directory with `sys` and `dev`, removed with the object.
class sysfs_tree {
public:
    sysfs_tree();
    sysfs_tree(sysfs_tree const&) = delete;
    sysfs_tree& operator=(sysfs_tree const&) = delete;
    ~sysfs_tree();

    [[nodiscard]] std::string sys() const { return (root_ / "sys").string(); }
    [[nodiscard]] std::string dev() const { return (root_ / "dev").string(); }
    /// /sys/class/infiniband/NAME
    [[nodiscard]] std::filesystem::path ca(std::string const& name) const;
    /// /sys/class/infiniband/NAME/ports/NUMBER
    [[nodiscard]] std::filesystem::path port(std::string const& name, unsigned number) const;
    /// /sys/class/infiniband_mad
    [[nodiscard]] std::filesystem::path mad_class() const;
    /// /dev/infiniband/NAME
    [[nodiscard]] std::filesystem::path node(std::string const& name) const;

    /// The class directories without a device in them: the modules are loaded.
    void load_modules();
    void add_ca(std::string const& name, std::string const& node_type = "1: CA");
    void add_port(std::string const& ca, sysfs_port const& port);
    /// umadN and issmN in sysfs, and plain files in /dev for them.
    void add_umad(unsigned n, std::string const& ca, unsigned port, bool with_nodes = true);

    /// Writes a file with a line end, making the directories above it.
    static void write(std::filesystem::path const& file, std::string const& text);

private:
    std::filesystem::path root_;
};

// Machines.

/// mlx5_0, ports 1 (umad0) and 2 (umad1), both Active.
void make_dual_port_hca(sysfs_tree& tree);
/// A managed switch: one device of type 2 with port 0 only.
void make_switch(sysfs_tree& tree);
/// An Ethernet adapter that speaks RoCE: no LID, GIDs from IP addresses, no hca_type.
void make_roce(sysfs_tree& tree);
/// A dual-port adapter whose first port has no cable.
void make_ca_with_one_port_down(sysfs_tree& tree);
/// An adapter whose SMPs go through smi1 and whose GMPs go through mlx5_0, with one port GUID.
void make_split_pair(sysfs_tree& tree);
/// One device with 12 ports.
void make_twelve_ports(sysfs_tree& tree);

} // namespace madrigal::umad::test
