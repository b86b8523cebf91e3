#include "cli/console_feed.hpp"

#include "cli/complain.hpp"
#include "cli/own_descriptor.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace madrigal::cli {
namespace {

namespace asio = boost::asio;

constexpr std::size_t longest_line = 65'536;

/// What is wrong with a line, by the context alone where that says it.
std::string reason(error const& what)
{
    return what.context().empty() ? what.message() : what.context();
}

asio::awaitable<void> sleep_until(time_point when)
{
    asio::steady_timer timer{co_await asio::this_coro::executor, when};
    error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

enum class step_outcome { done, failed, quit };

asio::awaitable<step_outcome> carry_out(console_step const& step, console_run const& with, std::string_view place)
{
    switch (step.what) {
    case console_step::kind::nothing: break;
    case console_step::kind::wait: co_await sleep_until(std::chrono::steady_clock::now() + step.time); break;
    case console_step::kind::at: co_await sleep_until(with.began + step.time); break;
    case console_step::kind::quit: with.quit(); co_return step_outcome::quit;
    case console_step::kind::command: {
        auto answer = step.run();
        if (!answer) {
            complain((place.empty() ? std::string{} : std::string{place} + ": ") + reason(answer.error()));
            co_return step_outcome::failed;
        }
        co_await with.answers.say(std::move(answer.value()));
        break;
    }
    }
    co_return step_outcome::done;
}

} // namespace

console_output::console_output(asio::any_io_executor const& executor)
    : stream_{own_descriptor(executor, STDOUT_FILENO, O_WRONLY)}, free_{executor, time_point::max()}
{}

asio::awaitable<void> console_output::say(std::string text)
{
    error_code ignored;
    while (busy_)
        co_await free_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    busy_ = true;
    co_await asio::async_write(stream_, asio::buffer(text), asio::redirect_error(asio::use_awaitable, ignored));
    busy_ = false;
    free_.cancel_one();
}

std::optional<std::vector<script_line>> read_script(std::string const& file, console const& understands)
{
    std::ifstream from{file, std::ios::binary};
    std::vector<script_line> lines;
    bool wrong = !from;
    std::string text;
    for (std::size_t number = 1; !wrong && std::getline(from, text); ++number) {
        auto place = file + ":" + std::to_string(number);
        auto step = understands.understand(text);
        if (!step) {
            // All that is wrong is told at once; the rest is only understood from then on.
            complain(place + ": " + reason(step.error()));
            for (++number; std::getline(from, text); ++number)
                if (auto const next = understands.understand(text); !next)
                    complain(file + ":" + std::to_string(number) + ": " + reason(next.error()));
            return std::nullopt;
        }
        if (step.value().what != console_step::kind::nothing)
            lines.push_back({std::move(place), std::move(step.value())});
    }
    if (wrong || from.bad()) {
        complain(file + ": " + std::strerror(errno)); // NOLINT: one thread
        return std::nullopt;
    }
    return lines;
}

asio::awaitable<void> run_script(std::vector<script_line> lines, console_run with, unsigned& failures)
{
    for (auto const& line : lines) {
        auto const outcome = co_await carry_out(line.step, with, line.place);
        if (outcome == step_outcome::failed)
            ++failures;
        if (outcome == step_outcome::quit)
            co_return;
    }
}

asio::awaitable<void> run_standard_input(console_run with)
{
    auto from = own_descriptor(co_await asio::this_coro::executor, STDIN_FILENO, O_RDONLY);
    bool const prompts = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
    std::string waiting;
    for (bool more = from.is_open(); more;) {
        if (prompts)
            co_await with.answers.say("> ");
        error_code failed;
        auto length = co_await asio::async_read_until(
            from, asio::dynamic_buffer(waiting, longest_line), '\n', asio::redirect_error(asio::use_awaitable, failed));
        if (failed) {
            if (failed == asio::error::not_found)
                complain("a line longer than " + std::to_string(longest_line) + " bytes: nothing more is read");
            // At the end of a file stands perhaps a line without an end.
            more = false;
            length = failed == asio::error::eof ? waiting.size() : 0;
        }
        auto const line = waiting.substr(0, length);
        waiting.erase(0, length);
        auto const step = with.understands.understand(line);
        if (!step)
            complain(reason(step.error()));
        else if (co_await carry_out(step.value(), with, {}) == step_outcome::quit)
            co_return;
    }
}

} // namespace madrigal::cli
