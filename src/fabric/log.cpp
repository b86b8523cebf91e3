#include "fabric/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

namespace madrigal::detail {

spdlog::logger& fabric_log()
{
    static std::shared_ptr<spdlog::logger> const logger = [] {
        constexpr char const* name = "madrigal.fabric";
        if (auto existing = spdlog::get(name))
            return existing;
        // Not spdlog's default logger: that one writes to stdout, which belongs to the program's results.
        auto own = std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
        own->set_level(spdlog::level::warn);
        return own;
    }();
    return *logger;
}

} // namespace madrigal::detail
