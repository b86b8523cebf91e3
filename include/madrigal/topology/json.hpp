// A fabric as JSON.
#pragma once

#include <madrigal/topology/fabric.hpp>

#include <string>

namespace madrigal::topology {

/// An object with these members:
/// - `counts`: `switches`, `cas`, `routers`, `links`;
/// - `initiated_from`: `node` and `port`, where the fabric tells it;
/// - `nodes`: an array of objects with `id` (letter and GUID as in ibnetdiscover, unique), `type` (`switch`, `ca`,
///   `router`), `guid`, `description`, `port_count`, `vendor_id`, `device_id`, and where they are told
///   `system_image_guid`, for a switch `port_guid`, `lid`, `lmc` and always `enhanced_port0`, for CAs and routers
///   `ports`: objects with `port`, and where they are told `guid`, `lid`, `lmc`;
/// - `links`: one object a cable with `ends`, two objects with `node` (an id), `port`, and where they are told `width`
///   (`4x`) and `speed` (`HDR`).
/// GUIDs are strings such as `0x0002c90200419cb8`, since JSON's numbers end before 64 bits; all other numbers are
/// numbers. One node or link a line, in the fabric's order. Bytes of a description that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string write_json(fabric const& from);

} // namespace madrigal::topology
