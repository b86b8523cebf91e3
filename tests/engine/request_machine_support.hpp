// Operations that know how often they were handed back, and a machine with what its requests need.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/request_machine.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

namespace madrigal::engine::testing {

/// Whom operations report to.
class ledger {
public:
    [[nodiscard]] std::size_t issue()
    {
        handed_back_.push_back(0);
        return handed_back_.size();
    }
    /// Destroyed with nobody told.
    void lose(std::size_t number) { lost_.push_back(number); }
    void hand_back(std::size_t number) { ++handed_back_.at(number - 1); }

    [[nodiscard]] unsigned times(std::size_t number) const { return handed_back_.at(number - 1); }
    [[nodiscard]] std::vector<std::size_t> const& lost() const noexcept { return lost_; }
    [[nodiscard]] std::size_t issued() const noexcept { return handed_back_.size(); }

private:
    std::vector<unsigned> handed_back_;
    std::vector<std::size_t> lost_;
};

/// A caller's continuation: move-only, empty after a move, and missed if it is destroyed before it was handed back.
class counted {
public:
    counted() noexcept = default;
    explicit counted(ledger& book) : ledger_{&book}, number_{book.issue()} {}
    counted(counted&& other) noexcept
        : ledger_{std::exchange(other.ledger_, nullptr)}, number_{std::exchange(other.number_, 0)}
    {}
    counted& operator=(counted&& other) noexcept
    {
        if (this != &other) {
            drop();
            ledger_ = std::exchange(other.ledger_, nullptr);
            number_ = std::exchange(other.number_, 0);
        }
        return *this;
    }
    ~counted() { drop(); }

    [[nodiscard]] explicit operator bool() const noexcept { return number_ != 0; }
    [[nodiscard]] std::size_t number() const noexcept { return number_; }
    /// What completing it would do. Gives its number; 0 for an empty one, which nobody is told about.
    std::size_t complete()
    {
        if (ledger_ != nullptr)
            ledger_->hand_back(number_);
        ledger_ = nullptr;
        return std::exchange(number_, 0);
    }

private:
    void drop() noexcept
    {
        if (ledger_ != nullptr)
            ledger_->lose(number_);
    }

    ledger* ledger_ = nullptr;
    std::size_t number_ = 0;
};

using machine = request_machine<counted>;
using admission = machine::admission;
using verdict = machine::verdict;

constexpr auto performance = management_class::performance;

/// A packet that asks for an attribute.
inline packet_ptr question(packet_pool& pool, std::uint16_t attribute = 0x12, std::uint32_t modifier = 0,
    management_class mgmt_class = performance)
{
    auto packet = pool.acquire();
    mutable_mad_view const mad{packet->prepare(umad::header_size + mad_size).subspan(umad::header_size)};
    mad.set_base_version(mad_base_version);
    mad.set_mgmt_class(mgmt_class);
    mad.set_method(method::get);
    mad.set_attribute_id(attribute);
    mad.set_attribute_modifier(modifier);
    return packet;
}

/// What comes back for a request.
class answer {
public:
    explicit answer(std::uint64_t transaction_id, std::uint16_t attribute = 0x12, std::uint32_t modifier = 0,
        management_class mgmt_class = performance)
    {
        mutable_mad_view const mad{bytes_};
        mad.set_mgmt_class(mgmt_class);
        mad.set_method(method::get_response);
        mad.set_transaction_id(transaction_id);
        mad.set_attribute_id(attribute);
        mad.set_attribute_modifier(modifier);
    }
    [[nodiscard]] answer with_status(std::uint16_t status) const
    {
        auto changed = *this;
        mutable_mad_view{changed.bytes_}.set_status(status);
        return changed;
    }
    operator mad_view() const noexcept { return mad_view{bytes_}; } // NOLINT: it is one

private:
    std::array<std::byte, mad_size> bytes_{};
};

/// The umad header of a request's packet.
inline umad::ib_user_mad_hdr const& header_of(machine::request& entry)
{
    return *reinterpret_cast<umad::ib_user_mad_hdr const*>(entry.packet().bytes.data());
}
inline mad_view mad_of(machine::request& entry)
{
    return mad_view{std::as_const(entry.packet()).contents().subspan(umad::header_size)};
}

/// A machine, a pool, a ledger and a clock that only the test moves.
class with_machine : public ::testing::Test {
protected:
    struct outcome {
        admission how{};
        machine::request* entry = nullptr;
        std::size_t operation = 0;
    };

    packet_pool pool{4096};
    machine::request_pool requests{1 << 17};
    ledger book;
    time_point now = time_point{std::chrono::hours{1000}};

    void TearDown() override
    {
        EXPECT_EQ(pool.in_use(), 0U) << "every packet is back";
        EXPECT_EQ(requests.in_use(), 0U) << "every request is back";
    }

    /// A request that can be started.
    machine::request_ptr made(packet_ptr packet, std::uint64_t destination, retry_policy const& policy)
    {
        auto request = requests.acquire();
        request->set_packet(std::move(packet));
        request->operation() = counted{book};
        request->set_terms(destination, {policy, time_point{}});
        return request;
    }

    outcome ask(machine& m, std::uint64_t destination = 1, retry_policy const& policy = {})
    {
        auto request = made(question(pool), destination, policy);
        auto const number = request->operation().number();
        auto const [how, entry] = m.start(request);
        if (how == admission::full) {
            EXPECT_TRUE(request) << "a refused request stays its maker's";
            EXPECT_TRUE(request->has_packet());
            EXPECT_EQ(request->operation().complete(), number);
        } else {
            EXPECT_FALSE(request);
        }
        return {how, entry, number};
    }
    /// What the runtime does with a request that is to be written. Gives its guard deadline.
    time_point write(machine& m, machine::request& entry)
    {
        EXPECT_TRUE(m.prepare(entry, now));
        return m.written(entry, now);
    }
    /// A request on the wire.
    outcome ask_on_wire(machine& m, std::uint64_t destination = 1, retry_policy const& policy = {})
    {
        auto const asked = ask(m, destination, policy);
        EXPECT_EQ(asked.how, admission::write);
        write(m, *asked.entry);
        return asked;
    }
    /// Completes what an answer ended; gives the operation.
    std::size_t answered(machine& m, std::uint64_t transaction_id)
    {
        auto const [what, entry] = m.on_answer(answer{transaction_id}, now);
        EXPECT_EQ(what, verdict::complete);
        return what == verdict::complete ? m.finish(*entry)->operation().complete() : 0;
    }
    static void expect_empty(machine const& m)
    {
        EXPECT_EQ(m.size(), 0U);
        EXPECT_EQ(m.waiting(), 0U);
        EXPECT_EQ(m.window().in_use(), 0U);
        EXPECT_EQ(m.next_deadline(), never);
    }
    void expect_each_handed_back_once() const
    {
        for (std::size_t number = 1; number <= book.issued(); ++number)
            EXPECT_EQ(book.times(number), 1U) << "operation " << number;
        EXPECT_TRUE(book.lost().empty());
    }
};

} // namespace madrigal::engine::testing

namespace madrigal::engine { // where GoogleTest looks for them

inline void PrintTo(testing::admission how, std::ostream* out)
{
    constexpr std::array names{"write", "wait", "full"};
    *out << names.at(static_cast<std::size_t>(how));
}
inline void PrintTo(testing::verdict what, std::ostream* out)
{
    constexpr std::array names{"complete", "again", "late", "stale", "mismatch"};
    *out << names.at(static_cast<std::size_t>(what));
}

} // namespace madrigal::engine
