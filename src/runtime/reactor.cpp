#include <madrigal/runtime/reactor.hpp>

#include <madrigal/umad/catalogue.hpp>

namespace madrigal {

reactor::reactor(asio::any_io_executor executor, detail::reactor_core::on_loop_test test, umad::host& host,
    reactor_options const& options)
    : core_{std::make_shared<detail::reactor_core>(std::move(executor), test, host, options)}
{}

result<port> reactor::open_on(std::shared_ptr<detail::reactor_core> const& core, umad::port_selector const& wanted)
{
    BOOST_OUTCOME_TRY(auto opened, umad::open_port(core->host(), wanted));
    return port{std::make_shared<detail::port_core>(core, std::move(opened))};
}

result<port> reactor::open(umad::port_selector const& wanted) const
{
    return open_on(core_, wanted);
}

result<agent> port::register_agent(umad::registration const& wanted, agent_options const& options) const
{
    BOOST_OUTCOME_TRY(auto core, core_->register_agent(wanted, options));
    return agent{std::move(core)};
}

result<umad::port_attributes> port::query() const
{
    auto const& known = core_->attributes();
    return core_->reactor().host().query_port(known.ca_name, known.number);
}

result<umad::subnet_attributes> port::query_subnet() const
{
    auto const& known = core_->attributes();
    return core_->reactor().host().query_subnet(known.ca_name, known.number);
}

void port::close() const
{
    core_->close();
}

} // namespace madrigal
