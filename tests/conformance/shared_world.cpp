#include "conformance/shared_world.hpp"

#include "conformance/virtual_world.hpp"
#include "remote/serving_thread.hpp"

#include <madrigal/remote/connect.hpp>

#include <algorithm>

namespace madrigal::conformance {
namespace {

/// The clock of this side goes with the fabric's.
class shared_world final : public virtual_world {
public:
    shared_world()
    {
        host_ = remote::connect(served_.path()).value();
        ca_ = host_->ca_names().value().front();
    }

    [[nodiscard]] std::string name() const override { return "emulated, shared"; }
    [[nodiscard]] umad::host& host() override { return *host_; }
    [[nodiscard]] short gone() const noexcept override { return POLLIN | POLLOUT | POLLHUP; }

private:
    void settle() override { served_.settle(); }
    void pass_until(time_point deadline) override
    {
        auto const theirs = served_.run([this] { return served_.clock().next(); });
        auto const next = std::max(std::min({theirs, clock_.next(), deadline}), clock_.now());
        served_.run([&] {
            // An alarm of the past fires without the clock's moving on.
            served_.clock().advance(next - served_.clock().now());
        });
        clock_.advance(next - clock_.now());
    }
    void with_fabric(std::function<void(sim::fabric&)> const& what) override
    {
        served_.run([&] { what(served_.fabric()); });
    }

    madrigal::testing::serving_thread served_{make_small_fabric};
    std::shared_ptr<umad::host> host_;
};

} // namespace

std::unique_ptr<world> make_shared_world()
{
    return std::make_unique<shared_world>();
}

} // namespace madrigal::conformance
