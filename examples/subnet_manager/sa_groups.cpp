#include "administration.hpp"
#include "reports.hpp"

#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/p_key.hpp>
#include <madrigal/wire/path_rates.hpp>
#include <madrigal/wire/trap.hpp>

#include <array>

namespace sm {
namespace {

using namespace madrigal; // NOLINT: records and components are named all over this file

/// All ports are full members of the default partition: this subnet manager makes no others.
constexpr std::array<std::uint16_t, 1> p_keys{default_p_key};

/// What the port of a join can do.
engine::joining_port capabilities(subnet const& of, end_port const& end)
{
    engine::joining_port port;
    port.p_keys = p_keys;
    if (end.at.port == 0) {
        port.longest = mtu::bytes_4096;
        return port;
    }
    auto const& link = of.node(end.at.node).external_port(end.at.port);
    port.longest = of.info(end.at).neighbor_mtu;
    port.rate = rate_of(link.width, link.speed);
    return port;
}

std::uint16_t tell(managed& known, engine::membership_outcome const& outcome, sa_records<mc_member_record>& out)
{
    if (!outcome.ok())
        return outcome.status;
    (void)out.add(outcome.record);
    if (outcome.group_created)
        report_gid(known, trap_number::multicast_group_created, outcome.record.mgid);
    if (outcome.group_deleted)
        report_gid(known, trap_number::multicast_group_deleted, outcome.record.mgid);
    if (outcome.membership_changed || outcome.group_deleted)
        known.groups_changed();
    return mad_status::ok;
}

/// Another port than the member asks.
bool by_proxy(managed const& known, sa_asked<mc_member_record> const& asked)
{
    auto const* const member = known.find(asked.record().port_gid);
    return member != nullptr && known.now->find(asked.source()) != member;
}

} // namespace

void serve_groups(sa_server const& server, managed& known)
{
    using asked_type = sa_asked<mc_member_record>;
    using records_type = sa_records<mc_member_record>;
    server.serve<mc_member_record>(method::set, [&known](asked_type const& asked, records_type& out) -> std::uint16_t {
        if (!known.now)
            return not_yet;
        auto const* const member = known.find(asked.record().port_gid);
        if (member == nullptr)
            return tell(known, known.groups.join(asked.query(), nullptr), out);
        auto port = capabilities(*known.now, *member);
        port.by_proxy = by_proxy(known, asked);
        if (auto const* const asker = asked.asker(*known.now))
            port.asker = known.now->gid_of(*asker);
        return tell(known, known.groups.join(asked.query(), &port), out);
    });
    server.serve<mc_member_record>(
        method::delete_, [&known](asked_type const& asked, records_type& out) -> std::uint16_t {
            if (!known.now)
                return not_yet;
            return tell(known, known.groups.leave(asked.query(), by_proxy(known, asked)), out);
        });
    server.serve<mc_member_record>([&known](asked_type const& asked, records_type& out) -> std::uint16_t {
        out.interprets_all();
        (void)known.groups.find(
            asked.query(), asked.trusted(), [&](mc_member_record const& one) { return out.add(one); });
        return mad_status::ok;
    });
}

} // namespace sm
