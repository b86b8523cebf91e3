// Names of device management (IBA 16.3).
#pragma once

#include <madrigal/wire/flags.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// A bit of IOControllerProfile.ControllerOperationsMask (IBA 16.3.3.4).
enum class io_operation : std::uint8_t {
    send_to = 1U << 0,
    send_from = 1U << 1,
    rdma_read_to = 1U << 2,
    rdma_read_from = 1U << 3,
    rdma_write_to = 1U << 4,
    rdma_write_from = 1U << 5,
    atomic_to = 1U << 6,
    atomic_from = 1U << 7,
};

/// `ST`, `SF`, `RT`, `RF`, `WT`, `WF`, `AT`, `AF`, as the IBA abbreviates them.
[[nodiscard]] std::string to_string(io_operation value);

} // namespace madrigal
