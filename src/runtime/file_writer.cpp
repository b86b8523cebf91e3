#include <madrigal/runtime/detail/file_writer.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <cassert>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <system_error>
#include <utility>

namespace madrigal::detail {
namespace {

/// The program's signals are for the program's threads: a thread inherits what its maker blocks.
class signals_blocked {
public:
    signals_blocked() noexcept
    {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    signals_blocked(signals_blocked const&) = delete;
    signals_blocked& operator=(signals_blocked const&) = delete;
    ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

} // namespace

/// What the loop and the thread have in common. `file` is touched by who has the turn, all else under the mutex.
struct file_writer::shared {
    shared(umad::port_file& to, asio::any_io_executor loop, std::function<void()> progress)
        : file{to}, executor{std::move(loop)}, on_progress{std::move(progress)}
    {}

    void run();
    void write_next(std::unique_lock<std::mutex>& lock);
    void tell();

    umad::port_file& file;
    std::mutex mutex;
    std::condition_variable changed;
    asio::any_io_executor executor;
    std::function<void()> on_progress;
    std::deque<late_write> queued;
    std::uint64_t next_number = 0; // of the next push
    std::vector<late_write> done;
    bool turn = false;      // the thread's
    bool under_way = false; // a write
    bool told = false;      // and the loop has not collected yet
    bool ended = false;
    std::optional<umad::umad_file> to_close;
};

void file_writer::shared::tell()
{
    // Under the mutex: after `retire` the executor may be gone. Posting never runs anything here.
    if (!std::exchange(told, true))
        asio::post(executor, on_progress);
}

void file_writer::shared::write_next(std::unique_lock<std::mutex>& lock)
{
    bool written = false;
    while (!queued.empty() && !ended && !written) {
        auto next = std::move(queued.front());
        queued.pop_front();
        if (next.packet) {
            under_way = written = true;
            lock.unlock();
            auto const result = file.write(next.as_written);
            lock.lock();
            under_way = false;
            next.outcome = result ? error_code{} : result.error().code();
        }
        if (ended)
            return; // its packet goes back to the pool here
        done.push_back(std::move(next));
    }
}

void file_writer::shared::run()
{
    std::unique_lock lock{mutex};
    for (;;) {
        changed.wait(lock, [this] { return turn || ended; });
        if (!ended)
            write_next(lock);
        if (ended)
            break;
        turn = false;
        tell();
    }
    auto const closing = std::exchange(to_close, std::nullopt);
    lock.unlock();
}

file_writer::file_writer(umad::port_file& file, asio::any_io_executor executor, std::function<void()> on_progress)
    : shared_{std::make_shared<shared>(file, std::move(executor), std::move(on_progress))}
{}

file_writer::~file_writer()
{
    assert(!thread_.joinable() && "a writer is destroyed without having been retired");
}

std::uint64_t file_writer::push(late_write write)
{
    std::lock_guard const lock{shared_->mutex};
    shared_->queued.push_back(std::move(write));
    return shared_->next_number++;
}

bool file_writer::take_back(std::uint64_t number) noexcept
{
    std::lock_guard const lock{shared_->mutex};
    auto& queued = shared_->queued;
    auto const behind = shared_->next_number - number; // 1 for the last
    if (behind > queued.size())
        return false;
    auto& taken = queued[queued.size() - behind];
    taken.packet.reset();
    taken.outcome = asio::error::operation_aborted;
    return true;
}

void file_writer::start()
{
    if (out_)
        return;
    {
        std::lock_guard const lock{shared_->mutex};
        if (shared_->queued.empty())
            return;
        shared_->turn = out_ = true;
        shared_->changed.notify_one();
    }
    if (thread_.joinable())
        return;
    try {
        signals_blocked const meanwhile;
        thread_ = std::thread{[shared = shared_] { shared->run(); }};
        ::pthread_setname_np(thread_.native_handle(), "madrigal-write");
    } catch (std::system_error const& none) {
        std::lock_guard const lock{shared_->mutex};
        for (auto& refused : shared_->queued) {
            if (refused.packet)
                refused.outcome = {none.code().value(), boost::system::system_category()};
            shared_->done.push_back(std::move(refused));
        }
        shared_->queued.clear();
        shared_->turn = false;
        shared_->tell();
    }
}

std::vector<late_write> file_writer::collect()
{
    std::lock_guard const lock{shared_->mutex};
    shared_->told = false;
    out_ = shared_->turn;
    return std::exchange(shared_->done, {});
}

void file_writer::retire(umad::umad_file& file) noexcept
{
    // Destroyed behind the mutex.
    std::function<void()> on_progress;
    std::deque<late_write> queued;
    std::vector<late_write> done;
    bool under_way = false;
    {
        std::lock_guard const lock{shared_->mutex};
        shared_->ended = true;
        shared_->executor = {};
        on_progress.swap(shared_->on_progress);
        queued.swap(shared_->queued);
        done.swap(shared_->done);
        under_way = shared_->under_way;
        if (under_way)
            shared_->to_close = std::move(file);
        shared_->changed.notify_one();
    }
    if (!thread_.joinable())
        return;
    if (under_way)
        thread_.detach();
    else
        thread_.join(); // at once: it waits for its turn, or sees its end before the next write
}

} // namespace madrigal::detail
