// CAs and ports as text and as JSON.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/catalogue.hpp>

#include <string>
#include <vector>

namespace madrigal::cli {

/// A CA and those of its ports that are to be shown.
struct ca_report {
    umad::ca_attributes ca;
    std::vector<umad::port_attributes> ports;
};

/// All CAs, or those that pass the filter. Errors: errc::no_such_ca and errc::no_such_port with what there is instead.
[[nodiscard]] result<std::vector<ca_report>> collect_ports(
    umad::host& from, umad::port_list const& all, umad::port_selector const& filter);

/// The lines of ibstat(8).
[[nodiscard]] std::string ports_text(std::vector<ca_report> const& all);
/// An array of CAs, each with its attributes and an array `ports`. GUIDs are strings, numbers are numbers.
[[nodiscard]] std::string ports_json(std::vector<ca_report> const& all);

} // namespace madrigal::cli
