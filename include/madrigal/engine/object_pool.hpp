// Objects for all threads, without a lock and, once warm, without the heap.
#pragma once

#include <madrigal/engine/zeroed_array.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace madrigal::engine {

template <class T>
class object_pool;
template <class T>
class pool_cache;

/// What a pool keeps in each of its objects: derive from it. The object says in `pool_chunk` how many of its kind are
/// added at a time, and in `recycle`, called when it returns, drops what it holds.
template <class T>
class pooled {
public:
    /// Which object of its pool this is.
    [[nodiscard]] std::uint32_t pool_index() const noexcept { return index_; }

private:
    friend class object_pool<T>;

    object_pool<T>* pool_ = nullptr;
    std::atomic<std::uint32_t> next_free_ = 0; // the free object below this one, plus 1
    std::uint32_t index_ = 0;
};

/// Owns an object of a pool, alone; gives it back at the end. May be destroyed on any thread, and after the pool's
/// owner.
template <class T>
class pooled_ptr {
public:
    pooled_ptr() noexcept = default;
    pooled_ptr(std::nullptr_t) noexcept {} // NOLINT(google-explicit-constructor): as std::unique_ptr
    /// Takes over an object that `release` has let go.
    explicit pooled_ptr(T* owned) noexcept : object_{owned} {}
    pooled_ptr(pooled_ptr&& other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
    pooled_ptr& operator=(pooled_ptr&& other) noexcept
    {
        reset(other.release());
        return *this;
    }
    ~pooled_ptr() { reset(); }

    /// Gives the object back, and takes over another one or none.
    void reset(T* owned = nullptr) noexcept
    {
        if (auto* old = std::exchange(object_, owned); old != nullptr)
            object_pool<T>::give_back(*old);
    }
    /// Lets go without giving back; somebody must make a `pooled_ptr` of it again.
    [[nodiscard]] T* release() noexcept { return std::exchange(object_, nullptr); }

    [[nodiscard]] T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    friend void swap(pooled_ptr& a, pooled_ptr& b) noexcept { std::swap(a.object_, b.object_); }
    friend bool operator==(pooled_ptr const& p, std::nullptr_t) noexcept { return p.object_ == nullptr; }

private:
    T* object_ = nullptr;
};

/// A bounded pool. `acquire`, the ends of `pooled_ptr`s and the counts are safe from any thread and lock-free (the
/// heap's own locks apart, while the pool still grows). On a thread that has a `pool_cache` of this pool in force they
/// cost plain loads and stores, as long as the cache has something and has room.
///
/// Free objects form a stack. Its head holds the index of the top object and a tag that every change increments, so
/// that a thread which slept between reading the head and exchanging it cannot mistake a new head for the old one.
/// Chunks of objects are added as needed and freed with the pool only, so that reading an object that another thread
/// has just taken off the stack is harmless. An object is constructed once; what it is given out with is left over
/// from its earlier uses, as far as `recycle` leaves it.
template <class T>
class object_pool {
public:
    /// How many objects the pool grows by.
    static constexpr std::size_t chunk_objects = T::pool_chunk;

    /// At most `max_objects` will be out at a time. Allocates the directory of chunks, which takes memory as it is
    /// used, no object yet.
    explicit object_pool(std::size_t max_objects)
        : max_objects_{std::min<std::size_t>(max_objects, index_part - chunk_objects)}, // as many as indices can tell
          chunks_{directory_size()}
    {}
    object_pool(object_pool const&) = delete;
    object_pool& operator=(object_pool const&) = delete;
    /// All objects must be back. A pool that may go before its objects is made by `make_pool`.
    ~object_pool()
    {
        assert((out_.load(std::memory_order_relaxed) & ~retired) == 0 && "an object outlives its pool");
        // None is beyond the chunk of the next object that was never out.
        auto const last = fresh_.load(std::memory_order_relaxed) / chunk_objects;
        for (std::size_t number = 0; number < directory_size() && number <= last; ++number)
            delete chunks_[number];
    }

    /// An object; empty when `max_objects` are out or memory is short.
    [[nodiscard]] pooled_ptr<T> acquire() noexcept
    {
        if (auto* const cache = pool_cache<T>::here_; cache != nullptr && &cache->pool_ == this)
            return pooled_ptr<T>{cache->take()};
        return pooled_ptr<T>{take()};
    }

    /// Objects that are out. Under concurrent use a number that was true recently.
    [[nodiscard]] std::size_t in_use() const noexcept
    {
        auto const out = out_.load(std::memory_order_relaxed) & ~retired;
        auto const cached = cached_.load(std::memory_order_relaxed);
        return out > cached ? out - cached : 0;
    }
    /// Objects for which memory has been taken from the heap.
    [[nodiscard]] std::size_t allocated() const noexcept
    {
        return chunks_allocated_.load(std::memory_order_relaxed) * chunk_objects;
    }
    [[nodiscard]] std::size_t max_objects() const noexcept { return max_objects_; }

private:
    friend class pooled_ptr<T>;
    friend class pool_cache<T>;
    friend struct retire_pool;

    static constexpr std::uint64_t index_part = 0xFFFFFFFF;
    static constexpr std::size_t retired = std::size_t{1} << 62; // in out_: nobody owns the pool any more

    struct chunk {
        std::array<T, chunk_objects> objects;
    };

    [[nodiscard]] std::size_t directory_size() const noexcept
    {
        return (max_objects_ + chunk_objects - 1) / chunk_objects;
    }
    /// The head that follows `old`, with `top` (an index plus 1, or 0) as its index part.
    static constexpr std::uint64_t next_head(std::uint64_t old, std::uint32_t top) noexcept
    {
        return ((old >> 32) + 1) << 32 | top;
    }

    static void give_back(T& object) noexcept
    {
        object.recycle();
        auto& pool = *object.pool_;
        if (auto* const cache = pool_cache<T>::here_; cache != nullptr && &cache->pool_ == &pool)
            cache->put(object);
        else
            pool.put_all(std::array{&object});
    }
    [[nodiscard]] T* take() noexcept
    {
        std::array<T*, 1> one{};
        return take_some(one) != 0 ? one[0] : nullptr;
    }
    /// Fills some of `places`, at least one if that is possible; says how many.
    [[nodiscard]] std::size_t take_some(std::span<T*> places) noexcept
    {
        auto count = pop(places);
        if (count == 0)
            count = take_fresh(places);
        if (count != 0)
            out_.fetch_add(
                count, std::memory_order_relaxed); // orders nothing: the object keeps its pool once it is out
        return count;
    }
    [[nodiscard]] std::size_t pop(std::span<T*> places) noexcept;
    [[nodiscard]] std::size_t take_fresh(std::span<T*> places) noexcept;
    /// Not empty.
    void put_all(std::span<T* const> objects) noexcept;
    [[nodiscard]] chunk* chunk_at(std::size_t number) noexcept;
    [[nodiscard]] T& at(std::uint32_t index) const noexcept
    {
        // Acquire: partner of the exchange in chunk_at.
        return std::atomic_ref{chunks_[index / chunk_objects]}
            .load(std::memory_order_acquire)
            ->objects[index % chunk_objects];
    }
    /// The owner goes; the pool follows when its last object is back.
    void retire() noexcept
    {
        if (out_.fetch_add(retired, std::memory_order_acq_rel) == 0)
            delete this;
    }

    std::size_t const max_objects_;
    zeroed_array<chunk*> const chunks_;
    alignas(64) std::atomic<std::uint64_t> head_ = 0;  // tag << 32 | index + 1; index part 0: empty
    alignas(64) std::atomic<std::uint32_t> fresh_ = 0; // objects below this index have been handed out before
    std::atomic<std::size_t> chunks_allocated_ = 0;
    alignas(64) std::atomic<std::size_t> out_ = 0;    // the caches' objects included
    alignas(64) std::atomic<std::size_t> cached_ = 0; // how many its cache holds
};

/// Lets a pool go (see `make_pool`).
struct retire_pool {
    template <class T>
    void operator()(object_pool<T>* pool) const noexcept
    {
        pool->retire();
    }
};
/// Owns a pool that lives as long as any of its objects.
template <class T>
using pool_owner = std::unique_ptr<object_pool<T>, retire_pool>;

/// A pool on the heap, which objects may outlive: it is freed with the last of them.
template <class T>
[[nodiscard]] pool_owner<T> make_pool(std::size_t max_objects)
{
    return pool_owner<T>{new object_pool<T>{max_objects}};
}

/// Free objects at hand for one thread at a time. It takes them from its pool and gives them back several at once.
/// Other threads cannot have what it holds: so its `limit` is for pools of many times as many objects. A pool has one
/// at most.
template <class T>
class pool_cache {
public:
    /// Holds at most `limit` objects; 0 for none.
    pool_cache(object_pool<T>& pool, std::size_t limit)
        : pool_{pool}, limit_{limit}, held_{std::make_unique<T*[]>(limit)} // NOLINT(modernize-avoid-c-arrays)
    {
        assert(size() == 0 && "a pool has one cache");
    }
    pool_cache(pool_cache const&) = delete;
    pool_cache& operator=(pool_cache const&) = delete;
    ~pool_cache()
    {
        assert(here_ != this);
        give_up(size());
    }

    /// While it lives, this thread acquires and gives back by way of the cache. Scopes nest.
    class scope {
    public:
        explicit scope(pool_cache& cache) noexcept : before_{std::exchange(here_, cache.limit_ != 0 ? &cache : nullptr)}
        {}
        scope(scope const&) = delete;
        scope& operator=(scope const&) = delete;
        ~scope() { here_ = before_; }

    private:
        pool_cache* before_;
    };

private:
    friend class object_pool<T>;

    [[nodiscard]] T* take() noexcept
    {
        auto count = size();
        if (count == 0) [[unlikely]] {
            count = refill();
            if (count == 0)
                return nullptr;
        }
        set_size(count - 1);
        return held_[count - 1];
    }
    void put(T& object) noexcept
    {
        auto count = size();
        if (count == limit_) [[unlikely]]
            count = give_up(limit_ / 2 + 1);
        held_[count] = &object;
        set_size(count + 1);
    }
    [[gnu::noinline]] std::size_t refill() noexcept
    {
        auto const count = pool_.take_some({held_.get(), std::min<std::size_t>(limit_, 32)});
        set_size(count);
        return count;
    }
    /// Says how many are left.
    [[gnu::noinline]] std::size_t give_up(std::size_t how_many) noexcept
    {
        auto const left = size() - how_many;
        set_size(left);
        if (how_many == 0)
            return left;
        // The oldest: the others are more likely to be in the processor's caches.
        auto* const oldest = held_.get();
        pool_.put_all({oldest, how_many});
        std::copy(oldest + how_many, oldest + how_many + left, oldest);
        return left;
    }
    // The pool counts by it; only this thread changes it.
    [[nodiscard]] std::size_t size() const noexcept { return pool_.cached_.load(std::memory_order_relaxed); }
    void set_size(std::size_t size) noexcept { pool_.cached_.store(size, std::memory_order_relaxed); }

    inline static thread_local constinit pool_cache* here_ = nullptr;

    object_pool<T>& pool_;
    std::size_t limit_;
    std::unique_ptr<T*[]> held_; // NOLINT(modernize-avoid-c-arrays): length known at run time
};

template <class T>
std::size_t object_pool<T>::pop(std::span<T*> places) noexcept
{
    // Acquire: partner of the release in put_all, so that what the last owner did to the object is over. Every change
    // of the head is an exchange, so a push further down the stack is in the same release sequence.
    auto head = head_.load(std::memory_order_acquire);
    while ((head & index_part) != 0) {
        auto below = static_cast<std::uint32_t>(head & index_part);
        std::size_t count = 0;
        // May be stale when another thread has just taken one of these; then the tag has changed and the exchange
        // fails.
        while (count != places.size() && below != 0) {
            auto& object = at(below - 1);
            places[count++] = &object;
            below = object.next_free_.load(std::memory_order_acquire); // with put_all: the next one's chunk is there
        }
        if (head_.compare_exchange_weak(
                head, next_head(head, below), std::memory_order_acquire, std::memory_order_acquire))
            return count;
    }
    return 0;
}

template <class T>
void object_pool<T>::put_all(std::span<T* const> objects) noexcept
{
    for (std::size_t i = 1; i < objects.size(); ++i)
        objects[i]->next_free_.store(objects[i - 1]->index_ + 1, std::memory_order_release);
    auto const top = objects.back()->index_ + 1;
    auto const count = objects.size();
    auto head = head_.load(std::memory_order_acquire);
    do
        objects.front()->next_free_.store(static_cast<std::uint32_t>(head & index_part), std::memory_order_release);
    while (!head_.compare_exchange_weak(head, next_head(head, top), std::memory_order_acq_rel,
        std::memory_order_acquire)); // partner of the acquires in pop()
    // Last, as the pool may end with it; acquire and release, so that all others are then done with it.
    if (out_.fetch_sub(count, std::memory_order_acq_rel) - count == retired)
        delete this;
}

template <class T>
std::size_t object_pool<T>::take_fresh(std::span<T*> places) noexcept
{
    // The chunk comes before the index is claimed, so that a failed allocation leaves nothing to undo.
    auto index = fresh_.load(std::memory_order_relaxed);
    while (index < max_objects_) {
        auto* home = chunk_at(index / chunk_objects);
        if (home == nullptr)
            break; // one may have come back meanwhile
        auto const in_chunk = index % chunk_objects;
        auto const count = std::min({places.size(), chunk_objects - in_chunk, max_objects_ - index});
        if (!fresh_.compare_exchange_weak(index, index + static_cast<std::uint32_t>(count), std::memory_order_relaxed))
            continue;
        for (std::size_t i = 0; i != count; ++i)
            places[i] = &home->objects[in_chunk + i];
        return count;
    }
    return pop(places);
}

template <class T>
auto object_pool<T>::chunk_at(std::size_t number) noexcept -> chunk*
{
    std::atomic_ref place{chunks_[number]};
    auto* existing = place.load(std::memory_order_acquire); // partner: the exchange below
    if (existing != nullptr)
        return existing;
    auto* added = new (std::nothrow) chunk;
    if (added == nullptr)
        return nullptr;
    for (std::size_t i = 0; i < chunk_objects; ++i) {
        added->objects[i].pool_ = this;
        added->objects[i].index_ = static_cast<std::uint32_t>(number * chunk_objects + i);
    }
    // Release: partner of the acquires here and in at().
    if (!place.compare_exchange_strong(existing, added, std::memory_order_acq_rel, std::memory_order_acquire)) {
        delete added; // another thread was faster
        return existing;
    }
    chunks_allocated_.fetch_add(1, std::memory_order_relaxed);
    return added;
}

} // namespace madrigal::engine
