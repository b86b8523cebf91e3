// Coroutines that sleep until a moment, or until they are woken.
#pragma once

#include <madrigal/engine/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <list>

namespace madrigal::detail {

/// Why a coroutine sleeps no more.
enum class waking {
    due,       ///< the moment has come
    woken,     ///< somebody has called
    cancelled, ///< its operation has been cancelled
};

/// Coroutines that sleep, in the order in which they went to sleep. Belongs to the loop; outlives them.
class sa_sleepers {
public:
    /// Sleeps until `until`; `never` for one that must be woken.
    [[nodiscard]] boost::asio::awaitable<waking> sleep(time_source& time, time_point until);
    /// Wakes the one that has slept longest; false where there is none.
    bool wake_first();
    void wake_all();
    [[nodiscard]] std::size_t size() const noexcept { return sleeping_.size(); }

private:
    struct sleeper;
    std::list<sleeper*> sleeping_;
};

/// Places for questions under way. Who finds none waits for one in order.
class sa_places {
public:
    explicit sa_places(unsigned count) noexcept : free_{count} {}

    /// Gives one back when it is destroyed.
    class place {
    public:
        place() noexcept = default;
        explicit place(sa_places& of) noexcept : of_{&of} {}
        place(place const&) = delete;
        place& operator=(place const&) = delete;
        ~place()
        {
            if (of_)
                of_->give_back();
        }
        void take(sa_places& of) noexcept { of_ = &of; }

    private:
        sa_places* of_ = nullptr;
    };

    /// True once there is a place, which `into` has then; false where it was cancelled.
    [[nodiscard]] boost::asio::awaitable<bool> take(time_source& time, place& into);
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    void give_back();

    unsigned free_;
    sa_sleepers waiting_;
};

} // namespace madrigal::detail
