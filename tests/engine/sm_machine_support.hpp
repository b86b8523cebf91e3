// A subnet manager's state machine, and others that it may meet.
#pragma once

#include <madrigal/engine/sm_machine.hpp>
#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/wire/status.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace madrigal::engine {

using namespace std::chrono_literals;

inline constexpr auto start = virtual_time::start;
inline constexpr std::uint64_t key = 0x1234;

[[nodiscard]] inline sm_peer peer(std::uint64_t guid_of, unsigned priority, sm_state state, std::uint32_t activity = 1)
{
    return {.info = {.port_guid = guid{guid_of},
                .sm_key = key,
                .activity_count = activity,
                .priority = static_cast<std::uint8_t>(priority),
                .state = state},
        .where = static_cast<std::uint32_t>(guid_of)};
}

/// A machine of GUID 50 and priority 5.
struct SmMachine : ::testing::Test {
    sm_machine machine{{.port_guid = guid{50}, .sm_key = key, .priority = 5}};
    time_point now = start;

    sm_step sweep(std::initializer_list<sm_peer> others)
    {
        std::vector<sm_peer> const all{others};
        return machine.on_sweep(now, all);
    }
    sm_step tick()
    {
        now = machine.deadline();
        return machine.on_deadline(now);
    }
    std::uint16_t told(sm_control what, sm_peer const& from) { return machine.on_control(now, what, from).status; }

    void be_master()
    {
        (void)machine.start(now);
        EXPECT_EQ(sweep({}).duty, sm_duty::configure);
        ASSERT_EQ(machine.state(), sm_state::master);
    }
    /// Under a master of GUID 10 and priority 9; gives the ticket of the first poll.
    std::uint32_t be_standby()
    {
        (void)machine.start(now);
        auto const step = sweep({peer(10, 9, sm_state::master)});
        EXPECT_EQ(step.duty, sm_duty::stand_by);
        EXPECT_EQ(step.ask, sm_ask::poll);
        EXPECT_EQ(machine.state(), sm_state::standby);
        return step.ticket;
    }
    void be_not_active()
    {
        (void)be_standby();
        EXPECT_EQ(told(sm_control::disable, peer(10, 9, sm_state::master)), 0);
        ASSERT_EQ(machine.state(), sm_state::not_active);
    }
};

} // namespace madrigal::engine
