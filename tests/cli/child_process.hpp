// Runs the built program and keeps what it said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::cli::test {

struct outcome {
    int exit_code = -1; ///< 128 and the signal's number where a signal ended it
    std::string out;
    std::string err;
};

/// What a run needs besides its arguments.
struct surroundings {
    std::vector<std::pair<std::string, std::string>>
        environment{};                           ///< set besides the test's own; MADRIGAL_HOST is not
    std::string stdout_path{};                   ///< where stdout goes instead of into `outcome::out`
    bool close_stdout = false;                   ///< nobody reads stdout any more
    std::vector<int> closed{};                   ///< descriptors that are not open when the program starts
    std::optional<std::uint64_t> longest_file{}; ///< as if the disk were full behind so many bytes
    int interrupt_with = 0;                      ///< a signal that is sent once something stands in `outcome::err`
    bool interrupt_after_results = false;        ///< in `outcome::out` instead
};

/// Runs `madrigal ARGUMENTS…` to its end.
[[nodiscard]] outcome run_madrigal(std::vector<std::string> const& arguments, surroundings const& in = {});

/// A program that runs beside the test, which talks with it.
class running_program {
public:
    /// Starts `madrigal ARGUMENTS…`; of `in` the environment and what is closed count.
    explicit running_program(std::vector<std::string> const& arguments, surroundings const& in = {});
    running_program(running_program const&) = delete;
    running_program& operator=(running_program const&) = delete;
    /// Kills what is still running.
    ~running_program();

    /// Writes to its standard input.
    void say(std::string const& text) const;
    /// Its standard input ends.
    void end_input();
    /// Its next line on standard output, without the end; empty where there is none any more.
    [[nodiscard]] std::string next_line();
    /// The same for standard error.
    [[nodiscard]] std::string next_complaint();
    void signal(int number) const;
    /// Waits for its end: what it said that was not asked for yet, and the exit code.
    [[nodiscard]] outcome end();

private:
    static std::string line_of(int from, std::string& buffer);

    int child_ = -1;
    int in_ = -1;
    int out_ = -1;
    int err_ = -1;
    std::string out_text_;
    std::string err_text_;
};

/// A directory that is removed with the object.
class scratch_directory {
public:
    scratch_directory();
    scratch_directory(scratch_directory const&) = delete;
    scratch_directory& operator=(scratch_directory const&) = delete;
    ~scratch_directory();

    [[nodiscard]] std::string file(std::string const& name) const { return path_ + "/" + name; }
    /// Writes a file and gives its path.
    std::string write(std::string const& name, std::string const& text) const;

private:
    std::string path_;
};

/// The whole of a file.
[[nodiscard]] std::string read_file(std::string const& path);

} // namespace madrigal::cli::test
