#include "subnet/switch_graph.hpp"

#include <madrigal/subnet/routing.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace madrigal {
namespace {

/// The cables between switches, each way by itself, and which follow which on some way.
class dependencies {
public:
    explicit dependencies(managed_subnet const& of) : of_{of}
    {
        first_.push_back(0);
        for (auto const index : of.switches)
            first_.push_back(first_.back() + of.node(index).port_count() + 1U);
        after_.resize(first_.back());
        for (auto const& end : of.ends)
            for (unsigned i = 0; i != end.lid_count() && end.base_lid.is_unicast() && !of.is_switch(end.at.node); ++i)
                add_ways_to(end.base_lid.value() + i);
    }

    /// Whether some of them follow each other in a circle: depth first, with a stack of our own.
    [[nodiscard]] bool have_circle() const
    {
        enum class mark : std::uint8_t { unseen, under_way, done };
        std::vector<mark> marks(after_.size(), mark::unseen);
        std::vector<std::pair<unsigned, std::size_t>> stack;
        for (unsigned start = 0; start != after_.size(); ++start) {
            if (marks[start] != mark::unseen)
                continue;
            stack.emplace_back(start, 0);
            marks[start] = mark::under_way;
            while (!stack.empty()) {
                auto& [at, next] = stack.back();
                if (next == after_[at].size()) {
                    marks[at] = mark::done;
                    stack.pop_back();
                    continue;
                }
                auto const follower = after_[at][next++];
                if (marks[follower] == mark::under_way)
                    return true;
                if (marks[follower] == mark::unseen) {
                    marks[follower] = mark::under_way;
                    stack.emplace_back(follower, 0);
                }
            }
        }
        return false;
    }

private:
    void add_ways_to(unsigned address)
    {
        for (unsigned s = 0; s != of_.switches.size(); ++s) {
            auto const out = of_.tables[s][address];
            auto const next = out != 0 && out != no_route ? of_.peer({of_.switches[s], out}) : topology::endpoint{};
            if (!next || !of_.is_switch(next.node))
                continue;
            auto const t = of_.switch_number(next.node);
            auto const beyond = of_.tables[t][address];
            auto const last = beyond != 0 && beyond != no_route ? of_.peer({next.node, beyond}) : topology::endpoint{};
            if (last && of_.is_switch(last.node))
                add(first_[s] + out, first_[t] + beyond);
        }
    }
    void add(unsigned cable, unsigned follower)
    {
        for (auto const known : after_[cable])
            if (known == follower)
                return;
        after_[cable].push_back(follower);
    }

    managed_subnet const& of_;
    std::vector<unsigned> first_; // number of a switch's port 0
    std::vector<std::vector<unsigned>> after_;
};

} // namespace

bool has_credit_loop(managed_subnet const& in)
{
    return dependencies{in}.have_circle();
}

} // namespace madrigal
