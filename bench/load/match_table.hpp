// The table in which OpenSM's vendor layer finds the request of an answer, in our own words.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace madrigal::bench {

/// Requests under way, kept in any free place and searched from the beginning, under a mutex. Thread-safe.
class match_table {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// What OpenSM's table holds unless it is told otherwise.
    static constexpr std::size_t default_size = 1'000;

    explicit match_table(std::size_t size) : entries_(size) {}

    /// False where no place is free. `id` is not 0.
    [[nodiscard]] bool put(std::uint32_t id, time_point begun)
    {
        std::lock_guard const held{mutex_};
        for (auto& one : entries_)
            if (one.id == 0) {
                one = {id, begun};
                return true;
            }
        return false;
    }
    /// When the request with this id was begun, which is then forgotten; nothing where there is none.
    [[nodiscard]] std::optional<time_point> take(std::uint32_t id)
    {
        std::lock_guard const held{mutex_};
        for (auto& one : entries_)
            if (one.id == id) {
                one.id = 0;
                return one.begun;
            }
        return std::nullopt;
    }

private:
    struct entry {
        std::uint32_t id = 0;
        time_point begun{};
    };
    std::mutex mutex_;
    std::vector<entry> entries_;
};

} // namespace madrigal::bench
