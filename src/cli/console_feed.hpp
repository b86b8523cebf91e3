// Where a console's lines come from, and where its answers go.
#pragma once

#include "cli/console.hpp"

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <string>
#include <vector>

namespace madrigal::cli {

/// Answers on standard output, one whole after the other, whoever gives them. Who reads slowly holds up who waits for
/// `say`, and nothing else.
class console_output {
public:
    explicit console_output(boost::asio::any_io_executor const& executor);

    /// Ends when all of it is written, or nobody reads any more.
    boost::asio::awaitable<void> say(std::string text);

private:
    boost::asio::posix::stream_descriptor stream_;
    boost::asio::steady_timer free_; ///< never goes off; cancelled where a turn ends
    bool busy_ = false;
};

/// What lines are carried out for.
struct console_run {
    console& understands;
    console_output& answers;
    time_point began{};           ///< what `at` counts from
    std::function<void()> quit{}; ///< once a line asks for the end; no further line is read then
};

/// A script's line that asks for something.
struct script_line {
    std::string place; ///< FILE:LINE
    console_step step;
};

/// Reads a script and looks up all that it names. What is wrong is said on stderr, FILE:LINE first. Empty where
/// anything was, or where the file cannot be read.
[[nodiscard]] std::optional<std::vector<script_line>> read_script(std::string const& file, console const& understands);

/// Carries a script out. `failures` counts lines that failed, each of which has been said on stderr.
boost::asio::awaitable<void> run_script(std::vector<script_line> lines, console_run with, unsigned& failures);

/// Carries out what comes in on standard input, to its end. What is wrong is said on stderr and is not the end.
boost::asio::awaitable<void> run_standard_input(console_run with);

} // namespace madrigal::cli
