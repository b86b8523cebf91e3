/* subnet_manager [--host URI] [--settings FILE] [--once] [--metrics PORT] [--verbose]

   One process, one thread and one loop for all subnets that the settings name. SIGTERM and SIGINT end it, SIGHUP has it
   look at everything again. */
#include "log.hpp"
#include "manager.hpp"
#include "metrics.hpp"
#include "settings.hpp"

#include <madrigal/hosts/open_host.hpp>
#include <madrigal/runtime/reactor.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <csignal>
#include <optional>

namespace {

namespace asio = boost::asio;

/// What the command line says.
struct words {
    std::string host = madrigal::default_host_uri();
    std::string settings;
    std::uint16_t metrics = 0;
    bool once = false;
    bool verbose = false;
};

/// All subnets of this process.
class subnet_managers {
public:
    explicit subnet_managers(words const& with) : words_{with}
    {
        if (with.metrics != 0)
            metrics_.emplace(with.metrics);
        host_ = madrigal::open_host(with.host).value();
        reactor_.emplace(loop_, *host_);
        auto const all = with.settings.empty() ? std::vector{sm::settings{}} : sm::read_settings(with.settings).value();
        for (auto const& one : all)
            managers_.push_back(sm::manager::open(*reactor_, one).value());
    }

    int run()
    {
        signals_.add(SIGTERM);
        signals_.add(SIGINT);
        signals_.add(SIGHUP);
        asio::co_spawn(loop_, take_signals(), asio::detached);
        asio::co_spawn(loop_, show_metrics(), asio::detached);
        running_ = managers_.size();
        for (auto const& one : managers_)
            asio::co_spawn(loop_, one->run(words_.once), [this](std::exception_ptr const& thrown, bool good) {
                good_ = good_ && good && !thrown;
                if (--running_ == 0)
                    loop_.stop();
            });
        loop_.run();
        return good_ ? 0 : 1;
    }

private:
    asio::awaitable<void> take_signals()
    {
        for (;;) {
            auto const signal = co_await signals_.async_wait(asio::use_awaitable);
            spdlog::info("{}", signal == SIGHUP ? "SIGHUP: looking at everything again" : "ending");
            for (auto const& one : managers_)
                signal == SIGHUP ? one->configure_anew() : one->stop();
        }
    }

    asio::awaitable<void> show_metrics()
    {
        asio::steady_timer timer{loop_};
        while (metrics_) {
            for (auto const& one : managers_)
                metrics_->update(*one);
            timer.expires_after(std::chrono::seconds{1});
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

    words words_;
    std::optional<sm::metrics> metrics_;
    std::shared_ptr<madrigal::umad::host> host_;
    asio::io_context loop_{1};
    asio::signal_set signals_{loop_};
    std::optional<madrigal::reactor> reactor_;
    std::vector<std::unique_ptr<sm::manager>> managers_;
    std::size_t running_ = 0;
    bool good_ = true;
};

} // namespace

int main(int argc, char** argv)
try {
    std::signal(SIGHUP, SIG_IGN); // until there is something to be looked at again
    words given;
    CLI::App app{"Manages InfiniBand subnets"};
    app.add_option("--host", given.host, "Machine whose ports are used: linux, sim:FILE, unix:SOCKET")
        ->type_name("URI")
        ->capture_default_str();
    app.add_option("--settings", given.settings, "JSON file, see README.md; each has a good default")
        ->type_name("FILE");
    app.add_option("--metrics", given.metrics, "Serve Prometheus text at 127.0.0.1:PORT")->type_name("PORT");
    app.add_flag("--once", given.once, "Configure the subnet and end");
    app.add_flag("-v,--verbose", given.verbose, "Say more");
    CLI11_PARSE(app, argc, argv);
    sm::log_to_stderr(given.verbose);
    return subnet_managers{given}.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
