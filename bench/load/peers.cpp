#include "peers.hpp"

#include <array>

namespace madrigal::bench {

std::span<peer const> all_peers() noexcept
{
    static std::array const all{
        raw_peer(), libibumad_peer(), drained_libibumad_peer(), opensm_style_peer(), coroutine_peer(), handler_peer()};
    return all;
}

std::string peer_names()
{
    std::string names;
    for (auto const& one : all_peers())
        names.append(names.empty() ? "" : ", ").append(one.name);
    return names;
}

} // namespace madrigal::bench
