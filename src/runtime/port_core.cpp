#include <madrigal/runtime/detail/port_core.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::detail {

port_core::port_core(std::shared_ptr<reactor_core> reactor, umad::opened_port opened)
    : reactor_{std::move(reactor)},
      main_{std::make_shared<channel>(reactor_, std::move(opened.attributes), std::move(opened.file))}
{
    reactor_->add(main_);
}

bool port_core::gone() const noexcept
{
    return main_->gone() || (partner_ && partner_->gone());
}

port_counters port_core::counters() const noexcept
{
    auto sum = main_->counters();
    if (partner_) {
        auto const& other = partner_->counters();
        sum.packets_read += other.packets_read;
        sum.packets_written += other.packets_written;
        sum.malformed += other.malformed;
        sum.unknown_agent += other.unknown_agent;
        sum.unknown_status += other.unknown_status;
        sum.oversized += other.oversized;
        sum.read_errors += other.read_errors;
        sum.device_losses += other.device_losses;
    }
    return sum;
}

result<std::shared_ptr<channel>> port_core::channel_for(umad::registration const& wanted)
{
    BOOST_OUTCOME_TRY(auto device, umad::device_for_qp(reactor_->host(), main_->attributes(), wanted.queue_pair()));
    auto const& own = main_->attributes();
    if (device.ca_name == own.ca_name && device.number == own.number)
        return main_;
    if (!partner_) {
        BOOST_OUTCOME_TRY(
            auto opened, umad::open_port(reactor_->host(), {.ca = device.ca_name, .port = device.number}));
        partner_ = std::make_shared<channel>(reactor_, std::move(opened.attributes), std::move(opened.file));
        reactor_->add(partner_);
    }
    return partner_;
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
    for (auto const& lost : {main_, partner_}) {
        if (!lost || !lost->gone())
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

void port_core::close()
{
    for (auto const& known : std::exchange(agents_, {}))
        if (auto const agent = known.lock())
            agent->close();
}

} // namespace madrigal::detail
