#include <sim/core.hpp>

#include <sim/configure.hpp>
#include <sim/kernel_file.hpp>
#include <sim/kernel_port.hpp>
#include <sim/kernel_rmpp.hpp>
#include <sim/sa_server.hpp>

#include <algorithm>

namespace madrigal::sim {
namespace {

guid port_guid_of(topology::node const& from, unsigned number)
{
    if (number == 0)
        return from.port_guid.value_or(from.node_guid);
    // What an adapter does that nothing is known of: the GUIDs after its node's.
    return from.external_port(number).port_guid.value_or(guid{from.node_guid.value() + number});
}

/// Width and speed where at least one end of the cable tells; 4x SDR, which every device can, elsewhere.
void take_rate(port& to, topology::port const& mine, topology::port const* theirs)
{
    to.rate_given = mine.width != link_width::none && mine.speed != link_speed::none;
    to.width = mine.width;
    to.speed = mine.speed;
    if (to.width == link_width::none && theirs != nullptr)
        to.width = theirs->width;
    if (to.speed == link_speed::none && theirs != nullptr)
        to.speed = theirs->speed;
    if (to.width == link_width::none)
        to.width = link_width::x4;
    if (to.speed == link_speed::none)
        to.speed = link_speed::sdr;
}

} // namespace

core::core(topology::fabric layout_of_it, fabric_options options_of_it)
    : layout{std::move(layout_of_it)},
      options{std::move(options_of_it)},
      faults{options.faults},
      random{options.seed},
      clock{options.time, [this] { on_alarm(); }},
      now{clock.now()}
{}

core::~core() = default;

error core::build()
{
    if (auto failed = clock.open(); failed.code())
        return failed;
    if (options.answer_sa && options.start != start_state::configured)
        return {errc::invalid_argument,
            "subnet administration is a subnet manager's: answer_sa needs start_state::configured"};
    nodes.reserve(layout.size());
    for (auto const& from : layout.nodes()) {
        auto& made = nodes.emplace_back();
        made.type = from.type;
        made.description = from.description;
        made.ports.resize(from.ports.size() + 1);
        if (made.is_switch()) {
            made.switching = std::make_unique<switch_part>();
            made.switching->enhanced_port0 = from.enhanced_port0;
        }
        for (unsigned number = made.is_switch() ? 0 : 1; number <= from.ports.size(); ++number) {
            auto& one = made.ports[number];
            if (number != 0) {
                auto const& cabled = from.external_port(number);
                one.cable = cabled.peer;
                one.plugged = static_cast<bool>(cabled.peer);
                take_rate(
                    one, cabled, cabled.peer ? &layout.at(cabled.peer.node).external_port(cabled.peer.port) : nullptr);
            }
            if (number == 0 || !made.is_switch()) {
                one.end = std::make_unique<end_port>();
                one.end->port_guid = port_guid_of(from, number);
            }
        }
        for (auto const& one : made.ports)
            made.fastest = std::max(made.fastest, one.speed);
    }
    for (topology::node_index index = 0; index != nodes.size(); ++index)
        for (unsigned number = 0; number < nodes[index].ports.size(); ++number)
            reset_port({index, static_cast<std::uint8_t>(number)});
    quiet = true;
    for (topology::node_index index = 0; index != nodes.size(); ++index)
        for (unsigned number = 1; number < nodes[index].ports.size(); ++number)
            settle_link({index, static_cast<std::uint8_t>(number)});
    quiet = false;
    return options.start == start_state::configured ? configure(*this) : error{};
}

core::entry::entry(core& of) : core_{of}, lock_{of.mutex}
{
    core_.bring_up_to(core_.clock.now());
}

core::entry::~entry()
{
    auto const next = core_.events.next();
    if (!core_.clock.is_virtual()) {
        core_.clock.arm_timer(next, core_.now);
        return;
    }
    lock_.unlock();
    core_.clock.arm_alarm(next);
}

void core::on_alarm()
{
    clock.alarm_fired();
    entry const hold{*this};
}

void core::bring_up_to(time_point when)
{
    while (events.next() <= when) {
        now = std::max(now, events.next());
        happen(events.pop());
    }
    now = std::max(now, when);
}

void core::happen(event& one)
{
    switch (one.kind) {
    case event_kind::packet_arrives: {
        auto& arriving = static_cast<packet&>(one);
        if (!link_is_up(nodes[arriving.at].ports[arriving.port]))
            drop(arriving, drop_reason::link_down);
        else if (auto const out = arrive(arriving))
            walk(arriving, *out);
        break;
    }
    case event_kind::packet_served: happen_served(static_cast<packet&>(one)); break;
    case event_kind::packet_leaves: reply(static_cast<packet&>(one)); break;
    case event_kind::send_expires: {
        auto& expired = static_cast<kernel_send&>(one);
        expired.file->expire(expired);
        break;
    }
    case event_kind::trap_repeats: repeat_trap(static_cast<pending_trap&>(one)); break;
    case event_kind::samples_due: samples_are_due(static_cast<port_samples&>(one)); break;
    case event_kind::rmpp_due: static_cast<kernel_rmpp&>(one).work(); break;
    case event_kind::sa_due: static_cast<sa_server&>(one).work(); break;
    case event_kind::sa_answers: {
        auto& asked = static_cast<packet&>(one);
        if (nodes[asked.at].running())
            sa->answer(asked, false);
        else
            drop(asked, drop_reason::node_off);
        break;
    }
    }
}

kernel_port* core::kernel_at(topology::endpoint end)
{
    auto& owner = nodes[end.node];
    if (!owner.running())
        return nullptr;
    auto& place = *at(end).end;
    if (place.kernel == nullptr) {
        kernels.push_back(std::make_unique<kernel_port>(*this, end, next_umad++));
        place.kernel = kernels.back().get();
    }
    return place.kernel;
}

void core::remove_kernels(topology::node_index from)
{
    for (auto const& one : nodes[from].ports) {
        if (!one.end)
            continue;
        one.end->issm_held = false;
        ++one.end->issm_generation;
        auto* const gone = std::exchange(one.end->kernel, nullptr);
        if (gone == nullptr)
            continue; // nobody has ever opened it
        while (!gone->files().empty())
            gone->files().back()->device_gone();
        std::erase_if(kernels, [&](auto const& kept) { return kept.get() == gone; });
    }
}

} // namespace madrigal::sim
