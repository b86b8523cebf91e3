#include <madrigal/subnet/detail/sa_table.hpp>

#include <algorithm>

namespace madrigal::detail {
namespace {

constexpr std::size_t least_growth = 4096;

} // namespace

table_buffer::room table_buffer::append(
    std::size_t bytes, std::size_t longest, std::shared_ptr<engine::rmpp_budget> const& budget)
{
    auto const size = data_.size() + bytes;
    if (size > longest)
        return room::too_long;
    if (size > data_.capacity()) {
        // Twice as much, so that a table of any length is copied a few times only; less where there is less.
        auto const enough = std::max(size, std::min(longest, data_.capacity() + least_growth));
        auto wanted = std::max(enough, std::min(longest, 2 * data_.capacity()));
        if (!charge_.add(budget, wanted - data_.capacity())) {
            wanted = enough;
            if (!charge_.add(budget, wanted - data_.capacity()))
                return room::no_bytes;
        }
        data_.reserve(wanted);
    }
    data_.resize(size);
    return room::yes;
}

} // namespace madrigal::detail
