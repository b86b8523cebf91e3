#include "conformance/linux_world.hpp"

#include <madrigal/umad/linux_host.hpp>

#include <cstdlib>
#include <poll.h>
#include <sys/utsname.h>
#include <utility>

namespace madrigal::conformance {
namespace {

std::string environment(char const* name)
{
    auto const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

class linux_world final : public world {
public:
    explicit linux_world(std::string ca)
    {
        ca_ = std::move(ca);
        ::uname(&kernel_);
        char const* rest = kernel_.release;
        char* end = nullptr;
        version_ = 1'000 * static_cast<unsigned>(std::strtoul(rest, &end, 10));
        if (*end == '.')
            version_ += static_cast<unsigned>(std::strtoul(end + 1, nullptr, 10));
    }

    [[nodiscard]] std::string name() const override { return std::string{"Linux "} + kernel_.release; }
    [[nodiscard]] umad::host& host() override { return host_; }
    [[nodiscard]] unsigned version() const noexcept override { return version_; }
    [[nodiscard]] time_source* time() const noexcept override { return nullptr; }
    [[nodiscard]] time_point now() const noexcept override { return std::chrono::steady_clock::now(); }

    bool wait_readable(int descriptor, milliseconds within) override
    {
        pollfd looked{.fd = descriptor, .events = POLLIN, .revents = 0};
        return ::poll(&looked, 1, static_cast<int>(within.count())) == 1;
    }

    bool run_until(asio::io_context& loop, std::function<bool()> const& done, milliseconds within) override
    {
        auto const deadline = now() + within;
        loop.restart();
        while (!done()) {
            auto const left = deadline - now();
            if (left <= duration{})
                return false;
            if (loop.run_one_for(left) == 0)
                loop.restart();
        }
        return true;
    }

    [[nodiscard]] std::string cannot_unplug() const override
    {
        return unplug_.empty() || plug_.empty() ? "MADRIGAL_UNPLUG and MADRIGAL_PLUG must hold the commands that take "
                                                  "the device away and bring it back"
                                                : "";
    }
    void unplug() override { EXPECT_EQ(std::system(unplug_.c_str()), 0) << unplug_; }
    void plug() override
    {
        EXPECT_EQ(std::system(plug_.c_str()), 0) << plug_;
        // The kernel makes the files and brings the port up on its own time.
        for (auto const deadline = now() + 10s; now() < deadline; ::poll(nullptr, 0, 10)) {
            auto const port = host_.query_port(ca_, port_);
            if (port && port.value().state == port_state::active && host_.open_port(ca_, port_))
                return;
        }
        ADD_FAILURE() << ca_ << " is not back";
    }

private:
    umad::linux_host host_;
    utsname kernel_{};
    unsigned version_ = 0;
    std::string unplug_ = environment("MADRIGAL_UNPLUG");
    std::string plug_ = environment("MADRIGAL_PLUG");
};

} // namespace

std::unique_ptr<world> make_linux_world(std::string_view ca, std::string& why)
{
    auto made = std::make_unique<linux_world>(std::string{ca});
    auto const port = made->host().query_port(made->ca(), made->port());
    if (!port) {
        why = port.error().message();
        return nullptr;
    }
    return made;
}

} // namespace madrigal::conformance
