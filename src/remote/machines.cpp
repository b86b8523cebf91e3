#include "remote/machines.hpp"

#include <algorithm>
#include <utility>

namespace madrigal::remote {

result<std::shared_ptr<umad::host>> machines::at(std::string const& named)
{
    if (auto const known = open_.find(named); known != open_.end())
        return known->second;
    BOOST_OUTCOME_TRY(
        auto machine, opener_(named.empty() ? std::optional<std::string_view>{} : std::string_view{named}));
    // One machine has many names, and a client may think of any number.
    constexpr std::size_t most_names = 100'000;
    if (open_.size() >= most_names)
        open_.clear();
    return open_.emplace(named, std::move(machine)).first->second;
}

result<machine_and_ca> machines::find(std::string const& own, std::string const& ca)
{
    BOOST_OUTCOME_TRY(auto const machine, at(own));
    BOOST_OUTCOME_TRY(auto const names, machine->ca_names());
    if (ca == own && names.size() == 1)
        return machine_and_ca{machine, names.front()};
    if (std::find(names.begin(), names.end(), ca) != names.end())
        return machine_and_ca{machine, ca};
    BOOST_OUTCOME_TRY(auto const other, at(ca));
    BOOST_OUTCOME_TRY(auto const its_names, other->ca_names());
    if (its_names.empty())
        return error{errc::no_such_ca, ca + " is not there"};
    return machine_and_ca{other, its_names.front()};
}

} // namespace madrigal::remote
