#include "peers.hpp"

#if MADRIGAL_HAS_LIBIBUMAD

#include "closed_loop.hpp"
#include "libibumad_transport.hpp"
#include "open_loop.hpp"
#include "send_loop.hpp"

namespace madrigal::bench {

peer libibumad_peer() noexcept
{
    return {.name = "libibumad",
        .absent = no_libibumad_at,
        .request =
            [](venue const& on, load_options const& options) {
                return over_libibumad(on, waiting(options), [&](auto& over) { return closed_loop(over, options); });
            },
        .send =
            [](venue const& on, load_options const& options) {
                return over_libibumad(on, not_waiting(), [&](auto& over) { return send_loop(over, options); });
            },
        .open =
            [](venue const& on, load_options const& options) {
                return over_libibumad(on, waiting(options), [&](auto& over) { return open_loop(over, options); });
            }};
}

} // namespace madrigal::bench

#else

namespace madrigal::bench {

peer libibumad_peer() noexcept
{
    return {.name = "libibumad", .absent = built_without_libibumad};
}

} // namespace madrigal::bench

#endif
