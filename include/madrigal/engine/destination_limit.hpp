// How many requests may be on the wire to one destination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace madrigal::engine {

/// What can wait for a place at its destination: derive from it. Not copied or moved while it waits.
struct parked_node {
    [[nodiscard]] bool parked() const noexcept { return entry != not_parked; }

    static constexpr std::uint32_t not_parked = 0xFFFFFFFF;
    parked_node* next = nullptr;
    parked_node* previous = nullptr;
    std::uint32_t entry = not_parked;
};

/// A limit for each destination, told apart by a 64-bit key, and the queue of those that wait for it. All operations
/// are O(1). A destination takes memory only while something is on the wire to it; once as many destinations have been
/// busy at a time as ever will be, nothing is allocated any more. Belongs to one thread.
class destination_limit {
public:
    /// `limit` requests to each destination at a time; 0 = no limit, and no book-keeping.
    explicit destination_limit(unsigned limit = 0);
    destination_limit(destination_limit const&) = delete;
    destination_limit& operator=(destination_limit const&) = delete;
    ~destination_limit() = default;

    /// Takes a place at the destination if there is one.
    [[nodiscard]] bool try_take(std::uint64_t key) { return limit_ == 0 || take_limited(key); }
    /// Queues the node behind the others of its destination, whose places must all be taken (`try_take` failed).
    void park(std::uint64_t key, parked_node& node);
    /// Gives back a place that was taken. Where somebody is parked, the place goes to the first of them: it is no
    /// longer parked, its place is taken for it, and it is returned. Else nullptr.
    [[nodiscard]] parked_node* give_back(std::uint64_t key) noexcept
    {
        return limit_ == 0 ? nullptr : give_back_limited(key);
    }
    /// Takes a node out of its queue, on cancellation. False if it was not parked.
    bool unpark(parked_node& node) noexcept;

    [[nodiscard]] unsigned limit() const noexcept { return limit_; }
    /// Places taken at the destination.
    [[nodiscard]] unsigned in_use(std::uint64_t key) const noexcept;
    /// Destinations that have places taken.
    [[nodiscard]] std::size_t size() const noexcept { return busy_; }
    /// Nodes parked at all destinations.
    [[nodiscard]] std::size_t parked() const noexcept { return parked_; }
    /// Entries for which there is memory.
    [[nodiscard]] std::size_t capacity() const noexcept { return entries_.size(); }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    struct entry {
        std::uint64_t key = 0;
        parked_node* first = nullptr;
        parked_node* last = nullptr;
        unsigned taken = 0;
        std::uint32_t next = none; // in its bucket, or in the list of unused entries
    };

    [[nodiscard]] bool take_limited(std::uint64_t key);
    [[nodiscard]] parked_node* give_back_limited(std::uint64_t key) noexcept;
    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const noexcept;
    [[nodiscard]] std::uint32_t find(std::uint64_t key) const noexcept;
    std::uint32_t add(std::uint64_t key);
    void remove(std::uint32_t index) noexcept;
    void grow();
    void unlink(parked_node& node) noexcept;

    unsigned limit_;
    std::size_t busy_ = 0;
    std::size_t parked_ = 0;
    std::vector<entry> entries_;
    std::vector<std::uint32_t> buckets_; // a power of two of them, as many as entries
    std::uint32_t unused_ = none;
};

} // namespace madrigal::engine
