// This machine's own InfiniBand devices, as Linux shows them.
#pragma once

#include <madrigal/umad/host.hpp>
#include <madrigal/umad/system_calls.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::umad {

/// Where to look. Both roots may be a directory tree of files.
struct linux_host_options {
    std::string sysfs_root = "/sys";  ///< holds class/infiniband and class/infiniband_mad
    std::string device_root = "/dev"; ///< holds infiniband/umadN and infiniband/issmN
    std::shared_ptr<system_calls> calls = linux_system_calls();
};

/// The host `linux`: class directories under /sys, files under /dev/infiniband (Linux:
/// Documentation/infiniband/user_mad.rst, Documentation/ABI/stable/sysfs-class-infiniband).
///
/// Every call reads the tree anew and keeps nothing, so devices may come and go. A port needs its state, its LID and
/// GID 0; all other attributes are optional: what cannot be read has its default, and a missing link layer is
/// InfiniBand, as on the kernels that did not name it. A file that is there and holds nonsense is
/// errc::malformed_sysfs_value with its path. What vanishes while it is read is errc::no_such_ca or errc::no_such_port,
/// as if it had never been.
///
/// Thread-safe: it has no state.
class linux_host final : public host {
public:
    explicit linux_host(linux_host_options options = {});

    /// `linux`
    [[nodiscard]] std::string uri() const override;
    /// Devices that are no CA, switch or router (iWARP, usNIC) are left out.
    result<std::vector<std::string>> ca_names() override;
    result<ca_attributes> query_ca(std::string_view ca) override;
    result<port_attributes> query_port(std::string_view ca, unsigned port) override;
    /// Reads five files: sm_lid, sm_sl, gids/0, lid, state.
    result<subnet_attributes> query_subnet(std::string_view ca, unsigned port) override;
    /// As `host::open_port`. Besides: errc::no_infiniband with what to load, errc::no_such_ca and errc::no_such_port
    /// with what there is, errc::no_usable_port where ib_umad does not serve the port, EOPNOTSUPP for an ib_umad whose
    /// interface has another version than 5.
    result<std::unique_ptr<port_file>> open_port(std::string_view ca, unsigned port) override;
    /// As `open_port`, for the issm file.
    result<std::unique_ptr<issm_file>> open_issm(std::string_view ca, unsigned port) override;
    /// Errors as of `open_port` in so far as they come before the opening.
    result<std::string> issm_path(std::string_view ca, unsigned port) override;

private:
    [[nodiscard]] result<std::string> device_path(std::string_view kind, std::string_view ca, unsigned port);
    [[nodiscard]] result<int> open_device(std::string_view kind, std::string_view ca, unsigned port);

    linux_host_options options_;
};

} // namespace madrigal::umad
