#include <madrigal/runtime/detail/port_core.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace madrigal::detail {

port_core::port_core(std::shared_ptr<reactor_core> reactor, umad::opened_port opened)
    : reactor_{std::move(reactor)},
      counters_{std::make_shared<port_io_counters>()},
      main_{std::make_shared<channel>(reactor_, std::move(opened.attributes), std::move(opened.file), counters_)}
{
    reactor_->add(main_);
}

std::vector<std::shared_ptr<channel>> port_core::channels() const
{
    std::vector<std::shared_ptr<channel>> all{main_};
    if (partner_)
        all.push_back(partner_);
    for (auto const& known : own_channels_)
        if (auto own = known.lock(); own && !own->closed())
            all.push_back(std::move(own));
    return all;
}

bool port_core::gone() const noexcept
{
    if (main_->gone() || (partner_ && partner_->gone()))
        return true;
    return std::any_of(own_channels_.begin(), own_channels_.end(), [](auto const& known) {
        auto const own = known.lock();
        return own && own->gone() && !own->closed();
    });
}

result<std::shared_ptr<channel>> port_core::channel_for(umad::registration const& wanted)
{
    auto const& own = main_->attributes();
    if (own.layer == umad::link_layer::ethernet)
        return own_channel();
    BOOST_OUTCOME_TRY(auto device, umad::device_for_qp(reactor_->host(), own, wanted.queue_pair()));
    if (device.ca_name == own.ca_name && device.number == own.number)
        return main_;
    if (!partner_) {
        BOOST_OUTCOME_TRY(
            auto opened, umad::open_port(reactor_->host(), {.ca = device.ca_name, .port = device.number}));
        partner_ = std::make_shared<channel>(reactor_, std::move(opened.attributes), std::move(opened.file), counters_);
        partner_->set_tap(tap_);
        reactor_->add(partner_);
    }
    return partner_;
}

result<std::shared_ptr<channel>> port_core::own_channel()
{
    if (gone())
        return error{errc::device_gone, main_->device()};
    auto const& port = main_->attributes();
    BOOST_OUTCOME_TRY(auto opened, umad::open_port(reactor_->host(), {.ca = port.ca_name, .port = port.number}));
    auto own = std::make_shared<channel>(reactor_, std::move(opened.attributes), std::move(opened.file), counters_);
    own->belong_to_one_agent([weak = weak_from_this()] {
        // One device under all the files: what was outstanding on any of them is lost.
        if (auto const self = weak.lock())
            for (auto const& other : self->channels())
                other->lose_as_well();
    });
    own->set_tap(tap_);
    reactor_->add(own);
    std::erase_if(own_channels_, [](auto const& known) { return known.expired(); });
    own_channels_.push_back(own);
    return own;
}

result<std::shared_ptr<agent_core>> port_core::register_agent(
    umad::registration const& wanted, agent_options const& options)
{
    BOOST_OUTCOME_TRY(engine::check(options.retry));
    BOOST_OUTCOME_TRY(umad::validate(wanted));
    BOOST_OUTCOME_TRY(auto home, channel_for(wanted));
    auto agent = std::make_shared<agent_core>(reactor_, std::move(home), wanted, options);
    BOOST_OUTCOME_TRY(agent->attach());
    std::erase_if(agents_, [](auto const& known) { return known.expired(); });
    agents_.push_back(agent);
    return agent;
}

result<umad::port_attributes> port_core::find_again(umad::port_attributes const& before)
{
    // The halves of a split adapter have one GUID and may come back under each other's name.
    auto const is_it = [&](umad::port_attributes const& candidate) {
        constexpr auto half = umad::cap_is_sm_disabled;
        return candidate.port_guid == before.port_guid &&
               (candidate.capability_mask & half) == (before.capability_mask & half);
    };
    auto same = reactor_->host().query_port(before.ca_name, before.number);
    if (same && is_it(same.value()))
        return same;
    BOOST_OUTCOME_TRY(auto all, umad::list_ports(reactor_->host()));
    for (auto& candidate : all.ports)
        if (before.port_guid && is_it(candidate))
            return std::move(candidate);
    return error{errc::no_such_port,
        umad::port_name(before.ca_name, before.number) + " (GUID " + to_string(before.port_guid) + ") is not back"};
}

result<void> port_core::reopen()
{
    for (auto const& lost : channels()) {
        if (!lost->gone())
            continue;
        BOOST_OUTCOME_TRY(auto found, find_again(lost->attributes()));
        BOOST_OUTCOME_TRY(auto opened, umad::open_port(reactor_->host(), {.ca = found.ca_name, .port = found.number}));
        lost->replace(std::move(opened.attributes), std::move(opened.file));
        for (auto const& known : agents_) {
            auto const agent = known.lock();
            if (!agent || agent->home() != lost || agent->closed())
                continue;
            if (auto attached = agent->attach(); !attached) {
                lost->lose();
                return attached;
            }
        }
    }
    return outcome::success();
}

result<sm_claim> port_core::claim_sm() const
{
    auto const& own = main_->attributes();
    if (gone())
        return error{errc::device_gone, main_->device()};
    // Subnet management is QP0's.
    BOOST_OUTCOME_TRY(auto const device, umad::device_for_qp(reactor_->host(), own, 0));
    auto opened = reactor_->host().open_issm(device.ca_name, device.number);
    if (opened)
        return sm_claim{std::move(opened).value()};
    auto const code = opened.error().code();
    if (code.category() == boost::system::system_category() && (code.value() == EAGAIN || code.value() == EBUSY))
        return error{code, umad::port_name(device.ca_name, device.number) +
                               " has a subnet manager already, which holds its issm file: stop it, or wait for it "
                               "with async_become_sm"};
    return opened.error();
}

void port_core::close()
{
    for (auto const& known : std::exchange(agents_, {}))
        if (auto const agent = known.lock())
            agent->close();
}

void port_core::show_to(packet_sink sink)
{
    tap_ = sink ? std::make_shared<tap>(reactor_->time(), std::move(sink)) : nullptr;
    for (auto const& one : channels())
        one->set_tap(tap_);
}

} // namespace madrigal::detail
