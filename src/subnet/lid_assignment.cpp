#include "subnet/log.hpp"

#include <madrigal/subnet/lid_assignment.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace madrigal {
namespace {

/// Which LIDs are taken.
class lid_space {
public:
    explicit lid_space(unsigned last) : last_{last}, taken_(last + 1U) {}

    /// False where one of them is taken, or cannot be.
    bool take(unsigned first, unsigned count)
    {
        if (first == 0 || first % count != 0 || first + count - 1 > last_)
            return false;
        for (unsigned i = 0; i != count; ++i)
            if (taken_[first + i])
                return false;
        for (unsigned i = 0; i != count; ++i)
            taken_[first + i] = true;
        return true;
    }
    /// Takes those of them that are free and can be.
    void take_what_is_free(unsigned first, unsigned count)
    {
        for (unsigned i = 0; i != count; ++i)
            (void)take(first + i, 1);
    }
    std::optional<unsigned> take_any(unsigned count)
    {
        auto& from = next_[count];
        for (from = std::max(from, count); from + count - 1 <= last_; from += count)
            if (take(from, count))
                return from;
        return std::nullopt;
    }

private:
    unsigned last_;
    std::vector<bool> taken_;
    std::map<unsigned, unsigned> next_; // by count: none before is free
};

/// The last LID that every switch has an entry for, but for those switches that have too few of them for the subnet.
unsigned last_lid(managed_subnet const& of, unsigned lmc)
{
    auto const needed = of.ends.size() << std::min(lmc, 7U);
    unsigned last = max_unicast_lid.value();
    for (auto const index : of.switches) {
        unsigned const entries = of.found.attributes[index].switch_info.linear_fdb_cap;
        if (entries > needed)
            last = std::min(last, entries - 1U);
        else if (entries != 0)
            detail::subnet_log().warn("{} has room for {} LIDs and no way leads through it: the subnet needs {}",
                of.name(index), entries - 1, needed);
    }
    return last;
}

lid as_lid(unsigned value) noexcept
{
    return lid{static_cast<std::uint16_t>(value)};
}

} // namespace

result<void> assign_lids(managed_subnet& to, known_lids& known, unsigned lmc)
{
    lid_space space{last_lid(to, lmc)};
    for (auto& end : to.ends) {
        bool const base_port0 = to.is_switch(end.at.node) && !to.node(end.at.node).enhanced_port0;
        end.lmc = static_cast<std::uint8_t>(base_port0 ? 0 : std::min(lmc, 7U));
        end.base_lid = {};
    }
    for (auto& end : to.ends)
        if (auto const before = known.find(end.port_guid);
            before != known.end() && space.take(before->second.value(), end.lid_count()))
            end.base_lid = before->second;
    // A port that is not there may have had a whole range.
    auto reserved = space;
    for (auto const& one : known) {
        unsigned const first = one.second.value();
        unsigned const range = 1U << std::min(lmc, 7U);
        reserved.take_what_is_free(first, first % range == 0 ? range : 1);
    }
    for (auto& end : to.ends)
        if (auto const now = to.info(end.at).base_lid;
            !end.base_lid.is_unicast() && reserved.take(now.value(), end.lid_count())) {
            (void)space.take(now.value(), end.lid_count());
            end.base_lid = now;
        }
    for (auto& end : to.ends) {
        if (end.base_lid.is_unicast())
            continue;
        auto first = reserved.take_any(end.lid_count());
        if (first) {
            (void)space.take(*first, end.lid_count());
        } else if ((first = space.take_any(end.lid_count()))) {
            // Not all of the range need have been reserved.
            reserved.take_what_is_free(*first, end.lid_count());
        }
        if (!first) {
            to.index_lids();
            return error{
                errc::invalid_argument, "there are more ports than LIDs; without one is " + to.name(end.at.node)};
        }
        end.base_lid = as_lid(*first);
    }
    to.index_lids();
    // Who has gone and whose LID another has now would take it back one day.
    std::erase_if(known, [&](auto const& one) { return !one.second.is_unicast() || to.find(one.second) != nullptr; });
    // Backwards: of equal GUIDs the first counts.
    for (auto end = to.ends.rbegin(); end != to.ends.rend(); ++end)
        known.insert_or_assign(end->port_guid, end->base_lid);
    return outcome::success();
}

} // namespace madrigal
