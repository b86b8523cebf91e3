// A fabric, its clock and its server, all of one thread, that a test drives from another.
#pragma once

#include "scratch.hpp"

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/remote/server.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace madrigal::testing {

/// Serves what `make` makes, at a socket of its own.
class serving_thread {
public:
    using fabric_maker = std::function<std::shared_ptr<sim::fabric>(time_source&)>;

    explicit serving_thread(fabric_maker make) : make_{std::move(make)}, thread_{[this] { loop_.run(); }}
    {
        run([this] { fabric_ = make_(clock_); });
        listen();
    }
    serving_thread(serving_thread const&) = delete;
    serving_thread& operator=(serving_thread const&) = delete;
    ~serving_thread()
    {
        run([this] {
            server_.reset();
            fabric_.reset();
        });
        work_.reset();
        thread_.join();
    }

    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "fabric.sock"; }
    /// For use within `run` only.
    [[nodiscard]] sim::fabric& fabric() noexcept { return *fabric_; }
    [[nodiscard]] engine::virtual_time& clock() noexcept { return clock_; }
    [[nodiscard]] remote::server_counters counters()
    {
        return run([this] { return server_->counters(); });
    }

    void listen()
    {
        run([this] {
            server_ = remote::server::listen(loop_.get_executor(),
                [this](std::optional<std::string_view> ca) { return sim::make_host(fabric_, ca); }, {.socket = path()})
                          .value();
        });
    }
    /// As when the server dies.
    void stop_listening()
    {
        run([this] { server_.reset(); });
    }

    /// Calls it there once everything is done that the server has to do, and returns when all that follows is done too.
    template <class Function>
    std::invoke_result_t<Function> run(Function what)
    {
        std::promise<std::invoke_result_t<Function>> done;
        boost::asio::post(loop_, [&] {
            settle_here();
            if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
                what();
                settle_here();
                done.set_value();
            } else {
                auto value = what();
                settle_here();
                done.set_value(std::move(value));
            }
        });
        return done.get_future().get();
    }
    void settle()
    {
        run([] {});
    }

private:
    void settle_here()
    {
        while (loop_.poll() != 0) {
        }
    }

    scratch folder_;
    engine::virtual_time clock_;
    fabric_maker make_;
    std::shared_ptr<sim::fabric> fabric_;
    boost::asio::io_context loop_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{loop_.get_executor()};
    std::unique_ptr<remote::server> server_;
    std::thread thread_;
};

} // namespace madrigal::testing
