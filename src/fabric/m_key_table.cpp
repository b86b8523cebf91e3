#include <madrigal/fabric/m_key_table.hpp>

namespace madrigal {

std::uint64_t m_key_table::find(destination const& to, guid node) const noexcept
{
    if (node && !by_guid_.empty())
        if (auto const found = by_guid_.find(node); found != by_guid_.end())
            return found->second;
    bool const directed = to.type() == destination::kind::directed_route;
    // A directed route that goes on by LID ends at that LID.
    if (directed ? !to.directed_to().is_permissive() : true) {
        if (auto const found = by_lid_.find(directed ? to.directed_to() : to.to_lid()); found != by_lid_.end())
            return found->second;
    } else if (to.directed_from().is_permissive() && !by_route_.empty()) {
        if (auto const found = by_route_.find(to.route()); found != by_route_.end())
            return found->second;
    }
    return default_;
}

} // namespace madrigal
