// Looks at all of the subnet.
#pragma once

#include "managed.hpp"
#include "settings.hpp"

#include <madrigal/error.hpp>
#include <madrigal/fabric/smp_client.hpp>

#include <boost/asio/awaitable.hpp>

namespace sm {

namespace asio = boost::asio;

/// What a heavy sweep has found.
struct swept {
    sm::subnet subnet;
    bool complete;      ///< everything has answered
    bool cleared;       ///< what changes since is told by switches
    std::uint64_t smps; ///< sent for it
};

/// A client for the sweeps and everything else that is asked by SMPs. Its window holds for all of it together.
[[nodiscard]] madrigal::result<madrigal::smp_client> open_client(madrigal::port const& on, settings const& with);

/// Asks every node and port. What does not answer is logged and left out. A `master` has switches forget that something
/// has changed, before it asks them what is. Errors: those of `madrigal::discover`.
[[nodiscard]] asio::awaitable<madrigal::result<swept>> heavy_sweep(
    madrigal::smp_client client, settings const& with, bool master);

} // namespace sm
