// Fault rules: which of them strikes a request.
#include <sim/core.hpp>

#include <algorithm>

namespace madrigal::sim {
namespace {

bool matches(fault_rule const& rule, packet const& one)
{
    auto const mad = one.view();
    auto const fits = [](auto const& wanted, auto value) { return !wanted || *wanted == value; };
    return fits(rule.node, one.at) && fits(rule.port, one.port) && fits(rule.attribute, mad.attribute_id()) &&
           fits(rule.method, static_cast<std::uint8_t>(mad.method())) &&
           fits(rule.mgmt_class, static_cast<std::uint8_t>(mad.mgmt_class()));
}

} // namespace

fault_rule* core::strike(packet const& one)
{
    for (auto& [id, rule] : rules) {
        if (rule.count == 0u || !matches(rule, one) || !random.chance(rule.probability))
            continue;
        if (rule.count)
            --*rule.count;
        return &rule;
    }
    return nullptr;
}

} // namespace madrigal::sim
