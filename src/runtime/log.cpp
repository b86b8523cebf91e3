#include "runtime/log.hpp"

#include "ground/room_log.hpp"

namespace madrigal::detail {

spdlog::logger& log()
{
    static auto const logger = room_logger("madrigal.runtime");
    return *logger;
}

} // namespace madrigal::detail
