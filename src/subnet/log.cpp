#include "subnet/log.hpp"

#include "ground/room_log.hpp"

namespace madrigal::detail {

spdlog::logger& subnet_log()
{
    static auto const logger = room_logger("madrigal.subnet");
    return *logger;
}

} // namespace madrigal::detail
