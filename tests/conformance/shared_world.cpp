#include "conformance/shared_world.hpp"

#include "conformance/emulated_world.hpp"

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/remote/connect.hpp>
#include <madrigal/remote/server.hpp>
#include <madrigal/sim/host.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <poll.h>
#include <thread>
#include <type_traits>

namespace madrigal::conformance {
namespace {

/// The fabric, its clock and its server, all of one thread.
class serving_thread {
public:
    serving_thread() : thread_{[this] { loop_.run(); }}
    {
        run([this] {
            fabric_ = make_small_fabric(clock_);
            machine_ = sim::host::make(fabric_).value();
            server_ = remote::server::listen(loop_.get_executor(),
                [this](std::optional<std::string_view> ca) { return sim::make_host(fabric_, ca); }, {.socket = path()})
                          .value();
        });
    }
    serving_thread(serving_thread const&) = delete;
    serving_thread& operator=(serving_thread const&) = delete;
    ~serving_thread()
    {
        run([this] {
            server_.reset();
            machine_.reset();
            fabric_.reset();
        });
        work_.reset();
        thread_.join();
    }

    [[nodiscard]] std::filesystem::path path() const { return folder_.path / "fabric.sock"; }
    [[nodiscard]] std::shared_ptr<sim::fabric> const& fabric() const noexcept { return fabric_; }
    [[nodiscard]] topology::node_index node() const noexcept { return machine_->node(); }
    [[nodiscard]] engine::virtual_time& clock() noexcept { return clock_; }

    /// Calls it there once everything is done that the server has to do, and returns when all that follows is done too.
    template <class Function>
    std::invoke_result_t<Function> run(Function what)
    {
        std::promise<decltype(what())> done;
        boost::asio::post(loop_, [&] {
            settle();
            if constexpr (std::is_void_v<decltype(what())>) {
                what();
                settle();
                done.set_value();
            } else {
                auto value = what();
                settle();
                done.set_value(std::move(value));
            }
        });
        return done.get_future().get();
    }

private:
    void settle()
    {
        while (loop_.poll() != 0) {
        }
    }

    struct own_folder {
        own_folder()
        {
            std::string name = (std::filesystem::temp_directory_path() / "madrigal-XXXXXX").string();
            path = ::mkdtemp(name.data());
        }
        own_folder(own_folder const&) = delete;
        own_folder& operator=(own_folder const&) = delete;
        ~own_folder()
        {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
        std::filesystem::path path;
    };

    own_folder folder_;
    engine::virtual_time clock_;
    std::shared_ptr<sim::fabric> fabric_;
    std::shared_ptr<sim::host> machine_;
    asio::io_context loop_;
    asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
    std::unique_ptr<remote::server> server_;
    std::thread thread_;
};

/// The clock of this side goes with the fabric's.
class shared_world final : public world {
public:
    shared_world()
    {
        host_ = remote::connect(served_.path()).value();
        ca_ = host_->ca_names().value().front();
    }

    [[nodiscard]] std::string name() const override { return "emulated, shared"; }
    [[nodiscard]] umad::host& host() override { return *host_; }
    [[nodiscard]] unsigned version() const noexcept override { return 0; }
    [[nodiscard]] time_source* time() const noexcept override { return &clock_; }
    [[nodiscard]] time_point now() const noexcept override { return clock_.now(); }

    [[nodiscard]] short gone() const noexcept override { return POLLIN | POLLOUT | POLLHUP; }

    bool wait_readable(int descriptor, milliseconds within) override
    {
        auto const deadline = clock_.now() + within;
        for (;;) {
            settle();
            pollfd looked{.fd = descriptor, .events = POLLIN, .revents = 0};
            if (::poll(&looked, 1, 0) == 1)
                return true;
            if (clock_.now() >= deadline)
                return false;
            pass_until(deadline);
        }
    }

    bool run_until(asio::io_context& loop, std::function<bool()> const& done, milliseconds within) override
    {
        auto const deadline = clock_.now() + within;
        for (;;) {
            settle();
            loop.restart();
            bool moved = false;
            while (loop.poll() != 0) {
                moved = true;
                if (done())
                    return true;
            }
            if (done())
                return true;
            if (moved)
                continue;
            if (clock_.now() >= deadline)
                return false;
            pass_until(deadline);
        }
    }

    void unplug() override
    {
        before_ = attributes();
        EXPECT_FALSE(served_.run([this] { return served_.fabric()->unplug(served_.node()); }).code());
    }
    void plug() override
    {
        EXPECT_FALSE(served_.run([this] { return served_.fabric()->plug(served_.node()); }).code());
        configure_again(*this, before_);
    }

private:
    void settle()
    {
        served_.run([] {});
    }
    /// To the next thing that happens on either side, or to the deadline where that comes first.
    void pass_until(time_point deadline)
    {
        auto const theirs = served_.run([this] { return served_.clock().next(); });
        auto const next = std::max(std::min({theirs, clock_.next(), deadline}), clock_.now());
        served_.run([&] {
            // An alarm of the past fires without the clock's moving on.
            served_.clock().advance(next - served_.clock().now());
        });
        clock_.advance(next - clock_.now());
    }

    mutable engine::virtual_time clock_;
    serving_thread served_;
    std::shared_ptr<umad::host> host_;
    umad::port_attributes before_;
};

} // namespace

std::unique_ptr<world> make_shared_world()
{
    return std::make_unique<shared_world>();
}

} // namespace madrigal::conformance
