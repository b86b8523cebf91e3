#include "peers.hpp"

#if MADRIGAL_HAS_LIBIBUMAD

#include "libibumad_transport.hpp"
#include "match_table.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace madrigal::bench {
namespace {

/// How many requests the sending thread may still put on the wire.
class places_on_wire {
public:
    explicit places_on_wire(unsigned window) noexcept : free_{window} {}

    /// Waits for a place and takes it; false once there will be no more.
    bool take()
    {
        std::unique_lock held{mutex_};
        changed_.wait(held, [&] { return free_ != 0 || over_; });
        if (over_)
            return false;
        --free_;
        ++taken_;
        return true;
    }
    void give_back()
    {
        {
            std::lock_guard const held{mutex_};
            ++free_;
            --taken_;
        }
        changed_.notify_one();
    }
    /// No more are given out.
    void close()
    {
        {
            std::lock_guard const held{mutex_};
            over_ = true;
        }
        changed_.notify_one();
    }
    /// None is given out and none will be.
    [[nodiscard]] bool all_back()
    {
        std::lock_guard const held{mutex_};
        return over_ && taken_ == 0;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned free_;
    unsigned taken_ = 0;
    bool over_ = false;
};

/// The receiving thread is the caller's own; it waits and reads packet by packet, as umad_recv(3) with a timeout does.
result<measured> two_threads(umad_transport& over, load_options const& options)
{
    meter meter{options};
    match_table table{std::max<std::size_t>(match_table::default_size, options.window)};
    places_on_wire places{options.window};
    std::atomic<int> refused{0};
    std::atomic<unsigned> unsent{0};
    std::thread sender{[&] {
        for (std::uint32_t id = 1; places.take(); id = id + 1 == 0 ? 1 : id + 1) {
            bool const kept = table.put(id, meter::clock::now());
            auto const number = kept ? over.send(id) : ENOBUFS;
            if (address_not_found(number)) {
                (void)table.take(id);
                ++unsent;
                places.give_back();
            } else if (number != 0) {
                refused = number;
                places.give_back();
                return;
            }
        }
    }};
    while (!places.all_back()) {
        auto const got = over.wait(waiting(options).at_most()) ? over.take() : taken::failure(ETIMEDOUT);
        if (refused != 0 || got.what == taken::kind::failed) {
            meter.fail(errno_error(refused != 0 ? refused.load() : got.number, "a request"));
            break;
        }
        for (auto lost = unsent.exchange(0); lost != 0; --lost)
            (void)meter.on_loss();
        auto const begun = got.what == taken::kind::nothing ? std::nullopt : table.take(got.id);
        if (!begun)
            continue;
        (void)(got.what == taken::kind::answer ? meter.on_answer(*begun) : meter.on_loss());
        if (!meter.running())
            places.close();
        places.give_back();
    }
    places.close();
    sender.join();
    return meter.outcome();
}

} // namespace

peer opensm_style_peer() noexcept
{
    return {
        .name = "opensm-style", .absent = no_libibumad_at, .request = [](venue const& on, load_options const& options) {
            return over_libibumad(on, waiting(options), [&](auto& over) { return two_threads(over, options); });
        }};
}

} // namespace madrigal::bench

#else

namespace madrigal::bench {

peer opensm_style_peer() noexcept
{
    return {.name = "opensm-style", .absent = built_without_libibumad};
}

} // namespace madrigal::bench

#endif
