#include <sim/directed_route_step.hpp>

#include <madrigal/wire/status.hpp>

namespace madrigal::sim {
namespace {

using way = directed_route_step::way;

/// The fields that the walk reads and moves, in place.
class smp_path_view {
public:
    explicit smp_path_view(std::span<std::byte, mad_size> smp) noexcept : smp_{smp} {}

    [[nodiscard]] bool returning() const noexcept { return load_bits<32, 1>(smp_.data()) != 0; }
    [[nodiscard]] unsigned pointer() const noexcept { return std::to_integer<unsigned>(smp_[6]); }
    [[nodiscard]] unsigned count() const noexcept { return std::to_integer<unsigned>(smp_[7]); }
    [[nodiscard]] std::uint16_t source() const noexcept
    {
        return static_cast<std::uint16_t>(load_bits<256, 16>(smp_.data()));
    }
    [[nodiscard]] std::uint16_t destination() const noexcept
    {
        return static_cast<std::uint16_t>(load_bits<272, 16>(smp_.data()));
    }
    [[nodiscard]] std::uint8_t initial(unsigned hop) const noexcept
    {
        return std::to_integer<std::uint8_t>(smp_[smp_initial_path_offset + hop]);
    }
    [[nodiscard]] std::uint8_t came_by(unsigned hop) const noexcept
    {
        return std::to_integer<std::uint8_t>(smp_[smp_return_path_offset + hop]);
    }
    void set_pointer(unsigned value) noexcept { smp_[6] = static_cast<std::byte>(value); }
    void set_came_by(unsigned hop, std::uint8_t port) noexcept
    {
        smp_[smp_return_path_offset + hop] = static_cast<std::byte>(port);
    }

private:
    std::span<std::byte, mad_size> smp_;
};

constexpr std::uint16_t permissive = permissive_lid.value();

directed_route_step leave_by_initial_path(smp_path_view& smp, unsigned pointer) noexcept
{
    smp.set_pointer(pointer);
    return {way::leave, smp.initial(pointer), 0};
}

directed_route_step leave_by_return_path(smp_path_view& smp, unsigned pointer) noexcept
{
    smp.set_pointer(pointer);
    return {way::leave, smp.came_by(pointer), 0};
}

/// The directed part ends where it began: at the asker, or at the node that a LID-routed part led to.
directed_route_step end_of_return(smp_path_view& smp, bool may_route) noexcept
{
    smp.set_pointer(0);
    if (smp.source() == permissive)
        return {way::consume, 0, 0};
    if (may_route)
        return {way::by_lid, 0, smp.source()};
    return {};
}

} // namespace

directed_route_step step_from_inside(std::span<std::byte, mad_size> bytes) noexcept
{
    smp_path_view smp{bytes};
    unsigned const count = smp.count();
    unsigned const pointer = smp.pointer();
    if (count > directed_route::max_hops)
        return {};
    if (!smp.returning()) {
        if (smp.source() != permissive)
            return {way::by_lid, 0, 0}; // to where its local header says; the pointer waits for the directed part
        if (pointer != 0)
            return pointer == 1 && count != 0 ? leave_by_initial_path(smp, 1) : directed_route_step{}; // sent again
        if (count != 0)
            return leave_by_initial_path(smp, 1);
        smp.set_pointer(1); // one beyond the count, as at the end of any directed part
        return {way::consume, 0, 0};
    }
    if (smp.destination() != permissive)
        return {way::by_lid, 0, 0}; // back to where the directed part ended
    if (pointer == count + 1)
        return count == 0 ? end_of_return(smp, true) : leave_by_return_path(smp, pointer - 1);
    return {};
}

directed_route_step step_from_outside(
    std::span<std::byte, mad_size> bytes, bool is_switch, std::uint8_t arrived_by) noexcept
{
    smp_path_view smp{bytes};
    unsigned const count = smp.count();
    unsigned const pointer = smp.pointer();
    if (count > directed_route::max_hops)
        return {};
    if (!smp.returning()) {
        if (pointer == 0 && count != 0) // a LID-routed part ends here, the directed one begins
            return is_switch && smp.source() != permissive ? leave_by_initial_path(smp, 1) : directed_route_step{};
        if (pointer < count) {
            if (!is_switch)
                return {};
            smp.set_came_by(pointer, arrived_by);
            return leave_by_initial_path(smp, pointer + 1);
        }
        if (pointer == count) {
            if (count != 0)
                smp.set_came_by(pointer, arrived_by);
            smp.set_pointer(pointer + 1);
            if (smp.destination() == permissive)
                return {way::consume, 0, 0};
            if (is_switch)
                return {way::by_lid, 0, smp.destination()};
            return {};
        }
        if (pointer == count + 1)
            return {way::consume, 0, 0};
        return {};
    }
    if (pointer == 0)
        return {way::consume, 0, 0};
    if (pointer == 1 && (count == 0 || smp.source() == permissive || is_switch))
        return end_of_return(smp, is_switch);
    if (pointer >= 2 && pointer <= count + 1 && is_switch)
        return leave_by_return_path(smp, pointer - 1);
    return {};
}

} // namespace madrigal::sim
