// The runtime in one include: hosts, reactors, ports, agents, requests, and the attributes they carry.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/gather.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/runtime/query.hpp>
#include <madrigal/runtime/reactor.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/format.hpp>

namespace madrigal {

using umad::openib_oui;
using umad::send_only;
using umad::subnet_directed_route;
using umad::subnet_lid_routed;
using umad::vendor_class;

} // namespace madrigal
