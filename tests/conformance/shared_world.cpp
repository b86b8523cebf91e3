#include "conformance/shared_world.hpp"

#include "conformance/emulated_world.hpp"
#include "remote/serving_thread.hpp"

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/remote/connect.hpp>

#include <algorithm>
#include <poll.h>

namespace madrigal::conformance {
namespace {

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
        EXPECT_FALSE(served_.run([this] { return served_.fabric().unplug(first_ca()); }).code());
    }
    void plug() override
    {
        EXPECT_FALSE(served_.run([this] { return served_.fabric().plug(first_ca()); }).code());
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

    [[nodiscard]] topology::node_index first_ca()
    {
        auto const& layout = served_.fabric().layout();
        topology::node_index at = 0;
        while (layout.at(at).type != node_type::ca)
            ++at;
        return at;
    }

    mutable engine::virtual_time clock_;
    madrigal::testing::serving_thread served_{make_small_fabric};
    std::shared_ptr<umad::host> host_;
    umad::port_attributes before_;
};

} // namespace

std::unique_ptr<world> make_shared_world()
{
    return std::make_unique<shared_world>();
}

} // namespace madrigal::conformance
