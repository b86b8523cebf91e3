// The line on a terminal that says how far a sweep has come.
#pragma once

#include <madrigal/fabric/discover.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace madrigal::cli {

/// Keeps one line on stderr up to date, from half a second after `start` on; nothing at all where stderr is no terminal
/// or the sweep ends before that. Belongs to the loop's thread.
class progress_line {
public:
    explicit progress_line(asio::io_context& loop) : timer_{loop} {}
    progress_line(progress_line const&) = delete;
    progress_line& operator=(progress_line const&) = delete;
    ~progress_line() { finish(); }

    void start();
    /// What the line will say when it is next written.
    void update(discover_progress const& now) noexcept { latest_ = now; }
    /// Wipes the line away.
    void finish();

    [[nodiscard]] discover_progress const& latest() const noexcept { return latest_; }

private:
    void write_after(std::chrono::milliseconds pause);

    asio::steady_timer timer_;
    discover_progress latest_;
    bool shown_ = false;
};

} // namespace madrigal::cli
