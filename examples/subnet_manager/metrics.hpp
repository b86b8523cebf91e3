// What is counted, for Prometheus.
#pragma once

#include "manager.hpp"

#include <cstdint>
#include <memory>

namespace sm {

/// Serves `http://127.0.0.1:PORT/metrics`. The server has a thread of its own, which reads numbers that `update` has
/// set.
class metrics {
public:
    /// Throws where the port cannot be had.
    explicit metrics(std::uint16_t port);
    ~metrics();

    /// Sets the numbers of a subnet. For the loop's thread.
    void update(manager const& of);

private:
    struct families;
    std::unique_ptr<families> families_;
};

} // namespace sm
