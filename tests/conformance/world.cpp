#include "conformance/world.hpp"

#include "conformance/emulated_world.hpp"
#include "conformance/linux_world.hpp"
#include "conformance/shared_world.hpp"

namespace madrigal::conformance {

umad::port_attributes world::attributes()
{
    return host().query_port(ca_, port_).value();
}

umad::port_attributes const& world::once()
{
    if (!attributes_)
        attributes_ = attributes();
    return *attributes_;
}

lid world::own_lid()
{
    return once().base_lid;
}

gid world::own_gid()
{
    return once().gids.at(0);
}

bool world::infiniband()
{
    return once().layer == umad::link_layer::infiniband;
}

std::unique_ptr<world> make_world(std::string_view name, std::string& why)
{
    constexpr std::string_view linux_name = "linux:";
    if (name == "sim")
        return make_emulated_world();
    if (name == "unix")
        return make_shared_world();
    if (name.starts_with(linux_name))
        return make_linux_world(name.substr(linux_name.size()), why);
    why = "the host '" + std::string{name} + "' is neither sim, unix nor linux:CA";
    return nullptr;
}

} // namespace madrigal::conformance
