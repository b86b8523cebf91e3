// A wire for the loops without the runtime, which answers as it is told.
#pragma once

#include <load/transport.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace madrigal::bench {

/// A wire that does what each request's number says, counted from 1.
struct scripted_wire {
    enum class fate : std::uint8_t { answered, lost, answered_late, forgotten, unsent, refused };

    std::function<fate(unsigned)> script = [](unsigned) { return fate::answered; };
    unsigned asked = 0;
    unsigned waits = 0;
    unsigned outstanding = 0;
    unsigned most_outstanding = 0;
    std::deque<taken> arriving{};
    std::optional<std::uint32_t> late{};

    int send(std::uint32_t id)
    {
        auto const what = script(++asked);
        if (what == fate::unsent || what == fate::refused)
            return what == fate::unsent ? ETIMEDOUT : EPERM;
        most_outstanding = std::max(most_outstanding, ++outstanding);
        if (late) // the answer of an earlier request comes before that of the present one
            arriving.push_back({taken::kind::answer, *std::exchange(late, std::nullopt), 0});
        if (what == fate::answered)
            arriving.push_back({taken::kind::answer, id, 0});
        if (what == fate::lost || what == fate::answered_late)
            arriving.push_back({taken::kind::lost, id, 0});
        if (what == fate::answered_late)
            late = id;
        return 0;
    }
    taken take()
    {
        if (arriving.empty())
            return {};
        auto const next = arriving.front();
        arriving.pop_front();
        --outstanding;
        return next;
    }
    bool wait(std::chrono::nanoseconds)
    {
        ++waits;
        return !arriving.empty();
    }
};

} // namespace madrigal::bench
