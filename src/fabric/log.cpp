#include "fabric/log.hpp"

#include "ground/room_log.hpp"

namespace madrigal::detail {

spdlog::logger& fabric_log()
{
    static auto const logger = room_logger("madrigal.fabric");
    return *logger;
}

} // namespace madrigal::detail
