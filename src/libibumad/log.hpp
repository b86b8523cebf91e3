// What the library has to say goes to stderr, never to stdout, which belongs to the program's results.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace madrigal::libibumad {

/// What umad_debug(3) has set: 0 nothing, 1 what is called and what fails, 2 the packets sent too.
[[nodiscard]] int debug_level() noexcept;
/// Any thread.
void set_debug_level(int level) noexcept;

/// One line, after the library's name and the process.
void say(std::string_view text);

/// `say`, where the debug level is 1 or more.
template <class... Arguments>
void debug(fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    if (debug_level() > 0)
        say(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// A name as a program gave it, for messages.
[[nodiscard]] constexpr char const* shown(char const* name) noexcept
{
    return name != nullptr ? name : "(any)";
}

} // namespace madrigal::libibumad
