// Every order in which a few threads can do their atomic operations, and every value that the memory model lets them
// read.
#pragma once

#include "engine/fiber.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace madrigal::testing {

/// What a thread can rely on seeing, or what somebody sees who acquires what it has released.
struct known {
    std::uint32_t facts = 0; ///< plain writes, by a number below 32 that the model gives them
    std::uint32_t turn = 0;  ///< a counter that only one thread writes
    std::uint32_t seen = 0;  ///< the newest write of the atomic: no older one can be read any more

    void join(known const& other) noexcept
    {
        facts |= other.facts;
        turn = std::max(turn, other.turn);
        seen = std::max(seen, other.seen);
    }
};

/// Runs threads step by step in every possible order, depth first, each order from the beginning. An order that comes
/// to a state in which another has been is given up there: it has no other future.
///
/// A thread's own state is known by the values it has observed since it last said that nothing but a label matters
/// (`forget`); the rest of the state is told by the model.
class interleavings {
public:
    struct thread {
        std::string name;
        std::function<void()> body;
    };
    /// One run of the threads, made anew for each order.
    class model {
    public:
        model() = default;
        model(model const&) = delete;
        model& operator=(model const&) = delete;
        virtual ~model() = default;
        virtual std::vector<thread> threads() = 0;
        /// All that threads share, besides the atomic.
        virtual void append_state(std::string& to) const = 0;
        /// What is wrong now, before each step; nothing where all is well.
        [[nodiscard]] virtual std::optional<std::string> check() const = 0;
        /// What is wrong once all threads have ended, or none can go on.
        [[nodiscard]] virtual std::optional<std::string> check_end(bool all_ended) const = 0;
    };
    struct outcome {
        std::optional<std::string> failure; ///< with the order that has led to it
        std::uint64_t orders = 0;
        std::uint64_t states = 0;
        std::uint64_t complete = 0; ///< orders that were followed to their end
    };

    enum class memory : std::uint8_t {
        newest, ///< a load finds the newest value: interleavings alone
        stale,  ///< a load finds any value that the memory model allows, and a weak comparison may fail once a thread
    };

    /// Explores all of it, or up to the first failure.
    template <class Make>
    static outcome explore(memory how, Make const& make)
    {
        interleavings all;
        all.memory_ = how;
        current_ = &all;
        do
            all.follow(make);
        while (!all.failure_ && all.next_order());
        all.fibers_.clear();
        current_ = nullptr;
        return {all.failure_, all.orders_, all.states_.size(), all.complete_};
    }

    /// The one that is exploring; of atomics outside of threads none.
    static interleavings& current() noexcept { return *current_; }

    // For threads, and for the atomics that they use.

    /// Whether a thread runs, and not the model's own code between steps.
    [[nodiscard]] bool stepping() const noexcept { return running_ != nullptr; }
    /// The run has been given up: threads run to their ends, one after the other.
    [[nodiscard]] bool abandoned() const noexcept { return abandoned_; }
    /// What the thread does next happens in one step, once `possible`. Returns when its turn has come.
    void step(char const* what, std::function<bool()> possible = nullptr)
    {
        if (abandoned_)
            return;
        running_->next = what;
        running_->possible = std::move(possible);
        auto* const self = running_;
        self->stack->pause();
    }
    /// One of `count` things that can happen in this step; each is followed.
    std::uint32_t choose(std::uint32_t count)
    {
        if (abandoned_ || count == 1)
            return 0;
        if (place_ == path_.size())
            path_.push_back({0, count});
        assert(path_[place_].count == count && "the threads are not deterministic");
        return path_[place_++].chosen;
    }
    /// The result of a step.
    void observe(unsigned value)
    {
        running_->observed.push_back(static_cast<char>(value));
        if (!abandoned_)
            trace_.back().observed = value;
    }
    /// What it has observed since `forget` does not matter, apart from what it observes next.
    void repeat() { running_->observed.resize(running_->labelled); }
    /// Nothing of what the thread has observed matters from here on but this.
    void forget(std::string const& label)
    {
        running_->observed = "!" + label;
        running_->labelled = running_->observed.size();
    }
    /// What the running thread knows.
    [[nodiscard]] known& mine() noexcept { return running_->knows; }
    [[nodiscard]] bool may_be_stale() const noexcept { return memory_ == memory::stale; }
    [[nodiscard]] bool may_fail_spuriously() const noexcept
    {
        return may_be_stale() && running_->spurious_failures == 0;
    }
    void fail_spuriously() noexcept { ++running_->spurious_failures; }
    void fail(std::string const& why)
    {
        if (failure_ || abandoned_)
            return;
        failure_ = why;
        for (auto const& [place, what, observed] : trace_)
            *failure_ += "\n  " + threads_[place].name + ": " + what + ", " + std::to_string(observed);
        abandoned_ = true;
    }

    // For the model and the atomic.

    /// What that thread does next, nullptr when it has ended.
    [[nodiscard]] char const* next_of(std::size_t place) const
    {
        return threads_[place].ended ? nullptr : threads_[place].next;
    }
    /// The oldest write that any thread can still read.
    [[nodiscard]] std::uint32_t oldest_readable() const noexcept
    {
        auto oldest = ~std::uint32_t{0};
        for (auto const& one : threads_)
            if (!one.ended)
                oldest = std::min(oldest, one.knows.seen);
        return oldest;
    }
    void set_memory(std::function<void(std::string&)> append) { append_memory_ = std::move(append); }
    /// How the atomic's values are told from each other: a number below 128 for each.
    void set_codes(std::function<unsigned(void const*)> codes) { codes_ = std::move(codes); }
    [[nodiscard]] unsigned code_of(void const* value) const { return codes_(value); }

private:
    struct traced {
        std::size_t thread;
        char const* what;
        unsigned observed;
    };
    struct choice {
        std::uint32_t chosen;
        std::uint32_t count;
    };
    struct running {
        fiber* stack = nullptr;
        std::string name{};
        std::function<void()> body{};
        char const* next = "";
        std::function<bool()> possible{};
        std::string observed{};
        std::size_t labelled = 0; // of it, the label
        known knows{};
        unsigned spurious_failures = 0;
        bool ended = false;
    };

    template <class Make>
    void follow(Make const& make)
    {
        ++orders_;
        place_ = 0;
        abandoned_ = false;
        trace_.clear();
        std::unique_ptr<model> const one = make();
        threads_.clear();
        for (auto& wanted : one->threads()) {
            auto& added = threads_.emplace_back();
            added.name = std::move(wanted.name);
            added.body = std::move(wanted.body);
        }
        while (fibers_.size() < threads_.size())
            fibers_.push_back(std::make_unique<fiber>([this, place = fibers_.size()] { threads_[place].body(); }));
        for (std::size_t i = 0; i != threads_.size(); ++i) {
            threads_[i].stack = fibers_[i].get();
            run(threads_[i]); // up to its first step
        }
        while (!abandoned_)
            go_on(*one);
        for (auto& each : threads_)
            while (!each.ended)
                run(each);
    }
    void go_on(model const& one)
    {
        if (auto const wrong = one.check())
            return fail(*wrong);
        bool all_ended = true;
        able_.clear();
        for (std::size_t i = 0; i != threads_.size(); ++i) {
            auto const& each = threads_[i];
            all_ended = all_ended && each.ended;
            if (!each.ended && (!each.possible || each.possible()))
                able_.push_back(i);
        }
        if (able_.empty()) {
            if (auto const wrong = one.check_end(all_ended))
                fail(*wrong);
            ++complete_;
            abandoned_ = true;
            return;
        }
        if (place_ == path_.size() && !states_.insert(state(one)).second) {
            abandoned_ = true;
            return;
        }
        auto const chosen = able_[choose(static_cast<std::uint32_t>(able_.size()))];
        trace_.push_back({chosen, threads_[chosen].next, 0});
        run(threads_[chosen]);
    }
    void run(running& one)
    {
        running_ = &one;
        one.stack->resume();
        running_ = nullptr;
        one.ended = one.stack->ended();
    }
    std::string state(model const& one) const
    {
        std::string all;
        auto const oldest = may_be_stale() ? oldest_readable() : 0;
        for (auto const& each : threads_) {
            all += '\xff';
            if (each.ended)
                continue;
            all += each.observed;
            all += each.next;
            all += {'\xfd', static_cast<char>(each.spurious_failures), static_cast<char>(each.knows.facts),
                static_cast<char>(each.knows.turn)};
            if (may_be_stale())
                all += static_cast<char>(each.knows.seen - oldest);
        }
        append_memory_(all);
        one.append_state(all);
        return all;
    }
    bool next_order()
    {
        while (!path_.empty() && path_.back().chosen + 1 == path_.back().count)
            path_.pop_back();
        if (path_.empty())
            return false;
        ++path_.back().chosen;
        return true;
    }

    static inline interleavings* current_ = nullptr;

    std::vector<choice> path_;
    std::size_t place_ = 0;
    std::vector<running> threads_;
    std::vector<std::unique_ptr<fiber>> fibers_;
    running* running_ = nullptr;
    bool abandoned_ = false;
    std::vector<traced> trace_;
    std::vector<std::size_t> able_;
    memory memory_ = memory::newest;
    std::unordered_set<std::string> states_;
    std::function<void(std::string&)> append_memory_;
    std::function<unsigned(void const*)> codes_;
    std::optional<std::string> failure_;
    std::uint64_t orders_ = 0;
    std::uint64_t complete_ = 0;
};

/// Stands for std::atomic in a model that has one atomic. Each operation is a step. A load, and a comparison that
/// fails, may find any value that is not older than what the thread knows of; a weak comparison may fail for no reason,
/// once a thread. What is released is known to who acquires it, also through later read-modify-writes of others. A weak
/// comparison stands in a loop in which only what it found last matters.
template <class T>
class checked_atomic {
public:
    checked_atomic(T value) : writes_{{value, {}}} // as std::atomic: implicit
    {
        interleavings::current().set_memory([this](std::string& to) { append(to); });
    }
    checked_atomic(checked_atomic const&) = delete;
    checked_atomic& operator=(checked_atomic const&) = delete;
    ~checked_atomic() = default;

    T load(std::memory_order order) const
    {
        auto& all = interleavings::current();
        if (!all.stepping())
            return writes_.back().value;
        all.step("load");
        return read(all.may_be_stale() ? newest() - all.choose(newest() - all.mine().seen + 1) : newest(), order);
    }
    void store(T value, std::memory_order order)
    {
        auto& all = interleavings::current();
        all.step("store");
        write(value, {}, order);
        all.observe(all.code_of(value));
    }
    T exchange(T value, std::memory_order order)
    {
        interleavings::current().step("exchange");
        return read_and_write(value, order);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure)
    {
        interleavings::current().step("compare-exchange");
        return compare_exchange(expected, desired, success, failure, false);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure)
    {
        auto& all = interleavings::current();
        all.step("compare-exchange, weak");
        all.repeat();
        return compare_exchange(expected, desired, success, failure, all.may_fail_spuriously());
    }

private:
    struct written {
        T value;
        known released;
    };

    static bool acquires(std::memory_order order) noexcept
    {
        return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
               order == std::memory_order_seq_cst;
    }
    static bool releases(std::memory_order order) noexcept
    {
        return order == std::memory_order_release || order == std::memory_order_acq_rel ||
               order == std::memory_order_seq_cst;
    }
    [[nodiscard]] std::uint32_t newest() const noexcept { return static_cast<std::uint32_t>(writes_.size() - 1); }

    T read(std::uint32_t place, std::memory_order order) const
    {
        auto& all = interleavings::current();
        auto& mine = all.mine();
        mine.seen = std::max(mine.seen, place);
        if (acquires(order))
            mine.join(writes_[place].released);
        all.observe(all.code_of(writes_[place].value));
        return writes_[place].value;
    }
    void write(T value, known carried, std::memory_order order)
    {
        auto& mine = interleavings::current().mine();
        mine.seen = newest() + 1;
        if (releases(order))
            carried.join(mine);
        writes_.push_back({value, carried});
    }
    T read_and_write(T value, std::memory_order order)
    {
        auto const before = read(newest(), order);
        write(value, writes_.back().released, order);
        return before;
    }
    bool compare_exchange(
        T& expected, T desired, std::memory_order success, std::memory_order failure, bool may_fail_spuriously)
    {
        auto& all = interleavings::current();
        bool const equal = writes_.back().value == expected;
        std::vector<std::uint32_t> others; // that it may find instead
        for (auto place = all.may_be_stale() ? all.mine().seen : newest(); place <= newest(); ++place)
            if (writes_[place].value != expected)
                others.push_back(place);
        auto const ways = others.size() + (equal ? 1 : 0) + (equal && may_fail_spuriously ? 1 : 0);
        std::size_t const way = all.choose(static_cast<std::uint32_t>(ways));
        if (equal && way == 0) {
            read_and_write(desired, success);
            return true;
        }
        if (way + others.size() == ways - 1) { // the one besides the others
            all.fail_spuriously();
            (void)read(newest(), failure);
            return false;
        }
        expected = read(others[ways - 1 - way], failure);
        return false;
    }
    void append(std::string& to) const
    {
        auto const& all = interleavings::current();
        auto const oldest = all.may_be_stale() ? all.oldest_readable() : newest();
        to += '\xfe';
        for (auto place = oldest; place <= newest(); ++place) {
            auto const& one = writes_[place];
            to += {static_cast<char>(all.code_of(one.value)), static_cast<char>(one.released.facts),
                static_cast<char>(one.released.turn),
                static_cast<char>(one.released.seen > oldest ? one.released.seen - oldest : 0)};
        }
    }

    std::vector<written> writes_;
};

} // namespace madrigal::testing
