// Errors and attributes as parts of messages.
#pragma once

#include "remote/message.hpp"

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>

namespace madrigal::remote {

/// An error of the system or of ours with its context; no error too. Of other categories only the words arrive.
void put(message_writer& into, error const& value);
[[nodiscard]] error take_error(message_reader& from);

void put(message_writer& into, umad::ca_attributes const& value);
[[nodiscard]] umad::ca_attributes take_ca_attributes(message_reader& from);

void put(message_writer& into, umad::port_attributes const& value);
[[nodiscard]] umad::port_attributes take_port_attributes(message_reader& from);

void put(message_writer& into, umad::subnet_attributes const& value);
[[nodiscard]] umad::subnet_attributes take_subnet_attributes(message_reader& from);

} // namespace madrigal::remote
