#include <sim/m_key.hpp>

#include <chrono>

namespace madrigal::sim {

void m_key_violated(core& of, end_port& of_port) noexcept
{
    auto& guard = of_port.guard;
    if (guard.violations != 0xFFFF)
        ++guard.violations;
    if (guard.lease_seconds != 0 && guard.lease_end == never)
        guard.lease_end = of.now + std::chrono::seconds{guard.lease_seconds};
}

void m_key_checked(core const& of, m_key_guard& guard, std::uint64_t key) noexcept
{
    if (guard.lease_end == never)
        return;
    if (of.now >= guard.lease_end) {
        guard.protect_bits = 0;
        guard.lease_end = never;
    } else if (guard.key == key) {
        guard.lease_end = never;
    }
}

} // namespace madrigal::sim
