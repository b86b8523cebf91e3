// Who may read and write a node's attributes: the M_Key check (IBA 14.2.4).
#pragma once

#include <sim/core.hpp>

#include <cstdint>

namespace madrigal::sim {

/// The M_Key that an SMP carries.
[[nodiscard]] inline std::uint64_t smp_m_key(packet const& one) noexcept
{
    return load_bits<192, 64>(one.mad.data());
}

/// True where this key lets its bearer change things: the right one, or none is needed.
[[nodiscard]] constexpr bool may_change(m_key_guard const& guard, std::uint64_t key) noexcept
{
    return guard.key == 0 || guard.key == key;
}

/// True where it lets him ask: protection levels 0 and 1 let anybody.
[[nodiscard]] constexpr bool may_ask(m_key_guard const& guard, std::uint64_t key) noexcept
{
    return may_change(guard, key) || guard.protect_bits <= 1;
}

/// True where an answer may show the key: level 0 shows it to all.
[[nodiscard]] constexpr bool may_see(m_key_guard const& guard, std::uint64_t key) noexcept
{
    return may_change(guard, key) || guard.protect_bits == 0;
}

/// Counts a violation and lets the lease run. When it runs out, nothing is protected any more.
void m_key_violated(core& of, end_port& of_port) noexcept;
/// Ends a lease that has run out; a bearer of the right key ends one that still runs.
void m_key_checked(core const& of, m_key_guard& guard, std::uint64_t key) noexcept;

} // namespace madrigal::sim
