#include <madrigal/subnet/mastership.hpp>

#include "subnet/log.hpp"
#include "subnet/mastership_core.hpp"
#include "subnet/sm_info_question.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>

#include <boost/asio/post.hpp>

#include <utility>
#include <vector>

namespace madrigal {

namespace detail {
namespace {

/// Keeps the client, so that who asks may go.
asio::awaitable<result<sm_info>> ask_sm(smp_client client, destination whom, sm_info own)
{
    co_return co_await ask_sm_info(client, whom, own);
}

} // namespace

mastership_core::mastership_core(port on, smp_client client, mastership_options const& options)
    : on_{std::move(on)},
      client_{std::move(client)},
      machine_{{.port_guid = on_.attributes().port_guid, .sm_key = options.sm_key, .priority = options.priority},
          options.pace},
      duties_{on_.executor(), 1},
      alarm_{on_.time().make_alarm([this] { carry_out(machine_.on_deadline(on_.time().now())); })}
{}

void mastership_core::start()
{
    carry_out(machine_.start(on_.time().now()));
}

void mastership_core::restart()
{
    if (!closed_)
        start();
}

void mastership_core::close() noexcept
{
    if (std::exchange(closed_, true))
        return;
    alarm_.reset();
    client_.close();
    duties_.clear();
    duties_.close(errc::agent_closed);
}

engine::sm_peer mastership_core::place(sm_info const& info, destination const& where)
{
    auto const number = ++last_place_;
    places_.insert_or_assign(number, where);
    return {.info = info, .where = number};
}

void mastership_core::on_sweep(std::span<seen_sm const> others)
{
    if (closed_)
        return;
    std::vector<engine::sm_peer> placed;
    placed.reserve(others.size());
    std::size_t silent = 0;
    for (auto const& one : others) {
        if (one.silent) {
            silent += one.info.port_guid == machine_.info().port_guid ? 0 : 1;
            continue;
        }
        say_if_foreign(one.info, one.where);
        placed.push_back(place(one.info, one.where));
    }
    carry_out(machine_.on_sweep(on_.time().now(), placed, silent));
}

sm_info mastership_core::describe()
{
    machine_.count_activity();
    auto own = machine_.info();
    if (closed_)
        own.state = sm_state::not_active;
    return own;
}

std::uint16_t mastership_core::on_control(sm_control what, sm_info const& from, destination const& back)
{
    if (closed_)
        return mad_status::invalid_value;
    say_if_foreign(from, back);
    auto const answer = machine_.on_control(on_.time().now(), what, place(from, back));
    subnet_log().debug("{} from the SM of {} at {}: status {:#06x}", to_string(what), to_string(from.port_guid),
        to_string(back), answer.status);
    carry_out(answer.step);
    return answer.status;
}

void mastership_core::say_if_foreign(sm_info const& other, destination const& where)
{
    if (!machine_.trusts(other) && foreign_.allow(on_.time().now()))
        subnet_log().warn("the subnet manager of {} at {} has another SM_Key, and is ignored: one subnet may get two "
                          "masters",
            to_string(other.port_guid), to_string(where));
}

void mastership_core::carry_out(engine::sm_step const& step)
{
    std::optional<destination> to;
    if (step.ask != engine::sm_ask::nothing)
        if (auto const at = places_.find(step.to.where); at != places_.end())
            to = at->second;
    auto const watched = machine_.watched();
    std::erase_if(places_, [&](auto const& one) { return !watched || one.first != watched->where; });
    alarm_->arm(machine_.deadline());
    if (step.duty == sm_duty::none && step.ask == engine::sm_ask::nothing)
        return;
    // Later, so that what has led to it is answered first.
    asio::post(loop(), [weak = weak_from_this(), step, to] {
        if (auto const self = weak.lock(); self && !self->closed_)
            self->begin(step, to);
    });
}

void mastership_core::begin(engine::sm_step const& step, std::optional<destination> const& to)
{
    if (step.duty != sm_duty::none) {
        auto const& own = on_.attributes();
        if (std::exchange(told_, machine_.state()) != machine_.state())
            subnet_log().info("the subnet manager of {} is {}", umad::port_name(own.ca_name, own.number),
                to_string(machine_.state()));
        // One that looks is told again and again, and may have just begun.
        bool const again = step.duty == sm_duty::discover && last_duty_ == sm_duty::discover;
        has_news_ = !again || (has_news_ && duties_.size() != 0);
        last_duty_ = step.duty;
        (void)duties_.put(step.duty); // in the place of an older one
    }
    if (step.ask == engine::sm_ask::nothing)
        return;
    if (step.ask == engine::sm_ask::remind)
        remind();
    else if (to)
        ask(step, *to);
    else
        on_outcome(step.ticket, errc::invalid_argument, {});
}

void mastership_core::ask(engine::sm_step const& step, destination const& whom)
{
    auto const told = [weak = weak_from_this(), ticket = step.ticket](error_code code, sm_info const& answer) {
        if (auto const self = weak.lock())
            self->on_outcome(ticket, code, answer);
    };
    if (step.ask == engine::sm_ask::poll) {
        client_.over().async_request(
            sm_info_question(client_, whom, step.own), {}, [told](error_code code, received_mad const& answer) {
                auto const said = code ? result<sm_info>{error{code}} : sm_info_answer(answer);
                told(said ? error_code{} : said.error().code(), said ? said.value() : sm_info{});
            });
        return;
    }
    auto const what = step.ask == engine::sm_ask::hand_over ? sm_control::handover : sm_control::acknowledge;
    subnet_log().info("{} to the SM of {} at {}", to_string(what), to_string(step.to.info.port_guid), to_string(whom));
    client_.async_set(whom, step.own, static_cast<std::uint32_t>(what), {}, told);
}

/// Traps go to whom the port knows as its SM; a port without one has not been configured by the master, which will
/// sweep over it anyway.
void mastership_core::remind()
{
    auto const own = on_.query();
    if (!own || !own.value().base_lid.is_unicast() || !own.value().sm_lid.is_unicast())
        return;
    auto const& port = own.value();
    notice told;
    told.is_generic = true;
    told.type = notice_type::informational;
    told.producer_type = port.number == 0 ? notice_producer::switch_ : notice_producer::ca;
    told.trap_number = trap_number::local_changes;
    told.issuer_lid = port.base_lid;
    told.data_details = encode_trap(local_changes_trap{.port_lid = port.base_lid,
        .other_local_changes = true,
        .capability_mask = port_capabilities::from_value(port.capability_mask),
        .changes = local_change::sm_priority});
    raw_mad trap{destination{port.sm_lid}.with_sl(port.sm_sl)};
    build_lid_routed_smp(trap.bytes, {.method_of_mad = method::trap, .attribute_id = attribute_id::notice});
    (void)mutable_mad_view{trap.bytes}.set_attribute(told);
    // A request, because TrapRepress ends it.
    client_.over().async_request(trap, {}, [](error_code, received_mad const&) {});
}

void mastership_core::on_outcome(std::uint32_t ticket, error_code code, sm_info const& answer)
{
    if (closed_)
        return;
    if (code == errc::agent_closed)
        return close(); // the port is, and nothing will ever be answered
    if (ticket == 0)
        return;
    auto const now = on_.time().now();
    carry_out(code ? machine_.on_failure(now, ticket) : machine_.on_answer(now, ticket, answer));
}

asio::any_io_executor const& loop_of(mastership_core const& of) noexcept
{
    return of.loop();
}

void receive_duty(
    std::shared_ptr<mastership_core> const& from, sa_waiter_ptr<sm_duty> waiter, asio::cancellation_slot slot)
{
    from->receive(std::move(waiter), slot);
}

} // namespace detail

result<mastership> mastership::open(port const& on, smp_server const& server, mastership_options const& options)
{
    BOOST_OUTCOME_TRY(auto client, smp_client::open(on, options.questions));
    auto core = std::make_shared<detail::mastership_core>(on, std::move(client), options);
    server.serve_sm_info(core);
    core->start();
    return mastership{std::move(core)};
}

void mastership::restart() const
{
    core_->restart();
}

bool mastership::has_next() const noexcept
{
    return core_->has_duty();
}

void mastership::on_sweep(std::span<seen_sm const> others) const
{
    core_->on_sweep(others);
}

asio::awaitable<result<sm_info>> mastership::ask(destination whom) const
{
    return detail::ask_sm(core_->client(), whom, core_->machine().info());
}

sm_state mastership::state() const noexcept
{
    return core_->machine().state();
}

sm_info mastership::info() const noexcept
{
    return core_->machine().info();
}

std::optional<sm_info> mastership::watched() const noexcept
{
    auto const one = core_->machine().watched();
    return one ? std::optional{one->info} : std::nullopt;
}

bool mastership::waits() const noexcept
{
    return core_->machine().waits();
}

void mastership::set_priority(std::uint8_t priority) const noexcept
{
    core_->machine().set_priority(priority);
}

void mastership::count_activity() const noexcept
{
    core_->machine().count_activity();
}

engine::sm_counters const& mastership::counters() const noexcept
{
    return core_->machine().counters();
}

m_key_table& mastership::keys() const noexcept
{
    return core_->client().keys();
}

void mastership::close() noexcept
{
    if (core_)
        core_->close();
}

} // namespace madrigal
