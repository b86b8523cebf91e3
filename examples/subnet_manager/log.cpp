#include "log.hpp"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace sm {
namespace {

/// `%*`: the priority of a message, as syslog numbers them.
class priority final : public spdlog::custom_flag_formatter {
public:
    void format(spdlog::details::log_msg const& message, std::tm const&, spdlog::memory_buf_t& to) override
    {
        constexpr std::string_view by_level = "7764322";
        to.push_back('<');
        to.push_back(by_level[static_cast<std::size_t>(message.level)]);
        to.push_back('>');
    }
    [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<priority>(); }
};

/// JOURNAL_STREAM is the device and inode of the journal's pipe.
bool is_journal()
{
    struct stat file {};
    auto const* const stream = std::getenv("JOURNAL_STREAM");
    return stream != nullptr && ::fstat(STDERR_FILENO, &file) == 0 &&
           fmt::format("{}:{}", file.st_dev, file.st_ino) == stream;
}

} // namespace

void log_to_stderr(bool verbose)
{
    auto logger = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_st>());
    if (is_journal()) {
        auto formatter = std::make_unique<spdlog::pattern_formatter>();
        formatter->add_flag<priority>('*').set_pattern("%*%v");
        logger->set_formatter(std::move(formatter));
    } else {
        logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    }
    logger->set_level(verbose ? spdlog::level::debug : spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

} // namespace sm
