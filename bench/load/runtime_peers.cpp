#include "peers.hpp"
#include "runtime_loops.hpp"

namespace madrigal::bench {
namespace {

template <client_style Style>
peer runtime_peer(std::string_view name) noexcept
{
    return {.name = name,
        .is_runtime = true,
        .absent = [](venue const&) { return std::optional<std::string>{}; },
        .request = [](venue const& on, load_options const& how) { return runtime_closed_loop(on, how, Style); },
        .send = [](venue const& on, load_options const& how) { return runtime_send_loop(on, how, Style); },
        .open = [](venue const& on, load_options const& how) { return runtime_open_loop(on, how, Style); }};
}

} // namespace

peer coroutine_peer() noexcept
{
    return runtime_peer<client_style::coroutines>("coroutines");
}

peer handler_peer() noexcept
{
    return runtime_peer<client_style::handlers>("handlers");
}

} // namespace madrigal::bench
