// The console of a served fabric: lines that change what the fabric does, or show it.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/remote/server.hpp>
#include <madrigal/sim/fabric.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace madrigal::cli {

/// What a line asks for. What it names is there and fits: that has been looked up already.
struct console_step {
    enum class kind {
        nothing, ///< a blank line or a comment
        command, ///< `run` does it
        wait,    ///< for `time`
        at,      ///< wait until `time` after the beginning
        quit,
    };
    kind what = kind::nothing;
    duration time{};
    std::function<result<std::string>()> run{}; ///< gives the answer: whole lines, one at least
};

/// Understands lines. Belongs to the thread that drives the fabric, or to any where that is none in particular.
class console {
public:
    /// `counters` tells what the server has done.
    console(std::shared_ptr<sim::fabric> fabric, std::function<remote::server_counters()> counters);

    /// errc::invalid_argument or errc::no_such_node, whose context tells what is wrong and what is known.
    [[nodiscard]] result<console_step> understand(std::string_view line) const;

private:
    std::shared_ptr<sim::fabric> fabric_;
    std::function<remote::server_counters()> counters_;
};

/// What the console knows, a line for each command.
[[nodiscard]] std::string console_help();

} // namespace madrigal::cli
