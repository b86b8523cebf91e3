// What the ports of a reactor share: the loop, the clock, the packets, and the queue that other threads push onto.
#pragma once

#include <madrigal/engine/object_pool.hpp>
#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/send_queue.hpp>
#include <madrigal/engine/time.hpp>
#include <madrigal/runtime/detail/request_record.hpp>
#include <madrigal/runtime/options.hpp>
#include <madrigal/umad/host.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace madrigal::detail {

namespace asio = boost::asio;

class channel;
class retry_loop;
class reactor_registry;

/// One loop. Created and destroyed on any thread; members are for the loop's thread unless they say otherwise.
class reactor_core : public std::enable_shared_from_this<reactor_core> {
public:
    using on_loop_test = bool (*)(asio::any_io_executor const&) noexcept;

    reactor_core(asio::any_io_executor executor, on_loop_test test, umad::host& host, reactor_options const& options);
    reactor_core(reactor_core const&) = delete;
    reactor_core& operator=(reactor_core const&) = delete;
    ~reactor_core();

    /// Any thread.
    [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
    /// Any thread: whether this is the loop's.
    [[nodiscard]] bool on_loop() const noexcept { return running_ == this || on_loop_(executor_); }
    /// Any thread.
    [[nodiscard]] engine::packet_pool& packets() noexcept { return *packets_; }
    /// Any thread.
    [[nodiscard]] request_machine::request_pool& requests() noexcept { return *requests_; }
    [[nodiscard]] umad::host& host() noexcept { return host_; }
    [[nodiscard]] time_source& time() noexcept { return *time_; }
    [[nodiscard]] std::size_t read_budget() const noexcept { return options_.read_budget; }

    /// Any thread: runs `work` on the loop. Wakes it only if it would not look by itself.
    void submit(submission& work);
    /// Nothing was waiting a moment ago.
    [[nodiscard]] bool nothing_submitted() const noexcept { return backlog_ == nullptr && submissions_.empty(); }
    /// Runs all that other threads have handed over until now.
    void run_submissions();

    /// A packet is being shown to a sink, which may not change what is going on.
    [[nodiscard]] bool showing() const noexcept { return showing_; }
    void set_showing(bool showing) noexcept { showing_ = showing; }

    /// Remembers a channel, so that what it holds is destroyed with the loop.
    void add(std::shared_ptr<channel> const& opened);
    /// The same for somebody who waits for a device.
    void add(std::shared_ptr<retry_loop> const& started);
    /// The loop is being destroyed.
    void abandon_all() noexcept;

    /// While one lives, this thread is known to be the loop's, and has packets and requests at hand. What runs much on
    /// the loop begins with it; without it all is the same, but slower.
    class turn {
    public:
        explicit turn(reactor_core& of) noexcept
            : packets_{of.packets_at_hand_}, requests_{of.requests_at_hand_}, before_{std::exchange(running_, &of)}
        {}
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;
        ~turn() { running_ = before_; }

    private:
        engine::pool_cache<engine::packet>::scope packets_;
        engine::pool_cache<request_record>::scope requests_;
        reactor_core const* before_;
    };

private:
    void run_some_submissions();
    void run_submissions(std::size_t at_most);
    void run_submissions_later();
    void discard_submissions() noexcept;

    inline static thread_local constinit reactor_core const* running_ = nullptr;

    asio::any_io_executor executor_;
    on_loop_test on_loop_;
    umad::host& host_;
    reactor_options options_;
    std::unique_ptr<time_source> own_time_;
    time_source* time_;
    engine::pool_owner<engine::packet> packets_;
    engine::pool_owner<request_record> requests_;
    engine::pool_cache<engine::packet> packets_at_hand_;
    engine::pool_cache<request_record> requests_at_hand_;
    engine::send_queue submissions_;
    bool showing_ = false;
    engine::send_queue_node* backlog_ = nullptr; // submissions taken off the queue, in their order
    std::vector<std::weak_ptr<channel>> channels_;
    std::vector<std::weak_ptr<retry_loop>> retries_;
    std::shared_ptr<reactor_registry> registry_; // of the execution context, which may go first
};

} // namespace madrigal::detail
