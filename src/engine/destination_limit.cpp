#include <madrigal/engine/destination_limit.hpp>

#include <cassert>
#include <utility>

namespace madrigal::engine {

destination_limit::destination_limit(unsigned limit) : limit_{limit} {}

bool destination_limit::take_limited(std::uint64_t key)
{
    auto index = find(key);
    if (index == none)
        index = add(key);
    auto& destination = entries_[index];
    if (destination.taken >= limit_)
        return false;
    ++destination.taken;
    return true;
}

void destination_limit::park(std::uint64_t key, parked_node& node)
{
    assert(!node.parked());
    auto const index = find(key);
    assert(index != none && entries_[index].taken == limit_ && "parked although a place is free");
    auto& destination = entries_[index];
    node.next = nullptr;
    node.previous = destination.last;
    node.entry = index;
    (destination.last != nullptr ? destination.last->next : destination.first) = &node;
    destination.last = &node;
    ++parked_;
}

parked_node* destination_limit::give_back_limited(std::uint64_t key) noexcept
{
    auto const index = find(key);
    assert(index != none && "a place is given back that nobody took");
    if (index == none)
        return nullptr;
    auto& destination = entries_[index];
    if (auto* heir = destination.first; heir != nullptr) { // the place changes hands
        unlink(*heir);
        return heir;
    }
    if (--destination.taken == 0)
        remove(index);
    return nullptr;
}

bool destination_limit::unpark(parked_node& node) noexcept
{
    if (!node.parked())
        return false;
    unlink(node); // the entry stays: whoever has its places will give them back
    return true;
}

unsigned destination_limit::in_use(std::uint64_t key) const noexcept
{
    auto const index = find(key);
    return index != none ? entries_[index].taken : 0;
}

void destination_limit::unlink(parked_node& node) noexcept
{
    auto& destination = entries_[node.entry];
    (node.previous != nullptr ? node.previous->next : destination.first) = node.next;
    (node.next != nullptr ? node.next->previous : destination.last) = node.previous;
    node.next = nullptr;
    node.previous = nullptr;
    node.entry = parked_node::not_parked;
    --parked_;
}

std::size_t destination_limit::bucket_of(std::uint64_t key) const noexcept
{
    // LIDs are small, dense numbers and GUIDs differ in few bits: mix them well (the finaliser of splitmix64).
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB;
    return (key ^ (key >> 31)) & (buckets_.size() - 1);
}

std::uint32_t destination_limit::find(std::uint64_t key) const noexcept
{
    if (buckets_.empty())
        return none;
    auto index = buckets_[bucket_of(key)];
    while (index != none && entries_[index].key != key)
        index = entries_[index].next;
    return index;
}

std::uint32_t destination_limit::add(std::uint64_t key)
{
    if (unused_ == none)
        grow();
    auto const index = unused_;
    auto& added = entries_[index];
    unused_ = added.next;
    auto& bucket = buckets_[bucket_of(key)];
    added = {.key = key, .next = bucket};
    bucket = index;
    ++busy_;
    return index;
}

void destination_limit::remove(std::uint32_t index) noexcept
{
    auto* link = &buckets_[bucket_of(entries_[index].key)];
    while (*link != index)
        link = &entries_[*link].next;
    *link = std::exchange(entries_[index].next, unused_);
    unused_ = index;
    --busy_;
}

void destination_limit::grow()
{
    auto const old_size = entries_.size();
    auto const new_size = old_size == 0 ? 16 : old_size * 2;
    std::vector<std::uint32_t> buckets(new_size, none);
    entries_.resize(new_size);
    buckets_.swap(buckets);
    for (std::uint32_t index = 0; index < old_size; ++index) // all of them are in use
        entries_[index].next = std::exchange(buckets_[bucket_of(entries_[index].key)], index);
    for (auto index = static_cast<std::uint32_t>(new_size); index-- > old_size;)
        entries_[index].next = std::exchange(unused_, index);
}

} // namespace madrigal::engine
