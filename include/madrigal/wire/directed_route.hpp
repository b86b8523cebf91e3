// A directed route: the port to leave by at each node, from the local one on (IBA 14.2.1.2).
#pragma once

#include <array>
#include <cassert>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace madrigal {

/// A route of up to 63 hops: `directed_route{0, 1, 3}` leaves the local node by port 1 and the next by port 3. The
/// first entry is always 0 and stands for the local node, which the default route and `directed_route{0}` mean.
class directed_route {
public:
    static constexpr std::size_t max_hops = 63;

    constexpr directed_route() noexcept = default;
    /// Precondition: `local` is 0, and the ports are 0 to 255.
    template <std::integral Local, std::integral... Ports>
    requires(sizeof...(Ports) <= max_hops) constexpr explicit directed_route(Local local, Ports... ports) noexcept
        : path_{0, static_cast<std::uint8_t>(ports)...}, hops_{sizeof...(Ports)}
    {
        assert(local == 0);
        assert(((static_cast<std::uint64_t>(ports) <= 255) && ...));
        (void)local;
    }

    /// Ports to leave by, without the leading 0; nothing for more than 63.
    [[nodiscard]] static constexpr std::optional<directed_route> from_ports(
        std::span<std::uint8_t const> ports) noexcept
    {
        if (ports.size() > max_hops)
            return std::nullopt;
        directed_route route;
        for (auto const port : ports)
            route.path_[++route.hops_] = port;
        return route;
    }

    /// Number of links on the way: 0 for the local node.
    [[nodiscard]] constexpr std::size_t hops() const noexcept { return hops_; }
    /// Entry 0 is 0; entry `i` is the port that the `i`-th node is left by. Precondition: `i <= hops()`.
    [[nodiscard]] constexpr std::uint8_t operator[](std::size_t i) const noexcept
    {
        assert(i <= hops_);
        return path_[i];
    }
    /// The ports to leave by, without the leading 0.
    [[nodiscard]] constexpr std::span<std::uint8_t const> ports() const noexcept
    {
        return std::span<std::uint8_t const>{path_}.subspan(1, hops_);
    }
    /// The 64 bytes of InitialPath in a directed-route SMP; the rest is 0.
    [[nodiscard]] constexpr std::array<std::uint8_t, 64> const& initial_path() const noexcept { return path_; }

    /// True where `extended` has room for one more hop.
    [[nodiscard]] constexpr bool can_extend() const noexcept { return hops_ < max_hops; }
    /// This route and one more hop by `port`. Precondition: `can_extend()`.
    [[nodiscard]] constexpr directed_route extended(std::uint8_t port) const noexcept
    {
        assert(can_extend());
        directed_route route = *this;
        route.path_[++route.hops_] = port;
        return route;
    }
    /// This route without its last hop; the local node stays itself.
    [[nodiscard]] constexpr directed_route parent() const noexcept
    {
        directed_route route = *this;
        if (route.hops_ != 0)
            route.path_[route.hops_--] = 0;
        return route;
    }

    friend constexpr auto operator<=>(directed_route const&, directed_route const&) noexcept = default;

    /// Reads what `to_string` writes: numbers from 0 to 255 between commas, the first of them 0, at most 64 in all.
    /// Nothing for anything else.
    [[nodiscard]] static std::optional<directed_route> parse(std::string_view text) noexcept;

private:
    std::array<std::uint8_t, 64> path_{};
    std::uint8_t hops_ = 0;
};

/// `0,1,3`; `0` for the local node.
[[nodiscard]] std::string to_string(directed_route const& route);

} // namespace madrigal
