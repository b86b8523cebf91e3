#include "remote/log.hpp"

#include "ground/room_log.hpp"

namespace madrigal::remote {

spdlog::logger& log()
{
    static auto const logger = detail::room_logger("madrigal.remote");
    return *logger;
}

} // namespace madrigal::remote
