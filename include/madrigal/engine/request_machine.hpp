// The life of an agent's requests, from acceptance to their one outcome.
#pragma once

#include <madrigal/engine/deadline_wheel.hpp>
#include <madrigal/engine/destination_limit.hpp>
#include <madrigal/engine/flow_window.hpp>
#include <madrigal/engine/object_pool.hpp>
#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/retry_policy.hpp>
#include <madrigal/engine/time.hpp>
#include <madrigal/engine/transaction_table.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace madrigal::engine {

/// What an answer must be about to be one.
struct asked {
    std::uint32_t attribute_modifier = 0;
    std::uint16_t attribute = 0;
    management_class mgmt_class{};

    /// What a request asks, or what an answer is about.
    [[nodiscard]] static asked of(mad_view mad) noexcept
    {
        auto modifier = mad.attribute_modifier();
        if (mad.mgmt_class() == management_class::baseboard)
            modifier &= ~std::uint32_t{1}; // there it is the response bit
        return {modifier, mad.attribute_id(), mad.mgmt_class()};
    }
    /// True if an answer is about what was asked; or is a redirection, which may be about ClassPortInfo instead (IBA
    /// 13.5.2).
    [[nodiscard]] bool is_answered_by(mad_view mad) const noexcept
    {
        if (*this == of(mad))
            return true;
        return mgmt_class == mad.mgmt_class() && !is_smp(mgmt_class) &&
               mad.attribute_id() == attribute_id::class_port_info &&
               (mad.status() & mad_status::redirect_required) != 0;
    }
    friend bool operator==(asked const&, asked const&) noexcept = default;
};

/// How many requests an agent may have where.
struct machine_options {
    window_options window{};          ///< on the wire
    unsigned per_destination = 0;     ///< of these, to one destination; 0: no limit
    std::size_t queue_limit = 65'536; ///< requests waiting for a place
    unsigned kernel_limit = 128; ///< how many of an agent's requests a kernel may send at a time (see kernel_backlog)
};

/// A request that is nothing else.
struct no_base {};

/// The requests of one agent, without I/O and without a clock. It accepts a request or refuses it, says which packet is
/// to be written next, and turns what the kernel reads back, the passing of time and cancellation into outcomes: each
/// request's `Operation` (the caller's continuation; default-constructible, movable) is handed back exactly once.
///
///     start ──> queued ──> on_wire ──────────────────────────> finished
///       │        │  ▲        │  answer, last timeout, guard       ▲
///       │        ▼  │        │                                    │ answer, timeout, guard
///       │      parked        └── cancel ──> abandoned ────────────┘ (nobody is told)
///       └──> on_wire
///
/// *queued* waits for a place in the window, *parked* for one at its destination. *abandoned* has been cancelled while
/// the kernel has it: its slot and its places stay taken until the kernel cannot send it any more.
///
/// Where a write may take long, somebody else makes it: between `hand_over` and `take_back` a request is on the wire as
/// far as places and cancellation go, but has no guard deadline, and no answer can be one to it.
///
/// A request is made by its caller, on any thread, in memory from a pool, and is the machine's from `start` to its end.
/// The machine belongs to one thread. `Base` is what else a request is for its maker: a node of a queue, say.
template <class Operation, class Base = no_base>
class request_machine {
    enum class stage : std::uint8_t { queued, parked, ready, on_wire, abandoned };

public:
    /// One request. Its maker sets packet, operation and terms before `start`.
    class request : deadline_node, parked_node, public Base, public pooled<request> {
    public:
        static constexpr std::size_t pool_chunk = 64;

        request() = default;

        /// The lower half of its transaction id; never 0 once it has been started.
        [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
        /// A 64-byte umad header, of which timeout, retries and transaction id are filled by `prepare`, and the MAD.
        /// There from its setting until the last `written` or a `hand_over`.
        [[nodiscard]] engine::packet& packet() noexcept { return *packet_; }
        /// Sets what `packet` gives.
        void set_packet(packet_ptr packet) noexcept { packet_ = std::move(packet); }
        [[nodiscard]] bool has_packet() const noexcept { return static_cast<bool>(packet_); }
        /// Who waits for its outcome.
        [[nodiscard]] Operation& operation() noexcept { return operation_; }
        /// The schedule's `total` counts from the first write. `destination` is any number that stands for the port
        /// where the MAD ends.
        void set_terms(std::uint64_t destination, retry_schedule const& schedule) noexcept
        {
            destination_ = destination;
            schedule_ = schedule;
        }
        /// Whatever its owner needs to find it again after `hand_over`.
        [[nodiscard]] std::uint64_t ticket() const noexcept { return ticket_; }
        /// Sets what `ticket` gives.
        void set_ticket(std::uint64_t ticket) noexcept { ticket_ = ticket; }
        /// It has been on the wire before what was prepared last.
        [[nodiscard]] bool is_repeated() const noexcept
        {
            return schedule_.transmissions() > std::uint64_t{submission_.retries} + 1;
        }
        /// The pool's: nothing is held any more.
        void recycle() noexcept
        {
            packet_.reset();
            if (operation_)
                operation_ = {};
            handed_over_ = in_transfer_ = false;
        }

    private:
        friend class request_machine;

        std::uint32_t id_ = 0;
        flow_window::round round_ = flow_window::no_round;
        asked asked_{};
        stage stage_ = stage::queued;
        bool handed_over_ = false;
        bool in_transfer_ = false; // of RMPP, by its owner: the kernel does not have it, or no more
        submission submission_{};  // of the last `prepare`
        std::uint64_t destination_ = 0;
        std::uint64_t ticket_ = 0;
        time_point written_{}; // or prepared, while it is not written
        retry_schedule schedule_{};
        packet_ptr packet_;
        Operation operation_{};
    };
    /// Owns a request before its start, and after its end.
    using request_ptr = pooled_ptr<request>;
    /// Where requests come from.
    using request_pool = object_pool<request>;

    /// What becomes of a request at its start.
    enum class admission : std::uint8_t {
        write, ///< write it now: `prepare`, write, then `written` or `finish`
        wait,  ///< accepted, behind others
        full,  ///< refused; it is still its maker's
    };
    /// What `start` says.
    struct started {
        admission how = admission::full;
        request* entry = nullptr; ///< nullptr if refused
    };

    /// What an answer or a report means.
    enum class verdict : std::uint8_t {
        complete, ///< `finish` the request and complete its operation
        again,    ///< write it again: `prepare`, write, then `written` or `finish`
        late,     ///< it had been cancelled; its places are free now
        stale,    ///< no such request
        mismatch, ///< the transaction is there, but this is no answer to what was asked
    };
    /// What `on_answer` and `on_timeout` say.
    struct judged {
        verdict what = verdict::stale;
        request* entry = nullptr; ///< nullptr for late and stale
    };

    explicit request_machine(machine_options const& options)
        : options_{options},
          window_{options.window},
          limit_{options.per_destination},
          table_{transaction_table<request*>::index_limit}
    {}
    request_machine(request_machine const&) = delete;
    request_machine& operator=(request_machine const&) = delete;
    /// Requests that it still has go back to their pool, and nobody is told.
    ~request_machine() { (void)end_all(); }

    /// Takes a request over, unless it is refused. With `hold` it waits for `next_to_write` even where there is a
    /// place, as long as the queue has room.
    [[nodiscard]] started start(request_ptr& made, bool hold = false)
    {
        auto& entry = *made;
        bool const at_once =
            queued_.empty() && ready_.empty() && window_.free() != 0 && !(hold && waiting_ < options_.queue_limit);
        bool const placed = at_once && limit_.try_take(entry.destination_);
        if (!placed && waiting_ >= options_.queue_limit)
            return {};
        auto** const slot = table_.acquire(entry.id_);
        if (slot == nullptr) {
            if (placed)
                unpark_next(entry.destination_);
            return {};
        }
        *slot = made.release();
        entry.asked_ = asked::of(mad_of(entry));
        if (placed) {
            take_place(entry);
            return {admission::write, &entry};
        }
        ++waiting_;
        if (at_once) {
            entry.stage_ = stage::parked;
            limit_.park(entry.destination_, entry);
        } else {
            entry.stage_ = stage::queued;
            queued_.append(entry);
        }
        return {admission::wait, &entry};
    }

    /// The next waiting request for which there are places now, with the places taken: write it as one that was
    /// admitted. nullptr when there is none. To be asked after every event that may have freed a place.
    [[nodiscard]] request* next_to_write()
    {
        while (window_.free() != 0) {
            auto* entry = ready_.first();
            if (entry != nullptr) {
                ready_.unlink(*entry);
            } else {
                entry = queued_.first();
                if (entry == nullptr)
                    return nullptr;
                bool const placed = limit_.try_take(entry->destination_); // before anything changes: it may allocate
                queued_.unlink(*entry);
                if (!placed) {
                    entry->stage_ = stage::parked;
                    limit_.park(entry->destination_, *entry);
                    continue;
                }
            }
            --waiting_;
            take_place(*entry);
            return entry;
        }
        return nullptr;
    }

    /// Completes the packet for a write at `now`: transaction id, timeout and retries. False where its time is up, so
    /// that it ends as timed out instead.
    [[nodiscard]] bool prepare(request& entry, time_point now) noexcept
    {
        if (entry.schedule_.transmissions() == 0)
            entry.schedule_.begin(now);
        auto const what = entry.schedule_.next(now);
        if (!what)
            return false;
        auto& header = header_of(*entry.packet_);
        header.timeout_ms = what->timeout_ms;
        header.retries = what->retries;
        entry.submission_ = *what;
        entry.written_ = now;
        mutable_mad_view{entry.packet_->contents().subspan(umad::header_size)}.set_transaction_id(entry.id_);
        return true;
    }

    /// The packet prepared last is given away, to be written by somebody else.
    [[nodiscard]] packet_ptr hand_over(request& entry) noexcept
    {
        entry.handed_over_ = true;
        return std::move(entry.packet_);
    }
    /// The request of this id if it has been handed over and not been taken back; else nullptr.
    [[nodiscard]] request* handed_over(std::uint32_t id) noexcept
    {
        auto* entry = find(id);
        return entry != nullptr && entry->handed_over_ ? entry : nullptr;
    }
    /// The packet handed over is back: now `written` or `finish`. Without a packet it has not been written and will not
    /// be: `cancel` it.
    void take_back(request& entry, packet_ptr packet) noexcept
    {
        entry.handed_over_ = false;
        entry.packet_ = std::move(packet);
    }

    /// The packet prepared last has been written at `now`. Returns the guard deadline, `allowance` later than usual.
    /// The time since `prepare` does not count for the schedule's `total`: the kernel has only now begun to wait.
    time_point written(request& entry, time_point now, duration allowance = duration::zero()) noexcept
    {
        if (now != entry.written_)
            entry.schedule_.postpone(now - entry.written_);
        if (entry.submission_ != usual_.of)
            usual_ = {entry.submission_, entry.submission_.longest(), guard_after(entry.submission_)};
        longest_ = guards_.empty() ? usual_.longest : std::max(longest_, usual_.longest);
        auto const others = static_cast<unsigned>(guards_.size());
        auto const usual = now + (others < options_.kernel_limit
                                         ? usual_.alone
                                         : guard_after(entry.submission_, {others, longest_, options_.kernel_limit}));
        // The total is the caller's, whatever the kernel may take.
        auto const guard = allowance == duration::zero()
                               ? usual
                               : std::min(usual + allowance, std::max(usual, entry.schedule_.deadline()));
        entry.written_ = now;
        guards_.insert(entry, guard);
        if (entry.stage_ == stage::abandoned || entry.schedule_.exhausted(now))
            entry.packet_.reset();
        return guard;
    }

    /// A MAD with a response method for this agent. Nothing in it is trusted: whatever the transaction id, an answer
    /// ends no request but one that the kernel has, and that asked for the same attribute of the same class.
    [[nodiscard]] judged on_answer(mad_view mad, time_point now) noexcept
    {
        auto* entry = on_wire(mad.transaction_id());
        if (entry == nullptr)
            return {};
        if (!entry->asked_.is_answered_by(mad))
            return {verdict::mismatch, entry};
        tell_answer(*entry, now);
        return settled(*entry);
    }

    /// The same for the first packet of an answer that takes several, without any consequence yet.
    [[nodiscard]] judged expects(mad_view mad) noexcept
    {
        auto* entry = on_wire(mad.transaction_id());
        if (entry == nullptr)
            return {};
        if (entry->asked_ != asked::of(mad))
            return {verdict::mismatch, entry};
        return {entry->stage_ == stage::abandoned ? verdict::late : verdict::complete, entry};
    }
    /// An answer that takes several packets has begun to arrive: the kernel has done with the request, and it has no
    /// guard deadline of that any more. It ends by `finish` or `cancel`, or is over now where it had been abandoned.
    /// What its guard deadline is from now on is returned: the end of its total time; `never` without one.
    time_point on_arrival(request& entry, time_point now) noexcept
    {
        if (!entry.in_transfer_)
            tell_answer(entry, now);
        entry.packet_.reset();
        if (entry.stage_ != stage::abandoned)
            return in_transfer(entry);
        (void)finish(entry);
        return never;
    }
    /// The packet prepared last goes by its owner's own transfer. As above.
    time_point in_transfer(request& entry) noexcept
    {
        entry.in_transfer_ = true;
        guards_.erase(entry);
        auto const end = entry.schedule_.deadline();
        if (end != never)
            guards_.insert(entry, end);
        return end;
    }
    /// All of that has reached the peer at `now`: the time for its answer begins, for all transmissions together, as
    /// none of them is the kernel's. Returns the guard deadline.
    time_point transferred(request& entry, time_point now) noexcept
    {
        auto rest = entry.submission_.longest();
        auto schedule = entry.schedule_;
        while (auto const more = schedule.next(now))
            rest += more->longest();
        auto const guard = std::min(now + rest, schedule.deadline());
        entry.written_ = now;
        entry.packet_.reset();
        guards_.insert(entry, guard);
        return guard;
    }
    /// The request of this id, if the kernel has it or had it, and it waits for an outcome.
    [[nodiscard]] request* under_way(std::uint32_t id) noexcept
    {
        auto* entry = find(id);
        return entry != nullptr && entry->stage_ == stage::on_wire ? entry : nullptr;
    }

    /// The kernel's report that a request (full transaction id, host byte order) got no answer. It is written again
    /// where its schedule has more transmissions: until then it keeps its places.
    [[nodiscard]] judged on_timeout(std::uint64_t transaction_id, time_point now) noexcept
    {
        auto* entry = on_wire(transaction_id);
        if (entry == nullptr || entry->in_transfer_)
            return {};
        window_.on_timeout(std::exchange(entry->round_, flow_window::no_round));
        if (entry->stage_ == stage::on_wire && entry->packet_ && !entry->schedule_.exhausted(now)) {
            guards_.erase(*entry);
            return {verdict::again, entry};
        }
        return settled(*entry);
    }

    /// Ends a request: its id and places are free, and its operation is the caller's to complete.
    [[nodiscard]] request_ptr finish(request& entry) noexcept
    {
        release(entry);
        entry.packet_.reset(); // whoever is told may need it
        return request_ptr{&entry};
    }

    /// Cancels what still waits (then the slot is free) or, with `on_wire_too`, what is on the wire (then it stays
    /// abandoned). Gives the operation back, or an empty one where there is nothing to cancel. What has been admitted
    /// and not written, or is to be written again, is not on the wire: it ends at once. What has been handed over may
    /// be on it any moment, and counts as if it were.
    [[nodiscard]] Operation cancel(std::uint32_t id, bool on_wire_too) noexcept
    {
        auto* entry = find(id);
        if (entry == nullptr || entry->stage_ == stage::abandoned)
            return {};
        if (entry->in_transfer_)
            return on_wire_too ? std::move(finish(*entry)->operation_) : Operation{};
        // Without a guard the kernel does not have it.
        if (entry->stage_ != stage::on_wire || (!entry->linked() && !entry->handed_over_))
            return std::move(finish(*entry)->operation_);
        if (!on_wire_too)
            return {};
        entry->stage_ = stage::abandoned;
        entry->packet_.reset();
        return std::move(entry->operation_);
    }

    /// The earliest guard deadline; `never` if nothing is on the wire.
    [[nodiscard]] time_point next_deadline() const noexcept { return guards_.next(); }

    /// Ends the requests whose guard deadline has passed and calls `on_expired(Operation)` for each that was not
    /// abandoned. At most `budget` of them; `next_deadline()` stays in the past when there are more.
    template <class F>
    std::size_t expire(time_point now, F&& on_expired, std::size_t budget = deadline_wheel::unlimited)
    {
        return guards_.expire(
            now,
            [&](deadline_node& node) {
                auto& entry = static_cast<request&>(node);
                bool const told = entry.stage_ != stage::abandoned;
                window_.on_timeout(std::exchange(entry.round_, flow_window::no_round));
                auto const ended = finish(entry);
                if (told)
                    on_expired(std::move(ended->operation_));
            },
            budget);
    }

    /// Ends everything at once, abandoned requests included, and gives the operations that wait for an outcome, in no
    /// order. Afterwards nothing is held.
    [[nodiscard]] std::vector<Operation> end_all()
    {
        std::vector<Operation> operations;
        operations.reserve(table_.size());
        // Places first, so that releasing one request does not make another ready.
        table_.for_each([&](std::uint32_t, request* entry) {
            if (entry->stage_ == stage::parked)
                limit_.unpark(*entry);
        });
        table_.for_each([&](std::uint32_t, request* entry) {
            bool const told = entry->stage_ != stage::abandoned;
            if (entry->stage_ == stage::parked) {
                entry->stage_ = stage::queued;
                queued_.append(*entry);
            }
            auto const ended = finish(*entry);
            if (told)
                operations.push_back(std::move(ended->operation_));
        });
        return operations;
    }

    /// Slots in use, abandoned requests included.
    [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
    /// Requests waiting for a place.
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    /// Its size, and the places taken.
    [[nodiscard]] flow_window const& window() const noexcept { return window_; }
    [[nodiscard]] std::size_t queue_limit() const noexcept { return options_.queue_limit; }

private:
    static umad::ib_user_mad_hdr& header_of(engine::packet& p) noexcept
    {
        return *reinterpret_cast<umad::ib_user_mad_hdr*>(p.bytes.data());
    }
    static mad_view mad_of(request& entry) noexcept
    {
        return mad_view{std::as_const(*entry.packet_).contents().subspan(umad::header_size)};
    }

    /// Requests that wait, in an order.
    class request_list {
    public:
        [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
        [[nodiscard]] request* first() const noexcept { return static_cast<request*>(first_); }
        // By the links of a node that is not parked.
        void append(request& entry) noexcept
        {
            parked_node& node = entry;
            node.previous = last_;
            node.next = nullptr;
            (last_ != nullptr ? last_->next : first_) = &node;
            last_ = &node;
        }
        void unlink(request& entry) noexcept
        {
            parked_node& node = entry;
            (node.previous != nullptr ? node.previous->next : first_) = node.next;
            (node.next != nullptr ? node.next->previous : last_) = node.previous;
            node.next = node.previous = nullptr;
        }

    private:
        parked_node* first_ = nullptr;
        parked_node* last_ = nullptr;
    };
    /// What `written` needs to know about a submission: most are the same.
    struct known_lengths {
        submission of{};
        duration longest{0};
        duration alone{0}; // guard_after, where the kernel holds nothing back
    };

    request* find(std::uint32_t id) noexcept
    {
        auto** const slot = table_.find(id);
        return slot != nullptr ? *slot : nullptr;
    }
    /// The request that the kernel has under this transaction id. The upper half is the kernel's own.
    request* on_wire(std::uint64_t transaction_id) noexcept
    {
        auto* entry = find(static_cast<std::uint32_t>(transaction_id));
        if (entry == nullptr || (entry->stage_ != stage::on_wire && entry->stage_ != stage::abandoned))
            return nullptr;
        return entry->handed_over_ ? nullptr : entry;
    }

    void take_place(request& entry) noexcept
    {
        entry.stage_ = stage::on_wire;
        entry.round_ = window_.try_take();
        assert(entry.round_ != flow_window::no_round);
    }
    void tell_answer(request& entry, time_point now) noexcept
    {
        auto const lost = entry.submission_.lost_by(now - entry.written_);
        window_.on_answer(std::exchange(entry.round_, flow_window::no_round), lost);
    }

    judged settled(request& entry) noexcept
    {
        if (entry.stage_ != stage::abandoned)
            return {verdict::complete, &entry};
        (void)finish(entry);
        return {verdict::late, nullptr};
    }

    void release(request& entry) noexcept
    {
        switch (entry.stage_) {
        case stage::queued:
            queued_.unlink(entry);
            --waiting_;
            break;
        case stage::parked:
            limit_.unpark(entry);
            --waiting_;
            break;
        case stage::ready:
            ready_.unlink(entry);
            --waiting_;
            unpark_next(entry.destination_);
            break;
        case stage::on_wire:
        case stage::abandoned:
            guards_.erase(entry);
            window_.give_back(entry.round_);
            unpark_next(entry.destination_);
            break;
        }
        table_.release(entry.id_);
    }

    /// A place at the destination is free: whoever is parked there first becomes ready.
    void unpark_next(std::uint64_t destination) noexcept
    {
        if (auto* node = limit_.give_back(destination); node != nullptr) {
            auto& next = static_cast<request&>(*node);
            next.stage_ = stage::ready;
            ready_.append(next);
        }
    }

    machine_options options_;
    flow_window window_;
    destination_limit limit_;
    transaction_table<request*> table_;
    deadline_wheel guards_;
    duration longest_{0};
    std::size_t waiting_ = 0;
    known_lengths usual_{{}, submission{}.longest(), guard_after(submission{})};
    request_list queued_; // in the order of their starts
    request_list ready_;  // places at their destinations taken, waiting for the window
};

} // namespace madrigal::engine
