/* Many clients of subnet administration that ask for paths at a steady pace, whatever becomes of the answers.

     madrigal_interop_path_load SOCKET-URI RATE CLIENTS CA... < marks

   Standard input first names the ports to ask about, a line "PORT-GUID LID" each, then an empty line. From then on RATE
   questions a second are asked, by CLIENTS clients in turn, on the machines of the CAs in turn. A line "before" says
   that the subnet manager's machine is going to be lost, "after" that it has been; the end of input ends it. An answer
   is right if it has the LIDs that were told. A question may fail if some of its time lies in the gap of its machine:
   from "before" until the first answer there to a question asked since "after". Each second has a line, and the last
   one sums up. */
#include <madrigal/fabric/sa_queries.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/runtime/reactor.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace madrigal {
namespace {

using steady = std::chrono::steady_clock;
using instant = steady::time_point;

struct target {
    gid address;
    lid at;
};

struct machine {
    machine(asio::io_context& loop, std::string const& uri)
        : host{open_host(uri).value()}, on{loop, *host}, own{on.open().value().query_subnet().value()}
    {}

    std::shared_ptr<umad::host> host;
    reactor on;
    umad::subnet_attributes own;
    std::optional<instant> gap_end; ///< the first answer to a question asked since "after"
};

struct failed_question {
    machine* of;
    instant asked;
    instant failed;
};

struct counts {
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
    std::uint64_t failed = 0;
    std::uint64_t wrong = 0; ///< answers with other LIDs
};

/// After the last question, for what is under way.
constexpr std::chrono::seconds patience{5};

double milliseconds(steady::duration time)
{
    return std::chrono::duration<double, std::milli>{time}.count();
}

class path_load {
public:
    path_load(asio::io_context& loop, unsigned rate, std::vector<target> targets)
        : loop_{loop}, rate_{rate}, targets_{std::move(targets)}, pace_{loop}, input_{loop, ::dup(STDIN_FILENO)}
    {}

    void add(std::unique_ptr<machine> one) { machines_.push_back(std::move(one)); }

    void open_clients(unsigned count)
    {
        sa_options how;
        how.window = 256; // the pace is kept while nobody answers
        how.timeout = std::chrono::milliseconds{500};
        how.retries = 0; // each loss is seen; where the port has another subnet manager by then, that one is asked
        for (unsigned i = 0; i != count; ++i) {
            auto& on = *machines_[i % machines_.size()];
            // A file each, as programs of their own would have: one holds 32 agents.
            clients_.push_back({sa_client::open(on.on.open().value(), how).value(), &on});
        }
    }

    void start()
    {
        began_ = steady::now();
        last_answer_ = began_;
        fmt::print("asking\n");
        std::fflush(stdout);
        keep_pace();
        read_mark();
    }

    void sum_up() const
    {
        unsigned outside = 0;
        steady::duration gap{};
        unsigned without = 0;
        for (auto const& one : failures_) {
            auto const end = one.of->gap_end.value_or(instant::max());
            if (!before_ || one.failed < *before_ || one.asked > end)
                ++outside;
        }
        for (auto const& one : machines_) {
            if (before_ && one->gap_end)
                gap = std::max(gap, *one->gap_end - *before_);
            else
                ++without;
        }
        for (auto const& [what, count] : reasons_)
            fmt::print("{} times: {}\n", count, what);
        fmt::print("asked {} answered {} failed {} outside {} wrong {} gap {:.0f} ms silence {:.0f} ms unserved {}\n",
            all_.asked, all_.answered, all_.failed, outside, all_.wrong, milliseconds(gap),
            milliseconds(longest_silence_), without);
    }

private:
    struct client {
        sa_client sa;
        machine* on;
    };

    void keep_pace()
    {
        auto const due = static_cast<std::uint64_t>(
            std::chrono::duration<double>{steady::now() - began_}.count() * static_cast<double>(rate_));
        for (; all_.asked < due && !ending_; ++all_.asked)
            ask(clients_[all_.asked % clients_.size()]);
        print_seconds();
        if (ending_ && (all_.answered + all_.failed + all_.wrong == all_.asked || steady::now() > *ending_ + patience))
            return loop_.stop();
        pace_.expires_after(std::chrono::milliseconds{1});
        pace_.async_wait([this](error_code failed) {
            if (!failed)
                keep_pace();
        });
    }

    void ask(client const& with)
    {
        auto const& to = targets_[random_() % targets_.size()];
        auto* const on = with.on;
        auto const asked = steady::now();
        ++now_.asked;
        async_path(with.sa, on->own.first_gid, to.address, {},
            [this, on, &to, asked](error_code failed, path_record const& path) {
                if (failed)
                    note_failure(*on, asked, failed.message());
                else if (path.slid != on->own.base_lid || path.dlid != to.at)
                    note_wrong();
                else
                    note_answer(*on, asked);
            });
    }

    void note_answer(machine& on, instant asked)
    {
        auto const now = steady::now();
        ++now_.answered;
        ++all_.answered;
        longest_silence_ = std::max(longest_silence_, now - std::exchange(last_answer_, now));
        if (after_ && asked >= *after_ && !on.gap_end)
            on.gap_end = now;
    }

    void note_failure(machine& on, instant asked, std::string const& why)
    {
        ++now_.failed;
        ++all_.failed;
        ++reasons_[why];
        failures_.push_back({&on, asked, steady::now()});
    }

    void note_wrong()
    {
        ++now_.wrong;
        ++all_.wrong;
    }

    void print_seconds()
    {
        auto const second = std::chrono::duration_cast<std::chrono::seconds>(steady::now() - began_).count();
        if (second == second_)
            return;
        fmt::print("second {} asked {} answered {} failed {} wrong {}\n", second_, now_.asked, now_.answered,
            now_.failed, now_.wrong);
        std::fflush(stdout);
        second_ = second;
        now_ = {};
    }

    void read_mark()
    {
        asio::async_read_until(input_, buffer_, '\n', [this](error_code failed, std::size_t size) {
            if (failed) {
                ending_ = steady::now();
                return;
            }
            std::string const mark{
                asio::buffers_begin(buffer_.data()), asio::buffers_begin(buffer_.data()) + (size - 1)};
            buffer_.consume(size);
            (mark == "before" ? before_ : after_) = steady::now();
            read_mark();
        });
    }

    asio::io_context& loop_;
    unsigned rate_;
    std::vector<target> targets_;
    std::vector<std::unique_ptr<machine>> machines_;
    std::vector<client> clients_;
    asio::steady_timer pace_;
    asio::posix::stream_descriptor input_;
    asio::streambuf buffer_;
    std::mt19937 random_{1};
    instant began_;
    instant last_answer_;
    steady::duration longest_silence_{};
    std::optional<instant> before_;
    std::optional<instant> after_;
    std::int64_t second_ = 0;
    counts now_; ///< in this second
    counts all_;
    std::vector<failed_question> failures_;
    std::map<std::string, unsigned> reasons_;
    std::optional<instant> ending_;
};

/// "0x0002c903000e0b73 12" each, until an empty line. Read byte by byte: what follows is not for this.
std::vector<target> read_targets(std::uint64_t prefix)
{
    std::vector<target> all;
    std::string line;
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) == 1) {
        if (byte != '\n') {
            line += byte;
            continue;
        }
        if (line.empty())
            break;
        char* end = nullptr;
        auto const number = std::strtoull(line.c_str(), &end, 16);
        all.push_back({gid{prefix, guid{number}}, lid{static_cast<std::uint16_t>(std::strtoul(end, nullptr, 10))}});
        line.clear();
    }
    return all;
}

int run(std::string const& socket, unsigned rate, unsigned clients, std::span<char*> cas)
{
    auto targets = read_targets(default_subnet_prefix);
    if (targets.empty() || rate == 0 || clients == 0 || cas.empty()) {
        fmt::print(stderr, "nothing to ask about, or nobody to ask\n");
        return 2;
    }
    asio::io_context loop;
    path_load load{loop, rate, std::move(targets)};
    for (auto const* const ca : cas)
        load.add(std::make_unique<machine>(loop, fmt::format("{}?ca={}", socket, ca)));
    load.open_clients(clients);
    load.start();
    loop.run();
    load.sum_up();
    return 0;
}

} // namespace
} // namespace madrigal

int main(int argc, char** argv)
try {
    if (argc < 5) {
        fmt::print(stderr, "Usage: madrigal_interop_path_load SOCKET-URI RATE CLIENTS CA...\n");
        return 2;
    }
    auto const number = [&](int at) { return static_cast<unsigned>(std::strtoul(argv[at], nullptr, 10)); };
    return madrigal::run(argv[1], number(2), number(3), {argv + 4, argv + argc});
} catch (std::exception const& thrown) {
    fmt::print(stderr, "{}\n", thrown.what());
    return 1;
}
