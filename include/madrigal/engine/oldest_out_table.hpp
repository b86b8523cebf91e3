// A table with a fixed number of places, where the oldest makes room.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace madrigal::engine {

/// Values by a number of 64 bits, `capacity` of them at most; all memory is allocated when it is made, and touched as
/// places are first used. Finding, adding and removing cost the same however many there are, unless somebody chooses
/// keys to collide, and then no more than `capacity` comparisons. Belongs to one thread at a time.
template <class Value>
class oldest_out_table {
public:
    /// At least one place.
    explicit oldest_out_table(std::size_t capacity)
        : capacity_{capacity == 0 ? 1 : capacity}, chains_(std::bit_ceil(capacity_), none)
    {
        places_.reserve(capacity_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] bool full() const noexcept { return size_ == capacity_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// Null where there is none. Valid until it is removed.
    [[nodiscard]] Value* find(std::uint64_t key) noexcept
    {
        auto const at = place_of(key);
        return at == none ? nullptr : &places_[at].value;
    }
    /// Adds what is not there yet, as the youngest. Precondition: not full, and no such key.
    Value& add(std::uint64_t key, Value value) noexcept
    {
        assert(!full() && place_of(key) == none);
        if (free_ == none) {
            places_.emplace_back(); // reserved in the constructor
            release(static_cast<std::uint32_t>(places_.size() - 1));
        }
        auto const at = free_;
        auto& added = places_[at];
        free_ = added.chain;
        added.key = key;
        added.value = std::move(value);
        auto& chain = chains_[chain_of(key)];
        added.chain = std::exchange(chain, at);
        append(at);
        ++size_;
        return added.value;
    }
    /// Makes it the youngest again. Nothing where there is none.
    void renew(std::uint64_t key) noexcept
    {
        auto const at = place_of(key);
        if (at == none || at == youngest_)
            return;
        unlink(at);
        append(at);
    }

    /// Precondition of these: not empty.
    [[nodiscard]] std::uint64_t oldest_key() const noexcept { return places_[oldest_].key; }
    /// What has stood longest.
    [[nodiscard]] Value& oldest() noexcept { return places_[oldest_].value; }
    [[nodiscard]] Value const& oldest() const noexcept { return places_[oldest_].value; }
    /// Takes it out.
    Value take_oldest() noexcept
    {
        assert(!empty());
        auto const at = oldest_;
        auto* link = &chains_[chain_of(places_[at].key)];
        while (*link != at)
            link = &places_[*link].chain;
        *link = places_[at].chain;
        unlink(at);
        release(at);
        --size_;
        return std::exchange(places_[at].value, Value{});
    }

private:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    struct place {
        std::uint64_t key = 0;
        std::uint32_t chain = none; // of its hash; of free places
        std::uint32_t older = none;
        std::uint32_t younger = none;
        Value value{};
    };

    [[nodiscard]] std::size_t chain_of(std::uint64_t key) const noexcept
    {
        key ^= key >> 33U; // MurmurHash3's finalizer
        key *= 0xFF51'AFD7'ED55'8CCD;
        key ^= key >> 33U;
        key *= 0xC4CE'B9FE'1A85'EC53;
        key ^= key >> 33U;
        return key & (chains_.size() - 1);
    }
    [[nodiscard]] std::uint32_t place_of(std::uint64_t key) const noexcept
    {
        auto at = chains_[chain_of(key)];
        while (at != none && places_[at].key != key)
            at = places_[at].chain;
        return at;
    }
    void release(std::uint32_t at) noexcept { places_[at].chain = std::exchange(free_, at); }
    void append(std::uint32_t at) noexcept
    {
        places_[at].younger = none;
        places_[at].older = std::exchange(youngest_, at);
        (places_[at].older == none ? oldest_ : places_[places_[at].older].younger) = at;
    }
    void unlink(std::uint32_t at) noexcept
    {
        auto const& gone = places_[at];
        (gone.older == none ? oldest_ : places_[gone.older].younger) = gone.younger;
        (gone.younger == none ? youngest_ : places_[gone.younger].older) = gone.older;
    }

    std::size_t capacity_;
    std::vector<place> places_; // of those that were ever used
    std::vector<std::uint32_t> chains_;
    std::uint32_t free_ = none;
    std::uint32_t oldest_ = none;
    std::uint32_t youngest_ = none;
    std::size_t size_ = 0;
};

} // namespace madrigal::engine
