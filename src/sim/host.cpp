#include <madrigal/sim/host.hpp>

#include <sim/core.hpp>
#include <sim/gid_table.hpp>
#include <sim/host_names.hpp>
#include <sim/kernel_file.hpp>
#include <sim/p_keys.hpp>
#include <sim/rate_text.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/path_rates.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <utility>

namespace madrigal::sim {
namespace {

/// Holds IsSM as long as it lives; a device that went away has taken it back already.
class held_issm final : public umad::issm_file {
public:
    held_issm(std::shared_ptr<core> of, topology::endpoint end, std::uint32_t generation) noexcept
        : core_{std::move(of)}, end_{end}, generation_{generation}
    {}
    ~held_issm() override
    {
        core::entry const hold{*core_};
        auto& end = *core_->at(end_).end;
        if (end.issm_generation == generation_)
            end.issm_held = false;
    }

private:
    std::shared_ptr<core> core_;
    topology::endpoint end_;
    std::uint32_t generation_;
};

std::vector<unsigned> port_numbers(node const& of)
{
    if (of.is_switch())
        return {0};
    std::vector<unsigned> numbers;
    for (unsigned number = 1; number <= of.port_count(); ++number)
        numbers.push_back(number);
    return numbers;
}

} // namespace

host::host(std::shared_ptr<fabric> on, topology::node_index node, std::string name)
    : fabric_{std::move(on)}, node_{node}, name_{std::move(name)}
{}

host::~host() = default;

result<std::shared_ptr<host>> host::make(std::shared_ptr<fabric> on, std::optional<std::string_view> ca)
{
    BOOST_OUTCOME_TRY(auto const node, find_ca(on->layout(), ca));
    auto name = device_name(on->layout().at(node));
    return std::shared_ptr<host>{new host{std::move(on), node, std::move(name)}};
}

result<std::shared_ptr<umad::host>> make_host(std::shared_ptr<fabric> on, std::optional<std::string_view> ca)
{
    BOOST_OUTCOME_TRY(auto made, host::make(std::move(on), ca));
    return std::shared_ptr<umad::host>{std::move(made)};
}

std::string host::uri() const
{
    auto const& options = fabric_->options();
    std::string text = options.uri;
    if (text.find('?') == std::string::npos)
        text += options.start == start_state::configured ? "?configured" : "?";
    if (text.find("?ca=") != std::string::npos || text.find("&ca=") != std::string::npos)
        return text;
    return fmt::format(
        "{}{}ca={}", text, text.ends_with('?') ? "" : "&", to_string(fabric_->layout().at(node_).node_guid));
}

error host::check(std::string_view ca, unsigned port) const
{
    auto const& core_of = *fabric_->implementation();
    auto const& here = core_of.nodes[node_];
    if (ca != name_ || !here.running())
        return {errc::no_such_ca, here.running() ? fmt::format("{}: this machine has {} only", ca, name_)
                                                 : fmt::format("{} is not there", ca)};
    if (port >= here.ports.size() || !here.ports[port].end)
        return {errc::no_such_port, fmt::format("{} port {}", ca, port)};
    return {};
}

result<std::vector<std::string>> host::ca_names()
{
    core::entry const hold{*fabric_->implementation()};
    if (!fabric_->implementation()->nodes[node_].running())
        return std::vector<std::string>{};
    return std::vector<std::string>{name_};
}

result<umad::ca_attributes> host::query_ca(std::string_view ca)
{
    core::entry const hold{*fabric_->implementation()};
    auto const& here = fabric_->implementation()->nodes[node_];
    auto const numbers = port_numbers(here);
    if (ca != name_ || !here.running())
        return error{errc::no_such_ca, std::string{ca}};
    auto const& from = fabric_->layout().at(node_);
    umad::ca_attributes told;
    told.name = name_;
    told.type = from.type;
    told.hardware_version = "0x0";
    if (from.vendor_id == 0x0002C9 && from.device_id != 0)
        told.ca_type = fmt::format("MT{}", from.device_id);
    told.description = here.description;
    told.node_guid = from.node_guid;
    told.system_image_guid = from.system_image_guid.value_or(guid{});
    told.ports = numbers;
    return told;
}

result<umad::port_attributes> host::query_port(std::string_view ca, unsigned port)
{
    core::entry const hold{*fabric_->implementation()};
    if (auto failed = check(ca, port); failed.code())
        return failed;
    auto const& core_of = *fabric_->implementation();
    auto const& one = core_of.nodes[node_].ports[port];
    auto const& end = *one.end;
    umad::port_attributes told;
    told.ca_name = name_;
    told.number = port;
    told.base_lid = lid{end.base_lid};
    told.lmc = end.lmc;
    told.sm_lid = lid{end.sm_lid};
    told.sm_sl = end.sm_sl;
    told.state = one.state;
    told.phys_state = one.phys_state;
    told.rate_text = rate_text(one.active_width(), one.active_speed());
    told.rate = rate_in_tenths(one.active_width(), one.active_speed()) / 10;
    told.capability_mask = describe_port(core_of, node_, port, static_cast<std::uint8_t>(port)).capability_mask.value();
    told.port_guid = end.port_guid;
    told.gid_prefix = end.subnet_prefix;
    for (std::size_t index = 0; index != guid_entries; ++index)
        told.gids.push_back(gid_at(end, index).value_or(gid{}));
    for (std::size_t index = 0; index != end_port_p_keys; ++index)
        told.pkeys.push_back(p_key_at(one, index));
    return told;
}

result<umad::subnet_attributes> host::query_subnet(std::string_view ca, unsigned port)
{
    core::entry const hold{*fabric_->implementation()};
    if (auto failed = check(ca, port); failed.code())
        return failed;
    auto const& one = fabric_->implementation()->nodes[node_].ports[port];
    auto const& end = *one.end;
    return umad::subnet_attributes{
        lid{end.base_lid}, lid{end.sm_lid}, end.sm_sl, gid{end.subnet_prefix, end.port_guid}, one.state};
}

result<std::unique_ptr<umad::port_file>> host::open_port(std::string_view ca, unsigned port)
{
    auto const& core_of = fabric_->implementation();
    BOOST_OUTCOME_TRY(auto file, kernel_file::make(core_of));
    core::entry const hold{*core_of};
    if (auto failed = check(ca, port); failed.code())
        return failed;
    file->attach(*core_of->kernel_at({node_, static_cast<std::uint8_t>(port)}));
    return std::unique_ptr<umad::port_file>{std::move(file)};
}

result<std::unique_ptr<umad::issm_file>> host::open_issm(std::string_view ca, unsigned port)
{
    auto const& core_of = fabric_->implementation();
    core::entry const hold{*core_of};
    if (auto failed = check(ca, port); failed.code())
        return failed;
    topology::endpoint const where{node_, static_cast<std::uint8_t>(port)};
    auto& end = *core_of->at(where).end;
    if (end.issm_held)
        return errno_error(EAGAIN, fmt::format("the issm file of {} port {}", ca, port));
    end.issm_held = true;
    return std::unique_ptr<umad::issm_file>{std::make_unique<held_issm>(core_of, where, end.issm_generation)};
}

result<unsigned> host::umad_number(std::string_view ca, unsigned port)
{
    core::entry const hold{*fabric_->implementation()};
    if (auto failed = check(ca, port); failed.code())
        return failed;
    return fabric_->implementation()->kernel_at({node_, static_cast<std::uint8_t>(port)})->umad_number();
}

} // namespace madrigal::sim
