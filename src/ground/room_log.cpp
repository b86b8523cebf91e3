#include "ground/room_log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

namespace madrigal::detail {

std::shared_ptr<spdlog::logger> room_logger(char const* name)
{
    if (auto existing = spdlog::get(name))
        return existing;
    // Not spdlog's default logger: that one writes to stdout, which belongs to the program's results.
    auto own = std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    own->set_level(spdlog::level::warn);
    return own;
}

} // namespace madrigal::detail
