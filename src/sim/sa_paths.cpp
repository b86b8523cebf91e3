// PathRecord (IBA 15.2.5.16): ways as the forwarding tables have them.
#include <madrigal/wire/path_rates.hpp>
#include <sim/p_keys.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_route.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/path_record.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace madrigal::sim {
namespace {

/// One end of paths that are asked for.
struct path_end {
    subnet_port port;
    gid name; ///< as it was asked for
};

class path_finder {
public:
    explicit path_finder(sa_question const& question)
        : question_{question}, query_{question.query<path_record>()}, wanted_{query_.record()}
    {}

    sa_reply reply()
    {
        bool const from_one = has<&path_record::sgid>() || has<&path_record::slid>();
        bool const to_one = has<&path_record::dgid>() || has<&path_record::dlid>();
        if (question_.is_get() ? !from_one || !to_one : !from_one && !to_one)
            return refusal(mad_status::sa_insufficient_components);
        if (has<&path_record::numb_path>() && wanted_.numb_path == 0)
            return refusal(mad_status::sa_request_invalid);
        auto const sources = ends(has<&path_record::sgid>(), wanted_.sgid, has<&path_record::slid>(), wanted_.slid);
        auto const destinations =
            ends(has<&path_record::dgid>(), wanted_.dgid, has<&path_record::dlid>(), wanted_.dlid);
        if (!sources || !destinations)
            return refusal(mad_status::sa_invalid_gid);
        record_list<path_record> found{question_};
        for (auto const& source : *sources)
            for (auto const& destination : *destinations)
                for (auto const& path : between(source, destination))
                    if (!found.add(path))
                        return std::move(found).reply();
        return std::move(found).reply();
    }

private:
    template <auto Member>
    [[nodiscard]] bool has() const noexcept
    {
        return query_.mask().has(components<Member>);
    }
    /// Those that GID and LID name, all where neither counts; nothing where there is no such GID.
    [[nodiscard]] std::optional<std::vector<path_end>> ends(
        bool by_gid, gid const& name, bool by_lid, lid address) const
    {
        auto const& of = question_.fabric;
        std::vector<path_end> all;
        if (by_gid) {
            auto const port = port_with(of, name);
            if (!port)
                return std::nullopt;
            if (!by_lid || core::owns(port->end, address.value()))
                all.push_back({*port, name});
        } else if (by_lid) {
            if (auto const port = port_with(of, address))
                all.push_back({*port, first_gid(port->end)});
        } else {
            for (auto const& port : reached_from(of, question_.sa_at))
                all.push_back({port, first_gid(port.end)});
        }
        return all;
    }

    [[nodiscard]] std::size_t most() const noexcept
    {
        constexpr std::size_t most_of_a_pair = 127; // what NumbPath can say
        if (question_.is_get())
            return 1;
        return has<&path_record::numb_path>() ? wanted_.numb_path : most_of_a_pair;
    }

    /// The paths between two ports: from each LID of the one to each of the other.
    [[nodiscard]] std::vector<path_record> between(path_end const& source, path_end const& destination) const
    {
        std::vector<path_record> all;
        auto const key = shared_key(source.port, destination.port);
        if (!key || (has<&path_record::service_level>() && wanted_.service_level != 0) ||
            (has<&path_record::raw_traffic>() && wanted_.raw_traffic))
            return all;
        auto const& from = source.port.end;
        auto const& to = destination.port.end;
        // The best that are wished for may come last.
        bool const best = is_best<&path_record::mtu_selector, &path_record::path_mtu>(wanted_.mtu_selector) ||
                          is_best<&path_record::rate_selector, &path_record::rate>(wanted_.rate_selector);
        for (unsigned i = 0; i != 1U << from.lmc; ++i)
            for (unsigned k = 0; k != 1U << to.lmc; ++k) {
                lid const slid{static_cast<std::uint16_t>(from.base_lid + i)};
                lid const dlid{static_cast<std::uint16_t>(to.base_lid + k)};
                if ((has<&path_record::slid>() && wanted_.slid != slid) ||
                    (has<&path_record::dlid>() && wanted_.dlid != dlid))
                    continue;
                auto path = describe(source, slid, destination, dlid);
                if (!path)
                    continue;
                path->p_key = *key;
                all.push_back(*path);
                if (!best && all.size() == most())
                    return all;
            }
        if (best)
            keep_best(all);
        return all;
    }

    /// A path that meets all wishes.
    [[nodiscard]] std::optional<path_record> describe(
        path_end const& source, lid slid, path_end const& destination, lid dlid) const
    {
        auto const there = route_to(question_.fabric, source.port.at, dlid.value());
        if (!there)
            return std::nullopt;
        path_record path;
        path.dgid = destination.name;
        path.sgid = source.name;
        path.dlid = dlid;
        path.slid = slid;
        path.reversible = route_to(question_.fabric, destination.port.at, slid.value()).has_value();
        path.numb_path = 1;
        path.mtu_selector = path.rate_selector = path.packet_life_time_selector = selector::exactly;
        if (has<&path_record::reversible>() && wanted_.reversible && !path.reversible)
            return std::nullopt;
        std::optional packet{there->largest_packet};
        if (has<&path_record::mtu_selector>() && has<&path_record::path_mtu>())
            packet = chosen(*packet, wanted_.mtu_selector, wanted_.path_mtu);
        std::optional rate{there->rate};
        if (has<&path_record::rate_selector>() && has<&path_record::rate>())
            rate = chosen(*rate, wanted_.rate_selector, wanted_.rate);
        std::optional life_time{there->life_time};
        if (has<&path_record::packet_life_time_selector>() && has<&path_record::packet_life_time>())
            life_time = chosen_life_time(*life_time, wanted_.packet_life_time_selector, wanted_.packet_life_time);
        if (!packet || !rate || !life_time)
            return std::nullopt;
        path.path_mtu = *packet;
        path.rate = *rate;
        path.packet_life_time = *life_time;
        return path;
    }

    template <auto Selector, auto Value>
    [[nodiscard]] bool is_best(selector how) const noexcept
    {
        return has<Selector>() && has<Value>() && how == selector::best;
    }
    void keep_best(std::vector<path_record>& all) const
    {
        if (is_best<&path_record::mtu_selector, &path_record::path_mtu>(wanted_.mtu_selector)) {
            mtu largest{};
            for (auto const& one : all)
                largest = std::max(largest, one.path_mtu);
            std::erase_if(all, [&](auto const& one) { return one.path_mtu != largest; });
        }
        if (!all.empty() && is_best<&path_record::rate_selector, &path_record::rate>(wanted_.rate_selector)) {
            auto fastest = all.front().rate;
            for (auto const& one : all)
                fastest = std::max(fastest, one.rate, is_slower);
            std::erase_if(all, [&](auto const& one) { return one.rate != fastest; });
        }
        all.resize(std::min(all.size(), most()));
    }

    /// The partition key for a path, which both ends must have.
    [[nodiscard]] std::optional<std::uint16_t> shared_key(subnet_port const& from, subnet_port const& to) const
    {
        auto const& theirs = to.owner.ports[to.at.port];
        auto const& mine = from.owner.ports[from.at.port];
        if (has<&path_record::p_key>())
            return holds_p_key(mine, wanted_.p_key) && holds_p_key(theirs, wanted_.p_key) ? std::optional{wanted_.p_key}
                                                                                          : std::nullopt;
        for (std::size_t i = 0; i != end_port_p_keys; ++i)
            if (auto const key = p_key_at(mine, i); key != 0 && holds_p_key(theirs, key))
                return key;
        return std::nullopt;
    }

    sa_question const& question_;
    record_query<path_record> query_;
    path_record const& wanted_;
};

} // namespace

sa_reply answer_path_records(sa_question const& question)
{
    return path_finder{question}.reply();
}

} // namespace madrigal::sim
