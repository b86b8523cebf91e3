#include "peers.hpp"

#if MADRIGAL_HAS_LIBIBUMAD

#include "closed_loop.hpp"
#include "libibumad_transport.hpp"
#include "open_loop.hpp"
#include "send_loop.hpp"

namespace madrigal::bench {
namespace {

/// Runs `loop` over a transport that reads as most programs do, or drained.
template <bool Drained, class Loop>
result<measured> run(venue const& on, patience const& how, Loop const& loop)
{
    return over_libibumad(on, how, [&](umad_transport& over) {
        if constexpr (Drained)
            return loop(over);
        waiting_umad_transport waiting_first{over};
        return loop(waiting_first);
    });
}

template <bool Drained>
peer peer_of(std::string_view name) noexcept
{
    return {.name = name,
        .absent = no_libibumad_at,
        .request =
            [](venue const& on, load_options const& options) {
                return run<Drained>(on, waiting(options), [&](auto& over) { return closed_loop(over, options); });
            },
        .send =
            [](venue const& on, load_options const& options) {
                return run<Drained>(on, not_waiting(), [&](auto& over) { return send_loop(over, options); });
            },
        .open =
            [](venue const& on, load_options const& options) {
                return run<Drained>(on, waiting(options), [&](auto& over) { return open_loop(over, options); });
            }};
}

} // namespace

peer libibumad_peer() noexcept
{
    return peer_of<false>("libibumad");
}

peer drained_libibumad_peer() noexcept
{
    return peer_of<true>("libibumad-drained");
}

} // namespace madrigal::bench

#else

namespace madrigal::bench {

peer libibumad_peer() noexcept
{
    return {.name = "libibumad", .absent = built_without_libibumad};
}

peer drained_libibumad_peer() noexcept
{
    return {.name = "libibumad-drained", .absent = built_without_libibumad};
}

} // namespace madrigal::bench

#endif
