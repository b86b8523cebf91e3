#include <madrigal/engine/deadline_wheel.hpp>

#include <algorithm>
#include <bit>

namespace madrigal::engine {

time_point deadline_wheel::next() const noexcept
{
    // The heap's nodes are of ticks gone by or of the present one, those of the slots of later ones; and a slot on a
    // lower level is before one on a higher, on one level a lower number before a higher.
    if (heap_ != nullptr)
        return std::min(heap_->deadline_, arrivals_earliest_);
    auto const level = lowest_level();
    if (level == levels)
        return arrivals_earliest_;
    auto const number = static_cast<unsigned>(std::countr_zero(occupied_[level]));
    return std::min(slots_[std::size_t{level} * slots + number].earliest, arrivals_earliest_);
}

unsigned deadline_wheel::lowest_level() const noexcept
{
    unsigned level = 0;
    while (level < levels && occupied_[level] == 0)
        ++level;
    return level;
}

deadline_node* deadline_wheel::take_due(time_point now) noexcept
{
    // While the heap holds anything, nothing in the slots can be before it.
    while (heap_ == nullptr)
        if (!advance(tick_of(now)))
            return nullptr;
    auto* node = heap_;
    if (node->deadline_ > now)
        return nullptr;
    take_from_heap(*node);
    node->place_ = deadline_node::nowhere;
    --size_;
    return node;
}

/// Moves the wheel's time to the next slot in use and takes that slot's nodes down, if it begins by `target`; else
/// moves the time to `target` (which changes no node's place: it differs from the old time below that slot only).
bool deadline_wheel::advance(std::uint64_t target) noexcept
{
    auto const level = lowest_level();
    if (level == levels) {
        elapsed_ = std::max(elapsed_, target);
        return false;
    }
    auto const number = static_cast<unsigned>(std::countr_zero(occupied_[level]));
    auto const shift = level * group_bits;
    auto const above = shift + group_bits < 64 ? elapsed_ >> (shift + group_bits) << (shift + group_bits) : 0;
    auto const begin = above | std::uint64_t{number} << shift;
    if (begin > target) {
        elapsed_ = std::max(elapsed_, target);
        return false;
    }
    elapsed_ = begin;
    auto& emptied = slots_[std::size_t{level} * slots + number];
    occupied_[level] &= ~(std::uint64_t{1} << number);
    emptied.earliest = never;
    auto* node = std::exchange(emptied.first, nullptr);
    while (node != nullptr) {
        auto* following = node->next_;
        place(*node);
        node = following;
    }
    return true;
}

void deadline_wheel::end_turn() noexcept
{
    expiring_ = false;
    arrivals_earliest_ = never;
    auto* node = std::exchange(arrivals_, nullptr);
    while (node != nullptr) {
        auto* following = node->next_;
        place(*node);
        node = following;
    }
}

// The pairing heap (Fredman, Sedgewick, Sleator and Tarjan, 1986).

void deadline_wheel::put_in_heap(deadline_node& node) noexcept
{
    node.place_ = in_heap;
    node.next_ = nullptr;
    node.previous_ = nullptr;
    node.child_ = nullptr;
    heap_ = heap_ != nullptr ? meld(*heap_, node) : &node;
}

void deadline_wheel::take_from_heap(deadline_node& node) noexcept
{
    auto* orphans = meld_all(std::exchange(node.child_, nullptr));
    if (&node == heap_) {
        heap_ = orphans;
        return;
    }
    // A first child's `previous_` is its parent.
    (node.previous_->child_ == &node ? node.previous_->child_ : node.previous_->next_) = node.next_;
    if (node.next_ != nullptr)
        node.next_->previous_ = node.previous_;
    if (orphans != nullptr)
        heap_ = meld(*heap_, *orphans);
}

/// Makes the later of two roots the first child of the earlier.
deadline_node* deadline_wheel::meld(deadline_node& a, deadline_node& b) noexcept
{
    auto const b_first = b.deadline_ != a.deadline_ ? b.deadline_ < a.deadline_ : b.order_ < a.order_;
    auto& parent = b_first ? b : a;
    auto& child = b_first ? a : b;
    child.previous_ = &parent;
    child.next_ = parent.child_;
    if (parent.child_ != nullptr)
        parent.child_->previous_ = &child;
    parent.child_ = &child;
    return &parent;
}

/// Makes one heap of siblings: in pairs from left to right, then the pairs from right to left.
deadline_node* deadline_wheel::meld_all(deadline_node* first) noexcept
{
    deadline_node* pairs = nullptr;
    while (first != nullptr) {
        auto* a = first;
        auto* b = a->next_;
        first = b != nullptr ? b->next_ : nullptr;
        a->next_ = a->previous_ = nullptr;
        if (b != nullptr) {
            b->next_ = b->previous_ = nullptr;
            a = meld(*a, *b);
        }
        a->next_ = pairs;
        pairs = a;
    }
    deadline_node* whole = nullptr;
    while (pairs != nullptr) {
        auto* pair = std::exchange(pairs, pairs->next_);
        pair->next_ = nullptr;
        whole = whole != nullptr ? meld(*whole, *pair) : pair;
    }
    return whole;
}

} // namespace madrigal::engine
