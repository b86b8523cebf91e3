#include <madrigal/subnet/smp_server.hpp>

#include "subnet/log.hpp"
#include "subnet/smp_answer.hpp"
#include "subnet/smp_server_core.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/status.hpp>

#include <utility>

namespace madrigal {
namespace detail {
namespace {

constexpr std::uint8_t smp_version = 1;
/// Receives that wait at a time: more than `reactor_options::read_budget`, so that what has gathered in an inbox grows
/// less in a storm, and not more.
constexpr unsigned receives = 512;
constexpr duration device_looked_for_every = std::chrono::milliseconds{250};

/// The LID that a trap is from. One that came along a directed route says so itself.
lid source_of(request const& trap, notice const& told) noexcept
{
    return trap.mad().mgmt_class() == management_class::subnet_directed_route ? told.issuer_lid : trap.source();
}

} // namespace

smp_server_core::smp_server_core(port on, smp_server_options const& options)
    : on_{std::move(on)}, options_{options}, traps_{on_.time(), on_.executor(), options.filter, options.trap_limit}
{}

result<void> smp_server_core::open(half& which, umad::registration const& wanted)
{
    auto registered = on_.register_agent(wanted.serving(method::get, method::set, method::trap));
    if (!registered) {
        auto const& refusal = registered.error();
        // The errno for methods that are taken has other meanings too; none of them would let a client in.
        if (refusal.code() != errc::registration_refused || !on_.register_agent(wanted))
            return refusal;
        auto const& own = on_.attributes();
        return error{refusal.code(), "subnet management of " + umad::port_name(own.ca_name, own.number) +
                                         " is another program's, such as a subnet manager that runs there"};
    }
    which.over = std::move(registered).value();
    return outcome::success();
}

result<void> smp_server_core::start()
{
    BOOST_OUTCOME_TRY(open(halves_[0], umad::subnet_lid_routed()));
    BOOST_OUTCOME_TRY(open(halves_[1], umad::subnet_directed_route()));
    for (auto& one : halves_) {
        one.again = on_.time().make_alarm([this, &one] { look_for_device(one); });
        listen(one);
    }
    return outcome::success();
}

void smp_server_core::close() noexcept
{
    if (std::exchange(closed_, true))
        return;
    for (auto& one : halves_) {
        one.again.reset();
        one.over.close();
    }
    traps_.close();
}

void smp_server_core::listen(half& on)
{
    for (; on.waiting < receives; ++on.waiting)
        on.over.async_receive([self = shared_from_this(), &on](
                                  error_code code, request what) { self->on_received(on, code, std::move(what)); });
}

void smp_server_core::look_for_device(half& lost)
{
    if (on_.gone()) {
        lost.again->arm(on_.time().now() + device_looked_for_every);
        return;
    }
    listen(lost);
    auto const service = sm_info_.lock();
    if (std::exchange(lost_, false) && service)
        service->device_is_back();
}

void smp_server_core::on_received(half& on, error_code code, request what)
{
    --on.waiting;
    if (closed_)
        return;
    if (code) {
        // Whoever owns the port opens it again.
        if (code == errc::device_gone) {
            on.again->arm(on_.time().now() + device_looked_for_every);
            auto const service = sm_info_.lock();
            if (!std::exchange(lost_, true) && service)
                service->device_is_lost();
            return;
        }
        if (auto const service = sm_info_.lock())
            service->port_is_closed();
        close(); // who waits for a trap would wait for ever
        return;
    }
    if (what.method() == method::trap)
        on_trap(what);
    else
        on_question(what);
    if (!closed_)
        listen(on);
}

void smp_server_core::on_trap(request& trap)
{
    ++counters_.received;
    auto const told = trap.mad().attribute_id() == attribute_id::notice && trap.mad().class_version() == smp_version
                          ? trap.attribute<notice>()
                          : std::nullopt;
    auto const source = told ? source_of(trap, *told) : lid{};
    if (!told || !source.is_unicast()) {
        ++counters_.malformed;
        return;
    }
    auto const answer = trap.answer();
    clear_for_answer(answer, options_.keys.find(destination{source}));
    trap.set_attribute(*told);
    trap.reply(mad_status::ok, [self = shared_from_this(), source](error_code code) {
        if (!code)
            ++self->counters_.repressed;
        else if (code != errc::agent_closed)
            subnet_log().debug("a trap of LID {} cannot be repressed: {}", source.value(), code.message());
    });
    traps_.put(source, *told, inbox_dropped());
}

void smp_server_core::on_question(request& asked)
{
    if (asked.method() != method::get && asked.method() != method::set)
        return;
    auto status = mad_status::unsupported_method_attribute;
    auto const service = sm_info_.lock();
    if (asked.mad().class_version() != smp_version) {
        status = mad_status::bad_version;
    } else if (asked.mad().attribute_id() == attribute_id::sm_info && service) {
        if (!answer_sm_info(asked, *service, status)) {
            ++counters_.sm_info_bad_key;
            return;
        }
        ++counters_.sm_info_asked;
        asked.reply(status, [](error_code) {});
        return;
    }
    ++counters_.refused;
    clear_for_answer(asked.answer());
    asked.reply(status, [](error_code) {});
}

bool smp_server_core::answer_sm_info(request& asked, sm_info_service& by, std::uint16_t& status)
{
    bool const has_key = options_.own_m_key == 0 || m_key_of(asked.mad()) == options_.own_m_key;
    bool const is_set = asked.method() == method::set;
    if (!has_key && (is_set || options_.own_protection >= 2))
        return false;
    auto const said = asked.attribute<sm_info>();
    status = !is_set ? mad_status::ok : said ? on_control(asked, by, *said) : mad_status::invalid_value;
    auto own = by.describe();
    if (!may_see_sm_key(has_key, said && said->sm_key == own.sm_key, own.sm_key))
        own.sm_key = 0;
    clear_for_answer(asked.answer());
    asked.set_attribute(own);
    return true;
}

bool smp_server_core::may_see_sm_key(bool has_m_key, bool shows_it, std::uint64_t sm_key) const noexcept
{
    if (shows_it)
        return true;
    // Nobody has proved anything where there is no M_Key to be had.
    return has_m_key ? options_.own_m_key != 0 || sm_key == well_known_sm_key
                     : options_.own_protection == 0 && sm_key == well_known_sm_key;
}

std::uint16_t smp_server_core::on_control(request const& asked, sm_info_service& by, sm_info const& from)
{
    auto const back = way_back(asked.received());
    if (!back)
        return mad_status::invalid_value;
    return by.on_control(static_cast<sm_control>(asked.mad().attribute_modifier()), from, *back);
}

std::uint64_t smp_server_core::inbox_dropped() const noexcept
{
    std::uint64_t all = 0;
    for (auto const& one : halves_)
        all += one.over.counters().inbox_dropped;
    return all;
}

smp_server_counters smp_server_core::counters() const noexcept
{
    auto all = counters_;
    auto const& filtered = traps_.filtered();
    all.delivered = filtered.delivered;
    all.duplicates = filtered.duplicates;
    all.flooded = filtered.flooded;
    all.dropped = filtered.forgotten + filtered.replaced + traps_.dropped() + inbox_dropped();
    return all;
}

asio::any_io_executor const& loop_of(smp_server_core const& of) noexcept
{
    return of.loop();
}

void receive_trap(
    std::shared_ptr<smp_server_core> const& from, sa_waiter_ptr<trap_notice> waiter, asio::cancellation_slot slot)
{
    from->receive(std::move(waiter), slot);
}

} // namespace detail

result<smp_server> smp_server::open(port const& on, smp_server_options const& options)
{
    auto core = std::make_shared<detail::smp_server_core>(on, options);
    BOOST_OUTCOME_TRY(core->start());
    return smp_server{std::move(core)};
}

void smp_server::serve_sm_info(std::weak_ptr<sm_info_service> by) const noexcept
{
    core_->serve_sm_info(std::move(by));
}

m_key_table& smp_server::keys() const noexcept
{
    return core_->keys();
}

void smp_server::set_own_m_key(std::uint64_t key, unsigned protection) const noexcept
{
    core_->set_own_m_key(key, protection);
}

smp_server_counters smp_server::counters() const noexcept
{
    return core_->counters();
}

void smp_server::close() noexcept
{
    if (core_)
        core_->close();
}

} // namespace madrigal
