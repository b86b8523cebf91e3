// The two class directories of InfiniBand in sysfs: devices with their ports, and the files that ib_umad makes for
// them.
#pragma once

#include "umad/sysfs_reader.hpp"

#include <madrigal/umad/host.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::umad::sysfs {

/// /sys/class/infiniband. Reads the optional attributes first and the required ones last: when those are still there,
/// nothing before was missing because the device was going away.
class infiniband_directory {
public:
    infiniband_directory(std::string const& sysfs_root, reader from);

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    [[nodiscard]] result<std::vector<std::string>> ca_names() const;
    [[nodiscard]] result<ca_attributes> query_ca(std::string_view ca) const;
    [[nodiscard]] result<port_attributes> query_port(std::string_view ca, unsigned port) const;
    [[nodiscard]] result<subnet_attributes> query_subnet(std::string_view ca, unsigned port) const;

private:
    [[nodiscard]] result<std::string> ca_path(std::string_view ca) const;
    [[nodiscard]] result<std::string> port_path(std::string_view ca, unsigned port) const;
    [[nodiscard]] result<std::vector<unsigned>> ports_of(std::string const& ca_path) const;
    [[nodiscard]] result<void> read_optional(std::string const& port_path, port_attributes& into) const;
    [[nodiscard]] result<void> read_required(std::string const& port_path, port_attributes& into) const;
    /// What a failure while reading means for who asked: still there, or gone.
    [[nodiscard]] error explain(error why, std::string_view ca, std::optional<unsigned> port) const;
    [[nodiscard]] error no_such_ca(std::string_view ca) const;
    [[nodiscard]] error no_such_port(std::string_view ca, unsigned port) const;

    std::string path_;
    reader from_;
};

/// /sys/class/infiniband_mad.
class infiniband_mad_directory {
public:
    infiniband_mad_directory(std::string const& sysfs_root, reader from);

    /// errc::no_infiniband where ib_umad is not loaded; EOPNOTSUPP where its interface is not version 5.
    [[nodiscard]] result<void> check_version() const;
    /// The name of the port's file of a kind (`umad` or `issm`): `umad3`. Its number says nothing about the port: only
    /// the entry's own files do. errc::no_usable_port where there is none.
    [[nodiscard]] result<std::string> find(std::string_view kind, std::string_view ca, unsigned port) const;

private:
    std::string path_;
    reader from_;
};

} // namespace madrigal::umad::sysfs
