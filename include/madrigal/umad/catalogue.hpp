// Which ports this machine has and which of them to take: over any host, with the promises of umad_get_port(3).
#pragma once

#include <madrigal/umad/host.hpp>
#include <madrigal/umad/umad_file.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::umad {

/// Names a port, or leaves it to the host: `{}` is the default port, `{.ca = "mlx5_0", .port = 1}` exactly one, and one
/// member alone is a filter on the other. Trivially destructible; the name is borrowed for the call.
struct port_selector {
    std::string_view ca{};          ///< empty: any
    std::optional<unsigned> port{}; ///< none: any; 0 is a switch's own port
};

/// A port that exists and could not be read.
struct unreadable_port {
    std::string ca;
    std::optional<unsigned> port; ///< none: the CA itself could not be read
    error why;
};

/// All ports of a machine, by CA in plain byte order, then by port number.
struct port_list {
    std::vector<port_attributes> ports;
    std::vector<unreadable_port> unreadable;
};

/// Reads every port of every CA, RoCE ports and ports with an all-zero GUID included. What disappears while it is read
/// is left out; what cannot be read is told apart and spoils nothing else. Empty where there is no InfiniBand.
[[nodiscard]] result<port_list> list_ports(host& from);

/// The port that umad_get_port(3) would fill in.
///
/// CA and port both named: that port, in whatever state it is, with no try to open it. Otherwise the first that can be
/// opened, among the ports that pass the filter, have an InfiniBand link layer and a GUID, and are not disabled: those
/// Active first (a switch's port 0 counts as such: its state means nothing), then those with the link up, then the
/// others. To find out, files are opened and closed at once, which disturbs nobody.
///
/// Errors: errc::no_infiniband, errc::no_such_ca and errc::no_such_port with what there is instead,
/// errc::no_usable_port with what is wrong with each.
[[nodiscard]] result<port_attributes> select_port(host& from, port_selector const& wanted = {});

/// A port and its open file.
struct opened_port {
    port_attributes attributes;
    umad_file file;
};

/// `select_port`, and the file opened on the way. A port named in full gives the errno of its open (ENOENT, EACCES,
/// EPERM, ENXIO) with the device's path.
[[nodiscard]] result<opened_port> open_port(host& from, port_selector const& wanted = {});

/// `mlx5_0 port 1`, as messages name a port.
[[nodiscard]] std::string port_name(std::string_view ca, unsigned port);

} // namespace madrigal::umad
