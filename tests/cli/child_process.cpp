#include "cli/child_process.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace madrigal::cli::test {
namespace {

struct pipe_ends {
    pipe_ends()
    {
        std::array<int, 2> both{};
        if (::pipe2(both.data(), O_CLOEXEC) != 0)
            std::abort();
        read = both[0];
        write = both[1];
    }
    int read;
    int write;
};

[[noreturn]] void become_madrigal(std::vector<std::string> arguments, surroundings const& in, int out, int err)
{
    ::dup2(in.stdout_path.empty() ? out : ::open(in.stdout_path.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    for (int const descriptor : in.closed)
        ::close(descriptor);
    if (in.longest_file) {
        rlimit const limit{*in.longest_file, *in.longest_file};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        (void)std::signal(SIGXFSZ, SIG_IGN); // so it is an error of write(2)
    }
    ::unsetenv("MADRIGAL_HOST");
    for (auto const& [name, value] : in.environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    std::string program = MADRIGAL_PROGRAM;
    std::vector<char*> words{program.data()};
    for (auto& one : arguments)
        words.push_back(one.data());
    words.push_back(nullptr);
    ::execv(MADRIGAL_PROGRAM, words.data());
    ::_exit(127);
}

/// Reads what there is; false at the end.
bool read_some(int from, std::string& to)
{
    std::array<char, 65536> buffer{};
    auto const count = ::read(from, buffer.data(), buffer.size());
    if (count > 0)
        to.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
}

} // namespace

outcome run_madrigal(std::vector<std::string> const& arguments, surroundings const& in)
{
    pipe_ends const out;
    pipe_ends const err;
    auto const child = ::fork();
    if (child == 0)
        become_madrigal(arguments, in, out.write, err.write);
    ::close(out.write);
    ::close(err.write);
    if (in.close_stdout)
        ::close(out.read);

    outcome result;
    std::array<pollfd, 2> waiting{pollfd{in.close_stdout ? -1 : out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
    bool interrupted = in.interrupt_with == 0;
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        if (::poll(waiting.data(), waiting.size(), -1) < 0)
            continue;
        for (auto& one : waiting)
            if (one.fd >= 0 && one.revents != 0 && !read_some(one.fd, one.fd == out.read ? result.out : result.err)) {
                ::close(one.fd);
                one.fd = -1;
            }
        if (!interrupted && !(in.interrupt_after_results ? result.out : result.err).empty()) {
            interrupted = true;
            ::kill(child, in.interrupt_with);
        }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

running_program::running_program(std::vector<std::string> const& arguments, surroundings const& in)
{
    pipe_ends const input;
    pipe_ends const out;
    pipe_ends const err;
    child_ = ::fork();
    if (child_ == 0) {
        ::dup2(input.read, STDIN_FILENO);
        become_madrigal(arguments, in, out.write, err.write);
    }
    for (int const theirs : {input.read, out.write, err.write})
        ::close(theirs);
    in_ = input.write;
    out_ = out.read;
    err_ = err.read;
}

running_program::~running_program()
{
    end_input();
    ::close(out_);
    ::close(err_);
    if (child_ >= 0) {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
}

void running_program::say(std::string const& text) const
{
    EXPECT_EQ(::write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

void running_program::end_input()
{
    if (in_ >= 0)
        ::close(in_);
    in_ = -1;
}

std::string running_program::line_of(int from, std::string& buffer)
{
    auto end = buffer.find('\n');
    while (end == std::string::npos) {
        if (!read_some(from, buffer))
            return std::exchange(buffer, {});
        end = buffer.find('\n');
    }
    auto line = buffer.substr(0, end);
    buffer.erase(0, end + 1);
    return line;
}

std::string running_program::next_line()
{
    return line_of(out_, out_text_);
}

std::string running_program::next_complaint()
{
    return line_of(err_, err_text_);
}

void running_program::signal(int number) const
{
    ::kill(child_, number);
}

outcome running_program::end()
{
    while (read_some(out_, out_text_))
        ;
    while (read_some(err_, err_text_))
        ;
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    return {
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), std::move(out_text_), std::move(err_text_)};
}

scratch_directory::scratch_directory()
{
    auto pattern = (std::filesystem::temp_directory_path() / "madrigal-cli-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        std::abort();
    path_ = pattern;
}

scratch_directory::~scratch_directory()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string scratch_directory::write(std::string const& name, std::string const& text) const
{
    std::ofstream{file(name)} << text;
    return file(name);
}

std::string read_file(std::string const& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace madrigal::cli::test
