// What a write to a umad file costs in the kernel while many requests are outstanding on it, and whether several files
// of one port share the burden. For a machine, or a guest, whose kernel has a port.
#include "../load/question_packet.hpp"
#include "../load/series.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace madrigal::bench {
namespace {

using clock = std::chrono::steady_clock;

struct plan {
    unsigned rounds = 9;
    unsigned writes = 64;
    std::chrono::milliseconds rest{500};
};

/// Several umad files of one port, each with an agent of its own, written in turn.
class open_files {
public:
    static result<open_files> open(venue const& on, unsigned count)
    {
        open_files all;
        for (unsigned i = 0; i != count; ++i) {
            BOOST_OUTCOME_TRY(auto opened, umad::open_port(*on.host, {.ca = on.port.ca_name, .port = on.port.number}));
            BOOST_OUTCOME_TRY(auto const agent, opened.file.register_agent(on.client));
            all.files_.push_back({std::move(opened.file), question_packet{on, agent.id, nobody_answers}});
        }
        return all;
    }
    [[nodiscard]] result<void> write(unsigned count)
    {
        for (unsigned i = 0; i != count; ++i) {
            auto& [file, question] = files_[next_id_ % files_.size()];
            question.set_id(++next_id_);
            if (auto const put = file.file().write(question.bytes()); !put)
                return put.error();
        }
        return outcome::success();
    }

private:
    /// The kernel keeps each for as long as a run may take.
    static constexpr patience nobody_answers{std::chrono::minutes{10}, 0};

    struct one {
        umad::umad_file file;
        question_packet question;
    };
    std::vector<one> files_;
    std::uint32_t next_id_ = 0;
};

/// Microseconds for a write while so many are outstanding.
result<double> measure(venue const& on, unsigned outstanding, unsigned files, plan const& how)
{
    BOOST_OUTCOME_TRY(auto all, open_files::open(on, files));
    BOOST_OUTCOME_TRY(all.write(outstanding));
    std::this_thread::sleep_for(how.rest); // until all have left
    auto const begun = clock::now();
    BOOST_OUTCOME_TRY(all.write(how.writes));
    return std::chrono::duration<double, std::micro>(clock::now() - begun).count() / how.writes;
}

result<void> compare(
    venue const& on, std::vector<unsigned> const& outstanding, std::vector<unsigned> const& files, plan const& how)
{
    for (auto const count : files) {
        std::vector<std::vector<double>> all(outstanding.size());
        for (unsigned round = 0; round != how.rounds; ++round)
            for (std::size_t i = 0; i != outstanding.size(); ++i) {
                BOOST_OUTCOME_TRY(auto const each, measure(on, outstanding[i], count, how));
                all[i].push_back(each);
            }
        for (std::size_t i = 0; i != outstanding.size(); ++i) {
            std::vector<double> growth;
            for (unsigned round = 0; round != how.rounds; ++round)
                growth.push_back(all[i][round] / all[0][round]);
            fmt::print("| {} | {} | {:.2f} | {:.2f} |\n", outstanding[i], count, median(all[i]), median(growth));
        }
        (void)std::fflush(stdout);
    }
    return outcome::success();
}

} // namespace
} // namespace madrigal::bench

int main(int argc, char** argv)
{
    using namespace madrigal;
    using namespace madrigal::bench;
    CLI::App program{"What a write to a umad file costs while many requests are outstanding"};
    std::string ca;
    unsigned port = 0;
    std::vector<unsigned> outstanding{16, 256, 1'024, 4'096, 16'384};
    std::vector<unsigned> files{1, 4, 16};
    plan how;
    unsigned rest = 500;
    program.add_option("--ca", ca, "The CA, such as mlx5_0");
    program.add_option("--port", port, "Its port");
    program.add_option("--outstanding", outstanding, "Requests outstanding in all")->delimiter(',');
    program.add_option("--files", files, "Open files that share them")->delimiter(',')->check(CLI::PositiveNumber);
    program.add_option("--rounds", how.rounds, "Measurements of each")->check(CLI::PositiveNumber);
    program.add_option("--writes", how.writes, "Writes in a measurement")->check(CLI::PositiveNumber);
    program.add_option("--rest", rest, "Milliseconds in which the outstanding ones leave");
    CLI11_PARSE(program, argc, argv);
    how.rest = std::chrono::milliseconds{rest};
    auto on = port_venue("linux", ca, port != 0 ? std::optional{port} : std::nullopt);
    if (!on) {
        fmt::print(stderr, "madrigal-bench-growth: {}\n", on.error().message());
        return 1;
    }
    // A Report: the answering process serves Gets only, and the kernel drops what nobody serves.
    mutable_mad_view{on.value().question.bytes}.set_method(method::report);
    fmt::print("| outstanding | files | us a write | ÷ the fewest |\n| ---: | ---: | ---: | ---: |\n");
    if (auto const done = compare(on.value(), outstanding, files, how); !done) {
        fmt::print(stderr, "madrigal-bench-growth: {}\n", done.error().message());
        return 1;
    }
    return 0;
}
