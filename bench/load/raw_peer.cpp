#include "closed_loop.hpp"
#include "open_loop.hpp"
#include "peers.hpp"
#include "raw_transport.hpp"
#include "send_loop.hpp"

namespace madrigal::bench {

peer raw_peer() noexcept
{
    return {.name = "raw",
        .absent = [](venue const&) { return std::optional<std::string>{}; },
        .request =
            [](venue const& on, load_options const& options) {
                return over_raw(on, waiting(options), [&](auto& over) { return closed_loop(over, options); });
            },
        .send =
            [](venue const& on, load_options const& options) {
                return over_raw(on, not_waiting(), [&](auto& over) { return send_loop(over, options); });
            },
        .open =
            [](venue const& on, load_options const& options) {
                return over_raw(on, waiting(options), [&](auto& over) { return open_loop(over, options); });
            }};
}

} // namespace madrigal::bench
