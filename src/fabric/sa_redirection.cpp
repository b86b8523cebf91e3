// Redirections (IBA 13.5.2): ClassPortInfo says where to ask instead.
#include "fabric/sa_core.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace madrigal::detail {
namespace {

/// The bits of a P_Key that name the partition; the one above is for the kind of membership.
constexpr std::uint16_t partition_bits = 0x7FFF;

/// The place of a P_Key in the port's table: of the same, or else of one of the same partition.
result<std::uint16_t> find_p_key(std::uint16_t wanted, port const& of)
{
    if ((wanted & partition_bits) == 0) // none is named
        return std::uint16_t{0};
    BOOST_OUTCOME_TRY(auto const now, of.query());
    auto const& all = now.pkeys;
    auto found = std::find(all.begin(), all.end(), wanted);
    if (found == all.end())
        found = std::find_if(all.begin(), all.end(),
            [&](std::uint16_t one) { return (one & partition_bits) == (wanted & partition_bits); });
    if (found == all.end())
        return error{
            errc::unusable_redirection, fmt::format("P_Key {:#06x}, which is not in the port's table", wanted)};
    return static_cast<std::uint16_t>(found - all.begin());
}

} // namespace

bool names_redirection(class_port_info const& info) noexcept
{
    return info.redirect_lid.value() != 0 || info.redirect_gid != gid{};
}

result<destination> read_redirection(class_port_info const& info, port const& from)
{
    if (!info.redirect_lid.is_unicast())
        return error{errc::redirected_to_gid,
            fmt::format("GID {}, LID {}", to_string(info.redirect_gid), info.redirect_lid.value())};
    if (info.redirect_qp == 0)
        return error{errc::unusable_redirection, "queue pair 0"};
    BOOST_OUTCOME_TRY(auto const p_key, find_p_key(info.redirect_p_key, from));
    BOOST_OUTCOME_TRY(auto const own, from.query_subnet());
    destination to{info.redirect_lid};
    // Its LID is a router's where it is in another subnet.
    if (info.redirect_gid != gid{} && info.redirect_gid.subnet_prefix() != own.first_gid.subnet_prefix())
        to = destination{
            global_route{
                .destination = info.redirect_gid, .traffic_class = info.redirect_tc, .flow_label = info.redirect_fl},
            info.redirect_lid};
    // QP1 has one Q_Key only, whether it is told or not.
    auto const q_key = info.redirect_qp == 1 && info.redirect_q_key == 0 ? gsi_qkey : info.redirect_q_key;
    return to.with_sl(info.redirect_sl).with_pkey_index(p_key).with_qp(info.redirect_qp, q_key);
}

} // namespace madrigal::detail
