#include "engine/request_machine_support.hpp"
#include "engine/seeds.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

// A model of the machine ----------------------------------------------------------------------------------------------

/// The same rules, said with lists that are searched.
class model {
public:
    enum class stage : std::uint8_t { waiting, on_wire, abandoned };
    struct entry {
        stage where = stage::waiting;
        std::uint64_t destination = 0;
        retry_policy policy;
        std::optional<retry_schedule> schedule; // from the first write
        std::uint16_t attribute = 0;
        std::size_t operation = 0;
        submission last;
        flow_window::round round = flow_window::no_round;
        time_point written;
        time_point guard = never;
        std::uint64_t guard_order = 0;
        bool has_packet = true;
    };

    explicit model(machine_options const& options) : options_{options}, window{options.window} {}

    [[nodiscard]] bool place_at(std::uint64_t destination) const
    {
        auto const taken = places.find(destination);
        return options_.per_destination == 0 || taken == places.end() || taken->second < options_.per_destination;
    }
    [[nodiscard]] std::size_t waiting() const
    {
        std::size_t all = queued.size() + ready.size();
        for (auto const& [destination, line] : parked)
            all += line.size();
        return all;
    }
    [[nodiscard]] admission expected(std::uint64_t destination) const
    {
        if (queued.empty() && ready.empty() && window.free() != 0 && place_at(destination))
            return admission::write;
        return waiting() < options_.queue_limit ? admission::wait : admission::full;
    }
    void started(std::uint32_t id, entry const& added, admission how)
    {
        auto& own = entries[id] = added;
        if (how == admission::write)
            take_places(own);
        else if (queued.empty() && ready.empty() && window.free() != 0)
            parked[own.destination].push_back(id);
        else
            queued.push_back(id);
    }
    /// The id of the request that is written next; 0 for none.
    std::uint32_t next()
    {
        while (window.free() != 0) {
            if (!ready.empty()) {
                auto const id = ready.front();
                ready.pop_front();
                entries[id].round = window.try_take();
                entries[id].where = stage::on_wire;
                return id;
            }
            if (queued.empty())
                return 0;
            auto const id = queued.front();
            queued.pop_front();
            if (place_at(entries[id].destination)) {
                take_places(entries[id]);
                return id;
            }
            parked[entries[id].destination].push_back(id);
        }
        return 0;
    }
    void answer(entry& own, time_point now)
    {
        auto const lost = (now - own.written - 1ns) / std::chrono::milliseconds{own.last.timeout_ms};
        window.on_answer(
            own.round, static_cast<unsigned>(std::clamp<std::int64_t>(lost, 0, std::max(own.last.retries, 1U))));
        own.round = flow_window::no_round;
    }
    void time_out(entry& own)
    {
        window.on_timeout(own.round);
        own.round = flow_window::no_round;
    }
    void end(std::uint32_t id)
    {
        auto const ended = entries[id];
        if (ended.where != stage::waiting) {
            window.give_back(ended.round);
            give_back(ended.destination);
        } else if (std::erase(queued, id) == 0) {
            if (std::erase(ready, id) != 0)
                give_back(ended.destination);
            else
                std::erase(parked[ended.destination], id);
        }
        entries.erase(id);
    }
    [[nodiscard]] std::size_t packets() const
    {
        return static_cast<std::size_t>(
            std::count_if(entries.begin(), entries.end(), [](auto const& one) { return one.second.has_packet; }));
    }

    std::map<std::uint32_t, entry> entries;
    std::deque<std::uint32_t> queued;
    std::deque<std::uint32_t> ready;
    std::map<std::uint64_t, std::deque<std::uint32_t>> parked;
    std::map<std::uint64_t, unsigned> places;

private:
    void take_places(entry& own)
    {
        own.where = stage::on_wire;
        own.round = window.try_take();
        ++places[own.destination];
    }
    void give_back(std::uint64_t destination)
    {
        if (auto& line = parked[destination]; !line.empty()) {
            ready.push_back(line.front()); // with the place
            line.pop_front();
        } else if (--places[destination] == 0) {
            places.erase(destination);
        }
    }

    machine_options options_;

public:
    flow_window window;
};

class RandomRequests : public with_machine, public ::testing::WithParamInterface<std::uint64_t> {
protected:
    std::mt19937_64 random{GetParam()};
    ::testing::ScopedTrace trace{__FILE__, __LINE__, "MADRIGAL_SEED=" + std::to_string(GetParam())};

    std::uint64_t pick(std::uint64_t below)
    {
        return std::uniform_int_distribution<std::uint64_t>{0, below - 1}(random);
    }
    machine_options some_options()
    {
        machine_options options;
        options.window.size = static_cast<unsigned>(1 + pick(24));
        options.window.adaptive = pick(2) == 0;
        options.window.maximum = 40;
        options.per_destination = static_cast<unsigned>(pick(4));
        options.queue_limit = pick(60);
        options.kernel_limit = static_cast<unsigned>(1 + pick(16));
        return options;
    }
    retry_policy some_policy()
    {
        return {.timeout = std::chrono::milliseconds{1 + pick(300)},
            .retries = static_cast<unsigned>(pick(5)),
            .pace = pick(2) == 0 ? retry_policy::backoff::fixed : retry_policy::backoff::doubling,
            .total = std::chrono::milliseconds{pick(3) == 0 ? 1 + pick(1000) : 0},
            .fixed_rounds = static_cast<unsigned>(pick(3))};
    }
    /// The id of any request, or of any that the kernel has; 0 where there is none.
    std::uint32_t some_id(model const& expected, bool on_wire_only)
    {
        std::vector<std::uint32_t> ids;
        for (auto const& [id, entry] : expected.entries)
            if (!on_wire_only || entry.where != model::stage::waiting)
                ids.push_back(id);
        return ids.empty() ? 0 : ids[pick(ids.size())];
    }
};

/// A machine and its model, driven side by side.
class pair_of_both {
public:
    pair_of_both(machine_options const& options, ledger& book) : real{options}, expected{options}, book_{book} {}

    machine real;
    model expected;

    /// Writes a request that has its places; the write may fail, and its time may be up.
    void write(machine::request& entry, time_point now, bool fails)
    {
        auto const id = entry.id();
        auto& own = expected.entries.at(id);
        if (!own.schedule)
            own.schedule.emplace(own.policy, now);
        auto const what = own.schedule->next(now);
        ASSERT_EQ(real.prepare(entry, now), what.has_value());
        if (!what || fails) {
            ASSERT_EQ(real.finish(entry)->operation().complete(), own.operation);
            expected.end(id);
            return;
        }
        ASSERT_EQ(header_of(entry).timeout_ms, what->timeout_ms);
        ASSERT_EQ(header_of(entry).retries, what->retries);
        ASSERT_EQ(mad_of(entry).transaction_id(), id);
        own.last = *what;
        own.written = now;
        own.guard = real.written(entry, now);
        own.guard_order = ++guards_;
        own.has_packet = !own.schedule->exhausted(now);
        ASSERT_GT(own.guard, now + what->length());
    }
    void write_waiting(time_point now, std::uint64_t how_many)
    {
        while (how_many-- != 0) {
            auto* entry = real.next_to_write();
            auto const id = expected.next();
            ASSERT_EQ(entry != nullptr ? entry->id() : 0, id);
            if (entry == nullptr)
                return;
            write(*entry, now, id % 13 == 0);
        }
    }
    void finish(machine::judged const& judged, std::uint32_t id)
    {
        auto const operation = expected.entries.at(id).operation;
        ASSERT_EQ(judged.entry->id(), id);
        ASSERT_EQ(real.finish(*judged.entry)->operation().complete(), operation);
        expected.end(id);
    }
    void expect_equal(packet_pool const& pool) const
    {
        ASSERT_EQ(real.size(), expected.entries.size());
        ASSERT_EQ(real.waiting(), expected.waiting());
        ASSERT_EQ(real.window().in_use(), expected.window.in_use());
        ASSERT_EQ(real.window().size(), expected.window.size());
        ASSERT_EQ(pool.in_use(), expected.packets());
        ASSERT_TRUE(book_.lost().empty());
    }

private:
    ledger& book_;
    std::uint64_t guards_ = 0;
};

class RandomEvents : public RandomRequests {
protected:
    void start(pair_of_both& both)
    {
        model::entry added;
        added.destination = pick(6) == 0 ? 1 : pick(12);
        added.policy = some_policy();
        added.attribute = static_cast<std::uint16_t>(pick(3));
        auto request = made(question(pool, added.attribute), added.destination, added.policy);
        added.operation = request->operation().number();
        auto const how = both.expected.expected(added.destination);
        auto const got = both.real.start(request);
        ASSERT_EQ(got.how, how);
        if (how == admission::full) {
            ASSERT_TRUE(request);
            ASSERT_EQ(request->operation().complete(), added.operation);
            return;
        }
        auto const id = got.entry->id();
        ASSERT_NE(id, 0U);
        ASSERT_EQ(both.expected.entries.count(id), 0U) << "an id in use was given out again";
        both.expected.started(id, added, how);
        ids_.push_back(id);
        if (how == admission::write)
            both.write(*got.entry, now, pick(20) == 0);
    }
    void answer_one(pair_of_both& both)
    {
        auto const id = some_id(both.expected, true);
        if (id == 0)
            return;
        auto& own = both.expected.entries.at(id);
        auto const wrong = pick(10) == 0;
        auto const attribute = static_cast<std::uint16_t>(own.attribute + (wrong ? 1 : 0));
        auto const judged = both.real.on_answer(answer{random() << 32 | id, attribute}, now);
        if (wrong) {
            ASSERT_EQ(judged.what, verdict::mismatch);
            return;
        }
        both.expected.answer(own, now);
        settled(both, judged, id);
    }
    void report_one(pair_of_both& both)
    {
        auto const id = some_id(both.expected, true);
        if (id == 0)
            return;
        auto& own = both.expected.entries.at(id);
        if (pick(2) == 0)
            now = std::max(now, std::min(own.written + own.last.length(), now + 2s));
        auto const judged = both.real.on_timeout(random() << 32 | id, now);
        both.expected.time_out(own);
        if (own.where == model::stage::on_wire && own.has_packet && !own.schedule->exhausted(now)) {
            ASSERT_EQ(judged.what, verdict::again);
            ASSERT_EQ(judged.entry->id(), id);
            both.write(*judged.entry, now, pick(20) == 0);
            return;
        }
        settled(both, judged, id);
    }
    static void settled(pair_of_both& both, machine::judged const& judged, std::uint32_t id)
    {
        if (both.expected.entries.at(id).where == model::stage::abandoned) {
            ASSERT_EQ(judged.what, verdict::late);
            both.expected.end(id);
        } else {
            ASSERT_EQ(judged.what, verdict::complete);
            both.finish(judged, id);
        }
    }
    void disturb(pair_of_both& both)
    {
        // Ids of earlier requests, of waiting ones, and made-up ones.
        auto const old =
            static_cast<std::uint32_t>(!ids_.empty() && pick(3) != 0 ? ids_[pick(ids_.size())] : random() >> pick(33));
        auto const found = both.expected.entries.find(old);
        if (found != both.expected.entries.end() && found->second.where != model::stage::waiting)
            return;
        ASSERT_EQ(both.real.on_answer(answer{random() << 32 | old}, now).what, verdict::stale);
        ASSERT_EQ(both.real.on_timeout(random() << 32 | old, now).what, verdict::stale);
        if (found == both.expected.entries.end()) {
            ASSERT_FALSE(both.real.cancel(old, true));
        }
    }
    void cancel_one(pair_of_both& both)
    {
        auto const id = some_id(both.expected, false);
        if (id == 0)
            return;
        auto& own = both.expected.entries.at(id);
        auto const on_wire_too = pick(2) == 0;
        auto operation = both.real.cancel(id, on_wire_too);
        if (own.where == model::stage::abandoned || (own.where == model::stage::on_wire && !on_wire_too)) {
            ASSERT_FALSE(operation);
            return;
        }
        ASSERT_EQ(operation.complete(), own.operation);
        if (own.where == model::stage::waiting) {
            both.expected.end(id);
        } else {
            own.where = model::stage::abandoned;
            own.has_packet = false;
        }
    }
    void pass_time(pair_of_both& both)
    {
        now += duration{pick(pick(10) == 0 ? 3'000'000'000 : 30'000'000)};
        auto const budget = pick(3) == 0 ? pick(4) : deadline_wheel::unlimited;
        std::vector<std::pair<time_point, std::uint64_t>> due;
        std::map<std::uint64_t, std::uint32_t> by_order;
        for (auto const& [id, own] : both.expected.entries)
            if (own.where != model::stage::waiting && own.guard <= now) {
                due.emplace_back(own.guard, own.guard_order);
                by_order[own.guard_order] = id;
            }
        std::sort(due.begin(), due.end());
        due.resize(std::min(due.size(), budget));
        std::vector<std::size_t> told;
        for (auto const& [guard, order] : due) {
            auto const id = by_order.at(order);
            if (both.expected.entries.at(id).where == model::stage::on_wire)
                told.push_back(both.expected.entries.at(id).operation);
            both.expected.time_out(both.expected.entries.at(id));
            both.expected.end(id);
        }
        std::vector<std::size_t> heard;
        auto const count = both.real.expire(
            now, [&](counted operation) { heard.push_back(operation.complete()); }, budget);
        ASSERT_EQ(count, due.size());
        ASSERT_EQ(heard, told);
        time_point earliest = never;
        for (auto const& [id, own] : both.expected.entries)
            if (own.where != model::stage::waiting)
                earliest = std::min(earliest, own.guard);
        ASSERT_LE(both.real.next_deadline(), earliest);
        ASSERT_EQ(both.real.next_deadline() == never, earliest == never);
    }
    void end_all(pair_of_both& both)
    {
        std::vector<std::size_t> told;
        for (auto const& [id, own] : both.expected.entries)
            if (own.where != model::stage::abandoned)
                told.push_back(own.operation);
        std::vector<std::size_t> heard;
        for (auto& operation : both.real.end_all())
            heard.push_back(operation.complete());
        std::sort(told.begin(), told.end());
        std::sort(heard.begin(), heard.end());
        ASSERT_EQ(heard, told);
        while (!both.expected.entries.empty())
            both.expected.end(both.expected.entries.begin()->first);
        expect_empty(both.real);
        ASSERT_EQ(pool.in_use(), 0U);
    }
    /// Every destination has all of its places again, and the window too.
    void expect_all_places_free(pair_of_both& both, machine_options const& options)
    {
        for (std::uint64_t destination = 0; destination < 12; ++destination)
            for (unsigned place = 0; place < options.per_destination && both.real.window().free() != 0; ++place)
                ASSERT_EQ(ask(both.real, destination).how, admission::write);
        while (options.per_destination == 0 && both.real.window().free() != 0)
            ASSERT_EQ(ask(both.real, 1).how, admission::write);
        for (auto& operation : both.real.end_all())
            operation.complete();
        expect_empty(both.real);
    }

    std::vector<std::uint32_t> ids_; // all that were given out
};

TEST_P(RandomEvents, BehaveAsTheModelAndEndEachOperationOnce)
{
    for (int round = 0; round < 40; ++round) {
        auto const options = some_options();
        pair_of_both both{options, book};
        ids_.clear();
        for (int event = 0; event < 1000; ++event) {
            switch (pick(16)) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4: start(both); break;
            case 5:
            case 6:
            case 7: answer_one(both); break;
            case 8:
            case 9: report_one(both); break;
            case 10:
            case 11: cancel_one(both); break;
            case 12: disturb(both); break;
            case 13: pass_time(both); break;
            default: both.write_waiting(now, pick(2) == 0 ? 1 : 1000); break;
            }
            if (pick(700) == 0)
                end_all(both);
            both.expect_equal(pool);
            if (HasFatalFailure())
                FAIL() << "round " << round << ", event " << event;
        }
        end_all(both);
        expect_all_places_free(both, options);
        if (HasFatalFailure())
            FAIL() << "at the end of round " << round;
    }
    expect_each_handed_back_once();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEvents, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
