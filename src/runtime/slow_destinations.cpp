#include <madrigal/runtime/detail/slow_destinations.hpp>

#include <algorithm>
#include <iterator>

namespace madrigal::detail {

slow_destinations::slow_destinations(umad::port_attributes const& port)
{
    std::copy_if(port.gids.begin(), port.gids.end(), std::back_inserter(own_),
        [](gid const& entry) { return entry != gid{}; }); // empty places of the table
}

slow_destinations::way slow_destinations::of(umad::ib_user_mad_hdr const& header) noexcept
{
    gid::bytes_type to;
    std::copy(std::begin(header.gid), std::end(header.gid), to.begin());
    return {header.gid_index, gid{to}};
}

bool slow_destinations::may_wait(umad::ib_user_mad_hdr const& header) const noexcept
{
    return header.grh_present == 0 || std::find(fast_.begin(), fast_.end(), of(header)) == fast_.end();
}

void slow_destinations::on_written(umad::ib_user_mad_hdr const& header)
{
    if (fast_.size() == most_ways || !may_wait(header) || header.grh_present == 0)
        return;
    auto const written = of(header);
    if (std::find(own_.begin(), own_.end(), written.to) != own_.end())
        fast_.push_back(written);
}

void slow_destinations::on_refused(umad::ib_user_mad_hdr const& header) noexcept
{
    if (header.grh_present != 0)
        std::erase(fast_, of(header));
}

} // namespace madrigal::detail
