#include <madrigal/runtime/detail/reactor_core.hpp>

#include <madrigal/runtime/detail/channel.hpp>
#include <madrigal/runtime/detail/retry_open.hpp>

#include "runtime/asio_time.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace madrigal::detail {

/// The reactors of an execution context.
class reactor_registry {
public:
    void add(reactor_core* core)
    {
        std::lock_guard const lock{mutex_};
        cores_.push_back(core);
    }
    void remove(reactor_core* core) noexcept
    {
        std::lock_guard const lock{mutex_};
        std::erase(cores_, core);
    }
    [[nodiscard]] std::vector<std::shared_ptr<reactor_core>> alive()
    {
        std::vector<std::shared_ptr<reactor_core>> found;
        std::lock_guard const lock{mutex_};
        for (auto* core : cores_)
            if (auto shared = core->weak_from_this().lock())
                found.push_back(std::move(shared));
        return found;
    }

private:
    std::mutex mutex_;
    std::vector<reactor_core*> cores_;
};

namespace {

/// Requests of all agents together, those on the wire included.
constexpr std::size_t max_requests = std::size_t{1} << 21;

/// Destroys what waits in the reactors of an execution context when the context is destroyed: an operation may own the
/// coroutine that owns the agent that owns the operation.
class reactor_service final : public asio::execution_context::service {
public:
    static asio::execution_context::id id;

    explicit reactor_service(asio::execution_context& owner) : service{owner} {}

    [[nodiscard]] std::shared_ptr<reactor_registry> const& registry() const noexcept { return registry_; }

private:
    void shutdown() override
    {
        for (auto const& core : registry_->alive())
            core->abandon_all();
    }

    std::shared_ptr<reactor_registry> registry_ = std::make_shared<reactor_registry>();
};

asio::execution_context::id reactor_service::id;

asio::execution_context& context_of(asio::any_io_executor const& executor)
{
    return asio::query(executor, asio::execution::context);
}

} // namespace

reactor_core::reactor_core(
    asio::any_io_executor executor, on_loop_test test, umad::host& host, reactor_options const& options)
    : executor_{std::move(executor)},
      on_loop_{test},
      host_{host},
      options_{options},
      own_time_{options.time == nullptr ? std::make_unique<asio_time>(executor_) : nullptr},
      time_{options.time == nullptr ? own_time_.get() : options.time},
      packets_{engine::make_pool<engine::packet>(options.max_packets)},
      requests_{engine::make_pool<request_record>(max_requests)},
      // Others cannot have what is at hand here; so nothing is where there are few.
      packets_at_hand_{*packets_, options.max_packets >= 4096 ? 256U : 0U},
      requests_at_hand_{*requests_, 256},
      registry_{asio::use_service<reactor_service>(context_of(executor_)).registry()}
{
    registry_->add(this);
}

reactor_core::~reactor_core()
{
    // What other threads handed over and nobody ran is destroyed, not completed, as Asio does with its own handlers.
    discard_submissions();
    registry_->remove(this);
}

void reactor_core::add(std::shared_ptr<channel> const& opened)
{
    std::erase_if(channels_, [](auto const& known) { return known.expired(); });
    channels_.push_back(opened);
}

void reactor_core::add(std::shared_ptr<retry_loop> const& started)
{
    std::erase_if(retries_, [](auto const& known) { return known.expired(); });
    retries_.push_back(started);
}

void reactor_core::abandon_all() noexcept
{
    for (auto const& known : retries_)
        if (auto const waiting = known.lock())
            waiting->abandon();
    for (auto const& known : channels_)
        if (auto const open = known.lock())
            open->abandon_all();
    discard_submissions();
}

void reactor_core::discard_submissions() noexcept
{
    do {
        while (backlog_ != nullptr)
            static_cast<submission*>(std::exchange(backlog_, backlog_->next))->discard();
        backlog_ = submissions_.pop_all();
    } while (backlog_ != nullptr);
}

void reactor_core::submit(submission& work)
{
    if (submissions_.push(work))
        run_submissions_later();
}

void reactor_core::run_submissions_later()
{
    asio::post(executor_, [self = shared_from_this()] { self->run_some_submissions(); });
}

void reactor_core::run_submissions()
{
    run_submissions(std::numeric_limits<std::size_t>::max());
}

void reactor_core::run_some_submissions()
{
    // Others on the loop get their turns however busy the producers are.
    run_submissions(std::max<std::size_t>(options_.read_budget, 1));
}

void reactor_core::run_submissions(std::size_t at_most)
{
    turn const now{*this};
    // Also where something is thrown: nobody would look again.
    struct tail {
        reactor_core& core;
        ~tail()
        {
            if (core.backlog_ != nullptr || !core.submissions_.arm())
                core.run_submissions_later();
        }
    } const at_the_end{*this};
    // First what is left, then what has come since. What is run may call this again.
    for (bool const again : {true, false}) {
        for (; at_most != 0 && backlog_ != nullptr; --at_most)
            static_cast<submission*>(std::exchange(backlog_, backlog_->next))->run();
        if (again && backlog_ == nullptr)
            backlog_ = submissions_.pop_all();
    }
}

} // namespace madrigal::detail
