#include <madrigal/wire/directed_route.hpp>

#include <charconv>

namespace madrigal {

std::optional<directed_route> directed_route::parse(std::string_view text) noexcept
{
    directed_route route;
    for (bool first = true;; first = false) {
        std::uint8_t port = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
        if (error != std::errc{})
            return std::nullopt;
        if (first) {
            if (port != 0)
                return std::nullopt;
        } else {
            if (!route.can_extend())
                return std::nullopt;
            route.path_[++route.hops_] = port;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty())
            return route;
        if (text.front() != ',')
            return std::nullopt;
        text.remove_prefix(1);
    }
}

std::string to_string(directed_route const& route)
{
    std::string text = "0";
    for (auto const port : route.ports()) {
        text += ',';
        text += std::to_string(port);
    }
    return text;
}

} // namespace madrigal
