#include "conformance/emulated_world.hpp"

#include "conformance/virtual_world.hpp"

#include <madrigal/sim/host.hpp>

namespace madrigal::conformance {
namespace {

class emulated_world final : public virtual_world {
public:
    emulated_world()
    {
        fabric_ = make_small_fabric(clock_);
        host_ = sim::host::make(fabric_).value();
        ca_ = host_->ca_names().value().front();
    }

    [[nodiscard]] std::string name() const override { return "emulated"; }
    [[nodiscard]] umad::host& host() override { return *host_; }
    [[nodiscard]] short pollout() const noexcept override { return 0; }
    [[nodiscard]] short gone() const noexcept override { return POLLIN; }

private:
    void pass_until(time_point deadline) override
    {
        if (clock_.next() <= deadline)
            (void)clock_.advance_to_next();
        else
            clock_.advance(deadline - clock_.now());
    }
    void with_fabric(std::function<void(sim::fabric&)> const& what) override { what(*fabric_); }

    std::shared_ptr<sim::fabric> fabric_;
    std::shared_ptr<sim::host> host_;
};

} // namespace

std::unique_ptr<world> make_emulated_world()
{
    return std::make_unique<emulated_world>();
}

} // namespace madrigal::conformance
