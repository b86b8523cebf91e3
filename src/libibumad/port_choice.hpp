// Which port a program means, by the rules of umad_get_port(3), and what its errors are called.
#pragma once

#include "libibumad/entry_point.hpp"

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>
#include <madrigal/umad/umad_file.hpp>

#include <string>
#include <vector>

namespace madrigal::libibumad {

/// How willingly a port is taken where several fit; lower is better.
enum class preference { active, link_up, enabled, never };

/// Ports Active first (a switch's port 0 counts as such: its state means nothing), then those with the link up, then
/// the others that are not disabled; never one that is not InfiniBand or has no GUID.
[[nodiscard]] preference preference_of(umad::port_attributes const& port) noexcept;

/// What a program has named.
struct wanted_port {
    char const* ca = nullptr; ///< null: any
    int number = 0;           ///< 0: any
    bool takes_smps = false;  ///< only a port that does not report IsSMDisabled
};

/// A port and its file.
struct opened {
    std::string name; ///< `mlx5_0 port 1`
    umad::umad_file file;
};

/// The port: the one that is named in full, in whatever state it is, or the best of those that fit and can be opened;
/// where none can be opened, the best, since looking at attributes needs no permission.
[[nodiscard]] result<umad::port_attributes> find_port(umad::host& from, wanted_port const& wanted);

/// The same, opened.
[[nodiscard]] result<opened> open_port(umad::host& from, wanted_port const& wanted);

/// The CA that a program means: the one named, or the one that has the default port.
[[nodiscard]] result<std::string> find_ca(umad::host& from, char const* ca);

/// An error in the manual pages' terms: ENODEV for a device that is not there, EINVAL for a port that is not,
/// EOPNOTSUPP for another interface of the kernel, ENOMEM, and EIO for the rest, whose errno tells more.
[[nodiscard]] verdict failed(error const& why);

} // namespace madrigal::libibumad
