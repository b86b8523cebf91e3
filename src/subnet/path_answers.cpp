#include <madrigal/subnet/path_answers.hpp>

#include <madrigal/subnet/path_search.hpp>

#include <optional>
#include <span>

namespace madrigal {
namespace {

/// Who a question means by LID or GID.
struct asked_end {
    std::span<end_port const> ports{}; ///< one, or all
    gid name{};                        ///< as it was asked for; 0: by its LID, or not at all
};

class path_search {
public:
    path_search(managed_subnet const& of, engine::multicast_registry const& groups, sa_asked<path_record> const& asked,
        sa_records<path_record>& out)
        : of_{of}, groups_{groups}, asked_{asked}, wanted_{asked.record()}, out_{out}
    {
        // All that a path says of itself is compared here.
        out.interprets_all();
    }

    /// Get: one path, answered at once.
    std::uint16_t find_one()
    {
        if (auto const status = begin(); status != mad_status::ok || from_.ports.empty() || to_.ports.empty())
            return status;
        for_each_between(from_.ports.front(), to_.ports.front(), 1);
        return mad_status::ok;
    }

    /// GetTable: as many as there are, while others have their turn.
    asio::awaitable<std::uint16_t> find_all()
    {
        if (auto const status = begin(); status != mad_status::ok)
            co_return status;
        for (auto const& source : from_.ports)
            for (auto const& destination : to_.ports) {
                for_each_between(source, destination, most_of_a_pair());
                if (!co_await out_.go_on())
                    co_return mad_status::ok;
            }
        co_return mad_status::ok;
    }

private:
    /// Who is meant. A path to a group is found here already.
    std::uint16_t begin()
    {
        bool const from_one = asked_.has<&path_record::sgid>() || asked_.has<&path_record::slid>();
        bool const to_one = asked_.has<&path_record::dgid>() || asked_.has<&path_record::dlid>();
        if (asked_.method() == method::get && !(from_one && to_one))
            return mad_status::sa_insufficient_components;
        if (asked_.has<&path_record::numb_path>() && wanted_.numb_path == 0)
            return mad_status::sa_request_invalid;
        if (from_one && asked_.has<&path_record::dgid>() && wanted_.dgid.bytes()[0] == 0xFF)
            return to_group();
        auto const from =
            ends(asked_.has<&path_record::sgid>(), wanted_.sgid, asked_.has<&path_record::slid>(), wanted_.slid);
        auto const to =
            ends(asked_.has<&path_record::dgid>(), wanted_.dgid, asked_.has<&path_record::dlid>(), wanted_.dlid);
        if (!from || !to)
            return mad_status::sa_invalid_gid;
        from_ = *from;
        to_ = *to;
        return mad_status::ok;
    }

    [[nodiscard]] std::optional<asked_end> ends(bool by_gid, gid const& name, bool by_lid, lid address) const
    {
        if (!by_gid && !by_lid)
            return asked_end{of_.ends, {}};
        auto const* const one = by_gid ? of_.find(name) : of_.find(address);
        if (one == nullptr)
            return by_gid ? std::nullopt : std::optional{asked_end{}};
        if (by_gid && by_lid && of_.find(address) != one)
            return asked_end{};
        return asked_end{{one, 1}, by_gid ? name : gid{}};
    }

    [[nodiscard]] unsigned most_of_a_pair() const
    {
        constexpr unsigned most_that_can_be_asked_for = 127;
        return asked_.has<&path_record::numb_path>() ? wanted_.numb_path : most_that_can_be_asked_for;
    }

    /// The paths from each LID of a port to each of another one, of which no more than so many. To another LID is
    /// another way, from another LID is not.
    void for_each_between(end_port const& from, end_port const& to, unsigned most)
    {
        auto const sources = asked_.has<&path_record::slid>() ? 1 : from.lid_count();
        auto const destinations = asked_.has<&path_record::dlid>() ? 1 : to.lid_count();
        for (unsigned i = 0; i != sources; ++i)
            for (unsigned k = 0; k != destinations && most != 0; ++k) {
                auto const slid = asked_.has<&path_record::slid>() ? wanted_.slid : from.lid_with(i);
                auto const dlid = asked_.has<&path_record::dlid>() ? wanted_.dlid : to.lid_with(k);
                if (auto const path = between(from, slid, to, dlid)) {
                    (void)out_.add(*path);
                    --most;
                }
            }
    }

    /// A path that meets all wishes.
    [[nodiscard]] std::optional<path_record> between(end_port const& from, lid slid, end_port const& to, lid dlid) const
    {
        path_record path;
        path.slid = slid;
        path.dlid = dlid;
        auto const there = follow_tables(of_, from, to, path.dlid);
        if (!there)
            return std::nullopt;
        path.sgid = from_.name != gid{} ? from_.name : of_.gid_of(from);
        path.dgid = to_.name != gid{} ? to_.name : of_.gid_of(to);
        path.reversible = true;
        path.numb_path = 1;
        path.p_key = 0xFFFF;
        return meet_wishes(path, *there, asked_.query()) ? std::optional{path} : std::nullopt;
    }

    /// A path to all members of a group: what senders ask for.
    [[nodiscard]] std::uint16_t to_group()
    {
        auto const* const group = groups_.group(wanted_.dgid);
        auto const* const from = asked_.has<&path_record::sgid>() ? of_.find(wanted_.sgid) : of_.find(wanted_.slid);
        if (group == nullptr || from == nullptr)
            return mad_status::sa_invalid_gid;
        path_record path;
        path.sgid = of_.gid_of(*from);
        path.slid = from->base_lid;
        path.dgid = wanted_.dgid;
        path.dlid = group->common.mlid;
        path.flow_label = group->common.flow_label;
        path.hop_limit = group->common.hop_limit;
        path.traffic_class = group->common.traffic_class;
        path.service_level = group->common.service_level;
        path.p_key = group->common.p_key;
        path.numb_path = 1;
        auto const& common = group->common;
        if (meet_wishes(path, {common.group_mtu, common.rate, common.packet_life_time}, asked_.query()))
            (void)out_.add(path);
        return mad_status::ok;
    }

    managed_subnet const& of_;
    engine::multicast_registry const& groups_;
    sa_asked<path_record> const& asked_;
    path_record const& wanted_;
    sa_records<path_record>& out_;
    asked_end from_{};
    asked_end to_{};
};

} // namespace

std::uint16_t answer_path(managed_subnet const& of, engine::multicast_registry const& groups,
    sa_asked<path_record> const& asked, sa_records<path_record>& out)
{
    return path_search{of, groups, asked, out}.find_one();
}

asio::awaitable<std::uint16_t> answer_paths(std::shared_ptr<managed_subnet const> of,
    engine::multicast_registry const& groups, sa_asked<path_record> const& asked, sa_records<path_record>& out)
{
    path_search search{*of, groups, asked, out};
    co_return co_await search.find_all();
}

} // namespace madrigal
